"""The camera of a canvas, where nodes are on the screen, and which item an arrow key leads to.

NumPy only, no Qt.

A `Camera` is the upper left corner of the visible part, in scene pixels, and a scale (widget pixels
per scene pixel).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.graph import Int32s
from jaxscope.picture.scene.first_picture import (
    LEAST_FRAMED,
    READABLE_SCALE,
    SIDE_PX,
    WHOLE_SCALE,
    type_scale,
)
from jaxscope.picture.scene.scene import Scene

MAX_SCALE = 8.0
MOST_ZOOMED = 3.0
"""Letters are as high as a line of boxes then: a person who zooms in more reads no more."""
MARGIN_PX = 24.0
_ORDINARY_PX = 480.0
"""Sides of a widget up to which a picture is never enlarged, and comes as near to the border as
can be."""
_MOST_SEEN = 0.7
"""Of the boxes that can be seen at once in a wide group: so many where its left end is shown."""
_REVEALED_PX = 30
"""What is brought into sight is as far from the border, where there is room."""


@dataclass(frozen=True, slots=True)
class Camera:
    """A view of a plane.

    Attributes:
        x: Scene x at the left border of the widget.
        y: Scene y at the upper border.
        scale: Widget pixels per scene pixel.
    """

    x: float
    y: float
    scale: float

    def to_scene(self, x: float, y: float) -> tuple[float, float]:
        """The place of the scene under a place of the widget."""
        return self.x + x / self.scale, self.y + y / self.scale

    def to_widget(self, x: float, y: float) -> tuple[float, float]:
        """The place of the widget over a place of the scene."""
        return (x - self.x) * self.scale, (y - self.y) * self.scale

    def moved(self, dx: float, dy: float) -> Camera:
        """Moved by widget pixels."""
        return Camera(self.x + dx / self.scale, self.y + dy / self.scale, self.scale)

    def zoomed(
        self, factor: float, x: float, y: float, least: float, most: float = MAX_SCALE
    ) -> Camera:
        """Zoomed by a factor; what is under (x, y) of the widget stays there."""
        scale = min(max(self.scale * factor, least), most)
        scene_x, scene_y = self.to_scene(x, y)
        return Camera(scene_x - x / scale, scene_y - y / scale, scale)


def fit_rect(
    rect: tuple[float, float, float, float],
    width: float,
    height: float,
    most: float = 1.0,
    margin: float = MARGIN_PX,
) -> Camera:
    """The camera that shows a rectangle (x, y, width, height) centred and whole."""
    x, y, wide, high = rect
    room = max(width - 2 * margin, 1.0), max(height - 2 * margin, 1.0)
    scale = min(room[0] / max(wide, 1.0), room[1] / max(high, 1.0), most)
    return Camera(x + wide / 2 - width / scale / 2, y + high / 2 - height / scale / 2, scale)


def read_around(
    camera: Camera,
    scene_size: tuple[float, float],
    width: float,
    height: float,
    text_scale: float,
) -> Camera:
    """The camera that shows what is around the middle of another one, at a scale that can be read:
    across its flow all of it, where there is room for that, and nothing beyond its border.
    """
    room = (width, height), scene_size
    fitting = max((have - 2 * SIDE_PX) / wanted for have, wanted in zip(*room, strict=True))
    scale = min(max(fitting, LEAST_FRAMED * text_scale), text_scale)
    begin = []
    for at, have, wanted in zip((camera.x, camera.y), *room, strict=True):
        seen, margin = have / scale, SIDE_PX / scale
        middle = at + have / camera.scale / 2 - seen / 2
        last = wanted - seen + margin
        begin.append(min(max(middle, -margin), last) if last > -margin else (wanted - seen) / 2)
    return Camera(begin[0], begin[1], scale)


def most_scale(width: float, height: float, text_scale: float) -> float:
    """How large a small picture is shown at most: larger in a large widget, as on a projector."""
    return text_scale * min(max(min(width, height) / _ORDINARY_PX, 1.0), 2.0)


def first_camera(
    scene_size: tuple[float, float],
    is_down: bool,
    width: float,
    height: float,
    text_scale: float = 1.0,
    least_framed: float = LEAST_FRAMED,
) -> Camera:
    """The camera for a new picture: all of it if that can be read, else its beginning.

    Args:
        scene_size: Width and height of the picture.
        is_down: Whether its values flow down, not to the right.
        width: Of the widget.
        height: Of the widget.
        text_scale: Size of the window's type; 1 is ordinary.
        least_framed: How small a picture may be shown so that all of it, or of its width, is seen.
    """
    scene_width, scene_height = scene_size
    most, largest = most_scale(width, height, text_scale), text_scale
    text_scale = type_scale(width, height, text_scale)
    margin = MARGIN_PX if min(width, height) > _ORDINARY_PX else SIDE_PX  # type comes first
    whole = fit_rect((0.0, 0.0, scene_width, scene_height), width, height, most, margin)
    if whole.scale >= largest:
        return whole
    # Type that is small gets what it needs of the margin.
    whole = fit_rect((0.0, 0.0, scene_width, scene_height), width, height, largest, SIDE_PX)
    if whole.scale >= least_framed * text_scale:
        return whole
    room, across = (width, scene_width) if is_down else (height, scene_height)
    fitting = (room - 2 * SIDE_PX) / across
    is_framed = fitting >= least_framed * text_scale
    # What does not fit is not enlarged as well: so more of it is seen.
    scale = min(text_scale, most, fitting) if is_framed else READABLE_SCALE * text_scale
    return begin_at(scene_size, is_down, width, height, scale)


def begin_at(
    scene_size: tuple[float, float], is_down: bool, width: float, height: float, scale: float
) -> Camera:
    """The camera that shows the beginning of a picture, from where its values come, at a scale."""
    scene_width, scene_height = scene_size
    if is_down:
        x = scene_width / 2 - width / scale / 2 if scene_width * scale < width else -MARGIN_PX
        spare = height / scale - scene_height  # a wide picture may be low: then it is centred
        return Camera(x, -max(spare / 2, SIDE_PX / scale), scale)
    y = scene_height / 2 - height / scale / 2 if scene_height * scale < height else -MARGIN_PX
    return Camera(-max((width / scale - scene_width) / 2, SIDE_PX / scale), y, scale)


def look_at_scene(
    scene: Scene,
    width: float,
    height: float,
    text_scale: float = 1.0,
    least_framed: float = LEAST_FRAMED,
) -> Camera:
    """The camera for a new picture, turned to where its boxes begin."""
    is_down = scene.direction == "down"
    size = scene.width, scene.height
    camera = first_camera(size, is_down, width, height, text_scale, least_framed)
    if is_down and scene.width * camera.scale > width and len(scene.items):
        camera = look_at_top(scene.items.rect, camera, width, text_scale)
    return camera


def look_at_top(
    rects: npt.NDArray[np.float64], camera: Camera, width: float, text_scale: float = 1.0
) -> Camera:
    """Turn to the topmost boxes: the corner of a wide picture is often empty.

    Args:
        rects: All boxes, float64, shape `(n, 4)`: x, y, width, height.
        camera: At the picture's beginning.
        width: Of the widget.
        text_scale: Size of the window's type; 1 is ordinary.
    """
    first = rects[rects[:, 1] <= rects[:, 1].min() + 1.0]
    left, right = float(first[:, 0].min()), float((first[:, 0] + first[:, 2]).max())
    fitting = width / (right - left + 2 * MARGIN_PX)
    scale = max(min(camera.scale, fitting), READABLE_SCALE * text_scale)
    if fitting < scale:  # from the first box on, whole boxes; the shade shows that there is more
        return Camera(left - MARGIN_PX, camera.y, scale)
    start = -SIDE_PX / scale
    if right - start <= width / scale:  # seen from the left edge, where nothing is cut off
        return Camera(start, camera.y, scale)
    middle = (left + right) / 2.0
    return Camera(max(middle - width / scale / 2.0, -MARGIN_PX), camera.y, scale)


def reveal_rect(
    rect: tuple[float, float, float, float],
    camera: Camera,
    width: float,
    height: float,
    near: float = 0.5,
) -> Camera | None:
    """The camera that makes a rectangle visible; None if it is visible already.

    It moves no further than it must, unless things are too small to be read. What is far away
    comes to the middle, so that what is around it is seen, too.

    Args:
        rect: x, y, width, height in the scene.
        camera: As it is.
        width: Of the widget.
        height: Of the widget.
        near: How far away is not far, as a share of the widget's size.
    """
    x, y, wide, high = rect
    left, top = camera.to_widget(x, y)
    right, bottom = camera.to_widget(x + wide, y + high)
    if min(left, top) >= 0 and right <= width and bottom <= height:
        return None
    if camera.scale < 0.5:
        middle = (x + wide / 2, y + min(high / 2, height / 0.5 / 3))
        return Camera(middle[0] - width / 0.5 / 2, middle[1] - height / 0.5 / 2, 0.5)
    across, along = _least_move(left, right, width), _least_move(top, bottom, height)
    if abs(across) <= width * near and abs(along) <= height * near:
        return camera.moved(across, along)
    across = (left + right - width) / 2 if right - left < width else across
    along = (top + bottom - height) / 2 if bottom - top < height else along
    return camera.moved(across, along)


def reveal_together(
    rects: npt.NDArray[np.float64], camera: Camera, width: float, height: float
) -> Camera:
    """The camera, no nearer and no further, that shows rectangles whole: all if there is room, else
    one, unless one is seen whole already. It moves no further than it must.

    Args:
        rects: float64, shape `(n, 4)`, n > 0: x, y, width, height in the scene.
        camera: As it is.
        width: Of the widget.
        height: Of the widget.
    """
    size = np.array([width, height])
    low, high = ((ends - (camera.x, camera.y)) * camera.scale
                 for ends in (rects[:, :2], rects[:, :2] + rects[:, 2:]))  # fmt: skip
    begin, end = low.min(axis=0), high.max(axis=0)
    if (end - begin > size).any():
        if ((low >= 0) & (high <= size)).all(axis=1).any():
            return camera
        nearest = int(np.argmin(np.abs(low + high - size).sum(axis=1)))
        begin, end = low[nearest], high[nearest]
    return camera.moved(*map(_least_move, begin.tolist(), end.tolist(), (width, height)))


def _least_move(begin: float, end: float, room: float) -> float:
    """By how many pixels to move, so that a stretch is in sight; its begin, if it is too long."""
    margin = max(min(_REVEALED_PX, (room - (end - begin)) / 2), 0.0)
    if begin < margin or end - begin > room:
        return begin - margin if begin < 0 or end > room else 0.0
    return max(end - (room - margin), 0.0) if end > room else 0.0


def show_opened(
    rects: npt.NDArray[np.float64],
    camera: Camera,
    width: float,
    height: float,
    text_scale: float = 1.0,
    around: npt.NDArray[np.float64] | None = None,
) -> Camera:
    """The camera that shows all of a group that was opened, if that can be read.

    It shrinks and moves no further than it must. A group that is too long is shown from its
    beginning in all its width; of one that is too wide as well the part with most boxes, and of
    a low one, such as a row of arguments, a part with many below which the program is seen.

    Args:
        rects: The group, then what is in it, float64, shape `(n, 4)`: x, y, width, height.
        camera: With the group where it was before.
        width: Of the widget.
        height: Of the widget.
        text_scale: Size of the window's type; 1 is ordinary.
        around: All boxes outside of the group, float64, shape `(m, 4)`.
    """
    x, y, wide, high = rects[0].tolist()
    across, along = (width - 2 * SIDE_PX) / wide, (height - 2 * SIDE_PX) / high
    if min(across, along) >= WHOLE_SCALE * text_scale:
        scale = min(across, along)
    elif across >= LEAST_FRAMED * text_scale:
        scale = min(across, text_scale)
    else:
        scale = READABLE_SCALE * text_scale
        around = np.empty((0, 4)) if around is None else around
        x, wide = _find_fullest(rects, around, width / scale, height / scale), width / scale
    if scale < camera.scale:
        camera = camera.zoomed(scale / camera.scale, *camera.to_widget(x + wide / 2, y), scale)
    left, top = camera.to_widget(x, y)
    right, bottom = camera.to_widget(x + wide, y + high)
    return camera.moved(_least_move(left, right, width), _least_move(top, bottom, height))


def list_outside(scene: Scene, group: int) -> npt.NDArray[np.int64]:
    """The boxes that are not in an open group."""
    around = scene.items.parent
    outer, is_inside = around.copy(), around == group
    while (outer != NONE).any():
        outer = np.where(outer == NONE, NONE, around[outer])
        is_inside |= outer == group
    is_inside[: scene.items.num_frames] = True
    return np.flatnonzero(~is_inside)


def _find_fullest(
    rects: npt.NDArray[np.float64], around: npt.NDArray[np.float64], wide: float, high: float
) -> float:
    """The left end of the part of a group, at its beginning, in which most of its boxes are whole.

    Of parts with nearly as many, that below which most boxes outside are whole. Sorts the boxes:
    n·log n.

    Args:
        rects: The group, then what is in it, float64, shape `(n, 4)`: x, y, width, height.
        around: All boxes outside, float64, shape `(m, 4)`.
        wide: Of the part; less than that of the group.
        high: Likewise.
    """
    x, y, across, _ = rects[0].tolist()
    inside = rects[1:]
    inside = inside[(inside[:, 1] + inside[:, 3] <= y + high) & (inside[:, 2] <= wide)]
    lefts = np.minimum(np.concatenate([[x], np.sort(inside[:, 0]) - MARGIN_PX]), x + across - wide)
    counts = _count_whole(inside, lefts, wide)
    near = around[(around[:, 1] >= y) & (around[:, 1] + around[:, 3] <= y + high)]
    outside = _count_whole(near[near[:, 2] <= wide], lefts, wide)
    is_full = counts >= max(_MOST_SEEN * counts.max(), 1)
    most = outside.max(where=is_full, initial=0)
    if is_full[0] and outside[0] >= _MOST_SEEN * most:
        return float(x)  # its title is seen, too
    if most:
        return float(lefts[np.flatnonzero(is_full & (outside == most))[0]])
    topmost = inside[inside[:, 1] <= inside[:, 1].min(initial=np.inf) + 1.0]
    sees_first = _count_whole(topmost, lefts, wide) > 0
    return float(lefts[np.lexsort((sees_first, counts))[-1]])


def _count_whole(
    rects: npt.NDArray[np.float64], lefts: npt.NDArray[np.float64], wide: float
) -> npt.NDArray[np.int64]:
    """How many boxes, none wider than the part, are whole in it, for each of its left ends.

    They are those that end in it or before it, without those that begin before it: such a box
    does not reach beyond it.
    """
    begins, ends = np.sort(rects[:, 0]), np.sort(rects[:, 0] + rects[:, 2])
    ended = np.searchsorted(ends, lefts + wide, "right")
    found: npt.NDArray[np.int64] = ended - np.searchsorted(begins, lefts, "left")
    return found


def is_any_in_sight(
    rects: npt.NDArray[np.float64], camera: Camera, width: float, height: float
) -> bool:
    """Whether any of some rectangles, rows of x, y, width, height, is seen at least in part."""
    left, top = rects[:, 0] - camera.x, rects[:, 1] - camera.y
    wide, high = width / camera.scale, height / camera.scale
    across = (left + rects[:, 2] > 0) & (left < wide)
    return bool((across & (top + rects[:, 3] > 0) & (top < high)).any())


Places = npt.NDArray[np.float64]

_TITLE_PX = 28.0


def find_places_down(scene: Scene, camera: Camera, nodes: Int32s) -> Places:
    """Top and bottom of boxes in pixels from the widget's top; an open group is where its title is.

    Those of nodes that are not drawn are NaN.
    """
    places, known, items = _find_items(scene, nodes)
    rects = scene.items.rect[items]
    tops = (rects[:, 1] - camera.y) * camera.scale
    heights = np.where(items < scene.items.num_frames, _TITLE_PX, rects[:, 3])
    bottoms = tops + np.minimum(heights, rects[:, 3]) * camera.scale
    places[known] = np.column_stack([tops, bottoms])
    return places


def find_places_across(scene: Scene, camera: Camera, nodes: Int32s) -> Places:
    """Left and right of boxes in pixels from the widget's left; NaN where they are not drawn."""
    places, known, items = _find_items(scene, nodes)
    rects = scene.items.rect[items]
    lefts = (rects[:, 0] - camera.x) * camera.scale
    places[known] = np.column_stack([lefts, lefts + rects[:, 2] * camera.scale])
    return places


