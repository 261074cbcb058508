"""The arguments and results of a program, how each is cut over the mesh, and what each device holds
of it (shape, bytes, a grid of parts).
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Leaf, Unavailable
from jaxscope.model.capture import Placement, Sharding, ShardingKind
from jaxscope.model.said import BOTH, CLAUSES, Said, say, say_count, say_joined
from jaxscope.model.types import ArrayType, parse_array_type
from jaxscope.program.sharding.collectives import groups_along, name_axes
from jaxscope.program.sharding.notation import parse_hlo_sharding

# Shardings in words: which dimension is cut along which axis of the mesh.


Axes = Sequence[tuple[str, int]]


def axes_of_dimensions(sharding: Sharding, axes: Axes) -> tuple[tuple[str, ...], ...] | None:
    """The mesh axes that each dimension of an array is cut along, outermost first.

    None where the cut does not follow whole axes of the mesh, or no mesh is known.
    """
    sizes = [size for _, size in axes]
    count = math.prod(sizes)
    if not axes or sharding.kind is not ShardingKind.TILED:
        return None
    tile = np.full(count, -1, np.int64)
    for number, holder in enumerate(sharding.holders):
        if max(holder, default=-1) >= count:
            return None
        tile[list(holder)] = number
    if np.any(tile < 0):
        return None
    places = np.indices(sizes).reshape(len(sizes), -1)
    found = []
    for coordinate in np.unravel_index(tile, sharding.tiles):
        along = _find_axes(coordinate, places, sizes)
        if along is None:
            return None
        found.append(tuple(axes[k][0] for k in along))
    return tuple(found)


def _find_axes(
    coordinate: npt.NDArray[np.int64], places: npt.NDArray[np.int64], sizes: Sequence[int]
) -> list[int] | None:
    """Axes whose places, read as digits, are the coordinate; None where none are."""
    steps = {}
    for axis, size in enumerate(sizes):
        others = [k for k in range(len(sizes)) if k != axis]
        at_origin = np.all(places[others] == 0, axis=0)
        line = coordinate[at_origin]
        if size > 1 and line[1] != line[0]:
            steps[axis] = int(line[1] - line[0])
    order = sorted(steps, key=lambda axis: -steps[axis])
    digits = np.zeros_like(coordinate)
    for axis in order:
        digits = digits * sizes[axis] + places[axis]
    return order if np.array_equal(digits, coordinate) else None


def format_partition_spec(sharding: Sharding, axes: Axes) -> str:
    """As JAX spells it, `P('data', None)`; empty where it cannot."""
    if sharding.kind is ShardingKind.REPLICATED:
        return "P()"
    named = axes_of_dimensions(sharding, axes)
    if named is None or sharding.has_own:
        return ""
    words = [_spell_axes(names) for names in named]
    return f"P({', '.join(words)})"


def _spell_axes(names: tuple[str, ...]) -> str:
    if not names:
        return "None"
    spelled = ", ".join(repr(name) for name in names)
    return spelled if len(names) == 1 else f"({spelled})"


def describe_sharding(sharding: Sharding, axes: Axes, num_devices: int) -> str:
    """What each device holds, in one sentence without a full stop."""
    match sharding.kind:
        case ShardingKind.REPLICATED:
            if num_devices == 1:
                return say("one device, which holds all of it")
            return say("whole on each")
        case ShardingKind.ONE_DEVICE:
            return say("whole on device {device} alone", device=sharding.holders[0][0])
        case ShardingKind.MANUAL:
            return _tell_manual(sharding, axes)
        case ShardingKind.UNKNOWN:
            return say("left open to the compiler")
    named = axes_of_dimensions(sharding, axes)
    cuts: list[str] = []
    for dimension, parts in enumerate(sharding.tiles):
        if parts > 1:
            cut = say("dimension {dimension} in {parts}", dimension=dimension, parts=parts)
            if named is not None:
                along = say_joined(named[dimension], BOTH)
                cut = say("{cut} along {axes}", cut=cut, axes=along)
            cuts.append(cut)
    copies = len(sharding.holders[0])
    told = say_joined(cuts, BOTH)
    if sharding.manual:
        return say_joined((told, _tell_manual(sharding, axes)), CLAUSES)
    if copies < 2:
        return told
    if sharding.has_own:
        many = say("{copies} devices share a part", copies=copies)
    else:
        many = say("{copies} copies", copies=copies)
    return say_joined((told, many), CLAUSES)


def _tell_manual(sharding: Sharding, axes: Axes) -> str:
    """`manual over 'x'; 4 copies`, or what that means where no mesh names the axes."""
    names = manual_axes_of(sharding, axes)
    copies = 1
    if sharding.manual and sharding.holders:
        copies = len(sharding.holders[0]) // len(sharding.manual[0])
    told = name_manual(names) if names else say("each device holds an array of its own")
    many = say("{copies} copies", copies=copies) if copies > 1 else ""
    return say_joined((told, many), CLAUSES)


def manual_axes_of(sharding: Sharding, axes: Axes) -> tuple[str, ...]:
    """The axes of a mesh along which each device holds a value of its own, as in `shard_map`."""
    if sharding.kind is ShardingKind.MANUAL and not sharding.has_own:
        return tuple(name for name, size in axes if size > 1)
    return name_axes(sharding.manual, axes) or ()


def name_manual(names: Sequence[str]) -> str:
    """How a value lies along the manual axes of a mesh, `manual over 'x', 'y'`."""
    return say("manual over {axes}", axes=", ".join(map(repr, names)))


def with_manual(sharding: Sharding, names: Sequence[str], axes: Axes) -> Sharding:
    """A sharding that is stated where some axes of the mesh are manual, by the names of these."""
    along = [place for place, (name, _) in enumerate(axes) if name in names]
    if not along or sharding.kind not in (ShardingKind.REPLICATED, ShardingKind.TILED):
        return sharding
    is_tiled = sharding.kind is ShardingKind.TILED
    return dataclasses.replace(
        sharding,
        kind=ShardingKind.TILED if is_tiled else ShardingKind.MANUAL,
        has_own=True,
        manual=groups_along([size for _, size in axes], along),
    )


# A picture of how an array is cut: rectangles, ranges and devices, before any drawing.


_LISTED = 4


@dataclass(frozen=True, slots=True)
class ArrayPart:
    """One part of an array.

    Attributes:
        row: Of the picture, 0-based.
        column: Of the picture.
        ranges: First index and the one after the last, of each dimension.
        devices: Positions of the devices that hold it.
    """

    row: int
    column: int
    ranges: tuple[tuple[int, int], ...]
    devices: tuple[int, ...]

    @property
    def text(self) -> str:
        """The part as an index, `[0:8, 16:32]`."""
        return "[" + ", ".join(f"{start}:{stop}" for start, stop in self.ranges) + "]"


@dataclass(frozen=True, slots=True)
class Cut:
    """How an array is cut: a grid with the last two dimensions that are cut as its sides.

    Attributes:
        shape: Of the array.
        num_rows: Of the grid.
        num_columns: Of the grid.
        row_dimensions: Dimensions of the array that the rows go through, slowest first.
        column_dimensions: The same of the columns.
        parts: In row-major order of the array; those that uneven sizes leave empty are left out.
    """

    shape: tuple[int, ...]
    num_rows: int
    num_columns: int
    row_dimensions: tuple[int, ...]
    column_dimensions: tuple[int, ...]
    parts: tuple[ArrayPart, ...]

    @property
    def side_ratio(self) -> float:
        """Width to height: of the columns' dimension, or the last one, to the rows'."""
        if not self.shape:
            return 1.0
        across = self.column_dimensions or (len(self.shape) - 1,)
        others = tuple(k for k in range(len(self.shape)) if k not in across)
        down = self.row_dimensions or others[-1:]
        if down == across:
            down = ()
        width = math.prod(max(self.shape[dimension], 1) for dimension in across)
        return width / math.prod(max(self.shape[dimension], 1) for dimension in down)


def cut_array(shape: tuple[int, ...], sharding: Sharding, num_devices: int) -> Cut | None:
    """Cut an array; None where nothing is known of how.

    What is not cut is one part, held by every device or by the one.
    """
    if sharding.kind in (ShardingKind.UNKNOWN, ShardingKind.MANUAL):
        return None
    if sharding.kind is not ShardingKind.TILED:
        every = tuple(range(num_devices))
        holder = sharding.holders[0] if sharding.holders else every
        whole = ArrayPart(0, 0, tuple((0, size) for size in shape), holder)
        return Cut(shape, 1, 1, (), (), (whole,))
    if len(shape) != len(sharding.tiles):
        return None
    rows, columns = _split_sides(sharding.tiles)
    shard = sharding.shard_shape(shape)
    parts = []
    places = itertools.product(*map(range, sharding.tiles))
    for place, holder in zip(places, sharding.holders, strict=True):
        ranges = tuple(
            (min(index * step, size), min((index + 1) * step, size))
            for index, step, size in zip(place, shard, shape, strict=True)
        )
        if all(start < stop for start, stop in ranges) or 0 in shape:
            row = _number(place, sharding.tiles, rows)
            column = _number(place, sharding.tiles, columns)
            parts.append(ArrayPart(row, column, ranges, holder))
    return Cut(
        shape,
        _count(sharding.tiles, rows),
        _count(sharding.tiles, columns),
        rows,
        columns,
        tuple(parts),
    )


def _split_sides(tiles: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Which dimensions become rows and which columns: the last one is across, the rest is down."""
    cut = [dimension for dimension, parts in enumerate(tiles) if parts > 1]
    if len(cut) == 1:
        is_last = cut[0] == len(tiles) - 1
        return ((), tuple(cut)) if is_last else (tuple(cut), ())
    return tuple(cut[:-1]), tuple(cut[-1:])


