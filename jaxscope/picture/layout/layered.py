"""A layered layout after Sugiyama: rank, cut edges into steps, order every rank, place, route.

Values flow in one direction, boxes never overlap, lines never cross boxes.

The result depends on nothing but the diagram.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from jaxscope.model import NONE
from jaxscope.picture.layout.crossing_reduction import (
    exchange_leaning,
    keep_sequence,
    order_ranks,
)
from jaxscope.picture.layout.diagram import (
    Drawing,
    LayeredGraph,
    LayoutStopped,
    Spacing,
    Stub,
    StubVertex,
    build_layered_graph,
    check_diagram,
    never_stop,
)
from jaxscope.picture.layout.rank_assignment import Bounds, bound_rows, rank_nodes, wrap_ranks

if TYPE_CHECKING:
    from jaxscope.picture.layout.diagram import Diagram, Route, ShouldStop

# Place the ordered vertices across the flow: as straight as the order and the sizes allow.

_NUM_PASSES = 2
_CHAIN_WEIGHT = 4.0  # a long line that bends is uglier than a box a little off its inputs
_LONE_WEIGHT = 0.1
_STUB_WEIGHT = 0.02  # of arguments, results and stubs: they make room for the main line


def place_across(
    diagram: Diagram,
    threads: LayeredGraph,
    rows: list[list[int]],
    gap: float,
    check_stop: Callable[[], None],
) -> list[float]:
    """Centre of every vertex across the flow.

    Each pass asks every rank to sit as near as it can to the neighbours on one side: a least
    squares problem with least distances, solved exactly by pooling adjacent violators.

    Args:
        diagram: What is placed. No rank leaves its `most_across`, unless it is wider itself.
        threads: Its edges, cut into steps.
        rows: Vertices of each rank in their order; neighbours swap where lines lean less for it.
        gap: Least distance between neighbours.
        check_stop: Asked often.
    """
    most = diagram.most_across
    num = len(threads.rank)
    weight = [1.0] * threads.num_nodes + [_CHAIN_WEIGHT] * (num - threads.num_nodes)
    for v in range(num):
        if len(threads.up[v]) + len(threads.down[v]) <= 1:
            weight[v] = _STUB_WEIGHT
    x = [0.0] * num
    offsets = [_pack(row, threads.across, gap) for row in rows]
    for row, offset in zip(rows, offsets, strict=True):
        middle = offset[-1] / 2 if offset else 0.0
        for v, at in zip(row, offset, strict=True):
            x[v] = at - middle
    bounds = bound_rows(rows, offsets, threads.across, most) if most < math.inf else None
    above = _without_stubs(threads.up, threads.up_lean, threads)
    below = _without_stubs(threads.down, threads.down_lean, threads)
    onward = list(range(len(rows)))
    backward = onward[::-1]
    for _ in range(_NUM_PASSES):
        check_stop()
        _pass(onward, rows, offsets, *above, weight, x, bounds)
        check_stop()
        _pass(backward, rows, offsets, *below, weight, x, bounds)
    both = [up + down for up, down in zip(above[0], below[0], strict=True)]
    shift = [a + b for a, b in zip(above[1], below[1], strict=True)]
    _pass(onward, rows, offsets, both, shift, weight, x, bounds)
    for _ in range(_NUM_EXCHANGES if num <= _MAX_PUSHED_VERTICES else 0):
        check_stop()
        if not exchange_leaning(diagram, threads, rows, x):
            break
        offsets = [_pack(row, threads.across, gap) for row in rows]
        bounds = bound_rows(rows, offsets, threads.across, most) if most < math.inf else None
        _pass(backward, rows, offsets, *below, weight, x, bounds)
        _pass(onward, rows, offsets, both, shift, weight, x, bounds)
    check_stop()
    _Straightener(threads, rows, offsets, bounds, x).straighten()
    return x


def _without_stubs(
    neighbours: list[list[int]], lean: list[list[float]], threads: LayeredGraph
) -> tuple[list[list[int]], list[float]]:
    """Neighbours without those that have no other neighbour and without branches of lines that go
    on, where that leaves any; and the sum of how far each vertex wants to sit from the centres of
    those that are kept.

    An argument beside the main line, or a line that feeds every box of it, must not pull it aside a
    little at every rank.
    """
    num = threads.num_nodes
    degree = [len(u) + len(d) for u, d in zip(threads.up, threads.down, strict=True)]
    goes_on = [max(d, default=0) >= num for d in threads.down]
    kept: list[list[int]] = []
    shifts = [sum(each) for each in lean]
    for v, near in enumerate(neighbours):
        is_box = v < num
        firm = [
            u
            for u in near
            if degree[u] > 1 and (is_box == (u < num) or not goes_on[u if is_box else v])
        ]
        if firm and len(firm) < len(near):
            shifts[v] *= len(firm) / len(near)
            kept.append(firm)
        else:
            kept.append(near)
    return kept, shifts


_MAX_REFINED_VERTICES = 1200
_STEP_WEIGHTS = (1.0, 2.0, 8.0)  # by how many ends of a step are inside of a long line
_END_WEIGHT = 0.5  # of a step to what has no other neighbour
_LEAST_GAIN_PX = 1.0
_BEND_PX = 6.0  # as much longer a way may be to have one bend less
_STRAIGHT_PX = 0.5
_LEAN_PX = 8.0  # a line that leans less looks like a mistake
_MOST_BESIDE = 2  # what more lines meet stays in their middle
_MAX_PUSHED_VERTICES = 300
_NUM_EXCHANGES = 2
_NUM_PUSHES = 2
_MAX_TARGETS = 8
_WIDER_COST = 2.0  # of a pixel that the whole gets wider, in pixels that lines lead aside


class _Straightener:
    """Puts what follows each other under each other, where there is room.

    Least squares share a bend out over many ranks, so that a column leans and a long line has
    as many bends as ranks. Here lengths count and not their squares, and bends: a line is straight
    but for few places. In small diagrams, what is beside a column gives way where lines are
    straighter in all for that.
    """

    def __init__(
        self,
        threads: LayeredGraph,
        rows: list[list[int]],
        offsets: list[list[float]],
        bounds: list[Bounds] | None,
        x: list[float],
    ) -> None:
        self._up, self._down, self._num = threads.up, threads.down, threads.num_nodes
        self._up_lean, self._down_lean = threads.up_lean, threads.down_lean
        self._rank, self._rows, self._offsets, self._bounds = threads.rank, rows, offsets, bounds
        self._x, self._across = x, threads.across
        self._place = [0] * len(x)
        for row in rows:
            for index, v in enumerate(row):
                self._place[v] = index
        self._stubs = {stub.vertex for stub in threads.stubs}
        ends = zip(threads.up, threads.down, strict=True)
        self._is_end = [len(up) + len(down) < 2 for up, down in ends]

    def straighten(self) -> None:
        """Move the vertices of all columns."""
        columns, num = self._find_columns(), self._num
        # Long lines without the boxes at their ends first: where these cannot move, they still can.
        for column in columns:
            for is_line, piece in itertools.groupby(column, key=num.__le__):
                if is_line:
                    self._straighten_column(list(piece))
        for _ in range(2 if len(self._x) <= _MAX_REFINED_VERTICES else 1):
            for column in columns:
                first, last = self._is_end[column[0]], len(column) - self._is_end[column[-1]]
                # Where what begins or ends it has no room in line, the others still can.
                for part in dict.fromkeys(itertools.product((0, first), (len(column), last))):
                    self._straighten_column(column[slice(*part)])
        if len(self._x) <= _MAX_PUSHED_VERTICES:
            self._prepare_pushes()
            for _ in range(_NUM_PUSHES):
                columns = self._find_columns()
                pushed = [self._push_column(part) for each in columns for part in self._split(each)]
                if not any(pushed):
                    break
        for v in range(num):
            if max(len(self._up[v]), len(self._down[v])) > _MOST_BESIDE:
                self._meet_nearest(v)
        for v in sorted(self._stubs):
            self._meet_nearest(v)
            for u in self._up[v] + self._down[v]:  # its box, which may have room where it has none
                if not self._is_straight(u):
                    self._meet_nearest(u, only=v)

    def _meet_nearest(self, v: int, only: int = NONE) -> None:
        """Put a stub, or a vertex of many lines, in line with what is only a little aside.

        Args:
            only: The one to put it in line with; the nearest of all where that is `NONE`.
        """
        x = self._x
        wanted = [want for u, want in self._list_wanted(v) if only in (NONE, u)]
        nearest = min(wanted, key=lambda want: abs(want - x[v]), default=x[v])
        low, high = self._find_room(v)
        if _STRAIGHT_PX < abs(nearest - x[v]) < _LEAN_PX and low <= nearest <= high:
            x[v] = nearest

    def _is_straight(self, v: int) -> bool:
        """Whether any line of a vertex is straight."""
        return any(abs(want - self._x[v]) < _STRAIGHT_PX for _, want in self._list_wanted(v))

    def _list_wanted(self, v: int) -> list[tuple[int, float]]:
        """Neighbours, and where they want a vertex to be."""
        near = zip(self._up[v] + self._down[v], self._up_lean[v] + self._down_lean[v], strict=True)
        return [(u, self._x[u] + lean) for u, lean in near]

    def _weigh(self, v: int, u: int) -> float:
        """How much the step between two vertices should be straight."""
        if self._is_end[v] or self._is_end[u]:
            return _END_WEIGHT
        return _STEP_WEIGHTS[(v >= self._num) + (u >= self._num)]

    def _find_columns(self) -> list[list[int]]:
        """Vertices to stand under each other: one of each rank, the longest columns first."""
        up, num, x, stubs = self._up, self._num, self._x, self._stubs
        steps: list[tuple[float, float, int, int]] = []
        for v, near in enumerate(self._down):
            if (v < num and len(near) > _MOST_BESIDE) or v in stubs:
                continue
            for u, lean in zip(near, self._down_lean[v], strict=True):
                is_alone = v >= num or len(near) == 1 or len(up[u]) == 1
                if is_alone and len(up[u]) <= _MOST_BESIDE and u not in stubs:
                    steps.append((-self._weigh(v, u), abs(x[u] + lean - x[v]), v, u))
        steps.sort()
        above, below = [NONE] * len(x), [NONE] * len(x)
        for _, _, v, u in steps:
            if below[v] == above[u] == NONE:
                below[v], above[u] = u, v
        columns: list[list[int]] = []
        for start, following in enumerate(below):
            if above[start] == NONE != following:
                column = [start]
                while (following := below[column[-1]]) != NONE:
                    column.append(following)
                columns.append(column)
        columns.sort(key=len, reverse=True)
        return columns

    def _straighten_column(self, column: list[int]) -> None:
        """Move the vertices of a column, in as few pieces as there is room for."""
        if len(column) < 2:
            return
        x, piece = self._x, column[:1]
        at, is_straight = [0.0], True  # of each vertex of the piece, from its first
        low, high = self._find_room(column[0])
        for above, v in itertools.pairwise(column):
            lean = self._up_lean[v][self._up[v].index(above)]
            least, most = self._find_room(v)
            shift = at[-1] + lean
            if max(low, least - shift) > min(high, most - shift):
                if not is_straight:
                    self._move(piece, at, low, high)
                piece, at, is_straight, low, high = [v], [0.0], True, least, most
                continue
            is_straight = is_straight and abs(x[v] - x[above] - lean) < _STRAIGHT_PX
            piece.append(v)
            at.append(shift)
            low, high = max(low, least - shift), min(high, most - shift)
        if not is_straight:
            self._move(piece, at, low, high)

    def _find_room(self, v: int) -> tuple[float, float]:
        """Where a vertex may be: between its neighbours, and on the page or where it is."""
        x, rank, index = self._x, self._rank[v], self._place[v]
        row, offset = self._rows[rank], self._offsets[rank]
        low, high = -math.inf, math.inf
        if index:
            low = x[row[index - 1]] + offset[index] - offset[index - 1]
        if index + 1 < len(row):
            high = x[row[index + 1]] - offset[index + 1] + offset[index]
        if self._bounds is not None:
            page = self._bounds[rank]
            low = max(low, min(page.low + offset[index], x[v]))
            high = min(high, max(page.high + offset[index], x[v]))
        return low, high

    def _prepare_pushes(self) -> None:
        """Note how far the whole reaches, and of each vertex its neighbours, how far it must sit
        from each for the step between them to be straight, and how much that counts."""
        sides = [
            (at - size / 2, at + size / 2) for at, size in zip(self._x, self._across, strict=True)
        ]
        self._low, self._high = min(left for left, _ in sides), max(right for _, right in sides)
        self._near = [
            [(u, lean, self._weigh(v, u)) for u, lean in zip(some, leans, strict=True)]
            for v, (some, leans) in enumerate(
                zip(
                    map(list.__add__, self._up, self._down),
                    map(list.__add__, self._up_lean, self._down_lean),
                    strict=True,
                )
            )
        ]

    def _split(self, column: list[int]) -> list[list[int]]:
        """The long lines in a column, and the whole of it."""
        runs = itertools.groupby(column, key=self._num.__le__)
        pieces = [list(each) for is_line, each in runs if is_line]
        return [*(each for each in pieces if 1 < len(each) < len(column)), column]

    def _push_column(self, column: list[int]) -> bool:
        """Make a column straight where what is beside it gives way, and all lines together are
        straighter for that; whether it moved."""
        x, near, at, inside = self._x, self._near, [0.0], set(column)
        for above, v in itertools.pairwise(column):
            at.append(at[-1] + self._up_lean[v][self._up[v].index(above)])
        ends: list[tuple[float, float]] = []  # where lines want it to be, and how much
        before, last = 0.0, NONE
        for v, shift in zip(column, at, strict=True):
            for u, lean, weight in near[v]:
                if u not in inside:
                    ends.append((x[u] + lean - shift, weight))
                if u == last or u not in inside:
                    before += weight * _measure_bend(x[u] + lean - x[v])
            last = v
        targets = {round(x[v] - shift, 3) for v, shift in zip(column, at, strict=True)}
        targets.update(round(want, 3) for want, _ in ends)
        has_moved = False
        for target in sorted(targets)[:: -(-len(targets) // _MAX_TARGETS)]:
            after = sum([weight * _measure_bend(want - target) for want, weight in ends])
            if after < before - _LEAST_GAIN_PX and self._push(column, at, target):
                before, has_moved = after, True
        return has_moved

    def _push(self, column: list[int], at: list[float], target: float) -> bool:
        """Put a column at a place, if lines are straighter then; whether they are."""
        x, moved = self._x, dict[int, float]()
        for v, shift in zip(column, at, strict=True):
            rank, place = self._rank[v], self._place[v]
            row, offset = self._rows[rank], self._offsets[rank]
            first = target + shift - offset[place]
            if first + offset[place] == x[v]:
                continue
            moved[v] = first + offset[place]
            index = place - 1
            while index >= 0 and x[row[index]] > first + offset[index]:
                moved[row[index]] = first + offset[index]
                index -= 1
            index = place + 1
            while index < len(row) and x[row[index]] < first + offset[index]:
                moved[row[index]] = first + offset[index]
                index += 1
            if self._bounds is not None:
                page, left, right = self._bounds[rank], row[0], row[-1]
                if moved.get(left, x[left]) < min(page.low, x[left]):
                    return False
                if moved.get(right, x[right]) > max(page.high + offset[-1], x[right]):
                    return False
        sizes = self._across
        low = min([to - sizes[v] / 2 for v, to in moved.items()], default=self._low)
        high = max([to + sizes[v] / 2 for v, to in moved.items()], default=self._high)
        wider = max(self._low - low, 0.0) + max(high - self._high, 0.0)
        gain = -_LEAST_GAIN_PX - wider * _WIDER_COST
        for v, to in moved.items():
            for u, lean, weight in self._near[v]:
                aside = x[u] + lean - x[v]
                if u not in moved:
                    gain += weight * (_measure_bend(aside) - _measure_bend(x[u] + lean - to))
                elif u < v:  # both move: once
                    gain += weight * (_measure_bend(aside) - _measure_bend(moved[u] + lean - to))
        if gain <= 0:
            return False
        for v, to in moved.items():
            x[v] = to
        self._low, self._high = min(self._low, low), max(self._high, high)
        return True

    def _move(self, piece: list[int], at: list[float], low: float, high: float) -> None:
        """Put a piece where its lines are shortest, if they are shorter there than they were."""
        x, last = self._x, len(piece) - 1
        ends: list[tuple[float, float]] = []  # where lines want it to be, and how much
        before = 0.0
        for index, v in enumerate(piece):
            above = piece[index - 1] if index else NONE
            below = piece[index + 1] if index < last else NONE
            for u, lean in zip(self._up[v], self._up_lean[v], strict=True):
                weight, want = self._weigh(v, u), x[u] + lean
                before += weight * _measure_bend(want - x[v])
                if u != above:
                    ends.append((want - at[index], weight))
            for u, lean in zip(self._down[v], self._down_lean[v], strict=True):
                if u != below:
                    weight, want = self._weigh(v, u), x[u] + lean
                    before += weight * _measure_bend(want - x[v])
                    ends.append((want - at[index], weight))
        now = sum(x[v] - shift for v, shift in zip(piece, at, strict=True)) / len(piece)
        target = min(max(_find_median(ends, now), low), high)
        after = sum(weight * _measure_bend(want - target) for want, weight in ends)
        if after < before - _LEAST_GAIN_PX:
            for v, shift in zip(piece, at, strict=True):
                x[v] = target + shift


def _measure_bend(aside: float) -> float:
    """What a step costs that leads aside."""
    return abs(aside) + _BEND_PX if abs(aside) > _STRAIGHT_PX else abs(aside)


def _find_median(ends: list[tuple[float, float]], now: float) -> float:
    """The place from which the weighted distances are least in all; the nearest of several."""
    ends.sort()
    half = sum(weight for _, weight in ends) / 2
    taken = 0.0
    for index, (want, weight) in enumerate(ends):
        taken += weight
        if taken > half:
            return want
        if taken == half:
            return min(max(now, want), ends[index + 1][0])
    return now


def _pack(row: list[int], across: list[float], gap: float) -> list[float]:
    """Distance of each vertex of a rank from the first one, packed as closely as allowed."""
    offsets, at = [], 0.0
    for index, v in enumerate(row):
        if index:
            at += (across[row[index - 1]] + across[v]) / 2 + gap
        offsets.append(at)
    return offsets


def keep_distances(
    row: list[int], across: list[float], gap: float, wanted: list[float], x: list[float]
) -> None:
    """Place a rank as near to the wanted centres as its order and least distances allow."""
    wishes = [wanted[v] for v in row]
    pool_places(row, _pack(row, across, gap), wishes, [1.0] * len(row), x)


def _pass(
    indices: Sequence[int],
    rows: list[list[int]],
    offsets: list[list[float]],
    neighbours: list[list[int]],
    shift: list[float],
    weight: list[float],
    x: list[float],
    bounds: list[Bounds] | None,
) -> None:
    for index in indices:
        row = rows[index]
        if len(row) == 1:
            v = row[0]
            near = neighbours[v]
            if near:
                x[v] = (sum([x[u] for u in near]) + shift[v]) / len(near)
        else:
            _settle(row, offsets[index], neighbours, shift, weight, x)
        if bounds is not None and row:
            _confine(row, offsets[index], bounds[index], x)


def _settle(
    row: list[int],
    offset: list[float],
    neighbours: list[list[int]],
    shift: list[float],
    weight: list[float],
    x: list[float],
) -> None:
    """Place a rank as near to its neighbours on one side as it can be."""
    wanted, weights = [], []
    for v in row:
        near = neighbours[v]
        if not near:
            wanted.append(x[v])
            weights.append(_LONE_WEIGHT)
        elif len(near) == 1:
            wanted.append(x[near[0]] + shift[v])
            weights.append(weight[v])
        else:
            wanted.append((sum([x[u] for u in near]) + shift[v]) / len(near))
            weights.append(weight[v] * len(near))
    pool_places(row, offset, wanted, weights, x)


def _confine(row: list[int], offset: list[float], bounds: Bounds, x: list[float]) -> None:
    """Keep a rank on the page: clipped, the nearest places are the nearest of those allowed."""
    for v, at in zip(row, offset, strict=True):
        x[v] = bounds.clip(x[v] - at) + at


def pool_places(
    row: list[int],
    offsets: list[float],
    wanted: list[float],
    weights: list[float],
    x: list[float],
) -> None:
    """Weighted isotonic regression: the nearest places that keep order and distance."""
    means = [want - offset for want, offset in zip(wanted, offsets, strict=True)]
    if means == sorted(means):  # nobody is in anybody's way
        for v, mean, offset in zip(row, means, offsets, strict=True):
            x[v] = mean + offset
        return
    blocks: list[tuple[float, float, int]] = []  # weight, mean, count
    for mean, weight in zip(means, weights, strict=True):
        count = 1
        while blocks and blocks[-1][1] > mean:
            other_weight, other_mean, other_count = blocks.pop()
            mean = (mean * weight + other_mean * other_weight) / (weight + other_weight)
            weight += other_weight
            count += other_count
        blocks.append((weight, mean, count))
    index = 0
    for _, mean, count in blocks:
        for _ in range(count):
            x[row[index]] = mean + offsets[index]
            index += 1


# Lead lines along the threads: they bend only between ranks, so they never cross a box.

_PORT_SPACING_PX = 14.0
_PORT_SHARE = 0.7  # of a node's size that its ports may spread over
_STRAIGHT_WEIGHT = 1e8  # of a line that can come straight down: others do not push it aside
_LOOP_PX = 9.0
_SAME_PX = 1e-6


def route_edges(
    diagram: Diagram,
    threads: LayeredGraph,
    x: list[float],
    y: list[float],
    tops: list[float],
    heights: list[float],
) -> tuple[list[Route], list[Route]]:
    """Corners of each link, and of the line of each stub, in the direction of flow."""
    entered, left = _find_given(diagram, threads)
    above = _spread_ports(threads, threads.up, x, entered)
    below = _spread_ports(threads, threads.down, x, left)
    routes: list[Route] = []
    for index, link in enumerate(diagram.links):
        path = threads.paths[index]
        if link.source == link.target:
            routes.append(_loop(threads, link.source, x, y))
            continue
        if not path:
            routes.append(())
            continue
        turned = index in threads.turned
        shifts = (link.source_shift, link.target_shift)
        if turned:
            path, shifts = path[::-1], shifts[::-1]
        corners: list[tuple[float, float]] = []
        leave = shifts[0] if shifts[0] == shifts[0] else below.get((path[0], path[1]), 0.0)
        _leave(corners, threads, path[0], x[path[0]] + leave, y, tops, heights)
        for v in path[1:-1]:
            rank = threads.rank[v]
            corners.append((x[v], tops[rank]))
            corners.append((x[v], tops[rank] + heights[rank]))
        enter = shifts[1] if shifts[1] == shifts[1] else above.get((path[-1], path[-2]), 0.0)
        _enter(corners, threads, path[-1], x[path[-1]] + enter, y, tops)
        routes.append(_simplify(corners[::-1] if turned else corners))
    return routes, _stub_lines(diagram, threads, x, y, tops, heights, above, below)


_Shifts = dict[tuple[int, int], float]
"""Where the line to each neighbour meets a node, from the node's centre, by (node, other)."""


