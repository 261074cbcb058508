"""The canvas: a graph that one can look over, walk through, open and close."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Iterable

import numpy as np
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from jaxscope.analysis.layout.nesting import DOWN, LayoutCache
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.ui.graph.anchor import Anchor, Kept, anchor_of, camera_at, find_middle_item
from jaxscope.ui.graph.camera import Camera
from jaxscope.ui.graph.hints import describe_edge, describe_item, explain_absence
from jaxscope.ui.graph.layout_job import LayoutJob
from jaxscope.ui.graph.overlay import Highlight, items_of_nodes
from jaxscope.ui.graph.picture import Picture, PictureOrder
from jaxscope.ui.graph.scene_view import SceneView
from jaxscope.ui.graph.walking import step

_INLINE_NODES = 600
"""Graphs up to this size are laid out at once: it takes less than a frame or two."""

_KEY_PAN_PX = 80.0
_NO_MARKS: tuple[frozenset[int], ...] = (frozenset(), frozenset(), frozenset())

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}

_KEYS: dict[Qt.Key, Callable[[SceneView], None]] = {
    Qt.Key.Key_Plus: SceneView.zoom_in,
    Qt.Key.Key_Equal: SceneView.zoom_in,
    Qt.Key.Key_Minus: SceneView.zoom_out,
    Qt.Key.Key_F: SceneView.fit,
    Qt.Key.Key_Z: SceneView.zoom_to_selection,
    Qt.Key.Key_Home: SceneView.go_to_beginning,
}


class GraphCanvas(SceneView):
    """Shows one graph.

    Mouse: drag pans, the wheel zooms at the pointer (with Shift it pans across), a click selects,
    a double click opens or closes a group, a click on a connector leads to its far end.
    Keys: arrows walk along the lines, with Shift they pan; Enter opens or closes; + and - zoom;
    F fits all; Z zooms to the selection; Home goes to the beginning; Escape stops a layout.

    Signals:
        node_selected: Node index of what the person selected; -1 if nothing.
        node_hovered: Node index under the pointer; -1 if none.
        group_toggled: Id of a group that was opened or closed.
        scene_changed: Another picture is shown.
        busy_changed: Whether a layout is being worked out.
    """

    node_selected = Signal(int)
    node_hovered = Signal(int)
    group_toggled = Signal(str)
    scene_changed = Signal()
    busy_changed = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent, theme=theme)
        self._title = ""
        self._graph: Graph | None = None
        self._view: View | None = None
        self._expanded: frozenset[str] = frozenset()
        self._direction = DOWN
        self._without: frozenset[str] = frozenset()
        self._cache: LayoutCache = {}
        self._marks = _NO_MARKS
        self._current_node = NONE
        self._current_item = NONE
        self._reveal = NONE
        self._anchor: Anchor | None = None
        self._job = LayoutJob(self)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self.setAccessibleName("Graph")

    @property
    def view(self) -> View | None:
        """The view of the graph, or None while there is none."""
        return self._view

    @property
    def expanded(self) -> frozenset[str]:
        """Ids of the groups that are open."""
        return self._expanded

    @property
    def direction(self) -> str:
        """`down` or `right`."""
        return self._direction

    @property
    def is_busy(self) -> bool:
        """Whether a layout is being worked out."""
        return self._job.is_running

    def set_graph(
        self,
        graph: Graph | Unavailable | None,
        title: str = "",
        kept: Kept | None = None,
    ) -> None:
        """Show another graph, or say why there is none.

        Args:
            graph: The graph, the reason for its absence, or None.
            title: Of the stage, for screen readers.
            kept: What to take over from the picture of an earlier run.
        """
        self._job.stop()
        self._title = title
        self.setAccessibleName(f"Graph of {title}" if title else "Graph")
        self._graph = graph if isinstance(graph, Graph) else None
        self._view = None
        self._cache = {}
        self._current_node = self._current_item = self._reveal = NONE
        self._anchor = None
        self._marks = _NO_MARKS
        self._has_marks = False
        if isinstance(graph, Graph) and len(graph.nodes):
            self.drop_scene(f"Laying out {len(graph.nodes):,} nodes …")
            if kept is not None and kept.anchor is not None:
                self._anchor, self._is_untouched = kept.anchor, False
            self._start(graph, None, None, kept)
            return
        message = explain_absence(graph)
        self.drop_scene(message)
        self.setAccessibleDescription(message)
        self._set_busy(False)

    def keep(self) -> Kept | None:
        """What to keep when a later run's picture of the same stage replaces this one."""
        scene, view, anchor = self.scene, self._view, None
        if scene is None or view is None:
            return None
        if not self._is_untouched:
            item = find_middle_item(scene, self._camera, self.width(), self.height())
            anchor = anchor_of(scene, self._camera, item) if item != NONE else None
        return Kept(self._expanded - view.opened, view.opened - self._expanded, anchor)

    def set_direction(self, direction: str) -> None:
        """Let values flow `down` or `right`."""
        if direction != self._direction:
            self._direction = direction
            self._cache = {}
            self._is_untouched = True
            self._restart()

    def set_hidden_passes(self, names: Collection[str]) -> None:
        """Leave out simplifications; the names are those of `analysis.view.build.PASSES`."""
        if frozenset(names) != self._without:
            self._without = frozenset(names)
            self._view = None
            self._is_untouched = True
            self._restart()

    def set_expanded(self, ids: Collection[str]) -> None:
        """Open exactly these groups."""
        if frozenset(ids) != self._expanded:
            self._expanded = frozenset(ids)
            self._restart()

    def toggle_group(self, group_id: str) -> None:
        """Open a closed group or close an open one; its place on the screen stays."""
        if self._view is None:
            return
        self._keep_eye_on(self.scene.item_of_id.get(group_id, NONE) if self.scene else NONE)
        self._expanded ^= {group_id}
        self._restart()
        self.group_toggled.emit(group_id)

    def expand_all(self) -> None:
        """Open every group."""
        if self._view is not None:
            self.set_expanded(self._view.all_groups())

    def collapse_all(self) -> None:
        """Close every group."""
        self._is_untouched = True
        self.set_expanded(())

    def reset_expanded(self) -> None:
        """Open the groups that are open at first."""
        if self._view is not None:
            self._is_untouched = True
            self.set_expanded(self._view.opened)

    def stop_layout(self) -> None:
        """Stop a running layout; what was shown before stays."""
        if self._job.is_running:
            self._job.stop()
            if self.scene is None:
                self.drop_scene("The layout was stopped.")
            else:
                self._expanded = self.scene.opened
            self._set_busy(False)

    def set_highlight(
        self, selected: Iterable[int], forward: Iterable[int], backward: Iterable[int]
    ) -> None:
        """Outline nodes: the selected ones, what they went into, what they came from."""
        self._marks = (frozenset(selected), frozenset(forward), frozenset(backward))
        self._update_highlight()

    def select_node(self, node: int, *, reveal: bool = True) -> None:
        """Make a node the current one without telling anybody; -1 clears it.

        Args:
            node: Node index.
            reveal: Open the groups around it and bring it into sight.
        """
        self._current_node = node
        self._current_item = NONE
        view = self._view
        if reveal and view is not None and 0 <= node < len(view.box_of_node):
            needed = view.path_to_node(node)
            if needed <= self._expanded:
                self._bring_into_sight(self._item_of(node))
            else:
                self._anchor = None
                self._reveal = node
                self._expanded |= needed
                self._is_untouched = False
                self._restart()
        self._update_highlight()

    def _restart(self) -> None:
        if self._graph is not None and len(self._graph.nodes):
            self._start(self._graph, self._view, None if self._view is None else self._expanded)

    def _start(
        self,
        graph: Graph,
        view: View | None,
        expanded: frozenset[str] | None,
        kept: Kept | None = None,
    ) -> None:
        order = PictureOrder(
            graph, view, expanded, kept, self._direction, self._cache, self._without
        )
        if len(graph.nodes) <= _INLINE_NODES:
            self._on_job_finished(order.work_out(lambda: False))
            return
        self._job.start(order.work_out)
        self._set_busy(True)

    def _on_job_finished(self, answer: object) -> None:
        assert isinstance(answer, Picture)
        scene = answer.index.scene
        self._view = answer.view
        self._expanded = scene.opened
        self.show_scene(answer.index, self._camera_for(scene))
        self._anchor = None
        num = len(scene.items) - scene.items.num_frames
        self.setAccessibleDescription(f"{num} boxes are shown. Arrow keys walk along the lines.")
        self._update_highlight()
        if self._reveal != NONE:
            self._bring_into_sight(self._item_of(self._reveal))
            self._reveal = NONE
        self._set_busy(False)
        self.scene_changed.emit()

    def _on_job_failed(self, error: object) -> None:
        self.drop_scene(f"The graph could not be laid out: {error}")
        self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        self._progress = "Laying out … Esc stops" if is_busy else ""
        self.busy_changed.emit(is_busy)
        self.update()

    def _camera_for(self, scene: Scene) -> Camera | None:
        """The camera that leaves what is held where it was."""
        if self._anchor is None:
            return None
        camera = camera_at(self._anchor, scene, self._camera.scale)
        self._is_untouched = self._is_untouched or camera is None
        return camera

    def _keep_eye_on(self, item: int) -> None:
        if self.scene is not None and item != NONE:
            self._anchor = anchor_of(self.scene, self._camera, item)
            self._is_untouched = False

    def click(self, place: QPointF) -> None:
        """Select what is there; on a connector, what is at its far end."""
        if self._drawing is None:
            return
        x, y = self._camera.to_scene(place.x(), place.y())
        connectors = self._drawing.connector_grid.query(x, y, x, y)
        if len(connectors):
            far = self._drawing.scene.connectors.far[int(connectors[0])]
            if len(far):
                self._select_item(int(far[0]))
            return
        # What was clicked is in sight: the picture must not run away from the pointer.
        self._select_item(self.item_at(place), reveal=False)

    def double_click(self, place: QPointF) -> None:
        """Open or close the group that is there."""
        self._toggle_item(self.item_at(place))

    def hover(self, item: int) -> None:
        """Outline an item and its lines."""
        if item == self._highlight.hovered or self._drawing is None:
            return
        self._highlight = dataclasses.replace(self._highlight, hovered=item)
        self.node_hovered.emit(NONE if item == NONE else self._node_of(item))
        self.update()

    def describe(self, item: int) -> str:
        """The full label of an item, its types and where its code is."""
        scene, view = self.scene, self._view
        return describe_item(view, scene, item) if scene is not None and view is not None else ""

    def describe_line(self, line: int) -> str:
        """What flows along a line."""
        scene, view = self.scene, self._view
        return describe_edge(view, scene, line) if scene is not None and view is not None else ""

    def _item_of(self, node: int) -> int:
        scene = self.scene
        if scene is None or not 0 <= node < len(scene.item_of_node):
            return NONE
        return int(scene.item_of_node[node])

    def _update_highlight(self) -> None:
        scene = self.scene
        if scene is None:
            return
        current = self._current_item
        if current == NONE or self._current_node != NONE:
            current = self._item_of(self._current_node)
        selected, forward, backward = (items_of_nodes(scene, nodes) for nodes in self._marks)
        self._highlight = Highlight(
            selected, np.setdiff1d(forward, selected), np.setdiff1d(backward, selected), current
        )
        self._has_marks = any(self._marks) or current != NONE
        self._show_extras()
        self.update()

    def _node_of(self, item: int) -> int:
        scene = self.scene
        return NONE if scene is None else int(scene.items.node[item])

    def _select_item(self, item: int, *, reveal: bool = True) -> None:
        self._current_item = item
        self._current_node = NONE if item == NONE else self._node_of(item)
        self._update_highlight()
        if reveal:
            self._bring_into_sight(item)
        self.node_selected.emit(self._current_node)

    def _toggle_item(self, item: int) -> None:
        if self.scene is not None and item != NONE and self.scene.items.is_group[item]:
            self.toggle_group(self.scene.items.ids[item])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._press_arrow(*_ARROWS[key], event.modifiers())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle_item(self._highlight.current)
        elif key in _KEYS:
            _KEYS[key](self)
        elif key == Qt.Key.Key_Escape and self._job.is_running:
            self.stop_layout()
        else:
            super().keyPressEvent(event)

    def _press_arrow(self, dx: int, dy: int, modifiers: Qt.KeyboardModifier) -> None:
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            self.pan(dx * _KEY_PAN_PX, dy * _KEY_PAN_PX)
            return
        scene = self.scene
        if scene is None:
            return
        item = step(scene, self._highlight.current, dx, dy)
        if item != NONE:
            self._select_item(item)
