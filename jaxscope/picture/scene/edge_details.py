"""What is written and drawn along lines of a placed scene: labels where no box says what flows and
there is room, and the full way of edges that are shown as connectors.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE
from jaxscope.model.graph import distinct
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.scene import HEADER_PX, Scene
from jaxscope.picture.view.control_flow import INDEX, PREDICATE

# Write on lines what flows along them, where no box says it and where there is room.
#
# A box with one result names its type itself. Lines out of closed groups and frames, and out of
# operations with several results, get a label of their own: once per value and group, on the first
# piece of the line that is seen on both sides of it, and where it covers no box, no connector, no
# arrowhead, no other line and no other label, nor most of a short line, nor where another line of
# its value begins or ends; bytes of residuals and what chooses a branch come
# first, and may stand beside the line, where that passes right by. Of several values that enter a
# group together, those that part from the others have one, too. Where there is no such place, there
# is no label; pointing at the line says the type in any case.


LABEL_TEXT_PX = 10.0
LABEL_HEIGHT_PX = 14.0
_PADDING_PX = 4.0
_GAP_PX = 2.0

_BAND_PX = 64.0
_MAX_BANDS = 24  # what is longer is looked at each time: a line may pass ten thousands of bands
_MANY_LINES = 300
_FROM_END_PX = 17.0
_CLEAR_PX = 3.0
"""From a label to a line of another value: in a small picture a text reaches out of its plate."""
_BESIDE_PX, _NEAR_PX = _CLEAR_PX + 0.5, 16.0
"""From a label beside a line to that, and at most where the line bends."""
_APART_BOX_PX = 4.0
"""How much farther it is from boxes above and below, where it has room."""
_LONE_PX = LABEL_HEIGHT_PX / 2
"""From bytes on a line to another line, where there is room: farther than half of the text."""
_BEHIND_PX = _BESIDE_PX + LABEL_HEIGHT_PX / 2
"""From bytes beside a line to another line of residuals behind that one."""
_APART_PX = 2.0
"""How much farther away from a label beside a line other lines are."""
_SEEN_PX, _BEND_PX = 4.0, 6.0
"""What is seen of a line on both sides of a label: of a straight piece, and of a curve."""
_MOST_HIDDEN, _ENOUGH_SEEN_PX = 0.5, 40.0
"""The share of its line that a label may cover, where less than so much is left of it."""
_BEGIN_PX = 10.0
"""Of a line of residuals below the box that it leaves, which its label does not cover."""
_END_PX = 12.0
"""Of a line at its begin and at its end, which no label of another line covers."""
_STEP_PX, _HALF_PX = 6.0, LABEL_HEIGHT_PX / 2 + _CLEAR_PX
"""From one place to the next along a line; how far from its middle a label must be clear."""
_FROM_BOX_SIDE_PX = 6.0
"""From a label to a box beside it, for the same reason as from a line."""
_ARROW_LONG_PX, _ARROW_HALF_PX = 6.0, 3.6
"""Of an arrowhead, as `export.picture` draws it; no label covers any of it."""

Rect = tuple[float, float, float, float]
_CURVE = tuple(
    (t * t * (3 - 2 * t), t * (1.5 - 1.5 * t + t * t)) for t in (n / 8 for n in range(1, 9))
)
"""How far across and along a curve is after each eighth of its way."""

T = TypeVar("T")
LinePoint = Sequence[float]
Flow = tuple[int, tuple[int, ...]]
"""Where values come from, and which: lines of one flow may share their way."""
_NO_FLOW: Flow = (NONE, ())


_Ends = Sequence[tuple[LinePoint, LinePoint]]
_Piece = tuple[int, Flow, float, float, float, float]


_PLATE_GAP_PX = 8.0
"""Of both sides of a text together, between it and the ends of the line."""


class EdgeLabel(NamedTuple):
    """A text on a line.

    Attributes:
        line: Index of the line.
        group: Item index of the frame around, or `NONE`.
        text: Type of the value, or how many values of which type.
        x: Left, in pixels of the scene.
        y: Top.
        width: Of the plate; its height is `LABEL_HEIGHT_PX`.
        is_head: Whether it tells what goes on along its line behind a fork, and not all before it.
    """

    line: int
    group: int
    text: str
    x: float
    y: float
    width: float
    is_head: bool = False

    def plate(self, grown: float = 1.0) -> tuple[float, float]:
        """Left and width of the plate behind the text.

        Args:
            grown: How much larger the text is than it was laid out, for a picture that is small.
        """
        wide = measure_text(self.text, LABEL_TEXT_PX) * grown + _PLATE_GAP_PX
        wide = min(wide, self.width)
        return self.x + (self.width - wide) / 2, wide


def _find_told_outside(scene: Scene, wanted: npt.NDArray[np.bool_]) -> list[int]:
    """Lines to the border of the group around them whose values a label outside of it tells."""
    lines, parent = scene.lines, scene.items.parent
    leaving = np.flatnonzero(wanted & (parent[lines.source] == lines.target))
    frames = distinct(lines.target[leaving])
    told: dict[int, list[set[int]]] = {frame: [] for frame in frames.tolist()}
    for line in np.flatnonzero(wanted & np.isin(lines.source, frames)).tolist():
        told[int(lines.source[line])].append(set(lines.values[line].tolist()))
    return [
        line
        for line in leaving.tolist()
        if set(lines.values[line].tolist()) in told[int(lines.target[line])]
    ]


class EdgeLabels:
    """The labels of a scene, found group by group when they are asked for.

    A group's lines can only meet what is in the same group, so a window needs to know no more
    than those of the frames in sight. Large groups are searched at once.
    """

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        items, lines = scene.items, scene.lines
        parent, source, target = items.parent, lines.source, lines.target
        is_entry = parent[target] == source
        is_beside = parent[source] == parent[target]
        group = np.where(is_beside, parent[source], np.where(is_entry, source, target))
        is_stub = (source == target) & (source < items.num_frames)  # to the border of its group
        group[is_stub] = source[is_stub]
        has_own = np.isin(np.arange(len(lines)), [*lines.labels, *lines.branches])
        wanted = lines.is_unlabelled & (has_own | ~is_entry) & (source != target)
        wanted[_find_told_outside(scene, wanted)] = False
        self._lines = np.argsort(group, kind="stable")
        self._groups = group[self._lines]
        self._is_wanted = wanted
        self._children = np.argsort(parent, kind="stable")
        self._parents = parent[self._children]
        self._connectors = _Obstacles(scene.connectors.rect.tolist())
        self._known: dict[int, tuple[EdgeLabel, ...]] = {}
        self._missing: dict[int, list[int]] = {}
        groups, counts = np.unique(self._groups, return_counts=True)
        for large in groups[counts > _MANY_LINES].tolist():
            self.of_group(large)  # not while a window paints

    def of_group(self, group: int) -> tuple[EdgeLabel, ...]:
        """Labels right inside a frame, by its item index; `NONE` stands for the whole picture."""
        known = self._known.get(group)
        if known is None:
            known = self._known[group] = self._place_all(group)
        return known

    def all(self) -> tuple[EdgeLabel, ...]:
        """Every label of the scene."""
        groups = distinct(self._groups).tolist()
        return tuple(label for group in groups for label in self.of_group(group))

    def list_untold(self) -> list[int]:
        """The lines inside of the parts of a gradient that join or part and have no room for the
        bytes of what they lead on."""
        lines = self._scene.lines
        told = [line for line in lines.labels if lines.is_inner_residual[line]]
        for group in distinct(self._groups[np.isin(self._lines, told)]).tolist():
            self.of_group(group)
        return [line for missing in self._missing.values() for line in missing]

    def _place_all(self, group: int) -> tuple[EdgeLabel, ...]:
        scene = self._scene
        start, stop = np.searchsorted(self._groups, [group, group + 1]).tolist()
        lines = self._lines[start:stop]
        inner = scene.lines.is_inner_residual
        joins = self._list_joins(lines[inner[lines]].tolist(), group)
        # Residuals that join have a label outside of the group with the bytes of all of them; each
        # still gets its own, even where one carries the same values as all together.
        parted = {line for join in joins if len(join) > 1 for line in join} & set(
            scene.lines.labels
        )
        wanted = [line for line in lines.tolist() if self._is_wanted[line] or line in parted]
        if not wanted:
            return ()
        wanted.sort(key=lambda line: not (inner[line] or scene.lines.is_residual[line]))
        heads = [line for line in lines.tolist() if line in scene.lines.heads]
        inside = (0.0, 0.0, scene.width, scene.height)
        if group != NONE:
            x, y, width, height = scene.items.rect[group].tolist()
            inside = (x, y + HEADER_PX, x + width, y + height)
        first, last = np.searchsorted(self._parents, [group, group + 1]).tolist()
        taken = _Obstacles(scene.items.rect[self._children[first:last]].tolist())
        arrows = _Obstacles(_list_arrows(scene, lines.tolist()))
        pieces = _Pieces(scene, lines.tolist())
        labels: list[EdgeLabel] = []
        seen: set[Flow] = set()
        plates: list[tuple[Flow, Rect]] = []
        told = [(line, True) for line in heads] + [(line, False) for line in wanted]
        told.sort(key=lambda each: not scene.lines.is_residual[each[0]])
        for line, is_head in told:
            value = _flow(scene, line)
            if line in parted and not is_head:  # each has a label, or one that is on it, too
                if any(value == flow and pieces.pass_by(plate, line) for flow, plate in plates):
                    continue
            elif value in seen and not is_head:  # lines of one value begin together
                continue
            label = None
            for text in (scene.lines.heads[line],) if is_head else self._texts(line):
                label = label or self._place(
                    text, line, group, inside, taken, arrows, pieces, is_head=is_head
                )
            if label is not None:
                labels.append(label._replace(is_head=is_head))
                if not is_head:
                    seen.add(value)
                    plates.append((value, (label.x, label.y, label.width, LABEL_HEIGHT_PX)))
                wide = label.width + 2 * _GAP_PX
                taken.add((label.x - _GAP_PX, label.y, wide, LABEL_HEIGHT_PX))
            elif inner[line] and line in scene.lines.labels:
                self._missing.setdefault(group, []).append(line)
        texts = {label.text for label in labels}
        for label in labels:  # whose name alone has room: some other tells how much it is
            whole = scene.lines.labels.get(label.line, label.text)
            if whole not in texts and inner[label.line]:
                self._missing.setdefault(group, []).append(label.line)
        return tuple(labels)

    def _list_joins(self, inner: list[int], group: int) -> list[list[int]]:
        """Lines of residuals that join at the border of a group, or part there."""
        lines = self._scene.lines
        joins: dict[tuple[float, ...], list[int]] = {}
        for line in inner:
            end = -1 if int(lines.target[line]) == group else 0
            joins.setdefault(tuple(lines.corners(line)[end].tolist()), []).append(line)
        return list(joins.values())

    def _texts(self, line: int) -> tuple[str, ...]:
        """What may be written on a line, the best first.

        Of what chooses a branch the type goes; of one value that several lines lead on, its bytes.
        """
        lines = self._scene.lines
        text = lines.labels.get(line) or lines.branches.get(line, lines.types[line])
        name = text.partition(" ")[0]
        if lines.is_inner_residual[line] and name.endswith(":"):
            return text, name[:-1]
        return (text, name) if name in (PREDICATE, INDEX) else (text,)

    def _place(
        self,
        text: str,
        line: int,
        group: int,
        inside: Rect,
        taken: _Obstacles,
        arrows: _Obstacles,
        pieces: _Pieces,
        *,
        is_head: bool,
    ) -> EdgeLabel | None:
        lines = self._scene.lines
        has_room = is_head or (line in lines.labels and not lines.is_inner_residual[line])
        # The index of a branch must not lie on another line of the same value. Lines around a
        # backward part begin with the same corners, so their label may lie on all of them.
        is_alone = has_room and int(lines.source[line]) >= self._scene.items.num_frames
        is_alone = is_alone and not lines.is_residual[line]
        size = self._scene.label_px if has_room else LABEL_TEXT_PX
        width = measure_text(text, size) + 2 * _PADDING_PX
        corners = self._scene.lines.corners(line).tolist()
        flow = _flow(self._scene, line)
        pieces_of = list(itertools.pairwise(_join_straight(corners)))
        if lines.heads and lines.is_residual[line]:  # one column before the forks, one behind them
            pieces_of = list(itertools.pairwise(corners))
            level = [ends for ends in pieces_of[2:] if ends[0][1] == ends[1][1]]
            pieces_of = level if is_head else pieces_of[:2]
        if self._scene.lines.is_return[line]:  # its lane has room for its name
            pieces_of.sort(key=lambda ends: -abs(ends[0][0] - ends[1][0] + ends[0][1] - ends[1][1]))
        narrow = measure_text(text, LABEL_TEXT_PX) + 2 * _PADDING_PX
        places = list(self._list_places(line, pieces_of, width, narrow))
        is_kept = bool(lines.is_inner_residual[line])
        beside = [place for place in places if not place[-1]]
        # Bytes are best on a line that is alone around them. Beside its line a label right above
        # or below a box would seem to tell of that, and one that another line bends around, of
        # what goes there.
        tries = [(*place, _LONE_PX, True, True) for place in places if place[-1] and is_kept]
        tries += [(*place, _CLEAR_PX, True, True) for place in places]
        tries += [(*place, _CLEAR_PX, False, True) for place in beside]
        tries += [(*place, _CLEAR_PX, False, False) for place in beside if is_kept]
        for x, middle, wide, is_on, clear, is_apart, is_plain in tries:
            y = middle - LABEL_HEIGHT_PX / 2
            is_inside = (
                inside[0] <= x and x + wide <= inside[2]
                and inside[1] <= y and y + LABEL_HEIGHT_PX <= inside[3]
            )  # fmt: skip
            rect = (x, y, wide, LABEL_HEIGHT_PX)
            is_free = is_inside and not taken.hits(rect) and not self._connectors.hits(rect)
            if is_free and is_apart and not is_on:
                is_free = not taken.hits((x, y - _APART_BOX_PX, wide, rect[3] + 2 * _APART_BOX_PX))
            # A label beside a line may touch the corner of its arrowhead.
            is_free = is_free and not arrows.hits(rect, beside=1.0 if is_on else -0.2)
            # Beside its line a label stands clear of that, too, and right by it.
            own = flow if is_on else _NO_FLOW
            alone = line if is_on and is_alone else NONE
            if not is_free or pieces.cross(rect, own, alone, clear):
                continue
            if is_on and (pieces.hides_most(rect, line) or pieces.hides_end(rect, line)):
                continue
            if is_on and is_kept and lines.source[line] != group:
                begin = corners[0]  # at a box, of which the line would not seem to come
                if x <= begin[0] <= x + wide and y < begin[1] + _BEGIN_PX:
                    continue
            if is_on or pieces.is_beside(flow, rect, is_kept, is_plain):
                return EdgeLabel(line, group, text, x, y, wide)
        return None

    def _list_places(
        self, line: int, pieces_of: _Ends, width: float, narrow: float
    ) -> Iterator[tuple[float, float, float, bool]]:
        """Where a label may be, the best place first: left, middle, width, whether it is on the
        line and not beside it.
        """
        lines, is_down = self._scene.lines, self._scene.direction == "down"
        for wide in dict.fromkeys((width, narrow)):
            for begin, end in pieces_of:
                if _has_room(begin, end, wide, is_down):
                    for x, y in _list_middles(begin, end, wide):
                        yield x - wide / 2, y, wide, True
        if lines.is_inner_residual[line] and is_down:
            for begin, end in pieces_of:
                for x, y in _list_sides(begin, end, narrow):
                    yield x - narrow / 2, y, narrow, True
            if line in lines.labels:  # one of several that join, or that part
                yield from _list_near_end(pieces_of[::-1], narrow)
        if line in lines.branches and is_down:  # what parts late is alone at its end
            (_, before), (x, stop) = pieces_of[-1]
            middle = stop - math.copysign(_FROM_END_PX, stop - before)
            yield x + _BESIDE_PX, middle, narrow, False
            yield x - narrow - _BESIDE_PX, middle, narrow, False
        if line in lines.labels:  # worth a place beside the line, too
            for begin, end in pieces_of:
                if abs(begin[1] - end[1]) < LABEL_HEIGHT_PX + 2 * _SEEN_PX:
                    continue
                reach = _find_reach(begin, end, is_down)
                for x, y in _list_middles(begin, end, narrow):
                    yield x - reach - narrow - _BESIDE_PX, y, narrow, False
                    yield x + reach + _BESIDE_PX, y, narrow, False


def _join_straight(corners: Sequence[LinePoint]) -> list[LinePoint]:
    """Corners of a line without those at which it goes straight on, upright or level."""
    joined = [corners[0]]
    for corner, after in itertools.pairwise(corners[1:]):
        if not any(joined[-1][axis] == corner[axis] == after[axis] for axis in (0, 1)):
            joined.append(corner)
    return [*joined, corners[-1]]


def _has_room(begin: LinePoint, end: LinePoint, width: float, is_down: bool) -> bool:
    """Whether a piece of a line is seen on both sides of a label of a width that lies on it.

    Of a curve that the label covers nearly all of, hooks would be left at its corners.
    """
    across, along = abs(begin[0] - end[0]), abs(begin[1] - end[1])
    if across == 0 or along == 0:
        return across >= width + 2 * _SEEN_PX or along >= LABEL_HEIGHT_PX + 2 * _SEEN_PX
    beside, high = width + 2 * _BEND_PX, LABEL_HEIGHT_PX + 2 * _BEND_PX
    is_through = is_down and across <= width / 2 and along >= high
    return across >= beside or along >= high + 2 * _BEND_PX or is_through


def _find_reach(begin: LinePoint, end: LinePoint, is_down: bool) -> float:
    """How far aside of its middle a piece passes the upper and the lower side of a label there."""
    below = (begin[1] + end[1]) / 2 + LABEL_HEIGHT_PX / 2 + _CLEAR_PX
    reach = 0.0
    for (x0, y0), (x1, y1) in itertools.pairwise((begin, *_bend(begin, end, is_down))):
        if min(y0, y1) <= below <= max(y0, y1):
            place = x0 + (x1 - x0) * (below - y0) / (y1 - y0)
            reach = abs(place - (begin[0] + end[0]) / 2)
    return reach


def _list_middles(begin: LinePoint, end: LinePoint, width: float) -> Iterator[tuple[float, float]]:
    """Where the middle of a label may be on a piece of a line: of a straight one also aside."""
    (x0, y0), (x1, y1) = begin, end
    yield (x0 + x1) / 2, (y0 + y1) / 2
    room = abs(x1 - x0) - width if y0 == y1 else abs(y1 - y0) - LABEL_HEIGHT_PX
    if x0 == x1 or y0 == y1:
        away = (room / 2 - _SEEN_PX) / (room + (width if y0 == y1 else LABEL_HEIGHT_PX))
        for share in (0.5 - away / 2, 0.5 + away / 2, 0.5 - away, 0.5 + away):
            yield x0 + (x1 - x0) * share, y0 + (y1 - y0) * share


def _list_sides(begin: LinePoint, end: LinePoint, width: float) -> Iterator[tuple[float, float]]:
    """Where the middle of a label may be on a curve that leads down: as near to its ends as these
    are seen beside it, then nearer to its middle."""
    room = abs(end[0] - begin[0]) / 2 - width / 2 - _BEND_PX
    if room <= 0 or begin[1] == end[1]:
        return
    middle, away = (begin[0] + end[0]) / 2, np.arange(room, 0.0, -_STEP_PX).tolist()
    for x in (middle + by * each for each in away for by in (-1, 1)):
        for (x0, y0), (x1, y1) in itertools.pairwise((begin, *_bend(begin, end, is_down=True))):
            if min(x0, x1) <= x < max(x0, x1):
                yield x, y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def _list_near_end(pieces_of: _Ends, width: float) -> Iterator[tuple[float, float, float, bool]]:
    """Where a label may be along a line that leads down, the nearest places to its end first.

    On what is upright, and beside all that is not level.
    """
    for begin, end in pieces_of:
        (_, y0), (x1, y1) = begin, end
        way = [begin, *_bend(begin, end, is_down=True)]
        num = int((abs(y1 - y0) - LABEL_HEIGHT_PX) // _STEP_PX)
        for step in range(num + 1):
            y = y1 + math.copysign(LABEL_HEIGHT_PX / 2 + step * _STEP_PX, y0 - y1)
            if begin[0] == x1 and step * _STEP_PX >= _ARROW_LONG_PX + _GAP_PX + _SEEN_PX:
                yield x1 - width / 2, y, width, True
            xs = [*_list_passed(way, y - _HALF_PX, y + _HALF_PX)]
            yield max(xs) + _BESIDE_PX, y, width, False
            yield min(xs) - _BESIDE_PX - width, y, width, False


def _list_passed(way: Sequence[LinePoint], top: float, bottom: float) -> Iterator[float]:
    """How far across a way is between two levels, at its turns and where it passes them."""
    for (x0, y0), (x1, y1) in itertools.pairwise(way):
        if max(y0, y1) < top or min(y0, y1) > bottom:
            continue
        for y in (max(min(y0, y1), top), min(max(y0, y1), bottom)):
            if min(y0, y1) <= y <= max(y0, y1):
                yield x0 if y0 == y1 else x0 + (x1 - x0) * (y - y0) / (y1 - y0)


def _flow(scene: Scene, line: int) -> Flow:
    if scene.lines.is_return[line]:  # tells of a loop, and not of what leads the value on
        return int(scene.lines.source[line]), (-1, line)
    if scene.lines.is_residual[line]:  # what leaves one box shares its way, on a level of its own
        return int(scene.lines.source[line]), (round(scene.lines.corners(line)[0, 1]),)
    return int(scene.lines.source[line]), tuple(sorted(scene.lines.flows[line]))


def _bands_of(top: float, bottom: float) -> range:
    return range(int(top // _BAND_PX), int(bottom // _BAND_PX) + 1)


def _bend(begin: LinePoint, end: LinePoint, is_down: bool) -> tuple[LinePoint, ...]:
    """Places along the curve from one corner to the next, the first left out."""
    if begin[0] == end[0] or begin[1] == end[1]:
        return (end,)
    x, y = end[0] - begin[0], end[1] - begin[1]
    shares = ((across, along) if is_down else (along, across) for across, along in _CURVE)
    return tuple((begin[0] + x * a, begin[1] + y * b) for a, b in shares)


def _in_bands(bands: dict[int, list[T]], top: float, bottom: float) -> Iterator[list[T]]:
    return (bands[band] for band in _bands_of(top, bottom) if band in bands)


class _Pieces:
    """The pieces of some lines, by the bands of the picture that they touch."""

    def __init__(self, scene: Scene, lines: Iterable[int]) -> None:
        self._bands: dict[int, list[_Piece]] = {}
        self._long: list[_Piece] = []
        self._of_flow: dict[Flow, list[int]] = {}
        self._ends: dict[Flow, list[tuple[LinePoint, Rect]]] = {}
        self._is_down, self._scene = scene.direction == "down", scene
        for line in lines:
            flow = _flow(scene, line)
            self._of_flow.setdefault(flow, []).append(line)
            for (x0, y0), (x1, y1) in itertools.pairwise(scene.lines.corners(line).tolist()):
                bands = _bands_of(min(y0, y1), max(y0, y1))
                if len(bands) > _MAX_BANDS:
                    self._long.append((line, flow, x0, y0, x1, y1))
                    continue
                for band in bands:
                    self._bands.setdefault(band, []).append((line, flow, x0, y0, x1, y1))

    def _run_through(self, rect: Rect, x0: float, y0: float, x1: float, y1: float) -> bool:
        """Whether a piece, straight or a curve, touches a rectangle."""
        if x0 == x1 or y0 == y1:
            return _runs_through(rect, x0, y0, x1, y1)
        bent = ((x0, y0), *_bend((x0, y0), (x1, y1), self._is_down))
        return any(_runs_through(rect, *one, *other) for one, other in itertools.pairwise(bent))

    def _bend_all(self, corners: Sequence[LinePoint]) -> list[LinePoint]:
        """Places along a line, bends as they are drawn."""
        ends = itertools.pairwise(corners)
        return [corners[0], *(at for each in ends for at in _bend(*each, self._is_down))]

    def hides_most(self, rect: Rect, line: int) -> bool:
        """Whether a rectangle covers so much of a short line that little of it is seen."""
        corners = self._scene.lines.corners(line)
        if self._scene.lines.is_residual[line]:  # it goes on in both parts
            return False
        whole = float(np.hypot(*np.diff(corners, axis=0).T).sum())
        if whole - rect[2] - rect[3] >= _ENOUGH_SEEN_PX:
            return False
        way = list(itertools.pairwise(self._bend_all(corners.tolist())))
        whole = sum(math.dist(*each) for each in way)
        hidden = sum(math.dist(*each) * _share_inside(rect, *each) for each in way)
        return hidden > whole * _MOST_HIDDEN and whole - hidden < _ENOUGH_SEEN_PX

    def hides_end(self, rect: Rect, line: int) -> bool:
        """Whether a rectangle touches where another line of its value begins or ends, unless this
        one does so there as well."""
        x, y, width, height = rect
        corners = self._scene.lines.corners(line).tolist()
        own = corners[0], corners[-1]
        return any(
            left < x + width and x < left + wide and top < y + height and y < top + high
            for point, (left, top, wide, high) in self._list_ends(_flow(self._scene, line))
            if point not in own
        )

    def _list_ends(self, flow: Flow) -> list[tuple[LinePoint, Rect]]:
        """Where the lines of a flow begin and end, and what is around that."""
        known = self._ends.get(flow)
        if known is None:
            every = [self._scene.lines.corners(line).tolist() for line in self._of_flow[flow]]
            ways = [way for each in every for way in (each[:2], each[:-3:-1])]
            known = [(way[0], _find_box(self._bend_all(way))) for way in ways]
            self._ends[flow] = known
        return known

    def pass_by(self, rect: Rect, line: int) -> bool:
        """Whether one line runs through a rectangle."""
        ends = itertools.pairwise(self._scene.lines.corners(line).tolist())
        return any(self._run_through(rect, *begin, *end) for begin, end in ends)

    def cross(self, rect: Rect, flow: Flow, own: int, clear: float) -> bool:
        """Whether a line of another value than `flow` runs through a rectangle, or grazes it.

        Args:
            own: If a line is given, whether any line but that one does so.
            clear: What is too near.
        """
        x, y, width, height = rect
        rect = (x - clear, y - clear, width + 2 * clear, height + 2 * clear)
        left, top, right, bottom = rect[0], rect[1], rect[0] + rect[2], rect[1] + rect[3]
        for pieces in (self._long, *_in_bands(self._bands, top, bottom)):
            for line, other, x0, y0, x1, y1 in pieces:
                if (x0 < left and x1 < left) or (x0 > right and x1 > right):  # most are
                    continue
                is_other = other != flow if own == NONE else line != own
                if is_other and self._run_through(rect, x0, y0, x1, y1):
                    return True
        return False

    def is_beside(self, flow: Flow, rect: Rect, is_kept: bool, is_plain: bool) -> bool:
        """Whether lines of a value pass right beside the middle of a rectangle, and no others pass
        beside any of it.

        Of residuals no others of residuals: their labels have the colour of their lines. Others
        are farther away than those are.

        Args:
            is_plain: Of residuals, whether no others pass above and below it, either; behind its
                own line they may be nearer.
        """
        kept = self._scene.lines.is_residual | self._scene.lines.is_inner_residual
        x, y, width, height = rect
        own: list[Sequence[float]] = []
        others: list[Sequence[float]] = []
        rivals: list[Sequence[float]] = []
        near = _in_bands(self._bands, y - _NEAR_PX, y + height + _NEAR_PX)
        for pieces in (self._long, *near):
            for line, other, *ends in pieces:
                if other == flow:
                    own.append(ends)
                elif kept[line] or not is_kept:
                    rivals.append(ends)
                else:
                    others.append(ends)

        def pass_near(ways: list[Sequence[float]], rect: Rect) -> bool:
            return any(self._run_through(rect, *ends) for ends in ways)

        middle = (x, y + height / 2, width, 0.0)
        if not pass_near(own, _widen(middle, _NEAR_PX)):
            return False
        near_rect = _widen(rect, _NEAR_PX)
        if is_kept and is_plain:
            sides = [
                pass_near(own, (at, middle[1], _NEAR_PX, 0.0)) for at in (x - _NEAR_PX, x + width)
            ]
            left, right = (_BEHIND_PX if each else _NEAR_PX for each in sides)
            near_rect = (x - left, y - _NEAR_PX, left + width + right, height + 2 * _NEAR_PX)
        if pass_near(rivals, near_rect):
            return False
        away = _BESIDE_PX
        while away < _NEAR_PX and not pass_near(own, _widen(rect, away)):
            away += _APART_PX
        away += _APART_PX
        around = (x - away, y - away, width + 2 * away, height + 2 * away)
        return not pass_near([*others, *rivals], around)


def _widen(rect: Rect, by: float) -> Rect:
    """A rectangle that reaches farther to both sides."""
    return rect[0] - by, rect[1], rect[2] + 2 * by, rect[3]


def _find_box(way: Sequence[LinePoint]) -> Rect:
    """Around the begin of a way."""
    near, left = [way[0]], _END_PX
    for (x0, y0), (x1, y1) in itertools.pairwise(way):
        length = math.dist((x0, y0), (x1, y1))
        share = min(left / length, 1.0) if length else 1.0
        near.append((x0 + (x1 - x0) * share, y0 + (y1 - y0) * share))
        left -= length
        if left <= 0:
            break
    xs, ys = zip(*near, strict=True)
    return min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)


def _share_inside(rect: Rect, begin: LinePoint, end: LinePoint) -> float:
    """How much of a straight piece is inside of a rectangle."""
    first, last = _cut(rect, *begin, *end)
    return max(last - first, 0.0)


def _runs_through(rect: Rect, x0: float, y0: float, x1: float, y1: float) -> bool:
    """Whether a straight piece touches a rectangle."""
    first, last = _cut(rect, x0, y0, x1, y1)
    return first <= last


def _cut(rect: Rect, x0: float, y0: float, x1: float, y1: float) -> tuple[float, float]:
    """The shares of a straight piece where it enters a rectangle, and leaves it: cut it by the
    four borders in turn. The former is larger where it does not touch it."""
    first, last = 0.0, 1.0
    for begin, end, low, size in ((x0, x1, rect[0], rect[2]), (y0, y1, rect[1], rect[3])):
        if begin == end:
            if not low <= begin <= low + size:
                return 1.0, 0.0
            continue
        enter, leave = (low - begin) / (end - begin), (low + size - begin) / (end - begin)
        first, last = max(first, min(enter, leave)), min(last, max(enter, leave))
    return first, last


def _list_arrows(scene: Scene, lines: Iterable[int]) -> Iterator[Rect]:
    """Around each arrowhead."""
    is_down = scene.direction == "down"
    for line in lines:
        if scene.lines.has_arrow[line]:
            (x0, y0), (x, y) = scene.lines.corners(line)[-2:].tolist()
            if y != y0 and (is_down or x == x0):
                top = y - _ARROW_LONG_PX if y >= y0 else y
                yield x - _ARROW_HALF_PX, top, 2 * _ARROW_HALF_PX, _ARROW_LONG_PX
            else:
                left = x - _ARROW_LONG_PX if x >= x0 else x
                yield left, y - _ARROW_HALF_PX, _ARROW_LONG_PX, 2 * _ARROW_HALF_PX


class _Obstacles:
    """Rectangles as x, y, width, height, found by the bands of the picture that they touch."""

    def __init__(self, rects: Iterable[Rect]) -> None:
        self._bands: dict[int, list[Rect]] = {}
        self._tall: list[Rect] = []
        for rect in rects:
            self.add(rect)

    def add(self, rect: Rect) -> None:
        bands = _bands_of(rect[1], rect[1] + rect[3])
        if len(bands) > _MAX_BANDS:
            self._tall.append(rect)
            return
        for band in bands:
            self._bands.setdefault(band, []).append(rect)

    def hits(self, rect: Rect, *, beside: float = _FROM_BOX_SIDE_PX) -> bool:
        """Whether any is nearer than a little gap, which is `beside` at the sides."""
        left, top = rect[0] - beside, rect[1] - _GAP_PX
        right, bottom = rect[0] + rect[2] + beside, rect[1] + rect[3] + _GAP_PX
        for rects in (self._tall, *_in_bands(self._bands, top, bottom)):
            for x, y, width, height in rects:
                if x < right and left < x + width and y < bottom and top < y + height:
                    return True
        return False


# The ways of edges that a scene shows as connectors only: drawn in full for what one points at.


MAX_EDGES = 60
"""More at once would be a wall of lines."""

Point = tuple[float, float]


class LongEdge(NamedTuple):
    """An edge from end to end.

    Attributes:
        source: Item that the values leave.
        target: Item that they enter.
        begin: Where it leaves the source's connector, or the source itself.
        end: Where it meets the target's connector, or the target itself.
        leaves: Whether it begins in the scene's direction, 1, or against it, -1.
        enters: Whether it ends in the scene's direction, likewise.
    """

    source: int
    target: int
    begin: Point
    end: Point
    leaves: int
    enters: int


class Way(NamedTuple):
    """Lines that belong together.

    Attributes:
        into: Indices of those that lead values to an item, from where the values are made.
        out: Of those that lead its values on, to all that read them.
        edges: What connectors stand for on these ways, where they are few.
    """

    into: npt.NDArray[np.int64]
    out: npt.NDArray[np.int64]
    edges: tuple[LongEdge, ...]


NO_WAY = Way(np.zeros(0, np.int64), np.zeros(0, np.int64), ())


def edges_of_connector(
    scene: Scene, connector: int, wanted: Collection[int] | None = None
) -> tuple[LongEdge, ...]:
    """The edges that one connector stands for; those of some nodes' values, or of all."""
    far = scene.connectors.far[connector].tolist()
    return tuple(itertools.islice(_list_edges_to(scene, connector, far, wanted), MAX_EDGES))


