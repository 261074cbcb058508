"""Lay every open group out alone, from the inside out: sizes of boxes from their texts, boxes and
ports as a diagram in which the two parts of a gradient are one node, and the drawing back to
boxes.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.model.said import TOGETHER, say, shorten_said
from jaxscope.picture.layout.diagram import (
    Diagram,
    DiagramEdge,
    Drawing,
    LineAside,
    RequestedStub,
    Route,
    Spacing,
    Stub,
)
from jaxscope.picture.layout.engines import GroupLayouts
from jaxscope.picture.layout.rank_assignment import MAX_NODES
from jaxscope.picture.layout.text_width import (
    halve_text,
    measure_text,
    shorten_name,
    shorten_text,
)
from jaxscope.picture.scene.residual_lines import ResidualEnd, list_links, measure_label
from jaxscope.picture.scene.returns import ReturnLine, add_returns, find_borders
from jaxscope.picture.scene.scene import (
    DETAIL_PX,
    HEADER_PX,
    LEAST_STUB_PADDING_PX,
    LEAST_TEXT_PX,
    LEAST_TITLE_PX,
    SMALL_LINE_PX,
    SMALL_SIGN_PX,
    STACK_PX,
    STUB_TEXT_PX,
    TITLE_PX,
    Fit,
)
from jaxscope.picture.scene.side_by_side import (
    GAP_PX,
    WIDE_GAP_PX,
    ForwardBackwardPair,
    LedPair,
    MeasuredDrawing,
    OffPageConnector,
    OffPageConnectors,
    SideBySide,
    align_levels,
    describe_kept,
    find_group_names,
    join_names,
    leads_residuals,
    make_room_below,
    make_room_beside,
    measure_side_by_side,
    reverse_flow,
    route_across,
    route_around,
    route_to_part,
)
from jaxscope.picture.scene.visible_edges import End, Frame, Port, Wire, Wiring, find_changed_groups
from jaxscope.picture.view.labels import BoxText, detail_when_open, text_of
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.tree import BACKWARD, BranchKind
from jaxscope.picture.view.view import ROOT, View

BOX_PADDING_PX = 12.0
BOX_MAX_PX, _GROUP_MAX_PX = 256.0, 400.0
"""Of operations and values; of groups, whose names often differ at their ends."""


def measure_header(title: str, detail: str, scale: float = 1.0) -> float:
    """How wide an open group's header is, in pixels, with its title and what it counts.

    Also where it is shown at a scale, with texts that can be read.
    """
    titled, counted = measure_text(title, TITLE_PX, True), measure_text(detail, DETAIL_PX)
    least = titled * max(LEAST_TITLE_PX / TITLE_PX / scale, 1.0)
    least += counted * max(LEAST_TEXT_PX / DETAIL_PX / scale, 1.0)
    return least + _HEADER_SIGN_PX + _HEADER_GAPS_PX / scale


class BoxTexts:
    """Texts of a view's boxes, each worked out once for all pictures of the view."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._known: dict[int, BoxText] = view.remembered.setdefault("texts", {})

    def of(self, box: int) -> BoxText:
        """The text of a box."""
        known = self._known.get(box)
        if known is None:
            own = self._view.boxes[box]
            if BACKWARD in own.label and self._is_in_backward(box) and not self._has_twin(box):
                own = own._replace(label=own.label.replace(BACKWARD, ""))
            full = text_of(self._view, own)
            room = BOX_MAX_PX - 2 * BOX_PADDING_PX
            is_group = bool(self._view.boxes[box].children)
            most = _GROUP_MAX_PX - 2 * BOX_PADDING_PX if is_group else room
            title = shorten_said(full.title, lambda t: shorten_name(t, most, TITLE_PX, True))
            detail = shorten_said(full.detail, lambda t: shorten_text(t, room, DETAIL_PX))
            is_short = title is full.title and detail is full.detail
            known = self._known[box] = (
                full if is_short else BoxText(title, detail, full.style, full.name)
            )
        return known

    def detail_of_frame(self, box: int, opened: Collection[int] = ()) -> str:
        """What the title of an open group says behind its name: how much it holds."""
        return detail_when_open(self._view, box, self.of(box).detail, opened)

    def _is_in_backward(self, box: int) -> bool:
        """Whether a group stands in a backward part, whose title says that of all in it."""
        boxes = self._view.boxes
        if boxes[box].kind not in (BranchKind.SCOPE, BranchKind.REPEAT, BranchKind.SECTION):
            return False
        box = boxes[box].parent
        while box != NONE and boxes[box].kind is not BranchKind.BACKWARD:
            box = boxes[box].parent
        return box != NONE

    def _has_twin(self, box: int) -> bool:
        """Whether a group beside it has its name without *backward*."""
        boxes, short = self._view.boxes, self._view.boxes[box].label.replace(BACKWARD, "")
        return any(boxes[each].label == short for each in boxes[boxes[box].parent].children)

    def name_of(self, box: int) -> str:
        """What it is called elsewhere: there it is said that it is of a backward part."""
        title = text_of(self._view, self._view.boxes[box]).title
        return shorten_name(title, BOX_MAX_PX - 2 * BOX_PADDING_PX, TITLE_PX, True)


_PORT_PX = 8.0

SizeOf = Callable[[int], tuple[float, float]]
"""Size of a box across the flow and along it."""

Rooms = Mapping[int, Mapping[tuple[int, bool], float]]
"""By group, and by a box in it, or `NONE` for its border, that a line enters or leaves: pixels."""
NO_ROOMS: Rooms = {}

