"""The forward and the backward part of a gradient side by side, the backward part flowing back.

To the layout around them the two are one node, as tall as the taller. Lines from one to the other
(residuals) are shown by off-page connectors inside both, on the same level where the parts have
groups that belong together.
"""

from __future__ import annotations

import collections
import dataclasses
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.operations import BRANCHES
from jaxscope.model.said import BESIDE, LISTED, TOGETHER, say, say_joined
from jaxscope.model.types import mark_batch_axes, short_type, type_bytes
from jaxscope.model.units import format_bytes
from jaxscope.picture.layout.diagram import Drawing, Route, Stub
from jaxscope.picture.scene.residual_lines import (
    CORNER_PX,
    FRAME_CLEAR_PX,
    LEAST_TO_BORDER_PX,
    MAX_ENDS,
    MAX_LINES,
    ResidualEnd,
    list_links,
    measure_gap,
    measure_levels,
)
from jaxscope.picture.scene.scene import Fit
from jaxscope.picture.scene.visible_edges import End, Port, Values, Wire, Wiring
from jaxscope.picture.view.control_flow import keep_one_arm
from jaxscope.picture.view.forward_backward import counterpart_name, pair_id
from jaxscope.picture.view.tree import BACKWARD, BranchKind
from jaxscope.picture.view.view import ROOT, View

# Set the forward and the backward part of a program side by side, the backward part going back.
#
# The two are one node to the layout around them, as tall as the taller. What goes from one to the
# other is shown by stubs inside both, on the same level where the parts have groups that belong
# together. What leaves the backward part does so where it ends: what only reads that stands there,
# and one line leads around the part to where the rest goes on.


GAP_PX = 30.0
WIDE_GAP_PX = 110.0
"""Between two closed parts: room for the label of what flows there."""
_LANE_PX, _ROUND_PX = 28.0, 10.0
"""For a line around the backward part, with a label on it: nearer it would look like a frame."""
_NEAR_PX = 0.01


class ForwardBackwardPair(NamedTuple):
    """The boxes of the two parts."""

    forward: int
    backward: int


def find_forward_backward_pairs(view: View, parent: int) -> tuple[ForwardBackwardPair, ...]:
    """The pairs among the children of a box."""
    boxes = view.boxes
    children = boxes[parent].children
    backward = {pair_id(boxes[c].id): c for c in children if boxes[c].kind is BranchKind.BACKWARD}
    pairs: list[ForwardBackwardPair] = []
    for child in children:
        if boxes[child].kind is BranchKind.FORWARD:
            partner = backward.get(pair_id(boxes[child].id))
            if partner is not None:
                pairs.append(ForwardBackwardPair(child, partner))
    return tuple(pairs)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Where the two parts are in the room that they have together; from its centre.

    Attributes:
        across: Size of the room.
        along: Size of the room.
        at: Centre of each part, forward first: across, along.
        sizes: Of each part: across, along.
    """

    across: float
    along: float
    at: tuple[tuple[float, float], tuple[float, float]]
    sizes: tuple[tuple[float, float], tuple[float, float]]

    @property
    def lane(self) -> float:
        """Where a way around the backward part runs, across."""
        return (self.across - _LANE_PX) / 2


def measure_side_by_side(
    forward: tuple[float, float], backward: tuple[float, float], gap: float, *, has_lane: bool
) -> SideBySide:
    """The room of two parts of given sizes across and along, and of a way around the second."""
    head = _LANE_PX if has_lane else 0.0
    across = forward[0] + gap + backward[0] + 2 * head
    along = head + max(forward[1], backward[1])
    top = head - along / 2
    return SideBySide(
        across,
        along,
        (
            ((forward[0] - across) / 2, top + forward[1] / 2),
            (forward[0] + gap + (backward[0] - across) / 2, top + backward[1] / 2),
        ),
        (forward, backward),
    )


def route_to_part(
    duo: SideBySide, centre: tuple[float, float], is_backward: bool, corner: tuple[float, float]
) -> Route:
    """Where a line that meets the room at a corner meets the part behind it."""
    half = duo.sizes[is_backward][1] / 2
    at = centre[1] + duo.at[is_backward][1]
    y = at - half if corner[1] < centre[1] else at + half
    return ((corner[0], y),) if abs(y - corner[1]) > _NEAR_PX else ()


def route_around(duo: SideBySide, centre: tuple[float, float], at: float) -> Route:
    """The way from where values leave the backward part's far end to the lane."""
    top = centre[1] + duo.at[1][1] - duo.sizes[1][1] / 2
    over = top - _LANE_PX / 2
    x, lane = centre[0] + duo.at[1][0] + at, centre[0] + duo.lane
    steps = [math.radians(angle) for angle in (22.5, 45.0, 67.5)]
    up = [(1 - math.cos(each), 1 - math.sin(each)) for each in steps]
    corners = [
        (x, over + _ROUND_PX),
        *((x + _ROUND_PX * across, over + _ROUND_PX * along) for across, along in up),
        (x + _ROUND_PX, over),
        (lane - _ROUND_PX, over),
        *((lane - _ROUND_PX * across, over + _ROUND_PX * along) for across, along in up[::-1]),
        (lane, over + _ROUND_PX),
    ]
    return ((x, top), *corners)


