"""The text of JSON: what is read back is what was written, and each node has a line."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.schema.json_text import list_pieces, write_json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)  # fmt: skip


@given(VALUES)
def test_what_is_read_back_is_what_was_written(value: object) -> None:
    assert json.loads(write_json(value)) == value


def test_outer_levels_have_an_entry_a_line_and_inner_ones_are_on_one() -> None:
    stage = {"graph": {"nodes": [{"id": "0", "types": ["f32[3]"]}, {"id": "1", "types": []}]}}
    assert write_json({"stages": [stage], "call": "f(x)", "checks": []}) == (
        "{\n"
        ' "stages": [\n'
        "  {\n"
        '   "graph": {\n'
        '    "nodes": [\n'
        '     {"id": "0", "types": ["f32[3]"]},\n'
        '     {"id": "1", "types": []}\n'
        "    ]\n"
        "   }\n"
        "  }\n"
        " ],\n"
        ' "call": "f(x)",\n'
        ' "checks": []\n'
        "}"
    )


def test_a_long_list_comes_in_small_pieces() -> None:
    nodes = [{"id": str(number)} for number in range(1_000)]
    assert max(map(len, list_pieces({"nodes": nodes}))) < 20


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_does_not_have_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json({"stages": [{"seconds": number}]})
