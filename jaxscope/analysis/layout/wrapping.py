"""Wrap ranks that are too wide for a page into several, as words of a line that is too long.

Nodes of one rank do not depend on each other, so any of them may stand on a rank of its own
between this one and the next. Lines to and from what was moved pass beside what stays: each takes
room there too, so it is counted before anything is moved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from jaxscope.analysis.layout.chains import Threads

if TYPE_CHECKING:
    from jaxscope.analysis.layout.layered import Diagram, Spacing

MAX_NODES = 200
"""A larger group is no page: it is looked at piece by piece."""


def wrap_ranks(
    diagram: Diagram,
    threads: Threads,
    spacing: Spacing,
    thread: Callable[[list[int]], Threads],
) -> Threads:
    """Threads with no rank wider than the diagram's `most_across`, as far as that can be had.

    Args:
        threads: The edges of the diagram, threaded through its ranks.
        thread: Does so for other ranks.
    """
    num = threads.num_nodes
    if num > MAX_NODES:
        return threads
    settled: set[int] = set()
    rank = 0
    while rank < threads.num_ranks:
        rows = _list_rows(threads)
        moved = _choose_moved(diagram, threads, rows[rank], spacing)
        if moved:
            ranks = threads.rank[:num]
            ranks = [r + (r > rank or v in moved) for v, r in enumerate(ranks)]
            threads = thread(ranks)
        if not moved or rank in settled:
            rank += 1  # what else is too wide here cannot be helped
        else:
            settled.add(rank)
    return threads


def _list_rows(threads: Threads) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(threads.num_ranks)]
    for v, rank in enumerate(threads.rank):
        rows[rank].append(v)
    return rows


def _choose_moved(
    diagram: Diagram, threads: Threads, row: list[int], spacing: Spacing
) -> frozenset[int]:
    """The nodes to move from a rank to one of their own after it; none where it is narrow enough.

    What has more lines before it than after it stays: so fewest lines pass beside others.
    """
    most, gap = diagram.most_across, spacing.across
    if _measure(threads, row, gap) <= most:
        return frozenset()
    pinned = diagram.first | diagram.last
    nodes = [v for v in row if v < threads.num_nodes and v not in pinned]
    if len(nodes) < 2:
        return frozenset()
    others = [v for v in row if v >= threads.num_nodes or v in pinned]
    nodes.sort(key=lambda v: (_lines(threads.down[v]) - _lines(threads.up[v]), v))
    chain = spacing.chain + gap
    taken = _measure(threads, others, gap) + (gap if others else 0.0)
    kept: list[int] = []
    for at, v in enumerate(nodes):
        taken += threads.across[v] + (gap if kept else 0.0)
        rest = nodes[at + 1 :]
        passing = len({u for moved in rest for u in threads.up[moved]})
        if kept and taken + passing * chain > most:
            break
        kept.append(v)
    return frozenset(nodes[len(kept) :])


def _lines(near: Iterable[int]) -> int:
    return len(set(near))


def _measure(threads: Threads, row: list[int], gap: float) -> float:
    """Size of a rank across, packed as closely as it may be."""
    return sum(threads.across[v] for v in row) + gap * max(len(row) - 1, 0)


@dataclasses.dataclass(frozen=True, slots=True)
class Bounds:
    """Where the first and the last vertex of a rank may stand at most, from the page's middle."""

    low: float
    high: float

    def clip(self, place: float) -> float:
        """The nearest place that is allowed; the middle where the rank is wider than the page."""
        if self.low > self.high:
            return (self.low + self.high) / 2
        return min(max(place, self.low), self.high)


def bound_rows(
    rows: list[list[int]], offsets: list[list[float]], across: list[float], most: float
) -> list[Bounds]:
    """Where the first vertex of each rank may stand, given the others' distances from it."""
    return [
        Bounds(
            across[row[0]] / 2 - most / 2, most / 2 - across[row[-1]] / 2 - offset[-1]
        )
        if row
        else Bounds(0.0, 0.0)
        for row, offset in zip(rows, offsets, strict=True)
    ]  # fmt: skip
