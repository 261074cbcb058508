"""The grids of a program's Pallas kernels: which block of each array every step takes.

The worker evaluates the index maps; here its attributes are read (see `worker.stages.jaxpr`), and a
block's place among the blocks of its array is found, on two axes. Linear in steps.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Unavailable
from jaxscope.model.graph import Graph, distinct
from jaxscope.model.stages import find_lowered_stage
from jaxscope.model.types import ArrayType, parse_array_type

KERNEL = "pallas_call"
PLACES = "places["
"""How attributes begin that say something of every step: they are for a figure, not to be read."""
_MAX_BLOCKS = 64
"""Along a dimension; of more, those that no step takes are not listed."""
_MAX_PLACES = 4_096
_NO_KERNEL = "the program calls no Pallas kernel"
_NO_GRID = "its kernel has no grid: it runs once"
_NO_BLOCKS = "which blocks the steps of its kernel take could not be worked out"


@dataclass(frozen=True, eq=False)
class BlockedArray:
    """An array of a kernel, which takes one block of it in each step.

    Attributes:
        name: Of the kernel's parameter.
        role: `in` or `out`.
        type: Of the whole array, such as `f32[64,64]`.
        shape: Its sizes.
        block: Sizes of a block; 1 along a dimension that the block has not.
        starts: Of each step the first element of its block: steps by dimensions.
    """

    name: str
    role: str
    type: str
    shape: tuple[int, ...]
    block: tuple[int, ...]
    starts: npt.NDArray[np.int64]

    @functools.cached_property
    def cut_axes(self) -> tuple[int, ...]:
        """Dimensions along which steps take different blocks, or the array has several."""
        return tuple(
            axis
            for axis, (size, part) in enumerate(zip(self.shape, self.block, strict=True))
            if size > part or len(np.unique(self.starts[:, axis])) > 1
        )

    @functools.cached_property
    def cells(self) -> BlockCells:
        """The blocks as cells of a grid: the last axis that is cut across, all others down."""
        axes = self.cut_axes
        is_column = len(axes) == 1 and axes[0] != len(self.shape) - 1
        down, across = (axes, ()) if is_column else (axes[:-1], axes[-1:])
        rows, columns = self._list_places(down), self._list_places(across)
        of_row = {start: number for number, start in enumerate(rows)}
        of_column = {start: number for number, start in enumerate(columns)}
        steps: dict[tuple[int, int], list[int]] = {}
        for step, start in enumerate(self.starts.tolist()):
            place = (
                of_row[tuple(start[a] for a in down)],
                of_column[tuple(start[a] for a in across)],
            )
            steps.setdefault(place, []).append(step)
        cells = {place: tuple(found) for place, found in steps.items()}
        width = len(columns) * self.block[across[-1]] if across else max(self.shape[-1:], default=1)
        height = len(rows) * self.block[down[-1]] if down else max(self.shape[-2:-1], default=1)
        return BlockCells(len(rows), len(columns), cells, (height, width))

    def _list_places(self, axes: Sequence[int]) -> list[tuple[int, ...]]:
        """Where blocks begin on some axes; of too many places only those that steps take."""
        starts = [self._list_starts(axis) for axis in axes]
        if math.prod(map(len, starts)) > _MAX_PLACES:
            return sorted(set(map(tuple, self.starts[:, list(axes)].tolist())))
        return list(itertools.product(*starts))

    def _list_starts(self, axis: int) -> list[int]:
        """Where blocks begin along a dimension, those that no step takes among them."""
        taken = np.unique(self.starts[:, axis])
        size = self.block[axis]
        if np.all(taken % size == 0) and self.shape[axis] <= size * _MAX_BLOCKS:
            regular = np.arange(0, self.shape[axis], size)
            taken = distinct(taken, regular)
        found: list[int] = taken.tolist()
        return found


@dataclass(frozen=True, slots=True)
class BlockCells:
    """The blocks of an array as cells of a grid.

    Attributes:
        num_rows: Of the grid.
        num_columns: Of the grid.
        steps: By row and column of a cell, the steps that take its block; others take none.
        size: Elements down and across, for the ratio of the sides.
    """

    num_rows: int
    num_columns: int
    steps: Mapping[tuple[int, int], tuple[int, ...]]
    size: tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class KernelGrid:
    """A kernel and its grid.

    Attributes:
        id: Of its equation.
        grid: Sizes of the grid.
        arrays: Those whose blocks are known.
        num_unknown: How many others it has.
    """

    id: str
    grid: tuple[int, ...]
    arrays: tuple[BlockedArray, ...]
    num_unknown: int = 0

    @property
    def num_steps(self) -> int:
        """Points of the grid."""
        return math.prod(self.grid)

    def point(self, step: int) -> tuple[int, ...]:
        """The point of the grid at a step; the last axis is the fastest."""
        return tuple(int(each) for each in np.unravel_index(step, self.grid)) if self.grid else ()


def find_kernel_grids(capture: Capture) -> tuple[KernelGrid, ...] | Unavailable:
    """The grids of the kernels of the program that is lowered, or why there are none."""
    stage = find_lowered_stage(capture.stages)
    graph = stage.graph if stage is not None else Unavailable("there is no jaxpr", "")
    if isinstance(graph, Unavailable):
        return graph
    grids = read_kernel_grids(graph)
    if grids:
        return grids
    kernels = [read_grid(graph.attributes(node)) for node in graph.nodes_of((KERNEL,))]
    if not kernels:
        return Unavailable(_NO_KERNEL, "")
    return Unavailable(_NO_GRID if all(grid == () for grid in kernels) else _NO_BLOCKS, "")


def read_kernel_grids(graph: Graph) -> tuple[KernelGrid, ...]:
    """The grids of the kernels of a jaxpr-level stage, as far as their blocks are known."""
    is_kernel = [graph.strings[code] == KERNEL for code in graph.nodes.operation.tolist()]
    found = (_read(graph, row) for row in np.flatnonzero(is_kernel).tolist())
    return tuple(each for each in found if each is not None)


def read_grid(attributes: Mapping[str, str]) -> tuple[int, ...] | None:
    """Sizes of the grid of a kernel's equation; None where they are not known."""
    text = attributes.get("grid")
    return None if text is None else _read_numbers(text)