def route_across(duo: SideBySide, centre: tuple[float, float]) -> Route:
    """The line from one closed part to the other."""
    (forward, backward), (one, other) = duo.at, duo.sizes
    low = max(forward[1] - one[1] / 2, backward[1] - other[1] / 2)
    high = min(forward[1] + one[1] / 2, backward[1] + other[1] / 2)
    y = centre[1] + (low + high) / 2
    start = centre[0] + forward[0] + one[0] / 2
    return ((start, y), (centre[0] + backward[0] - other[0] / 2, y))


def reverse_flow(drawing: Drawing) -> Drawing:
    """The drawing with values flowing the other way."""
    end = drawing.along

    def turn(route: Route) -> Route:
        return tuple((x, end - y) for x, y in route)

    return dataclasses.replace(
        drawing,
        y=tuple(end - y for y in drawing.y),
        routes=tuple(turn(route) for route in drawing.routes),
        stubs=tuple(
            dataclasses.replace(stub, y=end - stub.y, line=turn(stub.line))
            for stub in drawing.stubs
        ),
    )


class MeasuredDrawing(NamedTuple):
    """A drawing with the sizes along of its nodes, and names of those that have counterparts."""

    drawing: Drawing
    along: tuple[float, ...]
    names: dict[int, str]
    stub_along: float


def find_group_names(view: View, children: list[int]) -> dict[int, str]:
    """By place in the list, what each group shares with its counterpart."""
    return {
        at: counterpart_name(view.boxes[child].label)
        for at, child in enumerate(children)
        if view.boxes[child].children
    }


def align_levels(
    one: MeasuredDrawing, other: MeasuredDrawing, led: Sequence[LedPair] = ()
) -> tuple[Drawing, Drawing]:
    """Stretch two drawings so that groups that belong together begin on the same level.

    In the shorter one rows then move on to the level of what they are joined with, as far as it
    becomes no longer than the other.

    Args:
        led: What is joined by lines from the one to the other.
    """
    partners: list[tuple[float, float]] = []
    for at, name in one.names.items():
        tops = [_top(other, place) for place, each in other.names.items() if each == name]
        if tops:
            partners.append((_top(one, at), min(tops)))
    partners.sort()
    moves_one: list[tuple[float, float]] = []
    moves_other: list[tuple[float, float]] = []
    moved_one = moved_other = 0.0
    last = float("-inf")
    bands = _find_bands(one), _find_bands(other)
    for first, second in partners:
        if second <= last:
            continue  # in another order there
        last = second
        gap = first + moved_one - second - moved_other
        if gap > 0:
            moves_other.append((_band_of(bands[1], second), gap))
            moved_other += gap
        elif gap < 0:
            moves_one.append((_band_of(bands[0], first), -gap))
            moved_one -= gap
    along = max(one.drawing.along + moved_one, other.drawing.along + moved_other)
    rest = along - one.drawing.along - moved_one, along - other.drawing.along - moved_other
    one = one._replace(drawing=_stretch(one.drawing, moves_one, along))
    other = other._replace(drawing=_stretch(other.drawing, moves_other, along))
    if rest[0] > _NEAR_PX:
        return _level_rows((one, other), 0, led, rest[0]), other.drawing
    if rest[1] > _NEAR_PX:
        return one.drawing, _level_rows((one, other), 1, led, rest[1])
    return one.drawing, other.drawing


class LedPair(NamedTuple):
    """Two places of a forward and a backward drawing that a line of residuals joins.

    Attributes:
        begin: Where it begins.
        end: Where it ends.
        leaves_below: Whether it leaves an open group, through its lower border.
        enters_below: Whether it enters one so.
    """

    begin: int
    end: int
    leaves_below: bool
    enters_below: bool


def _level_rows(
    both: tuple[MeasuredDrawing, MeasuredDrawing], at: int, led: Sequence[LedPair], rest: float
) -> Drawing:
    """One of two drawings with rows moved on to where lines from the other one come straight.

    Each move makes more lines straight, and moves no group away from the level of its counterpart.
    """
    drawing = both[at].drawing

    def put(tried: Drawing) -> tuple[MeasuredDrawing, MeasuredDrawing]:
        one, other = both
        moved = both[at]._replace(drawing=tried)
        return (moved, other) if at == 0 else (one, moved)

    def count(tried: Drawing) -> tuple[int, int]:
        one, other = put(tried)
        aside = [_find_aside(one, other, pair) for pair in led]
        return _count_level(one, other), sum(least <= 0 <= most for least, most in aside)

    for pair in sorted(led, key=lambda each: drawing.y[each[at]]):
        least, most = _find_aside(*put(drawing), pair)
        if at == 1:
            least, most = -most, -least
        by = (least + most) / 2 if (least + most) / 2 <= rest else least
        if least <= 0 or by > rest:
            continue
        moving = put(drawing)[at]
        start = _band_of(_find_bands(moving), _top(moving, pair[at]))
        moved = _stretch(drawing, [(start, by)], drawing.along)
        (level, straight), (level_then, straight_then) = count(drawing), count(moved)
        if level_then >= level and straight_then > straight:
            drawing, rest = moved, rest - by
    return drawing


