"""The one reader of types, in each of the ways in which stages print them:

`f32[8,128]` (jaxprs, with axes of a mesh as `f32[8@x]`, in the host's memory `f32<host>[8]`),
`(f32[8]{0:T(8)}, s32[])` with layouts (HLO), `tensor<8x2xf32>` (StableHLO). All are read into the
same form, with JAX's names of element types: HLO's `s32` and `pred` are `i32` and `bool`,
StableHLO's `ui8` and `i1` are `u8` and `bool`.
"""

from __future__ import annotations

import ast
import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import Said, say

_MAX_DIGITS = 18
_MAX_TUPLE_DEPTH = 50
_BITS_PER_BYTE = 8

_PRINTED_ARRAY = re.compile(r"~?([A-Za-z][\w<>]*?)(?:<(?:host|any)>)?\[([^\[\]]*)\](?:\{.*\}|\*)?")
_MLIR_TENSOR = re.compile(
    r"tensor<((?:[\d?]+x)*)([A-Za-z][^<>,]*|complex<\w+>)(?:,.*)?>(?:\{.*\})?"
)
_AXES = re.compile(r"@(?:\([^)]*\)|[^,]+)")
_COMMENT = re.compile(r"/\*.*?\*/")
_NUMBER_TYPE = re.compile(r"(bf|f|i|s|u|ui|c)(\d+)(?:_?(e\d+m\d+[a-z0-9]*))?")
_NUMBER_PREFIXES = {"s": "i", "ui": "u"}
_OTHER_NAMES = {
    "pred": "bool",
    "i1": "bool",
    "bool_": "bool",
    "complex<f32>": "c64",
    "complex<f64>": "c128",
}
_NAMED_BITS = {
    "bool": 8,
    "token": 0,
    "opaque": 0,
    "float0": 0,
    "key<fry>": 64,
    "key<rbg>": 128,
    "key<urbg>": 128,
    "key<unsafe_rbg>": 128,
}
_TOKENS = frozenset({"Tok", "!stablehlo.token"})


@functools.lru_cache(maxsize=1024)
def element_name(text: str) -> str:
    """JAX's name of an element type: `i32` of `s32`, `bool` of `pred` and of MLIR's `i1`.

    Names that are not known come back as they are.
    """
    name = _OTHER_NAMES.get(text.lower(), text)
    match = _NUMBER_TYPE.fullmatch(name.lower())
    if match is None:
        return name
    kind, bits, fields = match.groups()
    return f"{_NUMBER_PREFIXES.get(kind, kind)}{bits}" + (f"_{fields}" if fields else "")


@functools.lru_cache(maxsize=1024)
def _element_bits(element: str) -> float:
    if element in _NAMED_BITS:
        return _NAMED_BITS[element]
    match = _NUMBER_TYPE.fullmatch(element)
    return int(match[2]) if match is not None and len(match[2]) <= _MAX_DIGITS else math.nan


@dataclass(frozen=True, slots=True)
class ArrayType:
    """The type of an array; of a token or something opaque, it is one of no dimensions.

    Attributes:
        element: JAX's name, such as `f32`, `bool`, `f8_e4m3fn` or `key<fry>`; as printed where it
            is none that is known.
        shape: Its dimensions; of one that varies (`f32[<=8]`), the bound.
        is_bounded: Whether a dimension is only a bound.
    """

    element: str
    shape: tuple[int, ...]
    is_bounded: bool = False

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    @property
    def bits(self) -> float:
        """Bits of an element; NaN for element types of unknown size."""
        return _element_bits(self.element)

    @property
    def num_bytes(self) -> float:
        """Payload bytes, padding not counted; NaN where an element's size is not known.

        Also NaN for elements of less than a byte: some backends pack them and others do not, so
        what is moved is not known from the type.
        """
        bits = self.bits
        return math.nan if 0 < bits < _BITS_PER_BYTE else self._count_bits(bits) / _BITS_PER_BYTE

    @property
    def packed_bytes(self) -> float:
        """As `num_bytes`, but elements of less than a byte lie densely, as in XLA's buffers."""
        num_bytes = self._count_bits(self.bits) / _BITS_PER_BYTE
        return float(math.ceil(num_bytes)) if math.isfinite(num_bytes) else num_bytes

    @property
    def is_complex(self) -> bool:
        return self.element.startswith("c")

    @property
    def is_float(self) -> bool:
        return self.element[:1] in ("f", "b") and self.element != "bool"

    def __str__(self) -> str:
        """As JAX prints it, without weak type, axes of meshes and layout."""
        bound = "<=" if self.is_bounded else ""
        return f"{self.element}[{','.join(f'{bound}{size}' for size in self.shape)}]"

    def _count_bits(self, bits: float) -> float:
        # In floats: sizes that no memory has give infinity and not an error.
        return 0.0 if 0 in self.shape else math.prod(self.shape, start=float(bits))


