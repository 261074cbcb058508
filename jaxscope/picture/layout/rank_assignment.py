"""Give every node a rank so that edges point onward (longest path, then pulled to users), and wrap
ranks that are too wide for a page into several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from jaxscope.late_dataclass import dataclass
from jaxscope.picture.layout.diagram import LayeredGraph

if TYPE_CHECKING:
    from jaxscope.picture.layout.diagram import Diagram, DiagramEdge, Spacing


def rank_nodes(
    num: int,
    links: Sequence[DiagramEdge],
    first: frozenset[int],
    last: frozenset[int],
    early: frozenset[int] = frozenset(),
    late: frozenset[int] = frozenset(),
    later: Sequence[tuple[int, int]] = (),
    upward: frozenset[int] = frozenset(),
) -> tuple[list[int], frozenset[int]]:
    """Rank by longest path, then pull producers towards their users, but those of `early`.

    Args:
        later: Pairs of nodes that keep their order as if there were links between them.
        upward: Indices of the links that are to run against the flow.

    Returns:
        The rank of each node, from 0 without gaps at the ends, and the indices of the links
        that run against the flow: those of `upward`, and those that had to be turned round because
        they close a cycle.
    """
    ends = [(link.source, link.target) for link in links]
    for index in upward:
        ends[index] = ends[index][::-1]
    pairs = [*ends, *later]
    num_nodes = num
    for link, (top, bottom) in zip(links, ends, strict=True):
        if link.text_across and top != bottom:  # as if its text were a node
            pairs += [(top, num), (num, bottom)]
            num += 1
    turned = _find_turned(num, pairs, first, last)
    before: list[list[int]] = [[] for _ in range(num)]
    after: list[list[int]] = [[] for _ in range(num)]
    for index, (source, target) in enumerate(pairs):
        if source == target:
            continue
        if index in turned:
            source, target = target, source
        before[target].append(source)
        after[source].append(target)
    order = _topological_order(before, after)
    ranks = _rank_by_longest_path(order, before, first)
    if late:
        end = max(ranks[v] for v in range(num) if v not in last)
        for v in late:
            ranks[v] = end
    _pull_to_users(order, ranks, before, after, first | early | late)
    lowest = min((ranks[v] for v in range(num) if v not in first), default=0)
    base = (1 if first else 0) - lowest
    ranks = [0 if v in first else rank + base for v, rank in enumerate(ranks)]
    if last:
        end = max((ranks[v] for v in range(num) if v not in last), default=-1) + 1
        ranks = [end if v in last else rank for v, rank in enumerate(ranks)]
    return ranks[:num_nodes], upward ^ {index for index in turned if index < len(links)}


def _rank_by_longest_path(
    order: list[int], before: list[list[int]], first: frozenset[int]
) -> list[int]:
    ranks = [0] * len(before)
    for v in order:
        if before[v]:
            ranks[v] = 1 + max([ranks[u] for u in before[v]])
        elif first and v not in first:
            ranks[v] = 1
    return ranks


def _pull_to_users(
    order: list[int],
    ranks: list[int],
    before: list[list[int]],
    after: list[list[int]],
    kept: frozenset[int],
) -> None:
    """Where a node has at least as many users as inputs, its outgoing lines are the ones to
    shorten."""
    for v in reversed(order):
        users = after[v]
        if users and len(users) >= len(before[v]) and v not in kept:
            ranks[v] = min([ranks[u] for u in users]) - 1


def _topological_order(before: list[list[int]], after: list[list[int]]) -> list[int]:
    num = len(before)
    if all(u < v for v in range(num) for u in before[v]):
        return list(range(num))  # program order: the usual case
    missing = [len(sources) for sources in before]
    order = [v for v in range(num) if not missing[v]]
    for v in order:  # grows while it is read
        for u in after[v]:
            missing[u] -= 1
            if not missing[u]:
                order.append(u)
    return order


def _find_turned(
    num: int, pairs: list[tuple[int, int]], first: frozenset[int], last: frozenset[int]
) -> frozenset[int]:
    """Links to turn round: into the first rank, out of the last, and the back edges of a
    depth-first search over the rest."""
    turned = {
        index
        for index, (source, target) in enumerate(pairs)
        if source != target
        and ((target in first and source not in first) or (source in last and target not in last))
    }
    if not turned and all(source <= target for source, target in pairs):
        return frozenset()
    after: list[list[tuple[int, int]]] = [[] for _ in range(num)]
    for index, (source, target) in enumerate(pairs):
        if source != target:
            ends = (target, source) if index in turned else (source, target)
            after[ends[0]].append((ends[1], index))
    state = bytearray(num)  # 0 unseen, 1 on the path, 2 done
    for start in range(num):
        if state[start]:
            continue
        state[start] = 1
        path = [(start, iter(after[start]))]
        while path:
            v, rest = path[-1]
            for u, index in rest:
                if state[u] == 1:
                    turned ^= {index}
                elif not state[u]:
                    state[u] = 1
                    path.append((u, iter(after[u])))
                    break
            else:
                state[v] = 2
                path.pop()
    return frozenset(turned)


# Wrap ranks that are too wide for a page into several, as words of a line that is too long.
#
# Nodes of one rank do not depend on each other, so any of them may stand on a rank of its own
# between this one and the next. Lines to and from what was moved pass beside what stays: each takes
# room there too, so it is counted before anything is moved.


MAX_NODES = 200
"""A larger group is no page: it is looked at piece by piece."""


def wrap_ranks(
    diagram: Diagram,
    threads: LayeredGraph,
    spacing: Spacing,
    thread: Callable[[list[int]], LayeredGraph],
) -> LayeredGraph:
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


def _list_rows(threads: LayeredGraph) -> list[list[int]]:
    rows: list[list[int]] = [[] for _ in range(threads.num_ranks)]
    for v, rank in enumerate(threads.rank):
        rows[rank].append(v)
    return rows


def _choose_moved(
    diagram: Diagram, threads: LayeredGraph, row: list[int], spacing: Spacing
) -> frozenset[int]:
    """The nodes to move from a rank to one of their own after it; none where it is narrow enough.

    What has more lines before it than after it stays: so fewest lines pass beside others. Arms of a
    branch stay side by side.
    """
    most, gap = diagram.most_across, spacing.across
    if _measure(threads, row, gap) <= most:
        return frozenset()
    pinned = diagram.first | diagram.last | frozenset(diagram.sequence)
    nodes = [v for v in row if v < threads.num_nodes and v not in pinned]
    if len(nodes) < 2:
        return frozenset()
    others = [v for v in row if v >= threads.num_nodes or v in diagram.sequence]
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


def _measure(threads: LayeredGraph, row: list[int], gap: float) -> float:
    """Size of a rank across, packed as closely as it may be."""
    return sum(threads.across[v] for v in row) + gap * max(len(row) - 1, 0)


@dataclass(frozen=True, slots=True)
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
