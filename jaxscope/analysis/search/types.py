"""Compare types with patterns such as `f32[*,128]`."""

from __future__ import annotations

import functools

from jaxscope.analysis.cost.array_type import parse_type
from jaxscope.analysis.view.labels import short_type


@functools.lru_cache(maxsize=65536)
def matches_type(type_: str, element: str, sizes: tuple[str, ...]) -> bool:
    """Whether a type has an element type and sizes; `*` is any one, `...` any number of sizes.

    Layouts are looked through, and `tensor<8x2xf32>` is `f32[8,2]`. What is no array matches
    nothing.
    """
    array = parse_type(short_type(type_).replace("i1[", "bool[").replace("pred[", "bool["))
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
