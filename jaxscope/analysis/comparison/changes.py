"""What became of every node: the same, changed, moved, added or removed, and what changed in it."""

from __future__ import annotations

import dataclasses
import enum
import functools

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.matching import Matching, match, order_key
from jaxscope.analysis.comparison.neighbourhoods import Surroundings
from jaxscope.analysis.comparison.places import (
    find_moved_boundaries,
    find_moved_groups,
    find_moved_places,
)
from jaxscope.analysis.comparison.signatures import Codes, Hashes, Side, join, sign
from jaxscope.model import NONE, Graph

Int8s = npt.NDArray[np.int8]
Flags = npt.NDArray[np.bool_]


class Change(enum.IntEnum):
    """What became of a node. The second side is the later one."""

    SAME = 0
    CHANGED = 1
    MOVED = 2
    ADDED = 3
    REMOVED = 4


class Aspect(enum.IntFlag):
    """In what a pair of nodes differs."""

    OPERATION = 1
    TYPES = 2
    ATTRIBUTES = 4
    OPERANDS = 8
    COST = 16
    GROUP = 32
    SCOPE = 64
    PLACE = 128


CONTENT = Aspect.OPERATION | Aspect.TYPES | Aspect.ATTRIBUTES | Aspect.OPERANDS | Aspect.COST
"""What makes a node changed; the other aspects make it moved."""

_COST_TOLERANCE = 1e-9
"""Relative; costs are sums of integers, kept as float64."""


@dataclasses.dataclass(frozen=True, slots=True)
class Counts:
    """How many nodes of both sides are what; a pair counts once."""

    same: int
    changed: int
    moved: int
    added: int
    removed: int

    @property
    def is_equal(self) -> bool:
        """Whether nothing differs."""
        return not (self.changed or self.moved or self.added or self.removed)


@dataclasses.dataclass(frozen=True, eq=False)
class GraphComparison:
    """Two graphs and what became of each node.

    Attributes:
        first: The earlier graph.
        second: The later graph.
        matching: Which node is which.
        aspects: `Aspect` flags of each node of the first graph; 0 without a partner.
    """

    first: Graph
    second: Graph
    matching: Matching
    aspects: npt.NDArray[np.int32]

    @functools.cached_property
    def first_changes(self) -> Int8s:
        """`Change` codes of the first graph's nodes: same, changed, moved or removed."""
        changes = np.full(len(self.aspects), Change.SAME, np.int8)
        changes[self.aspects != 0] = Change.MOVED
        changes[(self.aspects & int(CONTENT)) != 0] = Change.CHANGED
        changes[self.matching.second_of_first == NONE] = Change.REMOVED
        return changes

    @functools.cached_property
    def second_changes(self) -> Int8s:
        """`Change` codes of the second graph's nodes: same, changed, moved or added."""
        partners = self.matching.first_of_second
        changes = np.full(len(partners), Change.ADDED, np.int8)
        known = partners != NONE
        changes[known] = self.first_changes[partners[known]]
        return changes

    @functools.cached_property
    def counts(self) -> Counts:
        """How many nodes are what."""
        counts = np.bincount(self.first_changes, minlength=len(Change)).tolist()
        added = int(np.count_nonzero(self.second_changes == Change.ADDED))
        return Counts(counts[0], counts[1], counts[2], added, counts[4])

    def rows(self) -> list[tuple[Change, int, int]]:
        """Each difference as change, node of the first, node of the second, or `NONE`.

        In program order of the second graph; what was removed stands where it was.
        """
        partners = self.matching.second_of_first.tolist()
        rows, next_second = [], 0
        second_changes = self.second_changes.tolist()

        def add_until(stop: int) -> None:
            nonlocal next_second
            while next_second < stop:
                if second_changes[next_second] == Change.ADDED:
                    rows.append((Change.ADDED, NONE, next_second))
                next_second += 1

        for node, change in enumerate(self.first_changes.tolist()):
            if partners[node] != NONE:
                add_until(partners[node])
            if change != Change.SAME:
                rows.append((Change(change), node, partners[node]))
        add_until(len(second_changes))
        return rows


