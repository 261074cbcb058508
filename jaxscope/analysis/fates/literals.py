"""Choices that are made before anything runs: a predicate or an index that is a literal."""

from __future__ import annotations

from jaxscope.analysis.fates.equations import Equations
from jaxscope.model.graph import NONE

_CARRIERS = frozenset({"convert_element_type", "broadcast_in_dim", "reshape", "squeeze", "copy"})
_WORDS = {"True": 1, "False": 0, "true": 1, "false": 0}
_MAX_STEPS = 20


def literal_choice(equations: Equations, node: int, operand: int) -> int | None:
    """The value of an operand that is a small literal, converted or broadcast or not."""
    for _ in range(_MAX_STEPS):
        text = equations.literals[node].get(operand)
        if text is not None:
            value = text.partition(":")[0]
            return _WORDS.get(value, int(value) if value.isdecimal() else None)
        found = equations.operands[node].get(operand)
        if found is None:
            return None
        node, operand = found[0], 0
        if not equations.is_equation[node]:
            nested = equations.nested.get(equations.group[node])
            if nested is None or len(nested.owners) != 1:
                return None
            operand = next((k for i, k in nested.inputs if i == node), NONE)
            node = nested.owners[0]
            if equations.operations[node] not in ("jit", "pjit", "closed_call"):
                return None
        elif equations.operations[node] not in _CARRIERS:
            return None
    return None
