"""The canvas: a graph that one can look over, walk through, open and close."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable

import numpy as np
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.nesting import DOWN, LayoutCache
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.build import build_view
from jaxscope.analysis.view.view import View
from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.ui.graph.camera import Camera, first_camera, fit_rect
from jaxscope.ui.graph.drawing import SceneDrawing, graph_font
from jaxscope.ui.graph.hints import describe_item
from jaxscope.ui.graph.layout_job import LayoutJob
from jaxscope.ui.graph.legend import Legend
from jaxscope.ui.graph.minimap import Minimap
from jaxscope.ui.graph.overlay import Highlight, no_highlight, paint_overlay
from jaxscope.ui.graph.palette import colors
from jaxscope.ui.graph.tiles import TileCache
from jaxscope.ui.graph.walking import step

_INLINE_NODES = 600
"""Graphs up to this size are laid out at once: it takes less than a frame or two."""

_WHEEL_STEP = 1.0015
_KEY_ZOOM = 1.25
_KEY_PAN_PX = 80.0
_CORNER_PX = 12
_DRAG_PX = 4

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class _Answer:
    """What a layout job found out."""

    view: View
    scene: Scene


class GraphCanvas(QWidget):
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
        super().__init__(parent)
        self._theme = theme
        self._title = ""
        self._graph: Graph | None = None
        self._view: View | None = None
        self._expanded: frozenset[str] = frozenset()
        self._direction = DOWN
        self._without: frozenset[str] = frozenset()
        self._cache: LayoutCache = {}
        self._drawing: SceneDrawing | None = None
        self._tiles: TileCache | None = None
        self._camera = Camera(0.0, 0.0, 1.0)
        self._message = "No graph yet."
        self._marks: tuple[frozenset[int], ...] = (frozenset(), frozenset(), frozenset())
        self._highlight = no_highlight()
        self._current_node = NONE
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._anchor: tuple[str, float, float] | None = None
        self._is_untouched = True
        self._job = LayoutJob(self)
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._minimap = Minimap(self)
        self._minimap.place_requested.connect(self._on_minimap_place_requested)
        self._legend = Legend(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAccessibleName("Graph")
        self._show_extras()

    # What is shown

    @property
    def view(self) -> View | None:
        """The view of the graph, or None while there is none."""
        return self._view

    @property
    def scene(self) -> Scene | None:
        """The picture that is shown, or None."""
        return self._drawing.scene if self._drawing else None

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
        expanded: Collection[str] | None = None,
    ) -> None:
        """Show another graph, or say why there is none.

        Args:
            graph: The graph, the reason for its absence, or None.
            title: Of the stage, for screen readers.
            expanded: Ids of groups to open instead of those that the view would open; ids that
                the graph does not have are ignored.
        """
        self._job.stop()
        self._title = title
        self.setAccessibleName(f"Graph of {title}" if title else "Graph")
        self._graph = graph if isinstance(graph, Graph) else None
        self._view = None
        self._cache = {}
        self._current_node = NONE
        self._marks = (frozenset(), frozenset(), frozenset())
        self._drop_scene()
        if isinstance(graph, Graph) and len(graph.nodes):
            wanted = None if expanded is None else frozenset(expanded)
            self._message = f"Laying out {len(graph.nodes):,} nodes …"
            self._start(graph, None, wanted)
            return
        self._message = "There is no graph to show."
        if isinstance(graph, Unavailable):
            self._message = graph.reason
        elif graph is not None:
            self._message = "This stage is empty: it has no inputs, operations or results."
        self.setAccessibleDescription(self._message)
        self.busy_changed.emit(False)
        self.update()

    def set_theme(self, theme: str) -> None:
        """Use the palette `light` or `dark`."""
        if theme == self._theme:
            return
        self._theme = theme
        if self._drawing is not None:
            self._show_scene(self._drawing.scene)
        self.update()

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
        self._keep_eye_on(group_id)
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
            if self._drawing is None:
                self._message = "The layout was stopped."
            else:
                self._expanded = self._drawing.scene.opened
            self.busy_changed.emit(False)
            self.update()

    # What stands out

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
        view = self._view
        if reveal and view is not None and 0 <= node < len(view.box_of_node):
            needed = view.path_to_node(node)
            if not needed <= self._expanded:
                self._anchor = None
                self._expanded |= needed
                self._restart()
            self._bring_into_sight(self._item_of(node))
        self._update_highlight()

    def item_at(self, place: QPointF) -> int:
        """Index of the scene's item under a place of the widget, or -1."""
        if self._drawing is None:
            return NONE
        x, y = self._camera.to_scene(place.x(), place.y())
        found = self._drawing.item_grid.query(x, y, x, y)
        return int(found[-1]) if len(found) else NONE

    # Where one looks

    def fit(self) -> None:
        """Show all of it."""
        scene = self.scene
        if scene is not None:
            whole = (0.0, 0.0, scene.width, scene.height)
            self._look(fit_rect(whole, self.width(), self.height()))

    def zoom_to_selection(self) -> None:
        """Show what is selected, as large as it can be read."""
        items = self._highlight.selected
        if self._highlight.current != NONE:
            items = np.append(items, self._highlight.current)
        scene = self.scene
        if scene is None or not len(items):
            return
        rect = scene.items.rect[items]
        low, high = rect[:, :2].min(axis=0), (rect[:, :2] + rect[:, 2:]).max(axis=0)
        box = (*(low - 40).tolist(), *(high - low + 80).tolist())
        self._look(fit_rect(box, self.width(), self.height(), 1.5))

    def zoom(self, factor: float, at: QPointF | None = None) -> None:
        """Zoom at a place of the widget, or at its middle."""
        at = at or QPointF(self.width() / 2, self.height() / 2)
        self._look(self._camera.zoomed(factor, at.x(), at.y(), self._least_scale()))

    def zoom_in(self) -> None:
        """One step nearer."""
        self.zoom(_KEY_ZOOM)

    def zoom_out(self) -> None:
        """One step away."""
        self.zoom(1 / _KEY_ZOOM)

    def pan(self, dx: float, dy: float) -> None:
        """Move the sight by widget pixels."""
        self._look(self._camera.moved(dx, dy))

    # Layout

    def _restart(self) -> None:
        if self._graph is not None and len(self._graph.nodes):
            self._start(self._graph, self._view, None if self._view is None else self._expanded)

    def _start(self, graph: Graph, view: View | None, expanded: frozenset[str] | None) -> None:
        direction, cache, without = self._direction, self._cache, self._without

        def work(should_stop: object) -> _Answer:
            known = view or build_view(graph, without)
            scene = build_scene(
                known,
                expanded,
                direction=direction,
                cache=cache,
                should_stop=should_stop,  # type: ignore[arg-type]  # `Work` says what it is
            )
            return _Answer(known, scene)

        if len(graph.nodes) <= _INLINE_NODES:
            self._on_job_finished(work(lambda: False))
            return
        self._job.start(work)
        self.busy_changed.emit(True)
        self.update()

    def _on_job_finished(self, answer: object) -> None:
        assert isinstance(answer, _Answer)
        self._view = answer.view
        self._expanded = answer.scene.opened
        self._show_scene(answer.scene)
        self.busy_changed.emit(False)
        self.scene_changed.emit()

    def _on_job_failed(self, error: object) -> None:
        self._message = f"The graph could not be laid out: {error}"
        self._drop_scene()
        self.busy_changed.emit(False)
        self.update()

    def _drop_scene(self) -> None:
        self._drawing = None
        self._tiles = None
        self._highlight = no_highlight()
        self._is_untouched = True
        self._anchor = None
        self._show_extras()

    def _show_scene(self, scene: Scene) -> None:
        self._drawing = SceneDrawing(scene, colors(self._theme))
        self._tiles = TileCache(self._drawing, self.devicePixelRatioF())
        if self._is_untouched:
            self._look_at_beginning()
        else:
            self._restore_anchor(scene)
        self._anchor = None
        num = len(scene.items) - scene.items.num_frames
        self.setAccessibleDescription(f"{num} boxes are shown. Arrow keys walk along the lines.")
        self._update_highlight()
        self._show_extras()
        self.update()

    def _look_at_beginning(self) -> None:
        scene = self.scene
        if scene is not None and scene.width:
            is_down = scene.direction == DOWN
            self._camera = first_camera(
                scene.width, scene.height, is_down, self.width(), self.height()
            )

    def _keep_eye_on(self, group_id: str) -> None:
        scene = self.scene
        item = scene.item_of_id.get(group_id) if scene else None
        if scene is not None and item is not None:
            x, y, width, _ = scene.items.rect[item].tolist()
            self._anchor = (group_id, *self._camera.to_widget(x + width / 2, y))
            self._is_untouched = False

    def _restore_anchor(self, scene: Scene) -> None:
        if self._anchor is None:
            return
        group_id, at_x, at_y = self._anchor
        item = scene.item_of_id.get(group_id)
        if item is not None:
            x, y, width, _ = scene.items.rect[item].tolist()
            scale = self._camera.scale
            self._camera = Camera(x + width / 2 - at_x / scale, y - at_y / scale, scale)

    # Drawing

    def sizeHint(self) -> QSize:
        return QSize(900, 640)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tiles is None or self._drawing is None:
            self._paint_message(painter)
        else:
            camera, width, height = self._camera, self.width(), self.height()
            missing = self._tiles.paint(
                painter, camera.x, camera.y, width, height, camera.scale
            )
            paint_overlay(painter, self._drawing, self._highlight, camera, width, height)
            sight = QRectF(camera.x, camera.y, width / camera.scale, height / camera.scale)
            self._minimap.show_sight(sight)
            if missing:
                self.update()
        if self._job.is_running:
            self._paint_progress(painter)
        painter.end()

    def _paint_message(self, painter: QPainter) -> None:
        palette = colors(self._theme)
        painter.fillRect(self.rect(), palette.background)
        painter.setPen(palette.muted)
        painter.setFont(graph_font(15))
        area = self.rect().adjusted(60, 40, -60, -40)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(area, flags, self._message)

    def _paint_progress(self, painter: QPainter) -> None:
        palette = colors(self._theme)
        area = QRectF(self.width() / 2 - 150, 12, 300, 28)
        painter.setPen(palette.frame_border)
        painter.setBrush(palette.background)
        painter.drawRoundedRect(area, 6, 6)
        painter.setPen(palette.text)
        painter.setFont(graph_font(12))
        painter.drawText(area, Qt.AlignmentFlag.AlignCenter, "Laying out … Esc stops")

    def _show_extras(self) -> None:
        """Show overview and legend with the scene, hide them without."""
        drawing, tiles = self._drawing, self._tiles
        has_scene = drawing is not None and tiles is not None and len(drawing.scene.items) > 0
        if has_scene and drawing is not None and tiles is not None:
            scene = drawing.scene
            self._minimap.show_scene(
                tiles.backdrop(), scene.width, scene.height, drawing.colors
            )
            has_marks = any(self._marks) or self._highlight.current != NONE
            self._legend.show_styles(scene.styles_used(), drawing.colors, has_marks)
        self._minimap.setVisible(has_scene)
        self._legend.setVisible(has_scene)
        self._place_extras()

    def _place_extras(self) -> None:
        right, bottom = self.width() - _CORNER_PX, self.height() - _CORNER_PX
        self._minimap.move(right - self._minimap.width(), bottom - self._minimap.height())
        self._legend.move(_CORNER_PX, bottom - self._legend.height())

    def resizeEvent(self, _event: QResizeEvent) -> None:
        if self._is_untouched:
            self._look_at_beginning()
        self._place_extras()

    # Highlights

    def _item_of(self, node: int) -> int:
        scene = self.scene
        if scene is None or not 0 <= node < len(scene.item_of_node):
            return NONE
        return int(scene.item_of_node[node])

    def _update_highlight(self) -> None:
        scene = self.scene
        if scene is None:
            return
        selected, forward, backward = (self._items_of(nodes) for nodes in self._marks)
        self._highlight = Highlight(
            selected,
            np.setdiff1d(forward, selected),
            np.setdiff1d(backward, selected),
            self._item_of(self._current_node),
            NONE,
        )
        self._show_extras()
        self.update()

    def _items_of(self, nodes: frozenset[int]) -> np.ndarray:
        scene = self.scene
        assert scene is not None
        wanted = np.fromiter(nodes, np.int64, len(nodes))
        wanted = wanted[(wanted >= 0) & (wanted < len(scene.item_of_node))]
        items = np.unique(scene.item_of_node[wanted]).astype(np.int64)
        return items[items >= 0]

    def _bring_into_sight(self, item: int) -> None:
        scene = self.scene
        if scene is None or item == NONE:
            return
        x, y, width, height = scene.items.rect[item].tolist()
        left, top = self._camera.to_widget(x, y)
        right, bottom = self._camera.to_widget(x + width, y + height)
        margin = 30
        if (
            left < margin or top < margin
            or right > self.width() - margin or bottom > self.height() - margin
        ):  # fmt: skip
            scale = max(self._camera.scale, 0.5)
            middle = (x + width / 2, y + min(height / 2, self.height() / scale / 3))
            self._look(
                Camera(
                    middle[0] - self.width() / scale / 2,
                    middle[1] - self.height() / scale / 2,
                    scale,
                )
            )

    # Mouse and keys

    def _least_scale(self) -> float:
        scene = self.scene
        if scene is None:
            return 0.01
        fit = fit_rect((0.0, 0.0, scene.width, scene.height), self.width(), self.height())
        return min(fit.scale * 0.5, 0.5)

    def _look(self, camera: Camera) -> None:
        self._is_untouched = False
        self._camera = camera
        self.update()

    def _on_minimap_place_requested(self, place: QPointF) -> None:
        scale = self._camera.scale
        x, y = place.x() - self.width() / scale / 2, place.y() - self.height() / scale / 2
        self._look(Camera(x, y, scale))

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-(delta.y() or delta.x()), 0)
        elif delta.y():
            self.zoom(_WHEEL_STEP ** delta.y(), event.position())
        else:
            self.pan(-delta.x(), 0)
        event.accept()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QNativeGestureEvent):
            if event.gestureType() == Qt.NativeGestureType.ZoomNativeGesture:
                self.zoom(1.0 + event.value(), event.position())
                return True
        elif isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            item = self.item_at(QPointF(event.pos()))
            scene, view = self.scene, self._view
            if scene is not None and view is not None and item != NONE:
                QToolTip.showText(event.globalPos(), describe_item(view, scene, item), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._is_dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._hover(self.item_at(event.position()))
            return
        moved = event.position() - self._pressed
        if self._is_dragging or moved.manhattanLength() > _DRAG_PX:
            self._is_dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._pressed = event.position()
            self.pan(-moved.x(), -moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        was_dragging = self._is_dragging
        self._pressed, self._is_dragging = None, False
        self.unsetCursor()
        if not was_dragging and event.button() == Qt.MouseButton.LeftButton:
            self._click(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._toggle_item(self.item_at(event.position()))

    def leaveEvent(self, _event: QEvent) -> None:
        self._hover(NONE)

    def _hover(self, item: int) -> None:
        if item == self._highlight.hovered or self._drawing is None:
            return
        self._highlight = dataclasses.replace(self._highlight, hovered=item)
        self.node_hovered.emit(NONE if item == NONE else self._node_of(item))
        self.update()

    def _node_of(self, item: int) -> int:
        scene = self.scene
        return NONE if scene is None else int(scene.items.node[item])

    def _click(self, place: QPointF) -> None:
        if self._drawing is None:
            return
        x, y = self._camera.to_scene(place.x(), place.y())
        connectors = self._drawing.connector_grid.query(x, y, x, y)
        if len(connectors):
            far = self._drawing.scene.connectors.far[int(connectors[0])]
            if len(far):
                self._select_item(int(far[0]))
            return
        self._select_item(self.item_at(place))

    def _select_item(self, item: int) -> None:
        node = NONE if item == NONE else self._node_of(item)
        self._current_node = node
        self._update_highlight()
        if item != NONE:
            self._highlight = dataclasses.replace(self._highlight, current=item)
            self._bring_into_sight(item)
        self.node_selected.emit(node)
        self.update()

    def _toggle_item(self, item: int) -> None:
        scene = self.scene
        if scene is not None and item != NONE and scene.items.is_group[item]:
            self.toggle_group(scene.items.ids[item])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._press_arrow(*_ARROWS[key], event.modifiers())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle_item(self._highlight.current)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom_in()
        elif key == Qt.Key.Key_Minus:
            self.zoom_out()
        elif key == Qt.Key.Key_F:
            self.fit()
        elif key == Qt.Key.Key_Z:
            self.zoom_to_selection()
        elif key == Qt.Key.Key_Home:
            self._look_at_beginning()
            self.update()
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