def _find_items(scene: Scene, nodes: Int32s) -> tuple[Places, Int32s, Int32s]:
    """Unknown places for all nodes, the positions of those that are drawn, and their items."""
    known = np.flatnonzero((nodes >= 0) & (nodes < len(scene.item_of_node)))
    items = scene.item_of_node[nodes[known]]
    places = np.full((len(nodes), 2), np.nan)
    return places, known[items >= 0].astype(np.int32), items[items >= 0]


# Where the arrow keys lead: along the lines, and to the neighbour beside.


def item_in_direction(scene: Scene, item: int, dx: int, dy: int) -> int:
    """The item that an arrow key leads to from another, or `NONE`.

    Along the flow the key follows the lines at the side of the box that it points to: to users, or
    where values flow the other way, as in the backward part of a gradient, to producers. Across it
    leads to the nearest box beside. An open group stands before the first of what it shows; across
    the flow it leads to what stands beside it in the same group.
    """
    if item == NONE:
        return first_item(scene)
    along = dy if scene.direction == "down" else dx
    if not along:
        return _beside(scene, item, dx, dy)
    is_frame, around = item < scene.items.num_frames, int(scene.items.parent[item])
    if along > 0 and is_frame:
        return _first_inside(scene, item)
    if along < 0 and around != NONE and _first_inside(scene, around) == item:
        return around
    near = _neighbours(scene, item, along)
    if is_frame:
        near = near[[not _is_inside(scene, each, item) for each in near.tolist()]]
    return _nearest(scene, item, near) if len(near) else NONE


