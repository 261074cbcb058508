"""What feeds what, for chains: nested programs and what only hands a value on are looked through.

`jax.nn.relu` is a program of its own, and XLA puts most operations into fusions. Whoever looks for
`dot_general -> add -> max` means the operations that a value meets, not the borders it crosses.
So a value that enters a nested program goes on from the input inside, and one that leaves it goes
to the users of the owner's result. Inputs, results and bitcasts are still found by themselves.
"""

from __future__ import annotations

import functools

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.view.boundaries import Entries, Exits, list_boundaries
from jaxscope.model import Graph, NodeKind

Int64s = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_HANDS_ON = ("bitcast",)


class Feeding:
    """Which nodes feed which. Vertices are the nodes, and a gate for each result of an owner."""

    def __init__(self, graph: Graph) -> None:
        self._count = len(graph.nodes)
        entries, exits = list_boundaries(graph)
        gates = _Gates(exits, self._count)
        pairs = _pair_over_borders(graph, entries, exits, gates)
        self._begin = np.concatenate([graph.edges.source.astype(np.int64), pairs[0]])
        self._end = np.concatenate([graph.edges.target.astype(np.int64), pairs[1]])
        self._hands_on = _find_handing_on(graph, entries, exits, len(gates.vertex))

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


class _Gates:
    """A vertex for each result of an owner.

    Attributes:
        owner: Of each gate.
        result: Of each gate; -1 stands for all results of the owner.
        vertex: Of each gate; they are numbered after the nodes.
        of_exit: Of each exit the vertex of its gate.
    """

    def __init__(self, exits: Exits, first: int) -> None:
        pairs = np.stack([exits.owner, exits.result], axis=1)
        found, of_exit = np.unique(pairs, axis=0, return_inverse=True)
        self.owner, self.result = found[:, 0], found[:, 1]
        self.vertex = np.arange(first, first + len(found))
        self.of_exit = self.vertex[of_exit.reshape(-1)]


def _pair_over_borders(
    graph: Graph, entries: Entries, exits: Exits, gates: _Gates
) -> tuple[Int64s, Int64s]:
    """Where edges over borders, which the graph does not spell out, begin and end."""
    edges = graph.edges
    begins, ends = [exits.node], [gates.of_exit]
    giver, gate = _match(exits.node, gates.owner)  # what gives a result may be an owner itself
    begins.append(gates.vertex[gate])
    ends.append(gates.of_exit[giver])

    edge, gate = _match(edges.source, gates.owner)
    is_told = (gates.result[gate] < 0) | (gates.result[gate] == edges.output[edge])
    edge, gate = edge[is_told], gate[is_told]
    begins.append(gates.vertex[gate])
    ends.append(edges.target[edge].astype(np.int64))

    vertex = np.concatenate([edges.source.astype(np.int64), gates.vertex[gate]])
    target = np.concatenate([edges.target, edges.target[edge]]).astype(np.int64)
    operand = np.concatenate([edges.operand, edges.operand[edge]]).astype(np.int64)
    most = max(int(operand.max(initial=0)), int(entries.operand.max(initial=0))) + 1
    entered, entry = _match(target * most + operand, entries.owner * most + entries.operand)
    begins.append(vertex[entered])
    ends.append(entries.node[entry])
    return np.concatenate(begins), np.concatenate(ends)


def _match(left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
    """All pairs of equal keys, as indices into both."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right, left, "left", order)
    counts = np.searchsorted(right, left, "right", order) - first
    which = np.repeat(np.arange(len(left)), counts)
    offsets = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, order[first[which] + offsets]


def _find_handing_on(graph: Graph, entries: Entries, exits: Exits, num_gates: int) -> Bools:
    """Vertices that a value passes on its way from one operation to the next."""
    passing = [number for number, name in enumerate(graph.strings) if name in _HANDS_ON]
    is_passing = np.isin(graph.nodes.operation, passing)
    is_passing[entries.node] = True
    is_passing[exits.node[graph.nodes.kind[exits.node] == NodeKind.OUTPUT]] = True
    return np.concatenate([is_passing, np.ones(num_gates, bool)])


def _sort_edges(begin: Int64s, end: Int64s, num_vertices: int) -> tuple[Int64s, Int64s]:
    """Ends of edges sorted by where they begin, and where each vertex's edges begin among them."""
    order = np.argsort(begin, kind="stable")
    offsets = np.searchsorted(begin[order], np.arange(num_vertices + 1))
    return end[order], offsets.astype(np.int64)
