"""Find the explanation of an operation by the name that a graph gives it."""

from __future__ import annotations

from jaxscope.analysis.explain.compiler_operations import COMPILER_OPERATIONS
from jaxscope.analysis.explain.primitives import PRIMITIVES
from jaxscope.model import NodeKind

_BY_KIND = {
    NodeKind.INPUT: "A value that comes in from outside: an argument, or a result of the program "
    "around this one.",
    NodeKind.CONSTANT: "A fixed value that is part of the program itself.",
    NodeKind.OUTPUT: "A result that the program hands back.",
}


def explain_operation(operation: str, kind: NodeKind) -> str:
    """One to three sentences on what an operation does, or the empty string if none is written.

    Args:
        operation: JAX's or XLA's own name; a dialect prefix such as `stablehlo.` is ignored.
        kind: Inputs, constants and outputs are explained by what they are.
    """
    if kind in _BY_KIND:
        return _BY_KIND[kind]
    if kind == NodeKind.EQUATION:
        return PRIMITIVES.get(operation, "")
    name = operation.rsplit(".", 1)[-1].replace("_", "-")
    return COMPILER_OPERATIONS.get(name, "") or PRIMITIVES.get(name.replace("-", "_"), "")
