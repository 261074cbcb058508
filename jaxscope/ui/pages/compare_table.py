"""The differences of a stage as a table; a row selects the node on both sides."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelection,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from jaxscope.analysis.comparison.changes import Change, GraphComparison
from jaxscope.analysis.comparison.details import find_differences, name_node
from jaxscope.analysis.comparison.marks import STYLES
from jaxscope.model import NONE, Graph
from jaxscope.ui.empty_notice import EmptyNotice
from jaxscope.ui.pages.result_table import choose_row

_COLUMNS = ("", "first", "second", "what differs")
_WIDTHS_EM = (12, 32, 32, 24)
_Index = QModelIndex | QPersistentModelIndex


class DifferencesModel(QAbstractTableModel):
    """One row per node that differs; texts are made when they are looked at."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._graphs: GraphComparison | None = None
        self._rows: list[tuple[Change, int, int]] = []
        self._is_dark = False

    @property
    def comparison(self) -> GraphComparison | None:
        """What is shown."""
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

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        return 0 if parent.isValid() else len(_COLUMNS)

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> Any:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return _COLUMNS[section]
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
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
            return f"{style.sign}  {style.name}"
        if index.column() == 1:
            return _describe_node(graphs.first, first)
        if index.column() == 2:
            return _describe_node(graphs.second, second)
        return "; ".join(map(str, find_differences(graphs, first, second)))


def _describe_node(graph: Graph, node: int) -> str:
    if node == NONE:
        return ""
    types = ", ".join(graph.row(graph.nodes.types, node))
    return f"{name_node(graph, node)} : {types}" if types else name_node(graph, node)


class DifferencesView(QTableView):
    """The table; `row_chosen` carries the nodes of a row that a person chose."""

    row_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows = DifferencesModel(self)
        self.setModel(self.rows)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setDefaultAlignment(
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        )
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Differences")
        self.notice = EmptyNotice(self, "No difference is listed for this stage.")
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
        """Select the row of a node without telling anybody."""
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
