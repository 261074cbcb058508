"""Find the nodes of a program again after a small edit, in the time between two pictures.

A comparison matches whatever two programs have in common, however far apart it is. Here the second
program is the first one after a person changed a line: nodes are lined up in program order, as a
text is with its next version, and what moved is found by its looks. Numbers of equations, names of
variables and source lines do not count: a line more renumbers all of them.
"""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.sequences import Pair, align
from jaxscope.analysis.comparison.signatures import Codes, Hashes, hash_rows, join
from jaxscope.model import NONE, Graph

Int32s = npt.NDArray[np.int32]

_MOST_BETWEEN = 20_000
"""Nodes between the equal beginnings and ends of two programs that are lined up."""


def follow_nodes(old: Graph, new: Graph) -> Int32s:
    """Of each node of a program, its index after an edit; `NONE` where it is gone."""
    codes = Codes()
    (exact_old, loose_old), (exact_new, loose_new) = (_sign(graph, codes) for graph in (old, new))
    found = np.full(len(exact_old), NONE, np.int32)
    for first, second in _line_up(exact_old, exact_new):
        found[first] = second
    _fill_gaps(found, loose_old, loose_new)
    _find_moved(found, exact_old, exact_new)
    return found


class NodeFollower:
    """Follows node ids from one graph of a stage to the next one of it."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self._old, self._new = old, new
        self._found = follow_nodes(old, new)

    def find(self, node_id: str) -> str | None:
        """The id that a node has by now; None if it is gone, or never was."""
        node = self._old.index_by_id.get(node_id)
        found = NONE if node is None else int(self._found[node])
        return None if found == NONE else self._new.string(self._new.nodes.id, found)


def _sign(graph: Graph, codes: Codes) -> tuple[Hashes, Hashes]:
    """What a node looks like, and what it does whatever the sizes of its arrays."""
    nodes, texts = graph.nodes, codes.column(graph.strings)
    scope = hash_rows(nodes.scope, texts)
    loose = join(nodes.kind, texts[nodes.operation], nodes.direction, scope)
    num_inputs = np.bincount(graph.edges.target, minlength=len(nodes))
    return join(loose, hash_rows(nodes.types, texts), num_inputs), loose


def _line_up(old: Hashes, new: Hashes) -> list[Pair]:
    """Pairs of places with equal keys, rising on both sides."""
    most = min(len(old), len(new))
    head = _count_equal(old[:most], new[:most])
    most -= head
    tail = _count_equal(old[::-1][:most], new[::-1][:most])
    pairs = [(at, at) for at in range(head)]
    between = old[head : len(old) - tail], new[head : len(new) - tail]
    if sum(map(len, between)) <= _MOST_BETWEEN:
        pairs += [(head + a, head + b) for a, b in align(*(each.tolist() for each in between))]
    pairs += [(len(old) - at, len(new) - at) for at in range(tail, 0, -1)]
    return pairs


def _count_equal(one: Hashes, other: Hashes) -> int:
    """How many rows are equal before the first that are not."""
    differs = np.flatnonzero(one != other)
    return int(differs[0]) if len(differs) else len(one)


def _fill_gaps(found: Int32s, old: Hashes, new: Hashes) -> None:
    """Line up what is between what was found, by what it does alone."""
    known = np.flatnonzero(found != NONE)
    firsts = [-1, *known.tolist(), len(old)]
    seconds = [-1, *found[known].tolist(), len(new)]
    for (a, next_a), (b, next_b) in zip(
        itertools.pairwise(firsts), itertools.pairwise(seconds), strict=True
    ):
        size = (next_a - a - 1) + (next_b - b - 1)
        if next_a - a > 1 and next_b - b > 1 and size <= _MOST_BETWEEN:
            gap = align(old[a + 1 : next_a].tolist(), new[b + 1 : next_b].tolist())
            for first, second in gap:
                found[a + 1 + first] = b + 1 + second


def _find_moved(found: Int32s, old: Hashes, new: Hashes) -> None:
    """Pair up what is left and looks the same, by its turn."""
    is_left = np.ones(len(new), bool)
    is_left[found[found != NONE]] = False
    turns: dict[int, list[int]] = {}
    for second in np.flatnonzero(is_left)[::-1].tolist():
        turns.setdefault(int(new[second]), []).append(second)
    for first in np.flatnonzero(found == NONE).tolist():
        waiting = turns.get(int(old[first]))
        if waiting:
            found[first] = waiting.pop()
