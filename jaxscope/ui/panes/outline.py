"""The outline form of a stage: its groups and nodes as a tree, for those who cannot or need not see
the graph.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QItemSelection,
    QModelIndex,
    QObject,
    QRect,
    Qt,
    Signal,
)
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QWidget

from jaxscope.model import NONE, Graph
from jaxscope.model.said import BOTH, say_joined
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.links import NO_LINKED, Linked
from jaxscope.ui.panes.node_table import RowMarks
from jaxscope.ui.toolkit.language import tr, tr_list, tr_said
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import NO_INDEX, Index

# The boxes of a view as a tree, read when they are looked at.


HEADERS = ("name", "value")


class OutlineModel(QAbstractItemModel):
    """The same boxes as the graph's, as rows within rows; an index carries its box's number."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.marks = RowMarks()
        self._view: View | None = None

    def set_view(self, view: View | None) -> None:
        """Show another view."""
        self.beginResetModel()
        self._view = view
        self.marks.set_links(0, NO_LINKED, NO_LINKED)
        self.endResetModel()

    @property
    def view(self) -> View | None:
        """What is shown."""
        return self._view

    def take_view(self, view: View) -> None:
        """Know the same boxes of a graph that got costs or links since: all rows stay."""
        self._view = view

    def set_links(self, linked: Linked, preview: Linked) -> None:
        """Colour the rows of linked boxes, and faintly those of the preview."""
        if self._view is not None:
            boxes = self._view.box_of_node
            self.marks.set_links(len(self._view.boxes), linked, preview, boxes)

    def index_of_box(self, box: int) -> QModelIndex:
        """The index of a box; an invalid one for the root."""
        if self._view is None or not ROOT < box < len(self._view.boxes):
            return QModelIndex()
        siblings = self._view.boxes[int(self._view.boxes.parent[box])].children  # rising
        return self.createIndex(bisect.bisect_left(siblings, box), 0, box)

    def box_at(self, index: Index) -> int:
        """The box of an index."""
        return int(index.internalId()) if index.isValid() else ROOT

    def node_at(self, index: Index) -> int:
        """The node that a row stands for: its own, or the first one inside; -1 for none."""
        if self._view is None or not index.isValid():
            return NONE
        box = self._view.boxes[self.box_at(index)]
        while box.node == NONE and box.children:
            box = self._view.boxes[box.children[0]]
        return box.node

    def index(self, row: int, column: int, parent: Index = NO_INDEX) -> QModelIndex:
        if self._view is None or not 0 <= column < len(HEADERS):
            return QModelIndex()
        children = self._view.boxes[self.box_at(parent)].children
        return (
            self.createIndex(row, column, children[row])
            if 0 <= row < len(children)
            else QModelIndex()
        )

    # Qt has a second `parent`, of the object, which is not asked for here.
    def parent(self, index: Index = NO_INDEX) -> QModelIndex:  # type: ignore[override]
        if self._view is None or not index.isValid():
            return QModelIndex()
        return self.index_of_box(self._view.boxes[self.box_at(index)].parent)

    def rowCount(self, parent: Index = NO_INDEX) -> int:
        if self._view is None or parent.column() > 0:
            return 0
        return len(self._view.boxes[self.box_at(parent)].children)

    def columnCount(self, _parent: Index = NO_INDEX) -> int:
        return len(HEADERS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return tr(HEADERS[section])
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if self._view is None or not index.isValid():
            return None
        if role == Qt.ItemDataRole.BackgroundRole:
            return self.marks.brush(self.box_at(index))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self._spoken(self.box_at(index))
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            text = text_of(self._view, self._view.boxes[self.box_at(index)])
            return text.title if index.column() == 0 else text.detail
        return None

    def _spoken(self, number: int) -> str:
        """What a screen reader says: name, value, and what it takes."""
        assert self._view is not None
        box = self._view.boxes[number]
        text = text_of(self._view, box)
        parts = [tr_said(text.title), tr_said(text.detail)]
        if box.children:
            parts.append(tr("group"))
        edges = self._view.edges
        takes = edges.source[edges.target == number][:4].tolist()
        if takes:
            titles = (text_of(self._view, self._view.boxes[source]).title for source in takes)
            parts.append(tr("takes ") + tr_said(say_joined(titles, BOTH)))
        return tr_list(parts)


class OutlineView(QTreeView):
    """Groups as branches; what is selected elsewhere is shown in its branch.

    Signals:
        node_chosen: Index of a node that a person chose; of a group, its own.
        group_chosen: Id of a group without a node of its own, its name and size, indices of the
            nodes inside, and whether it is chosen besides what is already.
        nodes_chosen: Indices of several, and whether they are chosen besides what is already.
        node_hovered: Index of the node under the pointer, or -1.
        group_toggled: Id of a group that a person opened or closed.
        graph_shown: A graph is to be shown, another one or the same again.
    """

    node_chosen = Signal(int)
    group_chosen = Signal(str, object, object, bool)
    nodes_chosen = Signal(object, bool)
    node_hovered = Signal(int)
    group_toggled = Signal(str)
    graph_shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.boxes = OutlineModel(self)
        self.setModel(self.boxes)
        self.setAccessibleName(tr("Outline of the graph"))
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(True)
        self.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Interactive)
        self.header().setStretchLastSection(True)
        self.setSelectionMode(QTreeView.SelectionMode.ExtendedSelection)
        self.setMouseTracking(True)
        self.entered.connect(self._on_entered)
        self._graph: Graph | None = None
        self._is_told = False
        self.expanded.connect(self._on_toggled)
        self.collapsed.connect(self._on_toggled)
        self.selectionModel().selectionChanged.connect(self._on_selection_changed)

    def set_graph(self, graph: Graph, view: View | None) -> None:
        """Show another graph.

        Args:
            graph: Of the stage.
            view: The graph's view where the graph is drawn already, else None.
        """
        self.graph_shown.emit()
        if graph is self._graph and (view is None or view is self.boxes.view):
            return
        from jaxscope.picture.view.build import build_view  # with the first outline

        self._graph = graph
        before = self.boxes.view
        known = view if view is not None and view.graph is graph else None
        if known is None and before is not None:
            known = before.with_graph(graph)
        if before is not None and known is not None and known.boxes is before.boxes:
            self.boxes.take_view(known)
            return
        self.boxes.set_view(known or build_view(graph))
        shown = self.boxes.view
        assert shown is not None
        self._open_exactly(shown.opened)

    def follow(self, view: View | None, opened: frozenset[str]) -> None:
        """Show a graph's view with the same groups open, without a signal."""
        if view is None or self._graph is not view.graph:
            return
        if view is not self.boxes.view:
            self.boxes.set_view(view)
        if opened != self.opened():
            self._open_exactly(opened)

    def opened(self) -> frozenset[str]:
        """Ids of the groups that are open and seen to be."""
        view = self.boxes.view
        found: set[str] = set()
        queue = [*view.boxes[ROOT].children] if view is not None else []
        for number in queue:  # grows while it is read
            assert view is not None
            box = view.boxes[number]
            if box.children and self.isExpanded(self.boxes.index_of_box(number)):
                found.add(box.id)
                queue += box.children
        return frozenset(found)

    def _open_exactly(self, opened: frozenset[str]) -> None:
        view = self.boxes.view
        assert view is not None
        was_told, self._is_told = self._is_told, True
        self.scheduleDelayedItemsLayout()  # or thousands of branches would be laid out one by one
        for group in view.boxes.groups:
            if group != ROOT:
                index = self.boxes.index_of_box(group)
                self.setExpanded(index, view.boxes[group].id in opened)
        self._is_told = was_told

    def _on_toggled(self, index: QModelIndex) -> None:
        view = self.boxes.view
        if not self._is_told and view is not None:
            self.group_toggled.emit(view.boxes[self.boxes.box_at(index)].id)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.setColumnWidth(0, max(self.viewport().width() * 11 // 20, 120))

    def set_links(self, linked: Linked, preview: Linked, theme: Theme) -> None:
        """Colour the rows of linked boxes."""
        self.boxes.marks.set_theme(theme)
        self.boxes.set_links(linked, preview)
        self.viewport().update()

    def choose(self, nodes: Sequence[int]) -> None:
        """Select the row of the first node, or stay at the group that holds just these nodes,
        without a signal; no nodes select nothing.
        """
        view, node = self.boxes.view, nodes[0] if nodes else None
        group = self._group_at(self.currentIndex())
        if view is not None and group is not None and view.nodes_inside(group) == [*nodes]:
            return
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
        if self._emit_group(selected if selected.indexes() else deselected, adds=adds):
            return
        if adds:
            self.nodes_chosen.emit(self._nodes_of(selected) or self._nodes_of(deselected), True)
            return
        nodes = self._nodes_of(self.selectionModel().selection())
        if len(nodes) == 1:
            self.node_chosen.emit(nodes[0])
        elif nodes:
            self.nodes_chosen.emit(nodes, False)

    def _emit_group(self, changed: QItemSelection, *, adds: bool) -> bool:
        """Tell that one group without a node was chosen; false where something else was."""
        rows = [index for index in changed.indexes() if not index.column()]
        num_chosen = len(self.selectionModel().selectedRows())
        group = self._group_at(rows[0]) if len(rows) == 1 and (adds or num_chosen == 1) else None
        view = self.boxes.view
        if view is None or group is None:
            return False
        box = view.boxes[group]
        lines = (rows[0].data(), text_of(view, box).detail)
        self.group_chosen.emit(box.id, lines, view.nodes_inside(group), adds)
        return True

    def _group_at(self, index: QModelIndex) -> int | None:
        """The box of a row that is a group without a node of its own."""
        view, box = self.boxes.view, self.boxes.box_at(index)
        if view is None or box == ROOT or view.boxes[box].node != NONE:
            return None
        return box

    def _nodes_of(self, selection: QItemSelection) -> list[int]:
        found = (self.boxes.node_at(index) for index in selection.indexes() if not index.column())
        return list(dict.fromkeys(node for node in found if node != NONE))
