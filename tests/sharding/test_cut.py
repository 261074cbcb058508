"""The picture of a cut array, before it is drawn."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model.capture import Sharding, ShardingKind
from jaxscope.program.sharding.arrays import cut_array, cut_to_text, name_devices
from jaxscope.program.sharding.notation import parse_hlo_sharding


def cut_of(shape: tuple[int, ...], text: str, num_devices: int = 8) -> list[str]:
    cut = cut_array(shape, parse_hlo_sharding(text), num_devices)
    return [] if cut is None else cut_to_text(cut)


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 7), st.integers(1, 3)), min_size=1, max_size=3))
def test_parts_cover_each_element_once(sides: list[tuple[int, int]]) -> None:
    shape, tiles = (tuple(side[k] for side in sides) for k in (0, 1))
    count = math.prod(tiles)
    kind = ShardingKind.TILED if count > 1 else ShardingKind.REPLICATED
    holders = tuple((k,) for k in range(count)) if count > 1 else ()
    cut = cut_array(shape, Sharding(kind, tiles if count > 1 else (), holders), count)
    assert cut is not None
    seen = np.zeros(shape, int)
    for part in cut.parts:
        seen[tuple(slice(*pair) for pair in part.ranges)] += 1
        assert part.row < cut.num_rows and part.column < cut.num_columns
    assert (seen == 1).all()
    assert len({(part.row, part.column) for part in cut.parts}) == len(cut.parts)


def test_a_cut_is_told_in_words_for_those_who_do_not_see_it() -> None:
    assert cut_of((16, 32), "{devices=[2,1,4]<=[8] last_tile_dim_replicate}") == [
        "[0:8, 0:32] on 0–3",
        "[8:16, 0:32] on 4–7",
    ]
    assert cut_of((4,), "{replicated}") == ["[0:4] on 0–7"]
    assert cut_of((4,), "{maximal device=5}") == ["[0:4] on 5"]


def test_uneven_parts_are_as_long_as_what_is_left() -> None:
    assert cut_of((5,), "{devices=[4]<=[4]}", 4) == ["[0:2] on 0", "[2:4] on 1", "[4:5] on 2"]


def test_nothing_is_drawn_of_what_is_not_known() -> None:
    assert cut_of((4,), "{manual}") == cut_of((4,), "{unknown}") == []
    assert cut_of((4,), "{devices=[2,2]<=[4]}") == []


def test_many_parts_are_counted() -> None:
    lines = cut_of((64,), "{devices=[64]<=[64]}", 64)
    assert len(lines) == 33 and lines[-1] == "and 32 more parts"


def test_devices_in_a_row_are_drawn_together() -> None:
    assert name_devices((7, 0, 1, 2, 5, 6)) == "0–2, 5–7"
    assert name_devices((3, 4)) == "3, 4"
    assert name_devices((0, 4)) == "0, 4"
    assert name_devices(tuple(range(0, 256, 16))) == "0, 16, …, 240"