def _find_given(diagram: Diagram, threads: LayeredGraph) -> tuple[_Shifts, _Shifts]:
    """Where lines must enter nodes from above, and leave them below."""
    entered: _Shifts = {}
    left: _Shifts = {}
    for index, (link, path) in enumerate(zip(diagram.links, threads.paths, strict=True)):
        if len(path) > 1 and link.source != link.target:
            ends = left, entered
            shifts = link.source_shift, link.target_shift
            if index in threads.turned:
                ends = entered, left
            for given, shift, v, u in (
                (ends[0], shifts[0], path[0], path[1]),
                (ends[1], shifts[1], path[-1], path[-2]),
            ):
                if not math.isnan(shift):
                    given[v, u] = shift
    return entered, left


def _spread_ports(
    threads: LayeredGraph, neighbours: list[list[int]], x: list[float], given: _Shifts
) -> _Shifts:
    """Where lines meet nodes that may choose: in the order of their neighbours."""
    ports: _Shifts = {}
    for v in range(threads.num_nodes):
        near = neighbours[v]
        if len(near) < 2 or not threads.along[v]:
            continue  # through a port every line goes at the same place
        step = min(_PORT_SPACING_PX, threads.across[v] * _PORT_SHARE / (len(near) - 1))
        first = -step * (len(near) - 1) / 2
        ordered = sorted(near, key=lambda u: (x[u], u))
        places = [first + index * step for index in range(len(near))]
        most = threads.across[v] * _PORT_SHARE / 2
        places = _meet_straight(places, [x[u] - x[v] for u in ordered],
                                [u >= threads.num_nodes for u in ordered], step, most)  # fmt: skip
        if any((v, u) in given for u in ordered):
            half = threads.across[v] / 2
            places = _fill_between([given.get((v, u)) for u in ordered], places, step, half)
        ports.update(((v, u), place) for u, place in zip(ordered, places, strict=True))
    return ports


