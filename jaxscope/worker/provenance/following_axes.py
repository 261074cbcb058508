"""Follow the axes that `vmap` added through a program, where JAX itself did not say them.

JAX says them of what it batches as a whole. It does not of the operations that a batching rule
makes on the way, such as the branches of a `cond` that became a `select_n`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from jaxscope.model.operations import CALLS
from jaxscope.worker import compat
from jaxscope.worker.compat_recorder import BatchAxes
from jaxscope.worker.provenance.tagging import nested_jaxprs

Marks = frozenset[tuple[int, int]]
"""Pairs of a `vmap`, by number, and the axis that it added."""


def follow_axes(jaxprs: Iterable[Any], batch_axes: BatchAxes) -> None:
    """Add what follows from what JAX said of the axes of some programs."""
    if not batch_axes.has_any:
        return
    follower = _Follower(batch_axes)
    for jaxpr in jaxprs:
        follower.follow(jaxpr, ())
    for variable, marks in follower.found.values():
        batch_axes.add(variable, marks)


class _Follower:
    """Goes through jaxprs in the order of the program.

    Attributes:
        found: Of each variable the marks that it has wherever its jaxpr is called.
    """

    def __init__(self, batch_axes: BatchAxes) -> None:
        self._said = batch_axes
        self._results: dict[tuple[int, tuple[Marks, ...]], list[Marks]] = {}
        self.found: dict[int, tuple[Any, Marks]] = {}

    def follow(self, jaxpr: Any, given: Sequence[Marks]) -> list[Marks]:
        """The marks of the results, of those of the inputs; without these none is known."""
        inner = compat.open_jaxpr(jaxpr)
        if len(given) != len(inner.invars):
            given = (Marks(),) * len(inner.invars)
        key = (id(inner), tuple(given))
        if key not in self._results:
            known = dict[int, Marks]()
            self._note(known, inner.invars, given)
            self._note(known, inner.constvars, (Marks(),) * len(inner.constvars))
            for equation in inner.eqns:
                operands = [known.get(id(atom), Marks()) for atom in equation.invars]
                self._note(known, equation.outvars, self._after(equation, operands))
            self._results[key] = [known.get(id(atom), Marks()) for atom in inner.outvars]
        return self._results[key]

    def _note(
        self, known: dict[int, Marks], variables: Sequence[Any], marks: Sequence[Marks]
    ) -> None:
        for variable, each in zip(variables, marks, strict=True):
            known[id(variable)] = self._join(variable, each)

    def _join(self, variable: Any, marks: Marks) -> Marks:
        """The marks of a variable, those that JAX said first."""
        said = self._said.said_of(variable)
        told = {vmap for vmap, _ in said}
        joined = said | {each for each in marks if each[0] not in told}
        _, before = self.found.get(id(variable), (None, joined))
        self.found[id(variable)] = (variable, before & joined)
        return joined

    def _after(self, equation: Any, operands: list[Marks]) -> Sequence[Marks]:
        name, num_results = equation.primitive.name, len(equation.outvars)
        inside = nested_jaxprs(equation.params)
        results = [self.follow(each, _into(equation, operands)) for _, each in inside]
        if name in CALLS and results and len(results[0]) == num_results:
            return results[0]
        if name == "cond":
            return [frozenset.intersection(*each) for each in zip(*results, strict=True)]
        if name == "scan":
            num_carried = compat.scan_counts(equation.params)["num_carry"]
            return [
                *results[0][:num_carried],
                *(
                    Marks((vmap, axis + 1) for vmap, axis in each)
                    for each in results[0][num_carried:]
                ),
            ]
        if num_results != 1:
            return [Marks()] * num_results
        to: dict[int, set[int]] = {}
        for at, marks in enumerate(operands):
            for vmap, axis in marks:
                if (after := _axis_after(equation, at, axis)) is not None:
                    to.setdefault(vmap, set()).add(int(after))
        return [Marks((vmap, min(axes)) for vmap, axes in to.items() if len(axes) == 1)]


def _into(equation: Any, operands: list[Marks]) -> list[Marks]:
    """The marks of the inputs of the jaxprs that an operation holds; empty if not known."""
    name = equation.primitive.name
    if name in CALLS:
        return operands
    if name == "cond":
        return operands[1:]
    if name == "scan":
        num_whole = sum(compat.scan_counts(equation.params).values())
        sliced = operands[num_whole:]
        rows = [Marks((vmap, axis - 1) for vmap, axis in each if axis) for each in sliced]
        return [*operands[:num_whole], *rows]
    return []


_ELEMENTWISE = frozenset(
    {
        *("abs", "acos", "acosh", "add", "add_any", "and", "asin", "asinh", "atan", "atan2"),
        *("atanh", "bessel_i0e", "bessel_i1e", "cbrt", "ceil", "clamp", "clz", "complex", "conj"),
        *("convert_element_type", "copy", "copy_p", "cos", "cosh", "digamma", "div", "eq"),
        *("eq_to", "erf", "erf_inv", "erfc", "exp", "exp2", "expm1", "floor", "ge", "gt"),
        *("igamma", "igammac", "imag", "integer_pow", "is_finite", "le", "le_to", "lgamma"),
        *("log", "log1p", "logistic", "lt", "lt_to", "max", "min", "mul", "name", "ne", "neg"),
        *("nextafter", "not", "optimization_barrier", "or", "polygamma", "population_count"),
        *("pow", "real", "reduce_precision", "regularized_incomplete_beta", "rem", "round"),
        *("rsqrt", "select_n", "shift_left", "shift_right_arithmetic", "shift_right_logical"),
        *("sign", "sin", "sinh", "sqrt", "square", "stop_gradient", "sub", "tan", "tanh", "xor"),
        "zeta",
    }
)
_ALONG = {"cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"}


def _axis_after(equation: Any, operand: int, axis: int) -> int | None:
    """Where an axis of an operand is in the result of an equation; None where that is not known."""
    name, given = equation.primitive.name, equation.params
    before, after = equation.invars[operand].aval.shape, equation.outvars[0].aval.shape
    if name in _ELEMENTWISE:
        is_kept = len(before) == len(after) and before[axis] == after[axis]
        return axis if is_kept else None
    if name == "transpose":
        return int(given["permutation"].index(axis))
    if name == "broadcast_in_dim":
        return int(given["broadcast_dimensions"][axis]) if operand == 0 else None
    if name == "squeeze":
        gone = given["dimensions"]
        return None if axis in gone else axis - sum(each < axis for each in gone)
    if name in _ALONG:
        return axis if axis != given["axis"] else None
    if name == "rev":
        return axis if axis not in given["dimensions"] else None
    if name == "concatenate":
        return axis if axis != given["dimension"] else None
    if name in ("slice", "dynamic_slice"):  # all of the axis, in its order
        return axis if before[axis] == after[axis] else None
    if name == "pad":
        return axis if not any(given["padding_config"][axis]) else None
    if name == "reshape":  # in the order of memory
        is_kept = given["dimensions"] is None and before[: axis + 1] == after[: axis + 1]
        return axis if operand == 0 and is_kept else None
    if name.startswith(("reduce_", "arg")) and "axes" in given:
        gone = given["axes"]
        return None if axis in gone else axis - sum(each < axis for each in gone)
    return _axis_of_product(equation, operand, axis) if name == "dot_general" else None


def _axis_of_product(equation: Any, operand: int, axis: int) -> int | None:
    """In the result stand the batch's axes first, then what is left of each operand."""
    contracted, batch = (sides[operand] for sides in equation.params["dimension_numbers"])
    if axis in batch:
        return int(tuple(batch).index(axis))
    if axis in contracted:
        return None
    free = axis - sum(each < axis for each in (*contracted, *batch))
    num_left = len(equation.invars[0].aval.shape) - len(contracted)
    return int(free + (len(batch) if operand == 0 else num_left))
