"""Why an equation changes nothing: one of its operands is the neutral one of its operation."""

from __future__ import annotations

import math

from jaxscope.analysis.fates.equations import Equations

_EITHER = {"add": 0.0, "add_any": 0.0, "mul": 1.0, "max": -math.inf, "min": math.inf}
_SECOND = {"sub": 0.0, "div": 1.0, "pow": 1.0, "shift_left": 0.0}
_WORDS = {
    "add": "adding 0",
    "add_any": "adding 0",
    "sub": "subtracting 0",
    "mul": "multiplying by 1",
    "div": "dividing by 1",
    "pow": "the first power",
    "integer_pow": "the first power",
    "max": "a maximum with −∞",
    "min": "a minimum with ∞",
    "shift_left": "shifting by 0",
    "and": "a conjunction with true",
    "or": "a disjunction with false",
}
_TRUTHS = {"and": "True", "or": "False"}


def why_neutral(equations: Equations, node: int) -> str:
    """Such as `adding 0 changes nothing`; empty where nothing of that kind can be said."""
    operation = equations.operations[node]
    if operation == "integer_pow":
        is_neutral = equations.attributes[node].get("y") == "1"
    else:
        is_neutral = any(
            _is_neutral(operation, operand, text)
            for operand, text in equations.literals[node].items()
        )
    return f"{_WORDS[operation]} changes nothing" if is_neutral else ""


def _is_neutral(operation: str, operand: int, literal: str) -> bool:
    value = literal.partition(":")[0].strip()
    if operation in _TRUTHS:
        return value == _TRUTHS[operation]
    wanted = _EITHER.get(operation, _SECOND.get(operation) if operand == 1 else None)
    try:
        return wanted is not None and float(value) == wanted
    except ValueError:
        return False
