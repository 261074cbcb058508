"""What XLA's passes did: a timeline, and the module before and after each, as texts and graphs."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QItemSelection, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSplitter,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from jaxscope.analysis.passes.listing import COUNTED, ESTIMATED, TIMED, why_no_peak
from jaxscope.analysis.passes.side_by_side import diff_pass_texts
from jaxscope.analysis.quantities import format_count
from jaxscope.model import Fate, PassRecord
from jaxscope.model.op_name import TagTable
from jaxscope.ui.pages.compare_text import DiffTextView
from jaxscope.ui.pages.pass_rows import (
    HEADERS,
    NUMERIC,
    RECEIVED,
    count_passes,
    is_telling,
    pass_numbers,
    pass_row,
    pass_searched,
    tell_most,
    tell_rest,
)
from jaxscope.ui.pages.result_table import ResultTable, choose_row
from jaxscope.ui.plain import escape_html
from jaxscope.ui.theme import BASE_POINTS, LIGHT, Theme

if TYPE_CHECKING:
    from jaxscope.ui.pages.pass_graphs import PassGraphs

_MAX_NAMES = 6
_NONE_YET = (
    "What XLA's optimizer does to the program, pass by pass. Recording compiles the program once "
    "more; then the fates of equations name the pass that decided them."
)


class PassesPage(QWidget):
    """`record_requested` asks for a run that records, `without_requested` for one without a pass,
    `equations_chosen` carries the equations of what was clicked in a graph.

    The page keeps nothing but what it shows.
    """

    record_requested = Signal()
    without_requested = Signal(str)
    equations_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._records: Sequence[PassRecord] = ()
        self._tags = TagTable()
        self._look = (LIGHT, BASE_POINTS)
        self._shown: list[int] = []
        self._places: dict[tuple[str, ...], int] = {}
        self._followed: frozenset[str] = frozenset()
        self._current = -1
        self._can_run = False
        self.heading = QLabel(_NONE_YET)
        self.heading.setWordWrap(True)
        self.record = QPushButton("Record the passes")
        self.record.clicked.connect(self._on_record_clicked)
        self.without = QPushButton("Compare without this pass")
        self.without.setToolTip(
            "Compiles the call once more with xla_disable_hlo_passes, wherever this pass runs, and "
            "shows both programs on the page Compare."
        )
        self.without.setEnabled(False)
        self.without.clicked.connect(self._on_without_clicked)
        self.filter = QLineEdit()
        self.filter.setPlaceholderText("Passes or text with …")
        self.filter.setAccessibleName("Show only passes whose name or text contains this")
        self.filter.setClearButtonEnabled(True)
        self.filter.textChanged.connect(self._fill)
        self.follow = QCheckBox("Only those that touched what is selected")
        self.follow.setEnabled(False)
        self.follow.toggled.connect(self._fill)
        self.fate = QLabel()
        self.fate.setWordWrap(True)
        self.fate.hide()
        self.table = ResultTable("Passes in their order")
        self.table.notice.clear_requested.connect(self._on_notice_clear_requested)
        self.table.selectionModel().selectionChanged.connect(self._on_table_selection_changed)
        self.title = QLabel()
        self.diff = DiffTextView()
        self.forms = QTabWidget()
        self._graphs_home = QWidget()
        self._build()
        self.forms.currentChanged.connect(self._on_forms_current_changed)

    def _build(self) -> None:
        top = QHBoxLayout()
        top.addWidget(self.heading, 1)
        top.addWidget(self.record)
        self._tools = QWidget()
        tools = QHBoxLayout(self._tools)
        tools.setContentsMargins(0, 0, 0, 0)
        tools.addWidget(self.filter, 1)
        tools.addWidget(self.follow)
        tools.addWidget(self.without)
        texts = QWidget()
        column = QVBoxLayout(texts)
        column.setContentsMargins(0, 4, 0, 0)
        column.addWidget(self.title)
        self.forms.setDocumentMode(True)
        self.forms.tabBar().setDrawBase(False)
        self.forms.addTab(self.diff, "Text")
        self.forms.addTab(self._graphs_home, "Graphs")
        QVBoxLayout(self._graphs_home).setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.forms, 1)
        self._split = QSplitter(Qt.Orientation.Vertical)
        self._split.setChildrenCollapsible(False)
        self._split.addWidget(self.table)
        self._split.addWidget(texts)
        self._split.setSizes([200, 400])
        layout = QVBoxLayout(self)
        layout.addLayout(top)
        layout.addWidget(self._tools)
        layout.addWidget(self.fate)
        layout.addWidget(self._split, 1)
        layout.addStretch(0)
        self._show_parts()

    @functools.cached_property
    def graphs(self) -> PassGraphs:
        """Made when graphs are first asked for."""
        from jaxscope.ui.pages.pass_graphs import PassGraphs  # loads the graph view

        graphs = PassGraphs()
        graphs.set_theme(*self._look)
        graphs.equations_chosen.connect(self.equations_chosen)
        layout = self._graphs_home.layout()
        assert layout is not None
        layout.addWidget(graphs)
        return graphs

    # --- showing ---

    def show_passes(
        self, records: Sequence[PassRecord], missing: str = "", tags: TagTable | None = None
    ) -> None:
        """Show recorded passes; or why there are none.

        Args:
            records: The module as XLA received it, then the passes.
            missing: A sentence for the reader, where passes were to be recorded and are not there.
            tags: What the tags in the records' modules stand for.
        """
        if records is self._records and not missing:
            return
        self._records, self._tags = records, tags or TagTable()
        if records:
            first, last = records[0], records[-1]
            self.heading.setText(
                f"{count_passes(records)} changed the "
                f"program: {first.num_instructions:,} instructions became "
                f"{last.num_instructions:,}, with {format_count(last.num_fusions, 'fusion')}."
                f"{tell_most(records)}{tell_rest(records)}"
            )
            self.heading.setToolTip(f"{COUNTED}\n\n{TIMED}\n\n{ESTIMATED}")
        else:
            self.heading.setText(missing or _NONE_YET)
        self._show_parts()
        self._fill()
        if records:
            choose_row(self.table, min(1, len(self._shown) - 1))

    def set_can_record(self, can_record: bool) -> None:
        """Whether there is a call that could be recorded now."""
        self.record.setEnabled(can_record)
        self._can_run = can_record
        self._fit_without()

    def follow_equations(
        self, ids: Iterable[str], title: str = "", fate: Fate | None = None
    ) -> None:
        """The person selected something.

        Args:
            ids: Equations of the last jaxpr-level stage that belong to it.
            title: What it is, such as `Equation 4 (mul)`.
            fate: Its fate, if it is an equation.
        """
        self._followed = frozenset(ids)
        known = any(self._touches(record) for record in self._records)
        self.follow.setEnabled(known)
        if not known and self.follow.isChecked():
            self.follow.setChecked(False)
        text = ""
        if fate is not None:
            by = f", decided by {fate.pass_name}" if fate.pass_name else ""
            mark = " (inferred)" if fate.certainty == "inferred" else ""
            text = f"{escape_html(title)}: <b>{fate.fate}</b>{mark}{by}. {escape_html(fate.text)}"
        self.fate.setText(text)
        self.fate.setVisible(bool(text))
        if "graphs" in vars(self):
            self.graphs.follow(self._followed)
        if self.follow.isChecked():
            self._fill()
        elif 0 <= self._current < len(self._records):
            self._tell(self._records[self._current])

    def set_theme(self, theme: Theme = LIGHT, points: float = BASE_POINTS) -> None:
        """Use a theme's colours and a size of type."""
        self._look = (theme, points)
        self.diff.set_theme(theme, points)
        self.table.fit()
        if "graphs" in vars(self):
            self.graphs.set_theme(theme, points)

    def choose(self, record: int) -> None:
        """Show a pass, by its place in the records."""
        if record in self._shown:
            choose_row(self.table, self._shown.index(record))

    def choose_dump(self, number: int) -> None:
        """Show the pass after which XLA wrote a dump, by the dump's number."""
        for place, record in enumerate(self._records):
            if record.number == number:
                self.filter.clear()
                self.follow.setChecked(False)
                self.choose(place)

    def _show_parts(self) -> None:
        has_any = bool(self._records)
        self._tools.setVisible(has_any)
        self._split.setVisible(has_any)

    def _fill(self) -> None:
        words = self.filter.text().strip().casefold()
        self._shown = [
            number
            for number, record in enumerate(self._records)
            if (words in pass_searched(record) if words else is_telling(record))
            and (not self.follow.isChecked() or self._touches(record))
        ]
        rows = [pass_row(self._records[number]) for number in self._shown]
        self._places = {row[:2]: number for row, number in zip(rows, self._shown, strict=True)}
        numbers = [pass_numbers(number, self._records[number]) for number in self._shown]
        hints = [self._hint(self._records[number]) for number in self._shown]
        why = [f"contains “{words}”"] if words else []
        why += ["touched what is selected"] if self.follow.isChecked() else []
        self.table.notice.say(f"No pass {' and '.join(why)}.", can_clear=bool(why))
        self.table.rows.set_rows(HEADERS, rows, NUMERIC, numbers, hints)
        self._show_texts(None)

    def _on_notice_clear_requested(self) -> None:
        self.follow.setChecked(False)
        self.filter.clear()

    def _on_table_selection_changed(
        self, selected: QItemSelection, _deselected: QItemSelection
    ) -> None:
        indexes = selected.indexes()
        if indexes:
            row = indexes[0].row()
            label = tuple(self.table.rows.index(row, column).data() for column in (0, 1))
            self._current = self._places[label]
            self._show_texts(self._records[self._current])

    def _show_texts(self, record: PassRecord | None) -> None:
        if record is None:
            self._current = -1
        self._fit_without()
        if record is None:
            self.title.setText("Choose a pass to see what it changed.")
            self.diff.set_diff(None)
            if "graphs" in vars(self):
                self.graphs.forget()
            return
        self._tell(record)
        self.diff.set_diff(diff_pass_texts(record.before, record.text))
        self._show_graphs()

    def _show_graphs(self) -> None:
        """Draw the modules around the current pass, if graphs are looked at."""
        if self.forms.currentWidget() is self._graphs_home and self._current >= 0:
            self.graphs.follow(self._followed)
            self.graphs.show_pass(self._records, self._current, self._tags)

    def _on_forms_current_changed(self, _index: int) -> None:
        self._show_graphs()

    def _tell(self, record: PassRecord) -> None:
        name = record.name or RECEIVED
        where = f" in {record.pipeline}" if record.pipeline else ""
        text = f"<b>{name}</b>{where}"
        if not record.before and not record.text:
            text += ": only names and annotations changed"
        elif record.name:
            text += ": before on the left, after on the right"
        touched = sorted(self._followed & record.carriers.keys())
        if touched:
            names = dict.fromkeys(name for id in touched for name in record.carriers[id])
            held = ", ".join(list(names)[:_MAX_NAMES]) or "nothing any more"
            text += f". What is selected is now held by {escape_html(held)}"
        self.title.setText(text + ".")

    def _touches(self, record: PassRecord) -> bool:
        return not self._followed.isdisjoint(record.carriers)

    def _hint(self, record: PassRecord) -> str:
        parts = []
        if record.ended:
            shown = ", ".join(record.ended[:12])
            more = len(record.ended) - 12
            rest = f" and {more} more" if more > 0 else ""
            parts.append(f"Since this pass no instruction carries the equations {shown}{rest}.")
        if self._touches(record):
            parts.append("It touched what is selected.")
        if reason := why_no_peak(record):
            parts.append(f"Peak memory: {reason}")
        return "\n".join(parts)

    def _fit_without(self) -> None:
        name = self._current_name()
        self.without.setEnabled(self._can_run and bool(name))
        self.without.setText(f"Compare without {name}" if name else "Compare without this pass")

    def _current_name(self) -> str:
        """Of the pass that is shown; empty for none and for what is no pass of a pipeline."""
        is_there = 0 <= self._current < len(self._records)
        record = self._records[self._current] if is_there else None
        return record.name if record is not None and record.pipeline else ""

    def _on_without_clicked(self) -> None:
        if name := self._current_name():
            self.without_requested.emit(name)

    def _on_record_clicked(self) -> None:
        self.record_requested.emit()