@dataclass(frozen=True, slots=True)
class TupleType:
    """The type of a tuple.

    Attributes:
        parts: The types of what it holds.
    """

    parts: tuple[ArrayType | TupleType, ...]

    @property
    def num_bytes(self) -> float:
        """Payload bytes of all arrays inside; NaN where one is not known."""
        return sum((part.num_bytes for part in self.parts), 0.0)

    @property
    def packed_bytes(self) -> float:
        """As `num_bytes`, with elements of less than a byte packed in each array."""
        return sum((part.packed_bytes for part in self.parts), 0.0)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@functools.lru_cache(maxsize=16384)
def parse_type(text: str) -> ArrayType | TupleType | None:
    """Read a type as any stage prints it; None if it is none, or has a dimension without a number.

    Layouts, tiles and memory spaces, axes of a mesh and the mark of a weak type are passed over.
    """
    return _parse(text, 0)


def parse_array_type(text: str) -> ArrayType | None:
    """Read the type of an array; None for anything else, tuples among them."""
    found = parse_type(text)
    return found if isinstance(found, ArrayType) else None


def type_bytes(text: str) -> float:
    """Payload bytes of a value of a printed type; NaN where they are not known.

    NaN also for elements of less than a byte, which only some backends pack.
    """
    found = parse_type(text)
    return math.nan if found is None else found.num_bytes


def packed_type_bytes(text: str) -> float:
    """Payload bytes of a value of a printed type in a buffer, where elements of less than a byte
    lie densely; NaN where they are not known."""
    found = parse_type(text)
    return math.nan if found is None else found.packed_bytes


def _parse(text: str, depth: int) -> ArrayType | TupleType | None:
    text = _COMMENT.sub("", text).strip() if "/*" in text else text.strip()
    if text.startswith("("):
        return _parse_tuple(text, depth)
    if text in _TOKENS:
        return ArrayType("token", ())
    split = _split_array(text)
    if split is None:
        return None
    element, dimensions = split
    shape: list[int] = []
    is_bounded = False
    for digits in dimensions:
        is_bounded |= digits.startswith("<=")
        size = read_count(digits.removeprefix("<="))
        if size is None:
            return None
        shape.append(size)
    return ArrayType(element, tuple(shape), is_bounded)


def _parse_tuple(text: str, depth: int) -> TupleType | None:
    if not text.endswith(")") or depth >= _MAX_TUPLE_DEPTH:
        return None
    parts = tuple(_parse(part, depth + 1) for part in _split_tuple(text[1:-1]))
    known = tuple(part for part in parts if part is not None)
    return TupleType(known) if len(known) == len(parts) else None


def _split_tuple(inside: str) -> list[str]:
    """The parts of a tuple type, at commas outside of all brackets."""
    parts, depth, start = [], 0, 0
    for place, letter in enumerate(inside):
        if letter in "([{":
            depth += 1
        elif letter in ")]}":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(inside[start:place])
            start = place + 1
    last = inside[start:]
    return [*parts, last] if last.strip() else parts


def _split_array(text: str) -> tuple[str, list[str]] | None:
    """An array type's element, in JAX's name, and the texts of its dimensions."""
    match = _MLIR_TENSOR.fullmatch(text)
    if match is not None:
        return element_name(match[2]), match[1].split("x")[:-1]
    match = _PRINTED_ARRAY.fullmatch(text)
    if match is None:
        return None
    dimensions = _AXES.sub("", match[2]) if "@" in match[2] else match[2]
    return element_name(match[1]), [
        dimension.strip() for dimension in (dimensions.split(",") if dimensions else ())
    ]


