"""Compose a scene: lay groups out, draw each alone, put the drawings into each other; groups that
did not change are taken over from the scene before.
"""

from __future__ import annotations

import collections
import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.heap import paused_gc
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, NodeKind, Ragged
from jaxscope.model.said import BESIDE, TOGETHER, say
from jaxscope.model.types import batch_size, mark_batch_axes, short_type
from jaxscope.picture.layout.diagram import ShouldStop, Spacing, Stub, never_stop
from jaxscope.picture.layout.engines import Engine, GroupLayouts, LayoutCache
from jaxscope.picture.palette import (
    BACKWARD_FRAME,
    CONTROL_FRAME,
    FORWARD_FRAME,
    FUSION_FRAME,
    OTHER_FRAME,
    SECOND_FRAME,
)
from jaxscope.picture.scene.edge_details import EdgeLabels
from jaxscope.picture.scene.group_layout import (
    DOWN,
    NO_ROOMS,
    RIGHT,
    STUB_HEIGHT_PX,
    BoxTexts,
    GroupPlacer,
    PlacedGroup,
    Rooms,
    measure_header,
)
from jaxscope.picture.scene.residual_lines import (
    Part,
    Rect,
    ResidualEnd,
    ResidualLine,
    route_residuals,
)
from jaxscope.picture.scene.returns import count_rounds
from jaxscope.picture.scene.scene import (
    HEADER_PX,
    NO_WIDTH_LIMIT,
    Connectors,
    Fit,
    Items,
    Lines,
    Scene,
    Walk,
    empty_scene,
)
from jaxscope.picture.scene.side_by_side import (
    ForwardBackwardPair,
    OffPageConnector,
    describe_kept,
    describe_values,
    leads_residuals,
    values_at_once,
)
from jaxscope.picture.scene.visible_edges import End, Frame, Port, Values, Wire, Wiring
from jaxscope.picture.view.arguments import STEP
from jaxscope.picture.view.labels import style_of_group
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, Box, View

# What an open group shows, drawn alone: rectangles, lines and connectors, from where the group's
# drawing begins, so that it stays valid wherever the group is put.

Floats = npt.NDArray[np.float64]

_Point = tuple[float, float]
_Corners = list[_Point]


PLAIN_LINE, TOLD_LINE, RETURN_LINE, RESIDUAL_LINE, INNER_RESIDUAL, AROUND_LINE = range(6)
"""Kinds of lines: an ordinary one, one whose text is always worth a place, one that leads a loop's
carry from the end of a round back to its begin, one of residuals, one that leads residuals on, and
one around the backward part of a gradient."""


_SAME_PX = 0.5
"""Ends of lines that are no farther apart meet."""
_APART_PX, _ROOM_PX = 8.0, 14.0
"""Between the entries of residuals from several boxes into one group; to the next port."""


class DrawnStub(NamedTuple):
    """A connector.

    Attributes:
        rect: x, y, width, height.
        text: What is written in it.
        box: The box at the other end of what leaves or enters where it sits.
        far: Boxes at the far ends.
        is_source: Whether the edges leave here, not arrive.
        is_reversed: Whether they lead against the scene's direction here.
        values: Nodes whose values it stands for, rising.
    """

    rect: tuple[float, float, float, float]
    text: str
    box: int
    far: tuple[int, ...]
    is_source: bool
    is_reversed: bool
    values: tuple[int, ...]


class GroupDrawing(NamedTuple):
    """What one open group shows.

    Attributes:
        boxes: The boxes right inside of it.
        rects: Of each box, float64, shape `(n, 4)`: x, y, width, height.
        points: Corners of all lines, float64, shape `(p, 2)`.
        lines: int32, shape `(m, 6)`: of each line its number of corners, the box where it begins,
            the box where it ends, whether it ends at a user, how many nodes' values it carries,
            and what kind of line it is, such as `RETURN_LINE`.
        values: Nodes whose values flow, line by line.
        types: What each line says of its values.
        flows: What flows along each line; nothing where a carry goes back.
        stubs: Its connectors.
        kept: Where lines to or from the other part of a gradient begin or end.
    """

    boxes: Int32s
    rects: Floats
    points: Floats
    lines: Int32s
    values: Int32s
    types: tuple[str, ...]
    flows: tuple[Values, ...]
    stubs: tuple[DrawnStub, ...]
    kept: tuple[ResidualEnd, ...]


def draw_groups(
    view: View, wiring: Wiring, nester: GroupPlacer, direction: str
) -> dict[int, GroupDrawing]:
    """The drawings of the groups that were laid out."""
    words: dict[int, str] = {}
    return {
        box: _GroupDrawer(box, view, wiring, nester, direction, words).draw()
        for box in nester.placed
    }


