"""Why an equation changes nothing: a neutral operand, two operations that cancel each other, a
reduction over axes of length one, a choice between equal values.
"""

from __future__ import annotations

import math
import re

from jaxscope.model.graph import NONE
from jaxscope.model.said import say
from jaxscope.model.types import packed_type_bytes, parse_array_type
from jaxscope.program.fates.equations import Equations
from jaxscope.program.fates.outcomes import quote_equations

_EITHER = {"add": 0.0, "add_any": 0.0, "mul": 1.0, "max": -math.inf, "min": math.inf}
_SECOND = {"sub": 0.0, "div": 1.0, "pow": 1.0, "shift_left": 0.0}
_WORDS = {
    "add": say("adding 0"),
    "add_any": say("adding 0"),
    "sub": say("subtracting 0"),
    "mul": say("multiplying by 1"),
    "div": say("dividing by 1"),
    "pow": say("the first power"),
    "integer_pow": say("the first power"),
    "max": say("a maximum with −∞"),
    "min": say("a minimum with ∞"),
    "shift_left": say("shifting by 0"),
    "and": say("a conjunction with true"),
    "or": say("a disjunction with false"),
}
_TRUTHS = {"and": "True", "or": "False"}


def explain_neutral_operand(equations: Equations, node: int) -> str:
    """Such as `adding 0 changes nothing`; empty where nothing of that kind can be said."""
    operation = equations.operations[node]
    if operation == "integer_pow":
        is_neutral = equations.attributes[node].get("y") == "1"
    else:
        is_neutral = any(
            _is_neutral(operation, operand, text)
            for operand, text in equations.literals[node].items()
        )
    return say("{operation} changes nothing", operation=_WORDS[operation]) if is_neutral else ""


def _is_neutral(operation: str, operand: int, literal: str) -> bool:
    value = literal.partition(":")[0].strip()
    if operation in _TRUTHS:
        return value == _TRUTHS[operation]
    wanted = _EITHER.get(operation, _SECOND.get(operation) if operand == 1 else None)
    try:
        return wanted is not None and float(value) == wanted
    except ValueError:
        return False


# Why an equation changes nothing: two that undo each other, or one that gives what it takes.


_RESHAPING = frozenset({"reshape", "squeeze", "expand_dims", "broadcast_in_dim"})
_REDUCTIONS = frozenset(
    {f"reduce_{kind}" for kind in ("sum", "prod", "max", "min", "and", "or", "xor")}
)
_OWN_INVERSE = frozenset({"neg", "not", "conj"})
_INVERSES = {("exp", "log"), ("log", "exp")}
_SAME_IF_TYPED_SO = frozenset({"slice", "reshape", "convert_element_type", "broadcast_in_dim"})
_HANDING_ON = frozenset({"stop_gradient", "copy", "copy_p", "pvary", "mesh_cast"})
_NUMBER = re.compile(r"\d+")
_MAX_RESHAPES = 20