def read_count(digits: str) -> int | None:
    """A whole number that text spells; None for anything else, and for more than 18 digits.

    Files that come from elsewhere may hold digits without end, which `int` refuses.
    """
    is_number = digits.isascii() and digits.isdecimal() and len(digits) <= _MAX_DIGITS
    return int(digits) if is_number else None


VmapAxes = tuple[int | None, ...]
"""Of one array, for each `vmap` of the call from the outermost, the axis that it added."""


def read_batch_axes(text: str) -> dict[int, VmapAxes]:
    """The axes that `vmap` added to each result, of the attribute `batch_axes`."""
    found: dict[int, VmapAxes] = {}
    for result, axes in enumerate(text.split(";")):
        numbers = tuple(map(read_count, axes.split(",")))
        if any(number is not None for number in numbers):
            found[result] = numbers
    return found


def write_batch_axes(results: Iterable[VmapAxes]) -> str:
    """The attribute `batch_axes` that says these axes of results: `1,0;` of the first of two."""
    texts = (["" if axis is None else str(axis) for axis in axes] for axes in results)
    return ";".join(",".join(each).rstrip(",") for each in texts)


def mark_batch_axes(type_text: str, axes: VmapAxes) -> str:
    """A type whose batch axes are marked: `f32[B=8,3]`, and of two `vmap`s `f32[B=8,B2=3]`."""
    head, bracket, rest = type_text.partition("[")
    sizes = rest.removesuffix("]").split(",")
    known = {axis: number for number, axis in enumerate(axes, 1) if axis is not None}
    if not known or not bracket or not rest.endswith("]") or max(known) >= len(sizes):
        return type_text
    for axis, number in known.items():
        sizes[axis] = f"B{number if number > 1 else ''}={sizes[axis]}"
    return f"{head}[{','.join(sizes)}]"


def batch_size(type_text: str, axes: VmapAxes) -> str:
    """The sizes of the axes that `vmap` added to a type, such as `64`; empty where it has none."""
    marked = mark_batch_axes(type_text, axes)
    return sizes_of_batch(marked)


def sizes_of_batch(marked: str) -> str:
    """The sizes of the marked axes of a type, such as `64`; empty where none is marked."""
    return "×".join(re.findall(r"B\d*=(\w+)", marked))


def describe_batch(sizes: Sequence[str]) -> str:
    """Such as `, B=64` or `, 2 with B=64`: which of several values have an axis of `vmap`.

    Args:
        sizes: Of each value, the size of that axis; empty where it has none.
    """
    known = Counter(filter(None, sizes))
    if len(known) != 1:
        return ""
    ((size, count),) = known.items()
    return f", B={size}" if count == len(sizes) else f", {count} with B={size}"


_MANUAL = re.compile(r"\{([VUR]:[^{}]*)\}")
_OF_LETTER = re.compile(r"\b([VUR]):\(?([^(){}:]+?)\)?(?=, [UR]:|$)")

MANUAL_AXES = {
    "V": "V:{axes}: varies over {axes} of the mesh, devices along it may hold other values.",
    "U": "U:{axes}: unreduced over {axes} of the mesh, devices along it hold parts of a sum.",
    "R": "R:{axes}: reduced over {axes} of the mesh, its cotangent is unreduced.",
}
"""What the letters behind a type mean that JAX writes for axes of a mesh."""


def explain_manual_axes(type_text: str) -> list[Said]:
    """What the axes of a mesh behind a type tell, such as `{V:i}` in `f32[8]{V:i}`: a sentence for
    each letter, in the words of `jax.shard_map` and `jax.P`; empty where there are none.
    """
    found = _MANUAL.search(type_text)
    told = _OF_LETTER.findall(found[1]) if found is not None else []
    return [say(MANUAL_AXES[letter], axes=axes) for letter, axes in told]


def normal_type(text: str) -> str:
    """One text for a type, however a stage prints it: `f32[8]` of `f32[8@x]` and `f32[8]{0}`.

    Texts that are no types come back as they are.
    """
    found = parse_type(text)
    return text if found is None else str(found)


_TILED_LAYOUT = re.compile(r"\{([\d,]*)(?::T((?:\([\d,]+\))+))?[^}]*\}")
_TILE = re.compile(r"\(([\d,]+)\)")


