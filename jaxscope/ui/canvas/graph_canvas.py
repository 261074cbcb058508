"""`GraphCanvas`: the widget that shows one graph, with mouse, keyboard and screen reader.

Small graphs are laid out at once, larger ones on a thread. A scene is painted from tiles; what
changes with the pointer and the selection is painted over them.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer, Signal
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

from jaxscope.model import NONE, Graph, Unavailable
from jaxscope.model.graph import distinct
from jaxscope.picture.layout.engines import Engine, LayoutCache
from jaxscope.picture.scene.build import SceneMemory
from jaxscope.picture.scene.edge_details import MAX_EDGES, NO_WAY, Way
from jaxscope.picture.scene.first_picture import (
    LEAST_TOGETHER,
    OVERVIEW_PX,
    SIDE_PX,
    WHOLE_SCALE,
    Viewport,
)
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import HEADER_PX, LEAST_TITLE_PX, NO_WIDTH_LIMIT, Fit, Scene
from jaxscope.picture.scene.visible_edges import find_values_of_box
from jaxscope.picture.tint.classes import NO_FATES, ColourBy, Tint, tint_scene
from jaxscope.picture.view.labels import ELSEWHERE, detail_when_open, text_of
from jaxscope.picture.view.open_groups import is_walk, open_many, open_path, open_walk, step_copy
from jaxscope.picture.view.view import ROOT, View, draws_as
from jaxscope.program.dataflow import find_shown_groups, first_node_inside
from jaxscope.program.size import count_named
from jaxscope.ui.canvas.item_text import (
    announce,
    describe_connector_ends,
    describe_edge,
    describe_item,
    describe_notes,
    describe_rest,
    explain_absence,
    line_size,
    spoken_item,
    spoken_scene,
)
from jaxscope.ui.canvas.legend import (
    Legend,
    LegendEntry,
    list_entries,
    list_manual_axes,
    list_outlines,
    list_tints,
    words_alone,
)
from jaxscope.ui.canvas.minimap import Minimap
from jaxscope.ui.canvas.navigation import (
    MARGIN_PX,
    MOST_ZOOMED,
    Camera,
    begin_at,
    find_places_across,
    find_places_down,
    fit_rect,
    is_any_in_sight,
    item_in_direction,
    list_outside,
    look_at_scene,
    most_scale,
    read_around,
    reveal_rect,
    reveal_together,
    show_opened,
)
from jaxscope.ui.canvas.overlay import (
    Highlight,
    count_parts,
    items_of_nodes,
    no_highlight,
    paint_edge_shades,
    paint_message,
    paint_overlay,
    paint_pinned_title,
    paint_progress,
    paint_spotlight,
    pinned_title,
    results_of_nodes,
)
from jaxscope.ui.canvas.picture import (
    OTHER_ROOM_PX,
    Anchor,
    KeptPicture,
    PictureOrder,
    PreparedPicture,
    anchor_of,
    camera_at,
    find_middle_item,
    list_closed,
)
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import (
    NEAR_SCALE,
    SceneDrawing,
    colors,
    make_shades,
    step_areas,
)
from jaxscope.ui.canvas.tiles import TileCache
from jaxscope.ui.canvas.transition import Transition, ViewedDrawing, make_transition, may_move
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.threads import LatestJob

_WHEEL_STEP = 1.0015
_KEY_ZOOM = 1.25
_KEY_PAN_PX = 80.0
_DRAG_PX = 4
_LINE_REACH_PX = 5.0

_INLINE_NODES = 600
_INLINE_GROUPS = 16
"""Graphs up to this size are laid out at once: it takes less than a frame or two. Each group has a
layout of its own, and with many several ways of opening them are tried."""

_RESIZED_MS = 150
"""How long a size must last before a picture nobody touched is chosen anew for it."""

_SIGHT_MS = 120
"""How long after a move the legend follows."""

_MOST_WAYS = 12
"""Up to this many selected boxes have their lines highlighted; among more none can be followed."""
_LEAST_LOWER = 0.4
"""Boxes that are wide enough for their titles at `LEAST_TOGETHER` have room for them at this scale,
too."""
_LEAST_TITLES = 2
"""A picture of which so few groups can be named is not shown as small as it is then."""


class _BeforePresenting(NamedTuple):
    """What a canvas showed before it was presented."""

    expanded: frozenset[str] | None
    """With what a person opened or closed meanwhile; None where it was another graph."""
    camera: Camera
    is_untouched: bool
    is_fitted: bool
    is_unmoved: bool
    is_as_first: bool
    """Whether the groups were open that a first picture opens."""
    is_whole: bool
    """Whether all of it was in sight."""
    toggled: str = ""
    """The group that a person opened last meanwhile."""


_SIGN_REACH_PX = 8.0
"""How far from the middle of a triangle one may click it."""
_NO_MARKS: tuple[frozenset[int], ...] = (frozenset(), frozenset(), frozenset())

_ARROWS = {
    Qt.Key.Key_Left: (-1, 0),
    Qt.Key.Key_Right: (1, 0),
    Qt.Key.Key_Up: (0, -1),
    Qt.Key.Key_Down: (0, 1),
}


class GraphCanvas(QWidget):
    """Shows one graph, or a message where there is none.

    Mouse: drag pans, the wheel zooms at the pointer (with Shift it pans across), a click selects,
    with Ctrl one more, a double click opens or closes a group, a click on a connector leads to its
    far end.
    Keys: arrows walk along the lines, with Shift they pan; Enter opens or closes; + and - zoom;
    F fits all, or as much as can be read, and all a second time; Z zooms to the selection;
    Home goes to the beginning; [ and ] show another of
    alike groups; Escape stops a layout.

    Signals:
        extras_changed: Overview or legend may want another place, or none.
        group_toggled: Id of a group that was opened or closed.
        scene_changed: Another picture is shown.
        busy_changed: Whether a layout is being worked out.
        node_selected: Node index of what the person selected; -1 if nothing.
        line_told: What flows along the line that is lit since a click, as HTML; empty once none is.
        deselected: Nothing is to be selected: a click was on nothing, or another copy is shown.
        group_selected: Id of a group without a node of its own, the two lines on its box,
            the indices of the nodes inside, and whether it is selected besides others.
        nodes_selected: Indices of several nodes, and whether they are selected besides others.
        node_hovered: Node index under the pointer; -1 if none.
        colours_changed: The `ColourBy` that boxes are coloured by now.
    """

    extras_changed = Signal()
    group_toggled = Signal(str)
    scene_changed = Signal()
    busy_changed = Signal(bool)
    node_selected = Signal(int)
    line_told = Signal(str)
    deselected = Signal()
    group_selected = Signal(str, object, object, bool)
    nodes_selected = Signal(object, bool)
    node_hovered = Signal(int)
    colours_changed = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, theme: str = "light") -> None:
        super().__init__(parent)
        self._theme = theme
        self._message = tr("No graph yet.")
        self._progress = ""
        self._tint: Tint | None = None
        self._drawing: SceneDrawing | None = None
        self._tiles: TileCache | None = None
        self._camera = Camera(0.0, 0.0, 1.0)
        self._highlight = no_highlight()
        self._pressed: QPointF | None = None
        self._is_dragging = False
        self._is_untouched = True
        self._is_fitted = self._is_unmoved = self._is_led = False
        self._is_seen_whole = self._is_choosing_again = self._is_fitted_to_read = False
        self._is_choosing_lower = False
        self._minimap = Minimap(self)
        self._minimap.place_requested.connect(self._on_minimap_place_requested)
        self._legend = Legend(self)
        for extra in (self._minimap, self._legend):
            extra.hide()  # `GraphPage` gives them a place beside the picture
        self._text_scale, self._is_spotlit = 1.0, False
        self._is_presented = False
        # The room that type of the picture was fitted to; None where that is not presented.
        self._ordered_for: tuple[float, ...] | None = None
        self._typed_for: tuple[float, ...] | None = None
        self._before_presenting: _BeforePresenting | None = None
        self._graph: Graph | None = None
        self._view: View | None = None
        self._expanded: frozenset[str] = frozenset()
        self._opened_first: frozenset[str] = frozenset()
        self._direction = DOWN
        self._without: frozenset[str] = frozenset()
        self._engine = Engine.OWN
        self._cache: LayoutCache = {}
        self._memory = SceneMemory()
        self._anchor: Anchor | None = None
        self._opening = ""
        self._opened: tuple[str, Camera] = "", self._camera
        self._scale_before = self._scale_next = 0.0
        self._transition: Transition | None = None
        self._job = LatestJob(self, "jaxscope layout")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        self._page: QWidget = self
        self._across_chosen = self._along_chosen = 0.0
        self._fit_chosen: Fit = NO_WIDTH_LIMIT
        self._resized = QTimer(self, singleShot=True, interval=_RESIZED_MS)
        self._resized.timeout.connect(self._on_resized_timeout)
        self._wanted: Callable[[], None] = lambda: None
        self._placed = QTimer(self, singleShot=True, interval=0)
        self._placed.timeout.connect(self._on_placed_timeout)
        self._sight = QTimer(self, singleShot=True, interval=_SIGHT_MS)
        self._sight.timeout.connect(self._on_sight_timeout)
        self._explained: Camera | None = self._camera
        self._marks = _NO_MARKS
        self._was_sign_hit = False
        self._ahead: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._found: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self._adds = False
        self._current_node = self._hovered_node = NONE
        self._current_line = self._hovered_line = NONE
        self._current_id = ""
        self._reveal = NONE
        self._colour_by = ColourBy.FAMILY
        self._focus: frozenset[int] | None = None
        self._fates: Mapping[str, str] | None = NO_FATES
        self._num_devices = 0
        self._notes: Mapping[int, str] = {}
        self._group_notes: Mapping[str, str] = {}
        self.setAccessibleName(tr("Graph"))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._show_extras()

    # --- the scene and the camera ---

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
        """Which part of the scene is seen, and how large."""
        return self._camera

    def fit(self) -> None:
        """Show all of it, until somebody moves it; its beginning, where nothing could be read."""
        camera = self._fitting_camera()
        if camera is not None:
            self._look(camera)
            self._is_fitted = True

    def fit_to_read(self) -> None:
        """Show all of it where boxes have words then; else as much as can be read around the middle
        of what is seen, and all of it when asked a second time.
        """
        scene, was_to_read = self.scene, self._is_fitted_to_read
        if scene is None:
            return
        whole = self._whole_camera(scene, MARGIN_PX)
        if was_to_read or whole.scale >= LEAST_TOGETHER * self._text_scale:
            self._look(whole)
            self._is_fitted = whole == self._fitting_camera()
            return
        size = self.width(), self.height()
        self._look(read_around(self._camera, (scene.width, scene.height), *size, self._text_scale))
        self._is_fitted_to_read = True

    def _fitting_camera(self) -> Camera | None:
        scene = self.scene
        if scene is None:
            return None
        camera = self._whole_camera(scene, MARGIN_PX)
        is_told = camera.scale >= NEAR_SCALE or self._names_groups(camera)
        return camera if is_told else self._look_at_scene(scene)

    def _whole_camera(self, scene: Scene, margin: float) -> Camera:
        size = self.width(), self.height()
        most = most_scale(*size, self._text_scale)
        return fit_rect((0.0, 0.0, scene.width, scene.height), *size, most, margin)

    def _names_groups(self, camera: Camera) -> bool:
        """Whether groups are named in a picture that is so small that nothing else is."""
        drawing = self._drawing
        scale = camera.scale / self._unit
        return drawing is not None and len(drawing.list_titles(scale)) >= _LEAST_TITLES

    def _names_closed_groups(self, camera: Camera) -> bool:
        """Whether a third of the closed groups is named: frames of nameless boxes say little."""
        drawing = self._drawing
        if drawing is None:
            return False
        items, titles = drawing.scene.items, drawing.list_titles(camera.scale / self._unit)
        num_closed = int(items.is_group[items.num_frames :].sum())
        return 3 * sum(title.item >= items.num_frames for title in titles) >= num_closed

    def _look_at_less(self, scene: Scene) -> Camera:
        """The camera for what was seen whole, in a room where that cannot be read any more.

        It is seen whole, as long as that tells something, and else from its beginning, no larger.
        """
        camera, least = self._whole_camera(scene, SIDE_PX), LEAST_TOGETHER * self._text_scale
        is_told = self._names_groups(camera) and self._names_closed_groups(camera)
        if camera.scale >= least or is_told:
            return camera
        size, is_down = (scene.width, scene.height), scene.direction == DOWN
        return begin_at(size, is_down, self.width(), self.height(), least)

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
        limits = self._least_scale(), max(MOST_ZOOMED * self._text_scale, self._camera.scale)
        self._look(self._camera.zoomed(factor, at.x(), at.y(), *limits))

    def zoom_in(self) -> None:
        """Zoom in by one step."""
        self.zoom(_KEY_ZOOM)

    def zoom_out(self) -> None:
        """Zoom out by one step."""
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

    def _line_meant(self, place: QPointF) -> int:
        """The line under a place, or that whose label is there, where no box or connector is; else
        -1.
        """
        drawing, item = self._drawing, self.item_at(place)
        if drawing is None or item >= drawing.scene.items.num_frames:
            return NONE
        if self.connector_at(place) != NONE:
            return NONE
        at = self._camera.to_scene(place.x(), place.y())
        labels = drawing.labels_in(item, (*at, *at), self._camera.scale / self._unit)
        label = next(labels, None)
        return self.line_at(place) if label is None else label.line

    def set_spotlight(self, is_on: bool) -> None:
        """Dim all but what is selected, or nothing."""
        self._is_spotlit = is_on
        self.update()

    def set_text_scale(self, scale: float) -> None:
        """Follow the size of the window's type; 1 is ordinary."""
        if scale != self._text_scale:
            self._text_scale = scale
            self._legend.set_text_scale(scale)
            if self._drawing is not None:
                self._tiles = self._make_tiles(self._drawing)
            if self._is_untouched:
                self._look_anew()
            self._update_minimap()
            self.extras_changed.emit()
            self.update()

    def present(self, scale: float, *, is_on: bool) -> None:
        """Enlarge what is written, for a lecture; afterwards look at what was seen before.

        A picture that nobody has moved is chosen anew for its room, unless something is selected in
        it, or is seen from the beginning of the group that was opened last; one that was fitted is
        fitted; another is looked at nearer, with the same in its middle.

        Args:
            scale: Of the window's type; 1 is ordinary.
        """
        seen = (self._is_untouched, self._is_fitted, self._is_unmoved)
        is_as_first = self._expanded == self._opened_first
        is_whole = self._is_all_in_sight()
        before = _BeforePresenting(self._expanded, self._camera, *seen, is_as_first, is_whole)
        self._is_presented = is_on
        self.set_text_scale(scale)
        self._across_chosen = 0.0  # less of it can be read, or more: choose again
        if is_on:
            self._before_presenting = before
            # What is selected is presented, too.
            self._is_led = self._is_untouched or self._is_fitted
            if self._is_fitted and not self._is_untouched:
                self._look_anew()
            elif not (self._is_untouched or self._is_unmoved):
                self.zoom(max(WHOLE_SCALE * scale / self._camera.scale, 1.0))
        elif self._before_presenting is not None:
            before, self._before_presenting = self._before_presenting, None
            self._look_as_before(before)
        self._resized.start()

    def _look_as_before(self, before: _BeforePresenting) -> None:
        """Have the groups open that were open before it was presented, and look at the same."""
        self._look(before.camera)
        self._is_untouched, self._is_fitted, self._is_unmoved = before[2:5]
        self._anchor = None
        if before.expanded is not None and not (before.is_untouched and before.is_as_first):
            if before.toggled:  # as when it is opened in the window
                self._is_fitted = before.is_fitted and not before.is_untouched
                self._is_untouched, self._is_unmoved = False, not self._is_fitted
                self._opened = before.toggled, before.camera
                self._scale_before = before.camera.scale
            self.set_expanded(before.expanded)
        elif self._expanded != self._opened_first:
            self.reset_expanded()

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
        self._tell_hovered(NONE)
        self._is_untouched = True
        self._is_fitted = self._is_unmoved = self._is_led = self._is_seen_whole = False
        self._opened = "", self._camera
        self._message = message
        self._show_extras()
        self.update()

    def show_scene(self, index: SceneIndex, camera: Camera | None) -> None:
        """Show another scene, from a camera or from its beginning."""
        self._is_fitted_to_read = False
        self._drawing = self._draw(index)
        self._tiles = self._make_tiles(self._drawing)
        self._highlight = no_highlight()
        self._tell_hovered(NONE)  # another may be there by now
        self._set_current_line(NONE)  # lines are numbered anew
        self._hovered_line = NONE
        if camera is not None:
            self._camera = camera
        elif self._is_untouched:
            self._look_at_beginning()
            self._is_seen_whole = self._page.isVisible() and self._is_all_in_sight()
        elif self._is_fitted:
            self._camera = self._fitting_camera() or self._camera
        self._show_extras()
        self.update()

    def _draw(self, index: SceneIndex) -> SceneDrawing:
        """A scene in the present colours."""
        scene, palette = index.scene, colors(self._theme)
        self._tint, focused = self.tint_of(scene), self.focused_items(scene)
        shades = make_shades(scene, self._tint, palette, self._theme, focused)
        return SceneDrawing(index, palette, shades)

    @property
    def _unit(self) -> float:
        """What the least sizes of type are multiplied by: they follow the window's type."""
        return max(self._text_scale, 1.0)

    def _make_tiles(self, drawing: SceneDrawing) -> TileCache:
        return TileCache(drawing, self.devicePixelRatioF(), self._unit)

    def repaint_scene(self) -> None:
        """Draw the scene anew, in other colours."""
        if self._drawing is not None:
            self._drawing = self._draw(self._drawing.index)
            self._tiles = self._make_tiles(self._drawing)
            self._show_extras()
        self.update()

    def _look_anew(self) -> None:
        """Fit the picture again unless a person moved it; highlighted boxes stay visible."""
        if self._is_untouched:
            self._look_at_beginning()
            # What is presented must be read from afar: else what was seen whole is so again.
            is_cut = self._is_seen_whole and not self._is_all_in_sight()
            if is_cut and self.scene is not None and not self._is_presented:
                self._camera = self._look_at_less(self.scene)
        elif self._is_fitted:
            self._camera = self._fitting_camera() or self._camera
        elif self._is_unmoved:
            self._look_at_opened()
        if self._is_led and not (self._is_fitted and self._is_all_in_sight()):
            self.reveal_highlight()

    def _look_at_opened(self) -> None:
        """Show the group that was opened last, or all, where that is no smaller."""
        scene, whole, (group_id, _) = self.scene, self._fitting_camera(), self._opened
        if scene is None or whole is None:
            return
        camera, item = self._camera, scene.item_of_id.get(group_id, NONE)
        if 0 <= item < scene.items.num_frames:
            middle, scale = (self.width() / 2, self.height() / 2), self._scale_before
            if self._before_presenting is not None:
                scale = max(scale, WHOLE_SCALE * self._text_scale)
            camera = camera.zoomed(scale / camera.scale, *middle, scale)
            camera = self._show_opened(scene, item, camera)
            if self._before_presenting is not None:
                camera = self._in_the_middle(scene, item, camera)
            self._opened = group_id, camera
        self._camera = camera
        is_larger = whole.scale >= camera.scale and self._is_all_in_sight(whole)
        if is_larger or self._is_all_in_sight():
            self._is_fitted, self._camera = True, whole

    def _in_the_middle(self, scene: Scene, opened: int, camera: Camera) -> Camera:
        """The camera with what is selected in the middle; else with a group, across, if it fits."""
        rects = scene.items.rect
        chosen = self._highlight.selected
        item = min(chosen, key=lambda each: rects[each, 2] * rects[each, 3], default=opened)
        x, y, wide, high = rects[int(item)].tolist()
        left, top = camera.to_widget(x, y)
        across = left + (wide * camera.scale - self.width()) / 2
        along = top + (high * camera.scale - self.height()) / 2
        if len(chosen):
            return camera.moved(across, along)
        return camera.moved(across if wide * camera.scale <= self.width() else 0.0, 0.0)

    def _look_at_beginning(self) -> None:
        scene = self.scene
        if scene is None or not scene.width:
            return
        self._camera = self._look_at_scene(scene)
        is_low = self._room().is_low or self._is_presented
        if is_low and not self._is_all_in_sight():
            whole = self._whole_camera(scene, SIDE_PX)
            # All of it stays in sight until its type is fitted to another room.
            is_old = self._typed_for not in (None, self._presented_room())
            if whole.scale >= self._least_together or (is_old and self._is_seen_whole):
                self._camera = whole

    @property
    def _least_together(self) -> float:
        """How small a picture is shown for all of it to be seen; what is presented and was whole in
        the window, also as small as it was there.
        """
        least, before = LEAST_TOGETHER * self._text_scale, self._before_presenting
        return min(least, before.camera.scale) if before is not None and before.is_whole else least

    def _look_at_scene(self, scene: Scene) -> Camera:
        size = self.width(), self.height()
        return look_at_scene(scene, *size, self._text_scale)

    def sizeHint(self) -> QSize:
        return QSize(900, 640)

    def _paint_scene(self, painter: QPainter) -> None:
        if self._tiles is None or self._drawing is None:
            paint_message(painter, self.size(), colors(self._theme), self._message)
        else:
            camera, width, height = self._camera, self.width(), self.height()
            missing = self._tiles.paint(painter, camera.x, camera.y, width, height, camera.scale)
            if self._is_spotlit:
                paint_spotlight(painter, self._drawing, self._highlight, camera, self.size())
            paint_edge_shades(painter, self._drawing, camera, width, height)
            unit = self._unit
            size = width / unit, height / unit
            camera = Camera(camera.x, camera.y, camera.scale / unit)
            painter.save()
            painter.scale(unit, unit)
            paint_overlay(painter, self._drawing, self._highlight, camera, *size)
            if title := pinned_title(self._drawing.scene, camera, *size):
                paint_pinned_title(painter, title, self._drawing.colors)
            painter.restore()
            self._update_minimap()
            if missing:
                self.update()
        if self._progress and self._drawing is not None:
            paint_progress(painter, self.width(), colors(self._theme), self._progress)

    def _show_extras(self) -> None:
        """Tell overview and legend about the scene."""
        drawing, tiles = self._drawing, self._tiles
        if drawing is not None and tiles is not None and len(drawing.scene.items):
            scene = drawing.scene
            self._minimap.show_scene(tiles.backdrop(), scene.width, scene.height, drawing.colors)
            self._explain(drawing)
            self._update_minimap()
        self.extras_changed.emit()

    def _explain(self, drawing: SceneDrawing) -> None:
        """Have the legend name what is seen."""
        entries = self._colour_entries(drawing)
        if self._view is not None and self._view.batched:
            told, short = tr("B=: axis added by vmap"), tr("B=: vmap")
            if any(len(axes) > 1 for axes in self._view.batched.values()):
                told = tr("B=, B2=: axes added by vmap, the outer first")
                short = tr("B=, B2=: vmap, outer first")
            entries = (words_alone(told, drawing.colors, short), *entries)
        if any(title.endswith(ELSEWHERE) for title in drawing.scene.items.titles):
            told = tr("↗: inside drawn at another box")
            entries = (*entries, words_alone(told, drawing.colors))
        seen = self._items_in_sight(drawing)
        entries = (*entries, *list_manual_axes(drawing.scene, seen, drawing.colors))
        if self._num_devices:
            told = tr("types: on each of {num} devices", num=self._num_devices)
            entries = (words_alone(told, drawing.colors, tr("types: per device")), *entries)
        self._legend.show_entries(entries, drawing.colors, self._outline_entries(drawing))

    @property
    def drawn_text(self) -> str:
        """How many operations of the program there are, and how many of them a person would look
        for and finds in boxes of others; empty where there are none of these.
        """
        view, scene = self._view, self.scene
        if view is None or scene is None:
            return ""
        opened = frozenset(scene.items.box[: scene.items.num_frames].tolist())
        detail = text_of(view, view.boxes[ROOT]).detail
        told = detail_when_open(view, ROOT, detail, opened)
        return "" if told == detail else tr_said(told)

    @property
    def rest_text(self) -> str:
        """What of the program has no box, and where it is drawn."""
        view, scene = self._view, self.scene
        return "" if view is None or scene is None else describe_rest(view, scene, ROOT)

    def _colour_entries(self, drawing: SceneDrawing) -> Sequence[LegendEntry]:
        seen = self._items_in_sight(drawing)
        if self._tint is None:
            return list_entries(drawing.scene, seen, self._theme)
        # Open groups do not have the colours that such a legend explains.
        seen = seen[seen >= drawing.scene.items.num_frames]
        return list_tints(self._tint, drawing.colors, self._theme, seen)

    def _outline_entries(self, drawing: SceneDrawing) -> Sequence[LegendEntry]:
        seen, light = self._items_in_sight(drawing), self._highlight
        return list_outlines(
            drawing.colors,
            selected=bool(np.isin([*light.selected, light.current], seen).any()),
            found=bool(np.isin(light.found, seen).any()),
            forward=bool(np.isin(light.forward, seen).any()),
            backward=bool(np.isin(light.backward, seen).any()),
            has_parts=len(light.backward) > 0,
        )

    def _items_in_sight(self, drawing: SceneDrawing) -> npt.NDArray[np.int64]:
        """Boxes and open groups that are seen."""
        camera = self._camera
        sight = (camera.x, camera.y, *camera.to_scene(self.width(), self.height()))
        return drawing.item_grid.query(*sight)

    def _on_sight_timeout(self) -> None:
        """One looks at another part: explain what is seen there."""
        drawing = self._drawing
        if drawing is not None and self._camera != self._explained:
            self._explained = self._camera
            self._explain(drawing)

    def _update_minimap(self) -> None:
        camera = self._camera
        if camera != self._explained and not self._sight.isActive():
            self._sight.start()
        size = self.width() / camera.scale, self.height() / camera.scale
        self._minimap.show_sight(QRectF(camera.x, camera.y, *size))

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._explained = None
        if self._before_presenting is not None and not self._is_unmoved:  # the middle stays there
            grown = event.oldSize() - event.size()
            self._camera = self._camera.moved(grown.width() / 2, grown.height() / 2)
        self._look_anew()
        self._update_minimap()
        self._resized.start()

    def reveal_highlight(self, *, is_new: bool = False) -> None:
        """Bring what is highlighted into sight, unless some of it is there already.

        What was selected just now, and not in this picture, is seen whole: all of it if there is
        room. Nobody has moved the picture by that: it is still fitted when it gets more room.
        """
        scene, marks = self.scene, self._highlight
        items = np.concatenate([marks.selected, marks.forward, marks.backward, marks.found])
        if scene is None or not len(items):
            return
        rects = scene.items.rect[items]
        smallest = int(np.argmin(rects[:, 2] * rects[:, 3]))
        camera, size = self._camera, (self.width(), self.height())
        linked = np.concatenate([marks.selected, marks.forward, marks.backward])
        linked = linked[linked >= scene.items.num_frames]
        after = reveal_rect(rects[smallest].tolist(), camera, *size, 0.5)
        if is_new and marks.current == NONE and len(linked):
            after = reveal_together(scene.items.rect[linked], camera, *size)
        elif not (self._is_led and self._before_presenting is not None):  # a half box says little
            after = None if is_any_in_sight(rects, camera, *size) else after
        if after not in (None, camera):
            chosen = self._is_untouched, self._is_fitted, self._is_unmoved
            self._look(after)
            self._is_untouched, self._is_fitted, self._is_unmoved = chosen
            self._is_led = any(chosen)

    def _bring_into_sight(self, item: int, *, is_new: bool = False) -> None:
        """Show an item; in a picture that nobody has seen yet in the middle, unless it is seen."""
        scene = self.scene
        if scene is not None and item != NONE:
            rect, near = scene.items.rect[item].tolist(), 0.0 if is_new else 0.5
            camera = reveal_rect(rect, self._camera, self.width(), self.height(), near)
            if camera is not None:
                self._look(camera)

    def _least_scale(self) -> float:
        scene = self.scene
        if scene is None:
            return 0.01
        fit = fit_rect((0.0, 0.0, scene.width, scene.height), self.width(), self.height())
        return min(fit.scale, LEAST_TOGETHER * self._text_scale, self._camera.scale)

    def _look(self, camera: Camera) -> None:
        self._transition = None  # who moves the picture has seen enough
        self._is_untouched = self._is_fitted = self._is_unmoved = self._is_led = False
        self._is_fitted_to_read = False
        self._camera = camera
        self.update()

    def _on_minimap_place_requested(self, place: QPointF) -> None:
        scale = self._camera.scale
        x, y = place.x() - self.width() / scale / 2, place.y() - self.height() / scale / 2
        self._look(Camera(x, y, scale))

    # --- the graph, and which of its groups are open ---

    def describe_rest(self, group: str, node: int) -> str:
        """What is no box in a group, by its id or by its node; empty where all is, or no group."""
        view, scene = self._view, self.scene
        if view is None or scene is None:
            return ""
        found = view.index_of(group) if group else None
        if node != NONE:
            found = int(view.box_of_node[node])
        if found is None or found == NONE or not view.boxes[found].children:
            return ""
        is_meant = node == NONE or view.boxes[found].node == node
        return describe_rest(view, scene, found) if is_meant else ""

    @property
    def view(self) -> View | None:
        """The view of the graph, or None while there is none."""
        return self._view

    @property
    def highlight(self) -> Highlight:
        """What stands out in the picture."""
        return self._highlight

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
        return self._job.is_running or self._placed.isActive()

    @property
    def is_sharp(self) -> bool:
        """Whether everything visible was painted at the present scale."""
        return self._tiles is None or self._tiles.is_complete

    @property
    def is_moving(self) -> bool:
        """Whether boxes are on their way to their places in another picture."""
        return self._transition is not None

    def set_graph(
        self,
        graph: Graph | Unavailable | None,
        title: str = "",
        kept: KeptPicture | None = None,
    ) -> None:
        """Show another graph, or say why there is none.

        Args:
            graph: The graph, the reason for its absence, or None.
            title: Of the stage, for screen readers.
            kept: What to take over from the picture of an earlier run, or from when it was left.
        """
        self._job.stop()
        self._placed.stop()
        self.setAccessibleName(tr("Graph of {title}", title=title) if title else tr("Graph"))
        self._graph = graph if isinstance(graph, Graph) else None
        self._view = None
        self._cache = {}
        self._memory = SceneMemory()
        self._anchor = None
        self.forget_nodes()
        if self._before_presenting is not None:  # of another graph
            self._before_presenting = self._before_presenting._replace(
                expanded=None, is_untouched=True, is_as_first=True
            )
        if isinstance(graph, Graph) and len(graph.nodes):
            self.drop_scene(
                tr(
                    "Laying out {size} … Esc stops",
                    size=tr_count(*count_named(graph)),
                )
            )
            if kept is not None:
                self._is_fitted, self._scale_next = kept.is_fitted, kept.scale
            self._is_untouched = kept is None or (kept.middle is None and not kept.is_fitted)
            self._start(graph, None, None, kept)
            return
        message = explain_absence(graph)
        self.drop_scene(message)
        self.setAccessibleDescription(message)
        self._set_busy(False)

    def take_graph(self, graph: Graph) -> bool:
        """Show the same picture of a graph that got costs, times or links since.

        Returns:
            Whether it is such a graph; of any other nothing is taken.
        """
        if self._graph is None or not draws_as(graph, self._graph):
            return False
        self._graph = graph
        if self._view is not None:
            self._view = self._view.with_graph(graph)
            self.repaint_scene()
        return True

    def keep(self) -> KeptPicture | None:
        """What to keep when another picture replaces this one: for a later run's picture of the
        same stage, or for when this one is shown again.
        """
        scene, anchor = self.scene, None
        if scene is None or self._view is None:
            return None
        if not (self._is_untouched or self._is_fitted):
            item = find_middle_item(scene, self._camera, self.width(), self.height())
            anchor = anchor_of(scene, self._camera, item) if item != NONE else None
        items = scene.items
        opened = frozenset(items.box[: items.num_frames].tolist())
        return KeptPicture(
            self._view,
            opened,
            list_closed(self._view, opened),
            self._expanded == self._opened_first,
            anchor,
            self._fit_chosen,
            self._across_chosen,
            self._camera.scale,
            self._is_fitted and not self._is_untouched,
        )

    def set_direction(self, direction: str) -> None:
        """Let values flow `down` or `right`."""
        if direction != self._direction:
            self._direction = direction
            self._cache = {}
            self._memory = SceneMemory()
            self._is_untouched = True
            self._restart()

    def set_hidden_passes(self, names: Collection[str]) -> None:
        """Leave out simplifications; the names are those of `picture.view.build.PASSES`."""
        if frozenset(names) != self._without:
            self._without = frozenset(names)
            kept, self._view = self.keep(), None
            if self._graph is not None and len(self._graph.nodes):
                self._start(self._graph, None, None, kept)

    def set_engine(self, engine: Engine) -> None:
        """Choose who lays groups out; what it could not do, the picture's notes say."""
        if engine is not self._engine:
            self._engine = engine
            self._restart()

    def set_expanded(self, ids: Collection[str]) -> None:
        """Open exactly these groups."""
        if frozenset(ids) != self._expanded:
            before, self._expanded = self._expanded, frozenset(ids)
            self._keep_after_presenting(before)
            self._restart()

    def _keep_after_presenting(self, before: frozenset[str], group_id: str = "") -> None:
        """What a person opens or closes while it is presented stays so afterwards.

        Args:
            before: The groups that were open.
            group_id: The one that was opened or closed, if it was one.
        """
        kept = self._before_presenting
        if kept is None:
            return
        opened, closed = self._expanded - before, before - self._expanded
        expanded = ((before if kept.expanded is None else kept.expanded) | opened) - closed
        is_opened = group_id in self._expanded
        is_moved = not (kept.is_untouched or kept.is_fitted or kept.is_unmoved)
        self._before_presenting = kept._replace(
            expanded=expanded,
            is_as_first=False,
            toggled=group_id if is_opened and not is_moved else kept.toggled,
        )

    def toggle_group(self, group_id: str) -> None:
        """Open a closed group or close an open one; its place on the screen stays.

        Where it would not be seen whole, the picture is moved, and made smaller as far as it can
        be read. If the group is closed before anybody moves it, it is as large as before.
        """
        if self._view is None:
            return
        self._keep_eye_on(self.scene.item_of_id.get(group_id, NONE) if self.scene else NONE)
        before = self._expanded
        self._expanded ^= {group_id}
        if group_id in self._expanded:
            self._expanded = open_walk(self._view, self._expanded, group_id)
            self._opening, self._scale_before = group_id, self._camera.scale
        elif self._opened == (group_id, self._camera):
            self._scale_next = self._scale_before
        self._keep_after_presenting(before, group_id)
        self._restart()
        self.group_toggled.emit(group_id)

    def step(self, item: int, by: int) -> None:
        """Show the next copy of a repeat, or the one before, opened as the one that is shown."""
        scene, view = self.scene, self._view
        if scene is None or view is None or item not in scene.walks:
            return
        group_id = scene.items.ids[item]
        opened = step_copy(view, self._expanded, group_id, by)
        if opened is not None:
            if self._marks[0] < frozenset(view.nodes_inside(int(scene.items.box[item]))):
                self.deselected.emit()  # it is in a copy that is shown no longer
            self._keep_eye_on(item)
            before, self._expanded = self._expanded, opened
            self._keep_after_presenting(before)
            self._restart()
            self.group_toggled.emit(group_id)

    def step_back(self) -> None:
        """Show the copy before of the repeat that the keyboard is in, or that is in sight."""
        self.step(self._walk_at_hand(), -1)

    def step_on(self) -> None:
        """Show its next copy."""
        self.step(self._walk_at_hand(), 1)

    def _walk_at_hand(self) -> int:
        scene = self.scene
        if scene is None or not scene.walks:
            return NONE
        item = self._current_item()
        while item != NONE:
            if item in scene.walks:
                return item
            item = int(scene.items.parent[item])
        walks = sorted(scene.walks)
        size = self.width(), self.height()
        rects = scene.items.rect
        seen = (w for w in walks if is_any_in_sight(rects[[w]], self._camera, *size))
        return next(seen, walks[0])

    def _step_at(self, place: QPointF) -> tuple[int, int] | None:
        """The repeat and the direction of the sign under a place, if there is one."""
        scene = self.scene
        if scene is None:
            return None
        at = QPointF(*self._camera.to_scene(place.x(), place.y()))
        for item in scene.walks:
            for area, by in zip(step_areas(scene, item), (-1, 1), strict=True):
                if area.contains(at):
                    return item, by
        return None

    def follow(self, ids: Collection[str], group_id: str) -> None:
        """Open exactly these groups, as somebody did elsewhere; one of them keeps its place."""
        wanted = frozenset(ids)
        if self._view is not None and wanted != self._expanded:
            self._keep_eye_on(self.scene.item_of_id.get(group_id, NONE) if self.scene else NONE)
            self._expanded = wanted
            self._restart()

    def expand_all(self) -> None:
        """Open every group."""
        if self._view is not None:
            self._fit_chosen = NO_WIDTH_LIMIT
            self.set_expanded(self._view.all_groups())

    def expand_many(self) -> None:
        """Open groups, the largest first, as long as one can find one's way in the picture."""
        if self._view is not None:
            self._fit_chosen = NO_WIDTH_LIMIT
            self.set_expanded(open_many(self._view))

    def collapse_all(self) -> None:
        """Close every group."""
        self._is_untouched = True
        self.set_expanded(())

    def reset_expanded(self) -> None:
        """Open the groups that are open at first, as many as there is room for by now."""
        if self._graph is not None and self._view is not None:
            if self._before_presenting is not None:
                self._before_presenting = self._before_presenting._replace(
                    is_untouched=True, is_as_first=True, toggled=""
                )
            self._is_untouched = True
            self._anchor = None
            self._start(self._graph, self._view, None)

    def stop_layout(self) -> None:
        """Stop a running layout; what was shown before stays."""
        if self.is_busy:
            self._job.stop()
            self._placed.stop()
            if self.scene is None:
                self.drop_scene(tr("The layout was stopped."))
            else:
                self._expanded = self.scene.opened
            self._set_busy(False)

    def set_page(self, page: QWidget) -> None:
        """Choose pictures for the room of a page, which legend and overview share with them."""
        self._page = page

    def _room(self) -> Viewport:
        size = self._page.width(), self._page.height()
        return Viewport(*size, self._text_scale, self._is_presented)

    def _presented_room(self) -> tuple[float, ...] | None:
        """The room of what is presented; else None."""
        room = self._room()
        return (room.width, room.height, room.text_scale) if room.is_presented else None

    def _restart(self) -> None:
        if self._graph is not None and len(self._graph.nodes):
            self._start(self._graph, self._view, None if self._view is None else self._expanded)

    def _start(
        self,
        graph: Graph,
        view: View | None,
        expanded: frozenset[str] | None,
        kept: KeptPicture | None = None,
    ) -> None:
        self._placed.stop()
        self._is_choosing_again &= expanded is None and view is not None
        is_small = (
            len(graph.nodes) <= _INLINE_NODES
            and len(graph.groups) <= _INLINE_GROUPS
            and self._engine is Engine.OWN
        )
        if not (is_small or self._page.isVisible()):  # its room is not known before it is placed
            self._job.stop()
            self._wanted = functools.partial(self._begin, graph, view, expanded, kept)
            self._placed.start()
            self._set_busy(True)
            return
        self._begin(graph, view, expanded, kept, is_inline=is_small)

    def _on_placed_timeout(self) -> None:
        self._wanted()

    def _begin(
        self,
        graph: Graph,
        view: View | None,
        expanded: frozenset[str] | None,
        kept: KeptPicture | None,
        *,
        is_inline: bool = False,
    ) -> None:
        self._ordered_for = self._presented_room()
        order = PictureOrder(
            graph,
            view,
            expanded,
            kept,
            self._direction,
            self._cache,
            self._memory,
            self._without,
            self._room(),
            self._engine,
            self._fit_chosen,
            0.0 if self._is_untouched else self._camera.scale / self._text_scale,
            self._least_together / self._text_scale,
        )
        if is_inline:
            self._on_job_finished(order.work_out(lambda: False))
            return
        self._job.start(order.work_out)
        self._set_busy(True)

    def _on_job_finished(self, answer: object) -> None:
        assert isinstance(answer, PreparedPicture)
        scene = answer.index.scene
        is_again, self._is_choosing_again = self._is_choosing_again, False
        if answer.opened_first is not None:
            self._across_chosen, self._along_chosen = answer.across, self._along()
        least = LEAST_TOGETHER * self._text_scale
        is_lower, self._is_choosing_lower = is_again and self._is_choosing_lower, False
        is_whole = is_again and self._is_all_in_sight()
        is_whole = is_whole and self._camera.scale >= self._least_together
        is_better = self._is_all_in_sight(self._look_at_scene(scene), scene)
        if self._camera.scale < least:  # nor can it be read from afar
            is_better = is_better or self._whole_camera(scene, SIDE_PX).scale >= least
        if is_lower:
            is_better = self._whole_camera(scene, SIDE_PX).scale >= _LEAST_LOWER * self._text_scale
        if (is_whole or is_lower) and not is_better:
            self._set_busy(False)
            if self._typed_for != self._ordered_for:  # of the picture that stays
                self._resized.start()
            return  # more of it would be open, and less of it seen
        if self._typed_for != self._ordered_for:
            self._typed_for = self._ordered_for
            self._resized.start()  # other groups may be open now
        now = self._graph or answer.view.graph  # costs may have come while it was worked out
        self._view = answer.view.with_graph(now) or answer.view
        self._expanded = scene.opened
        if answer.opened_first is not None:
            self._fit_chosen = answer.fit
            self._resized.start()  # the page may have become another while this was worked out
            self._opened_first = answer.opened_first
            # Nothing to hold it by: it is looked at from its beginning.
            is_fitted = self._is_fitted and not self._is_untouched
            self._is_untouched = answer.anchor is None and not is_fitted
        self._anchor = answer.anchor or self._anchor
        before = (
            ViewedDrawing(self._drawing, self._camera) if self._drawing and self._anchor else None
        )
        self.show_scene(answer.index, self._camera_for(scene))
        if is_lower:
            self._camera, self._is_seen_whole = self._whole_camera(scene, SIDE_PX), True
        self._anchor = None
        if self._is_unmoved and not self._is_all_in_sight():
            whole = self._fitting_camera()  # a group was closed: all may be seen again
            if whole is not None and whole.scale >= self._camera.scale:
                self._camera = whole
        self._is_fitted |= self._is_unmoved and self._is_all_in_sight()
        # Lead the eye from the picture before, where something of it was held in its place.
        self._transition = None
        if before is not None and self._drawing is not None and may_move(self):
            after = ViewedDrawing(self._drawing, self._camera)
            self._transition = make_transition(before, after, (self.width(), self.height()))
        self.setAccessibleDescription(spoken_scene(scene))
        self.meet_picture()
        if self._is_led:
            self.reveal_highlight()
        self._set_busy(False)
        self.scene_changed.emit()

    def _is_all_in_sight(self, camera: Camera | None = None, scene: Scene | None = None) -> bool:
        scene, camera = scene or self.scene, camera or self._camera
        if scene is None:
            return False
        left, top = camera.to_widget(0.0, 0.0)
        right, bottom = camera.to_widget(scene.width, scene.height)
        return min(left, top) >= 0 and right <= self.width() and bottom <= self.height()

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        transition = self._transition
        if transition is None or transition.is_over or self._drawing is None:
            self._transition = None
            self._paint_scene(painter)
            painter.end()
            return
        transition.paint(painter, self.width(), self.height())
        painter.end()
        if self._tiles is not None:  # so that the picture is sharp when everything is in place
            camera = self._camera
            self._tiles.prepare(camera.x, camera.y, self.width(), self.height(), camera.scale)
        self.update()

    def _on_job_failed(self, error: object) -> None:
        self.drop_scene(tr("The graph could not be laid out: {error}", error=error))
        self._set_busy(False)

    def _set_busy(self, is_busy: bool) -> None:
        self._progress = tr("Laying out … Esc stops") if is_busy else ""
        self.busy_changed.emit(is_busy)
        self.update()

    def _camera_for(self, scene: Scene) -> Camera | None:
        """The camera that leaves what is held where it was."""
        scale, self._scale_next = self._scale_next or self._camera.scale, 0.0
        if self._anchor is None:
            return None
        camera = camera_at(self._anchor, scene, scale)
        self._is_untouched = self._is_untouched or camera is None
        opened, self._opening = scene.item_of_id.get(self._opening, NONE), ""
        if camera is None or not 0 <= opened < scene.items.num_frames:
            return camera
        camera = self._show_opened(scene, opened, camera)
        self._opened = scene.items.ids[opened], camera
        return camera

    def _show_opened(self, scene: Scene, opened: int, camera: Camera) -> Camera:
        """The camera that has a group that was opened in sight, whole where that can be read."""
        inside = np.flatnonzero(scene.items.parent == opened)
        rects = scene.items.rect[[opened, *inside]]
        around = scene.items.rect[list_outside(scene, opened)]
        beside = OVERVIEW_PX if self._page is not self else 0  # which comes where not all is seen
        across, along = (beside, 0) if self._direction == DOWN else (0, beside)
        width = min(self.width(), self._page.width() - across)
        height = min(self.height(), self._page.height() - along)
        return show_opened(rects, camera, width, height, self._text_scale, around)

    def _keep_eye_on(self, item: int) -> None:
        if self.scene is not None and item != NONE:
            self._anchor = anchor_of(self.scene, self._camera, item)
            self._is_unmoved |= self._is_untouched or self._is_fitted
            self._is_untouched = self._is_fitted = False

    def _on_resized_timeout(self) -> None:
        """A page has room for more or for less: unless somebody has chosen, choose again.

        Not while something in an open group is selected: that might be closed.
        """
        # What was presented is fitted to its new room first; what is not yet, once it is chosen.
        if self._typed_for is not None and self._fit_type():
            return
        is_as_first = self._expanded == self._opened_first
        across = self._page.width() if self._direction == DOWN else self._page.height()
        is_other = abs(across - self._across_chosen) > OTHER_ROOM_PX
        # In a lower page it is smaller, and all that was open still is: unless titles are cut then.
        # What was seen whole is as it was once there is the old room again.
        along = self._along() - self._along_chosen
        is_cut = self._is_seen_whole and self._camera.scale < WHOLE_SCALE * self._text_scale
        is_lower = along < -OTHER_ROOM_PX and self._room().is_low and is_cut
        is_other |= along > OTHER_ROOM_PX or is_lower
        is_idle = self.scene is not None and not self.is_busy
        view = self._view
        is_marked = len(self._found) > 0 or (
            view is not None
            and any(
                view.path_to_node(node) & self._expanded
                for node in itertools.chain(*self._marks)
                if 0 <= node < len(view.box_of_node)
            )
        )
        is_free = self._is_untouched and is_as_first and not is_marked  # else it would close
        self._is_seen_whole |= self._is_untouched and is_idle and self._is_all_in_sight()
        if is_free and is_other and is_idle:
            assert self._graph is not None
            self._is_choosing_again, self._is_choosing_lower = True, is_lower
            self._start(self._graph, self._view, None)
        else:
            self._fit_type()

    def _fit_type(self) -> bool:
        """Compose the same groups for the room that they are presented in, or no longer are.

        Returns:
            Whether that is due, and begun.
        """
        room, is_held = self._presented_room(), not (self._is_untouched or self._is_fitted)
        is_old = room != self._typed_for and not (is_held and room)
        if self._graph is None or self.scene is None or self.is_busy or not is_old:
            return False
        self._start(self._graph, self._view, self._expanded)
        return True

    def _along(self) -> int:
        """Pixels of the page along the flow."""
        return self._page.height() if self._direction == DOWN else self._page.width()

    # --- selection, colours and marks ---

    @property
    def colour_by(self) -> ColourBy:
        """What the colours of boxes mean."""
        return self._colour_by

    def set_colour_by(self, by: ColourBy) -> None:
        """Let the colours of boxes mean something else."""
        if by is not self._colour_by:
            self._colour_by = by
            self.repaint_scene()
            self.colours_changed.emit(by)

    def set_focus(self, nodes: Collection[int] | None) -> None:
        """Fade everything but some nodes; None lets all be seen."""
        self._focus = None if nodes is None else frozenset(nodes)
        self.repaint_scene()

    def look_at_nodes(self, nodes: Collection[int]) -> None:
        """Bring nodes into sight together, as large as now or smaller, where that can be read."""
        scene = self.scene
        items = items_of_nodes(scene, nodes) if scene is not None else np.zeros(0, np.int64)
        if scene is None or not len(items):
            return
        boxes = items[items >= scene.items.num_frames]
        rects = scene.items.rect[boxes if len(boxes) else items]
        low, high = rects[:, :2].min(axis=0), (rects[:, :2] + rects[:, 2:]).max(axis=0)
        around = (*low.tolist(), *(high - low).tolist())
        camera = fit_rect(around, self.width(), self.height(), self.camera.scale)
        if camera.scale >= LEAST_TOGETHER:
            self._look(camera)

    @property
    def focus(self) -> frozenset[int] | None:
        """The nodes that are in focus; None where all are."""
        return self._focus

    def focused_items(self, scene: Scene) -> npt.NDArray[np.int64] | None:
        """Items of the nodes that are in focus."""
        return None if self._focus is None else items_of_nodes(scene, self._focus)

    def tint_of(self, scene: Scene) -> Tint | None:
        """The colours of a scene; None for those of its styles."""
        if self._graph is None:
            return None
        marked = sorted(self._marks[0])
        return tint_scene(self._graph, scene, self._colour_by, marked, self._fates)

    def set_num_devices(self, num: int) -> None:
        """Know how many devices run what is shown, each on parts of the arrays; 0 for one."""
        if num != self._num_devices:
            self._num_devices = num
            if self._drawing is not None:
                self._explain(self._drawing)

    def set_fates(self, fates: Mapping[str, str] | None) -> None:
        """Know the fates of the equations that are shown, by their ids; None: not yet."""
        if fates is not self._fates and fates != self._fates:
            self._fates = fates
            if self._colour_by is ColourBy.FATE:
                self.repaint_scene()

    def forget_nodes(self) -> None:
        """Another graph is to be shown: node indices of the one before mean nothing."""
        self._current_node = self._reveal = NONE
        self._current_id = ""
        self._marks = _NO_MARKS
        self._ahead = self._found = np.zeros(0, np.int32)
        self._focus = None
        self._notes, self._group_notes = {}, {}

    def meet_picture(self) -> None:
        """Another picture is shown: find the selection in it."""
        self._update_highlight()
        if self._reveal != NONE:
            self._bring_into_sight(self._item_of(self._reveal), is_new=True)
            self._reveal = NONE

    def set_highlight(
        self, selected: Iterable[int], forward: Iterable[int], backward: Iterable[int]
    ) -> bool:
        """Outline nodes: the selected ones, what they went into, what they came from.

        Returns:
            Whether they are others than before.
        """
        before = self._marks
        marks = (frozenset(selected), frozenset(forward), frozenset(backward))
        if marks == before is not _NO_MARKS:
            return False  # each step of a run hands out the same again
        self._marks = marks
        if self._colour_by is ColourBy.SAME and marks[0] and marks[0] != before[0]:
            self.repaint_scene()
        self._update_highlight()
        return True

    def set_found(self, nodes: npt.NDArray[np.int32]) -> None:
        """Mark what a search found."""
        if not np.array_equal(nodes, self._found):
            self._found = nodes
            self._update_highlight()

    def set_preview(self, nodes: npt.NDArray[np.int32]) -> None:
        """Outline nodes thinly: what is linked to what is looked at ahead."""
        if len(nodes) or len(self._ahead):
            self._ahead = nodes
            scene = self.scene
            if scene is not None:
                ahead = items_of_nodes(scene, nodes)
                self._highlight = dataclasses.replace(self._highlight, ahead=ahead)
                self.update()

    def set_notes(self, notes: Mapping[int, str], groups: Mapping[str, str]) -> None:
        """Mark bookmarked nodes, and groups by their ids; say on hovering what was written."""
        if (notes, groups) != (self._notes, self._group_notes):
            self._notes, self._group_notes = notes, groups
            self._update_highlight()

    def places_of_nodes(
        self, nodes: npt.NDArray[np.int32], *, is_across: bool = False
    ) -> npt.NDArray[np.float64]:
        """Top and bottom of the boxes of nodes, in pixels from the widget's top, one row each.

        Or left and right, from its left, where that is what is asked for.
        Those of nodes that are not drawn are NaN; an open group is where its title is.
        """
        scene = self.scene
        if scene is None:
            return np.full((len(nodes), 2), np.nan)
        find = find_places_across if is_across else find_places_down
        return find(scene, self.camera, nodes)

    def select_node(self, node: int, *, reveal: bool = True) -> None:
        """Make a node the current one without a signal; -1 clears it.

        Args:
            node: Node index.
            reveal: Open the groups around it and bring it into sight.
        """
        # A node that is the current one may be the result that it gives.
        if node != self._current_node or node == NONE:
            self._current_node, self._current_id = node, ""
            self._set_current_line(NONE)
        view = self._view
        if reveal and view is not None and 0 <= node < len(view.box_of_node):
            self._show_inside(node, view.path_to_node(node))
        self._update_highlight()

    def show_group(self, group_id: str) -> bool:
        """Bring a group's box into sight, opening what is around it; false where there is none."""
        view = self._view
        box = view.index_of(group_id) if view is not None else None
        if view is None or box is None:
            return False
        first = next(iter(view.nodes_inside(box)), NONE)
        around = view.ancestors(box)
        if around and is_walk(view, around[0]):
            around = [box, *around]  # a copy is shown by being open
        self._show_inside(first, frozenset(view.boxes[each].id for each in around))
        return True

    def open_around(self, nodes: Sequence[int]) -> None:
        """Open the groups around some nodes, and bring the first of them into sight."""
        view = self._view
        if view is not None:
            self._show_inside(nodes[0], frozenset().union(*map(view.path_to_node, nodes)))

    def _show_inside(self, node: int, needed: frozenset[str]) -> None:
        """Open groups, and bring a node, or the closed group that it is in, into sight."""
        if needed <= self._expanded:
            self._bring_into_sight(self._item_of(node))
        elif self._view is not None:
            self._anchor = None
            self._reveal = node
            self._expanded = open_path(self._view, self._expanded, needed)
            self._is_untouched = self._is_fitted = False
            self._restart()

    def click(self, place: QPointF) -> None:
        """Select what is there; on a connector, what is at its far end.

        On the triangle of a group open or close it.
        """
        self._was_sign_hit = False
        if self._drawing is None:
            return
        if (step := self._step_at(place)) is not None:
            self.step(*step)
            return
        if self._adds:
            self._add_item(self.item_at(place))
            return
        connector = self.connector_at(place)
        if connector != NONE:
            far = self._drawing.scene.connectors.far[connector]
            if len(far):
                self._select_item(int(far[0]))
            return
        item = self.item_at(place)
        if self._has_hit_sign(item, place):
            self._toggle_item(item)
            self._was_sign_hit = True
            return
        line = self._line_meant(place)
        if item == NONE or line != NONE:
            self.deselected.emit()
        # What was clicked is in sight: the picture must not run away from the pointer.
        self._select_item(item, reveal=False, line=line)

    def _has_hit_sign(self, item: int, place: QPointF) -> bool:
        scale = self._camera.scale / self._unit
        sign = self._drawing.sign_of(item, scale) if self._drawing and item != NONE else None
        if sign is None:
            return False
        x, y = self._camera.to_widget(sign.x(), sign.y())
        return max(abs(place.x() - x), abs(place.y() - y)) <= _SIGN_REACH_PX

    def _add_item(self, item: int) -> None:
        """Select an item besides what is selected already, or let it go."""
        if item != NONE:
            self._take_current(item)
            if self._current_node != NONE:
                self.nodes_selected.emit([self._current_node], True)
            else:
                self._emit_group(item, adds=True)
            self._update_highlight()

    def double_click(self, place: QPointF) -> None:
        """Open or close the group that is there."""
        if self._was_sign_hit:  # the first of the two clicks did so
            self._was_sign_hit = False
            return
        if (step := self._step_at(place)) is not None:
            self.step(*step)
            return
        self._toggle_item(self.item_at(place))

    def hover(self, item: int, connector: int = NONE, line: int = NONE) -> None:
        """Outline an item and its lines; draw the edges of a connector in full.

        Where a line is meant, light those that carry its values in place of the item's.
        """
        before, scene = self._highlight, self.scene
        if scene is None:
            return
        if (item, connector, line) != (before.hovered, before.connector, self._hovered_line):
            # What finds lines is loaded when there is something to point at.
            from jaxscope.picture.scene.value_ways import find_way, find_way_of_line

            self._hovered_line = line
            self._highlight = dataclasses.replace(
                before,
                hovered=item,
                connector=connector,
                hovered_way=(
                    find_way_of_line(scene, line) if line != NONE else find_way(scene, item)
                ),
            )
            self.update()
        self._tell_hovered(NONE if item == NONE else self._node_of(item))

    def _tell_hovered(self, node: int) -> None:
        """Say which node is under the pointer, where it is another than before."""
        before, self._hovered_node = self._hovered_node, node
        if node != before:
            self.node_hovered.emit(node)

    def describe(self, item: int) -> str:
        """The full label of an item, its types and where its code is."""
        scene, view = self.scene, self._view
        if scene is None or view is None:
            return ""
        inside = scene.nodes_of_item(item).tolist() if self._notes else ()
        own = [note for each, note in self._group_notes.items() if each == scene.items.ids[item]]
        notes = describe_notes([*own, *(self._notes[n] for n in inside if n in self._notes)])
        told = describe_item(view, scene, item)
        return f"{told}<br>{notes}" if notes else told

    def describe_connector(self, connector: int) -> str:
        """What a connector stands for, and between what."""
        scene, view = self.scene, self._view
        return describe_connector_ends(view, scene, connector) if scene and view else ""

    def describe_line(self, line: int) -> str:
        """What flows along a line, between what, and as which operand."""
        scene, view = self.scene, self._view
        if scene is None or view is None:
            return ""
        operands = self._find_operand_names(scene, int(scene.lines.target[line]))
        return describe_edge(view, scene, line, operands.get(line, ""))

    def _item_of(self, node: int) -> int:
        scene = self.scene
        if scene is None or not 0 <= node < len(scene.item_of_node):
            return NONE
        return int(scene.item_of_node[node])

    def _update_highlight(self) -> None:
        scene = self.scene
        if scene is None:
            return
        selected, forward, backward = (items_of_nodes(scene, nodes) for nodes in self._marks)
        forward = distinct(forward, results_of_nodes(scene, self._marks[0]))
        current = keyboard = self._current_item()
        if self._is_chosen_frame(current):
            selected = np.asarray([current], np.int64)
        elif current in results_of_nodes(scene, self._marks[0]):
            selected = np.append(selected, current)
        elif self._marks is not _NO_MARKS and current not in selected:
            current = NONE  # what is selected now is elsewhere: the keyboard alone is here
            if keyboard == NONE and any(self._marks):
                self._set_current_line(NONE)
        forward, backward = (
            np.setdiff1d(items, selected, assume_unique=True) for items in (forward, backward)
        )
        self._highlight, self._hovered_line = Highlight(selected, forward, backward, current), NONE
        self._highlight = dataclasses.replace(
            self._highlight,
            current_way=self._find_current_way(scene, current, selected),
            ahead=items_of_nodes(scene, self._ahead),
            found=items_of_nodes(scene, self._found),
            noted=distinct(items_of_nodes(scene, self._notes), self._noted_groups(scene)),
            operands=self._find_operand_names(scene, current),
            parts=self._count_parts(scene),
        )
        view = self._view if keyboard != NONE else None
        announce(
            self, spoken_item(view, scene, keyboard) if view is not None else spoken_scene(scene)
        )
        self._show_extras()
        self.update()

    def _find_current_way(self, scene: Scene, current: int, selected: npt.NDArray[np.int64]) -> Way:
        """The lines of what is current, which may be less than an item: a line, or a box inside.

        Of several selected boxes, the current one among them, the lines of each.
        """
        if current == NONE and self._current_line == NONE:
            return NO_WAY
        from jaxscope.picture.scene.value_ways import find_way, find_way_of_line  # for a selection

        if self._current_line != NONE:
            return find_way_of_line(scene, self._current_line)
        if 1 < len(selected) <= _MOST_WAYS and current in selected:
            ways = [find_way(scene, int(item)) for item in selected]
            into, out = (
                distinct(*some) for some in ([w.into for w in ways], [w.out for w in ways])
            )
            edges = dict.fromkeys(edge for way in ways for edge in way.edges)
            return Way(into, out, tuple(edges)[:MAX_EDGES])
        node, view = self._current_node, self._view
        if view is None or node == NONE:
            return find_way(scene, current)
        box = int(view.box_of_node[node])
        is_inside = box not in (NONE, int(scene.items.box[current]))
        values = set().union(*find_values_of_box(view, box)) if is_inside else None
        return find_way(scene, current, values)

    def _find_operand_names(self, scene: Scene, current: int) -> dict[int, str]:
        if self._view is None or current == NONE:
            return {}
        from jaxscope.ui.canvas.operand_names import find_operand_names  # for a selection

        return find_operand_names(self._view, scene, current)

    def _take_current(self, item: int, line: int = NONE) -> None:
        """Let an item have the keyboard; it is known by its id, for other pictures number anew.

        Args:
            item: The item.
            line: The line that was meant, and not the open group around it.
        """
        self._set_current_line(line)
        scene = self.scene
        known = scene is not None and item != NONE
        self._current_id = scene.items.ids[item] if scene is not None and known else ""
        self._current_node = self._node_of(item) if known else NONE

    def _set_current_line(self, line: int) -> None:
        """Light a line, or none, and tell what it is."""
        before, self._current_line = self._current_line, line
        if line != before:
            told = self.describe_line(line) if line != NONE else ""
            size = line_size(self.scene, line) if self.scene is not None and told else ""
            self.line_told.emit("<br>".join(part for part in (told, size) if part))

    def _current_item(self) -> int:
        """The item that has the keyboard, or `NONE`."""
        scene = self.scene
        known = NONE if scene is None else scene.item_of_id.get(self._current_id, NONE)
        # A result has no node of its own: it has that of the instruction that gives it.
        is_meant = known != NONE and self._node_of(known) == self._current_node
        return known if is_meant else self._item_of(self._current_node)

    def _is_chosen_frame(self, item: int) -> bool:
        """Whether an item is an open group, and all that is inside is what is selected."""
        scene, view = self.scene, self._view
        if scene is None or view is None or not 0 <= item < scene.items.num_frames:
            return False
        return frozenset(view.nodes_inside(int(scene.items.box[item]))) == self._marks[0]

    def _count_parts(self, scene: Scene) -> dict[int, tuple[int, int]]:
        linked = frozenset(self._found.tolist()).union(*self._marks)
        return count_parts(self._view, scene, linked) if self._view is not None else {}

    def _noted_groups(self, scene: Scene) -> npt.NDArray[np.int64]:
        known = scene.item_of_id
        return np.asarray([known[each] for each in self._group_notes if each in known], np.int64)

    def _node_of(self, item: int) -> int:
        scene = self.scene
        return NONE if scene is None else int(scene.items.node[item])

    def choose(self, item: int) -> None:
        """Select an item that is in sight."""
        self._select_item(item, reveal=False)

    def _select_item(self, item: int, *, reveal: bool = True, line: int = NONE) -> None:
        self._take_current(item, line)
        self._update_highlight()
        if reveal:
            self._bring_into_sight(item)
        is_line = line != NONE  # it is lit, and not all that is inside of the group around it
        self.node_selected.emit(NONE if is_line else self._current_node)
        if self._current_node == NONE and item != NONE and not is_line:
            self._emit_group(item, adds=False)

    def _emit_group(self, item: int, *, adds: bool) -> None:
        """Tell that a group without a node of its own was selected, where it is one."""
        scene, view = self.scene, self._view
        assert scene is not None  # it has items
        box = view.index_of(scene.items.ids[item]) if view is not None else None
        inside = view.nodes_inside(box) if view is not None and box is not None else []
        if view is not None and inside and box is not None:
            text = text_of(view, view.boxes[box])
            lines = (text.title or scene.items.ids[item], text.detail)
            self.group_selected.emit(scene.items.ids[item], lines, inside, adds)

    def _toggle_item(self, item: int) -> None:
        if self.scene is None or item == NONE:
            return
        if self.scene.items.is_group[item]:
            self.toggle_group(self.scene.items.ids[item])
        elif self._graph is not None and (node := self._node_of(item)) != NONE:
            self.go_inside(node)

    def go_inside(self, node: int) -> None:
        """Select and show what a node is the outside of, where that is drawn at another node."""
        assert self._graph is not None
        group = next(iter(find_shown_groups(self._graph).of(node)), NONE)
        first = first_node_inside(self._graph, group)
        if first != NONE:
            self.select_node(first)
            self.node_selected.emit(first)

    # --- mouse and keyboard ---

    def wheelEvent(self, event: QWheelEvent) -> None:
        delta = event.angleDelta()
        if event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self.pan(-(delta.y() or delta.x()), 0)
        elif delta.y():
            self.zoom(_WHEEL_STEP ** delta.y(), event.position())
        else:
            self.pan(-delta.x(), 0)
        event.accept()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self.repaint_scene()

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
        if (step := self._step_at(place)) is not None:
            return tr("The copy before: [") if step[1] < 0 else tr("The next copy: ]")
        item, connector = self.item_at(place), self.connector_at(place)
        if connector != NONE:
            return self.describe_connector(connector)
        if (line := self._line_meant(place)) != NONE:
            return self.describe_line(line)
        return self.describe(item) if item != NONE and self._is_told_at(item, place) else ""

    def _is_told_at(self, item: int, place: QPointF) -> bool:
        """Whether a place is a box, or the title of an open group: what is said of that would cover
        what is in it.
        """
        scene = self.scene
        if scene is None or item >= scene.items.num_frames:
            return scene is not None
        _, y = self._camera.to_scene(place.x(), place.y())
        high = max(HEADER_PX, LEAST_TITLE_PX * self._unit / self._camera.scale)
        return bool(y <= scene.items.rect[item, 1] + high)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() in (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton):
            self._pressed = event.position()
            self._is_dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            place = event.position()
            connector = self.connector_at(place)
            self.hover(self.item_at(place), connector, self._line_meant(place))
            return
        moved = event.position() - self._pressed
        if self._is_dragging or moved.manhattanLength() > _DRAG_PX:
            self._is_dragging = True
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._pressed = event.position()
            self.pan(-moved.x(), -moved.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        # The end of a double click is no click: what it opened or closed is no longer there.
        was_clicked = self._pressed is not None and not self._is_dragging
        self._pressed, self._is_dragging = None, False
        self.unsetCursor()
        self._adds = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if was_clicked and event.button() == Qt.MouseButton.LeftButton:
            self.click(event.position())

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.double_click(event.position())

    def leaveEvent(self, _event: QEvent) -> None:
        self.hover(NONE)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _ARROWS:
            self._press_arrow(*_ARROWS[key], event.modifiers())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._toggle_item(self._current_item())
        elif key in _KEYS:
            _KEYS[key](self)
        elif key == Qt.Key.Key_Escape and self.is_busy:
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
        item = item_in_direction(scene, self._current_item(), dx, dy)
        if item != NONE:
            self._select_item(item)


_KEYS: dict[Qt.Key, Callable[[GraphCanvas], None]] = {
    Qt.Key.Key_Plus: GraphCanvas.zoom_in,
    Qt.Key.Key_Equal: GraphCanvas.zoom_in,
    Qt.Key.Key_Minus: GraphCanvas.zoom_out,
    Qt.Key.Key_F: GraphCanvas.fit_to_read,
    Qt.Key.Key_Z: GraphCanvas.zoom_to_selection,
    Qt.Key.Key_Home: GraphCanvas.go_to_beginning,
    Qt.Key.Key_BracketLeft: GraphCanvas.step_back,
    Qt.Key.Key_BracketRight: GraphCanvas.step_on,
}