class _GroupDrawer:
    """Draws one group."""

    def __init__(
        self,
        box: int,
        view: View,
        wiring: Wiring,
        nester: GroupPlacer,
        direction: str,
        words: dict[int, str],
    ) -> None:
        self._box = box
        self._view = view
        self._strings = view.graph.strings
        self._choices = view.choices
        self._batched = view.batched
        self._wiring = wiring
        self._nester = nester
        self._direction = direction
        self._words = words
        self._placed: PlacedGroup = nester.placed[box]
        self._frames: Mapping[int, Frame] = nester.frames
        self._corners: _Corners = []
        self._lines: list[tuple[int, int, int, bool, int, int]] = []
        self._values: list[int] = []
        self._types: list[str] = []
        self._flows: list[Values] = []

    def draw(self) -> GroupDrawing:
        placed = self._placed
        boxes, rects = self._place_boxes()
        for wire, route in zip(placed.wires, placed.drawing.routes, strict=True):
            if route:
                self._add_wire(wire, self._turn_all(route))
        for line in placed.returns:
            corners = self._turn_all(line.route)
            self._corners += corners
            self._lines.append((len(corners), line.source, line.target, True, 1, RETURN_LINE))
            self._values.append(line.node)
            self._types.append(line.name)
            self._flows.append({})
        stubs = tuple(self._add_stub(stub) for stub in placed.drawing.stubs)
        return GroupDrawing(
            np.asarray(boxes, np.int32),
            np.asarray(rects, np.float64).reshape(-1, 4),
            np.asarray(self._corners, np.float64).reshape(-1, 2),
            np.asarray(self._lines, np.int32).reshape(-1, 6),
            np.asarray(self._values, np.int32),
            tuple(self._types),
            tuple(self._flows),
            stubs,
            tuple(self._place_kept(end) for end in placed.kept),
        )

    def _place_kept(self, end: ResidualEnd) -> ResidualEnd:
        is_entry = self._nester.is_reversed[self._box]
        shift = self._nester.shift(end.box, end.bundle, is_entry)
        return end._replace(x=self._nester.size(end.box)[0] / 2 + shift)

    def _place_boxes(self) -> tuple[list[int], list[tuple[float, float, float, float]]]:
        boxes: list[int] = []
        rects: list[tuple[float, float, float, float]] = []
        drawing = self._placed.drawing
        for end, across, along in zip(self._placed.ends, drawing.x, drawing.y, strict=True):
            if not isinstance(end, Port):
                width, height = self._nester.size(end)
                x, y = self._turn(across, along)
                boxes.append(end)
                rects.append((x - width / 2, y - height / 2, width, height))
        return boxes, rects

    def _turn(self, across: float, along: float) -> tuple[float, float]:
        return (across, along) if self._direction == DOWN else (along, across)

    def _turn_all(self, route: Iterable[tuple[float, float]]) -> _Corners:
        if self._direction == DOWN:
            return list(route)
        return [(y, x) for x, y in route]

    def _add_line(
        self, corners: _Corners, source: int, target: int, has_arrow: bool, values: Values
    ) -> None:
        self._corners += corners
        nodes = self._wiring.nodes_of(values)
        word = self._word_of_choice(target, nodes) if target in self._choices else ""
        kind, told = TOLD_LINE if word else PLAIN_LINE, self._describe(values)
        told = say(TOGETHER, first=word, then=told) if word else told
        if leads_residuals(self._view, source, target):
            kind, told = RESIDUAL_LINE, describe_kept(self._view, self._wiring, values)
        self._lines.append((len(corners), source, target, has_arrow, len(nodes), kind))
        self._values += nodes
        self._types.append(told)
        self._flows.append(values)

    def _word_of_choice(self, target: int, nodes: list[int]) -> str:
        """What to call values that only choose an arm of a branch; else nothing."""
        chosen = {self._choices[target].get(node) for node in nodes}
        word = chosen.pop()
        return f"{word} " if word and not chosen else ""

    def _add_wire(self, wire: Wire, corners: _Corners) -> None:
        source, target = wire.source, wire.target
        if isinstance(source, Port):
            corners.insert(0, self._border(corners[0], True))
        if isinstance(target, Port):
            corners.append(self._border(corners[-1], False))
        has_arrow = not isinstance(target, Port) and not self._goes_on(target, wire.bundle)
        self._add_line(corners, self._own(source), self._own(target), has_arrow, wire.values)
        if self._nester.is_led_around(source, wire.bundle):
            self._lines[-1] = (*self._lines[-1][:5], AROUND_LINE)

    def _goes_on(self, target: int, bundle: int) -> bool:
        """Whether a line ends at an open group that leads it on inside."""
        frame = self._frames.get(target)
        return frame is not None and Port(bundle, True) in frame.ports

    def _border(self, corner: tuple[float, float], is_entry: bool) -> tuple[float, float]:
        """Where a line through a port meets the frame; the header's band belongs to the frame."""
        frame = self._frames[self._box]
        is_entry = is_entry != self._nester.is_reversed[self._box]
        if self._direction == DOWN:
            return corner[0], (HEADER_PX if is_entry else frame.height) - frame.top
        return (0.0 if is_entry else frame.width) - frame.left, corner[1]

    def _own(self, end: End) -> int:
        return self._box if isinstance(end, Port) else end

    def _add_stub(self, stub: Stub) -> DrawnStub:
        end = self._placed.ends[stub.node]
        corners = self._turn_all(stub.line)
        if isinstance(end, Port):
            border = self._border(corners[0 if stub.is_source else -1], stub.is_source)
            corners.insert(0 if stub.is_source else len(corners), border)
        wires, loose = self._meaning_of(stub)
        values: Values = {}
        meant = wires if loose is None else [loose]
        for each in meant:
            values.update(each.values)
        has_arrow = not (stub.is_source or isinstance(end, Port)) and not any(
            self._goes_on(end, each.bundle) for each in meant
        )
        self._add_line(corners, self._own(end), self._own(end), has_arrow, values)
        text, far = self._tell(stub, wires, loose)
        nodes = tuple(sorted(self._wiring.nodes_of(values)))
        at_stub = stub.line[-1 if stub.is_source else 0]
        is_reversed = (stub.y > at_stub[1]) != stub.is_source
        x, y = self._turn(stub.x, stub.y)
        width, left = stub.across, x - stub.across / 2
        if self._direction == RIGHT:  # the room is as wide as the widest; touch the line
            width = self._nester.stub_width(text)
            left = corners[-1][0] if stub.is_source else corners[0][0]
            left -= width if x < left else 0.0
        else:  # where several stubs became one, it is narrower than a name may be
            text = self._nester.fit_stub(text, width)
        rect = (left, y - STUB_HEIGHT_PX / 2, width, STUB_HEIGHT_PX)
        box = self._far_box(end)
        return DrawnStub(rect, text, box, far, stub.is_source, is_reversed, nodes)

    def _meaning_of(self, stub: Stub) -> tuple[list[Wire], OffPageConnector | None]:
        """The lines that a stub stands for; or what, if no line of the group leads there."""
        number = stub.links[0] - len(self._placed.wires)
        if number >= 0:
            return [], self._placed.loose[number]
        return [self._placed.wires[link] for link in stub.links], None

    def _tell(
        self, stub: Stub, wires: list[Wire], loose: OffPageConnector | None
    ) -> tuple[str, tuple[int, ...]]:
        """The text of a stub, and the boxes at the far ends."""
        if loose is not None:
            return loose.text, tuple(dict.fromkeys(loose.far))
        sources = {wire.source for wire in wires}
        targets = {wire.target for wire in wires}
        if stub.is_source:
            text, ends = self._nester.onward_text(targets), targets
        elif len(sources) == 1:
            text, ends = self._nester.stub_text(wires[0].source), sources
        else:
            text, ends = self._nester.backward_text(sources), sources
        return text, tuple({self._far_box(each) for each in ends})

    def _far_box(self, end: End) -> int:
        """The box at the other end of what leaves or enters through an end."""
        if not isinstance(end, Port):
            return end
        if end.is_entry:
            return self._wiring.source_of(end.bundle)
        return self._wiring.targets_of(end.bundle)[0]

    def _describe(self, values: Values) -> str:
        """The type of values, or how many of how many types there are."""
        values = values_at_once(self._view, self._wiring, values)
        types, num = set(values.values()), len(values)
        if len(types) > 1:
            told = say("{num} values", num=num)
            batch = self._describe_batch(values)
            return say(TOGETHER, first=told, then=batch) if batch else told
        type_ = types.pop()
        only = self._words.get(type_)
        if only is None:
            only = self._words[type_] = short_type(self._strings[type_])
        if num > 1:
            return f"{num} × {only}{self._describe_batch(values)}"
        if not self._batched:
            return only
        axes = self._batched.get(self._wiring.origin_of(next(iter(values))), ())
        return mark_batch_axes(only, axes)

    def _describe_batch(self, values: Values) -> str:
        """Such as `, B=64`: the size of the axis that `vmap` added to each of several values."""
        if not self._batched:
            return ""
        strings = self._strings
        sizes = {
            batch_size(strings[type_], self._batched.get(self._wiring.origin_of(value), ()))
            for value, type_ in values.items()
        }
        size = sizes.pop()
        return f", B={size}" if size and not sizes else ""