def _list_edges_to(
    scene: Scene, connector: int, ends: Iterable[int], wanted: Collection[int] | None = None
) -> Iterator[LongEdge]:
    """The edges that one connector stands for, to some of the items at its far end."""
    connectors = scene.connectors
    item, is_source = int(connectors.item[connector]), bool(connectors.is_source[connector])
    here, side = _open_side(scene, connector)
    partners = _find_partners(scene, connector, wanted)
    for far in ends:
        inside = [each for each, around in partners if far in around]
        there = [(int(connectors.item[each]), _open_side(scene, each)) for each in inside]
        if not there and (is_source or wanted is None or _makes_any(scene, far, wanted)):
            there = [(far, _side(scene, far, not is_source))]
        for end, (place, other) in there:
            if is_source:
                yield LongEdge(item, end, here, place, side, -other)
            else:
                yield LongEdge(end, item, place, here, other, -side)


def edges_of_item(scene: Scene, item: int) -> tuple[LongEdge, ...]:
    """The long edges into and out of an item, whichever end has the connector."""
    connectors, around = scene.connectors, _surroundings(scene, item)
    found: dict[tuple[int, int], LongEdge] = {}
    for connector in np.flatnonzero(connectors.item == item).tolist():
        for edge in edges_of_connector(scene, connector):
            found.setdefault((edge.source, edge.target), edge)
    for connector in connectors.reaching(item).tolist():
        if len(found) >= MAX_EDGES:
            break
        ends = [far for far in connectors.far[connector].tolist() if far in around]
        for edge in _list_edges_to(scene, connector, ends):
            if item in (edge.source, edge.target):
                found.setdefault((edge.source, edge.target), edge)
    return tuple(found.values())[:MAX_EDGES]


