"""How large a program is: equations, operations or instructions, by what its stage calls them.

Arguments, results and constants that stand beside them in a graph are not counted. In XLA's modules
parameters and constants are instructions, so they count there: XLA counts them, too. What a picture
folds away or leaves out counts all the same.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.model import Graph, NodeKind
from jaxscope.model.units import format_count

_NOUNS = {
    NodeKind.EQUATION: "equation",
    NodeKind.OPERATION: "operation",
    NodeKind.INSTRUCTION: "instruction",
}
_OTHERS = {
    NodeKind.INPUT: "argument",
    NodeKind.CONSTANT: "constant",
    NodeKind.OUTPUT: "result",
}


_COUNTS = np.array([kind in _NOUNS for kind in NodeKind])
"""By the code of a kind: a window asks for the size of each stage at every change."""


def is_counted(graph: Graph) -> npt.NDArray[np.bool_]:
    """Which nodes of a graph count."""
    counted: npt.NDArray[np.bool_] = _COUNTS[graph.nodes.kind]
    return counted


def count_program(graph: Graph, nodes: Sequence[int] | None = None) -> int:
    """How many equations, operations or instructions a graph has, or some nodes of it are."""
    counted = is_counted(graph)
    return int(np.count_nonzero(counted if nodes is None else counted[list(nodes)]))


def describe_size(graph: Graph) -> str:
    """The number of nodes in words, such as `12 equations`."""
    return describe_count(graph, count_program(graph))


def describe_count(graph: Graph, count: int, before: str = "") -> str:
    """A number of what a graph consists of, such as `1 instruction`.

    Args:
        before: What stands before the noun, such as `other `.
    """
    counts = np.bincount(graph.nodes.kind, minlength=len(NodeKind))
    noun = next((noun for kind, noun in _NOUNS.items() if counts[kind]), "equation")
    return format_count(count, f"{before}{noun}")


def describe_nodes(graph: Graph, nodes: Sequence[int], before: str = "") -> str:
    """Some nodes in words, as `describe_count`; where none of them counts, such as `2 arguments`.

    Args:
        nodes: At least one.
        before: What stands before the noun.
    """
    count = count_program(graph, nodes)
    if count:
        return describe_count(graph, count, before)
    kind = NodeKind(int(graph.nodes.kind[nodes[0]]))
    same = sum(int(graph.nodes.kind[node]) == kind for node in nodes)
    return format_count(same, f"{before}{_OTHERS[kind]}")
