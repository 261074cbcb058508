"""Readers of types as stages print them:

`f32[8,128]` (jaxprs), `(f32[8], s32[])` with layouts (HLO), `tensor<8x2xf32>` (StableHLO).

They give element type, shape, payload bytes (padding not counted), padding of tiled layouts, the
short form that is shown, and whether a type matches a pattern such as `f32[*,128]`. Unknown sizes
are NaN.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import math
import re

# Read shapes and sizes out of types as JAX prints them.


_JAXPR_TYPE = re.compile(r"^~?([A-Za-z][\w<>]*)\[([^\[\]]*)\](?:\{.*\}|\*)?$")
_JAXPR_BITS = re.compile(r"^(?:bf|f|i|u|c)(\d+)$")
_NAMED_BYTES = {
    "bool": 1,
    "float0": 0,
    "key<fry>": 8,
    "key<rbg>": 16,
    "key<urbg>": 16,
    "key<unsafe_rbg>": 16,
}


@dataclasses.dataclass(frozen=True, slots=True)
class ArrayType:
    """An array's type.

    Attributes:
        element: Such as `f32`.
        shape: Its dimensions.
        num_bytes: Payload bytes, padding not counted; NaN for element types of unknown size.
    """

    element: str
    shape: tuple[int, ...]
    num_bytes: float

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def is_complex(self) -> bool:
        return self.element.startswith("c")

    @property
    def is_float(self) -> bool:
        return self.element[:1] in ("f", "b") and self.element != "bool"


@functools.lru_cache(maxsize=8192)
def parse_array_type(text: str) -> ArrayType | None:
    """Parse `f32[8,128]`; None if it is no array type or has a symbolic dimension.

    The name of a mesh axis after a dimension (`f32[8@x]`) does not change the size.
    """
    match = _JAXPR_TYPE.match(text)
    if match is None:
        return None
    shape: list[int] = []
    for part in match[2].split(",") if match[2] else ():
        digits = part.partition("@")[0].strip()
        if not digits.isdecimal():
            return None
        shape.append(int(digits))
    return ArrayType(match[1], tuple(shape), math.prod(shape) * _element_bytes(match[1]))


def _element_bytes(element: str) -> float:
    if element in _NAMED_BYTES:
        return _NAMED_BYTES[element]
    if element.startswith("f8_"):
        return 1
    match = _JAXPR_BITS.match(element)
    # Sub-byte types are packed by some backends and not by others.
    return int(match[1]) // 8 if match and int(match[1]) >= 8 else math.nan


# Bytes of values from the types that stages print.


_ANY_ARRAY = re.compile(r"([A-Za-z][\w<>]*)\[([^\[\]]*)\]")
_TILED_LAYOUT = re.compile(r"\{([\d,]*)(?::T((?:\([\d,]+\))+))?[^}]*\}")
_TILE = re.compile(r"\(([\d,]+)\)")
_ANY_BITS = re.compile(r"^(?:bf|f|i|s|u|c)(\d+)")
_NAMED_BITS = {"pred": 8, "bool": 8, "token": 0, "float0": 0, "key<fry>": 64, "opaque": 0}


@functools.lru_cache(maxsize=8192)
def printed_type_bytes(type_text: str) -> float:
    """Payload bytes of an array, or of all arrays of a tuple; NaN where a part has no known size.

    Padding and tiling are not counted. Types narrower than a byte count as packed.
    """
    found = _ANY_ARRAY.findall(type_text)
    if not found:
        return 0.0 if type_text == "()" else math.nan
    return float(sum(_array_bytes(element, dimensions) for element, dimensions in found))


def _array_bytes(element: str, dimensions: str) -> float:
    bits: float = _NAMED_BITS.get(element, math.nan)
    match = _ANY_BITS.match(element)
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
def padding_bytes(type_text: str, layout: str) -> float:
    """Bytes that an array takes beyond its payload because of the tiles that its layout has.

    Args:
        type_text: Such as `f32[5,130]`.
        layout: As XLA prints it, such as `{1,0:T(8,128)}`; empty where nothing is known of it.

    Returns:
        0 where the layout has no tiles; NaN where they are of a kind that is not understood.
    """
    match, array = _TILED_LAYOUT.fullmatch(layout), _ANY_ARRAY.fullmatch(type_text)
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
    return math.ceil(whole) - printed_type_bytes(type_text)


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


# Sizes of values from their types as XLA writes them.


_HLO_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([\d,]*)\]")
_HLO_BITS = re.compile(r"(?:bf|f|s|u|c)(\d+)")
_BITS_PER_BYTE = 8
_MAX_TUPLE_DEPTH = 50


@functools.lru_cache(maxsize=8192)
def hlo_type_bytes(type: str) -> float:
    """Bytes of a value of a type such as `f32[8,128]` or `(f32[8], s32[])`, padding not counted.

    NaN where the size is not known: dimensions that vary, elements of less than a byte (some
    backends pack them), types of another kind. A token has no size.
    """
    if type.count("(") > _MAX_TUPLE_DEPTH:
        return math.nan
    if type.startswith("(") and type.endswith(")"):
        return sum(map(hlo_type_bytes, _elements(type[1:-1])))
    if type == "token[]":
        return 0.0
    match = _HLO_ARRAY.fullmatch(type)
    if match is None:
        return math.nan
    return num_elements(type) * _bytes_per_element(match[1])


def num_elements(type: str) -> float:
    """Elements of an array of a type; NaN for what is no array of known shape."""
    match = _HLO_ARRAY.fullmatch(type)
    if match is None:
        return math.nan
    return math.prod(float(size) for size in match[2].split(",") if size)


def _bytes_per_element(element: str) -> float:
    if element == "pred":
        return 1.0
    match = _HLO_BITS.match(element)
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


# Compare types with patterns such as `f32[*,128]`.


@functools.lru_cache(maxsize=65536)
def matches_type(type_: str, element: str, sizes: tuple[str, ...]) -> bool:
    """Whether a type has an element type and sizes; `*` is any one, `...` any number of sizes.

    Layouts are looked through, and `tensor<8x2xf32>` is `f32[8,2]`. What is no array matches
    nothing.
    """
    array = parse_array_type(short_type(type_).replace("i1[", "bool[").replace("pred[", "bool["))
    if array is None:
        return False
    wanted = {"pred": "bool", "i1": "bool"}.get(element.lower(), element.lower())
    # StableHLO calls signed integers i32 and unsigned ones ui32; XLA and JAX s32, i32 and u32.
    found = {"s": "i"}.get(array.element[:1], array.element[:1]) + array.element[1:]
    found = found.replace("ui", "u", 1) if found.startswith("ui") else found
    if wanted != "*" and wanted not in (array.element.lower(), found.lower()):
        return False
    return _match_sizes(tuple(map(str, array.shape)), sizes)


def _match_sizes(shape: tuple[str, ...], sizes: tuple[str, ...]) -> bool:
    if not sizes:
        return not shape
    if sizes[0] == "...":
        return any(_match_sizes(shape[at:], sizes[1:]) for at in range(len(shape) + 1))
    return bool(shape) and sizes[0] in ("*", shape[0]) and _match_sizes(shape[1:], sizes[1:])


# How calls spell scalars: as JAX prints their types, too.


_EMPTY_SHAPE = re.compile(r"\b(bool_|bf16|[fiuc]\d+\w*)\[\s*\]")


def spell_scalars(text: str) -> str:
    """A call with `f32[]`, which is no Python, spelled `f32[()]`.

    People copy `f32[]` from what JAX prints. Text that is Python already, such as one with
    `f32[]` inside a string, stays as it is.
    """
    spelled = _EMPTY_SHAPE.sub(r"\1[()]", text)
    if spelled == text:
        return text
    try:
        ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return spelled
    return text


_PLAIN_LAYOUT = re.compile(r"\{[\d,:TSLEDP()*]*\}")
_MLIR_TENSOR = re.compile(r"^tensor<(?:([\dx?]+)x)?([a-z]\w*)(?:,.*)?>$")


def short_type(type_: str) -> str:
    """A type in JAX's short form, without layouts: `f32[8,2]` also for `tensor<8x2xf32>`."""
    match = _MLIR_TENSOR.match(type_)
    if match:
        return f"{match[2]}[{(match[1] or '').replace('x', ',')}]"
    return _PLAIN_LAYOUT.sub("", type_)
