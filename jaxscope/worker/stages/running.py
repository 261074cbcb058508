"""What it takes to run equations one by one: the jaxpr that a call or a branch runs, the rounds of
a loop, what mutable arrays hold, and how many NaN and Inf a value has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.operations import CALLS
from jaxscope.model.said import BOTH, Said, say, say_count, say_joined
from jaxscope.worker import compat
from jaxscope.worker.provenance.tagging import nested_jaxprs


@dataclass(frozen=True, slots=True)
class NonfiniteCount:
    """Elements of an array that are not finite.

    Attributes:
        num_nan: NaN, in complex numbers in either part.
        num_inf: Positive or negative infinity.
        size: Elements of the array.
    """

    num_nan: int = 0
    num_inf: int = 0
    size: int = 0

    def __bool__(self) -> bool:
        return bool(self.num_nan or self.num_inf)

    def __str__(self) -> str:
        return str(self.told())

    def told(self) -> Said:
        """Such as `2 NaN among 8 values`."""
        words = ((self.num_nan, "NaN"), (self.num_inf, "Inf"))
        parts = [f"{number:,} {word}" for number, word in words if number]
        return say(
            "{odd} among {values}",
            odd=say_joined(parts, BOTH),
            values=say_count(self.size, "value"),
        )


def is_reference(value: Any) -> bool:
    """Whether it is a mutable array, of `jax.new_ref`, which NumPy cannot read."""
    return isinstance(value, getattr(jax, "Ref", ()))


def is_plain(value: Any) -> bool:
    """Whether NumPy holds it as well: keys of random numbers it does not."""
    dtype = getattr(value, "dtype", None)
    return dtype is None or not jnp.issubdtype(dtype, jax.dtypes.extended)


def as_input(variable: Any, value: Any) -> Any:
    """A number of Python's or NumPy's as the array that the program gets."""
    if isinstance(value, jax.Array) or not is_plain(value) or is_reference(value):
        return value
    return jnp.asarray(value, variable.aval.dtype)


def held(value: Any) -> Any:
    """What a mutable array holds now; anything else as it is."""
    return value[...] if is_reference(value) else value


def copy_before_sum(equation: Any, values: Sequence[Any]) -> Any:
    """What a mutable array holds to which an equation is about to add; None of other equations."""
    return np.array(held(values[0])) if equation.primitive.name == "addupdate" else None


def see_sum(before: Any, values: list[Any], results: list[Any]) -> tuple[list[Any], list[Any]]:
    """What an equation read and made; of a sum in a mutable array, before and after it.

    Args:
        before: Of `copy_before_sum`.
        values: Operands of the equation.
        results: Of the equation: none of a sum in place.
    """
    if before is None:
        return values, results
    return [before, *values[1:]], [held(values[0])]


def count_nonfinite(value: Any) -> NonfiniteCount:
    """How many elements of an array or number are not finite; 0 of what holds no such numbers."""
    value = held(value)
    dtype = getattr(value, "dtype", None)
    if isinstance(value, float | complex):  # JAX's own kinds of literals are both
        dtype = np.dtype(complex if isinstance(value, complex) else float)
    if dtype is None or not jnp.issubdtype(dtype, jnp.inexact):
        return NonfiniteCount()
    try:
        array = np.asarray(value)  # JAX would compile a test for each shape
        if bool(np.isfinite(array).all()):
            return NonfiniteCount()
        is_nan = np.isnan(array)
        num_inf = int(np.count_nonzero(np.isinf(array) & ~is_nan))
        return NonfiniteCount(int(np.count_nonzero(is_nan)), num_inf, int(array.size))
    except Exception:  # of a type that NumPy cannot test
        return NonfiniteCount()


def find_called(equation: Any, values: list[Any]) -> list[tuple[str, Any, list[Any]]]:
    """The jaxpr that an equation runs once, its name in ids, and what it gets; or nothing."""
    name = equation.primitive.name
    nested = nested_jaxprs(equation.params)
    if name == "cond" and nested:
        branches = [each for each in nested if each[0].startswith("branches")]
        path, branch = branches[int(np.clip(int(values[0]), 0, len(branches) - 1))]
        return [(path, branch, values[1:])]
    if name in CALLS and nested:
        path, called = nested[0]
        if len(compat.open_jaxpr(called).invars) == len(values):
            return [(path, called, values)]
    return []


@dataclass(frozen=True, eq=False)
class Loop:
    """A loop equation with its values.

    Attributes:
        body: The jaxpr of one round.
        name: Of the body among the parameters.
        start: The state before the first round.
        inputs: What the body gets, by number and state of a round.
        goes_on: Whether there is a round of this number, with this state. Of a `while` under
            `vmap`, which has one condition for each element, whether any of them goes on.
        num_state: So many results of the body are the state of the next round.
        is_active: Of a `while` under `vmap`, by a state: which elements go on. The others keep
            their state, as in JAX's own lowering.
        length: How many rounds there are; None where the state decides.
        is_reversed: The first round reads the last slices.
    """

    body: Any
    name: str
    start: tuple[Any, ...]
    inputs: Callable[[Any, Sequence[Any]], list[Any]]
    goes_on: Callable[[Any, Sequence[Any]], Any]
    num_state: int
    length: int | None
    is_reversed: bool = False
    is_active: Callable[[Sequence[Any]], Any] | None = None

    def after(self, state: Sequence[Any], results: Sequence[Any]) -> tuple[Any, ...]:
        """The state after a round, of the state before it and what its body gave."""
        made = tuple(results[: self.num_state])
        if self.is_active is None:
            return made
        active = self.is_active(state)

        def select(new: Any, old: Any) -> Any:
            axes = tuple(range(active.ndim, jnp.ndim(new)))
            return jnp.where(jnp.expand_dims(active, axes), new, old)

        return tuple(map(select, made, state))

    def join(self, state: Sequence[Any], rows: Sequence[tuple[int, Sequence[Any]]]) -> list[Any]:
        """The results of the loop: the state after it, and what each round gave to its place."""
        ordered = [row for _, row in sorted(rows, key=lambda each: each[0])]
        return [*state, *(jnp.stack(column) for column in zip(*ordered, strict=True))]

    def place(self, number: Any) -> Any:
        """Index of the slices that a round reads, by its number; the number where it has none."""
        if self.is_reversed and self.length is not None:
            return self.length - 1 - number
        return number


def read_loop(equation: Any, values: list[Any]) -> Loop | None:
    if equation.primitive.name == "scan":
        return _read_scan(equation.params, values)
    if equation.primitive.name == "while":
        return _read_while(equation.params, values)
    return None


def _read_scan(parameters: dict[str, Any], values: list[Any]) -> Loop:
    length = int(parameters["length"])
    num_consts, num_carry = compat.scan_counts(parameters).values()
    end = num_consts + num_carry
    consts, start, sliced = values[:num_consts], values[num_consts:end], values[end:]

    def inputs(number: Any, state: Sequence[Any]) -> list[Any]:
        place = length - 1 - number if parameters["reverse"] else number
        return [*consts, *state, *(value[place] for value in map(jnp.asarray, sliced))]

    body = parameters["jaxpr"]
    return Loop(
        body,
        "jaxpr",
        tuple(start),
        inputs,
        lambda number, _: number < length,
        len(start),
        length,
        bool(parameters["reverse"]),
    )


def _read_while(parameters: dict[str, Any], values: list[Any]) -> Loop:
    num_cond, num_body = parameters["cond_nconsts"], parameters["body_nconsts"]
    for_cond, for_body = values[:num_cond], values[num_cond : num_cond + num_body]
    start = tuple(values[num_cond + num_body :])

    condition = parameters["cond_jaxpr"]

    def is_active(state: Sequence[Any]) -> Any:
        return compat.evaluate_jaxpr(condition, [*for_cond, *state])[0]

    return Loop(
        parameters["body_jaxpr"],
        "body_jaxpr",
        start,
        lambda _, state: [*for_body, *state],
        lambda _, state: jnp.any(is_active(state)),
        len(start),
        None,
        is_active=is_active if compat.open_jaxpr(condition).outvars[0].aval.shape else None,
    )


def find_round(loop: Loop, *, for_nan: bool) -> tuple[int, list[Any]] | None:
    """The first round that gives what is not finite, and the state before it; None without one."""

    def goes_on(carried: Any) -> Any:
        number, _, state, is_found = carried
        return ~is_found & loop.goes_on(number, state)

    def take_round(carried: Any) -> Any:
        number, _, state, _ = carried
        results = compat.evaluate_jaxpr(loop.body, loop.inputs(number, state))
        after = loop.after(state, results)
        is_found = jnp.zeros((), bool)
        for result in (*after, *results[loop.num_state :]):
            if jnp.issubdtype(result.dtype, jnp.inexact):
                odd = jnp.isnan(result) if for_nan else ~jnp.isfinite(result)
                is_found |= odd.any()
        return number + 1, state, after, is_found

    start = tuple(map(jnp.asarray, loop.start))
    carried = (jnp.int32(0), start, start, jnp.zeros((), bool))
    number, before, _, is_found = jax.lax.while_loop(goes_on, take_round, carried)
    return (int(number) - 1, list(before)) if bool(is_found) else None
