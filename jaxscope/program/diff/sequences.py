"""Align two sequences without crossings, in nearly linear time.

Keys that occur once on both sides anchor the alignment (patience), what lies between two anchors
is aligned in the same way, small rests exactly. Where nothing is unique, equal keys pair up by
their turn: the third on one side with the third on the other.
"""

from __future__ import annotations

import bisect
from collections import Counter
from collections.abc import Sequence

IndexPair = tuple[int, int]
_Range = tuple[int, int, int, int, int]

_EXACT_CELLS = 2_500
"""Up to so many pairs of places the longest common subsequence is found exactly."""
_MAX_DEPTH = 48
"""Anchors within anchors; more are met in hostile files only."""


def align_sequences(first: Sequence[int], second: Sequence[int]) -> list[IndexPair]:
    """Pairs of places with equal keys, rising on both sides.

    Nearly linear: at most `_MAX_DEPTH` passes over the sequences.
    """
    found: list[IndexPair] = []
    rest: list[_Range] = [(0, len(first), 0, len(second), 0)]
    while rest:
        start_a, stop_a, start_b, stop_b, depth = rest.pop()
        while start_a < stop_a and start_b < stop_b and first[start_a] == second[start_b]:
            found.append((start_a, start_b))
            start_a, start_b = start_a + 1, start_b + 1
        while start_a < stop_a and start_b < stop_b and first[stop_a - 1] == second[stop_b - 1]:
            stop_a, stop_b = stop_a - 1, stop_b - 1
            found.append((stop_a, stop_b))
        if start_a == stop_a or start_b == stop_b:
            continue
        here = (start_a, stop_a, start_b, stop_b, depth)
        if (stop_a - start_a) * (stop_b - start_b) <= _EXACT_CELLS:
            found += _align_exactly(first, second, here)
            continue
        anchors = _find_anchors(first, second, here) if depth < _MAX_DEPTH else []
        if not anchors:
            found += _align_by_turn(first, second, here)
            continue
        found += anchors
        before = (start_a - 1, start_b - 1)
        for place_a, place_b in [*anchors, (stop_a, stop_b)]:
            rest.append((before[0] + 1, place_a, before[1] + 1, place_b, depth + 1))
            before = (place_a, place_b)
    return sorted(found)


def longest_rising(values: Sequence[int]) -> list[int]:
    """Places of a longest strictly rising subsequence, in order."""
    tails: list[int] = []
    places: list[int] = []
    before: list[int] = []
    for place, value in enumerate(values):
        at = bisect.bisect_left(tails, value)
        before.append(places[at - 1] if at else -1)
        if at == len(tails):
            tails.append(value)
            places.append(place)
        else:
            tails[at], places[at] = value, place
    chosen = []
    place = places[-1] if places else -1
    while place >= 0:
        chosen.append(place)
        place = before[place]
    return chosen[::-1]


def _rising(pairs: list[IndexPair]) -> list[IndexPair]:
    """Of pairs that rise on the first side, a longest choice that rises on both."""
    return [pairs[place] for place in longest_rising([b for _, b in pairs])]


def _find_anchors(first: Sequence[int], second: Sequence[int], here: _Range) -> list[IndexPair]:
    start_a, stop_a, start_b, stop_b, _ = here
    count_a, count_b = Counter(first[start_a:stop_a]), Counter(second[start_b:stop_b])
    place_b = {second[b]: b for b in range(start_b, stop_b) if count_b[second[b]] == 1}
    return _rising(
        [
            (a, place_b[first[a]])
            for a in range(start_a, stop_a)
            if first[a] in place_b and count_a[first[a]] == 1
        ]
    )


def _align_by_turn(first: Sequence[int], second: Sequence[int], here: _Range) -> list[IndexPair]:
    start_a, stop_a, start_b, stop_b, _ = here
    turns: dict[int, list[int]] = {}
    for b in range(stop_b - 1, start_b - 1, -1):
        turns.setdefault(second[b], []).append(b)
    pairs = []
    for a in range(start_a, stop_a):
        waiting = turns.get(first[a])
        if waiting:
            pairs.append((a, waiting.pop()))
    return _rising(pairs)


def _align_exactly(first: Sequence[int], second: Sequence[int], here: _Range) -> list[IndexPair]:
    """The longest common subsequence by dynamic programming."""
    start_a, stop_a, start_b, stop_b, _ = here
    width = stop_b - start_b
    rows = [[0] * (width + 1)]
    for a in range(stop_a - 1, start_a - 1, -1):
        below, row = rows[-1], [0] * (width + 1)
        key = first[a]
        for b in range(width - 1, -1, -1):
            if key == second[start_b + b]:
                row[b] = below[b + 1] + 1
            else:
                row[b] = below[b] if below[b] >= row[b + 1] else row[b + 1]
        rows.append(row)
    rows.reverse()
    pairs, a, b = [], 0, 0
    while a < stop_a - start_a and b < width:
        if first[start_a + a] == second[start_b + b]:
            pairs.append((start_a + a, start_b + b))
            a, b = a + 1, b + 1
        elif rows[a + 1][b] >= rows[a][b + 1]:
            a += 1
        else:
            b += 1
    return pairs
