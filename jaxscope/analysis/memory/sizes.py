"""Bytes of values from the types that stages print."""

from __future__ import annotations

import functools
import math
import re

_ARRAY = re.compile(r"([A-Za-z][\w<>]*)\[([^\[\]]*)\]")
_LAYOUT = re.compile(r"\{([\d,]*)(?::T((?:\([\d,]+\))+))?[^}]*\}")
_TILE = re.compile(r"\(([\d,]+)\)")
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


@functools.lru_cache(maxsize=8192)
def find_padding(type_text: str, layout: str) -> float:
    """Bytes that an array takes beyond its payload because of the tiles that its layout has.

    Args:
        type_text: Such as `f32[5,130]`.
        layout: As XLA prints it, such as `{1,0:T(8,128)}`; empty where nothing is known of it.

    Returns:
        0 where the layout has no tiles; NaN where they are of a kind that is not understood.
    """
    match, array = _LAYOUT.fullmatch(layout), _ARRAY.fullmatch(type_text)
    if match is None or array is None:
        return 0.0 if not layout else math.nan
    if match[2] is None:
        return 0.0
    order = [int(part) for part in match[1].split(",") if part]
    sizes = [part.strip().removeprefix("<=") for part in array[2].split(",") if part.strip()]
    tiles = [[int(n) for n in tile.split(",")] for tile in _TILE.findall(match[2])]
    if len(order) != len(sizes) or not all(size.isdecimal() for size in sizes):
        return math.nan
    if sorted(order) != list(range(len(order))) or not _divides(tiles):
        return math.nan
    from_major = [int(sizes[dimension]) for dimension in reversed(order)]
    outer = [1] * max(len(tiles[0]) - len(from_major), 0) + from_major
    kept, tiled = outer[: len(outer) - len(tiles[0])], outer[len(outer) - len(tiles[0]) :]
    padded = [-(-size // tile) * tile for size, tile in zip(tiled, tiles[0], strict=True)]
    element = _array_bytes(array[1], "1024")
    whole = math.prod(kept) * math.prod(padded) * element / 1024
    return math.ceil(whole) - find_bytes(type_text)


def _divides(tiles: list[list[int]]) -> bool:
    """Whether later tiles only cut up the first one, so that they pad nothing."""
    if any(size < 1 for tile in tiles for size in tile):
        return False
    first = tiles[0]
    return all(
        len(tile) <= len(first)
        and all(a % b == 0 for a, b in zip(reversed(first), reversed(tile), strict=False))
        for tile in tiles[1:]
    )