def _first_inside(scene: Scene, frame: int) -> int:
    """What comes first in an open group: in program order, or where values flow against the
    scene's direction, next to its title.
    """
    items = scene.items
    inside = np.flatnonzero(items.parent == frame)
    if not len(inside):
        return NONE
    begins = items.rect[inside, 1 if scene.direction == "down" else 0]
    is_reversed = bool(items.is_reversed[inside].any())
    return int(inside[int(np.argmin(begins if is_reversed else items.box[inside]))])


def first_item(scene: Scene) -> int:
    """The first box in program order, or `NONE` in an empty scene."""
    items = scene.items
    if items.num_frames == len(items):
        return NONE
    boxes = items.box[items.num_frames :]
    return items.num_frames + int(np.argmin(boxes))


def _neighbours(scene: Scene, item: int, along: int) -> np.ndarray:
    """Items that share a line or a connector with one side of an item, frames looked through.

    Lines of residuals lead aside, to the other part of a gradient: only where no other line leads
    on.
    """
    lines, axis = scene.lines, 1 if scene.direction == "down" else 0
    middle = _centres(scene, np.array([item]))[0, axis]
    is_at_side = [
        (lines.points[ends, axis] - middle) * along > 0
        for ends in (lines.offsets[:-1], lines.offsets[1:] - 1)
    ]
    rects, at_item = scene.connectors.rect, scene.connectors.item == item
    places = rects[:, axis] + rects[:, axis + 2] / 2
    stubs = np.flatnonzero(at_item & ((places - middle) * along > 0))
    is_kept = lines.is_residual | lines.is_inner_residual
    is_flow = ~is_kept
    found: set[int] = set()
    for is_onward, is_meant in zip((True, False), is_at_side, strict=True):
        found |= _follow(scene, is_flow, item, is_onward, is_meant, stubs)
    if not found and is_kept.any():
        is_onward = (along > 0) != bool(scene.items.is_reversed[item])
        found = _follow(scene, np.ones_like(is_flow), item, is_onward, is_kept, stubs[:0])
    return np.array(sorted(found), np.int64)


