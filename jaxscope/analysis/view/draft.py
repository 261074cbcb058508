"""The state that the simplifications of single nodes work on."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from jaxscope.model import Graph


class Input(NamedTuple):
    """One operand of a node.

    Attributes:
        source: Node that produces the value.
        output: Which of its results.
        operand: Which operand of the consumer receives it.
        type: The type, as an index into `Graph.strings`.
    """

    source: int
    output: int
    operand: int
    type: int


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Draft:
    """A graph on its way to a view.

    Attributes:
        graph: The graph, whole.
        inputs: Of each node, sorted by operand; nested programs are seen through once the pass
            that does so has run.
        home: Of each node, the node in whose box it is shown: itself, if it has its own box.
        notes: What folded operands say in a consumer's label, in operand order.
        captions: Names of dissolved groups, kept for the label of what was inside.
    """

    graph: Graph
    inputs: tuple[tuple[Input, ...], ...]
    home: tuple[int, ...]
    notes: Mapping[int, tuple[tuple[int, str], ...]]
    captions: Mapping[int, str] = dataclasses.field(default_factory=dict)

    def is_shown(self, node: int) -> bool:
        """Whether the node has a box of its own."""
        return self.home[node] == node

    def users(self) -> list[list[int]]:
        """Nodes that use a result of each node, once per operand."""
        users: list[list[int]] = [[] for _ in self.inputs]
        for node, inputs in enumerate(self.inputs):
            for each in inputs:
                users[each.source].append(node)
        return users


def start_draft(graph: Graph) -> Draft:
    """The draft that shows everything."""
    edges = graph.edges
    num = len(graph.nodes)
    order = np.lexsort((edges.source, edges.operand, edges.target))
    columns = (edges.source, edges.output, edges.operand, edges.type)
    rows = list(map(Input._make, zip(*(c[order].tolist() for c in columns), strict=True)))
    borders = np.searchsorted(edges.target[order], np.arange(num + 1)).tolist()
    inputs = tuple(tuple(rows[i:j]) for i, j in itertools.pairwise(borders))
    return Draft(graph, inputs, tuple(range(num)), {})
