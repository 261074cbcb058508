"""What surrounds a node, as one number: Weisfeiler–Lehman rounds over operands, users, nesting.

After r rounds two nodes have the same number if everything within r steps of them looks alike.
Each round costs a few passes over the columns, so 50,000 nodes take milliseconds.
"""

from __future__ import annotations

import enum

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.signatures import Hashes, join, sum_rows
from jaxscope.model import NONE, Graph

Int64s = npt.NDArray[np.int64]


class Sight(enum.Enum):
    """Which neighbours count."""

    BOTH = "both"
    OPERANDS = "operands"
    USERS = "users"


class Surroundings:
    """The neighbours of every node of one graph, sorted for summing."""

    def __init__(self, graph: Graph) -> None:
        edges, num_nodes = graph.edges, len(graph.nodes)
        self._num_nodes = num_nodes
        self._slot = join(edges.operand, edges.output)
        self._into = _sorted_by(edges.target, num_nodes)
        self._out_of = _sorted_by(edges.source, num_nodes)
        self._source, self._target = edges.source, edges.target
        owner = np.full(num_nodes, NONE, np.int64)
        grouped = graph.nodes.group != NONE
        owner[grouped] = graph.groups.owner[graph.nodes.group[grouped]]
        self._inner = np.flatnonzero(owner != NONE)
        self._owner = owner[self._inner]
        self._inside = _sorted_by(self._owner, num_nodes)

    def look(self, labels: Hashes, rounds: int, sight: Sight) -> Hashes:
        """The number of each node's neighbourhood, where nodes are what `labels` says."""
        seen = labels
        for _ in range(rounds):
            parts = [seen]
            if sight is not Sight.USERS:
                order, offsets = self._into
                values = join(seen[self._source], self._slot)
                parts.append(sum_rows(offsets, values[order]))
            if sight is not Sight.OPERANDS:
                order, offsets = self._out_of
                values = join(seen[self._target], self._slot)
                parts.append(sum_rows(offsets, values[order]))
            if len(self._inner):
                around = np.zeros(self._num_nodes, np.uint64)
                around[self._inner] = seen[self._owner]
                order, offsets = self._inside
                parts += [around, sum_rows(offsets, join(seen[self._inner])[order])]
            seen = join(*parts)
        return seen

    def operands(self, codes: Hashes) -> Hashes:
        """Of each node one number for what its operands are, slot by slot."""
        order, offsets = self._into
        return sum_rows(offsets, join(codes[self._source], self._slot)[order])


def _sorted_by(keys: npt.NDArray[np.generic], num_rows: int) -> tuple[Int64s, Int64s]:
    """The order that sorts keys, and where the run of each number begins in it."""
    order = np.argsort(keys, kind="stable").astype(np.int64)
    offsets = np.zeros(num_rows + 1, np.int64)
    np.cumsum(np.bincount(keys.astype(np.int64), minlength=num_rows), out=offsets[1:])
    return order, offsets