def _follow(
    scene: Scene,
    is_usable: np.ndarray,
    item: int,
    is_onward: bool,
    is_meant: np.ndarray,
    stubs: np.ndarray,
) -> set[int]:
    """Boxes that usable lines lead to, at first those that are meant, and some connectors."""
    connectors, usable = scene.connectors, np.flatnonzero(is_usable)
    begin, end = _ends(scene, usable, is_onward)
    reached = set(end[(begin == item) & (end != item) & is_meant[usable]].tolist())
    for at in stubs[connectors.is_source[stubs] == is_onward].tolist():
        reached |= set(connectors.far[at].tolist())
    found = {other for other in reached if other >= scene.items.num_frames}
    for frame in reached - found:
        values = _values(scene, item, frame, is_onward)
        inside = _beyond(scene, usable, frame, values, is_onward)
        if not inside and _is_inside(scene, item, frame):
            # A copy that gives to hidden ones: on from all of them, or the key would lead back.
            inside = _behind(scene, usable, frame, is_onward)
        found |= inside or {frame}
    return found - {item}


def _ends(scene: Scene, usable: np.ndarray, is_onward: bool) -> tuple[np.ndarray, np.ndarray]:
    """Where some lines begin and end, or the other way round."""
    source, target = scene.lines.source[usable], scene.lines.target[usable]
    return (source, target) if is_onward else (target, source)


