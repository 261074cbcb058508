"""The tree form of a stage: an outline of its graph for those who cannot or need not see it."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE, Graph
from jaxscope.ui.panes.outline_model import OutlineModel


class OutlineView(QTreeView):
    """Groups as branches; what is selected elsewhere is shown in its branch.

    Signals:
        node_chosen: Index of a node that a person chose; of a group, its own or its first.
    """

    node_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes = OutlineModel(self)
        self.setModel(self.boxes)
        self.setAccessibleName("Outline of the graph")
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        self._graph: Graph | None = None
        self._is_told = False
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def set_graph(self, graph: Graph, view: View | None) -> None:
        """Show another graph.

        Args:
            graph: Of the stage.
            view: The graph's view where the graph is drawn already, else None.
        """
        if graph is self._graph and (view is None or view is self.boxes.view):
            return
        self._graph = graph
        is_fitting = view is not None and view.graph is graph
        self.boxes.set_view(view if is_fitting else build_view(graph))
        shown = self.boxes.view
        assert shown is not None
        for number, box in enumerate(shown.boxes):
            if box.id in shown.opened:
                self.setExpanded(self.boxes.index_of_box(number), True)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnWidth(0, max(self.viewport().width() * 11 // 20, 120))

    def choose(self, node: int | None) -> None:
        """Select a node's row without telling anybody; None selects nothing."""
        view = self.boxes.view
        self._is_told = True
        if view is None or node is None or not 0 <= node < len(view.box_of_node):
            self.clearSelection()
        else:
            index = self.boxes.index_of_box(int(view.box_of_node[node]))
            if index.isValid() and index != self.currentIndex():
                self.setCurrentIndex(index)
                self.scrollTo(index)
        self._is_told = False

    def _on_selection_changed(self, selected: QItemSelection, _deselected: QItemSelection) -> None:
        indexes = selected.indexes()
        if indexes and not self._is_told:
            node = self.boxes.node_at(indexes[0])
            if node != NONE:
                self.node_chosen.emit(node)
