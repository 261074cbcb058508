"""MLIR constants that are printed as hexadecimal bytes, made legible for display."""

from __future__ import annotations

import re
import sys

import numpy as np
import numpy.typing as npt

_BYTES = re.compile(r'dense<"0x([0-9A-Fa-f]{16,})">(?:\s*:\s*tensor<([^<>]*)>)?')
_SHOWN_VALUES = 4
_FORMATS = {
    "f64": "<f8", "f32": "<f4", "f16": "<f2",
    "i64": "<i8", "i32": "<i4", "i16": "<i2", "i8": "<i1",
    "ui64": "<u8", "ui32": "<u4", "ui16": "<u2", "ui8": "<u1",
}  # fmt: skip


def shorten_constants(line: str) -> str:
    """The line, with the bytes of large constants replaced by their first values and their number.

    `dense<"0x0000803F…">` becomes `dense<1.0, 2.0, … 128 values>`; bytes of an element type that
    is not known are counted. What is short stays as it is.
    """
    return _BYTES.sub(_shorten, line) if '"0x' in line else line


def _shorten(match: re.Match[str]) -> str:
    digits, type_ = match[1], match[2] or ""
    rest = match[0][match[0].index(">", len("dense<") + len(digits)) + 1 :]
    if len(digits) % 2:
        return match[0]
    values = _decode(bytes.fromhex(digits), type_)
    if values is None:
        return f"dense<… {len(digits) // 2:,} bytes>{rest}"
    shown = ", ".join(_format(value) for value in values[:_SHOWN_VALUES].tolist())
    more = f", … {len(values):,} values" if len(values) > _SHOWN_VALUES else ""
    return f"dense<{shown}{more}>{rest}"


def _decode(data: bytes, type_: str) -> npt.NDArray[np.generic] | None:
    element = type_.rpartition("x")[2] if type_ else ""
    if element == "bf16":
        if len(data) % 2:
            return None
        wide = np.frombuffer(data, "<u2").astype(np.uint32) << 16
        return wide.view(np.float32)
    known = _FORMATS.get(element)
    if known is None or len(data) % np.dtype(known).itemsize:
        return None
    return np.frombuffer(data, known)


def _format(value: float | int) -> str:
    if isinstance(value, int):
        return str(value)
    return f"{value:.6g}" if abs(value) < sys.float_info.max else str(value)