def _number(place: tuple[int, ...], tiles: tuple[int, ...], dimensions: tuple[int, ...]) -> int:
    number = 0
    for dimension in dimensions:
        number = number * tiles[dimension] + place[dimension]
    return number


def _count(tiles: tuple[int, ...], dimensions: tuple[int, ...]) -> int:
    count = 1
    for dimension in dimensions:
        count *= tiles[dimension]
    return count


def name_devices(devices: tuple[int, ...]) -> str:
    """`0–3, 8`: positions with runs drawn together; `0, 16, …, 240` where all steps are alike."""
    ordered = sorted(devices)
    steps = {after - before for before, after in itertools.pairwise(ordered)}
    if len(ordered) > _LISTED and len(steps) == 1 and steps != {1}:
        return f"{ordered[0]}, {ordered[1]}, …, {ordered[-1]}"
    runs: list[list[int]] = []
    for device in ordered:
        if runs and device == runs[-1][1] + 1:
            runs[-1][1] = device
        else:
            runs.append([device, device])
    words = [str(a) if a == b else f"{a}, {b}" if b == a + 1 else f"{a}–{b}" for a, b in runs]
    return ", ".join(words)


def cut_to_text(cut: Cut, max_parts: int = 32) -> list[Said]:
    """The picture for those who cannot see it: a line for each part."""
    lines = [
        say("{part} on {devices}", part=part.text, devices=name_devices(part.devices))
        for part in cut.parts[:max_parts]
    ]
    if len(cut.parts) > max_parts:
        lines.append(say("and {rest:,} more parts", rest=len(cut.parts) - max_parts))
    return lines


