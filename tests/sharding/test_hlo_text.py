"""Shardings as HLO writes them, read and compared with the definition."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model.capture import Sharding, ShardingKind
from jaxscope.program.sharding.notation import (
    parse_hlo_sharding,
    parse_hlo_shardings,
    read_device_list,
    split_tuple,
)

GRID = "mesh=(axes={(name=data, size=2),(name=model, size=4)})"
SIZES = st.lists(st.integers(1, 4), min_size=1, max_size=4)


def comma(numbers: Iterable[int]) -> str:
    return ",".join(map(str, numbers))


@settings(max_examples=60)
@given(SIZES, st.data())
def test_a_range_is_the_table_that_its_text_describes(
    shape: list[int], data: st.DataObject
) -> None:
    order = data.draw(st.permutations(range(len(shape))))
    expected = np.arange(math.prod(shape)).reshape(shape).transpose(order).reshape(-1)
    assert read_device_list(f"<=[{comma(shape)}]T({comma(order)})") == tuple(expected)
    assert read_device_list(f"<=[{comma(shape)}]") == tuple(range(math.prod(shape)))


@settings(max_examples=60)
@given(SIZES, st.integers(1, 4), st.randoms())
def test_every_device_holds_exactly_one_tile(tiles: list[int], copies: int, random: Random) -> None:
    devices = list(range(math.prod(tiles) * copies))
    random.shuffle(devices)
    text = f"{{devices=[{comma([*tiles, copies])}]{comma(devices)} last_tile_dim_replicate}}"
    sharding = parse_hlo_sharding(text)
    if math.prod(tiles) == 1:
        assert sharding == Sharding(ShardingKind.REPLICATED)
        return
    assert sharding.tiles == tuple(tiles)
    assert list(itertools.chain(*sharding.holders)) == devices
    assert {len(holder) for holder in sharding.holders} == {copies}


@settings(max_examples=60)
@given(SIZES, st.data())
def test_tiles_cover_an_array_however_uneven(tiles: list[int], data: st.DataObject) -> None:
    shape = tuple(data.draw(st.integers(1, 9)) for _ in tiles)
    sharding = Sharding(ShardingKind.TILED, tuple(tiles), ((0,),) * math.prod(tiles))
    for whole, part, parts in zip(shape, sharding.shard_shape(shape), tiles, strict=True):
        assert (part - 1) * parts < whole <= part * parts


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{replicated}", Sharding(ShardingKind.REPLICATED)),
        ("{manual}", Sharding(ShardingKind.MANUAL)),
        ("{unknown}", Sharding(ShardingKind.UNKNOWN)),
        ("{maximal device=3}", Sharding(ShardingKind.ONE_DEVICE, holders=((3,),))),
        (
            "{devices=[2,1]<=[2]}",
            Sharding(ShardingKind.TILED, (2, 1), ((0,), (1,))),
        ),
        (
            "{devices=[2,1,4]<=[4,2]T(1,0) last_tile_dim_replicate}",
            Sharding(ShardingKind.TILED, (2, 1), ((0, 2, 4, 6), (1, 3, 5, 7))),
        ),
        (
            "{devices=[2,2]<=[4] last_tile_dims={manual}}",
            Sharding(ShardingKind.TILED, (2,), ((0, 1), (2, 3)), True, ((0, 1), (2, 3))),
        ),
        (
            "{devices=[1,2,2]<=[4] last_tile_dims={replicated, manual}}",
            Sharding(ShardingKind.MANUAL, (1,), ((0, 1, 2, 3),), True, ((0, 1), (2, 3))),
        ),
        (
            '{devices=[2]0,1 metadata={op_name="x"}}',
            Sharding(ShardingKind.TILED, (2,), ((0,), (1,))),
        ),
        (
            f"{{{GRID}, dim_shardings={{(axes={{()}}, is_closed=True),(is_closed=True)}}}}",
            Sharding(ShardingKind.TILED, (2, 1), ((0, 1, 2, 3), (4, 5, 6, 7))),
        ),
        (
            f"{{{GRID}, dim_shardings={{(),(axes={{(mesh_axis_index=1)}})}}}}",
            Sharding(ShardingKind.TILED, (1, 4), ((0, 4), (1, 5), (2, 6), (3, 7))),
        ),
        (
            f"{{{GRID}, dim_shardings={{(axes={{(mesh_axis_index=1, "
            "sub_axis_info=(pre_size=2, size=2))})}}",
            Sharding(ShardingKind.TILED, (2,), ((0, 2, 4, 6), (1, 3, 5, 7))),
        ),
        (
            f"{{{GRID}, dim_shardings={{(axes={{(mesh_axis_index=1)}})}}, unreduced_axes={{()}}}}",
            Sharding(ShardingKind.TILED, (4,), ((0, 4), (1, 5), (2, 6), (3, 7)), has_own=True),
        ),
        (
            f"{{{GRID}, dim_shardings={{(axes={{(mesh_axis_index=1)}})}}, manual_axes={{()}}}}",
            Sharding(
                ShardingKind.TILED,
                (4,),
                ((0, 4), (1, 5), (2, 6), (3, 7)),
                True,
                ((0, 4), (1, 5), (2, 6), (3, 7)),
            ),
        ),
        (
            "{mesh=(axes={(name=x, size=2)}, device_ids={1,0}), dim_shardings={(axes={()})}}",
            Sharding(ShardingKind.TILED, (2,), ((1,), (0,))),
        ),
        (
            "{mesh=(axes={(name=x, size=4)}, iota_transform=(reshape_dims={2,2}, "
            "transpose_perm={1,0})), dim_shardings={(axes={()})}}",
            Sharding(ShardingKind.TILED, (4,), ((0,), (2,), (1,), (3,))),
        ),
        (f"{{{GRID}, dim_shardings={{(),()}}}}", Sharding(ShardingKind.REPLICATED)),
        ("{mesh=()}", Sharding(ShardingKind.REPLICATED)),
        ("{mesh=(device_ids={3})}", Sharding(ShardingKind.ONE_DEVICE, holders=((3,),))),
    ],
)
def test_each_kind_is_read(text: str, expected: Sharding) -> None:
    assert parse_hlo_sharding(text) == expected


def test_a_tuple_has_one_for_each_leaf() -> None:
    text = "{{replicated}, {{devices=[2]<=[2]}, {maximal device=1}}}"
    kinds = [each.kind for each in parse_hlo_shardings(text)]
    assert kinds == [ShardingKind.REPLICATED, ShardingKind.TILED, ShardingKind.ONE_DEVICE]
    assert split_tuple("{{replicated}, {manual}}") == ("{replicated}", "{manual}")


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", "{}}", "nonsense", "{sideways}", "{devices=[]<=[8]}", "{devices=[2]<=[3]}"),
        *("{devices=[2]0,0}", "{devices=[0]<=[0]}", "{devices=[2,2]<=[4]T(0,0)}"),
        *("{devices=[99999999999]<=[99999999999]}", "{devices=[2] last_tile_dim_replicate}"),
        "{devices=[2]<=[2] last_tile_dims={manual, manual}}",
        *("{mesh=}", "{mesh=(axes={(name=x)})}", "{mesh=3}", "{mesh=(axes=(name=x, size=2))}"),
        *("{mesh=(axes={3})}", "{mesh=(axes={(name=x, size={})})}", "{mesh=()) }"),
        "{mesh=(axes={(size=2)}, device_ids={0,0})}",
        f"{{{GRID}, dim_shardings={{(axes={{(mesh_axis_index=2)}})}}}}",
        f"{{{GRID}, dim_shardings={{(axes={{()}}),(axes={{()}})}}}}",
        "{mesh=" + "{" * 5000 + "}" * 5000 + "}",
    ],
)
def test_what_is_no_sharding_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_hlo_sharding(text)


@settings(max_examples=60)
@given(st.lists(st.sampled_from("(){},=") | st.sampled_from(["axes", "size", "2", "-1"])))
def test_no_fields_make_it_fail_otherwise(parts: list[str]) -> None:
    try:
        parse_hlo_shardings(f"{{{GRID}, {''.join(parts)}}}")
    except ValueError:
        return


@settings(max_examples=60)
@given(st.text(alphabet="{}[]<=,0123 devicesT()last_tlmrp", max_size=60))
def test_no_text_makes_it_fail_otherwise(text: str) -> None:
    try:
        parse_hlo_shardings(text)
    except ValueError:
        return
