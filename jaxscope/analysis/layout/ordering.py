"""Order the vertices of every rank so that few lines cross."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable

from jaxscope.analysis.layout.chains import Threads

_NUM_SWEEPS = 4
_MAX_REFINED_VERTICES = 700
_NUM_REFINEMENTS = 16
_MAX_STALLED = 5
_MAX_TRANSPOSITIONS = 10

Rows = list[list[int]]


def order_ranks(threads: Threads, check_stop: Callable[[], None]) -> Rows:
    """Vertices of each rank from left to right.

    A depth-first start, then sweeps that put each vertex at the mean place of its neighbours.
    Diagrams that are small enough are refined further: neighbours swap where that saves a
    crossing, and the best order met is kept.
    """
    rows = _initial_rows(threads)
    place = [0] * len(threads.rank)
    _number(rows, place)
    wide = [row for row in rows if len(row) > 1]
    upward = wide[::-1]
    for _ in range(_NUM_SWEEPS):
        check_stop()
        _sweep(wide, threads.up, place)
        check_stop()
        _sweep(upward, threads.down, place)
    _sweep(wide, threads.up, place)
    if len(threads.rank) <= _MAX_REFINED_VERTICES:
        _refine(threads, rows, wide, place, check_stop)
    return rows


def _initial_rows(threads: Threads) -> Rows:
    rows: Rows = [[] for _ in range(threads.num_ranks)]
    up, down, rank = threads.up, threads.down, threads.rank
    seen = bytearray(len(rank))
    for start in range(len(rank)):
        if seen[start] or up[start]:
            continue
        stack = [start]
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = 1
            rows[rank[v]].append(v)
            stack.extend(reversed(down[v]))
            stack.extend([u for u in up[v] if not seen[u]])
    return rows


def _number(rows: Iterable[list[int]], place: list[int]) -> None:
    for row in rows:
        for index, v in enumerate(row):
            place[v] = index


def _sweep(rows: Rows, neighbours: list[list[int]], place: list[int]) -> None:
    """Sort each row by the mean place of the neighbours; without any, a vertex stays."""
    for row in rows:
        keys = []
        for index, v in enumerate(row):
            near = neighbours[v]
            if not near:
                keys.append((float(index), index, v))
            elif len(near) == 1:
                keys.append((float(place[near[0]]), index, v))
            else:
                keys.append((sum([place[u] for u in near]) / len(near), index, v))
        keys.sort()
        for index, (_, _, v) in enumerate(keys):
            row[index] = v
            place[v] = index


def _refine(
    threads: Threads, rows: Rows, wide: Rows, place: list[int], check_stop: Callable[[], None]
) -> None:
    best, fewest, stalled = [row[:] for row in rows], _count_crossings(threads, rows, place), 0
    upward = wide[::-1]
    for attempt in range(_NUM_REFINEMENTS):
        if not fewest:
            break
        for _ in range(_MAX_TRANSPOSITIONS):
            check_stop()
            if not _transpose(threads, wide, place):
                break
        crossings = _count_crossings(threads, rows, place)
        if crossings < fewest:
            best, fewest, stalled = [row[:] for row in rows], crossings, 0
        else:
            stalled += 1
            if stalled > _MAX_STALLED:
                break
        if attempt % 2:
            _sweep(upward, threads.down, place)
            _sweep(wide, threads.up, place)
        else:
            _sweep(wide, threads.up, place)
            _sweep(upward, threads.down, place)
    for row, kept in zip(rows, best, strict=True):
        row[:] = kept
    _number(rows, place)


def _count_crossings(threads: Threads, rows: Rows, place: list[int]) -> int:
    total = 0
    for row in rows:
        if len(row) < 2:  # lines that leave one vertex do not cross
            continue
        ends: list[int] = []
        for v in row:
            for end in sorted([place[u] for u in threads.down[v]]):
                at = bisect_right(ends, end)
                total += len(ends) - at
                ends.insert(at, end)
    return total


def _transpose(threads: Threads, rows: Rows, place: list[int]) -> int:
    """Swap neighbours where that saves crossings; returns how many it saved."""
    saved = 0
    for row in rows:
        for index in range(len(row) - 1):
            left, right = row[index], row[index + 1]
            now, swapped = _pair_crossings(threads, left, right, place)
            if swapped < now:
                row[index], row[index + 1] = right, left
                place[right], place[left] = index, index + 1
                saved += now - swapped
    return saved


def _pair_crossings(threads: Threads, left: int, right: int, place: list[int]) -> tuple[int, int]:
    """Crossings between the lines of two neighbours, as they stand and swapped."""
    now = swapped = 0
    for neighbours in (threads.up, threads.down):
        ours, theirs = neighbours[left], neighbours[right]
        if not ours or not theirs:
            continue
        others = [place[u] for u in theirs]
        for u in ours:
            at = place[u]
            for other in others:
                if other < at:
                    now += 1
                elif other > at:
                    swapped += 1
    return now, swapped