class SceneSettings(NamedTuple):
    """How a scene is made of a view: what is made otherwise has nothing to take over."""

    direction: str
    spacing: Spacing
    engine: Engine
    fit: Fit


@dataclass(frozen=True, eq=False, slots=True)
class DrawnGroups:
    """The open groups of one scene.

    Attributes:
        view: What they are of.
        settings: How they were made.
        frames: As their surroundings see them.
        drawings: What they show.
        num_laid_out: How many of them were not taken over.
    """

    view: View
    settings: SceneSettings
    frames: Mapping[int, Frame]
    drawings: Mapping[int, GroupDrawing]
    num_laid_out: int


class SceneMemory:
    """Remembers the last scene that was composed with it.

    Attributes:
        latest: Its groups; None before the first.
    """

    def __init__(self) -> None:
        self.latest: DrawnGroups | None = None

    def recall(self, view: View, settings: SceneSettings) -> DrawnGroups:
        """What there is to take over; nothing where the last scene was another view's."""
        latest = self.latest
        if latest is not None and latest.view is view and latest.settings == settings:
            return latest
        return DrawnGroups(view, settings, {}, {}, 0)


Int32s = npt.NDArray[np.int32]


def assemble_scene(
    view: View,
    wiring: Wiring,
    frames: Mapping[int, Frame],
    drawings: Mapping[int, GroupDrawing],
    pairs: Sequence[ForwardBackwardPair],
    is_reversed: Sequence[bool],
    direction: str,
    label_px: float,
) -> Scene:
    """The scene that the drawings of all open groups make."""
    collector = _Collector(view, wiring, frames, drawings, pairs, is_reversed, direction, label_px)
    return collector.collect()


_GROUNDS = {
    BranchKind.ARM: CONTROL_FRAME,
    BranchKind.FORWARD: FORWARD_FRAME,
    BranchKind.BACKWARD: BACKWARD_FRAME,
    BranchKind.FUSION: FUSION_FRAME,
}
_ORDER_GROUNDS = {"backward": BACKWARD_FRAME, "backward of backward": SECOND_FRAME}


def _choose_grounds(
    view: View, shown: list[Box], parent: Int32s, num_frames: int
) -> npt.NDArray[np.int8]:
    """Of each item the number of its ground: parts of a gradient have their own, see `Palette`."""
    depths = np.zeros(len(shown), np.int8)
    grounds = np.zeros(len(shown), np.int8)
    for item in range(num_frames):  # outer frames come first
        around = int(parent[item])
        depths[item] = (depths[around] + 1) % 2 if around >= 0 else 0
        kind, label = shown[item].kind, shown[item].label
        if kind is BranchKind.ORDER:
            grounds[item] = _ORDER_GROUNDS.get(label.partition(" · ")[0], OTHER_FRAME)
        elif kind is BranchKind.NESTED and style_of_group(view, shown[item]) is Style.CONTROL:
            grounds[item] = CONTROL_FRAME
        else:
            grounds[item] = depths[item] if kind is None else _GROUNDS.get(kind, depths[item])
    return grounds


class _InnerResiduals(NamedTuple):
    """What leads residuals on inside of open groups.

    Attributes:
        lines: All such lines.
        joins: Those that meet each other at the border of a group.
    """

    lines: list[int]
    joins: list[list[int]]


def _find_forks(ways: Sequence[_Corners]) -> Iterator[_Point]:
    """Where lines part that begin in one place.

    Args:
        ways: Their corners. Lines that turn in one place to one place go on together.
    """
    turns: dict[_Point, dict[_Point | None, list[_Corners]]] = {}
    places: dict[_Point, _Point] = {}
    begin, start = ways[0][0]
    for way in ways:
        at = next((at for at, (x, _) in enumerate(way) if abs(x - begin) >= _SAME_PX), len(way))
        turn, rest = _round(way[at - 1]), way[at:]
        places[turn] = (way[at - 1][0], way[at - 1][1])
        turns.setdefault(turn, {}).setdefault(_round(rest[0]) if rest else None, []).append(rest)
    farthest = max(turns, key=lambda turn: abs(turn[1] - start))
    for turn, further in turns.items():
        if turn != farthest or len(further) > 1:
            yield places[turn]
        for rests in further.values():
            if len(rests) > 1 and rests[0]:
                yield from _find_forks(rests)


