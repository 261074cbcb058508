"""Set the forward and the backward part of a program side by side, the backward part going back.

The two are one node to the layout around them, as tall as the taller. What goes from one to the
other is told by stubs inside both, on the same level where the parts have groups that belong
together; what leaves the backward part does so where it ends, and is led around it.
"""

from __future__ import annotations

import dataclasses
from typing import NamedTuple

from jaxscope.analysis.layout.layered import Drawing, Stub
from jaxscope.analysis.layout.routing import Route
from jaxscope.analysis.view.halves import counterpart_name
from jaxscope.analysis.view.tree import BranchKind
from jaxscope.analysis.view.view import View

GAP_PX = 30.0
WIDE_GAP_PX = 110.0
"""Between two closed parts: room for the label of what flows there."""
_LANE_PX = 12.0
_NEAR_PX = 0.01


class Pair(NamedTuple):
    """The boxes of the two parts."""

    forward: int
    backward: int


def find_pairs(view: View, parent: int) -> tuple[Pair, ...]:
    """The pairs among the children of a box."""
    boxes = view.boxes
    children = boxes[parent].children
    backward = {boxes[c].id: c for c in children if boxes[c].kind is BranchKind.BACKWARD}
    pairs: list[Pair] = []
    for child in children:
        if boxes[child].kind is BranchKind.FORWARD:
            head, _, tail = boxes[child].id.rpartition("/forward")
            partner = backward.get(f"{head}/backward{tail}")
            if partner is not None:
                pairs.append(Pair(child, partner))
    return tuple(pairs)


@dataclasses.dataclass(frozen=True, slots=True)
class Duo:
    """Where the two parts are in the room that they have together; from its centre.

    Attributes:
        across: Size of the room.
        along: Size of the room.
        at: Centre of each part, forward first: across, along.
        sizes: Of each part: across, along.
        num_lanes: Ways around the backward part.
    """

    across: float
    along: float
    at: tuple[tuple[float, float], tuple[float, float]]
    sizes: tuple[tuple[float, float], tuple[float, float]]
    num_lanes: int

    def lane(self, number: int) -> float:
        """Where a way around the backward part runs, across."""
        return self.across / 2 - self.num_lanes * _LANE_PX + (number + 0.5) * _LANE_PX


def measure_duo(
    forward: tuple[float, float], backward: tuple[float, float], gap: float, num_lanes: int
) -> Duo:
    """The room of two parts of given sizes across and along."""
    lanes = num_lanes * _LANE_PX + (_LANE_PX if num_lanes else 0.0)
    across = forward[0] + gap + backward[0] + lanes
    head = num_lanes * _LANE_PX
    along = head + max(forward[1], backward[1])
    top = head - along / 2
    return Duo(
        across,
        along,
        (
            ((forward[0] - across) / 2, top + forward[1] / 2),
            (forward[0] + gap + (backward[0] - across) / 2, top + backward[1] / 2),
        ),
        (forward, backward),
        num_lanes,
    )


def lead_to(
    duo: Duo, centre: tuple[float, float], is_backward: bool, corner: tuple[float, float]
) -> Route:
    """Where a line that meets the room at a corner meets the part behind it."""
    half = duo.sizes[is_backward][1] / 2
    at = centre[1] + duo.at[is_backward][1]
    y = at - half if corner[1] < centre[1] else at + half
    return ((corner[0], y),) if abs(y - corner[1]) > _NEAR_PX else ()


def lead_around(duo: Duo, centre: tuple[float, float], at: float, lane: int) -> Route:
    """The way from where a value leaves the backward part's far end to its lane."""
    top = centre[1] + duo.at[1][1] - duo.sizes[1][1] / 2
    over = top - (lane + 0.5) * _LANE_PX
    x = centre[0] + duo.at[1][0] + at
    return ((x, top), (x, over), (centre[0] + duo.lane(lane), over))


def lead_across(duo: Duo, centre: tuple[float, float]) -> Route:
    """The line from one closed part to the other."""
    (forward, backward), (one, other) = duo.at, duo.sizes
    low = max(forward[1] - one[1] / 2, backward[1] - other[1] / 2)
    high = min(forward[1] + one[1] / 2, backward[1] + other[1] / 2)
    y = centre[1] + (low + high) / 2
    start = centre[0] + forward[0] + one[0] / 2
    return ((start, y), (centre[0] + backward[0] - other[0] / 2, y))


def turn_back(drawing: Drawing) -> Drawing:
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


class Extent(NamedTuple):
    """A drawing with the sizes along of its nodes, and names of those that have counterparts."""

    drawing: Drawing
    along: tuple[float, ...]
    names: dict[int, str]
    stub_along: float


def find_names(view: View, children: list[int]) -> dict[int, str]:
    """By place in the list, what each group shares with its counterpart."""
    return {
        at: counterpart_name(view.boxes[child].label)
        for at, child in enumerate(children)
        if view.boxes[child].children
    }


def align(one: Extent, other: Extent) -> tuple[Drawing, Drawing]:
    """Stretch two drawings so that groups that belong together begin on the same level."""
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
    return _stretch(one.drawing, moves_one, along), _stretch(other.drawing, moves_other, along)


def _top(extent: Extent, node: int) -> float:
    return extent.drawing.y[node] - extent.along[node] / 2


def _find_bands(extent: Extent) -> list[tuple[float, float]]:
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