class NoOpDetector:
    """Finds pairs of equations of one jaxpr that come to nothing.

    Args:
        equations: The jaxpr.
        stage: Name of its stage, for texts; empty if it is the base function's.
    """

    def __init__(self, equations: Equations, stage: str = "") -> None:
        self._equations = equations
        self._stage = stage
        self._partners: dict[int, int] | None = None
        self._read_by: dict[int, list[tuple[int, int]]] | None = None

    def why(self, node: int) -> str:
        """Such as `adding 0 changes nothing`; empty where nothing of that kind can be said."""
        equations = self._equations
        if self._is_empty(node):
            return say("its result has no elements")
        if self._reduces_nothing(node):
            return say("it reduces along axes of length one")
        if self._chooses_nothing(node):
            return say("both sides that it chooses between are the same")
        chosen_by = self._readers().get(node, [])
        if chosen_by and all(k == 0 and self._chooses_nothing(r) for r, k in chosen_by):
            ids = [equations.ids[reader] for reader, _ in chosen_by]
            choices = quote_equations(ids, self._stage)
            return say("it only decided the choice of {choices} between equals", choices=choices)
        reason = explain_neutral_operand(equations, node)
        if reason:
            return reason
        source = _source(equations, node)
        if (
            source != NONE
            and equations.operations[node] in _SAME_IF_TYPED_SO
            and equations.types[node] == equations.types[source]
            and len(equations.types[source]) == 1
        ):
            return say("its result is its operand as it was")
        partner = self._pairs().get(node)
        if partner is None:
            return ""
        other = quote_equations([equations.ids[partner]], self._stage)
        return say("it and {other} undo each other", other=other)

    def is_nothing(self, node: int) -> bool:
        """Whether there is nothing to compute, so that no instruction can be the equation."""
        return self._is_empty(node) or self._reduces_nothing(node)

    def _chooses_nothing(self, node: int) -> bool:
        """Whether a select has the same value on every side."""
        equations = self._equations
        if equations.operations[node] != "select_n":
            return False
        operands = equations.operands[node]
        sides = {self._through(*operands[k]) for k in operands if k > 0}
        return len(sides) == 1 and not any(k > 0 for k in equations.literals[node])

    def _through(self, node: int, output: int) -> tuple[int, int]:
        """The value behind equations that hand their operand on as it is."""
        equations = self._equations
        while equations.operations[node] in _HANDING_ON and len(equations.operands[node]) == 1:
            ((node, output),) = equations.operands[node].values()
        return node, output

    def _readers(self) -> dict[int, list[tuple[int, int]]]:
        """Who reads the results of each node, and as which operand."""
        if self._read_by is None:
            self._read_by = {}
            for reader, operands in enumerate(self._equations.operands):
                for operand, (source, _) in operands.items():
                    self._read_by.setdefault(source, []).append((reader, operand))
        return self._read_by

    def _reduces_nothing(self, node: int) -> bool:
        """Whether a reduction has as many elements left as it takes: it combines none."""
        equations = self._equations
        source = _source(equations, node)
        return (
            equations.operations[node] in _REDUCTIONS
            and source != NONE
            and len(equations.types[source]) == 1
            and _same_bytes(equations.types[node], equations.types[source])
        )

    def _is_empty(self, node: int) -> bool:
        types = self._equations.types[node]
        arrays = [parse_array_type(type) for type in types]
        return bool(arrays) and all(array is not None and array.size == 0 for array in arrays)

    def _pairs(self) -> dict[int, int]:
        if self._partners is None:
            found: dict[int, int] = {}
            for node, is_equation in enumerate(self._equations.is_equation):
                if is_equation:
                    first = self._find_inverse(node)
                    if first != NONE:
                        found.setdefault(node, first)
                        found.setdefault(first, node)
            self._partners = found
        return self._partners

    def _find_inverse(self, node: int) -> int:
        """The equation that this one undoes, or `NONE`."""
        equations = self._equations
        source = _source(equations, node)
        if source == NONE or not equations.is_equation[source]:
            return NONE
        operation, other = equations.operations[node], equations.operations[source]
        if operation in _RESHAPING:
            return self._reshaped_back(node, source)
        row, theirs = equations.attributes[node], equations.attributes[source]
        if operation == other == "transpose":
            first = [int(n) for n in _NUMBER.findall(theirs.get("permutation", ""))]
            second = [int(n) for n in _NUMBER.findall(row.get("permutation", ""))]
            is_pair = bool(first) and [first[n] for n in second if n < len(first)] == [
                *range(len(first))
            ]
        elif operation == other == "rev":
            is_pair = row.get("dimensions") == theirs.get("dimensions")
        else:
            is_pair = (operation == other and operation in _OWN_INVERSE) or (
                (other, operation) in _INVERSES
            )
        return source if is_pair else NONE

    def _reshaped_back(self, node: int, source: int) -> int:
        """The first of a row of reshapes, if this one restores what that one took."""
        equations = self._equations
        wanted = equations.types[node]
        for _ in range(_MAX_RESHAPES):
            if not equations.is_equation[source] or equations.operations[source] not in _RESHAPING:
                return NONE
            before = _source(equations, source)
            if before == NONE or not _same_bytes(wanted, equations.types[source]):
                return NONE
            if equations.types[before] == wanted:
                return source
            source = before
        return NONE


def _source(equations: Equations, node: int) -> int:
    """What gives the only operand of a node; `NONE` where it has several or a literal."""
    operands = equations.operands[node]
    if len(operands) != 1 or equations.literals[node]:
        return NONE
    (value,) = operands.values()
    return value[0]


def _same_bytes(ones: tuple[str, ...], others: tuple[str, ...]) -> bool:
    return len(ones) == len(others) == 1 and packed_type_bytes(ones[0]) == packed_type_bytes(
        others[0]
    )
