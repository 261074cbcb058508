"""Lead lines along the threads: they bend only between ranks, so they never cross a box."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from jaxscope.picture.layout.diagram import LayeredGraph, StubVertex

if TYPE_CHECKING:
    from jaxscope.picture.layout.diagram import Diagram, Route

_PORT_SPACING_PX = 14.0
_PORT_SHARE = 0.7  # of a node's size that its ports may spread over
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
        if any((v, u) in given for u in ordered):
            half = threads.across[v] / 2
            places = _fill_between([given.get((v, u)) for u in ordered], places, step, half)
        ports.update(((v, u), place) for u, place in zip(ordered, places, strict=True))
    return ports


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
        shift = _shift_of(diagram, stub, threads.turned)
        if stub.is_source:
            at = below.get((node, vertex), 0.0) if math.isnan(shift) else shift
            _leave(corners, threads, node, x[node] + at, y, tops, heights)
            corners.append((x[vertex], tops[rank]))
        else:
            at = above.get((node, vertex), 0.0) if math.isnan(shift) else shift
            bottom = tops[rank] + max(heights[rank], diagram.stub_along)
            corners.append((x[vertex], bottom))
            _enter(corners, threads, node, x[node] + at, y, tops)
        lines.append(_simplify(corners))
    return lines


def _shift_of(diagram: Diagram, stub: StubVertex, turned: frozenset[int]) -> float:
    """Where the line of a stub meets its node; NaN where it may choose."""
    number = stub.links[0]
    if number >= len(diagram.links):
        return diagram.loose[number - len(diagram.links)].shift
    link = diagram.links[number]
    return link.target_shift if stub.is_source == (number in turned) else link.source_shift


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
