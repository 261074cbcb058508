"""What must hold for every pair of programs."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from comparison.programs import (
    OPERATIONS,
    Row,
    check_accounted,
    compare_programs,
    counts_of,
    graph_of,
    other_order,
    random_rows,
)
from jaxscope.program.diff.changes import Change

seeds = st.integers(0, 10_000)
sizes = st.integers(0, 80)
quick = settings(max_examples=30)


@quick
@given(seeds, sizes)
def test_a_program_equals_itself(seed: int, size: int) -> None:
    graph = graph_of(random_rows(seed, size))
    graphs = compare_programs(graph, graph)
    assert graphs.counts.is_equal
    assert np.array_equal(graphs.matching.second_of_first, np.arange(len(graph.nodes)))


@quick
@given(seeds, sizes)
def test_new_names_are_no_difference(seed: int, size: int) -> None:
    rows = random_rows(seed, size)
    assert compare_programs(graph_of(rows), graph_of(rows, prefix="other")).counts.is_equal


@quick
@given(seeds, sizes, seeds)
def test_another_order_of_the_same_operations_is_no_difference(
    seed: int, size: int, shuffle: int
) -> None:
    rows = random_rows(seed, size)
    reordered = graph_of(rows, other_order(rows, shuffle), prefix="r")
    assert compare_programs(graph_of(rows), reordered).counts.is_equal


@quick
@given(seeds, sizes, seeds, sizes)
def test_every_node_is_accounted_for_once(seed: int, size: int, other: int, wide: int) -> None:
    first, second = graph_of(random_rows(seed, size)), graph_of(random_rows(other, wide))
    check_accounted(compare_programs(first, second))


@quick
@given(seeds, sizes, seeds, sizes)
@pytest.mark.slow
def test_the_other_way_round_says_the_opposite(seed: int, size: int, other: int, wide: int) -> None:
    first, second = graph_of(random_rows(seed, size)), graph_of(random_rows(other, wide))
    forth, back = compare_programs(first, second), compare_programs(second, first)
    assert np.array_equal(forth.matching.second_of_first, back.matching.first_of_second)
    same, changed, moved, added, removed = counts_of(forth)
    assert counts_of(back) == (same, changed, moved, removed, added)
    mirrored = np.where(back.second_changes == Change.ADDED, Change.REMOVED, back.second_changes)
    assert np.array_equal(forth.first_changes, mirrored)


@quick
@given(seeds, sizes, seeds, sizes)
@pytest.mark.slow
def test_the_answer_is_the_same_every_time(seed: int, size: int, other: int, wide: int) -> None:
    first, second = graph_of(random_rows(seed, size)), graph_of(random_rows(other, wide))
    once, again = compare_programs(first, second), compare_programs(first, second)
    assert np.array_equal(once.matching.second_of_first, again.matching.second_of_first)
    assert once.rows() == again.rows()


@quick
@given(seeds, st.integers(10, 80), st.integers(1, 5), seeds)
def test_k_more_nodes_are_about_k_added(seed: int, size: int, k: int, where: int) -> None:
    rows = random_rows(seed, size)
    graphs = compare_programs(graph_of(rows), graph_of(_insert(rows, k, where), prefix="m"))
    _, changed, moved, added, removed = counts_of(graphs)
    assert added - removed == k  # whatever is matched: the numbers of nodes say so
    assert removed <= k
    # An inserted node changes the operands of those that use it: of each at most one value.
    assert changed + moved <= 12 * k


def _insert(rows: list[Row], k: int, seed: int) -> list[Row]:
    """Put k nodes on the way from a node to one of its users."""
    dice = random.Random(seed)
    rows = list(rows)
    for _ in range(k):
        users = [i for i, (_, operands, _) in enumerate(rows) if operands]
        user = dice.choice(users)
        operation, operands, type_ = rows[user]
        slot = dice.randrange(len(operands))
        new: Row = (dice.choice(OPERATIONS[:2]), (operands[slot],), rows[operands[slot]][2])
        shifted: list[Row] = [(op, tuple(o + (o >= user) for o in ops), t) for op, ops, t in rows]
        changed = list(shifted[user][1])
        changed[slot] = user
        shifted[user] = (operation, tuple(changed), type_)
        rows = [*shifted[:user], new, *shifted[user:]]
    return rows
