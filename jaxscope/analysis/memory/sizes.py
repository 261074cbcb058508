"""Bytes of values from the types that stages print."""

from __future__ import annotations

import functools
import math
import re

_ARRAY = re.compile(r"([A-Za-z][\w<>]*)\[([^\[\]]*)\]")
_BITS = re.compile(r"^(?:bf|f|i|s|u|c)(\d+)")
_NAMED_BITS = {"pred": 8, "bool": 8, "token": 0, "float0": 0, "key<fry>": 64, "opaque": 0}


@functools.lru_cache(maxsize=8192)
def find_bytes(type_text: str) -> float:
    """Payload bytes of an array, or of all arrays of a tuple; NaN where a part has no known size.

    Padding and tiling are not counted. Types narrower than a byte count as packed.
    """
    found = _ARRAY.findall(type_text)
    if not found:
        return 0.0 if type_text == "()" else math.nan
    return float(sum(_array_bytes(element, dimensions) for element, dimensions in found))


def _array_bytes(element: str, dimensions: str) -> float:
    bits: float = _NAMED_BITS.get(element, math.nan)
    match = _BITS.match(element)
    if match is not None:
        bits = int(match[1])
    size = 1
    for part in dimensions.split(",") if dimensions else ():
        digits = part.strip().removeprefix("<=").partition("@")[0]
        if not digits.isdecimal():
            return math.nan
        size *= int(digits)
    return float(math.ceil(size * bits / 8)) if not math.isnan(bits) else math.nan
