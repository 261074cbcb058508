"""Sizes of values from their types as XLA writes them."""

from __future__ import annotations

import functools
import math
import re

_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([\d,]*)\]")
_NUMBER = re.compile(r"(?:bf|f|s|u|c)(\d+)")
_BITS_PER_BYTE = 8
_MAX_DEPTH = 50


@functools.lru_cache(maxsize=8192)
def bytes_of_type(type: str) -> float:
    """Bytes of a value of a type such as `f32[8,128]` or `(f32[8], s32[])`, padding not counted.

    NaN where the size is not known: dimensions that vary, elements of less than a byte (some
    backends pack them), types of another kind. A token has no size.
    """
    if type.count("(") > _MAX_DEPTH:
        return math.nan
    if type.startswith("(") and type.endswith(")"):
        return sum(map(bytes_of_type, _elements(type[1:-1])))
    if type == "token[]":
        return 0.0
    match = _ARRAY.fullmatch(type)
    if match is None:
        return math.nan
    return num_elements(type) * _bytes_per_element(match[1])


def num_elements(type: str) -> float:
    """Elements of an array of a type; NaN for what is no array of known shape."""
    match = _ARRAY.fullmatch(type)
    if match is None:
        return math.nan
    return math.prod(float(size) for size in match[2].split(",") if size)


def _bytes_per_element(element: str) -> float:
    if element == "pred":
        return 1.0
    match = _NUMBER.match(element)
    bits = int(match[1]) if match else 0
    return bits / _BITS_PER_BYTE if bits >= _BITS_PER_BYTE else math.nan


def _elements(inside: str) -> list[str]:
    """The parts of a tuple type, at commas outside of all brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(inside):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[start:place].strip())
            start = place + 1
    last = inside[start:].strip()
    return [*parts, last] if last else parts