def compare_graphs(first: Side, second: Side, *, with_cost: bool = True) -> GraphComparison:
    """Match two graphs and tell what became of each node.

    Args:
        first: The earlier side.
        second: The later side.
        with_cost: Whether the costs of both mean the same; else they are left out.
    """
    if order_key(first.graph) > order_key(second.graph):
        return _swap(compare_graphs(second, first, with_cost=with_cost))
    matching = match(first, second)
    codes = Codes()
    signs = [sign(side, codes) for side in (first, second)]
    at_first = np.flatnonzero(matching.second_of_first != NONE)
    at_second = matching.second_of_first[at_first]
    operations = [
        codes.column(side.graph.strings)[side.graph.nodes.operation] for side in (first, second)
    ]
    operands = _operand_hashes(first.graph, second.graph, matching)
    flags: list[tuple[Aspect, Flags]] = [
        (Aspect.OPERATION, operations[0][at_first] != operations[1][at_second]),
        (Aspect.TYPES, signs[0].types[at_first] != signs[1].types[at_second]),
        (Aspect.ATTRIBUTES, signs[0].attributes[at_first] != signs[1].attributes[at_second]),
        (Aspect.OPERANDS, operands[0][at_first] != operands[1][at_second]),
        (Aspect.GROUP, find_moved_groups(first.graph, second.graph, at_first, at_second)),
        (Aspect.PLACE, find_moved_boundaries(first.graph, second.graph, at_first, at_second)),
        (Aspect.SCOPE, _scope_moved(signs[0].scope[at_first], signs[1].scope[at_second])),
    ]
    if with_cost:
        flags.append((Aspect.COST, _cost_differs(first.graph, second.graph, at_first, at_second)))
    aspects = np.zeros(len(matching.second_of_first), np.int32)
    for aspect, differs in flags:
        aspects[at_first[differs]] |= int(aspect)
    return GraphComparison(first.graph, second.graph, matching, aspects)


def _scope_moved(before: Hashes, after: Hashes) -> Flags:
    """A scope that was renamed as a whole moved nothing, nor did a scope of the same name."""
    moved: Flags = find_moved_places(before, after) & (before != after)
    return moved


def _swap(comparison: GraphComparison) -> GraphComparison:
    matching = comparison.matching.swapped()
    aspects = np.zeros(len(matching.second_of_first), np.int32)
    known = np.flatnonzero(matching.second_of_first != NONE)
    aspects[known] = comparison.aspects[matching.second_of_first[known]]
    return GraphComparison(comparison.second, comparison.first, matching, aspects)


def _operand_hashes(first: Graph, second: Graph, matching: Matching) -> tuple[Hashes, Hashes]:
    """What flows into each node, in names that both sides share."""
    partners = matching.first_of_second.astype(np.int64)
    own = np.arange(len(partners)) + len(matching.second_of_first)
    names = np.arange(len(matching.second_of_first)), np.where(partners == NONE, own, partners)
    return (
        Surroundings(first).operands(join(names[0])),
        Surroundings(second).operands(join(names[1])),
    )


def _cost_differs(
    first: Graph,
    second: Graph,
    at_first: npt.NDArray[np.int64],
    at_second: npt.NDArray[np.int32],
) -> Flags:
    """Whether a known cost became another; what is unknown on a side is not compared."""
    before, after = first.nodes.cost[at_first], second.nodes.cost[at_second]
    known = ~np.isnan(before) & ~np.isnan(after)
    with np.errstate(invalid="ignore"):
        far = np.abs(before - after) > _COST_TOLERANCE * np.maximum(np.abs(before), np.abs(after))
    return np.asarray(np.any(far & known, axis=1), np.bool_)
