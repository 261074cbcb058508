"""Which nodes surely run.

A loop whose rounds nobody knows may run none, and of a condition's branches one runs: what is
inside of them is no part of a sum that says "at least". What is inside of a call runs with it.
"""

from __future__ import annotations

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


def _ancestry(graph: Graph) -> list[tuple[int, int]]:
    """Parent and owner of each group; a parent comes before its groups."""
    groups = graph.groups
    return list(zip(groups.parent.tolist(), groups.owner.tolist(), strict=True))


def _is_uncertain(graph: Graph, node: int) -> bool:
    return graph.strings[graph.nodes.operation[node]] in _UNCERTAIN
