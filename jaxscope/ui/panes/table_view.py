"""The table form of a stage."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, Signal
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from jaxscope.model import Graph
from jaxscope.ui.panes.node_table import NodeTableModel

_WIDTHS_EM = (9, 11, 9, 14, 9, 11, 8, 8, 9, 12, 16)


class NodeTableView(QTableView):
    """Sortable rows of nodes; `node_chosen` carries the index of a node that a person chose."""

    node_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.nodes = NodeTableModel(self)
        self.setModel(self.nodes)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setAlternatingRowColors(True)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setSortingEnabled(True)
        self.horizontalHeader().setSortIndicatorClearable(True)
        self.sortByColumn(-1, self.horizontalHeader().sortIndicatorOrder())
        self.horizontalHeader().setStretchLastSection(True)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.setAccessibleName("Nodes of the stage")
        self._is_told = False
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)
        self.fit()

    def fit(self) -> None:
        """Size rows and columns for the present font."""
        em = self.fontMetrics().horizontalAdvance("n")
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        for column, width in enumerate(_WIDTHS_EM):
            self.setColumnWidth(column, width * em)

    def set_graph(self, graph: Graph) -> None:
        """Show another graph."""
        self.nodes.set_graph(graph)

    def choose(self, node: int | None) -> None:
        """Select a node's row without telling anybody; None selects nothing."""
        self._is_told = True
        row = -1 if node is None else self.nodes.row_of(node)
        if row < 0:
            self.clearSelection()
        elif not self.selectionModel().isRowSelected(row):
            self.selectRow(row)
            self.scrollTo(self.nodes.index(row, 0))
        self._is_told = False

    def _on_selection_changed(self, selected: QItemSelection, _deselected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_told:
            self.node_chosen.emit(self.nodes.node_at(indexes[0].row()))