def _find_aside(one: MeasuredDrawing, other: MeasuredDrawing, pair: LedPair) -> tuple[float, float]:
    """How much further on the line should begin to come straight, at least and at most."""
    begin, end = one.drawing.y[pair.begin], other.drawing.y[pair.end]
    half = other.along[pair.end] / 2
    if pair.leaves_below:
        begin += one.along[pair.begin] / 2 + FRAME_CLEAR_PX
    if pair.enters_below:
        end, half = end + half + FRAME_CLEAR_PX, CORNER_PX
    room = max(half - CORNER_PX, 0.0)
    return end - room - begin, end + room - begin


def _count_level(one: MeasuredDrawing, other: MeasuredDrawing) -> int:
    """How many groups begin on the level of their counterparts."""
    tops = {(name, round(_top(other, at))) for at, name in other.names.items()}
    return sum((name, round(_top(one, at))) in tops for at, name in one.names.items())


def make_room_below(
    extent: MeasuredDrawing, keeping: Collection[int], opened: Collection[int], padding: float
) -> Drawing:
    """Stretch a part where lines of residuals leave or enter below a row, for the label of each.

    Args:
        keeping: Places of the boxes that keep some. What has no other box at its right leaves on
            its side.
        opened: Places of open groups that lines leave or enter, all through their lower border.
        padding: Room below the drawing.
    """
    drawing, moves = extent.drawing, list[tuple[float, float]]()
    bands = _find_bands(extent)
    edges = [*(start for start, _ in bands[1:]), drawing.along]
    for (start, stop), edge in zip(bands, edges, strict=True):
        row = [at for at, y in enumerate(drawing.y) if start <= y <= stop and extent.along[at]]
        last = max((drawing.x[at] for at in row), default=0.0)
        num = sum(at in keeping and drawing.x[at] < last for at in row)
        missing = measure_levels(num) - (edge - stop)
        if num < 2:
            missing = 0.0
        if any(at in opened for at in row):
            room = edge - stop + (padding if edge == drawing.along else 0.0)
            missing = max(missing, 2 * FRAME_CLEAR_PX + LEAST_TO_BORDER_PX - room)
        if missing > 0:
            moves.append((edge, missing))
    return _stretch(drawing, moves, drawing.along + sum(by for _, by in moves))


def make_room_beside(extent: MeasuredDrawing, rows: Mapping[tuple[int, bool], float]) -> Drawing:
    """Stretch a drawing above or below some rows.

    Args:
        rows: By a place in the row, and whether the room is above it, how many pixels more.
    """
    drawing, bands = extent.drawing, _find_bands(extent)
    edges = [*(start for start, _ in bands), drawing.along]
    moves: dict[float, float] = {}
    for (at, is_above), by in rows.items():
        band = next(n for n, (_, stop) in enumerate(bands) if drawing.y[at] <= stop + _NEAR_PX)
        edge = edges[band if is_above else band + 1]
        moves[edge] = max(moves.get(edge, 0.0), by)
    return _stretch(drawing, sorted(moves.items()), drawing.along + sum(moves.values()))


def _top(extent: MeasuredDrawing, node: int) -> float:
    return extent.drawing.y[node] - extent.along[node] / 2


def _find_bands(extent: MeasuredDrawing) -> list[tuple[float, float]]:
    """Stretches along the flow that something takes; between them a drawing can be cut."""
    half = extent.stub_along / 2
    spans = [(y - a / 2, y + a / 2) for y, a in zip(extent.drawing.y, extent.along, strict=True)]
    spans += [(stub.y - half, stub.y + half) for stub in extent.drawing.stubs]
    bands: list[tuple[float, float]] = []
    for start, stop in sorted(spans):
        if bands and start <= bands[-1][1]:
            bands[-1] = (bands[-1][0], max(stop, bands[-1][1]))
        else:
            bands.append((start, stop))
    return bands


def _band_of(bands: list[tuple[float, float]], y: float) -> float:
    return max((start for start, _ in bands if start <= y), default=0.0)


