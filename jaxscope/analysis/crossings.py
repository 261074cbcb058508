"""Where values cross the borders of nested programs: edges that a graph does not spell out.

A value enters a scan's body, a jit's program or a fusion as an operand of the node that owns it,
and is an input inside; what leaves is a result inside, and goes to users of the owner's result.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.sharing import find_shown_groups
from jaxscope.analysis.view.boundaries import find_boundaries
from jaxscope.model import NONE, Graph, NodeKind

Int32s = npt.NDArray[np.int32]
Pair = tuple[int, int]


def find_crossings(graph: Graph, begin: int, end: int) -> tuple[Int32s, Int32s]:
    """Sources and targets of the edges by which a path between two nodes may cross borders.

    A path that begins or ends at an owner may lead into what it owns. A program that several
    nodes share is left only as it was entered: through those that are not its first owner, one
    gets in only to stay, and out only from inside.
    """
    pairs = dict.fromkeys(_Borders(graph).list_pairs(begin, end))
    found = np.asarray(list(pairs), np.int32).reshape(-1, 2)
    return found[:, 0], found[:, 1]


class _Borders:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._owners = graph.groups.owner.tolist()
        self._group_of = graph.nodes.group.tolist()
        self._into: dict[int, list[Pair]] = {}  # of each group its inputs, and for which operand
        self._out: dict[int, list[Pair]] = {}
        boundaries = find_boundaries(graph)
        for node, (_, operand) in boundaries.entering.items():
            self._into.setdefault(self._group_of[node], []).append((node, operand))
        for (_, result), nodes in boundaries.leaving.items():
            for node in nodes:
                self._out.setdefault(self._group_of[node], []).append((node, result))
        self._add_unmapped()
        self._insides: dict[int, list[int]] = {}  # of each owner its groups
        for group, owner in enumerate(self._owners):
            self._insides.setdefault(owner, []).append(group)
        self._producers: dict[int, list[tuple[int, int, int]]] = {}
        self._users: dict[int, list[Pair]] = {}
        edges = graph.edges
        columns = (edges.source, edges.output, edges.target, edges.operand)
        for source, output, target, operand in zip(*(c.tolist() for c in columns), strict=True):
            self._producers.setdefault(target, []).append((source, output, operand))
            self._users.setdefault(source, []).append((target, output))

    def _add_unmapped(self) -> None:
        """Reducers get no operand as it is: any may be what enters."""
        kinds = self._graph.nodes.kind.tolist()
        unmapped = {
            group
            for group, owner in enumerate(self._owners)
            if owner != NONE and group not in self._into and group not in self._out
        }
        for node, group in enumerate(self._group_of):
            if group in unmapped and kinds[node] == NodeKind.INPUT:
                self._into.setdefault(group, []).append((node, NONE))
            elif group in unmapped and kinds[node] == NodeKind.OUTPUT:
                self._out.setdefault(group, []).append((node, NONE))

    def list_pairs(self, begin: int, end: int) -> Iterator[Pair]:
        for group, owner in enumerate(self._owners):
            if owner != NONE:
                yield from self._enter(group, owner)
                yield from self._leave(group, owner)
            if owner == begin:
                yield from ((begin, node) for node, _ in self._into.get(group, ()))
            if owner == end:
                yield from ((node, end) for node, _ in self._out.get(group, ()))
        around_begin, around_end = self._groups_around(begin), self._groups_around(end)
        for node, group in enumerate(find_shown_groups(self._graph).tolist()):
            if group in around_end:
                yield from self._enter(group, node)
                if node == begin:
                    yield from ((begin, inner) for inner, _ in self._into.get(group, ()))
            if group in around_begin:
                yield from self._leave(group, node)
                if node == end:
                    yield from ((inner, end) for inner, _ in self._out.get(group, ()))

    def _enter(self, group: int, owner: int) -> Iterator[Pair]:
        for node, wanted in self._into.get(group, ()):
            for source, output, operand in self._producers.get(owner, ()):
                if wanted in (NONE, operand):
                    yield source, node
                    for inside in self._insides.get(source, ()):  # out of one and into another
                        yield from (
                            (each, node)
                            for each, result in self._out.get(inside, ())
                            if result in (NONE, output)
                        )

    def _leave(self, group: int, owner: int) -> Iterator[Pair]:
        for node, wanted in self._out.get(group, ()):
            for user, result in self._users.get(owner, ()):
                if wanted in (NONE, result):
                    yield node, user

    def _groups_around(self, node: int) -> frozenset[int]:
        parents, group = self._graph.groups.parent, self._group_of[node]
        found = set()
        while group != NONE:
            found.add(group)
            group = int(parents[group])
        return frozenset(found)


def count_crossings(graph: Graph, path: tuple[int, ...]) -> int:
    """How many borders of nested programs a path crosses."""
    groups = graph.nodes.group[list(path)]
    return int((groups[1:] != groups[:-1]).sum())
