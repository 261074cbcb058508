"""Summaries of arrays, and slices of them as tables of numbers."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say
from jaxscope.model.units import shorten
from jaxscope.model.values import Index, ValueCondition, compare_arrays, parse_slice
from jaxscope.worker.stages.running import count_nonfinite, held, is_plain

_MAX_TEXT = 160
_CHUNK = 1 << 20
_MAX_ROWS, _MAX_COLUMNS, _MAX_CELLS = 200, 200, 4_000
_PICTURE_ROWS, _PICTURE_COLUMNS = 96, 192
_MAX_PICTURED = 1 << 22
"""Elements that a picture and its histogram are made of; of more every so many is taken."""
_NUM_BINS = 40
_MAX_COMPARED = 1 << 26
"""Elements: of more, what is made on the way would not fit."""

Floats = npt.NDArray[np.float64]


def summarize(value: Any) -> dict[str, Any]:
    """The fields of an `ArraySummary`; what is not known is None."""
    value = held(value)
    shape = [int(size) for size in np.shape(value)]
    dtype = getattr(value, "dtype", None)
    if dtype is None:
        dtype = np.asarray(value).dtype
    count = count_nonfinite(value)
    found: dict[str, Any] = {
        "shape": shape,
        "dtype": "float0" if dtype == jax.dtypes.float0 else str(dtype),
        "min": None,
        "max": None,
        "mean": None,
        "num_nan": count.num_nan,
        "num_inf": count.num_inf,
        "text": "",
    }
    if is_plain(value) and dtype != jax.dtypes.float0:  # that has no numbers
        found["text"] = _write(np.asarray(value))
    if not _is_ordered(dtype):
        return found
    array = np.asarray(value)
    if array.size <= _CHUNK:
        low, high, mean, _ = _find_range(array)
    else:
        low, high, mean = _find_range_in_chunks(array)
    return {**found, "min": low, "max": high, "mean": mean}


def _is_ordered(dtype: Any) -> bool:
    is_number = jnp.issubdtype(dtype, jnp.number) or jnp.issubdtype(dtype, jnp.bool_)
    return bool(is_number) and not jnp.issubdtype(dtype, jnp.complexfloating)


def _find_range(array: Any) -> tuple[Any, Any, Any, int]:
    """Lowest, highest and mean of the finite elements, and their number; None of none."""
    is_float = jnp.issubdtype(array.dtype, jnp.inexact)
    if is_float:
        if array.dtype not in (np.float32, np.float64):  # of small types NumPy is slow
            array = array.astype(np.float64)
        is_finite = np.isfinite(array)
        array = array if is_finite.all() else array[is_finite]
    if not array.size:
        return None, None, None, 0
    kind = float if is_float else int
    with np.errstate(over="ignore"):
        mean = float(array.mean(dtype=np.float64))
    low, high = kind(array.min()), kind(array.max())
    return low, high, mean if math.isfinite(mean) else None, int(array.size)


def _find_range_in_chunks(array: Any) -> tuple[Any, Any, Any]:
    """The same without a copy of the whole in double precision."""
    low = high = None
    mean, count = 0.0, 0
    for chunk in _chunks(array):
        lowest, highest, middle, size = _find_range(chunk)
        if lowest is None:
            continue
        low = lowest if low is None else min(low, lowest)
        high = highest if high is None else max(high, highest)
        count += size
        mean += ((math.nan if middle is None else middle) - mean) * (size / count)
    return low, high, mean if low is not None and math.isfinite(mean) else None


def _chunks(array: Any) -> Iterator[Any]:
    flat = array.reshape(-1)
    for start in range(0, flat.size, _CHUNK):
        yield flat[start : start + _CHUNK]


def _write(array: Any) -> str:
    """The first and last elements in the order of memory, in a line; a number by itself."""
    text = np.array2string(
        array.ravel() if array.shape else array,
        max_line_width=10**6,
        precision=4,
        threshold=6,
        edgeitems=3,
    )
    words = " ".join(text.replace("...", "…").split()).replace("[ ", "[").replace(" ]", "]")
    return shorten(words, _MAX_TEXT)


def matches(condition: ValueCondition, value: Any) -> bool:
    """Whether an element of a value, or its type, is as a condition says."""
    value = held(value)
    if condition.kind == "shape":
        return tuple(np.shape(value)) == condition.shape
    dtype = getattr(value, "dtype", None)
    if condition.kind == "dtype":
        return str(dtype) == condition.dtype
    if condition.kind in ("nan", "inf"):
        count = count_nonfinite(value)
        return bool(count.num_nan if condition.kind == "nan" else count.num_inf)
    if dtype is None or not is_plain(value) or not _is_ordered(dtype):
        return False
    compare = _COMPARISONS[condition.kind]
    array, number = np.asarray(value), condition.number
    if jnp.issubdtype(array.dtype, jnp.floating):  # 0.1 is that of the array's type, as in JAX
        with np.errstate(over="ignore"):
            rounded = float(np.float64(number).astype(array.dtype))
        number = rounded if math.isfinite(rounded) else number
    with np.errstate(invalid="ignore"):
        return any(compare(c.astype(np.float64), number).any() for c in _chunks(array))


_COMPARISONS: dict[str, Any] = {
    ">": np.greater,
    ">=": np.greater_equal,
    "<": np.less,
    "<=": np.less_equal,
    "==": np.equal,
    "!=": np.not_equal,
}


def describe_difference(one: Any, other: Any) -> dict[str, Any] | None:
    """The known fields of an `ArrayDifference`; None where two values cannot be compared."""
    pair = map(held, (one, other))
    one, other = (each if hasattr(each, "dtype") else np.asarray(each) for each in pair)
    if not (is_plain(one) and is_plain(other)):
        return None
    if one.dtype != other.dtype or one.dtype == jax.dtypes.float0 or one.size > _MAX_COMPARED:
        return None
    arrays = [np.asarray(each) for each in (one, other)]
    if arrays[0].dtype.kind == "V" and not jnp.issubdtype(arrays[0].dtype, jnp.floating):
        arrays = [each.astype(np.int8) for each in arrays]  # of 4 bits and less
    try:
        found = compare_arrays(*arrays)
    except ValueError:
        return None
    fields = dataclasses.asdict(found)
    if found.max_ulps < 0:
        del fields["max_ulps"]
    return {**fields, "max_abs": found.max_abs if math.isfinite(found.max_abs) else None}


@dataclass(frozen=True, eq=False)
class SliceView:
    """An `ArrayView` of a slice, as it is sent.

    Attributes:
        fields: Of an `ArrayView`, but its arrays.
        arrays: Of an `ArrayView`.
    """

    fields: dict[str, Any]
    arrays: dict[str, Any]


def view_slice(value: Any, text: str) -> SliceView:
    """Look at a slice of a value.

    Args:
        text: As for `parse_slice`; empty for the first two-dimensional slice.

    Raises:
        ValueError: It is no slice of such a value, or has more than two dimensions.
    """
    note, value = "", held(value)
    if not is_plain(value):
        value = jax.random.key_data(value)
        note = say("Random keys are shown as the numbers that they consist of.")
    array = np.asarray(value)
    if not text.strip():
        text = ", ".join(["0"] * (array.ndim - 2) + ["..."])
    index = parse_slice(text, array.shape)
    part = array[index]
    if part.ndim > 2:
        raise ValueError(
            f"This slice has {part.ndim} dimensions. Write an index in place of some colons, so "
            "that one or two are left."
        )
    rows, columns = (1, part.size) if part.ndim < 2 else part.shape
    if part.ndim == 1:
        rows, columns = columns, 1
    num_columns = min(columns, _MAX_COLUMNS)
    num_rows = min(
        rows, _MAX_ROWS if columns > 1 else _MAX_CELLS, _MAX_CELLS // max(num_columns, 1)
    )
    shown = part.reshape(rows, columns)[:num_rows, :num_columns]
    numbers = _as_numbers(part)
    if np.iscomplexobj(part):
        note = say("Picture and histogram show the magnitude.")
    arrays, sampled = _make_picture(numbers)
    pairs = zip(index, array.shape, strict=True)
    kept = [each.indices(size) for each, size in pairs if isinstance(each, slice)]
    return SliceView(
        {
            "slice": write_slice(index),
            "shape": list(part.shape),
            "cells": [str(cell) for cell in shown.reshape(-1)],
            "num_rows": num_rows,
            "num_columns": num_columns,
            "starts": [start for start, _, _ in kept],
            "steps": [step for _, _, step in kept],
            "summary": summarize(part),
            "sampled": sampled,
            "note": note,
        },
        arrays,
    )


def write_slice(index: Sequence[Index]) -> str:
    """A slice as it was read."""
    return f"[{', '.join(map(_write_index, index))}]"


def _write_index(index: Index) -> str:
    if isinstance(index, int):
        return str(index)
    start, stop, step = ("" if n is None else str(n) for n in (index.start, index.stop, index.step))
    return f"{start}:{stop}" + (f":{step}" if step else "")


def _as_numbers(part: Any) -> Any:
    """What can be drawn of an array."""
    return np.abs(part) if np.iscomplexobj(part) else part


def _make_picture(part: Any) -> tuple[dict[str, Any], int]:
    """The arrays of an `ArrayView`, and of how many elements one was looked at."""
    sampled = 1
    while part.size // sampled > _MAX_PICTURED:
        sampled *= 2
    if sampled > 1:
        part = part[..., ::sampled] if part.shape[-1] >= sampled else part[::sampled]
    numbers = np.asarray(part, np.float64)
    odd = np.where(np.isnan(numbers), 1, np.where(np.isinf(numbers), 2, 0))
    finite = np.where(odd == 0, numbers, np.nan)
    arrays: dict[str, Any] = {"highest": np.empty((0, 0))}
    if numbers.ndim == 2:
        arrays["picture"] = _pool(finite, _mean)
        arrays["odd"] = _pool(odd, _first_odd).astype(np.int32)
    else:
        row = finite.reshape(1, -1)
        arrays["picture"] = _pool(row, _lowest)
        arrays["highest"] = _pool(row, _highest)
        arrays["odd"] = _pool(odd.reshape(1, -1), _first_odd).astype(np.int32)
    known = numbers[odd == 0]
    counts, edges = np.empty(0, np.int64), np.empty(0)
    if known.size:
        with np.errstate(over="ignore", invalid="ignore"):
            low, high = float(known.min()), float(known.max())
            if math.isfinite(high - low):
                counts, edges = np.histogram(known, _NUM_BINS, (low, high))
    arrays |= {"counts": counts.astype(np.int64), "edges": edges.astype(np.float64)}
    return arrays, sampled


def _pool(array: Any, combine: Any) -> Any:
    """Fewer cells, each of which combines a block."""
    for axis, most in ((0, _PICTURE_ROWS), (1, _PICTURE_COLUMNS)):
        size = array.shape[axis]
        if size > most:
            starts = np.arange(most) * size // most
            parts = np.split(array, starts[1:], axis)
            array = np.stack([combine(part, axis) for part in parts], axis)
    return array


def _mean(part: Floats, axis: int) -> Floats:
    known = ~np.isnan(part)
    count = known.sum(axis)
    with np.errstate(invalid="ignore", over="ignore"):
        total: Floats = np.where(known, part, 0.0).sum(axis) / np.where(count, count, 1)
    return np.where(count > 0, total, np.nan)


def _lowest(part: Floats, axis: int) -> Floats:
    found: Floats = np.fmin.reduce(part, axis)
    return found


def _highest(part: Floats, axis: int) -> Floats:
    found: Floats = np.fmax.reduce(part, axis)
    return found


def _first_odd(part: Any, axis: int) -> Any:
    """Codes of blocks of elements: 1 (NaN) where a block has one, else the largest code."""
    return np.where((part == 1).any(axis), 1, part.max(axis))
