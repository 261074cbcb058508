"""Shardings in words: which dimension is cut along which axis of the mesh."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.model.sharding import Sharding, ShardingKind

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


def spell_spec(sharding: Sharding, axes: Axes) -> str:
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


def tell_sharding(sharding: Sharding, axes: Axes, num_devices: int) -> str:
    """What each device holds, in one sentence without a full stop."""
    match sharding.kind:
        case ShardingKind.REPLICATED:
            return "one device, which holds all of it" if num_devices == 1 else "whole on each"
        case ShardingKind.ONE_DEVICE:
            return f"whole on device {sharding.holders[0][0]} alone"
        case ShardingKind.MANUAL:
            return "each device holds an array of its own"
        case ShardingKind.UNKNOWN:
            return "left open to the compiler"
    named = axes_of_dimensions(sharding, axes)
    cuts = []
    for dimension, parts in enumerate(sharding.tiles):
        if parts > 1:
            along = f" along {' and '.join(named[dimension])}" if named is not None else ""
            cuts.append(f"dimension {dimension} in {parts}{along}")
    copies = len(sharding.holders[0])
    told = " and ".join(cuts)
    if copies > 1:
        told += f"; {copies} devices share a part" if sharding.has_own else f"; {copies} copies"
    return told
