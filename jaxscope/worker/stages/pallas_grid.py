"""The grid of a Pallas kernel, and which block of each array every step of it takes.

Each array has an index map: a small jaxpr from a point of the grid to the number of a block. It is
evaluated with NumPy for all points together, so nothing is compiled and no device is used.
**Cost.** Linear in steps, times equations of the map. **Limits.** Maps that read values (scalar
prefetch), use other primitives, or have more than `MAX_STEPS` points are left out; so are sizes
that are no numbers, and offsets that count from a padding.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.worker import compat
from jaxscope.worker.host.values import aval_text

MAX_STEPS = 4_096

Ints = npt.NDArray[np.int64]


def _divide(x: Any, y: Any) -> Any:
    """Integer division as XLA does it: rounded towards zero."""
    if not np.all(y):
        raise ZeroDivisionError
    return np.abs(x) // np.abs(y) * np.sign(x) * np.sign(y)


def _invert(x: Any) -> Any:
    if np.asarray(x).dtype != bool:
        raise TypeError("of an integer it depends on its width")
    return np.logical_not(x)


_RULES: Mapping[str, Callable[..., Any]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": _divide,
    "rem": lambda x, y: x - _divide(x, y) * y,
    "neg": operator.neg,
    "sign": np.sign,
    "abs": np.abs,
    "max": np.maximum,
    "min": np.minimum,
    "clamp": lambda low, x, high: np.clip(x, low, high),
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "and": operator.and_,
    "or": operator.or_,
    "not": _invert,
    "select_n": lambda which, *cases: np.choose(np.asarray(which, np.int64), cases),
}
"""Integer arithmetic of index maps."""
_TOO_LARGE = 1 << 31
"""Numbers of 32 bits would have become others."""


def describe_grid(parameters: Mapping[str, Any]) -> dict[str, str]:
    """Attributes of a `pallas_call`: see `jaxpr`.

    Args:
        parameters: Of the equation.

    Returns:
        Fewer attributes, or none, where JAX keeps the grid otherwise.
    """
    grid = list_grid(parameters)
    if grid is None:
        return {}
    found = {"grid": _join(grid)}
    try:
        mapping = parameters["grid_mapping"]
        arrays = list(mapping.block_mappings)
        names = compat.argument_names(parameters["jaxpr"])
        num_indices, num_inputs = int(mapping.num_index_operands), int(mapping.num_inputs)
    except (AttributeError, KeyError, TypeError, ValueError):
        return found
    points = _list_points(grid)
    for number, array in enumerate(arrays):
        named = names[number + num_indices :]
        role = "in" if number < num_inputs else "out"
        try:
            shown = [named[0] if named else str(array.origin), role, aval_text(array.array_aval)]
            sizes = [_size(each) for each in array.block_shape]
        except (AttributeError, TypeError, ValueError):
            found[f"block[{number}]"] = "not known"
            continue
        found[f"block[{number}]"] = "; ".join([*shown, _join(sizes)])
        starts = None if points is None else _find_starts(array, sizes, points)
        if starts is not None:
            found[f"places[{number}]"] = " ".join(map(_join, starts.tolist()))
    return found


def list_grid(parameters: Mapping[str, Any]) -> list[int] | None:
    """Sizes of the grid of a `pallas_call`; None where they are no numbers."""
    try:
        return [int(size) for size in parameters["grid_mapping"].grid]
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def describe_references(
    parameters: Mapping[str, Any], num_operands: int, num_references: int
) -> list[str]:
    """What each reference that a kernel gets stands for: see `refers` in `jaxpr`.

    Empty where JAX keeps the grid otherwise, or counts others than there are.
    """
    try:
        mapping = parameters["grid_mapping"]
        num_first = int(mapping.num_dynamic_grid_bounds)
        num_indices, num_inputs = int(mapping.num_index_operands), int(mapping.num_inputs)
        num_outputs, num_scratch = int(mapping.num_outputs), int(mapping.num_scratch_operands)
        parts = [_part_of(array) for array in mapping.block_mappings]
    except (AttributeError, KeyError, TypeError, ValueError):
        return []
    num_arrays = num_inputs + num_outputs
    if num_references != num_indices + num_arrays + num_scratch:
        return []
    if num_operands != num_first + num_indices + num_inputs or len(parts) != num_arrays:
        return []
    operands = [*[""] * num_indices, *parts[:num_inputs]]
    told = [f"{part}operand {num_first + n}" for n, part in enumerate(operands)]
    told += [f"{part}result {n}" for n, part in enumerate(parts[num_inputs:])]
    return told + ["scratch memory"] * num_scratch


def _part_of(array: Any) -> str:
    """Whether a step takes a block of an array or all of it."""
    sizes = tuple(map(_size, array.block_shape))
    return "" if sizes == tuple(array.array_aval.shape) else "block of "


def _join(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def _size(dimension: Any) -> int:
    """Elements of a block along a dimension; one where the block has no such dimension.

    Raises:
        TypeError: It is of a kind that is not known.
    """
    if dimension is None or type(dimension).__name__ == "Squeezed":
        return 1
    if any(getattr(dimension, "padding", ())):
        raise TypeError("its offsets count from the padding")
    return int(getattr(dimension, "block_size", dimension))


def _list_points(grid: Sequence[int]) -> Ints | None:
    """The points of a grid in order, the last axis fastest; None of too many.

    A kernel without a grid runs once: its one point has no axes.
    """
    if np.prod([float(size) for size in grid]) > MAX_STEPS:
        return None
    return np.indices(grid, np.int64).reshape(len(grid), math.prod(grid))


def _find_starts(array: Any, sizes: Sequence[int], points: Ints) -> Ints | None:
    """Of each step the first element of its block, one row for each; None if it is not known."""
    try:
        read = _evaluate(array.index_map_jaxpr, list(points))
    except (AttributeError, KeyError, TypeError, ValueError, ZeroDivisionError):
        return None
    if len(read) != len(sizes):
        return None
    starts = np.empty((points.shape[1], len(sizes)), np.int64)
    for axis, (index, size, dimension) in enumerate(
        zip(read, sizes, array.block_shape, strict=True)
    ):
        counts_blocks = type(dimension).__name__ not in ("Element", "BoundedSlice")
        starts[:, axis] = np.asarray(index) * (size if counts_blocks else 1)
    return starts


def _evaluate(closed: Any, arguments: Sequence[Any]) -> list[Any]:
    """The results of a closed jaxpr of integers.

    Raises:
        KeyError: It has another primitive, or an operand that is not known.
    """
    jaxpr = compat.open_jaxpr(closed)
    variables = [*jaxpr.constvars, *jaxpr.invars]
    values = [*compat.consts_of(closed), *arguments]
    known: dict[int, Any] = dict(zip(map(id, variables), values, strict=True))

    def read(atom: Any) -> Any:
        return np.asarray(atom.val) if compat.is_literal(atom) else known[id(atom)]

    for equation in jaxpr.eqns:
        operands = [read(atom) for atom in equation.invars]
        if equation.primitive.name in ("jit", "pjit"):
            results = _evaluate(equation.params["jaxpr"], operands)
        else:
            results = [_apply(equation, operands)]
        known.update(zip(map(id, equation.outvars), results, strict=True))
    return [read(atom) for atom in jaxpr.outvars]


def _apply(equation: Any, operands: Sequence[Any]) -> Any:
    if equation.primitive.name == "convert_element_type":
        if np.dtype(equation.params["new_dtype"]).kind not in "biu":
            raise TypeError("an index map that is not of integers")
        return operands[0]
    result = _RULES[equation.primitive.name](*operands)
    if np.any(np.abs(np.asarray(result, np.int64)) >= _TOO_LARGE):
        raise ValueError("too large for 32 bits")
    return result
