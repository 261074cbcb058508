"""What feeds what, for chains: nested programs and what only hands a value on are looked through.

`jax.nn.relu` is a program of its own, and XLA puts most operations into fusions. Whoever looks for
`dot_general -> add -> max` means the operations that a value meets, not the borders it crosses.
So a value that enters a nested program goes on from the input inside, and one that leaves it goes
to the users of the owner's result. Inputs, results and bitcasts are still found by themselves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.view.seeing_through import Boundaries, find_boundaries
from jaxscope.model import NONE, Graph, NodeKind

Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Pair = tuple[int, int]

_HANDS_ON = ("bitcast",)


class Feeding:
    """Which nodes feed which. Vertices are the nodes, and a gate for each result of an owner."""

    def __init__(self, graph: Graph) -> None:
        self._count = len(graph.nodes)
        boundaries = find_boundaries(graph)
        self._gates: dict[int, list[Pair]] = {}  # of each owner: result and vertex
        for number, (owner, result) in enumerate(boundaries.leaving):
            self._gates.setdefault(owner, []).append((result, self._count + number))
        pairs = np.asarray(list(self._list_pairs(graph, boundaries)), np.int64).reshape(-1, 2)
        self._begin = np.concatenate([graph.edges.source.astype(np.int64), pairs[:, 0]])
        self._end = np.concatenate([graph.edges.target.astype(np.int64), pairs[:, 1]])
        self._hands_on = _find_handing_on(graph, boundaries)

    def find_fed(self, nodes: Bools, *, is_far: bool) -> Bools:
        """Nodes that any of `nodes` feeds, directly or, where it is far, over any others."""
        return self._reach(nodes, *self._onward, is_far=is_far)

    def find_feeding(self, nodes: Bools, *, is_far: bool) -> Bools:
        """Nodes that feed any of `nodes`."""
        return self._reach(nodes, *self._backward, is_far=is_far)

    @functools.cached_property
    def _onward(self) -> tuple[Int64s, Int64s]:
        return _sort_edges(self._begin, self._end, len(self._hands_on))

    @functools.cached_property
    def _backward(self) -> tuple[Int64s, Int64s]:
        return _sort_edges(self._end, self._begin, len(self._hands_on))

    def _list_pairs(self, graph: Graph, boundaries: Boundaries) -> Iterator[Pair]:
        """Edges over borders, which the graph does not spell out."""
        into: dict[Pair, list[int]] = {}
        for node, place in boundaries.entering.items():
            into.setdefault(place, []).append(node)
        for number, nodes in enumerate(boundaries.leaving.values()):
            for node in nodes:
                yield node, self._count + number
                yield from ((gate, self._count + number) for _, gate in self._gates.get(node, ()))
        edges = graph.edges
        owners = [*self._gates, *dict.fromkeys(owner for owner, _ in into)]
        used = np.flatnonzero(np.isin(edges.source, owners) | np.isin(edges.target, owners))
        columns = (edges.source, edges.output, edges.target, edges.operand)
        for source, output, target, operand in zip(
            *(c[used].tolist() for c in columns), strict=True
        ):
            gates = [g for result, g in self._gates.get(source, ()) if result in (NONE, output)]
            yield from ((gate, target) for gate in gates)
            for node in into.get((target, operand), ()):
                yield from ((vertex, node) for vertex in (source, *gates))

    def _reach(self, nodes: Bools, ends: Int64s, offsets: Int64s, *, is_far: bool) -> Bools:
        reached = np.zeros(len(self._hands_on), bool)
        front = np.flatnonzero(nodes)
        while len(front):
            counts = offsets[front + 1] - offsets[front]
            first = offsets[front] - np.concatenate([[0], np.cumsum(counts)[:-1]])
            following = ends[np.repeat(first, counts) + np.arange(int(counts.sum()))]
            front = np.unique(following[~reached[following]])
            reached[front] = True
            if not is_far:
                front = front[self._hands_on[front]]
        return reached[: self._count]


def _find_handing_on(graph: Graph, boundaries: Boundaries) -> Bools:
    """Vertices that a value passes on its way from one operation to the next."""
    passing = [number for number, name in enumerate(graph.strings) if name in _HANDS_ON]
    is_passing = np.isin(graph.nodes.operation, passing)
    is_passing[list(boundaries.entering)] = True
    leaving = np.asarray(
        [node for inner in boundaries.leaving.values() for node in inner], np.int64
    )
    is_passing[leaving[graph.nodes.kind[leaving] == NodeKind.OUTPUT]] = True
    return np.concatenate([is_passing, np.ones(len(boundaries.leaving), bool)])


def _sort_edges(begin: Int64s, end: Int64s, num_vertices: int) -> tuple[Int64s, Int64s]:
    """Ends of edges sorted by where they begin, and where each vertex's edges begin among them."""
    order = np.argsort(begin, kind="stable")
    offsets = np.searchsorted(begin[order], np.arange(num_vertices + 1))
    return end[order], offsets.astype(np.int64)
