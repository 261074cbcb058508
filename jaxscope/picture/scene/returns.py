"""Arrows that lead a loop's carry from the end of a round back to its begin.

The layout stays acyclic: what gives a carry is on the last rank of its loop, what receives it on
the first, and an arrow runs beside the drawing, in a lane of its own, on the side where it meets
fewer lines. It passes between ranks only, so it crosses no box. Linear in boxes times carries, of
which there are few: more than three are one box.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import NamedTuple

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.picture.layout.diagram import Drawing, Route
from jaxscope.picture.layout.text_width import measure_text, shorten_text
from jaxscope.picture.view.control_flow import Role
from jaxscope.picture.view.labels import carry_name
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View

_GAP_PX = 9.0
"""Between a box and the part of an arrow that runs across."""
_ASIDE = 0.3
"""From the middle of a box to where an arrow begins or ends, as a share of its width."""
_STEP_PX = 5.0
_NAME_PX = 10.0
_NAME_MAX_PX = 64.0
_LANE_PX = 6.0
_FROM_BOXES_PX = 4.5
"""Farther from boxes than from the border, to which there is room anyway: for the name."""

_BEGIN = (Role.CARRY_IN, Role.SLICE, Role.READ, Role.PIECE_IN)
_NO_SIDE = (Role.VERDICT, Role.WRITTEN)


class Carry(NamedTuple):
    """What a loop carries.

    Attributes:
        source: The box that gives it at the end of a round.
        target: The box that receives it.
        node: The node that gives it.
        name: What it is called.
    """

    source: int
    target: int
    node: int
    name: str


class ReturnLine(NamedTuple):
    """An arrow back.

    Attributes:
        source: The box where it begins.
        target: The box where it ends.
        node: The node whose value it carries.
        name: Written on it.
        route: Its corners.
    """

    source: int
    target: int
    node: int
    name: str
    route: Route


class _Borders(NamedTuple):
    """Boxes of a group at the begin and at the end of a round, or of an arm; what it carries; and
    the arms, or the condition and the body, that stand side by side in it.
    """

    early: frozenset[int]
    late: frozenset[int]
    carries: tuple[Carry, ...]
    arms: tuple[int, ...]


_NO_BORDERS = _Borders(frozenset(), frozenset(), (), ())


def count_rounds(view: View, box: int) -> int:
    """How many rounds of a loop give or read a part each of what leads to the box of one, or from
    it: 1 where a box is no part of what a loop stacks, or where the number is not known."""
    nodes = [view.boxes[each].node for each in view.boxes[box].children or (box,)]
    roles = {view.flow.roles.get(node) for node in nodes}
    if not roles <= {Role.SLICE, Role.STACKED}:
        return 1
    group = int(view.graph.nodes.group[nodes[0]])
    return 1 if group == NONE else view.flow.trips.get(int(view.graph.groups.owner[group]), 1)


def find_borders(view: View, box: int) -> _Borders:
    """What of a group's boxes stands at the begin of a round and at its end."""
    if not view.flow.roles and not view.flow.returns:
        return _NO_BORDERS
    known: dict[int, _Borders] = view.remembered.setdefault("borders", {})
    if ROOT not in known:
        known.update(_list_borders(view))
        known.setdefault(ROOT, _NO_BORDERS)
    return known.get(box, _NO_BORDERS)


def _list_borders(view: View) -> dict[int, _Borders]:
    early: dict[int, set[int]] = {}
    late: dict[int, set[int]] = {}
    carries: dict[int, dict[tuple[int, int], Carry]] = {}

    arms: dict[int, list[int]] = {}
    for group in view.boxes.groups_of[BranchKind.ARM]:
        arms.setdefault(view.boxes[group].parent, []).append(group)

    def gathered(node: int) -> int:
        """The box of a node, or of all that go the same way."""
        box = int(view.box_of_node[node])
        around = NONE if box == NONE else view.boxes[box].parent
        is_gathered = around != NONE and view.boxes[around].kind is BranchKind.PORTS
        return around if is_gathered else box

    for node, role in view.flow.roles.items():
        box = gathered(node)
        if box != NONE and role not in _NO_SIDE:
            sides = early if role in _BEGIN else late
            sides.setdefault(view.boxes[box].parent, set()).add(box)
    for node, start in view.flow.returns.items():
        source, target = gathered(node), gathered(start)
        if NONE in (source, target):
            continue
        around = view.boxes[target].parent
        while source != NONE and view.boxes[source].parent != around:
            source = view.boxes[source].parent
        if source not in (NONE, target):
            several = view.boxes[target].kind is BranchKind.PORTS
            name = view.boxes[target].label if several else carry_name(view, start)
            found = carries.setdefault(around, {})
            found.setdefault((source, target), Carry(source, target, node, name))
    return {
        box: _Borders(
            frozenset(early.get(box, ())),
            frozenset(late.get(box, ())),
            tuple(carries.get(box, {}).values()),
            tuple(arms.get(box, ())),
        )
        for box in early.keys() | late.keys() | carries.keys() | arms.keys()
    }


@dataclass(slots=True)
class _Place:
    """A box in flow coordinates: across, and where it begins and ends along the flow."""

    x: float
    left: float
    right: float
    top: float
    bottom: float


