"""Straight pieces of lines are painted once where they meet or lie on each other."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from jaxscope.ui.canvas.scene_painter import join_straight

PLACE = st.integers(0, 12)


def cells_of(pieces: list[list[int]]) -> set[tuple[int, int, bool]]:
    """The unit pieces that straight ones consist of: where each begins, and whether upright."""
    found = set()
    for x0, y0, x1, y1 in pieces:
        for y in range(min(y0, y1), max(y0, y1)):
            found.add((x0, y, True))
        for x in range(min(x0, x1), max(x0, x1)):
            found.add((x, y0, False))
    return found


@given(st.lists(st.tuples(st.booleans(), PLACE, PLACE, PLACE), max_size=12))
def test_the_same_is_covered_and_no_two_pieces_touch_along(
    drawn: list[tuple[bool, int, int, int]],
) -> None:
    pieces = [
        [place, begin, place, end] if is_upright else [begin, place, end, place]
        for is_upright, place, begin, end in drawn
        if begin != end
    ]
    joined = join_straight(np.array(pieces, float).reshape(-1, 4)).tolist()

    assert cells_of([[round(n) for n in piece] for piece in joined]) == cells_of(pieces)
    for upright in (True, False):
        spans = sorted(
            (x0, y0, y1) if upright else (y0, x0, x1)
            for x0, y0, x1, y1 in joined
            if (x0 == x1) == upright
        )
        for (place, _, end), (other, begin, _) in itertools.pairwise(spans):
            assert place != other or begin > end
