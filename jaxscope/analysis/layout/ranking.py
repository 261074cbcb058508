"""Give every node a rank so that edges point onward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxscope.analysis.layout.layered import Link


def rank_nodes(
    num: int, links: Sequence[Link], first: frozenset[int], last: frozenset[int]
) -> tuple[list[int], frozenset[int]]:
    """Rank by longest path, then pull producers towards their users.

    Returns:
        The rank of each node, from 0 without gaps at the ends, and the indices of the links
        that had to be turned round because they close a cycle.
    """
    pairs = [(link.source, link.target) for link in links]
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
    _pull_to_users(order, ranks, before, after, first)
    lowest = min((ranks[v] for v in range(num) if v not in first), default=0)
    base = (1 if first else 0) - lowest
    ranks = [0 if v in first else rank + base for v, rank in enumerate(ranks)]
    if last:
        end = max((ranks[v] for v in range(num) if v not in last), default=-1) + 1
        ranks = [end if v in last else rank for v, rank in enumerate(ranks)]
    return ranks, turned


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
    first: frozenset[int],
) -> None:
    """Where a node has at least as many users as inputs, its outgoing lines are the ones to
    shorten."""
    for v in reversed(order):
        users = after[v]
        if users and len(users) >= len(before[v]) and v not in first:
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
    flat = {
        index
        for index, (source, target) in enumerate(pairs)
        if (target in first and source in first) or (target in last and source in last)
    }
    if not turned and not flat and all(source <= target for source, target in pairs):
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
