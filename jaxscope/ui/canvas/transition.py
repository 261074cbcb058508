"""Animates the change from one picture to the next: items that stay move, new ones appear, old ones
fade.
"""

from __future__ import annotations

import dataclasses
import time

import numpy as np
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.scene.scene import Scene, empty_scene
from jaxscope.ui.canvas.navigation import Camera
from jaxscope.ui.canvas.scene_index import Floats, Indices, SceneIndex
from jaxscope.ui.canvas.scene_painter import NEAR_SCALE, SceneDrawing
from jaxscope.ui.toolkit.stillness import wants_stillness
from jaxscope.ui.toolkit.widgets import STILL

_DURATION_S = 0.2
_MAX_ITEMS = 500
_LINES_FROM = 0.8
"""Lines join in when the boxes are nearly there: before, they would end beside them."""


@dataclass(frozen=True, eq=False, slots=True)
class ViewedDrawing:
    """A drawing and where one looks at it from."""

    drawing: SceneDrawing
    camera: Camera


@dataclass(frozen=True, eq=False, slots=True)
class _MovingItems:
    """Items of one picture on their way; places are those of the new picture's scene."""

    drawing: SceneDrawing
    begin: Floats
    end: Floats

    def paint(self, painter: QPainter, share: float) -> None:
        self.drawing.scene.items.rect[:] = self.begin + (self.end - self.begin) * share
        self.drawing.paint_items(painter)


def may_move(widget: QWidget) -> bool:
    """Whether the window and the person's desktop want things to move at all."""
    if widget.window().property(STILL) or wants_stillness():
        return False
    from PySide6.QtWidgets import QStyle  # of many enumerations, and no first picture needs it

    hint = QStyle.StyleHint.SH_Widget_Animation_Duration
    return QApplication.style().styleHint(hint, None, widget) > 0


def make_transition(
    before: ViewedDrawing, after: ViewedDrawing, size: tuple[int, int]
) -> Transition | None:
    """The way from one picture to another; None where it would show nothing or too much.

    Args:
        before: The picture that is left.
        after: The picture that is to be seen.
        size: Width and height of the widget.
    """
    if before.camera.scale != after.camera.scale or after.camera.scale < NEAR_SCALE:
        return None
    entering, leaving = _in_sight(after, size), _in_sight(before, size)
    ids = {after.drawing.scene.items.ids[item] for item in entering.tolist()}
    items = before.drawing.scene.items
    known = after.drawing.scene.item_of_id
    # What stays but moves out of sight, or into it, is one of the new picture's items.
    moving = [known[i] for i in (items.ids[item] for item in leaving.tolist()) if i in known]
    shown = distinct(entering, np.array(moving, np.int64))
    gone = np.array(
        [i for i in leaving.tolist() if items.ids[i] not in known and items.ids[i] not in ids],
        np.int64,
    )
    if not len(shown) or len(shown) + len(gone) > _MAX_ITEMS:
        return None
    return Transition(before, after, shown, gone)


class Transition:
    """A movement that has begun; paint it until it is over."""

    def __init__(
        self, before: ViewedDrawing, after: ViewedDrawing, shown: Indices, gone: Indices
    ) -> None:
        self._after = after
        old, new = before.drawing.scene, after.drawing.scene
        shift = np.array(
            [after.camera.x - before.camera.x, after.camera.y - before.camera.y, 0.0, 0.0]
        )
        old_rect = old.items.rect + shift
        is_known = np.array([new.items.ids[i] in old.item_of_id for i in shown.tolist()], bool)
        self._staying, self._entering = (
            _moving_items(
                after.drawing,
                items,
                _other_places(new, items, old, old_rect),
                new.items.rect[items],
            )
            for items in (shown[is_known], shown[~is_known])
        )
        self._leaving = _moving_items(
            before.drawing, gone, old_rect[gone], _other_places(old, gone, new, new.items.rect)
        )
        self._began_s: float | None = None

    @property
    def is_over(self) -> bool:
        """Whether everything is in its place."""
        return self._began_s is not None and time.monotonic() - self._began_s >= _DURATION_S

    def paint(self, painter: QPainter, width: int, height: int) -> None:
        """Paint how far it is now; the clock starts with the first time."""
        now = time.monotonic()
        self._began_s = now if self._began_s is None else self._began_s
        passed = min((now - self._began_s) / _DURATION_S, 1.0)
        share = 1.0 - (1.0 - passed) ** 3  # quick at first, then gently into place
        drawing, camera = self._after.drawing, self._after.camera
        painter.fillRect(0, 0, width, height, drawing.colors.background)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, True)
        painter.save()
        painter.scale(camera.scale, camera.scale)
        painter.translate(-camera.x, -camera.y)
        painter.setOpacity(1.0 - share)
        self._leaving.paint(painter, share)
        painter.setOpacity(1.0)
        self._staying.paint(painter, share)
        painter.setOpacity(share**2)  # while boxes are small, their texts are in each other's way
        self._entering.paint(painter, share)
        if share > _LINES_FROM:
            painter.setOpacity((share - _LINES_FROM) / (1.0 - _LINES_FROM))
            drawing.paint_lines(painter, (camera.x, camera.y, *camera.to_scene(width, height)))
        painter.restore()


def _in_sight(sight: ViewedDrawing, size: tuple[int, int]) -> Indices:
    camera = sight.camera
    return sight.drawing.item_grid.query(camera.x, camera.y, *camera.to_scene(*size))


def _moving_items(
    drawing: SceneDrawing, items: Indices, begin: Floats, end: Floats
) -> _MovingItems:
    """A drawing of some items alone, whose places can be changed."""
    scene = drawing.scene
    all_items, chosen = scene.items, items.tolist()
    some = dataclasses.replace(
        all_items,
        rect=begin.copy(),
        ids=tuple(all_items.ids[i] for i in chosen),
        titles=tuple(all_items.titles[i] for i in chosen),
        details=tuple(all_items.details[i] for i in chosen),
        style=all_items.style[items],
        node=all_items.node[items],
        box=all_items.box[items],
        parent=np.full(len(items), NONE, np.int32),
        is_group=all_items.is_group[items],
        num_frames=int((items < all_items.num_frames).sum()),
    )
    nothing = empty_scene(scene.direction, 0)
    alone = dataclasses.replace(
        scene, items=some, lines=nothing.lines, connectors=nothing.connectors
    )
    index = SceneIndex(alone)
    index.depth = drawing.index.depth[items]
    return _MovingItems(SceneDrawing(index, drawing.colors, drawing.shades.of(items)), begin, end)


def _other_places(scene: Scene, items: Indices, other: Scene, places: Floats) -> Floats:
    """Where items are in another scene; what is not there is inside what is there around it."""
    rects = scene.items.rect[items].copy()
    for number, item in enumerate(items.tolist()):
        around = item
        while around != NONE and scene.items.ids[around] not in other.item_of_id:
            around = int(scene.items.parent[around])
        if around == NONE:
            continue
        there = places[other.item_of_id[scene.items.ids[around]]]
        here = scene.items.rect[around]
        ratio = there[2:] / np.maximum(here[2:], 1.0)
        rects[number, :2] = there[:2] + (rects[number, :2] - here[:2]) * ratio
        rects[number, 2:] *= ratio
    return rects