def _stretch(drawing: Drawing, moves: list[tuple[float, float]], along: float) -> Drawing:
    """Move what is at or after each place further on; `along` is the new size of the whole."""

    def move(y: float) -> float:
        return y + sum(by for start, by in moves if y >= start - _NEAR_PX)

    def move_all(route: Route) -> Route:
        return tuple((x, move(y)) for x, y in route)

    def move_stub(stub: Stub) -> Stub:
        return dataclasses.replace(stub, y=move(stub.y), line=move_all(stub.line))

    return dataclasses.replace(
        drawing,
        y=tuple(map(move, drawing.y)),
        routes=tuple(map(move_all, drawing.routes)),
        stubs=tuple(map(move_stub, drawing.stubs)),
        along=along,
    )


# Which lines of a gradient are drawn as stubs: residuals, and what enters the backward part.
#
# A line from the forward part to the backward part would run against everything between; so the
# group that a value leaves and the group that it reaches each get a stub with the other's name.


_MAX_STUBS_PER_BOX = 2
_MOST_LETTERS = 20
"""Of several names in a connector."""


def join_names(names: Iterable[str]) -> str:
    """Boxes that a connector tells of, without the groups around them.

    Where they are too long together, the first and how many more there are.
    """
    whole = list(names)
    # A name without a group around it stays the object that it is, with its template.
    bare = (name.rpartition(" / ")[2] if " / " in name else name for name in whole)
    first, *others = dict.fromkeys(bare)
    if first == whole[0] and not others:
        return whole[0]  # with its template
    every = say_joined((first, *others), LISTED)
    if not others or len(every) <= _MOST_LETTERS:
        return every
    return say("{first} +{count}", first=first, count=len(others))


class OffPageConnector(NamedTuple):
    """What a stub stands for.

    Attributes:
        end: The box or port that it sits beside.
        is_source: Whether values leave there.
        text: Written on it.
        far: Boxes at the other ends.
        values: What flows there.
        bundle: One of the bundles that they are in.
    """

    end: End
    is_source: bool
    text: str
    far: tuple[int, ...]
    values: Values
    bundle: int


class _Place(NamedTuple):
    """Where connectors sit: beside a box, or beside one port of an open group."""

    end: End
    port: int
    is_source: bool


class _ToldLines:
    """Lines of a group that connectors stand for, by where these sit.

    Attributes:
        lines: One of the bundles, and the values by the box at the other end.
    """

    def __init__(self, is_open: Sequence[bool]) -> None:
        self._is_open = is_open
        self.lines: dict[_Place, tuple[int, dict[int, Values]]] = {}

    def add(self, end: End, bundle: int, is_source: bool, far: int, values: Values) -> None:
        """Take a line; the bundle is the one of the port, where the end is an open group."""
        has_ports = not isinstance(end, Port) and self._is_open[end]
        place = _Place(end, bundle if has_ports else NONE, is_source)
        _, by_far = self.lines.setdefault(place, (bundle, {}))
        by_far.setdefault(far, {}).update(values)


class _OnwardLines(NamedTuple):
    """What goes on from a backward part to boxes that are not above it.

    Attributes:
        bundles: The bundles of values.
        exit: The one by whose port all of them leave.
    """

    bundles: frozenset[int]
    exit: int


_NOTHING = _OnwardLines(frozenset(), NONE)


