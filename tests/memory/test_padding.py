"""Bytes that layouts with tiles add, by hand."""

from __future__ import annotations

import math

import pytest

from jaxscope.model.types import packed_type_bytes, padding_bytes
from jaxscope.program.memory.live_ranges import LiveRanges, find_live_ranges
from jaxscope.report.memory import describe_padding

from .conftest import Take


@pytest.mark.parametrize(
    ("type_text", "layout", "padded"),
    [
        ("f32[5,130]", "{1,0}", 5 * 130 * 4),
        ("f32[5,130]", "{1,0:T(8,128)}", 8 * 256 * 4),
        ("f32[5,130]", "{0,1:T(8,128)}", 136 * 128 * 4),
        ("bf16[3,9,7]", "{2,1,0:T(8,128)(2,1)}", 3 * 16 * 128 * 2),
        ("f32[300]", "{0:T(256)}", 512 * 4),
        ("f32[7]", "{0:T(8,128)}", 8 * 128 * 4),
        ("s32[8,128]", "{1,0:T(8,128)S(1)}", 8 * 128 * 4),
    ],
)
def test_a_tile_is_filled_up(type_text: str, layout: str, padded: int) -> None:
    assert packed_type_bytes(type_text) + padding_bytes(type_text, layout) == padded


@pytest.mark.parametrize(
    ("type_text", "layout"),
    [
        ("f32[5,130]", "{1,0:T(8,128)(3,1)}"),  # the second tile pads the first
        ("f32[5,130]", "{0:T(8,128)}"),  # not of this array
        ("f32[5,130]", "{1,0:T(0,128)}"),
        ("f32[5,130]", "nonsense"),
        ("(f32[5], f32[6])", "{0:T(8)}"),
    ],
)
def test_what_is_not_understood_is_unknown(type_text: str, layout: str) -> None:
    assert math.isnan(padding_bytes(type_text, layout))


def test_the_cpu_pads_nothing_and_layouts_are_told(take: Take) -> None:
    live = find_live_ranges(take("loss([f32[64, 64]] * 2, f32[256, 64])"))
    assert isinstance(live, LiveRanges)
    assert {buffer.layout for buffer in live.buffers} >= {"{1,0}"}
    assert describe_padding(live).startswith("No layout pads")
