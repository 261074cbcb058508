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
from jaxscope.model.said import say_count

_NOUNS = {
    NodeKind.EQUATION: "equation",
    NodeKind.OPERATION: "operation",
    NodeKind.INSTRUCTION: "instruction",
}
_OTHERS = {NodeKind.INPUT: "argument", NodeKind.CONSTANT: "constant", NodeKind.OUTPUT: "result"}


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


def count_named(
    graph: Graph, nodes: Sequence[int] | None = None, before: str = ""
) -> tuple[int, str]:
    """How many nodes count, and what they are called in the singular, such as `equation`.

    Args:
        nodes: At least one; None for all. Where none of them counts, those of the kind of the first
            are counted: arguments, constants or results.
        before: What stands before the noun, such as `other `.
    """
    count = count_program(graph, nodes)
    if count or nodes is None:
        return count, f"{before}{_noun_of(graph)}"
    kind = NodeKind(int(graph.nodes.kind[nodes[0]]))
    same = sum(int(graph.nodes.kind[node]) == kind for node in nodes)
    return same, f"{before}{_OTHERS[kind]}"


def describe_size(graph: Graph) -> str:
    """The number of nodes in words, such as `12 equations`."""
    return say_count(*count_named(graph))


def describe_count(graph: Graph, count: int) -> str:
    """A number of what a graph consists of, such as `1 instruction`."""
    return say_count(count, _noun_of(graph))


def _noun_of(graph: Graph) -> str:
    counts = np.bincount(graph.nodes.kind, minlength=len(NodeKind))
    told = next((noun for kind, noun in _NOUNS.items() if counts[kind]), None)
    # What only hands its arguments on: arguments have the name of their function in StableHLO.
    is_stablehlo = counts.any() and graph.id(0).startswith("main/")
    return told or ("operation" if is_stablehlo else "equation")
