"""Strings as bytes and borders, and sets of numbers, against what Python and NumPy say of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.marks import show_marks
from jaxscope.model import GraphBuilder, NodeKind
from jaxscope.model.graph import (
    distinct,
    graph_from_arrays,
    graph_to_arrays,
    strings_from_arrays,
    strings_to_arrays,
)

CHARACTERS = st.characters() | st.sampled_from("aé\x00\x7f\x80\u202e\ud800\U0001f600\n ")


@given(st.lists(st.text(CHARACTERS), max_size=8))
def test_strings_come_back(strings: list[str]) -> None:
    assert strings_from_arrays(strings_to_arrays(tuple(strings), "s"), "s") == tuple(strings)


@pytest.mark.parametrize("text", ["plain", "", "tab\t", "\x1b[2J", "é\u202eo", "\ud800", "a\x7f"])
def test_marks_in_a_graph_that_is_read_are_shown(text: str) -> None:
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, text)
    builder.add_node("1", NodeKind.EQUATION, "sin")
    graph = graph_from_arrays(graph_to_arrays(builder.build()))
    assert graph.operation(0) == show_marks(text)
    assert graph.nodes_of({"sin"}) == [1] and graph.nodes_of(()) == []


@given(st.lists(st.lists(st.integers(-9, 9)), min_size=1, max_size=3))
def test_distinct_numbers_are_those_of_numpy(rows: list[list[int]]) -> None:
    arrays = [np.array(row, np.int32) for row in rows]
    found = distinct(*arrays)
    assert found.dtype == np.int32 and found.tolist() == np.unique(np.concatenate(arrays)).tolist()