def is_far_end(scene: Scene, connector: int, other: int) -> bool:
    """Whether a connector leads to what another is at, or to a group around that."""
    connectors = scene.connectors
    around = _surroundings(scene, int(connectors.item[other]))
    return not around.isdisjoint(connectors.far[connector].tolist())


def _find_partners(
    scene: Scene, connector: int, wanted: Collection[int] | None
) -> list[tuple[int, set[int]]]:
    """The connectors at the other end that stand for the same values, or for those of some nodes;
    each with the item that it is at and the frames around that.

    Where the other end is an open group, they are at the boxes inside of it that the values are
    for, so that an edge leads to them and not to the group's border.
    """
    connectors = scene.connectors
    values = connectors.values[connector]
    if wanted is not None:
        values = values[np.isin(values, list(wanted))]
    same = connectors.of_values(values.astype(np.int64))
    return [
        (each, _surroundings(scene, int(connectors.item[each])))
        for each in same[connectors.is_source[same] != connectors.is_source[connector]].tolist()
        if is_far_end(scene, each, connector)
    ]


def _makes_any(scene: Scene, item: int, nodes: Iterable[int]) -> bool:
    """Whether one of some nodes is drawn as an item, or in it."""
    return any(item in _surroundings(scene, int(scene.item_of_node[node])) for node in nodes)