def _is_inside(scene: Scene, item: int, frame: int) -> bool:
    parent = int(scene.items.parent[item])
    while parent not in (NONE, frame):
        parent = int(scene.items.parent[parent])
    return parent == frame


def _behind(scene: Scene, usable: np.ndarray, frame: int, is_onward: bool) -> set[int]:
    """Boxes outside of a frame that its lines lead to."""
    begin, end = _ends(scene, usable, is_onward)
    found: set[int] = set()
    for at in np.flatnonzero(begin == frame).tolist():
        other = int(end[at])
        if _is_inside(scene, other, frame):
            continue
        values = set(scene.lines.values[int(usable[at])].tolist())
        is_box = other >= scene.items.num_frames
        found |= {other} if is_box else _beyond(scene, usable, other, values, is_onward)
    return found


def _values(scene: Scene, item: int, frame: int, is_onward: bool) -> set[int]:
    """Nodes whose values flow between an item and a frame."""
    lines = scene.lines
    begin, end = (item, frame) if is_onward else (frame, item)
    chosen = np.flatnonzero((lines.source == begin) & (lines.target == end))
    return {value for line in chosen for value in lines.values[int(line)].tolist()}


def _beyond(
    scene: Scene, usable: np.ndarray, frame: int, values: set[int], is_onward: bool
) -> set[int]:
    """Boxes that the values reach on the other side of a frame's border, by connectors as well."""
    num_frames = scene.items.num_frames
    begin, end = _ends(scene, usable, is_onward)
    found: set[int] = set()
    seen, queue = {frame}, [frame]
    for at in queue:
        for line in np.flatnonzero(begin == at).tolist():
            if values.isdisjoint(scene.lines.values[int(usable[line])].tolist()):
                continue
            other = int(end[line])
            if other >= num_frames:
                found.add(other)
            elif other not in seen:
                seen.add(other)
                queue.append(other)
        for other in _list_far(scene, at, values, is_onward) - seen:
            if other >= num_frames:
                found.add(other)
            else:
                seen.add(other)
                queue.append(other)
    return found


