"""What is near a node, and how one node leads to another."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.crossings import find_crossings
from jaxscope.analysis.search.feeding import Feeding
from jaxscope.model import NONE, Graph

Int32s = npt.NDArray[np.int32]
Int64s = npt.NDArray[np.int64]


def find_neighbourhood(graph: Graph, nodes: Sequence[int], radius: int) -> Int32s:
    """Nodes at most `radius` edges away from some nodes, in either direction, themselves included.

    Borders of nested programs and of fusions are no steps: what a value meets inside is as near.
    Indices that the graph does not have are ignored.
    """
    count = len(graph.nodes)
    is_near = np.zeros(count, bool)
    is_near[[node for node in nodes if 0 <= node < count]] = True
    feeding = Feeding(graph)
    for _ in range(radius):
        before = is_near
        fed = feeding.find_fed(before, is_far=False)
        is_near = before | fed | feeding.find_feeding(before, is_far=False)
        if (before == is_near).all():
            break
    return np.flatnonzero(is_near).astype(np.int32)


def find_path(graph: Graph, begin: int, end: int) -> tuple[int, ...]:
    """A shortest path of values between two nodes, in the order in which values flow.

    It leads into nested programs and out of them, as the values do.
    Where no value of one reaches the other, the path ignores which way values flow, as between
    two users of one value. Empty where nothing connects them.
    """
    count = len(graph.nodes)
    if not (0 <= begin < count and 0 <= end < count):
        return ()
    for first, last in ((begin, end), (end, begin)):
        across = find_crossings(graph, first, last)
        source = np.concatenate([graph.edges.source, across[0]])
        target = np.concatenate([graph.edges.target, across[1]])
        path = _walk(count, source, target, first, last)
        if path:
            return path
    both = np.concatenate([source, target]), np.concatenate([target, source])
    return _walk(count, *both, begin, end)


def _walk(count: int, source: Int32s, target: Int32s, begin: int, end: int) -> tuple[int, ...]:
    """A shortest walk along edges; each node of a front remembers where it came from."""
    order = np.argsort(source, kind="stable")
    ends = target[order].astype(np.int64)
    offsets = np.searchsorted(source[order], np.arange(count + 1))
    came_from = np.full(count, NONE, np.int64)
    came_from[begin] = begin
    front: Int64s = np.array([begin], np.int64)
    while len(front) and came_from[end] == NONE:
        counts = offsets[front + 1] - offsets[front]
        first = offsets[front] - np.concatenate([[0], np.cumsum(counts)[:-1]])
        reached = ends[np.repeat(first, counts) + np.arange(int(counts.sum()))]
        origin = np.repeat(front, counts)
        is_new = came_from[reached] == NONE
        came_from[reached[is_new][::-1]] = origin[is_new][::-1]
        front = np.unique(reached[is_new])
    if came_from[end] == NONE:
        return ()
    path = [end]
    while path[-1] != begin:
        path.append(int(came_from[path[-1]]))
    return tuple(reversed(path))
