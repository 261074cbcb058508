"""Alignment of sequences."""

from __future__ import annotations

import itertools
from difflib import SequenceMatcher

from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.program.diff.sequences import align_sequences, longest_rising

keys = st.lists(st.integers(0, 6), max_size=60)


@settings(max_examples=150)
@given(keys, keys)
def test_pairs_are_equal_and_never_cross(first: list[int], second: list[int]) -> None:
    pairs = align_sequences(first, second)
    assert all(first[a] == second[b] for a, b in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in itertools.pairwise(pairs))


@settings(max_examples=150)
@given(keys, keys)
def test_short_sequences_are_aligned_at_least_as_well_as_by_difflib(
    first: list[int], second: list[int]
) -> None:
    first, second = first[:50], second[:50]
    blocks = SequenceMatcher(None, first, second, autojunk=False).get_matching_blocks()
    assert len(align_sequences(first, second)) >= sum(block.size for block in blocks)


def test_an_insertion_into_a_long_sequence_moves_nothing() -> None:
    first = [i % 7 for i in range(5_000)]
    second = [*first[:2_500], 9, 9, *first[2_500:]]
    assert len(align_sequences(first, second)) == 5_000


def test_long_sequences_without_anything_unique_pair_up_by_turn() -> None:
    first, second = [1, 2, 3] * 400, [3, 2, 1] * 500
    pairs = align_sequences(first, second)
    assert len(pairs) > 300
    assert all(first[a] == second[b] for a, b in pairs)


@given(st.lists(st.integers(0, 50), max_size=40))
def test_the_longest_rising_choice_rises(values: list[int]) -> None:
    chosen = [values[i] for i in longest_rising(values)]
    assert chosen == sorted(set(chosen))
    assert bool(chosen) == bool(values)


def test_the_longest_rising_choice_of_a_known_case() -> None:
    assert len(longest_rising([3, 1, 2, 9, 4, 5, 0, 6])) == 5
