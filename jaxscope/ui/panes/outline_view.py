"""The tree form of a stage: an outline of its graph for those who cannot or need not see it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QItemSelection, QModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from jaxscope.analysis.links import Linked
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE, Graph
from jaxscope.ui.panes.outline_model import OutlineModel
from jaxscope.ui.theme import Theme


class OutlineView(QTreeView):
    """Groups as branches; what is selected elsewhere is shown in its branch.

    Signals:
        node_chosen: Index of a node that a person chose; of a group, its own or its first.
        nodes_chosen: Indices of several, and whether they are chosen besides what is already.
        node_hovered: Index of the node under the pointer, or -1.
    """

    node_chosen = Signal(int)
    nodes_chosen = Signal(object, bool)
    node_hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes = OutlineModel(self)
        self.setModel(self.boxes)
        self.setAccessibleName("Outline of the graph")
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        self.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.entered.connect(self._on_entered)
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
        from jaxscope.analysis.view.build import build_view  # with the first outline

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

    def set_links(self, linked: Linked, preview: Linked, theme: Theme) -> None:
        """Colour the rows of linked boxes."""
        self.boxes.marks.set_theme(theme)
        self.boxes.set_links(linked, preview)
        self.viewport().update()

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

    def place_of(self, node: int) -> tuple[int, int] | None:
        """Top and bottom of a node's row, or of the closed branch that it is in."""
        row = self._row_of(node)
        return None if row is None else (row[0].top(), row[0].bottom() + 1)

    def span_of(self, node: int) -> tuple[int, int] | None:
        """Left and right of the name in that row."""
        row = self._row_of(node)
        if row is None:
            return None
        place, index = row
        width = self.fontMetrics().horizontalAdvance(index.data())
        return place.left(), place.left() + min(width, place.width())

    def _row_of(self, node: int) -> tuple[QRect, QModelIndex] | None:
        view = self.boxes.view
        if view is None or not 0 <= node < len(view.box_of_node):
            return None
        index = self.boxes.index_of_box(int(view.box_of_node[node]))
        while index.isValid():
            place = self.visualRect(index)
            if place.isValid():
                return place, index
            index = index.parent()
        return None

    def leaveEvent(self, event: QEvent) -> None:
        self.node_hovered.emit(NONE)
        super().leaveEvent(event)

    def _on_entered(self, index: QModelIndex) -> None:
        self.node_hovered.emit(self.boxes.node_at(index))

    def _on_selection_changed(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        if self._is_told:
            return
        adds = bool(QGuiApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier)
        if adds:
            self.nodes_chosen.emit(self._nodes_of(selected) or self._nodes_of(deselected), True)
            return
        nodes = self._nodes_of(self.selectionModel().selection())
        if len(nodes) == 1:
            self.node_chosen.emit(nodes[0])
        elif nodes:
            self.nodes_chosen.emit(nodes, False)

    def _nodes_of(self, selection: QItemSelection) -> list[int]:
        found = (self.boxes.node_at(index) for index in selection.indexes() if not index.column())
        return list(dict.fromkeys(node for node in found if node != NONE))
