"""Rows that several parts have of each node, put side by side."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.model import graph
from jaxscope.model.graph import Ragged, join_rows, number_codes
from jaxscope.model.graph_builder import Numbers, StringTable, show_all_marks

ROWS = st.lists(st.lists(st.integers(0, 9), max_size=4), min_size=1, max_size=5)


@pytest.mark.parametrize("at_once", [1 << 15, 3])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_joined_rows_are_those_of_the_parts_one_after_the_other(
    data: st.DataObject, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(graph, "_NODES_AT_ONCE", at_once)
    num = data.draw(st.integers(0, 8))
    parts = []
    expected: list[list[int]] = [[] for _ in range(num)]
    for _ in range(data.draw(st.integers(1, 4))):
        rows = data.draw(ROWS)
        chosen = [data.draw(st.integers(0, len(rows) - 1)) for _ in range(num)]
        parts.append((Ragged.from_rows(rows), np.array(chosen, np.int32)))
        for node, row in enumerate(chosen):
            expected[node] += rows[row]
    found = join_rows(parts)
    assert [found[node].tolist() for node in range(num)] == expected
    assert len(found) == num


def test_numbers_count_things_by_their_first_use() -> None:
    numbers = Numbers[str]()
    assert list(numbers.all(["b", "a", "b", "c", "a"])) == [0, 1, 0, 2, 1]
    assert list(numbers) == ["b", "a", "c"]


LETTERS = st.lists(st.sampled_from([*"abcdef", "a/b", "c/d", "/"]), unique=True)


@given(LETTERS, st.lists(LETTERS, max_size=3))
def test_long_columns_get_numbers_without_a_table(
    known: list[str], columns: list[list[str]]
) -> None:
    table = StringTable({text: number for number, text in enumerate(known)})
    numbers, strings = table.number_apart(*columns)
    assert list(table) == known == strings[: len(known)]
    first: dict[str, int] = {}
    for number, text in enumerate(strings):
        first.setdefault(text, number)
    assert [row.tolist() for row in numbers] == [[first[t] for t in column] for column in columns]


@given(st.lists(st.integers(0, 20_000)), st.sampled_from([1, 1_000]))
def test_codes_are_numbered_by_size(codes: list[int], scale: int) -> None:
    numbers, found = number_codes(np.array(codes, np.int64) // scale, 20_001)
    assert found.tolist() == sorted({code // scale for code in codes})
    assert [int(found[number]) for number in numbers] == [code // scale for code in codes]


def test_what_is_not_seen_is_shown_in_each_string() -> None:
    assert show_all_marks(["plain", "två\tord", "a\x1bb", ""]) == ("plain", "två\tord", "a␛b", "")
    assert show_all_marks(["plain", "words"]) == ("plain", "words")
    assert show_all_marks(["\u202e"]) == ("\ufffd",)
    assert show_all_marks(["a/b", "a\x1b/b"], ["a", "/b", "a\x1b"]) == ("a/b", "a␛/b")