class OffPageConnectors:
    """The pairs of a view with some groups open, and the lines that they cut.

    Attributes:
        pairs: By the group that holds them.
        is_reversed: Of each box, whether values flow backward inside of it.
    """

    def __init__(
        self,
        view: View,
        wiring: Wiring,
        name_of: Callable[[int], str],
        fit: Fit,
        is_down: bool,
    ) -> None:
        self._view, self._wiring, self._name_of = view, wiring, name_of
        self._is_down, self._fit = is_down, fit
        self._across: dict[ForwardBackwardPair, dict[int, list[ResidualEnd]]] = {}
        self.pairs: dict[int, tuple[ForwardBackwardPair, ...]] = {}
        self._pair_of: dict[int, ForwardBackwardPair] = {}
        self._above: dict[int, frozenset[End]] = {}
        self._onward: dict[int, _OnwardLines] = {}
        parents = _parents_of_pairs(view) if fit.beside else ()
        for pair in (pair for box in parents for pair in find_forward_backward_pairs(view, box)):
            parent = view.boxes[pair.forward].parent
            if wiring.is_open[parent]:
                self.pairs[parent] = (*self.pairs.get(parent, ()), pair)
                self._pair_of.update(dict.fromkeys(pair, pair))
        self.is_reversed = self._find_reversed()

    def _find_reversed(self) -> list[bool]:
        turning: set[End] = {pair.backward for pair in self._pair_of.values()}
        for parent in self.pairs:
            turning |= self.find_above(parent)
        found = [False] * len(self._view.boxes)
        if turning:
            for index, parent in enumerate(self._view.boxes.parent[1:].tolist(), start=1):
                is_turning = index in turning and self._wiring.is_open[index]
                found[index] = found[parent] != is_turning
        return found

    @property
    def parts(self) -> Collection[int]:
        """The parts of all gradients that stand side by side."""
        return self._pair_of.keys()

    def partner_of(self, box: int) -> int:
        """The other part of the gradient that a box is one part of, or `NONE`."""
        pair = self._pair_of.get(box)
        if pair is None:
            return NONE
        return pair.forward if box == pair.backward else pair.backward

    # --- what the forward part keeps for the backward part ---

    def kept_in(self, part: int) -> list[ResidualEnd]:
        """Where lines across begin or end in a part of a gradient; none where connectors tell."""
        pair = self._pair_of.get(part)
        return [] if pair is None else self._find_across(pair).get(part, [])

    def gap_of(self, pair: ForwardBackwardPair) -> float:
        """Pixels between the two parts of a gradient."""
        if not any(self._wiring.is_open[part] for part in pair):
            return WIDE_GAP_PX
        kept = self.kept_in(pair.forward)
        return measure_gap(kept, self._fit.label_px) if kept else GAP_PX

    def _find_across(self, pair: ForwardBackwardPair) -> dict[int, list[ResidualEnd]]:
        known = self._across.get(pair)
        if known is None:
            known = self._across[pair] = self._work_out_across(pair)
        return known

    def _work_out_across(self, pair: ForwardBackwardPair) -> dict[int, list[ResidualEnd]]:
        parent = self._view.boxes[pair.forward].parent
        if not self._is_down or self.is_reversed[parent]:
            return {}
        if not all(self._wiring.is_open[part] for part in pair):
            return {}
        unknown = [box for box in (parent, *pair) if box not in self._wiring.wires]
        if unknown:
            self._wiring.find(unknown)
        residual = self._residual_bundles(pair)
        out, into = (_ToldLines(self._wiring.is_open) for _ in pair)
        for wire in self._wiring.wires[pair.forward]:
            if isinstance(wire.target, Port) and wire.target.bundle in residual:
                for far in self._targets(pair, wire):
                    out.add(wire.source, wire.bundle, True, far, wire.values)
        for wire in self._wiring.wires[pair.backward]:
            if isinstance(wire.source, Port) and wire.source.bundle in residual:
                for far in self._sources(pair, wire):
                    into.add(wire.target, wire.bundle, False, far, wire.values)
        num_lines = sum(len(by_far) for _, by_far in out.lines.values())
        is_wall = max(len(out.lines), len(into.lines)) > MAX_ENDS or num_lines > MAX_LINES
        if not out.lines or is_wall:
            return {}
        sources, targets = self._list_kept(out), self._list_kept(into)
        return {pair.forward: self._tell_heads(sources, targets), pair.backward: targets}

    def _tell_heads(
        self, sources: list[ResidualEnd], targets: list[ResidualEnd]
    ) -> list[ResidualEnd]:
        """The same sources; where their lines part with different values, with the bytes of each.

        Where room is short, without those of all of a box. Where each line leads on all of them,
        those are told once, before the lines part.
        """
        told: list[dict[tuple[int, int], str]] = [{} for _ in sources]
        parts = [False for _ in sources]
        for one, other in list_links(sources, targets):
            target, kept = targets[other], sources[one].values
            values = {each: type_ for each, type_ in kept.items() if each in target.values}
            told[one][target.box, target.bundle] = describe_kept(self._view, self._wiring, values)
            parts[one] |= len(values) < len(kept)
        if not any(parts):
            return sources
        if self._fit.halves_titles:  # room is short
            return [
                end._replace(text="", heads=each) for end, each in zip(sources, told, strict=True)
            ]
        return [
            end._replace(heads=each) if is_parted else end
            for end, each, is_parted in zip(sources, told, parts, strict=True)
        ]

    def _list_kept(self, told: _ToldLines) -> list[ResidualEnd]:
        kept: list[ResidualEnd] = []
        for place, (bundle, by_far) in told.lines.items():
            if isinstance(place.end, Port):
                continue
            values: Values = {}
            for each in by_far.values():
                values.update(each)
            text = describe_kept(self._view, self._wiring, values)
            kept.append(ResidualEnd(place.end, bundle, tuple(by_far), values, text))
        return kept

    def split(self, box: int) -> tuple[list[Wire], list[OffPageConnector]]:
        """The lines of an open group that are drawn, and the stubs in place of the others."""
        wires = self._join_exits(box, self._wiring.wires.get(box, []))
        if box in self._wiring.hidden:  # a repeat, which is no part of a gradient
            return self._cut_copies(box, wires, self._wiring.hidden[box])
        pair = self._pair_of.get(box)
        if pair is None and box not in self.pairs:
            return wires, []
        kept: list[Wire] = []
        told = _ToldLines(self._wiring.is_open)
        residual = set() if pair is None else self._residual_bundles(pair)
        is_across = bool(self.kept_in(box))
        past = self._find_past_parts(wires, self.find_above(box))
        for wire in wires:
            if isinstance(wire.source, Port) and pair is not None and pair.backward == box:
                is_drawn = is_across and wire.source.bundle in residual
                for far in () if is_drawn else self._sources(pair, wire):
                    told.add(wire.target, wire.bundle, False, far, wire.values)
                continue
            if isinstance(wire.target, Port) and pair and wire.target.bundle in residual:
                for far in () if is_across else self._targets(pair, wire):
                    told.add(wire.source, wire.bundle, True, far, wire.values)
                if self._wiring.targets_of(wire.bundle) == (pair.backward,):
                    continue
            elif (far := self._find_told_forward(box, wire)) != NONE:
                told.add(wire.target, wire.bundle, False, far, wire.values)
                continue
            elif isinstance(wire.target, int) and self._is_open_backward(wire.target):
                partner = self._pair_of[wire.target]
                if wire.source != partner.forward:
                    bundle = self.exit_of(wire.source, wire.bundle)
                    told.add(wire.source, bundle, True, wire.target, wire.values)
                    continue
            elif isinstance(wire.source, int) and (wire.source, wire.target) in past:
                told.add(wire.source, wire.bundle, True, self._far_of(wire.target), wire.values)
                told.add(wire.target, wire.bundle, False, wire.source, wire.values)
                continue
            kept.append(wire)
        loose = [
            end
            for place, (bundle, by_far) in told.lines.items()
            for end in self._tell(place.end, by_far, place.is_source, bundle)
        ]
        return kept, loose

    def _cut_copies(
        self, box: int, wires: list[Wire], hidden: frozenset[int]
    ) -> tuple[list[Wire], list[OffPageConnector]]:
        """Lines of the copies that are shown, and stubs for what the hidden ones give or take."""
        kept: list[Wire] = []
        cut: dict[tuple[End, bool], tuple[int, dict[int, Values]]] = {}
        for wire in wires:
            from_hidden, to_hidden = wire.source in hidden, wire.target in hidden
            if not from_hidden and not to_hidden:
                kept.append(wire)
            elif from_hidden != to_hidden:
                here, far = (
                    (wire.target, wire.source) if from_hidden else (wire.source, wire.target)
                )
                if not isinstance(here, Port) and not isinstance(far, Port):
                    _, by_far = cut.setdefault((here, to_hidden), (wire.bundle, {}))
                    by_far.setdefault(far, {}).update(wire.values)
        loose: list[OffPageConnector] = []
        for (place, is_source), (bundle, by_far) in cut.items():
            name = (
                self._name_of(next(iter(by_far)))
                if len(by_far) == 1
                else say("{num} others", num=len(by_far))
            )
            values = {value: type_ for each in by_far.values() for value, type_ in each.items()}
            text = say(TOGETHER, first="→ ", then=name) if is_source else name
            loose.append(OffPageConnector(place, is_source, text, (box,), values, bundle))
        return kept, loose

    def _is_backward(self, box: int) -> bool:
        pair = self._pair_of.get(box)
        return pair is not None and pair.backward == box

    def _is_open_backward(self, end: End) -> bool:
        return not isinstance(end, Port) and self._is_backward(end) and self._wiring.is_open[end]

    def _find_told_forward(self, box: int, wire: Wire) -> int:
        """The open forward part whose connectors tell of a line to its closed backward part."""
        for pair in self.pairs.get(box, ()):
            is_open = [self._wiring.is_open[part] for part in pair]
            if (wire.source, wire.target) == pair and is_open == [True, False]:
                return pair.forward
        return NONE

    def _far_of(self, end: End) -> int:
        """A box, or the one that a bundle reaches through a port."""
        return self._wiring.targets_of(end.bundle)[0] if isinstance(end, Port) else end

    # --- what leaves the backward part ---

    def find_above(self, parent: int) -> frozenset[End]:
        """Boxes of a group that need only what open backward parts in it give, and what is there
        before, which connectors tell. They stand where those parts end, above them.
        """
        known = self._above.get(parent)
        if known is None:
            known = self._above[parent] = self._work_out_above(parent)
        return known

    def _work_out_above(self, parent: int) -> frozenset[End]:
        backward = {each.backward for each in self.pairs.get(parent, ())}
        backward = {box for box in backward if self._wiring.is_open[box]}
        if not backward:
            return frozenset()
        if parent not in self._wiring.wires:
            self._wiring.find([parent])
        wires = self._wiring.wires[parent]
        users: dict[End, list[Wire]] = {}
        sources: dict[End, list[Wire]] = {}
        for wire in wires:
            users.setdefault(wire.source, []).append(wire)
            sources.setdefault(wire.target, []).append(wire)
        after: set[End] = set(self._pair_of)
        queue = list(after)
        for end in queue:  # grows while it is read
            more = {wire.target for wire in users.get(end, ())} - after
            queue += more
            after |= more
        found = {end for end in after if not isinstance(end, Port)} - self._pair_of.keys()
        below = [end for end in after if end not in found and end not in backward]
        # A box that reads a box below, or is read by one, stands below as well. So does one that
        # reads a value which others need, too: at those a connector names it.
        given: dict[int, list[End]] = {}
        for wire in wires:
            if wire.source in backward:
                given.setdefault(wire.bundle, []).append(wire.target)
            if isinstance(wire.source, Port):  # no box for a connector to name
                below.append(wire.target)
        for end in below:  # grows while it is read
            found.discard(end)
            near = [wire.target for wire in users.get(end, ())]
            for wire in sources.get(end, ()):
                near += given.pop(wire.bundle, ()) if wire.source in backward else [wire.source]
            below += [each for each in dict.fromkeys(near) if each in found]
            found.difference_update(near)
        return frozenset(found)

    def led_around(self, end: End) -> frozenset[int]:
        """The bundles that a line leads around an open backward part, to boxes below it."""
        return self._find_onward(end).bundles

    def _find_past_parts(
        self, wires: list[Wire], above: Collection[End]
    ) -> frozenset[tuple[End, End]]:
        """Ends of lines that would lead around both parts, from a box that they read, too.

        Only to boxes below the parts, whose connectors then name all that enters by them, and of
        all that boxes above a backward part need besides gradients.
        """
        read = {
            wire.source
            for wire in wires
            if isinstance(wire.target, int) and self._is_open_backward(self.partner_of(wire.target))
        }
        sources: dict[End, set[End]] = {}
        for wire in wires:
            if wire.source in read and wire.source not in self._pair_of:
                sources.setdefault(wire.target, set()).add(wire.source)
        below: set[End] = set(self._pair_of)
        users: dict[End, list[End]] = {}
        for wire in wires:
            users.setdefault(wire.source, []).append(wire.target)
        queue = list(below)
        for end in queue:  # grows while it is read
            queue += set(users.get(end, ())) - below
            below.update(users.get(end, ()))
        past: set[tuple[End, End]] = {
            (source, target)
            for target, each in sources.items()
            if isinstance(target, int)
            and target in below
            and target not in self._pair_of
            and len(each) <= _MAX_STUBS_PER_BOX
            for source in each
        }
        before = {wire.source for wire in wires} - below
        past |= {(w.source, w.target) for w in wires if w.source in before and w.target in above}
        return frozenset(past)

    def exit_of(self, end: End, bundle: int) -> int:
        """The bundle by whose port one leaves: what goes on from a backward part has one."""
        onward = self._find_onward(end)
        return onward.exit if bundle in onward.bundles else bundle

    def _find_onward(self, end: End) -> _OnwardLines:
        """What an open backward part gives to what is not above it."""
        if isinstance(end, Port) or not self._is_open_backward(end):
            return _NOTHING
        known = self._onward.get(end)
        if known is None:
            parent = self._view.boxes[end].parent
            above = self.find_above(parent)
            wires = [
                wire
                for wire in self._wiring.wires[parent]
                if wire.source == end and wire.target not in above
            ]
            bundles = frozenset(wire.bundle for wire in wires)
            known = self._onward[end] = _OnwardLines(bundles, min(bundles, default=NONE))
        return known

    def _join_exits(self, box: int, wires: list[Wire]) -> list[Wire]:
        """What goes on from the backward part around leaves it by one port."""
        around = box
        while around != ROOT and not self._is_open_backward(around):
            around = self._view.boxes[around].parent
        onward = self._find_onward(around)
        if len(onward.bundles) < 2:
            return wires
        kept: list[Wire] = []
        shared, joined = onward.exit, dict[End, Wire]()
        for wire in wires:
            if wire.bundle not in onward.bundles:
                kept.append(wire)
            elif wire.source in joined:
                joined[wire.source].values.update(wire.values)
            else:
                joined[wire.source] = Wire(
                    wire.source, Port(shared, False), shared, dict(wire.values)
                )
                kept.append(joined[wire.source])
        return kept

    def _residual_bundles(self, pair: ForwardBackwardPair) -> set[int]:
        if not self._wiring.is_open[pair.forward]:
            return set()
        around = self._wiring.wires.get(self._view.boxes[pair.forward].parent, [])
        return {wire.bundle for wire in around if (wire.source, wire.target) == pair}

    def _sources(self, pair: ForwardBackwardPair, wire: Wire) -> tuple[int, ...]:
        """Groups that the values of a line into the backward part come from."""
        source = self._wiring.source_of(wire.bundle)
        if source != pair.forward or not self._wiring.is_open[source]:
            return (source,)
        return tuple(
            dict.fromkeys(
                each.source
                for each in self._wiring.wires.get(source, [])
                if isinstance(each.target, Port)
                and isinstance(each.source, int)
                and each.bundle == wire.bundle
                and not wire.values.keys().isdisjoint(each.values)
            )
        ) or (source,)

    def _targets(self, pair: ForwardBackwardPair, wire: Wire) -> tuple[int, ...]:
        """Groups of the backward part that the values of a line out of the forward part reach."""
        if not self._wiring.is_open[pair.backward]:
            return (pair.backward,)
        return tuple(
            dict.fromkeys(
                each.target
                for each in self._wiring.wires.get(pair.backward, [])
                if isinstance(each.source, Port)
                and isinstance(each.target, int)
                and each.bundle == wire.bundle
                and not wire.values.keys().isdisjoint(each.values)
            )
        ) or (pair.backward,)

    def _tell(
        self, place: End, by_far: dict[int, Values], is_source: bool, bundle: int
    ) -> list[OffPageConnector]:
        if len(by_far) > 1 and (is_source or len(by_far) > _MAX_STUBS_PER_BOX):
            groups = [(tuple(by_far), {k: v for each in by_far.values() for k, v in each.items()})]
        else:
            groups = [((far,), values) for far, values in by_far.items()]
        ends: list[OffPageConnector] = []
        for far, values in groups:
            is_residual = is_source and not all(self._is_beside(place, each) for each in far)
            names = [
                say("backward") if self._is_open_backward(each) else self._name_of(each)
                for each in far
            ]
            if is_residual:  # which leads to the backward part only
                names = [
                    (each.replace(BACKWARD, "") or each) if BACKWARD in each else each
                    for each in names
                ]
            name = join_names(names)
            text = say(TOGETHER, first="→ ", then=name) if is_source else name
            if is_residual:
                once = values_at_once(self._view, self._wiring, values)
                text = say_joined((text, describe_bytes(self._view, once)), BESIDE)
            ends.append(OffPageConnector(place, is_source, text, far, values, bundle))
        return ends

    def _is_beside(self, end: End, far: int) -> bool:
        """Whether two boxes are in the same group."""
        boxes = self._view.boxes
        return not isinstance(end, Port) and boxes[end].parent == boxes[far].parent