_UNUSED = say("The program does not use it.")
_NO_SHARDING = say("JAX does not tell how it is spread.")


@dataclass(frozen=True, eq=False)
class SpreadArray:
    """An array and how it is spread over the devices.

    Attributes:
        role: `argument` or `result`.
        path: Where it sits in the pytree.
        type: Of the whole array, such as `f32[16,32]`.
        num_bytes: Of the whole array.
        sharding: How it is spread, or why that is not known.
        placement: Of the program.
        hlo_text: The sharding as HLO writes it; empty where it is not known.
    """

    role: str
    path: str
    type: str
    num_bytes: float
    sharding: Sharding | Unavailable
    placement: Placement
    hlo_text: str = ""

    @property
    def array_type(self) -> ArrayType | None:
        """The type, read; None where it is no array's."""
        return parse_array_type(self.type)

    @property
    def shard_shape(self) -> tuple[int, ...] | None:
        """The shape of what one device holds; None where that is not known."""
        type = self.array_type
        if type is None or isinstance(self.sharding, Unavailable):
            return None
        return self.sharding.shard_shape(type.shape)

    @property
    def shard_type(self) -> str:
        """The type of what one device holds; empty where that is not known."""
        shape, type = self.shard_shape, self.array_type
        if shape is None or type is None:
            return ""
        return f"{type.element}[{','.join(map(str, shape))}]"

    @property
    def shard_bytes(self) -> float:
        """Bytes that one device holds; NaN where that is not known."""
        shape, type = self.shard_shape, self.array_type
        if shape is None or type is None:
            return math.nan
        if type.size == 0:
            return 0.0
        return type.num_bytes / type.size * math.prod(shape)

    @property
    def spec(self) -> str:
        """As JAX spells it, `P('data', None)`; empty where it cannot."""
        if isinstance(self.sharding, Unavailable):
            return ""
        return format_partition_spec(self.sharding, self.placement.axes)

    @property
    def text(self) -> str:
        """What each device holds, in words."""
        if isinstance(self.sharding, Unavailable):
            return self.sharding.reason
        return describe_sharding(self.sharding, self.placement.axes, len(self.placement.devices))

    @functools.cached_property
    def cut(self) -> Cut | None:
        """The picture of how it is cut; None where nothing is known of that."""
        type = self.array_type
        if type is None or isinstance(self.sharding, Unavailable):
            return None
        return cut_array(type.shape, self.sharding, len(self.placement.devices))


