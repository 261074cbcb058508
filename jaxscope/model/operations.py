"""Names of operations, of all dialects, by what they do with values and nested programs."""

from __future__ import annotations

WHILES = frozenset({"while", "stablehlo.while"})
"""Loops that run until a condition no longer holds."""

LOOPS = WHILES | {"scan", "for"}
"""What runs a nested program again and again."""

BRANCHES = frozenset({"cond", "conditional", "stablehlo.case", "stablehlo.if"})
"""What runs one of several nested programs."""

CUSTOM_DERIVATIVES = frozenset({"custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr"})
"""Equations that call a function which has a rule of its own for derivatives."""

CALLS = CUSTOM_DERIVATIVES | {
    *("jit", "pjit", "closed_call", "composite", "core_call", "remat", "remat2", "checkpoint")
}
"""Equations that call a jaxpr, which gets the operands as they are and gives the results."""

CALLS_OF_JAXPRS = CALLS | {"custom_vmap_call", "shard_map", "pmap", "xla_pmap"}
"""Equations whose jaxpr runs once where they stand; of some it gets parts of the operands."""

SOLVE = "custom_linear_solve"

PLUMBING = frozenset({"tuple", "get-tuple-element", "bitcast", "get_tuple_element"})
"""Operations that only pass values on: no work, no copy."""

COMPARISONS = frozenset({"eq", "ne", "lt", "le", "gt", "ge"})
"""Primitives that give booleans of two arrays, element by element."""


def find_solve(called: list[int]) -> list[int]:
    """Of the nested jaxprs of a linear solve, in the order of its parameters, the one that runs.

    It is `solve` of `matvec, vecmat, solve, transpose_solve`, of which one of the first two and the
    last may be missing. The others are for derivatives, and a solve shares them with its transpose,
    in another order.
    """
    return called[len(called) // 2 :][:1]