ShiftOf = Callable[[End, int, bool], float]
"""Where a line of a bundle meets an open group, entering it or not; NaN where it may choose."""


class GroupProblem:
    """The units of one layout.

    Args:
        ends: Boxes and ports.
        wires: The lines between them.
        pairs: Boxes of which two are one unit.
        opened: The boxes of the pairs that are open.
        above: Boxes that need only what an open backward part gives, and what is there before:
            they stand where it ends, above it, and all that leads to them is laid out the other
            way round.
        around: By open backward part, the bundles that a line leads around it.
        gaps: Of each pair the pixels between its parts.

    Attributes:
        units: One end of each unit.
        index: Of each end, the number of its unit.
        sizes: Of each unit, across and along.
        wide: The units that pairs are.
    """

    def __init__(
        self,
        ends: list[End],
        wires: list[Wire],
        pairs: tuple[ForwardBackwardPair, ...],
        opened: Collection[int],
        above: frozenset[End],
        around: Mapping[int, Collection[int]],
        gaps: Mapping[ForwardBackwardPair, float],
        size_of: SizeOf,
        shift_of: ShiftOf,
    ) -> None:
        self._ends, self._wires, self._opened, self._shift_of = ends, wires, opened, shift_of
        self._around, self._gaps = around, gaps
        self._numbers = {end: number for number, end in enumerate(ends)} if pairs else {}
        self._pair_of = {part: pair for pair in pairs for part in pair}
        self._side_by_side: dict[ForwardBackwardPair, SideBySide] = {}
        self.above = above
        self.units: list[End] = []
        self.index: dict[End, int] = {}
        self.sizes: list[tuple[float, float]] = []
        for end in ends:
            pair = None if isinstance(end, Port) else self._pair_of.get(end)
            if pair is not None and end == pair.backward:
                continue
            self.index[end] = len(self.units)
            if pair is not None:
                self.index[pair.backward] = len(self.units)
                duo = self._side_by_side[pair] = self._measure(pair, size_of)
                self.sizes.append((duo.across, duo.along))
            else:
                self.sizes.append((_PORT_PX, 0.0) if isinstance(end, Port) else size_of(end))
            self.units.append(end)
        self.wide = frozenset(self.index[pair.forward] for pair in pairs)

    def _measure(self, pair: ForwardBackwardPair, size_of: SizeOf) -> SideBySide:
        sizes = size_of(pair.forward), size_of(pair.backward)
        has_lane = bool(self._around[pair.backward])
        return measure_side_by_side(*sizes, self._gaps[pair], has_lane=has_lane)

    def _opened_of(self, pair: ForwardBackwardPair) -> int:
        return sum(part in self._opened for part in pair)

    def _part(self, end: End) -> ForwardBackwardPair | None:
        return None if isinstance(end, Port) else self._pair_of.get(end)

    def is_inside(self, wire: Wire) -> bool:
        """Whether a line leads from one part of a pair to the other."""
        return bool(self._pair_of) and (wire.source, wire.target) in self._side_by_side

    def shift(self, end: End, bundle: int, is_entry: bool) -> float:
        """Where a line meets the unit of an end, across from its centre."""
        shift = self._shift_of(end, bundle, is_entry)
        pair = self._part(end)
        if pair is None:
            return shift
        duo = self._side_by_side[pair]
        if not is_entry and self._is_led_around(end, bundle):
            return duo.lane
        at = duo.at[end == pair.backward][0]
        return at + shift if shift == shift else at

    def expand(self, drawing: Drawing, loose: list[OffPageConnector]) -> Drawing:
        """A drawing of the units as one of the ends; routes are numbered as the wires are."""
        if not self._pair_of:
            return drawing
        centres = list(zip(drawing.x, drawing.y, strict=True))
        places = [self._place(end, centres[self.index[end]]) for end in self._ends]
        routes: list[Route] = [()] * len(self._wires)
        drawn = [n for n, wire in enumerate(self._wires) if not self.is_inside(wire)]
        for number, route in zip(drawn, drawing.routes, strict=True):
            wire = self._wires[number]
            if route:
                before = self._lead_out(wire, route[0], centres)
                after = self._lead(wire.target, route[-1], centres)
                routes[number] = (*before, *route, *after)
        for number, wire in enumerate(self._wires):
            pair = self._part(wire.source)
            if self.is_inside(wire) and pair is not None and not self._opened_of(pair):
                centre = centres[self.index[pair.forward]]
                routes[number] = route_across(self._side_by_side[pair], centre)
        stubs = tuple(self._restore(stub, drawn, loose, centres) for stub in drawing.stubs)
        return dataclasses.replace(
            drawing,
            x=tuple(x for x, _ in places),
            y=tuple(y for _, y in places),
            routes=tuple(routes),
            stubs=stubs,
        )

    def _place(self, end: End, centre: tuple[float, float]) -> tuple[float, float]:
        pair = self._part(end)
        if pair is None:
            return centre
        x, y = self._side_by_side[pair].at[end == pair.backward]
        return centre[0] + x, centre[1] + y

    def _lead(
        self, end: End, corner: tuple[float, float], centres: list[tuple[float, float]]
    ) -> Route:
        """The way between the border of a pair's room and the part that a line belongs to."""
        pair = self._part(end)
        if pair is None:
            return ()
        duo, centre = self._side_by_side[pair], centres[self.index[end]]
        return route_to_part(duo, centre, end == pair.backward, corner)

    def _lead_out(
        self, wire: Wire, corner: tuple[float, float], centres: list[tuple[float, float]]
    ) -> Route:
        """Likewise where a line begins."""
        pair = self._part(wire.source)
        if pair is None or not self._is_led_around(wire.source, wire.bundle):
            return self._lead(wire.source, corner, centres)
        at = self._shift_of(wire.source, wire.bundle, False)
        centre = centres[self.index[wire.source]]
        return route_around(self._side_by_side[pair], centre, at if at == at else 0.0)

    def _is_led_around(self, end: End, bundle: int) -> bool:
        return not isinstance(end, Port) and bundle in self._around.get(end, ())

    def is_told_above(self, loose: OffPageConnector) -> bool:
        """Whether a connector is where values flow up: above an open backward part, as what it
        tells leaves there, or below what stands above such a part.
        """
        if loose.end in self.above:
            return True
        pair = self._part(loose.end)
        is_backward = pair is not None and loose.end == pair.backward
        return is_backward and loose.is_source and loose.end in self._opened

    def _restore(
        self,
        stub: Stub,
        drawn: list[int],
        loose: list[OffPageConnector],
        centres: list[tuple[float, float]],
    ) -> Stub:
        """A stub with the numbers of wires and ends."""
        first = stub.links[0]
        if first >= len(drawn):
            number = first - len(drawn)
            end = loose[number].end
            links: tuple[int, ...] = (len(self._wires) + number,)
            if self.is_told_above(loose[number]):
                stub = dataclasses.replace(stub, is_source=not stub.is_source, line=stub.line[::-1])
        else:
            links = tuple(drawn[link] for link in stub.links)
            wire = self._wires[links[0]]
            end = wire.source if stub.is_source else wire.target
        corner = stub.line[0] if stub.is_source else stub.line[-1]
        if stub.is_source and first < len(drawn):
            lead = self._lead_out(self._wires[links[0]], corner, centres)
        else:
            lead = self._lead(end, corner, centres)
        line = (*lead, *stub.line) if stub.is_source else (*stub.line, *lead)
        return dataclasses.replace(stub, node=self._numbers[end], links=links, line=line)