def _meet_straight(
    places: list[float], aside: list[float], is_line: list[bool], step: float, most: float
) -> list[float]:
    """Places of lines where those that can come straight down do, and all keep their order.

    Args:
        places: Where they would be without.
        aside: How far each one's other end is from the centre.
        is_line: Whether that end is inside of a long line, or a box.
        step: Least distance between neighbours.
        most: How far from the centre they may be.
    """
    limits = [most if each else _STRAIGHT_PX for each in is_line]
    is_straight = [abs(x) <= limit for x, limit in zip(aside, limits, strict=True)]
    if not any(is_straight):
        return places
    wanted = [x if s else at for x, s, at in zip(aside, is_straight, places, strict=True)]
    found = places[:]
    offsets = [index * step for index in range(len(places))]
    weights = [_STRAIGHT_WEIGHT if each else 1.0 for each in is_straight]
    pool_places(list(range(len(places))), offsets, wanted, weights, found)
    last = len(places) - 1
    return [
        min(
            max(want if is_firm and abs(at - want) < _SAME_PX * 100 else at, index * step - most),
            most - (last - index) * step,  # so that those beyond the limit keep their distance
        )
        for index, (at, want, is_firm) in enumerate(zip(found, wanted, is_straight, strict=True))
    ]


def _fill_between(
    given: list[float | None], places: list[float], step: float, half: float
) -> list[float]:
    """Places of lines of which some are given: the others go between those, in their order.

    Args:
        places: Where they would be if none were given.
        step: Between neighbours beyond the outermost that is given.
        half: How far from the centre they may go.
    """
    filled: list[float] = []
    for is_free, run in itertools.groupby(range(len(given)), key=lambda at: given[at] is None):
        indices = list(run)
        if not is_free:
            filled += [each for at in indices if (each := given[at]) is not None]
            continue
        num = len(indices) + 1
        before = given[indices[0] - 1] if indices[0] else None
        after = given[indices[-1] + 1] if indices[-1] + 1 < len(given) else None
        low = max(-half, (after or 0.0) - step * num) if before is None else before
        high = min(half, low + step * num) if after is None else after
        if low < high:
            filled += [low + (high - low) * (at + 1) / num for at in range(len(indices))]
        else:
            filled += [places[at] for at in indices]
    return filled