def find_arrays(capture: Capture) -> tuple[SpreadArray, ...] | Unavailable:
    """The arguments that are not static, then the results."""
    placement = capture.placement
    if isinstance(placement, Unavailable):
        return placement
    traced = [leaf for leaf in capture.arguments if not leaf.is_static]
    return (
        *_pair("argument", traced, placement.arguments, placement, _UNUSED),
        *_pair("result", list(capture.results), placement.results, placement, _NO_SHARDING),
    )


def _pair(
    role: str, leaves: list[Leaf], texts: tuple[str, ...], placement: Placement, missing: str
) -> list[SpreadArray]:
    if len(texts) != len(leaves):
        texts, missing = ("",) * len(leaves), _NO_SHARDING
    return [
        SpreadArray(
            role, leaf.path, leaf.type, leaf.num_bytes, _read(text, missing), placement, text
        )
        for leaf, text in zip(leaves, texts, strict=True)
    ]


def _read(text: str, missing: str) -> Sharding | Unavailable:
    if not text:
        return Unavailable(missing, "optimized")
    try:
        return parse_hlo_sharding(text)
    except ValueError as error:
        return Unavailable(say("Its sharding cannot be read: {error}.", error=error), "optimized")


def describe_devices(placement: Placement) -> Said:
    """`8 devices (cpu) in a mesh, data 2 × model 4`; with their processes, if several."""
    kinds = sorted({device.kind for device in placement.devices if device.kind})
    told = say_count(len(placement.devices), "device")
    if kinds:
        told = say("{told} ({interval})", told=told, interval=", ".join(kinds))
    if placement.num_processes > 1:
        told = say("{told} of {num:,} processes", told=told, num=placement.num_processes)
    if placement.axes:
        axes = " × ".join(f"{name} {size:,}" for name, size in placement.axes)
        told = say("{told} in a mesh, {axes}", told=told, axes=axes)
    return told