def _round(corner: Sequence[float]) -> _Point:
    return round(corner[0], 1), round(corner[1], 1)


def _find_all_forks(points: Floats, offsets: Int32s, rows: Sequence[int]) -> list[_Point]:
    """Where some of these lines part, of those that begin in one place."""
    together: dict[_Point, list[_Corners]] = {}
    for row in rows:
        way = points[offsets[row] : offsets[row + 1]].tolist()
        together.setdefault(_round(way[0]), []).append(way)
    found = (_find_forks(ways) for ways in together.values() if len(ways) > 1)
    return list(dict.fromkeys(itertools.chain.from_iterable(found)))


class _Collector:
    def __init__(
        self,
        view: View,
        wiring: Wiring,
        frames: Mapping[int, Frame],
        drawings: Mapping[int, GroupDrawing],
        pairs: Sequence[ForwardBackwardPair],
        is_reversed: Sequence[bool],
        direction: str,
        label_px: float,
    ) -> None:
        self._view = view
        self._wiring = wiring
        self._pairs = pairs
        self._is_reversed = np.asarray(is_reversed, bool)
        self._direction, self._label_px = direction, label_px
        self._frames = frames
        self._groups, origins = _place_groups(wiring, frames, drawings)
        self._drawings = [drawings[group] for group in self._groups]
        self._origins = np.asarray(origins, np.float64).reshape(-1, 2)
        self._at = {group: number for number, group in enumerate(self._groups)}
        counts = [len(each.lines) for each in self._drawings]
        self._starts = _offsets(np.asarray(counts, np.int32))
        self._shifted: dict[int, float] = {}  # by line, how far its begin moves across
        self._item_of_box = np.full(len(view.boxes), NONE, np.int32)
        self._walks: dict[int, Walk] = {}
        for box, hidden in wiring.hidden.items():
            copies = view.boxes[box].children
            shown = [at for at, copy in enumerate(copies) if copy not in hidden]
            if len(shown) == 1:
                self._walks[box] = Walk(shown[0], len(copies))

    def collect(self) -> Scene:
        view = self._view
        items = self._items()
        item_of_node = np.full(len(view.box_of_node), NONE, np.int32)
        known = view.box_of_node > ROOT
        shown = self._wiring.shown
        item_of_node[known] = self._item_of_box[shown[view.box_of_node[known]]]
        root = self._frames[ROOT]
        return Scene(
            direction=self._direction,
            opened=frozenset(items.ids[: items.num_frames]),
            items=items,
            lines=self._lines(),
            connectors=self._connectors(),
            width=root.width,
            height=root.height,
            item_of_node=item_of_node,
            walks={int(self._item_of_box[box]): walk for box, walk in self._walks.items()},
            label_px=self._label_px,
        )

    def _items(self) -> Items:
        """All boxes: frames in the order in which they were placed, then all others."""
        view, is_open = self._view, np.asarray(self._wiring.is_open)
        counts = [len(drawing.boxes) for drawing in self._drawings]
        boxes = np.concatenate([drawing.boxes for drawing in self._drawings])
        rects = np.concatenate([drawing.rects for drawing in self._drawings])
        rects[:, :2] += np.repeat(self._origins, counts, axis=0)
        around = np.repeat(np.asarray(self._groups, np.int32), counts)
        order = np.argsort(~is_open[boxes], kind="stable")
        boxes, rects, around = boxes[order], rects[order], around[order]
        self._item_of_box[boxes] = np.arange(len(boxes), dtype=np.int32)
        texts = BoxTexts(view)
        told = [texts.of(box) for box in boxes.tolist()]
        shown = [view.boxes[box] for box in boxes.tolist()]
        parent, num_frames = self._item_of_box[around], int(is_open[boxes].sum())
        return Items(
            rect=rects,
            ids=tuple(box.id for box in shown),
            titles=tuple(text.title for text in told),
            details=self._list_details(boxes.tolist(), texts, rects[:num_frames, 2].tolist()),
            style=np.asarray([text.style for text in told], np.int8),
            node=np.asarray([box.node for box in shown], np.int32),
            box=boxes,
            parent=parent,
            is_group=np.asarray([bool(box.children) for box in shown], bool),
            num_frames=num_frames,
            is_reversed=self._is_reversed[around],
            ground=_choose_grounds(view, shown, parent, num_frames),
        )

    def _list_details(
        self, boxes: list[int], texts: BoxTexts, widths: list[float]
    ) -> tuple[str, ...]:
        """Second lines: of frames where they have room, of repeats with which copy is shown."""
        told, opened = [texts.of(box) for box in boxes], frozenset(boxes[: len(widths)])
        details = [text.detail for text in told]
        for at, width in enumerate(widths):
            details[at] = next(
                detail
                for detail in (texts.detail_of_frame(boxes[at], opened), details[at], "")
                if not detail or measure_header(told[at].title, detail) <= width + 0.5
            )
        for box, walk in self._walks.items():
            at = boxes.index(box)
            place = {"number": walk.number + 1, "num": walk.total}
            if walk.total == self._view.boxes[box].copies:
                shown = say("copy {number} of {num}", **place)
            else:  # many copies are gathered in parts
                shown = say("part {number} of {num}", **place)
            details[at] = say(BESIDE, first=shown, then=details[at])
        return tuple(details)

    def _lines(self) -> Lines:
        drawings, residuals = self._drawings, self._list_residuals()
        flowing = [self._wiring.nodes_of(line.values) for line in residuals]
        rows = [
            (len(line.corners), line.source, line.target, line.has_arrow, len(nodes), RESIDUAL_LINE)
            for line, nodes in zip(residuals, flowing, strict=True)
        ]
        tables = [drawing.lines for drawing in drawings]
        table = np.concatenate([*tables, np.asarray(rows, np.int32).reshape(-1, 6)])
        points = np.concatenate([drawing.points for drawing in drawings])
        points += np.repeat(self._origins, [len(drawing.points) for drawing in drawings], axis=0)
        offsets = _offsets(table[:, 0])
        across = np.asarray([xy for line in residuals for xy in line.corners], np.float64)
        values = [drawing.values for drawing in drawings]
        types = list(itertools.chain.from_iterable(drawing.types for drawing in drawings))
        types += [describe_values(self._view, self._wiring, line.values) for line in residuals]
        first = len(table) - len(rows)
        labels = {first + at: line.label for at, line in enumerate(residuals) if line.label}
        heads = {first + at: line.head for at, line in enumerate(residuals) if line.head}
        is_unlabelled = _find_unlabelled(self._view, table[:, 1]) | (table[:, 5] > 0)
        is_unlabelled[first:] = [bool(line.label) for line in residuals]
        for row, shift in self._shifted.items():  # as far as it goes straight on
            corners = points[offsets[row] : offsets[row + 1], 0]
            is_on = np.abs(corners - corners[0]) < _SAME_PX
            corners[np.logical_and.accumulate(is_on)] += shift
        flows = list(itertools.chain.from_iterable(drawing.flows for drawing in drawings))
        inner = self._find_inner_residuals(residuals, table, points, flows)
        table[inner.lines, 5] = INNER_RESIDUAL
        # Those of `residuals` have theirs already: lines that share their way have one.
        is_named = np.isin(table[:first, 5], (TOLD_LINE, AROUND_LINE, RESIDUAL_LINE))
        named = np.flatnonzero(is_named).tolist()
        labels.update((row, types[row]) for row in named)
        for join in inner.joins:
            ends = table[join, 1:3].tolist()
            rounds = [max(count_rounds(self._view, end) for end in each) for each in ends]
            told = self._tell_join([flows[row] for row in join], rounds)
            labels.update(zip(join, told, strict=False))
            is_unlabelled[join[: len(told)]] = True
        branches = self._name_branches(table[:first], points, offsets, flows, types)
        for row in labels.keys() | set(inner.lines):
            branches.pop(row, None)
        is_kept = np.isin(table[:first, 5], (RESIDUAL_LINE, INNER_RESIDUAL))
        forks = [*itertools.chain.from_iterable(line.forks for line in residuals)]
        forks += _find_all_forks(points, offsets, np.flatnonzero(is_kept).tolist())
        return Lines(
            points=np.concatenate([points, across.reshape(-1, 2)]),
            offsets=offsets,
            source=self._item_of_box[table[:, 1]],
            target=self._item_of_box[table[:, 2]],
            has_arrow=table[:, 3].astype(bool),
            values=Ragged(
                _offsets(table[:, 4]),
                np.concatenate([*values, np.asarray(list(itertools.chain(*flowing)), np.int32)]),
            ),
            types=tuple(types),
            is_unlabelled=is_unlabelled,
            is_return=table[:, 5] == RETURN_LINE,
            is_residual=table[:, 5] == RESIDUAL_LINE,
            is_inner_residual=table[:, 5] == INNER_RESIDUAL,
            labels=labels,
            heads=heads,
            forks=np.asarray(forks, np.float64).reshape(-1, 2),
            branches=branches,
            flows=(*flows, *(line.values for line in residuals)),
        )

    def _tell_join(self, flows: Sequence[Values], rounds: Sequence[int]) -> list[str]:
        """How much each of some lines leads on that meet at a border.

        What is on several of them has the name of its value before it, so that the bytes are not
        added up. Nothing where each leads all: that is told once, outside.

        Args:
            flows: What is on each line.
            rounds: Of how many rounds of a loop that is, of each line.
        """
        readers = collections.Counter(value for values in flows for value in values)
        if max(rounds) == 1 and all(len(values) == len(readers) for values in flows):
            return []
        told: list[str] = []
        for values, num_rounds in zip(flows, rounds, strict=True):
            size = describe_kept(self._view, self._wiring, values, num_rounds)
            is_shared = any(readers[value] > 1 for value in values)
            name = self._name_value(next(iter(values))) if len(values) == 1 and is_shared else ""
            told.append(f"{name}: {size}" if name else size)
        return told

    def _name_value(self, value: int) -> str:
        """The name of the result of an equation, as its box says it; else empty."""
        graph, (node, result) = self._view.graph, self._wiring.origin_of(value)
        if graph.nodes.kind[node] != NodeKind.EQUATION:
            return ""
        names = graph.name(node).split(", ")
        return names[result] if result < len(names) else ""

    def _name_branches(
        self,
        table: Int32s,
        points: Floats,
        offsets: Int32s,
        flows: Sequence[Values],
        types: Sequence[str],
    ) -> dict[int, str]:
        """What lines lead on that begin together at the border of a group, each with a part of the
        values that enter there.
        """
        groups = np.repeat(np.asarray(self._groups, np.int32), np.diff(self._starts))
        is_entry = (table[:, 1] == groups) & (table[:, 2] != groups)
        is_entry &= (table[:, 5] == PLAIN_LINE) & (groups != ROOT)
        together: dict[tuple[int, _Point], list[int]] = {}
        for row in np.flatnonzero(is_entry).tolist():
            x, y = points[offsets[row]].tolist()
            together.setdefault((int(groups[row]), (round(x), round(y))), []).append(row)
        found: dict[int, str] = {}
        for rows in together.values():
            whole = set().union(*(flows[row] for row in rows))
            parts = {row: frozenset(flows[row]) for row in rows if flows[row].keys() != whole}
            paths = {part: self._list_names(part) for part in parts.values()}
            last = [names[-1:] for names in paths.values()]
            for row, part in parts.items():
                names = paths[part]
                is_clear = last.count(names[-1:]) == 1
                found[row] = (names[-1] if is_clear else "".join(names)) if names else types[row]
        return found

    def _list_names(self, part: frozenset[int]) -> list[str]:
        """The steps of the path of one argument, the innermost last; none of anything else."""
        graph, nodes = self._view.graph, self._wiring.nodes_of(dict.fromkeys(part, NONE))
        if len(part) != 1 or nodes[0] not in self._view.arguments:
            return []
        path = graph.argument_path(nodes[0])
        if not path:  # of an instruction the name of XLA says nothing
            is_named = graph.nodes.kind[nodes[0]] != NodeKind.INSTRUCTION
            return [graph.name(nodes[0]) or graph.id(nodes[0])] if is_named else []
        return STEP.findall(path) or [path]

    def _list_residuals(self) -> list[ResidualLine]:
        """The lines from forward parts to backward parts that stand beside them."""
        lines: list[ResidualLine] = []
        at = self._at
        for pair in self._pairs:
            if all(part in at and self._drawings[at[part]].kept for part in pair):
                forward, backward = (self._find_part(at[part]) for part in pair)
                sources, targets = (self._drawings[at[part]].kept for part in pair)
                shifts = self._part_entries(sources, targets)
                ends = forward, backward, sources, targets
                lines += route_residuals(*ends, shifts, self._label_px)
        return lines

    def _part_entries(
        self, sources: Sequence[ResidualEnd], targets: Sequence[ResidualEnd]
    ) -> dict[tuple[int, int], float]:
        """How far from the port of an open group lines meet it that come from several boxes.

        Each where the lines begin that lead its values on inside, which move there, in the order
        of where those end. None where a line inside leads values of several of them, or another
        port is near.
        """
        shifts: dict[tuple[int, int], float] = {}
        for other, end in enumerate(targets):
            own = [one for one, source in enumerate(sources) if source.box in end.far]
            group = self._at.get(end.box)
            if group is None or len(own) < 2:
                continue
            drawing = self._drawings[group]
            corners = np.cumsum(drawing.lines[:, 0]) - drawing.lines[:, 0]
            is_entry = drawing.lines[:, 1] == end.box
            port = end.x - self._frames[end.box].left
            away = np.abs(drawing.points[corners, 0] - port)
            met = np.flatnonzero(is_entry & (away < _SAME_PX)).tolist()
            is_crowded = bool((is_entry & (away >= _SAME_PX) & (away < _ROOM_PX)).any())
            sides = [_APART_PX * (at - (len(own) - 1) / 2) for at in range(len(own))]
            nodes = [set(self._wiring.nodes_of(sources[one].values)) for one in own]
            ends = np.cumsum(drawing.lines[:, 4])
            rows: dict[int, list[int]] = {at: [] for at in range(len(own))}
            for row in met:
                values = drawing.values[ends[row] - drawing.lines[row, 4] : ends[row]]
                of = [at for at, each in enumerate(nodes) if not each.isdisjoint(values.tolist())]
                if len(of) == 1:
                    rows[of[0]].append(row)
            if sum(map(len, rows.values())) < len(met) or is_crowded:
                continue
            stops = drawing.points[corners + drawing.lines[:, 0] - 1, 0]
            order = sorted(rows, key=lambda at: stops[rows[at]].mean() if rows[at] else port)
            for side, at in zip(sides, order, strict=True):
                self._shifted.update({int(self._starts[group]) + row: side for row in rows[at]})
                shifts[own[at], other] = side
        return shifts

    def _find_inner_residuals(
        self,
        residuals: list[ResidualLine],
        table: Int32s,
        points: Floats,
        flows: Sequence[Values],
    ) -> _InnerResiduals:
        """Lines inside of open groups that lead on to lines of residuals, or on from them.

        They are those that meet the border of the group in the same place.
        """
        found: set[int] = set()
        joins: list[list[int]] = []
        begins = _offsets(table[:, 0])
        todo: list[tuple[int, float, int]] = []  # a group, where across, and the column of its end
        for line in residuals:
            todo += [(line.source, line.corners[0][0], 2), (line.target, line.corners[-1][0], 1)]
        is_drawn = table[: len(table) - len(residuals), 5] == RESIDUAL_LINE
        for row in np.flatnonzero(is_drawn).tolist() if self._direction == DOWN else ():
            source, target = table[row, 1:3].tolist()
            first, last = points[begins[row], 0], points[begins[row + 1] - 1, 0]
            todo += [(source, float(first), 2), (target, float(last), 1)]
        parts = {part for pair in self._pairs for part in pair}
        for box, x, column in todo:  # grows while it is read
            if box not in self._at or box in parts:
                continue
            first, stop = self._starts[self._at[box]], self._starts[self._at[box] + 1]
            rows = first + np.flatnonzero(table[first:stop, column] == box)
            rows = rows[table[rows, 5] != RETURN_LINE]
            border, other = begins[rows + 1] - 1, begins[rows]
            if column == 1:
                border, other = other, border
            met = np.flatnonzero(
                (np.abs(points[border, 0] - x) < _SAME_PX) & self._is_on_border(box, points[border])
            ).tolist()
            if len(met) > 1:
                joins.append(rows[met].tolist())
            for at in met:
                row, inner = int(rows[at]), int(table[rows[at], 3 - column])
                if row in found:
                    continue
                found.add(row)
                if inner != box:
                    todo.append((inner, float(points[other[at], 0]), column))
                    continue
                # A connector's: on to those of boxes that lead the same values to connectors.
                ends = table[first:stop, 1:3]
                is_of_box = (ends[:, 0] == ends[:, 1]) & (ends[:, 0] != box)
                for each in (first + np.flatnonzero(is_of_box)).tolist():
                    if not flows[row].keys().isdisjoint(flows[each]):
                        found.add(each)
                        end = begins[each] if column == 2 else begins[each + 1] - 1
                        todo.append((int(table[each, 1]), float(points[end, 0]), column))
        return _InnerResiduals(sorted(found), joins)

    def _is_on_border(self, group: int, places: Floats) -> npt.NDArray[np.bool_]:
        """Whether places are where lines meet the border of an open group, above or below."""
        frame, (_, top) = self._frames[group], self._origins[self._at[group]].tolist()
        ends = np.array([HEADER_PX, frame.height]) + (top - frame.top)
        is_near: npt.NDArray[np.bool_] = np.abs(places[:, 1:] - ends).min(axis=1) < _SAME_PX
        return is_near

    def _find_part(self, number: int) -> Part:
        drawing, (left, top) = self._drawings[number], self._origins[number].tolist()
        rects = drawing.rects + np.array([left, top, 0.0, 0.0])
        taken: list[Rect] = [tuple(rect) for rect in rects.tolist()]
        places = dict(zip(drawing.boxes.tolist(), taken, strict=True))
        for stub in drawing.stubs:
            x, y, width, height = stub.rect
            taken.append((left + x, top + y, width, height))
        box = self._groups[number]
        frame = self._frames[box]
        border = left - frame.left, top - frame.top, frame.width, frame.height
        points = (drawing.points + np.array([left, top])).tolist()
        stops = drawing.lines[:, 0].cumsum().tolist()
        ways = (points[start:stop] for start, stop in itertools.pairwise([0, *stops]))
        lines = [((x, y), (u, v)) for way in ways for (x, y), (u, v) in itertools.pairwise(way)]
        return Part(box, border, taken, places, lines)

    def _connectors(self) -> Connectors:
        of_drawing = [len(drawing.stubs) for drawing in self._drawings]
        stubs = [stub for drawing in self._drawings for stub in drawing.stubs]
        rects = np.asarray([stub.rect for stub in stubs], np.float64).reshape(-1, 4)
        rects[:, :2] += np.repeat(self._origins, of_drawing, axis=0)
        items = self._item_of_box
        return Connectors(
            rects,
            tuple(stub.text for stub in stubs),
            items[np.asarray([stub.box for stub in stubs], np.int32)],
            Ragged.from_rows(sorted(items[list(stub.far)].tolist()) for stub in stubs),
            np.asarray([stub.is_source for stub in stubs], bool),
            Ragged.from_rows(stub.values for stub in stubs),
            np.asarray([stub.is_reversed for stub in stubs], bool),
        )