def _surroundings(scene: Scene, item: int) -> set[int]:
    """An item and the frames around it."""
    found: set[int] = set()
    while item != NONE:
        found.add(item)
        item = int(scene.items.parent[item])
    return found


def _open_side(scene: Scene, connector: int) -> tuple[Point, int]:
    """The middle of the side of a connector that no line touches, and which side that is."""
    connectors = scene.connectors
    is_onward = bool(connectors.is_source[connector] != connectors.is_reversed[connector])
    return _middle(scene, connectors.rect[connector], is_onward), 1 if is_onward else -1


def _side(scene: Scene, item: int, is_leaving: bool) -> tuple[Point, int]:
    is_onward = is_leaving != bool(scene.items.is_reversed[item])
    return _middle(scene, scene.items.rect[item], is_onward), 1 if is_onward else -1


def _middle(scene: Scene, rect: np.ndarray, is_onward: bool) -> Point:
    """The middle of the side of a rectangle that lies in the scene's direction, or against it."""
    x, y, width, height = rect.tolist()
    if scene.direction == "down":
        return x + width / 2, y + height if is_onward else y
    return x + width if is_onward else x, y + height / 2


# The way of a long edge around boxes: out of its connector into the next gap between ranks, along
# that to a gap across ranks, and likewise to the other end. Such gaps are nearly always there, as
# pictures are layered; where they are not, the edge has no way, and is drawn as a curve over all.