def add_returns(
    drawing: Drawing,
    boxes: Sequence[int],
    sizes: Sequence[tuple[float, float]],
    carries: Sequence[Carry],
    *,
    is_reversed: bool,
) -> tuple[Drawing, tuple[ReturnLine, ...]]:
    """A drawing with room for the arrows beside it, and the arrows.

    Args:
        drawing: Of the loop's inside.
        boxes: Of each of the drawing's ends, its box, or `NONE` for a port.
        sizes: Of each end, across and along.
        carries: What goes back.
        is_reversed: Whether values flow against `along`.
    """

    def turn(y: float) -> float:
        return drawing.along - y if is_reversed else y

    places: dict[int, _Place] = {}
    rows: list[_Place] = []
    for box, x, y, (wide, high) in zip(boxes, drawing.x, drawing.y, sizes, strict=True):
        middle = turn(y)
        place = _Place(x, x - wide / 2, x + wide / 2, middle - high / 2, middle + high / 2)
        rows.append(place)
        if box != NONE:
            places[box] = place
    routes = [[(x, turn(y)) for x, y in route] for route in drawing.routes]
    left: list[Carry] = []
    right: list[Carry] = []
    for carry in carries:
        ends = (places[carry.target], places[carry.source])
        levels = (_before(rows, ends[0]) - _GAP_PX, _after(rows, ends[1]) + _GAP_PX)
        met = [_find_met(routes, level) for level in levels]
        costs = []
        for side in (-1, 1):
            begins = [end.x + side * (end.right - end.left) * _ASIDE for end in ends]
            num_met = sum(
                (x - begin) * side > 0
                for begin, each in zip(begins, met, strict=True)
                for x in each
            )
            num_boxes = sum((e.x - end.x) * side > 0 for end in ends for e in _row(rows, end))
            costs.append((num_met, num_boxes))
        (left if costs[0] < costs[1] else right).append(carry)
    low = min(_before(rows, places[c.target]) for c in carries) - _GAP_PX - _STEP_PX * len(carries)
    high = max(_after(rows, places[c.source]) for c in carries) + _GAP_PX + _STEP_PX * len(carries)
    more_before, more_after = max(-low, 0.0), max(high - drawing.along, 0.0)
    room_left, lanes = _find_lanes(left, places, -1)
    room_right, lanes_right = _find_lanes(right, places, 1)
    lanes = [-lane for lane in lanes] + [drawing.across + lane for lane in lanes_right]
    lines = []
    inward = [_sorted(left, places, -1), _sorted(right, places, 1)]
    steps = [level for side in inward for level in range(len(side))]
    for carry, lane, level in zip((c for side in inward for c in side), lanes, steps, strict=True):
        start, stop = places[carry.source], places[carry.target]
        begin = _after(rows, start) + _GAP_PX + _STEP_PX * level
        end = _before(rows, stop) - _GAP_PX - _STEP_PX * level
        side = -1 if lane < 0 else 1
        out_x = start.x + side * (start.right - start.left) * _ASIDE
        in_x = stop.x + side * (stop.right - stop.left) * _ASIDE
        corners = (
            (out_x, start.bottom),
            (out_x, begin),
            (lane, begin),
            (lane, end),
            (in_x, end),
            (in_x, stop.top),
        )
        route = tuple((x + room_left, turn(y)) for x, y in corners)
        lines.append(ReturnLine(*carry[:3], _shorten(carry.name), route))
    shift_y = more_after if is_reversed else more_before
    moved = _move(drawing, room_left, shift_y)
    moved = dataclasses.replace(
        moved,
        across=drawing.across + room_left + room_right,
        along=drawing.along + more_before + more_after,
    )
    return moved, tuple(
        line._replace(route=tuple((x, y + shift_y) for x, y in line.route)) for line in lines
    )


def _shorten(name: str) -> str:
    return shorten_text(name, _NAME_MAX_PX, _NAME_PX)


def _sorted(carries: list[Carry], places: dict[int, _Place], side: int) -> list[Carry]:
    """The nearest to its side first, so that arrows lie in each other."""
    return sorted(carries, key=lambda carry: -side * places[carry.target].x)


def _find_lanes(
    carries: list[Carry], places: dict[int, _Place], side: int
) -> tuple[float, list[float]]:
    """The room that lanes on one side need, and how far out each is."""
    if not carries:
        return 0.0, []
    at, before, lanes = _FROM_BOXES_PX, 0.0, list[float]()
    for carry in _sorted(carries, places, side):
        half = measure_text(_shorten(carry.name), _NAME_PX) / 2 + _LANE_PX
        at += before + half
        lanes.append(at)
        before = half
    return at + before - _FROM_BOXES_PX, lanes


def _find_met(routes: Sequence[Sequence[tuple[float, float]]], level: float) -> list[float]:
    """Where across lines pass a level."""
    return [
        x0 + (x1 - x0) * (level - y0) / (y1 - y0)
        for route in routes
        for (x0, y0), (x1, y1) in itertools.pairwise(route)
        if min(y0, y1) <= level < max(y0, y1)
    ]


def _row(rows: list[_Place], place: _Place) -> list[_Place]:
    """What stands beside a box."""
    return [each for each in rows if each.top < place.bottom and each.bottom > place.top]


def _before(rows: list[_Place], place: _Place) -> float:
    return min(each.top for each in _row(rows, place))


def _after(rows: list[_Place], place: _Place) -> float:
    return max(each.bottom for each in _row(rows, place))


def _move(drawing: Drawing, right: float, down: float) -> Drawing:
    """The drawing with everything in another place."""
    if not right and not down:
        return drawing

    def move(route: Route) -> Route:
        return tuple((x + right, y + down) for x, y in route)

    return dataclasses.replace(
        drawing,
        x=tuple(x + right for x in drawing.x),
        y=tuple(y + down for y in drawing.y),
        routes=tuple(move(route) for route in drawing.routes),
        stubs=tuple(
            dataclasses.replace(stub, x=stub.x + right, y=stub.y + down, line=move(stub.line))
            for stub in drawing.stubs
        ),
    )