def _place_groups(
    wiring: Wiring, frames: Mapping[int, Frame], drawings: Mapping[int, GroupDrawing]
) -> tuple[list[int], list[tuple[float, float]]]:
    """The open groups, outer ones first, and where the drawing of each begins."""
    groups, origins = [ROOT], [(frames[ROOT].left, frames[ROOT].top)]
    for number, group in enumerate(groups):  # grows while it is read
        left, top = origins[number]
        drawing = drawings[group]
        for at, box in enumerate(drawing.boxes.tolist()):
            if wiring.is_open[box]:
                x, y = drawing.rects[at, :2].tolist()
                groups.append(box)
                origins.append((left + x + frames[box].left, top + y + frames[box].top))
    return groups, origins


def _offsets(counts: Int32s) -> Int32s:
    offsets = np.zeros(len(counts) + 1, np.int32)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def _find_unlabelled(view: View, boxes: Int32s) -> npt.NDArray[np.bool_]:
    """Whether boxes hold several operations, or one with several results."""
    known = view.remembered.setdefault("has several results", {})
    if ROOT not in known:
        num_results = view.graph.nodes.types.lengths()
        known[ROOT] = view.boxes.is_group | (num_results[view.boxes.node] > 1)
    has_several: npt.NDArray[np.bool_] = known[ROOT]
    return has_several[boxes]