@functools.lru_cache(maxsize=8192)
def padding_bytes(type_text: str, layout: str) -> float:
    """Bytes that an array takes beyond its payload because of the tiles that its layout has.

    Args:
        type_text: Such as `f32[5,130]`.
        layout: As XLA prints it, such as `{1,0:T(8,128)}`; empty where nothing is known of it.

    Returns:
        0 where the layout has no tiles; NaN where they are of a kind that is not understood.
    """
    match, array = _TILED_LAYOUT.fullmatch(layout), parse_array_type(type_text)
    if match is None or array is None:
        return 0.0 if not layout else math.nan
    if match[2] is None:
        return 0.0
    order = [int(part) for part in match[1].split(",") if part]
    tiles = [[int(n) for n in tile.split(",")] for tile in _TILE.findall(match[2])]
    if sorted(order) != list(range(len(array.shape))) or not _divides(tiles):
        return math.nan
    from_major = [array.shape[dimension] for dimension in reversed(order)]
    outer = [1] * max(len(tiles[0]) - len(from_major), 0) + from_major
    kept, tiled = outer[: len(outer) - len(tiles[0])], outer[len(outer) - len(tiles[0]) :]
    padded = [-(-size // tile) * tile for size, tile in zip(tiled, tiles[0], strict=True)]
    whole = ArrayType(array.element, (*kept, *padded))
    return whole.packed_bytes - array.packed_bytes


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


@functools.lru_cache(maxsize=65536)
def matches_type(text: str, element: str, sizes: tuple[str, ...]) -> bool:
    """Whether a type has an element type and sizes; `*` is any one, `...` any number of sizes.

    An element type is found by each of the names that stages give it. What is no array matches
    nothing.
    """
    array = parse_array_type(text)
    if array is None:
        return False
    if element != "*" and element_name(element).lower() != array.element.lower():
        return False
    return _match_sizes(tuple(map(str, array.shape)), sizes)


def _match_sizes(shape: tuple[str, ...], sizes: tuple[str, ...]) -> bool:
    if not sizes:
        return not shape
    if sizes[0] == "...":
        return any(_match_sizes(shape[at:], sizes[1:]) for at in range(len(shape) + 1))
    return bool(shape) and sizes[0] in ("*", shape[0]) and _match_sizes(shape[1:], sizes[1:])


# How types are shown, and how calls spell scalars.


_PLAIN_LAYOUT = re.compile(r"\{[\d,:TSLEDP()*]*\}")
_EMPTY_SHAPE = re.compile(r"\b(bool_|bf16|[fiuc]\d+\w*)\[\s*\]")
_BOOL = re.compile(r"\bbool\[")


@functools.lru_cache(maxsize=16384)
def short_type(text: str) -> str:
    """A type as it is shown: without layouts, and `f32[8,2]` for `tensor<8x2xf32>`.

    Otherwise as its stage prints it, HLO's `s32` and `pred` too.
    """
    if text.startswith("tensor<"):
        split = _split_array(text)
        return text if split is None else f"{split[0]}[{','.join(split[1])}]"
    return _PLAIN_LAYOUT.sub("", text)


SHORTHANDS = {
    "f16": "float16",
    "bf16": "bfloat16",
    "f32": "float32",
    "f64": "float64",
    "i4": "int4",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "u4": "uint4",
    "u8": "uint8",
    "u16": "uint16",
    "u32": "uint32",
    "u64": "uint64",
    "bool_": "bool_",
    "c64": "complex64",
    "c128": "complex128",
}
"""Long names of the types that calls write short, such as `f32[8]`: those that every JAX has."""


def spell_scalars(text: str) -> str:
    """A call with `f32[]`, which is no Python, spelled `f32[()]`, and `bool[4]` spelled `bool_[4]`.

    People copy both from what JAX prints. Text that is Python already, such as one with
    `f32[]` inside a string, stays as it is, but for subscripts of `bool`, which has none.
    """
    spelled = _EMPTY_SHAPE.sub(r"\1[()]", _BOOL.sub("bool_[", text))
    if spelled == text:
        return text
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return spelled
    taken = [node.value for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    names = [each for each in taken if isinstance(each, ast.Name) and each.id == "bool"]
    lines = text.encode().splitlines(keepends=True)
    for name in sorted(names, key=lambda each: (each.lineno, each.col_offset), reverse=True):
        line, at = lines[name.lineno - 1], name.col_offset + len("bool")
        lines[name.lineno - 1] = line[:at] + b"_" + line[at:]
    return b"".join(lines).decode()