def _read_numbers(text: str) -> tuple[int, ...] | None:
    parts = text.split(",") if text else []
    if not all(part.isdecimal() and len(part) < 19 for part in parts):
        return None
    return tuple(map(int, parts))


def _read(graph: Graph, row: int) -> KernelGrid | None:
    attributes = graph.attributes(row)
    grid = read_grid(attributes)
    if not grid:
        return None
    keys = [key for key in attributes if key.startswith("block[")]
    arrays = [
        array
        for key in keys
        if (array := _read_array(attributes[key], attributes.get(f"{PLACES}{key[6:]}"), grid))
    ]
    return (
        KernelGrid(graph.id(row), grid, tuple(arrays), len(keys) - len(arrays)) if arrays else None
    )


def _read_array(text: str, places: str | None, grid: Sequence[int]) -> BlockedArray | None:
    parts = text.split("; ")
    if places is None or len(parts) != 4:
        return None
    name, role, type_text, sizes = parts
    block, array = _read_numbers(sizes), parse_array_type(type_text)
    starts = [_read_numbers(each) for each in places.split(" ")]
    if block is None or not isinstance(array, ArrayType) or len(starts) != math.prod(grid):
        return None
    if len(array.shape) != len(block) or 0 in block:
        return None
    if any(s is None or len(s) != len(block) for s in starts):
        return None
    table = np.asarray(starts, np.int64).reshape(len(starts), len(block))
    return BlockedArray(name, role, type_text, tuple(array.shape), block, table)
