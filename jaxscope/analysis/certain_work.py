"""Which nodes surely run, and what they cost together at least.

A loop whose rounds nobody knows may run none, and of a condition's branches one runs: what is
inside of them is no part of a sum that says "at least". What is inside of a call runs with it.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Graph, NodeKind

Bools = npt.NDArray[np.bool_]

_UNCERTAIN = frozenset(
    {"while", "cond", "switch", "conditional", "stablehlo.while", "stablehlo.case", "stablehlo.if"}
)
"""Operations whose insides may run never: a jaxpr's, StableHLO's and HLO's."""

WORK_KINDS = (NodeKind.EQUATION, NodeKind.OPERATION, NodeKind.INSTRUCTION)


def find_certain(graph: Graph) -> Bools:
    """Of each node whether it surely runs, or is inside of what has a cost itself.

    Returns:
        bool, shape `(num_nodes,)`.
    """
    of_group = np.ones(len(graph.groups) + 1, bool)  # the last entry is of nodes in no group
    for group, (parent, owner) in enumerate(_ancestry(graph)):
        is_told = owner == NONE or not np.isnan(graph.nodes.cost[owner, 0])
        of_group[group] = of_group[parent] and (is_told or not _is_uncertain(graph, owner))
    certain: Bools = of_group[graph.nodes.group]
    return certain


@dataclasses.dataclass(frozen=True, slots=True)
class LeastWork:
    """Attributes:
    flops: FLOPs of all nodes that surely run and have a known cost.
    num_known: How many these are.
    num_unknown: How many nodes cost nobody knows how much.
    """

    flops: float
    num_known: int
    num_unknown: int


def find_least_work(graph: Graph) -> LeastWork:
    """Add up what surely runs: an unknown call counts by what is known inside of it."""
    nodes = graph.nodes
    # Whether nothing around a group's nodes counts for them already.
    is_open = np.ones(len(graph.groups) + 1, bool)
    is_looked_into = np.zeros(len(nodes), bool)
    for group, (parent, owner) in enumerate(_ancestry(graph)):
        if owner != NONE:
            looked_into = np.isnan(nodes.cost[owner, 0]) and not _is_uncertain(graph, owner)
            is_open[group] = is_open[parent] and looked_into
            is_looked_into[owner] |= bool(is_open[group])
        else:
            is_open[group] = is_open[parent]
    counts = np.isin(nodes.kind, WORK_KINDS) & is_open[nodes.group] & ~is_looked_into
    flops = nodes.cost[counts, 0].astype(np.float64)
    known = flops[~np.isnan(flops)]
    return LeastWork(float(known.sum()), len(known), len(flops) - len(known))


def _ancestry(graph: Graph) -> list[tuple[int, int]]:
    """Parent and owner of each group; a parent comes before its groups."""
    groups = graph.groups
    return list(zip(groups.parent.tolist(), groups.owner.tolist(), strict=True))


def _is_uncertain(graph: Graph, node: int) -> bool:
    return graph.strings[graph.nodes.operation[node]] in _UNCERTAIN
