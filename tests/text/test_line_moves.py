"""Where lines are after an edit: the same lines, in order, and none that is another."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.program.source_lines import SAME, find_line_moves

TEXTS = st.lists(st.sampled_from(["a", "b", "c", "", "    return x"]), max_size=12).map("\n".join)


def test_a_text_that_was_not_edited_moves_nothing():
    moves = find_line_moves("a\nb", "a\nb")
    assert moves is SAME and not moves.is_edited
    assert moves.to_later(2) == moves.to_earlier(2) == moves.to_nearest(2) == 2


def test_lines_below_an_insertion_move_down_and_a_changed_line_is_nowhere():
    moves = find_line_moves(
        "def f(x):\n    y = x\n    return y", "# new\ndef f(x):\n    y = 2\n    return y"
    )
    assert [moves.to_later(line) for line in (1, 2, 3)] == [2, 0, 4]
    assert [moves.to_earlier(line) for line in (1, 2, 3, 4)] == [0, 1, 0, 3]
    assert [moves.to_nearest(line) for line in (1, 2, 3)] == [2, 3, 4]
    assert moves.num_gone == 1


def test_lines_that_are_gone_are_nearest_to_what_stands_there_now():
    moves = find_line_moves("a\nb\nc\nd", "a\nd")
    assert [moves.to_later(line) for line in (1, 2, 3, 4)] == [1, 0, 0, 2]
    assert [moves.to_nearest(line) for line in (2, 3)] == [2, 2]
    assert find_line_moves("a\nb", "a").to_nearest(2) == 1


def test_lines_that_are_not_there_are_nowhere():
    moves = find_line_moves("a", "b\na")
    assert moves.to_later(0) == moves.to_later(9) == moves.to_earlier(3) == 0


def test_texts_that_differ_too_much_keep_what_both_begin_and_end_with():
    old = ["head", *(f"old {n}" for n in range(3_000)), "tail"]
    new = ["head", *(f"new {n}" for n in range(3_001)), "tail"]
    moves = find_line_moves("\n".join(old), "\n".join(new))
    assert (moves.to_later(1), moves.to_later(2), moves.to_later(3_002)) == (1, 0, 3_003)


@given(TEXTS, TEXTS)
@settings(max_examples=200)
def test_a_line_is_only_ever_found_where_the_same_text_stands(earlier: str, later: str):
    moves, old, new = find_line_moves(earlier, later), earlier.split("\n"), later.split("\n")
    found = [(line, moves.to_later(line)) for line in range(1, len(old) + 1)]
    kept = [(was, now) for was, now in found if now]
    assert all(old[was - 1] == new[now - 1] and moves.to_earlier(now) == was for was, now in kept)
    assert [now for _, now in kept] == sorted({now for _, now in kept})
    assert all(1 <= moves.to_nearest(was) <= len(new) for was, _ in found)
