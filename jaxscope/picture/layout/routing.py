"""Lead lines along the threads: they bend only between ranks, so they never cross a box."""

from __future__ import annotations

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
    above = _spread_ports(threads, threads.up, x)
    below = _spread_ports(threads, threads.down, x)
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


def _spread_ports(
    threads: LayeredGraph, neighbours: list[list[int]], x: list[float]
) -> dict[tuple[int, int], float]:
    """Where the line to each neighbour meets a node, from the node's centre, by (node, other)."""
    ports: dict[tuple[int, int], float] = {}
    for v in range(threads.num_nodes):
        near = neighbours[v]
        if len(near) < 2 or not threads.along[v]:
            continue  # through a port every line goes at the same place
        step = min(_PORT_SPACING_PX, threads.across[v] * _PORT_SHARE / (len(near) - 1))
        first = -step * (len(near) - 1) / 2
        for index, u in enumerate(sorted(near, key=lambda u: (x[u], u))):
            ports[v, u] = first + index * step
    return ports


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