# Lay every open group out alone, from the inside out, then put the groups into each other.


LAYOUT_CHOOSES = math.nan
"""Shift of a link that may meet its node anywhere; one object, so that equal diagrams are equal."""

DOWN, RIGHT = "down", "right"
FRAME_PADDING_PX = 16.0
WALK_PX = 136.0
"""Room in the title of a repeat for which copy is shown, and for the way to the others."""
_HEADER_SIGN_PX, _HEADER_GAPS_PX = 30.0, 18.0  # before the title; beside it and its count
_BOX_MIN_PX = 64.0
_STEP_PX = 16.0  # widths in steps look calmer, and alike groups become equal
_SMALL_PADDING_PX = 5.0  # beside texts in a picture that is shown small
_SIGN_PX = 16.0  # of the triangle that says a box can be opened
_LINE_PX = (26.0, 42.0)  # height of a box with one and with two lines
_MAX_FOLLOWING = 2  # times that groups inside are laid out again for the lines around them
_MAX_TURNS = 2  # times that ports follow until fewer lines cross; one turn may make others cross
_CROSSED_COST = 2
_NEEDLESS_COST = 3  # of a crossing that an order of the ports would avoid
_SAME_PX = 1e-3
_MOST_PREFERRED = 4  # ports of one kind whose sides are compared
_MOST_ARGUMENTS = 8  # that stand in the order of the call
_MANY_ARRAYS = 24  # of which a line tells less than a connector
_NAME_LETTERS = 2  # that every name of a value has room for
_WIDE_LETTER = "m"
_STUB_MAX_PX = 130.0
_STUB_PADDING_PX = 8.0
STUB_HEIGHT_PX = 18.0
MERGED_STUB_PX, _NARROW_STUB_PX = 140.0, 96.0
_NARROW_PX = 600.0  # a scene that should not be wider has the latter


@dataclass(frozen=True, eq=False, slots=True)
class PlacedGroup:
    """An open group, laid out.

    Attributes:
        ends: The diagram's nodes: boxes and ports.
        wires: The diagram's links.
        drawing: Where they went.
        loose: What the loose stubs stand for; they are numbered after the wires.
        returns: Lines that lead a loop's carry back.
        kept: Where lines to or from the other part of a gradient begin or end.
    """

    ends: list[End]
    wires: list[Wire]
    drawing: Drawing
    loose: list[OffPageConnector]
    returns: tuple[ReturnLine, ...] = ()
    kept: Sequence[ResidualEnd] = ()


class CrossedPorts(NamedTuple):
    """Lines that cross at the borders of open groups inside a group.

    Attributes:
        cost: Of all pairs of them. One costs less where a value goes to several places, as it may
            be that no order of the ports avoids it.
        orders: By group, an order of its ports in which they would not.
    """

    cost: int
    orders: dict[int, tuple[Port, ...]]