def _leave(
    corners: list[tuple[float, float]],
    threads: LayeredGraph,
    node: int,
    at: float,
    y: list[float],
    tops: list[float],
    heights: list[float],
) -> None:
    rank = threads.rank[node]
    corners.append((at, y[node] + threads.along[node] / 2))
    corners.append((at, tops[rank] + heights[rank]))


def _enter(
    corners: list[tuple[float, float]],
    threads: LayeredGraph,
    node: int,
    at: float,
    y: list[float],
    tops: list[float],
) -> None:
    corners.append((at, tops[threads.rank[node]]))
    corners.append((at, y[node] - threads.along[node] / 2))


def _loop(threads: LayeredGraph, node: int, x: list[float], y: list[float]) -> Route:
    right = x[node] + threads.across[node] / 2
    half = threads.along[node] / 4
    outside = right + _LOOP_PX
    return ((right, y[node] + half), (outside, y[node] + half), (outside, y[node] - half),
            (right, y[node] - half))  # fmt: skip


def _stub_lines(
    diagram: Diagram,
    threads: LayeredGraph,
    x: list[float],
    y: list[float],
    tops: list[float],
    heights: list[float],
    above: dict[tuple[int, int], float],
    below: dict[tuple[int, int], float],
) -> list[Route]:
    lines: list[Route] = []
    for stub in threads.stubs:
        node, vertex, rank = stub.node, stub.vertex, threads.rank[stub.vertex]
        corners: list[tuple[float, float]] = []
        shift = _shift_of(diagram, stub)
        if stub.is_after:
            at = below.get((node, vertex), 0.0) if math.isnan(shift) else shift
            _leave(corners, threads, node, x[node] + at, y, tops, heights)
            corners.append((x[vertex], tops[rank]))
        else:
            at = above.get((node, vertex), 0.0) if math.isnan(shift) else shift
            bottom = tops[rank] + max(heights[rank], diagram.stub_along)
            corners.append((x[vertex], bottom))
            _enter(corners, threads, node, x[node] + at, y, tops)
        lines.append(_simplify(corners if stub.is_after == stub.is_source else corners[::-1]))
    return lines


