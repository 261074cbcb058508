"""The table form of a stage: one row per node, filtered per column and sorted by permuting an array
of node indices.

Nothing is copied per node: the model reads the graph's columns. `RowPainter` paints cells itself,
because Qt's own way asks the model for eight values per cell, each through Python. `find_passing`
evaluates a column filter: text, regular expression or number.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QBrush, QColor, QGuiApplication, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from jaxscope.model import NONE, Direction, Graph, NodeKind, Ragged
from jaxscope.model.graph import Int32s, distinct
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.program.links import NO_LINKED, Linked
from jaxscope.program.search import COMPARISONS, SCALES, compile_typed
from jaxscope.ui.source.code_view import PREVIEW_STRENGTH
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.theme import LIGHT, Theme
from jaxscope.ui.toolkit.widgets import NO_INDEX, RESIZING, EmptyNotice, Index, restyle

_FORWARD, _BACKWARD, _SELECTED, _AHEAD = 1, 2, 4, 8


class RowMarks:
    """One byte per row; a brush per kind of mark, made once per theme."""

    def __init__(self) -> None:
        self._marks: npt.NDArray[np.uint8] = np.zeros(0, np.uint8)
        self._theme = LIGHT
        self._brushes = _brushes(LIGHT)

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        if theme is not self._theme:
            self._theme, self._brushes = theme, _brushes(theme)

    def set_links(
        self,
        num_rows: int,
        linked: Linked,
        preview: Linked,
        row_of_node: npt.NDArray[np.int32] | None = None,
    ) -> None:
        """Mark rows.

        Args:
            num_rows: How many there are.
            linked: Nodes of the selection.
            preview: Nodes that are looked at ahead.
            row_of_node: Row of each node, -1 for none; None where a node's index is its row.
        """
        self._marks = np.zeros(num_rows, np.uint8)
        for nodes, mark in (
            (linked.forward, _FORWARD),
            (linked.backward, _BACKWARD),
            (linked.selected, _SELECTED),
            (preview.forward, _FORWARD | _AHEAD),
            (preview.backward, _BACKWARD | _AHEAD),
        ):
            rows = nodes if row_of_node is None else row_of_node[nodes[nodes < len(row_of_node)]]
            rows = rows[(rows >= 0) & (rows < num_rows)]
            if mark & _AHEAD:
                rows = rows[self._marks[rows] == 0]
            self._marks[rows] = mark

    def brush(self, row: int) -> QBrush | None:
        """The ground of a row, or None for the usual one."""
        mark = int(self._marks[row]) if 0 <= row < len(self._marks) else 0
        return self._brushes.get(mark)


def _brushes(theme: Theme) -> dict[int, QBrush]:
    brushes = {}
    for mark, name in (
        (_FORWARD, theme.forward_soft),
        (_BACKWARD, theme.backward_soft),
        (_SELECTED, theme.selected_soft),
    ):
        faint = QColor(name)
        faint.setAlphaF(PREVIEW_STRENGTH)
        brushes[mark], brushes[mark | _AHEAD] = QBrush(QColor(name)), QBrush(faint)
    return brushes


Mask = npt.NDArray[np.bool_]

_NUMBER = re.compile(
    r"\s*(?P<compare><=|>=|<|>|=)?\s*(?P<value>\d+(?:\.\d*)?(?:e[+-]?\d+)?)\s*"
    r"(?P<scale>ns|us|µs|ms|[kmgt])?i?(?:b|s|flop|flops)?\s*",
    re.IGNORECASE,
)
_SCALES = {**SCALES, "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3}
_COMPARE: dict[str, Callable[[npt.NDArray[np.float64], float], Mask]] = {
    **COMPARISONS,
    "=": operator.eq,
}

NUMBERS = ("FLOPs", "memory traffic", "time")
"""Columns of numbers: a filter such as `>1M` compares; without a sign it means at least."""


def find_passing(graph: Graph, column: str, text: str) -> Mask:
    """Which nodes a column's filter lets through.

    A text is looked for in the cell, in any case; `-text` lets through what lacks it; `/text/` is
    a regular expression. Unknown numbers pass no comparison.

    Args:
        column: One of the table's headers.
        text: What was typed.

    Raises:
        ValueError: It cannot be understood, or takes too long.
    """
    wanted = text.strip()
    if not wanted:
        return np.ones(len(graph.nodes), bool)
    if column in NUMBERS:
        return _compare(_numbers_of(graph, column), wanted)
    if len(wanted) > 1 and wanted.startswith("-"):
        return ~_find_text(graph, column, _matcher(wanted[1:]))
    return _find_text(graph, column, _matcher(wanted))


def _numbers_of(graph: Graph, column: str) -> npt.NDArray[np.float64]:
    nodes = graph.nodes
    found = {"FLOPs": nodes.cost[:, 0], "memory traffic": nodes.cost[:, 1], "time": nodes.seconds}
    return found[column].astype(np.float64)


def _compare(values: npt.NDArray[np.float64], text: str) -> Mask:
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ValueError(tr("Type a number such as 1000, >1M or <10us."))
    limit = float(match["value"]) * _SCALES[(match["scale"] or "").lower()]
    return _COMPARE[match["compare"] or ">="](values, limit)


def _matcher(text: str) -> Callable[[str], bool]:
    if len(text) > 2 and text.startswith("/") and text.endswith("/"):
        return compile_typed(text[1:-1])
    wanted = text.casefold()
    return lambda cell: wanted in cell.casefold()


def _find_text(graph: Graph, column: str, matches: Callable[[str], bool]) -> Mask:
    nodes = graph.nodes
    if column == "kind":
        table = np.asarray([matches(kind.name.lower()) for kind in NodeKind])
        return _by_value(table, [int(kind) for kind in NodeKind], nodes.kind)
    if column == "direction":
        names = {Direction.NONE: "", Direction.FORWARD: "forward", Direction.BACKWARD: "backward"}
        table = np.asarray([matches(names[each]) for each in names])
        return _by_value(table, [int(each) for each in names], nodes.direction)
    if column == "source":
        return _find_places(graph, matches)
    known = {"id": nodes.id, "operation": nodes.operation}
    if column in known:
        return _matching(graph, known[column], matches)[known[column]]
    ragged: Ragged = {"type": nodes.types, "comes from": nodes.origins, "scope": nodes.scope}[
        column
    ]
    found = np.zeros(len(nodes), bool)
    found[ragged.row_numbers()[_matching(graph, ragged.values, matches)[ragged.values]]] = True
    if column == "comes from":
        for row in np.flatnonzero(nodes.kind == int(NodeKind.INPUT)).tolist():
            found[row] |= matches(_name_of_argument(graph, row))
    return found


def _by_value(table: Mask, values: list[int], column: npt.NDArray[np.integer]) -> Mask:
    wanted = [value for value, is_match in zip(values, table, strict=True) if is_match]
    found: Mask = np.isin(column, wanted)
    return found


def _matching(graph: Graph, used: npt.NDArray[np.integer], matches: Callable[[str], bool]) -> Mask:
    """Which strings match; only those that a column uses are looked at, each once."""
    found = np.zeros(len(graph.strings) + 1, bool)
    for number in distinct(used).tolist():
        if number >= 0:
            found[number] = matches(graph.strings[number])
    return found


def _find_places(graph: Graph, matches: Callable[[str], bool]) -> Mask:
    source = graph.nodes.source
    found = np.zeros(len(graph.nodes), bool)
    filled = np.flatnonzero(source.lengths() > 0)
    if not len(filled):
        return found
    start = source.offsets[:-1][filled]
    places = np.stack([source.values[start], source.values[start + 1]], axis=1)
    each, back = np.unique(places, axis=0, return_inverse=True)
    hits = np.asarray(
        [
            matches(f"{graph.strings[file].rsplit('/', 1)[-1]}:{line}")
            for file, line in each.tolist()
        ]
    )
    found[filled] = hits[back.reshape(-1)]
    return found


_LEFT = Qt.AlignmentFlag.AlignLeft


def _known(text: str, value: float) -> str:
    return "" if math.isnan(value) else text


def _place(graph: Graph, row: int) -> str:
    place = graph.place(row)
    return place.short if place else ""


def _name_of_argument(graph: Graph, row: int) -> str:
    """Where an argument sits in those of the call, such as `params['w']`; else empty."""
    if graph.nodes.kind[row] != int(NodeKind.INPUT):
        return ""
    attributes = graph.attributes(row)
    return attributes.get("path") or attributes.get("argument_name") or ""


_COLUMNS: Sequence[tuple[str, Callable[[Graph, int], str]]] = (
    ("id", lambda graph, row: graph.id(row)),
    ("operation", lambda graph, row: graph.operation(row)),
    ("kind", lambda graph, row: NodeKind(int(graph.nodes.kind[row])).name.lower()),
    ("type", lambda graph, row: ", ".join(graph.types(row))),
    ("FLOPs", lambda graph, row: _known(format_flops(graph.nodes.cost[row, 0]),
                                        graph.nodes.cost[row, 0])),
    ("memory traffic", lambda graph, row: _known(format_bytes(graph.nodes.cost[row, 1]),
                                                 graph.nodes.cost[row, 1])),
    ("time", lambda graph, row: _known(format_seconds(graph.nodes.seconds[row]),
                                       graph.nodes.seconds[row])),
    ("direction", lambda graph, row: ("", "forward", "backward")[graph.nodes.direction[row]]),
    ("comes from", lambda graph, row: ", ".join(graph.origins(row))
                                      or _name_of_argument(graph, row)),
    ("source", _place),
    ("scope", lambda graph, row: "/".join(graph.scope(row))),
)  # fmt: skip
HEADERS: tuple[str, ...] = tuple(name for name, _ in _COLUMNS)


class NodeTableModel(QAbstractTableModel):
    """The nodes of one graph, filtered and sorted by permuting an array of node indices."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks = RowMarks()
        self._graph: Graph | None = None
        self._rows: Int32s = np.zeros(0, np.int32)
        self._filter: Int32s | None = None
        self._passing: dict[int, Mask] = {}
        self._sort: tuple[int, Qt.SortOrder] = (-1, Qt.SortOrder.AscendingOrder)

    def set_graph(self, graph: Graph | None) -> None:
        """Show another graph, all of it; the order stays."""
        self.beginResetModel()
        self._graph, self._filter = graph, None
        self._passing = {}
        self.marks.set_links(0, NO_LINKED, NO_LINKED)
        self._arrange()
        self.endResetModel()

    def set_filter(self, nodes: Int32s | None) -> None:
        """Show only these nodes; None shows all."""
        self.beginResetModel()
        self._filter = nodes
        self._arrange()
        self.endResetModel()

    def set_column_filter(self, column: int, text: str) -> None:
        """Show only nodes whose cell of a column passes a filter; empty lets all pass.

        Raises:
            ValueError: The filter cannot be understood; what is shown stays.
        """
        if self._graph is None:
            return
        passing = find_passing(self._graph, HEADERS[column], text) if text.strip() else None
        self.beginResetModel()
        self._passing.pop(column, None)
        if passing is not None:
            self._passing[column] = passing
        self._arrange()
        self.endResetModel()

    def set_links(self, linked: Linked, preview: Linked) -> None:
        """Colour the rows of linked nodes, and faintly those of the preview."""
        self.marks.set_links(0 if self._graph is None else len(self._graph.nodes), linked, preview)

    def nodes_between(self, top: int, bottom: int) -> list[int]:
        """Node indices of rows, the last one included."""
        found: list[int] = self._rows[top : bottom + 1].tolist()
        return found

    def node_at(self, row: int) -> int:
        """Node index of a row."""
        return int(self._rows[row])

    def row_of(self, node: int) -> int:
        """Row of a node, or -1 where the filter hides it."""
        found = np.flatnonzero(self._rows == node)
        return int(found[0]) if len(found) else -1

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(HEADERS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            side = Qt.AlignmentFlag.AlignRight if self.is_number(section) else _LEFT
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def text_of(self, row: int, column: int) -> str:
        """What stands in a cell."""
        return (
            "" if self._graph is None else _COLUMNS[column][1](self._graph, self.node_at(row))[:500]
        )

    def brush_of(self, row: int) -> QBrush | None:
        """The ground of a row that is linked, else None."""
        return self.marks.brush(self.node_at(row))

    def is_number(self, column: int) -> bool:
        """Whether a column's cells stand at the right."""
        return HEADERS[column] in NUMBERS

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._graph is None or not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return self.text_of(index.row(), index.column())
        if role == Qt.ItemDataRole.BackgroundRole:
            return self.brush_of(index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole and self.is_number(index.column()):
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        self.layoutAboutToBeChanged.emit()
        self._sort = (column, order)
        self._arrange()
        self.layoutChanged.emit()

    def _arrange(self) -> None:
        if self._graph is None:
            self._rows = np.zeros(0, np.int32)
            return
        rows = np.arange(len(self._graph.nodes), dtype=np.int32)
        if self._filter is not None:
            rows = self._filter[self._filter < len(rows)]
        for passing in self._passing.values():
            rows = rows[passing[rows]]
        column, order = self._sort
        if column >= 0:
            keys = _sort_keys(self._graph, column)[rows]
            rows = rows[np.argsort(keys, kind="stable")]
            if order == Qt.SortOrder.DescendingOrder:
                rows = rows[::-1]
        self._rows = rows


def _sort_keys(graph: Graph, column: int) -> npt.NDArray[np.float64]:
    """Numbers in the order of a column; unknown costs stand below all known ones."""
    nodes, name = graph.nodes, HEADERS[column]
    numeric: dict[str, npt.NDArray[Any]] = {
        "FLOPs": nodes.cost[:, 0],
        "memory traffic": nodes.cost[:, 1],
        "time": nodes.seconds,
        "kind": nodes.kind,
        "direction": nodes.direction,
        "id": np.arange(len(nodes)),
    }
    if name in numeric:
        keys: npt.NDArray[np.float64] = np.nan_to_num(numeric[name].astype(np.float64), nan=-1.0)
        return keys
    if name == "operation":
        strings = nodes.operation
    else:
        ragged: Ragged = {"type": nodes.types, "comes from": nodes.origins,
                          "scope": nodes.scope, "source": nodes.source}[name]  # fmt: skip
        if name == "source":
            return _source_keys(nodes.source)
        strings = _first_values(ragged)
    order = np.argsort(np.argsort(np.asarray(["", *graph.strings], dtype=object), kind="stable"))
    return order[strings + 1].astype(np.float64)


def _first_values(ragged: Ragged) -> Int32s:
    first = np.full(len(ragged), -1, np.int32)
    filled = ragged.lengths() > 0
    first[filled] = ragged.values[ragged.offsets[:-1][filled]]
    return first


def _source_keys(source: Ragged) -> npt.NDArray[np.float64]:
    keys = np.full(len(source), -1.0)
    filled = source.lengths() > 0
    start = source.offsets[:-1][filled]
    keys[filled] = source.values[start] * 1e7 + source.values[start + 1]
    return keys


# Paints a table's cells: Qt's own way asks for eight things per cell, each through Python.


_MARGIN_PX = 4


class RowPainter(QStyledItemDelegate):
    """Draws the ground and the text of a cell of a `NodeTableModel`, and nothing else."""

    def __init__(self, model: NodeTableModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        rect: QRect = option.rect
        palette: QPalette = option.palette
        state: QStyle.StateFlag = option.state
        row, column = index.row(), index.column()
        brush = self._model.brush_of(row)
        if brush is not None:
            painter.fillRect(rect, brush)
        elif state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, palette.highlight())
        elif row % 2:
            painter.fillRect(rect, palette.alternateBase())
        text = self._model.text_of(row, column)
        if not text:
            return
        is_number = self._model.is_number(column)
        side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
        painter.setPen(palette.text().color())
        inner = rect.adjusted(_MARGIN_PX, 0, -_MARGIN_PX, 0)
        metrics = option.fontMetrics
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, int(side | Qt.AlignmentFlag.AlignVCenter), text)


_HELP = (
    "Only rows whose cell contains this. -text: that do not; /text/: a regular expression; "
    "numbers compare: >1M, <10us."
)


class FilterHeader(QHeaderView):
    """`filter_edited` carries a column and what was typed for it."""

    filter_edited = Signal(int, str)

    def __init__(self, table: QTableView) -> None:
        super().__init__(Qt.Orientation.Horizontal, table)
        self.fields: list[QLineEdit] = []
        self._known_px = 0
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.sectionResized.connect(self._place_fields)
        table.horizontalScrollBar().valueChanged.connect(self._place_fields)

    def add_fields(self, titles: tuple[str, ...]) -> None:
        """Make a field for each column."""
        for column, title in enumerate(titles):
            field = QLineEdit(self, placeholderText=tr("filter"), clearButtonEnabled=True)
            field.setProperty("role", "compact")
            field.setAccessibleName(tr("Filter by {title}", title=title))
            field.setToolTip(tr(_HELP))
            field.setProperty("column", column)
            field.textChanged.connect(self._on_field_text_changed)
            self.fields.append(field)
        self._place_fields()

    def show_problem(self, column: int, problem: str) -> None:
        """Say that a filter cannot be understood; empty that it can."""
        field = self.fields[column]
        field.setToolTip(problem or tr(_HELP))
        field.setAccessibleDescription(problem)
        if field.property("problem") != ("true" if problem else "false"):
            field.setProperty("problem", "true" if problem else "false")
            restyle(field)

    def clear(self) -> None:
        """Let everything through."""
        for field in self.fields:
            field.clear()

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        size.setHeight(size.height() + self._field_px())
        return size

    def updateGeometries(self) -> None:
        self.setViewportMargins(0, 0, 0, self._field_px())
        super().updateGeometries()
        self._place_fields()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in RESIZING:
            self._known_px = 0

    def _field_px(self) -> int:
        """Asked for at every layout; finding it out takes Qt a while."""
        if not self._known_px and self.fields:
            self._known_px = self.fields[0].sizeHint().height() + 2
        return self._known_px

    def _place_fields(self) -> None:
        top = self.height() - self._field_px()
        for column, field in enumerate(self.fields):
            left = self.sectionPosition(column) - self.offset()
            field.setGeometry(left, top, self.sectionSize(column), self._field_px() - 2)

    def _on_field_text_changed(self, text: str) -> None:
        field = self.sender()
        if isinstance(field, QLineEdit):
            self.filter_edited.emit(field.property("column"), text)


_WIDTHS_EM = (9, 11, 9, 14, 9, 11, 8, 8, 9, 12, 16)
_WIDEST = {"FLOPs": "8,888 MFLOP", "memory traffic": "8,888 MiB", "time": "8,888 ms"}
"""Numbers are compared by eye: a column has room for the longest."""
_PADDING_PX = 12
_MAX_CHOSEN_ROWS = 500
"""More rows are coloured, not selected one by one."""


class NodeTableView(QTableView):
    """Sortable rows of nodes.

    Signals:
        node_chosen: Index of the node that a person chose.
        nodes_chosen: Indices of several, and whether they are chosen besides what is already.
        node_hovered: Index of the node under the pointer, or -1.
        search_dismissed: Every node is to be shown again, whatever is looked for.
    """

    node_chosen = Signal(int)
    nodes_chosen = Signal(object, bool)
    node_hovered = Signal(int)
    search_dismissed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.nodes = NodeTableModel(self)
        self.filters = FilterHeader(self)
        self.setHorizontalHeader(self.filters)
        self.setModel(self.nodes)
        self.setItemDelegate(RowPainter(self.nodes, self))
        self.filters.add_fields(HEADERS)
        self.filters.filter_edited.connect(self._on_filter_edited)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.sortByColumn(-1, self.horizontalHeader().sortIndicatorOrder())
        self.horizontalHeader().setStretchLastSection(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName(tr("Nodes of the stage"))
        self.setMouseTracking(True)
        self.entered.connect(self._on_entered)
        self._is_told = False
        self._searched = ""
        self.notice = EmptyNotice(self, "")
        self.notice.clear_requested.connect(self._on_notice_clear_requested)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.fit()

    def fit(self) -> None:
        """Size rows and columns for the present font."""
        em = self.fontMetrics().horizontalAdvance("n")
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        for column, (title, width) in enumerate(zip(HEADERS, _WIDTHS_EM, strict=True)):
            least = self.fontMetrics().horizontalAdvance(_WIDEST.get(title, "")) + _PADDING_PX
            own = self.filters.sectionSizeHint(column)
            self.setColumnWidth(column, max(width * em, least, own))

    def set_graph(self, graph: Graph) -> None:
        """Show another graph, through the same filters."""
        self.nodes.set_graph(graph)
        for column, field in enumerate(self.filters.fields):
            if field.text():
                self._on_filter_edited(column, field.text())

    def set_search(self, text: str, nodes: npt.NDArray[np.int32] | None) -> None:
        """Show only the nodes that a search of the pane found; None shows all."""
        self._searched = text if nodes is not None else ""
        self._explain_emptiness()
        self.nodes.set_filter(nodes)

    def _explain_emptiness(self) -> None:
        """Say what hides rows, should there be none."""
        wanted = [f"“{self._searched}”"] if self._searched else []
        fields = zip(HEADERS, self.filters.fields, strict=True)
        wanted += [f"{title} “{field.text().strip()}”" for title, field in fields if field.text()]
        text = (
            tr("Nothing matches {wanted}.", wanted=" and ".join(wanted))
            if wanted
            else tr("This stage has no nodes.")
        )
        self.notice.say(text, can_clear=bool(wanted))

    def _on_notice_clear_requested(self) -> None:
        self.filters.clear()
        self.search_dismissed.emit()

    def _on_filter_edited(self, column: int, text: str) -> None:
        self._explain_emptiness()
        problem = ""
        try:
            self.nodes.set_column_filter(column, text)
        except ValueError as error:
            problem = tr_said(error.args[0])
        self.filters.show_problem(column, problem)

    def set_links(self, linked: Linked, preview: Linked, theme: Theme) -> None:
        """Colour the rows of linked nodes."""
        self.nodes.marks.set_theme(theme)
        self.nodes.set_links(linked, preview)
        self.viewport().update()

    def choose(self, nodes: Sequence[int]) -> None:
        """Select nodes' rows without a signal, and bring the first into sight."""
        rows = [row for node in nodes[:_MAX_CHOSEN_ROWS] if (row := self.nodes.row_of(node)) >= 0]
        if rows == [index.row() for index in self.selectionModel().selectedRows()]:
            return
        self._is_told = True
        chosen = QItemSelection()
        for row in rows:
            chosen.select(self.nodes.index(row, 0), self.nodes.index(row, 0))
        flags = QItemSelectionModel.SelectionFlag
        self.selectionModel().select(chosen, flags.ClearAndSelect | flags.Rows)
        if rows:
            self.scrollTo(self.nodes.index(rows[0], 0))
        self._is_told = False

    def leaveEvent(self, event: QEvent) -> None:
        self.node_hovered.emit(NONE)
        super().leaveEvent(event)

    def _on_entered(self, index: QModelIndex) -> None:
        self.node_hovered.emit(self.nodes.node_at(index.row()))

    def place_of(self, node: int) -> tuple[int, int] | None:
        """Top and bottom of a node's row; None where it has none."""
        row = self.nodes.row_of(node)
        if row < 0:
            return None
        top = self.rowViewportPosition(row)
        return top, top + self.rowHeight(row)

    def span_of(self, node: int) -> tuple[int, int] | None:
        """Left and right of the first cell of that row."""
        row = self.nodes.row_of(node)
        if row < 0:
            return None
        cell = self.visualRect(self.nodes.index(row, 0))
        return cell.left(), cell.right() + 1

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if self._is_told:
            return
        adds = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        nodes = self._nodes_of(selected)
        if adds:
            self.nodes_chosen.emit(nodes or self._nodes_of(deselected), True)
            return
        nodes = self._nodes_of(self.selectionModel().selection())
        if len(nodes) == 1:
            self.node_chosen.emit(nodes[0])
        elif nodes:
            self.nodes_chosen.emit(nodes, False)

    def _nodes_of(self, selection: QItemSelection) -> list[int]:
        ranges = [selection.at(number) for number in range(selection.count())]
        found = [self.nodes.nodes_between(each.top(), each.bottom()) for each in ranges]
        return list(dict.fromkeys(node for nodes in found for node in nodes))
