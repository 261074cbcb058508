"""Differences of arrays in units of the last place, of any float type that NumPy is told of."""

from __future__ import annotations

import math
from typing import Any

import jax
import numpy as np
import numpy.typing as npt

from jaxscope.worker.values import aval_text

_UNSIGNED = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}


def compare_arrays(path: str, first: Any, second: Any) -> dict[str, Any]:
    """The fields of a `LeafAgreement`; `second` counts as right.

    Raises:
        ValueError: The shapes differ.
    """
    one, other = (_parts(np.asarray(value)) for value in (first, second))
    if one.shape != other.shape:
        raise ValueError(f"shapes {one.shape} and {other.shape} differ")
    fields: dict[str, Any] = {
        "path": path,
        "type": _type_text(first),
        "count": int(one.size),
        "differing": 0,
        "max_ulp": math.nan,
        "max_absolute": 0.0,
        "max_relative": 0.0,
        "index": "",
        "first": "",
        "second": "",
        "num_nan": 0,
    }
    if not one.size:
        return fields
    if not _is_float(one.dtype):
        return fields | _compare_exact(one, other)
    return fields | _compare_floats(one, other)


def _type_text(value: Any) -> str:
    """Such as `f32[8]`, of JAX's arrays and NumPy's."""
    if hasattr(value, "aval"):
        return aval_text(value.aval)
    array = np.asarray(value)
    return aval_text(jax.core.ShapedArray(array.shape, array.dtype))


def spacing(values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Distance of the magnitude of each finite value to the next larger number of its type."""
    bits = np.abs(values).view(_UNSIGNED[values.dtype.itemsize])
    following = (bits + np.ones((), bits.dtype)).view(values.dtype)
    larger, here = following.astype(np.float64), np.abs(values).astype(np.float64)
    # The largest finite number has no finite neighbour above, but one below.
    before = np.maximum(bits, 1) - np.ones((), bits.dtype)
    below = here - before.astype(bits.dtype).view(values.dtype).astype(np.float64)
    with np.errstate(invalid="ignore"):
        gap: npt.NDArray[np.float64] = larger - here
    return np.where(np.isfinite(gap), gap, below)


def _compare_floats(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> dict[str, Any]:
    """Units are of the coarser type: between f32 and f64 those of f32, whichever is which."""
    coarse = max((one.dtype, other.dtype), key=lambda dtype: spacing(np.ones(1, dtype))[0])
    narrow = other.astype(coarse)
    wide_one, wide_other = one.astype(np.float64), other.astype(np.float64)
    finite = np.isfinite(wide_one) & np.isfinite(wide_other)
    same_odd = (np.isnan(wide_one) & np.isnan(wide_other)) | (wide_one == wide_other)
    with np.errstate(invalid="ignore", over="ignore"):
        absolute = np.where(finite, np.abs(wide_one - wide_other), 0.0)
        unit = spacing(np.where(finite, narrow, np.zeros((), coarse)))
        ulps = absolute / unit
        scale = np.abs(wide_other)
        relative = np.where(finite & (scale > 0), absolute / np.where(scale > 0, scale, 1.0), 0.0)
    odd = ~finite & ~same_odd
    # The sign of a zero is no difference that a program should depend on, and counts as none.
    differing = int(np.count_nonzero(absolute > 0))
    worst = int(np.argmax(odd)) if odd.any() else int(np.argmax(ulps))
    return {
        "differing": differing,
        "max_ulp": float(ulps.max()),
        "max_absolute": float(absolute.max()),
        "max_relative": float(relative.max()),
        "index": _index_text(worst, one.shape),
        "first": _number_text(wide_one.reshape(-1)[worst]),
        "second": _number_text(wide_other.reshape(-1)[worst]),
        "num_nan": int(np.count_nonzero(odd)),
    }


def _compare_exact(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> dict[str, Any]:
    differs = one != other
    worst = int(np.argmax(differs))
    distance = 0.0
    if one.dtype.kind in "iu" and differs.any():
        distance = float(np.max(np.abs(one.astype(np.float64) - other.astype(np.float64))))
    return {
        "differing": int(np.count_nonzero(differs)),
        "max_absolute": distance,
        "index": _index_text(worst, one.shape),
        "first": str(one.reshape(-1)[worst]),
        "second": str(other.reshape(-1)[worst]),
    }


def _parts(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Complex numbers as pairs of real ones, on one axis more."""
    if array.dtype.kind != "c":
        return np.ascontiguousarray(array).reshape(array.shape)
    real = np.ascontiguousarray(array)[..., None].view(array.real.dtype)
    return real.reshape(*array.shape, 2)


def _is_float(dtype: np.dtype[Any]) -> bool:
    """Whether NumPy or an extension has it as a floating-point type of 2, 4 or 8 bytes."""
    return dtype.kind == "f" or "float" in dtype.name


def _index_text(flat: int, shape: tuple[int, ...]) -> str:
    return str([int(i) for i in np.unravel_index(flat, shape)]) if shape else "[]"


def _number_text(value: float) -> str:
    return repr(float(value))