def _shift_of(diagram: Diagram, stub: StubVertex) -> float:
    """Where the line of a stub meets its node; NaN where it may choose."""
    number = stub.links[0]
    if number >= len(diagram.links):
        return diagram.loose[number - len(diagram.links)].shift
    link = diagram.links[number]
    return link.source_shift if stub.is_source else link.target_shift


def _simplify(corners: list[tuple[float, float]]) -> Route:
    """Leave out corners that the straight line passes anyway."""
    kept: list[tuple[float, float]] = []
    for corner in corners:
        if kept and abs(kept[-1][0] - corner[0]) + abs(kept[-1][1] - corner[1]) < _SAME_PX:
            continue
        while len(kept) > 1 and kept[-1][0] == kept[-2][0] == corner[0]:
            kept.pop()
        kept.append(corner)
    return tuple(kept)


def layout_layered(
    diagram: Diagram, spacing: Spacing | None = None, should_stop: ShouldStop = never_stop
) -> Drawing:
    """Compute positions of vertices and routes of edges of a layered diagram.

    Raises:
        LayoutStopped: `should_stop` returned true; it is asked often.
        ValueError: A link or a pinned node points nowhere, or a link joins two nodes pinned to
            the same rank.
    """
    spacing = spacing or Spacing()
    num = len(diagram.across)
    if not num:
        return Drawing((), (), (), (), 0.0, 0.0)
    check_diagram(diagram, num)

    def check_stop() -> None:
        if should_stop():
            raise LayoutStopped

    check_stop()
    ranks, reversed_links = rank_nodes(
        num,
        diagram.links,
        diagram.first,
        diagram.last,
        diagram.early,
        diagram.late,
        diagram.later,
        diagram.upward,
    )
    ranks = _leave_room(diagram, ranks)
    threads = build_layered_graph(diagram, ranks, reversed_links, spacing)
    if diagram.most_across < math.inf:
        again = functools.partial(
            build_layered_graph, diagram, turned=reversed_links, spacing=spacing
        )
        threads = wrap_ranks(diagram, threads, spacing, again)
    check_stop()
    preferred = () if diagram.sequence else diagram.preferred
    outer = () if diagram.sequence else diagram.outer
    rows = order_ranks(threads, check_stop, diagram.fixed, preferred, outer, diagram.aside)
    rows = keep_sequence(rows, diagram.sequence)
    x = place_across(diagram, threads, rows, spacing.across, check_stop)
    return draw_layered_graph(diagram, threads, rows, x, spacing)