def describe_values(view: View, wiring: Wiring, values: Values) -> str:
    """How many values, or the type of one, and how many bytes they are, where that is known."""
    values = values_at_once(view, wiring, values)
    count: str = say("{num:,} values", num=len(values))
    if len(values) == 1:
        value, type_ = next(iter(values.items()))
        axes = view.batched.get(wiring.origin_of(value), ())
        count = mark_batch_axes(short_type(view.graph.strings[type_]), axes)
    return say_joined((count, describe_bytes(view, values)), BESIDE)


def leads_residuals(view: View, source: End, target: End) -> bool:
    """Whether a line leads from a forward part to a backward part, as two boxes do.

    Also to that of a later round: what is pulled back twice is kept for both, and where XLA merges
    what jax.checkpoint computes again with the forward part, this goes on as one round more.
    """
    if isinstance(source, Port) or isinstance(target, Port):
        return False
    kinds = (view.boxes[source].kind, view.boxes[target].kind)
    return kinds == (BranchKind.FORWARD, BranchKind.BACKWARD)


def describe_kept(view: View, wiring: Wiring, values: Values, rounds: int = 1) -> str:
    """How many bytes residuals are; the type of one, or how many they are, if that is unknown.

    Args:
        rounds: Of how many rounds of a loop they are; then how many bytes each of these keeps.
    """
    once = values_at_once(view, wiring, values)
    size = describe_bytes(view, once, rounds)
    if size and rounds > 1:
        return f"{rounds:,} × {size}"
    return size or describe_values(view, wiring, once)