# Compose a scene: lay the groups out, draw each up alone, and put them into each other.


TIGHT = Spacing(across=14.0)
"""Where room is scarce, more of it is for boxes."""


def _spacing_of(fit: Fit) -> Spacing:
    return TIGHT if fit.is_limited else Spacing()


class SceneSize(NamedTuple):
    """How large a scene would be, and what it would show.

    Attributes:
        width: In pixels.
        height: Likewise.
        opened: Ids of its open groups.
        num_boxes: Its boxes; open groups are none.
    """

    width: float
    height: float
    opened: frozenset[str]
    num_boxes: int

    @property
    def num_items(self) -> int:
        """Its boxes and open groups."""
        return self.num_boxes + len(self.opened)


def measure_scene(
    view: View,
    expanded: frozenset[str],
    *,
    direction: str = DOWN,
    cache: LayoutCache | None = None,
    fit: Fit = NO_WIDTH_LIMIT,
    should_stop: ShouldStop = never_stop,
) -> SceneSize:
    """About the size of what `build_scene` would make with these arguments.

    Ports do not follow the lines around, which is quicker and moves no border by much, and nothing
    is drawn.

    Raises:
        LayoutStopped: `should_stop` returned true.
    """
    spacing = _spacing_of(fit)
    layouts = GroupLayouts(Engine.OWN, spacing, {} if cache is None else cache, should_stop)
    with paused_gc():
        wiring = Wiring(view, expanded)
        nester = GroupPlacer(view, wiring, direction, spacing, layouts, fit, {})
        nester.place_all(follows=False)
    groups, num_boxes = [ROOT], 0
    for group in groups:  # grows while it is read
        boxes = [end for end in nester.placed[group].ends if not isinstance(end, Port)]
        opened = [box for box in boxes if wiring.is_open[box]]
        groups += opened
        num_boxes += len(boxes) - len(opened)
    root, ids = nester.frames[ROOT], frozenset(view.boxes[group].id for group in groups[1:])
    return SceneSize(root.width, root.height, ids, num_boxes)