def _leave_room(diagram: Diagram, ranks: list[int]) -> list[int]:
    """The ranks with room for stubs: before the first one, and before and after what is wide."""
    if any(not each.is_source and not ranks[each.node] for each in diagram.loose):
        ranks = [0 if node in diagram.first else rank + 1 for node, rank in enumerate(ranks)]
    wide = {ranks[node] for node in diagram.wide}
    before = sorted(wide & {ranks[each.node] + 1 for each in diagram.loose if each.is_source})
    after = sorted(wide & {ranks[each.node] - 1 for each in diagram.loose if not each.is_source})
    return [
        rank + bisect.bisect_right(before, rank) + bisect.bisect_left(after, rank) for rank in ranks
    ]


def draw_layered_graph(
    diagram: Diagram, threads: LayeredGraph, rows: list[list[int]], x: list[float], spacing: Spacing
) -> Drawing:
    """Draw a diagram whose vertices have their order and their places across the flow."""
    tops, heights = _stack_rows(threads, rows, x, spacing)
    across = threads.across
    left = min(x[v] - across[v] / 2 for v in range(len(x)))
    x = [value - left for value in x]
    num = threads.num_nodes
    level = frozenset(diagram.sequence)
    y = [0.0] * num
    for v in range(num):
        rank, size = threads.rank[v], threads.along[v]
        inset = 0.0 if v in level else min((heights[rank] - size) / 2, 20.0)
        if v in diagram.low:
            inset = heights[rank] - size
        y[v] = tops[rank] + inset + size / 2
    routes, stub_lines = route_edges(diagram, threads, x, y, tops, heights)
    stubs = tuple(
        Stub(
            node=stub.node,
            links=stub.links,
            is_source=stub.is_source,
            x=x[stub.vertex],
            y=line[-1 if stub.is_source else 0][1]
            + (diagram.stub_along if stub.is_after else -diagram.stub_along) / 2,
            across=across[stub.vertex],
            line=line,
        )
        for stub, line in zip(threads.stubs, stub_lines, strict=True)
    )
    right = max(x[v] + across[v] / 2 for v in range(len(x)))
    return Drawing(tuple(x[:num]), tuple(y), tuple(routes), stubs, right, tops[-1] + heights[-1])


def _stack_rows(
    threads: LayeredGraph, rows: list[list[int]], x: list[float], spacing: Spacing
) -> tuple[list[float], list[float]]:
    """Top and height of each rank. Gaps grow where lines run far across, so they stay steep."""
    heights = [max((threads.along[v] for v in row), default=0.0) for row in rows]
    tops: list[float] = []
    top = 0.0
    for row, height in zip(rows, heights, strict=True):
        tops.append(top)
        run = max((abs(x[v] - x[u]) for v in row for u in threads.down[v]), default=0.0)
        top += height + spacing.along + min(run * 0.05, 56.0)
    return tops, heights