def find_crossed_ports(placed: PlacedGroup, frames: Mapping[int, Frame]) -> CrossedPorts:
    """The lines that cross right before they enter an open group, or right after they left one.

    Where a line leads from one open group to another, the ports of the latter follow.
    """
    lines: dict[tuple[int, bool, bool], list[tuple[Port, Route]]] = {}
    for end, bundle, is_entry, route in _list_ends(placed):
        port = Port(bundle, is_entry)
        if isinstance(end, Port) or end not in frames or port not in frames[end].ports:
            continue
        away = route[::-1] if is_entry else route
        if len(away) > 1 and away[0][1] != away[1][1]:
            lines.setdefault((end, is_entry, away[0][1] < away[1][1]), []).append((port, away))
    cost = 0
    orders: dict[int, tuple[Port, ...]] = {}
    for (box, _, _), ends in lines.items():
        at = frames[box].ports
        places = _find_places([away for _, away in ends]) if len(ends) > 1 else []
        uses = Counter(port for port, _ in ends)
        pairs = [(port, at[port], far) for (port, _), far in zip(ends, places, strict=False)]
        crossed = sum(
            _NEEDLESS_COST if uses[port] == uses[other] == 1 else _CROSSED_COST
            for (port, own, far), (other, its, beyond) in itertools.combinations(pairs, 2)
            if (own - its) * (far - beyond) < -_SAME_PX
        )
        if crossed:
            cost += crossed
            wanted = {port: place for (port, _), place in zip(ends, places, strict=True)}
            own = orders.get(box) or sorted(at, key=at.__getitem__)
            orders[box] = _order_ports(own, wanted)
    return CrossedPorts(cost, orders)


def _list_ends(placed: PlacedGroup) -> Iterator[tuple[End, int, bool, Route]]:
    """Both ends of every line: the box or port, the bundle, whether it is entered, the way."""
    for wire, route in zip(placed.wires, placed.drawing.routes, strict=True):
        yield wire.source, wire.bundle, False, route
        yield wire.target, wire.bundle, True, route
    for stub in placed.drawing.stubs:
        number = stub.links[0] - len(placed.wires)
        bundle = placed.loose[number].bundle if number >= 0 else placed.wires[stub.links[0]].bundle
        yield placed.ends[stub.node], bundle, not stub.is_source, stub.line


def _find_places(ways: list[Route]) -> list[float]:
    """Where lines are across on the far side of the gap beside a border that they begin at.

    The gap ends where the first of them has bent, or ends.
    """
    gap = min(
        abs(next((q for p, q in itertools.pairwise(way) if p[0] != q[0]), way[-1])[1] - way[0][1])
        for way in ways
    )
    return [
        next((x for x, y in way if abs(y - way[0][1]) >= gap - _SAME_PX), way[-1][0])
        for way in ways
    ]


def _list_across(placed: PlacedGroup) -> tuple[End, ...]:
    """What a group shows, from left to right."""
    x = placed.drawing.x
    return tuple(placed.ends[at] for at in sorted(range(len(x)), key=x.__getitem__))


def _order_ports(own: Iterable[Port], wanted: Mapping[Port, float]) -> tuple[Port, ...]:
    """Ports in the order of their lines; those of which none is asked for keep their places."""
    ordered = iter(sorted(wanted, key=wanted.__getitem__))
    return tuple(next(ordered) if port in wanted else port for port in own)


def _sum_cost(groups: Iterable[int], frames: Mapping[int, Frame]) -> int:
    """Of the lines that cross at borders in groups."""
    return sum(frames[box].crossed_cost for box in groups)