def build_scene(
    view: View,
    expanded: frozenset[str] | None = None,
    *,
    direction: str = DOWN,
    spacing: Spacing | None = None,
    cache: LayoutCache | None = None,
    engine: Engine = Engine.OWN,
    fit: Fit = NO_WIDTH_LIMIT,
    memory: SceneMemory | None = None,
    follows: bool = True,
    has_room: bool = True,
    should_stop: ShouldStop = never_stop,
) -> Scene:
    """Place everything that is seen of a view.

    Args:
        view: What can be shown.
        expanded: Ids of the groups to open; None opens those that the view opens at first.
        direction: `down` or `right`: where values flow.
        spacing: Distances; None takes the usual ones.
        cache: Layouts of earlier scenes, added to; makes opening one more group quick.
        engine: Who lays groups out; where Graphviz does not, our own layout does, and the scene's
            `notes` say why.
        fit: How it is arranged for the room it has.
        memory: The scene before, and then this one: groups that look the same in both are taken
            over from there. The scene is the one that it would be without.
        follows: Whether ports follow the lines around. A scene in which they do not needs a memory
            of its own; `bench/crossings.py` asks what is won by it.
        has_room: Whether it may be higher where bytes of residuals have no room.
        should_stop: Asked often; the layout ends with `LayoutStopped` when it returns true.

    Raises:
        LayoutStopped: `should_stop` returned true.
        ValueError: The direction is none.
    """
    if direction not in (DOWN, RIGHT):
        raise ValueError(f"a layout flows down or right, not {direction}")
    if not view.boxes[ROOT].children:
        return empty_scene(direction, len(view.graph.nodes))
    expanded = view.opened if expanded is None else expanded
    spacing = spacing or _spacing_of(fit)
    layouts = GroupLayouts(engine, spacing, {} if cache is None else cache, should_stop)
    memory = SceneMemory() if memory is None else memory
    before = memory.recall(view, SceneSettings(direction, spacing, engine, fit))
    with paused_gc():
        composer = _Composer(view, Wiring(view, expanded), before.settings, layouts, follows)
        groups, scene = composer.compose(before)
        memory.latest = groups
        if has_room and direction == DOWN:
            scene = composer.make_room(groups, scene)
        return dataclasses.replace(scene, notes=layouts.notes)