_WAY_GAP_PX = 4.0
_FROM_BOX_PX = 10.0
_WIDE_PX = 60.0
_MOST_TRIED = 6
Floats = npt.NDArray[np.float64]


class EdgeRouter:
    """Finds ways of long edges around a scene's boxes, connectors and titles of groups."""

    def __init__(self, scene: Scene) -> None:
        num_frames = scene.items.num_frames
        titles = scene.items.rect[:num_frames].copy()
        titles[:, 3] = np.minimum(titles[:, 3], HEADER_PX)
        rects = np.concatenate([titles, scene.items.rect[num_frames:], scene.connectors.rect])
        self._is_down = scene.direction == "down"
        if not self._is_down:  # across the flow first
            rects = rects[:, [1, 0, 3, 2]]
        self._low, self._high = rects[:, :2], rects[:, :2] + rects[:, 2:]
        self._known: dict[LongEdge, tuple[Point, ...]] = {}

    def find(self, edge: LongEdge) -> tuple[Point, ...]:
        """The corners of a way, both ends among them; none where there is no way."""
        way = self._known.get(edge)
        if way is None:
            way = self._known[edge] = self._find(edge)
        return way

    def _find(self, edge: LongEdge) -> tuple[Point, ...]:
        begin, end = self._turn(edge.begin), self._turn(edge.end)
        ways = self._ways(begin, end, edge.leaves, edge.enters)
        for way in sorted(ways, key=_measure_way):
            if not any(self._is_hit(*piece) for piece in itertools.pairwise(way)):
                return tuple(map(self._turn, way))
        return ()

    def _ways(
        self, begin: Point, end: Point, leaves: int, enters: int
    ) -> Iterator[tuple[Point, ...]]:
        """Ways that may be free."""
        straight = self._gap_along(begin, begin[0], end[0], leaves)
        if (end[1] - straight) * enters > 0:
            yield begin, (begin[0], straight), (end[0], straight), end
        for u in self._gaps_across(begin, end):
            out = self._gap_along(begin, begin[0], u, leaves)
            into = self._gap_along(end, end[0], u, -enters)
            yield begin, (begin[0], out), (u, out), (u, into), (end[0], into), end

    def _turn(self, point: Point) -> Point:
        return point if self._is_down else (point[1], point[0])

    def _is_hit(self, one: Point, other: Point) -> bool:
        """Whether something is on a straight piece; its ends may touch what they belong to."""
        low, high = np.minimum(one, other), np.maximum(one, other)
        hit = (self._low + 1 < high) & (self._high - 1 > low)
        is_level = (self._low + 1 < high + 1e-3) & (self._high - 1 > low - 1e-3)
        return bool((np.where(high > low, hit, is_level)).all(axis=1).any())

    def _gap_along(self, start: Point, u: float, other: float, side: int) -> float:
        """The place in the next gap between ranks, from a point in a direction."""
        low, high = min(u, other), max(u, other)
        is_near = (self._low[:, 0] < high + _WAY_GAP_PX) & (self._high[:, 0] > low - _WAY_GAP_PX)
        gaps = _find_gaps(self._low[is_near, 1], self._high[is_near, 1])
        if side < 0:
            gaps = [(-high, -low) for low, high in reversed(gaps)]
        at = start[1] * side
        begin, stop = next((max(low, at), high) for low, high in gaps if high > at + 1.0)
        return side * min(begin + _FROM_BOX_PX, (begin + stop) / 2)

    def _gaps_across(self, begin: Point, end: Point) -> list[float]:
        """Places across the flow that are free all the way; a wide one on the way is best."""
        low, high = sorted((begin[1], end[1]))
        is_near = (self._low[:, 1] < high + _WAY_GAP_PX) & (self._high[:, 1] > low - _WAY_GAP_PX)
        left, right = sorted((begin[0], end[0]))
        found: list[tuple[float, float, float]] = []
        for start, stop in _find_gaps(self._low[is_near, 0], self._high[is_near, 0]):
            inner, outer = max(start, left), min(stop, right)
            if inner > outer:  # not on the way: as near to it as can be
                inner, outer = (
                    (start, min(stop, start + _WIDE_PX))
                    if start > right
                    else (max(start, stop - _WIDE_PX), stop)
                )
            at = (inner + outer) / 2
            detour = max(left - at, at - right, 0.0)
            found.append((detour, -min(stop - start, _WIDE_PX), at))
        return [at for _, _, at in sorted(found)[:_MOST_TRIED]]


def _measure_way(way: tuple[Point, ...]) -> float:
    """Length of a way, with a constant added for each corner."""
    length = sum(abs(x1 - x0) + abs(y1 - y0) for (x0, y0), (x1, y1) in itertools.pairwise(way))
    return length + _WIDE_PX * len(way)


def _find_gaps(low: Floats, high: Floats) -> list[tuple[float, float]]:
    """What intervals leave free, rising; from each a little is kept away."""
    order = np.argsort(low)
    starts = [*(low[order] - _WAY_GAP_PX).tolist(), math.inf]
    reached = [-math.inf, *(np.maximum.accumulate(high[order]) + _WAY_GAP_PX).tolist()]
    return [gap for gap in zip(reached, starts, strict=True) if gap[0] < gap[1]]
