"""Shows one comparison: both graphs or both texts of a stage, and the table of what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QItemSelection, QObject, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import (
    QAbstractItemView,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QStackedWidget,
    QTableView,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.model.said import CLAUSES, say_joined
from jaxscope.picture.tint.diff_marks import STYLES
from jaxscope.program.diff.captures import Comparison, StageComparison
from jaxscope.program.diff.changes import Change, GraphComparison, find_node_differences, name_node
from jaxscope.program.diff.quantities import QuantityDifference, format_quantity
from jaxscope.program.diff.texts import TextDiff
from jaxscope.report.diff import (
    describe_ends,
    describe_node_placements,
    describe_placements,
    describe_subject,
    describe_verdict,
    stage_row,
)
from jaxscope.report.document import cell_text
from jaxscope.ui.pages.diff_graph import ComparedCanvas, MarkLegend
from jaxscope.ui.pages.diff_text import DiffTextView
from jaxscope.ui.session.screen import title_of_stage
from jaxscope.ui.toolkit.language import tr, tr_list, tr_said
from jaxscope.ui.toolkit.result_table import choose_row
from jaxscope.ui.toolkit.theme import BASE_POINTS, LIGHT, Theme
from jaxscope.ui.toolkit.widgets import (
    NO_INDEX,
    ChoiceBox,
    EmptyNotice,
    FlowLayout,
    Index,
    escape_html,
    fill_box,
    make_splitter,
    set_up_table,
)

_COLUMNS = ("", "first", "second", "what differs")
_WIDTHS_EM = (12, 32, 32, 24)


class DifferencesModel(QAbstractTableModel):
    """One row per node that differs; texts are made when they are looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graphs: GraphComparison | None = None
        self._rows: list[tuple[Change, int, int]] = []
        self._is_dark = False

    @property
    def comparison(self) -> GraphComparison | None:
        """The comparison that is shown."""
        return self._graphs

    def set_comparison(self, graphs: GraphComparison | None) -> None:
        """Show another comparison, or none."""
        self.beginResetModel()
        self._graphs = graphs
        self._rows = [] if graphs is None else graphs.rows()
        self.endResetModel()

    def set_dark(self, is_dark: bool) -> None:
        """Use the colours of the dark theme."""
        self._is_dark = is_dark

    def nodes_at(self, row: int) -> tuple[int, int]:
        """The nodes of a row on both sides, `NONE` where there is none."""
        _, first, second = self._rows[row]
        return first, second

    def row_of(self, side: int, node: int) -> int:
        """The row of a node of the first (0) or second (1) side, or -1."""
        return next((row for row, entry in enumerate(self._rows) if entry[1 + side] == node), -1)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(_COLUMNS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        graphs = self._graphs
        if graphs is None or not index.isValid():
            return None
        change, first, second = self._rows[index.row()]
        style = STYLES[change]
        if role == Qt.ItemDataRole.ForegroundRole and index.column() == 0:
            return QColor(style.dark if self._is_dark else style.light)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return None
        if index.column() == 0:
            return f"{style.sign}  {tr(style.name)}"
        if index.column() == 1:
            return _describe_node(graphs.first, first)
        if index.column() == 2:
            return _describe_node(graphs.second, second)
        found = find_node_differences(graphs, first, second)
        return tr_said(say_joined((each.sentence() for each in found), CLAUSES))


def _describe_node(graph: Graph, node: int) -> str:
    if node == NONE:
        return ""
    types = ", ".join(graph.types(node))
    name = tr_said(name_node(graph, node))
    return f"{name} : {types}" if types else name


class DifferencesView(QTableView):
    """The table; `row_chosen` carries the nodes of a row that a person chose."""

    row_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = DifferencesModel(self)
        self.setModel(self.rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        set_up_table(self, tr("Differences"))
        self.notice = EmptyNotice(self, tr("No difference is listed for this stage."))
        self._is_told = False
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.fit()

    def fit(self) -> None:
        """Size rows and columns for the present font."""
        em = self.fontMetrics().horizontalAdvance("n")
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        for column, width in enumerate(_WIDTHS_EM):
            self.setColumnWidth(column, width * em)

    def choose(self, side: int, node: int) -> None:
        """Select the row of a node without a signal."""
        row = self.rows.row_of(side, node)
        self._is_told = True
        if row < 0:
            self.clearSelection()
        else:
            choose_row(self, row)
            self.scrollTo(self.rows.index(row, 0))
        self._is_told = False

    def _on_selection_changed(self, selected: QItemSelection, _deselected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_told:
            self.row_chosen.emit(*self.rows.nodes_at(indexes[0].row()))


_GRAPHS, _TEXTS = "graphs", "texts"

_MOST_PLACED = 200
"""Nodes on other devices that are listed below the graphs; reports list all."""


class CompareView(QWidget):
    """Shows one comparison; what is chosen anywhere is chosen everywhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._comparison: Comparison | None = None
        self._shown_texts: TextDiff | None = None
        self._chosen = (NONE, NONE)
        self._chosen_stage = ""
        self._theme = LIGHT
        self.stage_chooser: QComboBox = ChoiceBox()
        self.form_chooser: QComboBox = ChoiceBox()
        self.marks = QCheckBox(tr("Mark what differs"))
        self.legend = MarkLegend()
        self.canvases = (ComparedCanvas(), ComparedCanvas())
        self.texts = DiffTextView()
        self.table = DifferencesView()
        self._verdict, self._quantities, self._reason = QLabel(), QLabel(), QLabel()
        self.below = QTabWidget()
        self._names = (QLabel(), QLabel())
        self._text_names = (QLabel(), QLabel())
        self._body = QStackedWidget()
        self._build()

    def _build(self) -> None:
        self.stage_chooser.setAccessibleName(tr("Stage"))
        self.form_chooser.setAccessibleName(tr("Graphs or texts"))
        self.form_chooser.addItem(tr("Graphs"), _GRAPHS)
        self.form_chooser.addItem(tr("Texts"), _TEXTS)
        self.marks.setChecked(True)
        self.marks.setToolTip(tr("Off: both sides plain, beside each other"))
        self._verdict.setProperty("role", "heading")
        self._verdict.setTextFormat(Qt.TextFormat.PlainText)
        self._quantities.setTextFormat(Qt.TextFormat.RichText)
        self._quantities.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        for label in (self._verdict, self._quantities, self._reason):
            label.setWordWrap(True)
        self._reason.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._reason.setMargin(24)
        choices = QWidget()
        bar = FlowLayout(choices)  # a row would make the whole window as wide as itself
        for part in (self.stage_chooser, self.form_chooser, self.marks, self.legend):
            bar.addWidget(part)
        self._body.addWidget(self._build_graphs())
        self._body.addWidget(self._build_texts())
        self._body.addWidget(self._reason)
        split = make_splitter(Qt.Orientation.Vertical, self._body, self._build_lower())
        split.setStretchFactor(0, 4)
        split.setStretchFactor(1, 1)
        split.setSizes([540, 190])
        fill_box(QVBoxLayout(self), self._verdict, choices, (split, 1), margins=(0, 0, 0, 0))
        self.stage_chooser.currentIndexChanged.connect(self._on_stage_chosen)
        self.form_chooser.currentIndexChanged.connect(self._refresh)
        self.marks.toggled.connect(self._refresh)
        self.table.row_chosen.connect(self._on_table_row_chosen)
        self.texts.nodes_chosen.connect(self._on_texts_nodes_chosen)
        self.canvases[0].node_selected.connect(self._on_first_node_selected)
        self.canvases[1].node_selected.connect(self._on_second_node_selected)

    def _build_graphs(self) -> QWidget:
        sides = make_splitter(Qt.Orientation.Horizontal)
        for name, canvas in zip(self._names, self.canvases, strict=True):
            side = QWidget()
            fill_box(
                QVBoxLayout(side), _as_name(name), (canvas, 1), margins=(0, 0, 0, 0), spacing=2
            )
            sides.addWidget(side)
        return sides

    def _build_texts(self) -> QWidget:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        row = QHBoxLayout()
        for name in self._text_names:
            row.addWidget(_as_name(name), 1)
        column.addLayout(row)
        column.addWidget(self.texts, 1)
        return page

    def _build_lower(self) -> QWidget:
        scroll = QScrollArea(widgetResizable=True)
        scroll.setWidget(self._quantities)
        scroll.setFrameShape(QScrollArea.Shape.NoFrame)
        self._quantities.setMargin(6)
        self.below.addTab(self.table, tr("Differences"))
        self.below.addTab(scroll, tr("Cost, time, memory"))
        return self.below

    # --- showing ---

    @property
    def comparison(self) -> Comparison | None:
        """The comparison that is shown."""
        return self._comparison

    @property
    def quantities_text(self) -> str:
        """What is said about cost, time and memory, as rich text."""
        return self._quantities.text()

    @property
    def verdict_text(self) -> str:
        """The sentence above the comparison."""
        return self._verdict.text()

    def show_comparison(self, comparison: Comparison) -> None:
        """Show a comparison: at the stage that somebody chose, else at the first that differs.

        A chosen stage that is equal gives way to one that differs.
        """
        self._comparison = comparison
        told = (describe_verdict(comparison), *comparison.notes)
        self._verdict.setText("\n".join(map(tr_said, told)))
        sides = (comparison.first, comparison.second)
        for labels in (self._names, self._text_names):
            for label, subject in zip(labels, sides, strict=True):
                label.setText(subject.name)
                label.setToolTip(tr_said(describe_subject(subject)))
        self.stage_chooser.blockSignals(True)
        self.stage_chooser.clear()
        for stage in comparison.stages:
            self.stage_chooser.addItem(_describe_choice(stage), stage.pair.key)
        self.stage_chooser.setCurrentIndex(_first_choice(comparison, self._chosen_stage))
        self.stage_chooser.blockSignals(False)
        self._refresh()

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme = theme
        self.legend.set_theme(theme.name)
        for number, stage in enumerate(self._comparison.stages if self._comparison else ()):
            self.stage_chooser.setItemText(number, _describe_choice(stage))
        self.texts.set_theme(theme, points)
        self.table.rows.set_dark(theme.is_dark)
        self.table.fit()
        for canvas in self.canvases:
            canvas.set_theme(theme.name)
            canvas.set_text_scale(points / BASE_POINTS)

    def shown_stage(self) -> StageComparison | None:
        """The stage that is looked at."""
        key = self.stage_chooser.currentData()
        return None if self._comparison is None else self._comparison.stage(str(key))

    def _on_stage_chosen(self) -> None:
        self._chosen_stage = str(self.stage_chooser.currentData())
        self._refresh()

    def _refresh(self) -> None:
        stage = self.shown_stage()
        if stage is None:
            return
        has_marks = self.marks.isChecked()
        graphs = stage.graphs if isinstance(stage.graphs, GraphComparison) else None
        self.legend.setVisible(has_marks)
        self.below.setVisible(has_marks)
        self.below.setTabVisible(0, graphs is not None)
        if graphs is not self.table.rows.comparison:
            self._chosen = (NONE, NONE)
            self.table.rows.set_comparison(graphs)
        self.below.setTabText(
            0, tr("Differences ({rowCount:,})", rowCount=self.table.rows.rowCount())
        )
        self._quantities.setText(self._describe_quantities(stage))
        if graphs is not None and self.form_chooser.currentData() == _GRAPHS:
            self._show_graphs(graphs, stage, has_marks)
        elif isinstance(texts := stage.texts, TextDiff):
            self._show_texts(texts, has_marks)
        else:
            reason = stage.graphs if isinstance(stage.graphs, Unavailable) else texts
            self._reason.setText(tr_said(reason.reason))
            self._body.setCurrentIndex(2)

    def _describe_quantities(self, stage: StageComparison) -> str:
        comparison, muted = self._comparison, self._theme.muted
        whole = () if comparison is None else (comparison.memory, comparison.times)
        title = tr("Of the stage {title}", title=tr_said(stage.pair.title))
        tables = [_table_of(title, stage.costs, muted)]
        tables += [
            _table_of(title, quantities, muted)
            for title, quantities in zip((tr("Memory"), tr("Measured time")), whole, strict=False)
        ]
        if comparison is not None and not comparison.times:
            tables.append(_list_of(tr("Measured time"), (comparison.times_missing,), muted))
        if comparison is not None:
            lines = describe_placements(comparison.placements)
            tables.append(_list_of(tr("Placement"), lines, muted))
            if placed := describe_node_placements(stage)[:_MOST_PLACED]:
                tables.append(_list_of(tr("On other devices, of this stage"), placed, muted))
        return "".join(tables)

    def _show_graphs(
        self, graphs: GraphComparison, stage: StageComparison, has_marks: bool
    ) -> None:
        sides = (
            (self.canvases[0], graphs.first, graphs.first_changes, stage.pair.first),
            (self.canvases[1], graphs.second, graphs.second_changes, stage.pair.second),
        )
        for canvas, graph, changes, title in sides:
            canvas.set_changes(changes if has_marks else None)
            if canvas.shown_graph is not graph:
                canvas.show_graph(graph, title)
        self._body.setCurrentIndex(0)

    def _show_texts(self, texts: TextDiff, has_marks: bool) -> None:
        self.texts.set_marks_shown(has_marks)
        if texts is not self._shown_texts:
            self._shown_texts = texts
            self.texts.set_diff(texts)
        self.texts.show_nodes(*self._chosen)
        self._body.setCurrentIndex(1)

    # --- choosing ---

    def _on_table_row_chosen(self, first: int, second: int) -> None:
        self._chosen = (first, second)
        for canvas, node in zip(self.canvases, self._chosen, strict=True):
            canvas.select_node(node)
        self.texts.show_nodes(first, second)

    def _on_texts_nodes_chosen(self, first: int, second: int) -> None:
        for side, node in enumerate((first, second)):
            if node != NONE:
                self._select_pair(side, node, None)
                return

    def _on_first_node_selected(self, node: int) -> None:
        self._select_pair(0, node, self.canvases[0])

    def _on_second_node_selected(self, node: int) -> None:
        self._select_pair(1, node, self.canvases[1])

    def _select_pair(self, side: int, node: int, source: QWidget | None) -> None:
        """Select a node's partner on the other side, and its row."""
        stage = self.shown_stage()
        if stage is None or not isinstance(stage.graphs, GraphComparison):
            return
        matching = stage.graphs.matching
        partners = matching.second_of_first if side == 0 else matching.first_of_second
        partner = int(partners[node]) if 0 <= node < len(partners) else NONE
        self._chosen = nodes = (node, partner) if side == 0 else (partner, node)
        for canvas, wanted in zip(self.canvases, nodes, strict=True):
            if canvas is not source:
                canvas.select_node(wanted)
        self.table.choose(side, node)
        if source is not None:
            self.texts.show_nodes(*nodes)


def _as_name(label: QLabel) -> QLabel:
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("role", "muted")
    label.setMinimumWidth(60)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label


def _describe_choice(stage: StageComparison) -> str:
    first, second = title_of_stage(stage.pair.first), title_of_stage(stage.pair.second)
    title = first if first == second else tr("{first} and {second}", first=first, second=second)
    if isinstance(stage.verdict, Unavailable):
        return tr("{title} — not compared", title=title)
    if stage.verdict:
        return tr("{title} — equal", title=title)
    changed, moved, added, removed = map(cell_text, stage_row(stage)[2:6])
    parts = [
        f"{count} {word}"
        for count, word in (
            (changed, tr("changed")),
            (moved, tr("moved")),
            (added, tr("added")),
            (removed, tr("removed")),
        )
        if count not in ("", "0")
    ]
    ends = describe_ends(stage.graphs) if isinstance(stage.graphs, GraphComparison) else ""
    told = tr_list(parts) or tr("differs in cost")
    return f"{title} — {told}; {tr_said(ends)}" if ends else f"{title} — {told}"


def _first_choice(comparison: Comparison, wanted: str) -> int:
    """Of the stages that differ, else of all that can be compared: the wanted one or the first."""
    for verdict in (False, True):
        found = [at for at, stage in enumerate(comparison.stages) if stage.verdict is verdict]
        if found:
            return next((at for at in found if comparison.stages[at].pair.key == wanted), found[0])
    return 0


def _list_of(title: str, lines: Sequence[str], muted: str) -> str:
    """Sentences under a title."""
    rows = "".join(
        f"<tr><td style='color:{muted}'>{escape_html(tr_said(line))}</td></tr>" for line in lines
    )
    return f"<table cellspacing='0' cellpadding='3'><tr><td>{title}</td></tr>{rows}</table>"


def _format_pair(quantity: QuantityDifference) -> str:
    before, after = (
        format_quantity(value, quantity.unit) for value in (quantity.before, quantity.after)
    )
    return "" if before == after == "unknown" else f"{before} → {after}"


def _table_of(title: str, quantities: tuple[QuantityDifference, ...], muted: str) -> str:
    """Quantities as rows: name, both numbers, what they mean."""
    rows = "".join(
        f"<tr><td><b>{escape_html(tr_said(quantity.name))}</b></td>"
        f"<td>{escape_html(_format_pair(quantity))}</td>"
        f"<td style='color:{muted}'>{escape_html(tr_said(quantity.meaning))}</td></tr>"
        for quantity in quantities
    )
    head = f"<tr><td colspan='3'>{escape_html(title)}</td></tr>"
    return f"<table cellspacing='0' cellpadding='3'>{head}{rows}</table>" if rows else ""