_MORE_PX, _MOST_PX = 16.0, 80.0
"""How much higher the gap between two rows becomes for a label that has no room there, each time
and at most."""
_MANY_ITEMS = 400
"""In a picture of so many boxes nobody adds the bytes of each up, and finding labels takes long."""


class _Row(NamedTuple):
    """The side of a row of boxes that a line meets.

    Attributes:
        group: The open group that it is in.
        box: A box of the row; `NONE` for the border of the group.
        is_entry: Whether the line enters there.
    """

    group: int
    box: int
    is_entry: bool


@dataclass(frozen=True, eq=False, slots=True)
class _Composer:
    """Composes the scene of some open groups, taking groups over from an earlier one."""

    view: View
    wiring: Wiring
    settings: SceneSettings
    layouts: GroupLayouts
    follows: bool

    def compose(self, before: DrawnGroups, rooms: Rooms = NO_ROOMS) -> tuple[DrawnGroups, Scene]:
        """The groups and the scene; with more room for labels in some groups."""
        view, wiring, settings = self.view, self.wiring, self.settings
        direction, spacing, fit = settings.direction, settings.spacing, settings.fit
        known = {box: frame for box, frame in before.frames.items() if box not in rooms}
        nester = GroupPlacer(view, wiring, direction, spacing, self.layouts, fit, known, rooms)
        nester.place_all(follows=self.follows)
        drawings = {
            group: before.drawings[group] for group in nester.frames.keys() - nester.placed.keys()
        }
        drawings.update(draw_groups(view, wiring, nester, direction))
        groups = DrawnGroups(view, settings, nester.frames, drawings, len(nester.placed))
        scene = assemble_scene(
            view,
            wiring,
            groups.frames,
            groups.drawings,
            nester.list_pairs(),
            nester.is_reversed,
            direction,
            fit.label_px,
        )
        return groups, scene

    def make_room(self, groups: DrawnGroups, scene: Scene) -> Scene:
        """The same scene, higher where lines inside of the parts of a gradient have no room for
        their bytes; as it is where that does not help.
        """
        if len(scene.items) > _MANY_ITEMS:
            return scene
        best, kept, rooms = scene, dict[_Row, float](), dict[_Row, float]()
        untold = least = EdgeLabels(scene).list_untold()
        while untold:
            rows = [row for row in self._list_rows(scene, untold) if rooms.get(row, 0) < _MOST_PX]
            if not rows:
                break
            rooms.update((row, rooms.get(row, 0.0) + _MORE_PX) for row in set(rows))
            scene = self._compose_with(groups, rooms)
            untold = EdgeLabels(scene).list_untold()
            if len(untold) < len(least):
                best, least, kept = scene, untold, dict(rooms)
        idle = kept.keys() & set(self._list_rows(best, least))
        if idle:  # of what did not help there
            scene = self._compose_with(groups, {r: kept[r] for r in kept.keys() - idle})
            if len(EdgeLabels(scene).list_untold()) <= len(least):
                return scene
        return best

    def _compose_with(self, groups: DrawnGroups, rooms: Mapping[_Row, float]) -> Scene:
        by_group: dict[int, dict[tuple[int, bool], float]] = {}
        for row, pixels in rooms.items():
            by_group.setdefault(row.group, {})[row.box, row.is_entry] = pixels
        return self.compose(groups, by_group)[1]

    @staticmethod
    def _list_rows(scene: Scene, lines: Iterable[int]) -> Iterator[_Row]:
        """The groups in which lines are, and the boxes in them that they lead from or to."""
        items = scene.items
        for line in lines:
            source, target = int(scene.lines.source[line]), int(scene.lines.target[line])
            if source == target:  # of a connector: in the gap to the border
                yield _Row(int(items.box[source]), NONE, False)
            elif int(items.parent[target]) == source:
                yield _Row(int(items.box[source]), int(items.box[target]), True)
            else:
                yield _Row(int(items.box[target]), int(items.box[source]), False)
