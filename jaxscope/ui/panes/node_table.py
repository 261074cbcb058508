"""A stage's nodes as a table over the graph's columns: nothing is copied per node."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QBrush

from jaxscope.analysis.links import NO_LINKED, Linked
from jaxscope.analysis.quantities import format_bytes, format_flops, format_seconds
from jaxscope.model import Graph, NodeKind, Ragged
from jaxscope.ui.panes.column_filters import NUMBERS, Mask, find_passing
from jaxscope.ui.panes.row_marks import RowMarks

Index = QModelIndex | QPersistentModelIndex
Int32s = npt.NDArray[np.int32]

_NO_INDEX = QModelIndex()
_LEFT = Qt.AlignmentFlag.AlignLeft


def _known(text: str, value: float) -> str:
    return "" if math.isnan(value) else text


def _place(graph: Graph, row: int) -> str:
    positions = graph.source(row)
    if not positions:
        return ""
    return f"{positions[0].file.rsplit('/', 1)[-1]}:{positions[0].line}"


_COLUMNS: Sequence[tuple[str, Callable[[Graph, int], str]]] = (
    ("id", lambda graph, row: graph.string(graph.nodes.id, row)),
    ("operation", lambda graph, row: graph.string(graph.nodes.operation, row)),
    ("kind", lambda graph, row: NodeKind(int(graph.nodes.kind[row])).name.lower()),
    ("type", lambda graph, row: ", ".join(graph.row(graph.nodes.types, row))),
    ("FLOPs", lambda graph, row: _known(format_flops(graph.nodes.cost[row, 0]),
                                        graph.nodes.cost[row, 0])),
    ("memory traffic", lambda graph, row: _known(format_bytes(graph.nodes.cost[row, 1]),
                                                 graph.nodes.cost[row, 1])),
    ("time", lambda graph, row: _known(format_seconds(graph.nodes.seconds[row]),
                                       graph.nodes.seconds[row])),
    ("direction", lambda graph, row: ("", "forward", "backward")[graph.nodes.direction[row]]),
    ("comes from", lambda graph, row: ", ".join(graph.row(graph.nodes.origins, row))),
    ("source", _place),
    ("scope", lambda graph, row: "/".join(graph.row(graph.nodes.scope, row))),
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
        """Colour the rows of linked nodes, and faintly of those looked at ahead."""
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

    def rowCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = _NO_INDEX) -> int:
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return HEADERS[section]
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
