"""What Shardy writes, against what JAX makes of the same specification for HLO."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jax.sharding import AbstractMesh, NamedSharding, PartitionSpec

from jaxscope.model.capture import ShardingKind
from jaxscope.program.sharding.arrays import axes_of_dimensions, format_partition_spec
from jaxscope.program.sharding.notation import (
    Mesh,
    find_meshes,
    parse_hlo_sharding,
    parse_mesh,
    parse_shardy,
    parse_shardy_values,
)
from jaxscope.worker.compat import hlo_sharding_text

GRID = Mesh((("x", 2), ("y", 4)))


@st.composite
def specifications(draw: st.DrawFn) -> tuple[tuple[tuple[str, int], ...], list[list[str]]]:
    """A mesh, and the axes that each dimension of an array is cut along."""
    sizes = draw(st.lists(st.integers(2, 4), min_size=1, max_size=3))
    axes = tuple((f"a{k}", size) for k, size in enumerate(sizes))
    used = draw(st.permutations([name for name, _ in axes]))
    dimensions: list[list[str]] = [[] for _ in range(draw(st.integers(1, 3)))]
    for name in used[: draw(st.integers(0, len(used)))]:
        dimensions[draw(st.integers(0, len(dimensions) - 1))].append(name)
    return axes, dimensions


def write(dimensions: list[list[str]]) -> str:
    words = (", ".join(f'"{name}"' for name in names) for names in dimensions)
    return "#sdy.sharding<@mesh, [" + ", ".join(f"{{{names}}}" for names in words) + "]>"


@settings(max_examples=60)
@given(specifications())
def test_it_means_what_jax_makes_of_the_same_specification(
    case: tuple[tuple[tuple[str, int], ...], list[list[str]]],
) -> None:
    axes, dimensions = case
    ours = parse_shardy(write(dimensions), {"mesh": Mesh(axes)})
    names, sizes = zip(*axes, strict=True)
    spec = PartitionSpec(*(tuple(each) or None for each in dimensions))
    theirs = NamedSharding(AbstractMesh(sizes, names), spec)
    assert ours == parse_hlo_sharding(hlo_sharding_text(theirs, len(dimensions)))
    if ours.kind is ShardingKind.TILED:
        assert axes_of_dimensions(ours, axes) == tuple(map(tuple, dimensions))


def test_a_cut_is_spelled_as_jax_spells_it() -> None:
    text = '#sdy.sharding<@mesh, [{"y", "x"}, {}]>'
    assert (
        format_partition_spec(parse_shardy(text, {"mesh": GRID}), GRID.axes)
        == "P(('y', 'x'), None)"
    )


def test_parts_of_axes_open_dimensions_and_priorities_are_read() -> None:
    meshes = {"mesh": GRID}
    outer = parse_shardy('<@mesh, [{"y":(1)2, ?}p1, {?}]>', meshes)
    assert outer.tiles == (2, 1)
    assert outer.holders == ((0, 1, 4, 5), (2, 3, 6, 7))
    inner = parse_shardy('<@mesh, [{"y":(2)2}, {}], replicated={"x"}>', meshes)
    assert inner.holders == ((0, 2, 4, 6), (1, 3, 5, 7))
    assert parse_shardy("<@mesh, [{}, {}]>", meshes).kind is ShardingKind.REPLICATED
    assert parse_shardy("<@mesh, [{?}, {}]>", meshes).kind is ShardingKind.UNKNOWN
    unreduced = parse_shardy('<@mesh, [{"x"}], unreduced={"y"}>', meshes)
    assert unreduced.has_own and unreduced.tiles == (2,)
    assert parse_shardy('<@mesh, [{}], unreduced={"y"}>', meshes).kind is ShardingKind.MANUAL


def test_a_mesh_may_name_its_devices() -> None:
    text = """module {
      sdy.mesh @mesh = <["x"=2, "y"=2], device_ids=[3, 2, 1, 0]> {stablehlo.mesh = {axes = []}}
      sdy.mesh @one = <[], device_ids=[2]>
      sdy.mesh @broken = <["x"=0]>
    }"""
    meshes = find_meshes(text)
    assert set(meshes) == {"mesh", "one"}
    assert parse_shardy('<@mesh, [{"x"}]>', meshes).holders == ((3, 2), (1, 0))
    assert parse_shardy("<@one, []>", meshes).holders == ((2,),)


def test_each_value_has_its_own() -> None:
    text = '#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, [{}]>]>'
    tiled, whole = parse_shardy_values(text, {"mesh": GRID})
    assert (tiled.tiles, whole.kind) == ((2, 1), ShardingKind.REPLICATED)


@pytest.mark.parametrize(
    "text",
    ["", "<@other, [{}]>", '<@mesh, [{"z"}]>', '<@mesh, [{"x"}, {"x"}]>', '<@mesh, [{"y":(3)2}]>'],
)
def test_what_does_not_fit_the_mesh_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_shardy(text, {"mesh": GRID})


@pytest.mark.parametrize(
    "text", ["", "<[", '<["x"=0]>', '<["x"=2], device_ids=[0, 5]>', f'<["x"={10**12}]>']
)
def test_impossible_meshes_are_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_mesh(text)


def test_a_mesh_counts_its_devices() -> None:
    assert parse_mesh('#sdy.mesh<["data"=2, "model"=4]>').num_devices == math.prod((2, 4))