class GroupPlacer:
    """Lays groups out and puts them into each other; one use per scene.

    Args:
        known: Frames of groups that look as they did.
        rooms: Where in a group labels need more room: beside which rows, and how many pixels.

    Attributes:
        placed: The groups that were laid out.
        frames: Of these and of those that were known.
        is_reversed: Of each box, whether values flow backward inside of it.
    """

    def __init__(
        self,
        view: View,
        wiring: Wiring,
        direction: str,
        spacing: Spacing,
        layouts: GroupLayouts,
        fit: Fit,
        known: Mapping[int, Frame],
        rooms: Rooms = NO_ROOMS,
    ) -> None:
        self._view = view
        self._wiring = wiring
        self._rooms = rooms
        self._is_down = direction == DOWN
        self._spacing = spacing
        self._layouts = layouts
        self._fit = fit
        self._most: dict[int, float] = {ROOT: fit.across - 2 * FRAME_PADDING_PX}
        self._texts = BoxTexts(view)
        self._sizes: dict[int, tuple[float, float]] = view.remembered.setdefault(
            f"sizes at {fit.scale} {fit.halves_titles}", {}
        )
        self.placed: dict[int, PlacedGroup] = {}
        self._loose = OffPageConnectors(view, wiring, self._texts.name_of, fit, self._is_down)
        self.is_reversed = self._loose.is_reversed
        self._changed = find_changed_groups(
            view, wiring, known, self._loose.partner_of, self.is_reversed
        )
        same = known.keys() - set(self._changed)
        self.frames = {box: known[box] for box in same if wiring.is_open[box]}
        self._port_order = {box: frame.order for box, frame in self.frames.items() if frame.order}

    def place_all(self, *, follows: bool = True) -> None:
        """Lay out every open group that is not known, children before parents.

        Args:
            follows: Whether ports follow lines, so that those do not cross at borders.
        """
        self._wiring.find(self._changed)
        for box in self._changed:
            self.placed[box] = self._place(box) if follows else self._arrange(box)

    def list_pairs(self) -> list[ForwardBackwardPair]:
        """The two parts of each gradient that stand side by side."""
        return [pair for pairs in self._loose.pairs.values() for pair in pairs]

    def is_led_around(self, end: End, bundle: int) -> bool:
        """Whether a line leads a bundle around the open backward part that it leaves."""
        return bundle in self._loose.led_around(end)

    def text(self, box: int) -> BoxText:
        """What is written on a box, shortened to fit its largest width."""
        return self._texts.of(box)

    def size(self, box: int) -> tuple[float, float]:
        """Width and height of a box or a frame."""
        frame = self.frames.get(box)
        if frame is not None:
            return frame.width, frame.height
        known = self._sizes.get(box)
        if known is None:
            known = self._sizes[box] = self._measure(box)
        return known

    def _measure(self, box: int) -> tuple[float, float]:
        text = self.text(box)
        is_group = bool(self._view.boxes[box].children)
        width = self._measure_width(text, (text.title,), is_group)
        height = _LINE_PX[1 if text.detail else 0]
        if self._fit.halves_titles:
            lines = tuple(halve_text(text.title, TITLE_PX, True).split("\n"))
            narrow = self._measure_width(text, lines, is_group)
            if narrow + STACK_PX < measure_text(text.title, TITLE_PX, True):
                width, height = narrow, height + math.ceil(SMALL_LINE_PX / self._fit.scale)
        if text.style is Style.REPEAT:
            return width + STACK_PX, height + STACK_PX
        return width, height

    def _measure_width(self, text: BoxText, lines: tuple[str, ...], is_group: bool) -> float:
        """How wide a box is whose title has some lines, also where it is shown small."""
        title = max(measure_text(line, TITLE_PX, True) for line in lines)
        width = math.ceil(max(title, _measure_detail(text))) + 2 * BOX_PADDING_PX
        width += _SIGN_PX if is_group else 0.0
        beside = SMALL_SIGN_PX if is_group else _SMALL_PADDING_PX
        least = max(title * LEAST_TITLE_PX / TITLE_PX, measure_text(text.detail, LEAST_TEXT_PX))
        width = max(width, (least + 2 * beside) / self._fit.scale)
        return max(_STEP_PX * math.ceil(width / _STEP_PX), _BOX_MIN_PX)

    def stub_text(self, end: End) -> str:
        """What a connector says of the box that its value comes from."""
        return self._cut(self.text(self._source_box(end)).title, _STUB_MAX_PX)

    def _source_box(self, end: End) -> int:
        return self._wiring.source_of(end.bundle) if isinstance(end, Port) else end

    def onward_text(self, ends: set[End]) -> str:
        """What a connector says of where its value goes."""
        boxes = (
            self._wiring.targets_of(end.bundle)[0] if isinstance(end, Port) else end for end in ends
        )
        return self._tell_together("→ ", [self.text(box).title for box in sorted(boxes)])

    def backward_text(self, ends: set[End]) -> str:
        """What a connector says of where its values come from."""
        ordered = sorted(ends, key=self._source_box)
        return self._tell_together("", [self.stub_text(end) for end in ordered])

    def _tell_together(self, arrow: str, titles: list[str]) -> str:
        """Names of boxes, or how many they are where not even the first has room."""
        names = join_names(titles)
        text = self.fit_stub(say(TOGETHER, first=arrow, then=names), self._merged_stub_px)
        first = titles[0].rpartition(" / ")[2]
        if len(titles) == 1 or text.startswith(arrow + first):
            return text
        return say(TOGETHER, first=arrow, then=say("{num} boxes", num=len(titles)))

    def _cut(self, text: str, most_px: float) -> str:
        return shorten_said(text, lambda whole: shorten_name(whole, most_px, STUB_TEXT_PX))

    def _shorten(self, text: str) -> str:
        """A connector's text, so short that its width in steps is no more than `_stub_along`."""
        return self._cut(text, _STUB_MAX_PX - _STUB_PADDING_PX)

    def fit_stub(self, text: str, width: float) -> str:
        """A connector's text, shortened to a width that the connector has."""
        room = width - 2 * _STUB_PADDING_PX
        small = width * self._fit.scale - 2 * LEAST_STUB_PADDING_PX
        return self._cut(text, min(room, small * STUB_TEXT_PX / LEAST_TEXT_PX))

    def stub_width(self, text: str) -> float:
        """Width of a connector with a text, also where it is shown small."""
        width = measure_text(text, STUB_TEXT_PX) + 2 * _STUB_PADDING_PX
        least = measure_text(text, LEAST_TEXT_PX) + 2 * LEAST_STUB_PADDING_PX
        return _STEP_PX * math.ceil(max(width, least / self._fit.scale) / _STEP_PX)

    def _place(self, box: int) -> PlacedGroup:
        """Lay a group out; where lines cross at the border of one inside, its ports follow them.

        The order of a group's ports is first the one that suits its inside. Where that makes lines
        cross around it, it is laid out again with the order that they come and go in. That is kept
        if fewer lines cross at borders then.
        """
        placed = self._arrange(box)
        crossed = find_crossed_ports(placed, self.frames)
        for _ in range(_MAX_FOLLOWING):
            better = self._follow_lines(box, placed, crossed) if crossed.orders else None
            if better is None:
                break
            placed, crossed = better
        self.frames[box] = dataclasses.replace(self.frames[box], crossed_cost=crossed.cost)
        return placed

    def _follow_lines(
        self, box: int, placed: PlacedGroup, crossed: CrossedPorts
    ) -> tuple[PlacedGroup, CrossedPorts] | None:
        """Let ports inside a group follow its lines; None, and all as before, if nothing is won."""
        before = dict(self.placed), dict(self.frames), dict(self._port_order)
        cost, followed = crossed.cost, set[int]()
        for _ in range(_MAX_TURNS):
            followed |= crossed.orders.keys()
            most = cost + _sum_cost(followed, before[1])
            self._follow(crossed.orders)
            # What is around may turn with what is inside: if so, it is held as it stands.
            for kept in ((), _list_across(placed)):
                again = self._arrange(box, kept)
                crossed = find_crossed_ports(again, self.frames)
                if crossed.cost + _sum_cost(followed, self.frames) < most:
                    return again, crossed
            if not crossed.orders:
                break
        self.placed, self.frames, self._port_order = before
        return None

    def _follow(self, orders: Mapping[int, tuple[Port, ...]]) -> None:
        """Lay groups out again with their ports in given orders."""
        partners = {self._loose.partner_of(child) for child in orders} & self.frames.keys()
        again = sorted(partners.union(orders), reverse=True)
        unknown = [child for child in again if child not in self._wiring.wires]
        if unknown:
            self._wiring.find(unknown)
        self._port_order.update(orders)
        for child in again:
            self.placed[child] = self._place(child)

    def _arrange(self, box: int, kept: tuple[End, ...] = ()) -> PlacedGroup:
        pairs = self._loose.pairs.get(box, ())
        for pair in pairs:
            self._align(pair)
        wires, loose = self._loose.split(box)
        if not self._is_down:  # where the room along the flow is that of the widest
            loose = [each._replace(text=self._shorten(each.text)) for each in loose]
        children = list(self._view.boxes[box].children)
        if hidden := self._wiring.hidden.get(box):
            children = [child for child in children if child not in hidden]
        ends: list[End] = [*children]
        ports = {end for wire in wires for end in (wire.source, wire.target)
                 if isinstance(end, Port)}  # fmt: skip
        ports |= {each.end for each in loose if isinstance(each.end, Port)}
        ends += sorted(ports)
        opened = [part for pair in pairs for part in pair if part in self.frames]
        above = self._loose.find_above(box)
        around = {pair.backward: self._loose.led_around(pair.backward) for pair in pairs}
        gaps = {pair: self._loose.gap_of(pair) for pair in pairs}
        room = GroupProblem(
            ends, wires, pairs, opened, above, around, gaps, self.turned, self.shift
        )
        drawing = room.expand(self._draw(box, room, wires, loose, kept), loose)
        if self.is_reversed[box]:
            drawing = reverse_flow(drawing)
        if box in self._rooms:
            drawing = self._make_room(box, ends, drawing)
        drawing, returns = self._lead_back(box, ends, drawing)
        placed = PlacedGroup(ends, wires, drawing, loose, returns, self._loose.kept_in(box))
        self.frames[box] = self._frame(box, placed)
        return placed

    def _make_room(self, box: int, ends: list[End], drawing: Drawing) -> Drawing:
        """Room for labels on lines, beside the rows of boxes that they lead from or to."""
        along = [0.0 if isinstance(end, Port) else self.turned(end)[1] for end in ends]
        extent = MeasuredDrawing(drawing, tuple(along), {}, self._stub_along)
        rows: dict[tuple[int, bool], float] = {}
        for at, end in enumerate(ends):
            own = NONE if isinstance(end, Port) else end
            for is_entry in (False, True):
                pixels = self._rooms[box].get((own, is_entry), 0.0)
                is_port = isinstance(end, Port) and end.is_entry == is_entry
                if pixels and (own != NONE or is_port):
                    # Values enter a group by the port that lines leave.
                    is_above = (is_entry == (own != NONE)) != self.is_reversed[box]
                    rows[at, is_above] = pixels
        return make_room_beside(extent, rows)

    def _lead_back(
        self, box: int, ends: list[End], drawing: Drawing
    ) -> tuple[Drawing, tuple[ReturnLine, ...]]:
        """Lines for what a loop carries, beside its drawing."""
        carries = find_borders(self._view, box).carries
        if not carries:
            return drawing, ()
        sizes = [(0.0, 0.0) if isinstance(end, Port) else self.turned(end) for end in ends]
        boxes = [NONE if isinstance(end, Port) else end for end in ends]
        return add_returns(drawing, boxes, sizes, carries, is_reversed=self.is_reversed[box])

    def _frame(self, box: int, placed: PlacedGroup) -> Frame:
        """The frame that a group's drawing needs."""
        header = 0.0 if box == ROOT else self._measure_header(box)
        if box in self._wiring.hidden:
            header += WALK_PX * max(LEAST_TEXT_PX / DETAIL_PX / self._fit.scale, 1.0)
        drawing = placed.drawing
        inner, inner_height = (
            (drawing.across, drawing.along) if self._is_down else (drawing.along, drawing.across)
        )
        width = max(inner + 2 * FRAME_PADDING_PX, header)
        ports = {
            end: x for end, x in zip(placed.ends, drawing.x, strict=True) if isinstance(end, Port)
        }
        if box == ROOT:
            height = inner_height + 2 * FRAME_PADDING_PX
            return Frame(width, height, FRAME_PADDING_PX, FRAME_PADDING_PX, ports)
        order = self._port_order.get(box, ())
        height = inner_height + HEADER_PX + 1.5 * FRAME_PADDING_PX
        top = HEADER_PX + FRAME_PADDING_PX / 2
        is_reversed = self.is_reversed[box]
        left = (width - inner) / 2
        return Frame(width, height, left, top, ports, order, is_reversed=is_reversed)

    def _measure_header(self, box: int) -> float:
        """How wide an open group's header has to be: no wider than the scene should be for the sake
        of what it counts.
        """
        text = self.text(box)
        # Arms stand side by side: their counts are written where there is room for them.
        is_arm = self._view.boxes[box].kind is BranchKind.ARM
        details = () if is_arm else (self._texts.detail_of_frame(box), text.detail)
        most = self._most_across(box) + 2 * FRAME_PADDING_PX if self._is_down else math.inf
        for detail in details:
            header = measure_header(text.title, detail, self._fit.scale)
            if header <= most:
                return header
        return measure_header(text.title, "", self._fit.scale)

    def _align(self, pair: ForwardBackwardPair) -> None:
        """Bring the two open parts of a gradient to the same length, group beside group.

        Parts that look as they did have been brought there already.
        """
        if not all(part in self.placed for part in pair):
            return
        extents = []
        for part in pair:
            placed = self.placed[part]
            boxes = [end for end in placed.ends if not isinstance(end, Port)]
            along = [0.0 if isinstance(e, Port) else self.turned(e)[1] for e in placed.ends]
            names = find_group_names(self._view, boxes)
            extent = MeasuredDrawing(placed.drawing, tuple(along), names, self._stub_along)
            if placed.kept:
                boxes_kept = {end.box for end in placed.kept}
                kept = [at for at, end in enumerate(placed.ends) if end in boxes_kept]
                opened = [at for at in kept if placed.ends[at] in self.frames]
                keeping = kept if part == pair.forward else []
                roomy = make_room_below(extent, keeping, opened, FRAME_PADDING_PX)
                extent = extent._replace(drawing=roomy)
            extents.append(extent)
        led = self._list_led(pair)
        for part, drawing in zip(pair, align_levels(extents[0], extents[1], led), strict=True):
            placed = dataclasses.replace(self.placed[part], drawing=drawing)
            self.placed[part] = placed
            cost = find_crossed_ports(placed, self.frames).cost
            self.frames[part] = dataclasses.replace(self._frame(part, placed), crossed_cost=cost)

    def _list_led(self, pair: ForwardBackwardPair) -> list[LedPair]:
        """What lines of residuals join, by places in the drawings of both parts."""
        sources, targets = (self._loose.kept_in(part) for part in pair)
        begins, ends = ({e: at for at, e in enumerate(self.placed[part].ends)} for part in pair)
        joined = [(sources[a].box, targets[b].box) for a, b in list_links(sources, targets)]
        return [LedPair(begins[a], ends[b], a in self.frames, b in self.frames) for a, b in joined]

    def _most_across(self, box: int) -> float:
        """Pixels across that an open group's inside should not exceed."""
        known = self._most.get(box)
        if known is None:
            parent = self._view.boxes[box].parent
            around = self._most_across(parent) - self._fit.aside
            if any(box in pair for pair in self._loose.pairs.get(parent, ())):
                # Whatever is open, as what is inside is not laid out anew for that.
                around = (around - (WIDE_GAP_PX if self._is_down else GAP_PX)) / 2
            known = self._most[box] = around - 2 * FRAME_PADDING_PX
        return known

    @property
    def _stub_along(self) -> float:
        return STUB_HEIGHT_PX if self._is_down else _STUB_MAX_PX + 2 * _STUB_PADDING_PX

    @property
    def _merged_stub_px(self) -> float:
        """Width of a connector that stands for several lines."""
        return _NARROW_STUB_PX if self._fit.across < _NARROW_PX else MERGED_STUB_PX

    def _draw(
        self,
        box: int,
        room: GroupProblem,
        wires: list[Wire],
        loose: list[OffPageConnector],
        kept: tuple[End, ...],
    ) -> Drawing:
        sizes = room.sizes
        index = room.index
        links, upward = self._link(room, wires)
        # Beside a gradient connectors tell of arguments already.
        gathered = frozenset() if room.wide else self._find_gathered(room)
        stubs: tuple[float, ...] = ()
        if not self._is_down:
            stubs = (STUB_HEIGHT_PX,) * len(sizes)
        elif len(sizes) > self._spacing.max_span or gathered:
            stubs = tuple(self.stub_width(self.stub_text(end)) for end in room.units)
        borders = find_borders(self._view, box)
        fixed = kept or self._port_order.get(box, ())
        diagram = Diagram(
            tuple(size[0] for size in sizes),
            tuple(size[1] for size in sizes),
            tuple(links),
            frozenset(n for e, n in index.items() if isinstance(e, Port) and e.is_entry),
            frozenset(n for e, n in index.items() if isinstance(e, Port) and not e.is_entry),
            frozenset(index[each] for each in borders.early),
            frozenset(index[each] for each in borders.late),
            frozenset(index[each] for each in room.above),
            tuple(index[arm] for arm in borders.arms),
            tuple(dict.fromkeys(index[end] for end in fixed if end in index)),
            stubs,
            self._merged_stub_px if self._is_down else STUB_HEIGHT_PX,
            self._stub_along,
            tuple(self._request_stubs(room, loose)),
            tuple(
                dict.fromkeys(
                    (index[far], index[each.end])
                    for each in loose
                    for far in each.far
                    if not each.is_source
                    and far in index
                    and index[far] != index[each.end]
                    and each.end not in room.above
                )
            ),
            room.wide,
            self._most_across(box) if len(sizes) <= MAX_NODES else math.inf,
            self._prefer(room) if box == ROOT or box in self._loose.parts else (),
            gathered,
            tuple((index[each.target], index[each.source]) for each in borders.carries),
            upward,
            tuple(self._list_aside(box, index)),
        )
        return self._layouts.lay_out(diagram)

    def _list_aside(self, part: int, index: Mapping[End, int]) -> Iterator[LineAside]:
        """The lines of residuals that cross what is beside the boxes of a part of a gradient.

        All that a box keeps leaves it by one line. What enters an open group does so between rows.
        """
        is_to_left = self.is_reversed[part]
        for end in self._loose.kept_in(part):
            if not is_to_left:
                yield LineAside(index[end.box], is_to_left)
            elif end.box not in self.frames:
                yield from [LineAside(index[end.box], is_to_left)] * len(end.far)

    def _find_gathered(self, room: GroupProblem) -> frozenset[int]:
        """The units that stand for many arguments, or constants, of the whole program."""
        kinds = (BranchKind.ARGUMENTS, BranchKind.CONSTANTS)
        boxes = self._view.boxes
        return frozenset(
            number
            for number, end in enumerate(room.units)
            if not isinstance(end, Port)
            and boxes[end].kind in kinds
            and boxes[end].num_leaves >= _MANY_ARRAYS
        )

    def _prefer(self, room: GroupProblem) -> tuple[tuple[int, int], ...]:
        """Which of two units had better stand to the left, if all else is equal.

        Arguments of the call, and the ports by which they come, in the order of the call; what is
        kept for the backward part leaves to the right of what is not.
        """
        boxes, known = self._view.boxes, self._view.arguments
        arguments: list[tuple[int, int]] = []
        kept: list[int] = []
        others: list[int] = []
        for number, end in enumerate(room.units):
            if isinstance(end, Port) and not end.is_entry:
                targets = self._wiring.targets_of(end.bundle)
                is_kept = any(boxes[box].kind is BranchKind.BACKWARD for box in targets)
                (kept if is_kept else others).append(number)
                continue
            box = self._wiring.source_of(end.bundle) if isinstance(end, Port) else end
            is_argument = boxes[box].kind is BranchKind.ARGUMENTS or boxes[box].node in known
            if is_argument and boxes[box].parent == ROOT:
                arguments.append((box, number))
        numbers = [number for _, number in sorted(arguments)]
        pairs = itertools.product(others[:_MOST_PREFERRED], kept[:_MOST_PREFERRED])
        return (*itertools.combinations(numbers[:_MOST_ARGUMENTS], 2), *pairs)

    def _link(
        self, room: GroupProblem, wires: list[Wire]
    ) -> tuple[list[DiagramEdge], frozenset[int]]:
        """The lines of a diagram, and which of them lead to what stands above."""
        nets: dict[int, int] = {}  # numbered per diagram, so that alike groups are equal
        links: list[DiagramEdge] = []
        upward: list[int] = []
        for wire in wires:
            if room.is_inside(wire):
                continue
            if wire.target in room.above:
                upward.append(len(links))
            exit_ = self._loose.exit_of(wire.source, wire.bundle)
            net = nets.setdefault(exit_, len(nets))
            leaves = room.shift(wire.source, wire.bundle, False)
            enters = room.shift(wire.target, wire.bundle, True)
            text = 0.0
            if self._is_down and leads_residuals(self._view, wire.source, wire.target):
                told = describe_kept(self._view, self._wiring, wire.values)
                text = measure_label(told, self._fit.label_px)
            ends = room.index[wire.source], room.index[wire.target]
            links.append(DiagramEdge(*ends, net, leaves, enters, text))
        return links, frozenset(upward)

    def _request_stubs(
        self, room: GroupProblem, loose: list[OffPageConnector]
    ) -> Iterator[RequestedStub]:
        """What is drawn as connectors in place of lines."""
        for each in loose:
            yield RequestedStub(
                room.index[each.end],
                each.is_source != room.is_told_above(each),
                self.stub_width(each.text) if self._is_down else STUB_HEIGHT_PX,
                room.shift(each.end, each.bundle, not each.is_source),
            )

    def turned(self, box: int) -> tuple[float, float]:
        """Size of a box across the flow and along it."""
        width, height = self.size(box)
        return (width, height) if self._is_down else (height, width)

    def shift(self, end: End, bundle: int, is_entry: bool) -> float:
        """Where a line meets an open group: at the port inside it."""
        frame = None if isinstance(end, Port) else self.frames.get(end)
        if not is_entry:
            bundle = self._loose.exit_of(end, bundle)
        at = None if frame is None else frame.ports.get(Port(bundle, is_entry))
        if frame is None or at is None:
            return LAYOUT_CHOOSES
        if self._is_down:
            return frame.left + at - frame.width / 2
        return frame.top + at - frame.height / 2


def _measure_detail(text: BoxText) -> float:
    """Width of the second line, whatever letters its name has.

    So a layer looks like one whose values are called otherwise, and is laid out with it; and
    an equation more, after which all others are called otherwise, moves nothing else.
    """
    width = measure_text(text.detail, DETAIL_PX)
    if not text.name:
        return width
    name = _WIDE_LETTER * max(len(text.name), _NAME_LETTERS)
    rest = measure_text(text.detail.removeprefix(text.name), DETAIL_PX)
    return max(width, min(measure_text(name, DETAIL_PX) + rest, BOX_MAX_PX - 2 * BOX_PADDING_PX))
