"""Read shapes and sizes out of types as JAX prints them."""

from __future__ import annotations

import dataclasses
import functools
import math
import re

_TYPE = re.compile(r"^~?([A-Za-z][\w<>]*)\[([^\[\]]*)\](?:\{.*\}|\*)?$")
_BITS = re.compile(r"^(?:bf|f|i|u|c)(\d+)$")
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
def parse_type(text: str) -> ArrayType | None:
    """Parse `f32[8,128]`; None if it is no array type or has a symbolic dimension.

    The name of a mesh axis after a dimension (`f32[8@x]`) does not change the size.
    """
    match = _TYPE.match(text)
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
    match = _BITS.match(element)
    # Sub-byte types are packed by some backends and not by others.
    return int(match[1]) // 8 if match and int(match[1]) >= 8 else math.nan