def values_at_once(view: View, wiring: Wiring, values: Values) -> Values:
    """Some values without what other arms of a branch give in place of them: one arm runs."""
    if len(values) < 2:
        return values
    known = view.remembered.setdefault("has branches", {})
    if ROOT not in known:
        known[ROOT] = bool(view.graph.nodes_of(BRANCHES))
    if not known[ROOT]:
        return values
    numbers = list(values)
    kept = keep_one_arm(view.graph, [wiring.origin_of(number)[0] for number in numbers])
    return {numbers[at]: values[numbers[at]] for at in kept}


def describe_bytes(view: View, values: Values, rounds: int = 1) -> str:
    """How large values are together, or the part of one of some rounds; empty where that is not
    known."""
    types = collections.Counter(values.values())
    size = sum(count * type_bytes(view.graph.strings[type_]) for type_, count in types.items())
    return "" if math.isnan(size) else format_bytes(size / rounds)


def _parents_of_pairs(view: View) -> tuple[int, ...]:
    known = view.remembered.setdefault("parents of halves", {})
    if ROOT not in known:
        found = {view.boxes[each].parent for each in view.boxes.groups_of[BranchKind.FORWARD]}
        known[ROOT] = tuple(sorted(found))
    parents: tuple[int, ...] = known[ROOT]
    return parents
