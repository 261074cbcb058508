"""The figure `pallas`: its blocks are those that the index maps name in Python, and those that a
kernel fills when it runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

from jaxscope.cli.parser import FIGURES
from jaxscope.export.html import _shown_attributes as list_shown
from jaxscope.export.program_figures import KernelFigure
from jaxscope.model import Stage, Unavailable
from jaxscope.model.graph import NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.picture.palette import LIGHT
from jaxscope.program.cost.equations import cost_equations
from jaxscope.program.kernel_grid import (
    BlockedArray,
    KernelGrid,
    find_kernel_grids,
    read_kernel_grids,
)
from view.programs import trace

MAPS: dict[str, Callable[..., Any]] = {
    "as it is": lambda i, j: (i, j),
    "turned": lambda i, j: (j, i),
    "constant": lambda i, j: (0, 1),
    "reversed": lambda i, j: (3 - i, j),
    "folded": lambda i, j: ((i * 2 + j) // 4, (i * 2 + j) % 4),
    "negative quotient": lambda i, j: ((j - 3) // 2 + 3, (i - 5) % 4),
    "negative divisor": lambda i, j: (jax.lax.div(i * 2, -3) + 3, jax.lax.rem(-5 - i, 3) + 3),
    "bounded": lambda i, j: (jnp.minimum(i + j, 2), jnp.maximum(i - j, 0)),
    "chosen": lambda i, j: (jnp.where((i > 1) & (j == 0), 0, 3), jax.lax.rem(i, 3)),
}
GRID = (4, 2)


def call_kernel(spec: pl.BlockSpec, grid: Any = GRID) -> Callable[[jax.Array], jax.Array]:
    """Writes into each block of the result how many steps came before it, plus one."""

    def kernel(x_ref: Any, out_ref: Any) -> None:
        step = pl.program_id(0) * grid[1] + pl.program_id(1) + 1
        out_ref[...] = jnp.full(out_ref.shape, step, jnp.int32)

    return pl.pallas_call(
        kernel,
        grid=grid,
        in_specs=[pl.BlockSpec((4, 4), lambda i, j: (i, j))],
        out_specs=spec,
        out_shape=jax.ShapeDtypeStruct((16, 16), jnp.int32),
        interpret=True,
    )


def one_grid(function: Callable[..., Any], *arguments: Any) -> KernelGrid:
    (grid,) = read_kernel_grids(trace(function, *arguments))
    return grid


@pytest.mark.sweep(3)
@pytest.mark.parametrize("name", MAPS)
def test_blocks_are_those_of_the_index_map_and_of_a_run(name: str) -> None:
    spec = pl.BlockSpec((4, 4), MAPS[name])
    x = jnp.zeros((16, 16))
    grid = one_grid(call_kernel(spec), x)
    result = grid.arrays[1]

    points = list(itertools.product(range(4), range(2)))
    named = [[int(each) * 4 for each in MAPS[name](*point)] for point in points]
    assert result.starts.tolist() == named
    assert [grid.point(step) for step in range(8)] == points

    filled = np.zeros((16, 16), np.int64)
    for step, (row, column) in enumerate(result.starts.tolist()):
        filled[row : row + 4, column : column + 4] = step + 1
    ran = np.asarray(call_kernel(spec)(x))
    assert (ran[filled > 0] == filled[filled > 0]).all()
    assert (grid.grid, result.role, result.type, result.block) == (
        GRID,
        "out",
        "i32[16,16]",
        (4, 4),
    )
    assert [array.name for array in grid.arrays] == ["x_ref", "out_ref"]


def test_a_kernel_without_a_grid_runs_once() -> None:
    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = x_ref[...] * 2.0 + 1.0

    x = jnp.ones((4, 8))
    function = pl.pallas_call(kernel, out_shape=jax.typeof(x), interpret=True)
    graph, cost = cost_equations(trace(function, x))
    counted = jax.jit(function).lower(x).compile().cost_analysis()
    assert cost.flops == counted["flops"] == 64
    assert read_kernel_grids(graph) == ()
    stage = Stage("jaxpr", "jaxpr", Unavailable("None."), graph, cost, 0.0)
    capture: Any = SimpleNamespace(stages=(stage,))
    missing = find_kernel_grids(capture)
    assert missing == Unavailable("its kernel has no grid: it runs once", "")


def test_a_dimension_that_a_block_has_not_counts_single_elements() -> None:
    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = x_ref[...]

    double = pl.pallas_call(
        kernel,
        grid=(6,),
        in_specs=[pl.BlockSpec((None, 8), lambda i: (i, 0))],
        out_specs=pl.BlockSpec((None, 8), lambda i: (5 - i, 0)),
        out_shape=jax.ShapeDtypeStruct((6, 8), jnp.float32),
        interpret=True,
    )
    grid = one_grid(double, jnp.zeros((6, 8)))

    assert [array.block for array in grid.arrays] == [(1, 8), (1, 8)]
    assert grid.arrays[1].starts[:, 0].tolist() == [5, 4, 3, 2, 1, 0]
    assert (grid.arrays[0].cells.num_rows, grid.arrays[0].cells.num_columns) == (6, 1)


def test_offsets_in_elements_are_no_numbers_of_blocks() -> None:
    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = x_ref[:8]

    windows = pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[pl.BlockSpec((pl.Element(10),), lambda i: (i * 8,))],
        out_specs=pl.BlockSpec((8,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((32,), jnp.float32),
        interpret=True,
    )
    read, written = one_grid(windows, jnp.zeros((34,))).arrays

    assert (read.block, read.starts[:, 0].tolist()) == ((10,), [0, 8, 16, 24])
    assert (written.block, written.starts[:, 0].tolist()) == ((8,), [0, 8, 16, 24])


def test_blocks_that_values_choose_are_not_known_and_the_others_are() -> None:
    def kernel(rows_ref: Any, x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = x_ref[...]

    gather = pl.pallas_call(
        kernel,
        grid_spec=pltpu.PrefetchScalarGridSpec(
            num_scalar_prefetch=1,
            grid=(4,),
            in_specs=[pl.BlockSpec((8, 128), lambda i, rows: (rows[i], 0))],
            out_specs=pl.BlockSpec((8, 128), lambda i, rows: (0, 0)),
        ),
        out_shape=jax.ShapeDtypeStruct((32, 128), jnp.float32),
        interpret=True,
    )
    graph = trace(gather, jnp.zeros(4, jnp.int32), jnp.zeros((32, 128)))

    assert all(array.name != "x_ref" for grid in read_kernel_grids(graph) for array in grid.arrays)


def test_the_picture_names_the_points_that_take_each_block() -> None:
    def product(x_ref: Any, y_ref: Any, out_ref: Any) -> None:
        out_ref[...] += x_ref[...] @ y_ref[...]

    multiply = pl.pallas_call(
        product,
        grid=(2, 3, 4),
        in_specs=[
            pl.BlockSpec((8, 16), lambda i, j, k: (i, k)),
            pl.BlockSpec((16, 32), lambda i, j, k: (k, j)),
        ],
        out_specs=pl.BlockSpec((8, 32), lambda i, j, k: (i, j)),
        out_shape=jax.ShapeDtypeStruct((16, 96), jnp.float32),
        interpret=True,
    )
    grid = one_grid(multiply, jnp.zeros((16, 64)), jnp.zeros((64, 96)))

    drawn = "\n".join(KernelFigure("title", "", grid, is_animated=True).svg_lines("light"))

    labels = re.findall(r">([\d:]+,[\d:]+,[\d:]+)<", drawn)
    x = [f"{i},:,{k}" for i in range(2) for k in range(4)]
    y = [f":,{j},{k}" for k in range(4) for j in range(3)]
    out = [f"{i},{j},:" for i in range(2) for j in range(3)]
    assert labels == [*x, *y, *out]
    assert drawn.count("<animate") == 2 * 3 * 4
    assert "step 23, point (1, 2, 3)" in drawn
    assert "pallas" in FIGURES


def test_what_an_equation_says_may_be_nonsense() -> None:
    good = {"grid": "2", "block[0]": "x; in; f32[4]; 2", "places[0]": "0 2"}
    bad = [
        {"grid": "2,"},
        {"grid": "9" * 30},
        {"places[0]": "0"},
        {"places[0]": "0 x"},
        {"places[0]": "0,1 2,3"},
        {"block[0]": "x; in; f32[4]; 0"},
        {"block[0]": "x; in; tuple; 2"},
        {"block[0]": "x"},
    ]
    found = []
    for changed in [{}, *bad]:
        builder = GraphBuilder()
        builder.add_node("0", NodeKind.EQUATION, "pallas_call", attributes={**good, **changed})
        found.append(len(read_kernel_grids(builder.build())))
    assert found == [1] + [0] * len(bad)


def test_offsets_that_count_from_a_padding_are_not_known_and_said_to_be() -> None:
    def kernel(x_ref: Any, y_ref: Any, out_ref: Any) -> None:
        out_ref[...] = x_ref[:8] + y_ref[...]

    windows = pl.pallas_call(
        kernel,
        grid=(4,),
        in_specs=[
            pl.BlockSpec((pl.Element(10, padding=(1, 1)),), lambda i: (i * 8,)),
            pl.BlockSpec((8,), lambda i: (i,)),
        ],
        out_specs=pl.BlockSpec((8,), lambda i: (i,)),
        out_shape=jax.ShapeDtypeStruct((32,), jnp.float32),
        interpret=True,
    )
    grid = one_grid(windows, jnp.zeros((32,)), jnp.zeros((32,)))

    assert [array.name for array in grid.arrays] == ["y_ref", "out_ref"]
    assert grid.num_unknown == 1


def test_an_array_of_very_many_places_lists_those_that_steps_take() -> None:
    steps = np.arange(300)
    starts = np.stack([steps, steps, steps], axis=1)
    array = BlockedArray("x", "in", "f32[999,999,999]", (999,) * 3, (1, 1, 1), starts)

    assert (array.cells.num_rows, array.cells.num_columns) == (300, 300)
    assert array.cells.steps[7, 7] == (7,)


def test_the_last_axis_that_is_cut_lies_across() -> None:
    starts = np.array(list(itertools.product((0, 4), (0, 4), (0, 4))))
    array = BlockedArray("x", "in", "f32[8,8,8]", (8, 8, 8), (4, 4, 4), starts)

    assert (array.cells.num_rows, array.cells.num_columns) == (4, 2)
    assert array.cells.steps[2, 1] == (5,)  # (4, 0, 4)


@pytest.mark.parametrize(
    ("points", "label"),
    [
        ([(0, 0), (1, 0), (2, 0), (3, 0)], ":,0"),
        ([(2, 0), (2, 1)], "2,:"),
        ([(0, 0), (1, 0), (2, 0)], "3 steps"),
        ([(0, 0), (1, 1)], "2 steps"),
        ([], "0 steps"),
    ],
)
def test_only_whole_axes_are_written_as_slices(points: list[tuple[int, ...]], label: str) -> None:
    assert KernelFigure("", "", KernelGrid("0", (4, 2), ()))._label(points) == label


def test_a_block_that_no_step_takes_is_drawn_blank() -> None:
    grid = one_grid(call_kernel(pl.BlockSpec((4, 4), MAPS["constant"])), jnp.zeros((16, 16)))

    drawn = "\n".join(KernelFigure("title", "", grid).svg_lines("light"))

    blank = f'fill="{LIGHT.background}" stroke="{LIGHT.frame_border}"'
    assert drawn.count(blank) == 8 + 15  # the first array has 16 blocks for 8 steps
    assert ">:,:<" in drawn


def test_a_page_lists_no_places_among_the_attributes() -> None:
    graph = trace(call_kernel(pl.BlockSpec((4, 4), MAPS["turned"])), jnp.zeros((16, 16)))
    shown = {graph.strings[row[n]] for row in list_shown(graph) for n in range(0, len(row), 2)}

    assert {"grid", "block[0]", "block[1]"} <= shown
    assert not any(key.startswith("places") for key in shown)
    assert "places[1]" in graph.strings
