"""A scene in a widget: drawn from tiles, panned and zoomed, with overview and legend."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QHelpEvent,
    QMouseEvent,
    QNativeGestureEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint import Tint
from jaxscope.model import NONE
from jaxscope.ui.graph.camera import (
    Camera,
    fit_rect,
    is_any_in_sight,
    look_at_scene,
    most_scale,
    reveal_rect,
)
from jaxscope.ui.graph.drawing import SceneDrawing
from jaxscope.ui.graph.edge_shades import paint_edge_shades
from jaxscope.ui.graph.legend import Entry, Legend, list_entries, list_tints
from jaxscope.ui.graph.message import paint_message, paint_progress
from jaxscope.ui.graph.minimap import Minimap
from jaxscope.ui.graph.overlay import no_highlight, paint_overlay
from jaxscope.ui.graph.palette import colors
from jaxscope.ui.graph.scene_index import SceneIndex
from jaxscope.ui.graph.shades import make_shades
from jaxscope.ui.graph.tiles import TileCache

_WHEEL_STEP = 1.0015
_KEY_ZOOM = 1.25
_DRAG_PX = 4
_LINE_REACH_PX = 5.0


class SceneView(QWidget):
    """Shows one scene, or a message where there is none.

    Drag pans; the wheel zooms at the pointer, with Shift it pans across. Subclasses say what a
    click, a double click and the pointer's rest mean.

    Signals:
        extras_changed: Overview or legend may want another place, or none.
    """

    extras_changed = Signal()

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent)
        self._theme = theme
        self._message = "No graph yet."
        self._progress = ""
        self._tint: Tint | None = None
        self._drawing: SceneDrawing | None = None
        self._tiles: TileCache | None = None
        self._camera = Camera(0.0, 0.0, 1.0)
        self._highlight = no_highlight()
        self._has_marks = False
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._is_untouched = True
        self._minimap = Minimap(self)
        self._minimap.place_requested.connect(self._on_minimap_place_requested)
        self._legend = Legend(self)
        for extra in (self._minimap, self._legend):
            extra.hide()  # `GraphPage` gives them a place beside the picture
        self._text_scale = 1.0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._show_extras()

    def click(self, _place: QPointF) -> None:
        """A click on a place of the widget."""

    def double_click(self, _place: QPointF) -> None:
        """A double click on a place of the widget."""

    def hover(self, _item: int, _connector: int = NONE) -> None:
        """The pointer is over an item or a connector, or over none."""

    def tint_of(self, _scene: Scene) -> Tint | None:
        """The colours of a scene; None for those of its styles."""
        return None

    def focused_items(self, _scene: Scene) -> npt.NDArray[np.int64] | None:
        """Items that stay clear while all others fade; None where all are."""
        return None

    def describe(self, _item: int) -> str:
        """Rich text for the tool tip of an item; empty shows none."""
        return ""

    def describe_connector(self, _connector: int) -> str:
        """Rich text for the tool tip of a connector; empty shows none."""
        return ""

    def describe_line(self, _line: int) -> str:
        """Rich text for the tool tip of a line; empty shows none."""
        return ""

    @property
    def scene(self) -> Scene | None:
        """The picture that is shown, or None."""
        return self._drawing.scene if self._drawing else None

    @property
    def minimap(self) -> Minimap:
        """The overview that belongs to it."""
        return self._minimap

    @property
    def legend(self) -> Legend:
        """The legend that belongs to it."""
        return self._legend

    @property
    def camera(self) -> Camera:
        """Where one looks."""
        return self._camera

    def fit(self) -> None:
        """Show all of it."""
        scene = self.scene
        if scene is not None:
            whole = (0.0, 0.0, scene.width, scene.height)
            most = most_scale(self.width(), self.height(), self._text_scale)
            self._look(fit_rect(whole, self.width(), self.height(), most))

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

    def go_to_beginning(self) -> None:
        """Look at it as when it was new."""
        self._look_at_beginning()
        self.update()

    def pan(self, dx: float, dy: float) -> None:
        """Move the sight by widget pixels."""
        self._look(self._camera.moved(dx, dy))

    def item_at(self, place: QPointF) -> int:
        """Index of the scene's item under a place of the widget, or -1."""
        if self._drawing is None:
            return NONE
        x, y = self._camera.to_scene(place.x(), place.y())
        found = self._drawing.item_grid.query(x, y, x, y)
        return int(found[-1]) if len(found) else NONE

    def connector_at(self, place: QPointF) -> int:
        """Index of the scene's connector under a place of the widget, or -1."""
        if self._drawing is None:
            return NONE
        x, y = self._camera.to_scene(place.x(), place.y())
        found = self._drawing.connector_grid.query(x, y, x, y)
        return int(found[0]) if len(found) else NONE

    def line_at(self, place: QPointF) -> int:
        """Index of the scene's line under a place of the widget, or -1."""
        if self._drawing is None:
            return NONE
        x, y = self._camera.to_scene(place.x(), place.y())
        return self._drawing.index.line_at(x, y, _LINE_REACH_PX / self._camera.scale)

    def set_text_scale(self, scale: float) -> None:
        """Follow the size of the window's type; 1 is ordinary."""
        if scale != self._text_scale:
            self._text_scale = scale
            self._legend.set_text_scale(scale)
            if self._is_untouched:
                self._look_at_beginning()
            self._tell_sight()
            self.extras_changed.emit()
            self.update()

    def set_theme(self, theme: str) -> None:
        """Use the palette `light` or `dark`."""
        if theme == self._theme:
            return
        self._theme = theme
        self.repaint_scene()

    def drop_scene(self, message: str) -> None:
        """Show a message instead of a scene."""
        self._drawing = None
        self._tiles = None
        self._highlight = no_highlight()
        self._is_untouched = True
        self._message = message
        self._show_extras()
        self.update()

    def show_scene(self, index: SceneIndex, camera: Camera | None) -> None:
        """Show another scene, from a camera or from its beginning."""
        self._drawing = self._draw(index)
        self._tiles = TileCache(self._drawing, self.devicePixelRatioF())
        self._highlight = no_highlight()
        if camera is not None:
            self._camera = camera
        elif self._is_untouched:
            self._look_at_beginning()
        self._show_extras()
        self.update()

    def _draw(self, index: SceneIndex) -> SceneDrawing:
        """A scene in the present colours."""
        scene, palette = index.scene, colors(self._theme)
        self._tint, focused = self.tint_of(scene), self.focused_items(scene)
        shades = make_shades(scene, self._tint, palette, self._theme, focused)
        return SceneDrawing(index, palette, shades)

    def repaint_scene(self) -> None:
        """Draw the scene anew, in other colours."""
        if self._drawing is not None:
            self._drawing = self._draw(self._drawing.index)
            self._tiles = TileCache(self._drawing, self.devicePixelRatioF())
            self._show_extras()
        self.update()

    def _look_at_beginning(self) -> None:
        scene = self.scene
        if scene is not None and scene.width:
            self._camera = look_at_scene(scene, self.width(), self.height(), self._text_scale)

    def sizeHint(self) -> QSize:
        return QSize(900, 640)

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        if self._tiles is None or self._drawing is None:
            paint_message(painter, self.size(), colors(self._theme), self._message)
        else:
            camera, width, height = self._camera, self.width(), self.height()
            missing = self._tiles.paint(painter, camera.x, camera.y, width, height, camera.scale)
            paint_overlay(painter, self._drawing, self._highlight, camera, width, height)
            paint_edge_shades(painter, self._drawing, camera, width, height)
            self._tell_sight()
            if missing:
                self.update()
        if self._progress and self._drawing is not None:
            paint_progress(painter, self.width(), colors(self._theme), self._progress)
        painter.end()

    def _show_extras(self) -> None:
        """Tell overview and legend about the scene."""
        drawing, tiles = self._drawing, self._tiles
        if drawing is not None and tiles is not None and len(drawing.scene.items):
            scene = drawing.scene
            self._minimap.show_scene(tiles.backdrop(), scene.width, scene.height, drawing.colors)
            self._legend.show_entries(self._legend_entries(drawing), drawing.colors)
            self._tell_sight()
        self.extras_changed.emit()

    def _legend_entries(self, drawing: SceneDrawing) -> Sequence[Entry]:
        """What the legend explains."""
        if self._tint is not None:
            return list_tints(self._tint, drawing.colors, self._theme, self._has_marks)
        return list_entries(drawing.scene.styles_used(), drawing.colors, self._has_marks)

    def _tell_sight(self) -> None:
        camera = self._camera
        size = self.width() / camera.scale, self.height() / camera.scale
        self._minimap.show_sight(QRectF(camera.x, camera.y, *size))

    def resizeEvent(self, _event: QResizeEvent) -> None:
        if self._is_untouched:
            self._look_at_beginning()
        self._tell_sight()

    def reveal_highlight(self) -> None:
        """Bring what is highlighted into sight, unless some of it is there already."""
        scene, marks = self.scene, self._highlight
        items = np.concatenate([marks.selected, marks.forward, marks.backward])
        if scene is None or not len(items):
            return
        rects = scene.items.rect[items]
        if not is_any_in_sight(rects, self._camera, self.width(), self.height()):
            smallest = int(np.argmin(rects[:, 2] * rects[:, 3]))
            self._bring_into_sight(int(items[smallest]))

    def _bring_into_sight(self, item: int) -> None:
        scene = self.scene
        if scene is not None and item != NONE:
            rect = scene.items.rect[item].tolist()
            camera = reveal_rect(rect, self._camera, self.width(), self.height())
            if camera is not None:
                self._look(camera)

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
            QToolTip.showText(event.globalPos(), self._hint_at(QPointF(event.pos())), self)
            return True
        return super().event(event)

    def _hint_at(self, place: QPointF) -> str:
        """A connector, or else a box, a line, or the frame around."""
        scene, item, connector = self.scene, self.item_at(place), self.connector_at(place)
        if connector != NONE:
            return self.describe_connector(connector)
        if scene is not None and item < scene.items.num_frames:
            line = self.line_at(place)
            if line != NONE:
                return self.describe_line(line)
        return self.describe(item) if item != NONE else ""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._is_dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self.hover(self.item_at(event.position()), self.connector_at(event.position()))
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
            self.click(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_click(event.position())

    def leaveEvent(self, _event: QEvent) -> None:
        self.hover(NONE)
