"""A picture of how an array is cut: rectangles, ranges and devices, before any drawing."""

from __future__ import annotations

import dataclasses
import itertools

from jaxscope.model.sharding import Sharding, ShardingKind

_LISTED = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Part:
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


@dataclasses.dataclass(frozen=True, slots=True)
class Cut:
    """How an array is cut: a grid with the last two dimensions that are cut as its sides.

    Attributes:
        shape: Of the array.
        num_rows: Of the grid.
        num_columns: Of the grid.
        row_dimensions: Dimensions of the array that the rows go through, slowest first.
        column_dimensions: The same of the columns.
        parts: In row-major order of the array; those that uneven sizes leave empty are left out.
        has_own: Whether devices of one part hold values of their own there.
    """

    shape: tuple[int, ...]
    num_rows: int
    num_columns: int
    row_dimensions: tuple[int, ...]
    column_dimensions: tuple[int, ...]
    parts: tuple[Part, ...]
    has_own: bool = False


def cut_array(shape: tuple[int, ...], sharding: Sharding, num_devices: int) -> Cut | None:
    """Cut an array; None where nothing is known of how.

    What is not cut is one part, held by every device or by the one.
    """
    if sharding.kind in (ShardingKind.UNKNOWN, ShardingKind.MANUAL):
        return None
    if sharding.kind is not ShardingKind.TILED:
        every = tuple(range(num_devices))
        holder = sharding.holders[0] if sharding.holders else every
        whole = Part(0, 0, tuple((0, size) for size in shape), holder)
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
            parts.append(Part(row, column, ranges, holder))
    return Cut(
        shape,
        _count(sharding.tiles, rows),
        _count(sharding.tiles, columns),
        rows,
        columns,
        tuple(parts),
        sharding.has_own,
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


def cut_to_text(cut: Cut, max_parts: int = 32) -> list[str]:
    """The picture for those who cannot see it: a line for each part."""
    lines = [f"{part.text} on {name_devices(part.devices)}" for part in cut.parts[:max_parts]]
    if len(cut.parts) > max_parts:
        lines.append(f"and {len(cut.parts) - max_parts:,} more parts")
    return lines
