"""The values of HLO constants, as short text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from jaxscope.analysis.hlo.proto import HloMessage

_MAX_ELEMENTS = 8
_ARRAYS = ("preds", "s32s", "s64s", "u32s", "u64s", "f32s", "f64s", "c64s", "c128s")
_BYTES = {"s8s": "<i1", "u8s": "<u1", "s16s": "<i2", "u16s": "<u2", "f16s": "<f2"}
_COMPLEX = frozenset({"c64s", "c128s"})


def render_literal(literal: HloMessage) -> str:
    """The value of a scalar, all values of a small array, the first few of a larger one.

    Sub-byte and 8-bit floating-point values are not decoded: they read `…`.
    """
    size = math.prod(literal.shape.dimensions)
    if size == 0:
        return "{}"
    values = _first_values(literal)
    if values is None:
        return "…" if size == 1 else f"{{…}} ({size} values)"
    if not literal.shape.dimensions:
        return values[0] if values else "…"
    text = ", ".join(values)
    return f"{{{text}}}" if size <= _MAX_ELEMENTS else f"{{{text}, …}} ({size} values)"


def _first_values(literal: HloMessage) -> list[str] | None:
    for field in _ARRAYS:
        array = getattr(literal, field)
        if len(array):
            if field in _COMPLEX:
                numbers = list(array[: 2 * _MAX_ELEMENTS])
                pairs = zip(numbers[0::2], numbers[1::2], strict=False)
                return [f"({_number(re)}, {_number(im)})" for re, im in pairs]
            return [_number(value) for value in array[:_MAX_ELEMENTS]]
    for field, dtype in _BYTES.items():
        data = getattr(literal, field)
        if data:
            itemsize = np.dtype(dtype).itemsize
            usable = min(len(data) // itemsize, _MAX_ELEMENTS) * itemsize
            return [_number(value) for value in np.frombuffer(data[:usable], dtype).tolist()]
    if literal.bf16s:
        halves = literal.bf16s[: 2 * _MAX_ELEMENTS]
        words = np.frombuffer(halves[: len(halves) // 2 * 2], "<u2").astype("<u4") << 16
        return [_number(value) for value in words.view("<f4").tolist()]
    return None


def _number(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"{value:.7g}" if isinstance(value, float) else str(value)