def _list_far(scene: Scene, frame: int, values: set[int], is_onward: bool) -> set[int]:
    """What the connectors of a frame lead some values to: where it is an open group, the boxes
    inside of it that have a connector for them.
    """
    connectors, found = scene.connectors, set[int]()
    meant = np.array(sorted(values), np.int64)
    same = connectors.of_values(meant)
    own = same[(connectors.item[same] == frame) & (connectors.is_source[same] == is_onward)]
    others = connectors.item[same[connectors.is_source[same] != is_onward]].tolist()
    for far in (far for each in own.tolist() for far in connectors.far[each].tolist()):
        found |= {each for each in others if each == far or _is_inside(scene, each, far)} or {far}
    return found


def _centres(scene: Scene, items: np.ndarray) -> np.ndarray:
    rect = scene.items.rect[items]
    centres: np.ndarray = rect[:, :2] + rect[:, 2:] / 2
    return centres


def _nearest(scene: Scene, item: int, others: np.ndarray) -> int:
    here = _centres(scene, np.array([item]))[0]
    distance = np.abs(_centres(scene, others) - here).sum(axis=1)
    return int(others[int(np.argmin(distance))])


def _beside(scene: Scene, item: int, dx: int, dy: int) -> int:
    num_frames, parents = scene.items.num_frames, scene.items.parent
    items = np.arange(num_frames, len(scene.items))
    if item < num_frames:
        items = np.flatnonzero(parents == parents[item])
    offset = _centres(scene, items) - _centres(scene, np.array([item]))[0]
    ahead, aside = (offset[:, 0] * dx, offset[:, 1]) if dx else (offset[:, 1] * dy, offset[:, 0])
    usable = (ahead > 1.0) & (np.abs(aside) < ahead + 60.0)
    if not usable.any():
        return NONE
    cost = np.where(usable, ahead + 3 * np.abs(aside), np.inf)
    return int(items[int(np.argmin(cost))])
