"""The table form of a stage."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QItemSelection, QItemSelectionModel, QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView, QWidget

from jaxscope.analysis.links import Linked
from jaxscope.model import NONE, Graph
from jaxscope.ui.empty_notice import EmptyNotice
from jaxscope.ui.panes.filter_header import FilterHeader
from jaxscope.ui.panes.node_table import HEADERS, NodeTableModel
from jaxscope.ui.panes.row_painting import RowPainter
from jaxscope.ui.theme import Theme

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
        self.setAccessibleName("Nodes of the stage")
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
            self.setColumnWidth(column, max(width * em, least))

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
        text = f"Nothing matches {' and '.join(wanted)}." if wanted else "This stage has no nodes."
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
            problem = str(error)
        self.filters.show_problem(column, problem)

    def set_links(self, linked: Linked, preview: Linked, theme: Theme) -> None:
        """Colour the rows of linked nodes."""
        self.nodes.marks.set_theme(theme)
        self.nodes.set_links(linked, preview)
        self.viewport().update()

    def choose(self, nodes: Sequence[int]) -> None:
        """Select nodes' rows without telling anybody, and bring the first into sight."""
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
