"""What became of every node of two matched graphs: the same, changed, moved, added or removed, and
what differs in it, before and after.

Groups have no lasting names (`fused_computation.3` is `.5` in the next version), so each
corresponds to the group of the other side that most of its nodes went to; a node moved only where
both sides agree on that.
"""

from __future__ import annotations

import enum
import functools
from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Cost, Graph, NodeKind
from jaxscope.model.said import NAMED, Said, said, say
from jaxscope.model.units import format_bytes, format_flops
from jaxscope.program.diff.matching import (
    Codes,
    ComparedGraph,
    Hashes,
    Matching,
    NeighbourhoodHasher,
    combine_hashes,
    comparable_attributes,
    compute_signatures,
    match_graphs,
    order_key,
)
from jaxscope.program.diff.sequences import longest_rising
from jaxscope.program.predicates import Predicates

Int64s = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def find_moved_groups(
    first: Graph, second: Graph, at_first: Int64s, at_second: npt.NDArray[np.generic]
) -> Flags:
    """Of each pair of nodes whether it changed its group; the program itself is itself."""
    before, after = first.nodes.group[at_first], second.nodes.group[at_second]
    moved = find_moved_places(before, after)
    # The outermost level needs no vote: it is the same thing on both sides.
    is_outside = (before == -1) | (after == -1)
    return np.where(is_outside, before != after, moved)


def find_moved_places(before: npt.NDArray[np.generic], after: npt.NDArray[np.generic]) -> Flags:
    """Of each pair whether its place went elsewhere than most of the same place.

    Args:
        before: Any numbers that stand for places on the first side.
        after: Likewise on the second side; equal numbers on both sides mean nothing.
    """
    if not len(before):
        return np.zeros(0, np.bool_)
    _, places_a = np.unique(before, return_inverse=True)
    _, places_b = np.unique(after, return_inverse=True)
    to_b = _favourites(places_a, places_b)
    to_a = _favourites(places_b, places_a)
    stays: Flags = (to_b[places_a] == places_b) & (to_a[places_b] == places_a)
    return ~stays


def _favourites(of: Int64s, among: Int64s) -> Int64s:
    """For each number in `of` the most frequent partner; of equals the smallest."""
    width = int(among.max()) + 1
    keys, counts = np.unique(of * width + among, return_counts=True)
    order = np.lexsort((keys, -counts))
    owners = keys[order] // width
    _, first = np.unique(owners, return_index=True)
    favourites: Int64s = keys[order][first] % width
    return favourites


def find_moved_boundaries(
    first: Graph, second: Graph, at_first: Int64s, at_second: npt.NDArray[np.generic]
) -> Flags:
    """Of each pair of inputs or outputs whether it changed its turn among those that stayed.

    An argument before it moves nothing; a swap of two arguments moves one of them.
    """
    moved = np.zeros(len(at_first), np.bool_)
    for kind in (NodeKind.INPUT, NodeKind.OUTPUT):
        is_kind = (first.nodes.kind[at_first] == kind) & (first.nodes.group[at_first] == -1)
        chosen = np.flatnonzero(is_kind)
        seconds = at_second[chosen]
        stays = longest_rising(seconds.tolist())
        moved[np.delete(chosen, stays)] = True
    return moved


Int8s = npt.NDArray[np.int8]


class Change(enum.IntEnum):
    """What became of a node. The second side is the later one."""

    SAME = 0
    CHANGED = 1
    MOVED = 2
    ADDED = 3
    REMOVED = 4


class ChangedAspect(enum.IntFlag):
    """In what a pair of nodes differs."""

    OPERATION = 1
    TYPES = 2
    ATTRIBUTES = 4
    OPERANDS = 8
    COST = 16
    GROUP = 32
    SCOPE = 64
    PLACE = 128


CONTENT = (
    ChangedAspect.OPERATION
    | ChangedAspect.TYPES
    | ChangedAspect.ATTRIBUTES
    | ChangedAspect.OPERANDS
    | ChangedAspect.COST
)
"""What makes a node changed; the other aspects make it moved."""

_COST_TOLERANCE = 1e-9
"""Relative; costs are sums of integers, kept as float64."""


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, eq=False)
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
    def predicates(self) -> tuple[Predicates, Predicates]:
        """What chooses the arms of branches, in the first graph and in the second."""
        return Predicates(self.first), Predicates(self.second)

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

    @functools.cached_property
    def num_ends(self) -> int:
        """How many of the nodes that differ are arguments or results, not equations."""
        ends = [int(kind) for kind in _ENDS]
        first, second = (np.isin(g.nodes.kind, ends) for g in (self.first, self.second))
        gone = first & (self.first_changes != Change.SAME)
        added = second & (self.second_changes == Change.ADDED)
        return int(np.count_nonzero(gone)) + int(np.count_nonzero(added))

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


def compare_graphs(
    first: ComparedGraph, second: ComparedGraph, *, with_cost: bool = True
) -> GraphComparison:
    """Match two graphs and say what became of each node.

    Args:
        first: The earlier side.
        second: The later side.
        with_cost: Whether the costs of both mean the same; else they are left out.
    """
    if order_key(first.graph) > order_key(second.graph):
        return _swap(compare_graphs(second, first, with_cost=with_cost))
    matching = match_graphs(first, second)
    codes = Codes()
    signs = [compute_signatures(side, codes) for side in (first, second)]
    at_first = np.flatnonzero(matching.second_of_first != NONE)
    at_second = matching.second_of_first[at_first]
    operations = [
        codes.column(side.graph.strings)[side.graph.nodes.operation] for side in (first, second)
    ]
    operands = _operand_hashes(first.graph, second.graph, matching)
    flags: list[tuple[ChangedAspect, Flags]] = [
        (ChangedAspect.OPERATION, operations[0][at_first] != operations[1][at_second]),
        (ChangedAspect.TYPES, signs[0].types[at_first] != signs[1].types[at_second]),
        (ChangedAspect.ATTRIBUTES, signs[0].attributes[at_first] != signs[1].attributes[at_second]),
        (ChangedAspect.OPERANDS, operands[0][at_first] != operands[1][at_second]),
        (ChangedAspect.GROUP, find_moved_groups(first.graph, second.graph, at_first, at_second)),
        (
            ChangedAspect.PLACE,
            find_moved_boundaries(first.graph, second.graph, at_first, at_second),
        ),
        (ChangedAspect.SCOPE, _scope_moved(signs[0].scope[at_first], signs[1].scope[at_second])),
    ]
    if with_cost:
        flags.append(
            (ChangedAspect.COST, _cost_differs(first.graph, second.graph, at_first, at_second))
        )
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
        NeighbourhoodHasher(first).operands(combine_hashes(names[0])),
        NeighbourhoodHasher(second).operands(combine_hashes(names[1])),
    )


def _cost_differs(
    first: Graph, second: Graph, at_first: npt.NDArray[np.int64], at_second: npt.NDArray[np.int32]
) -> Flags:
    """Whether a known cost became another; what is unknown on a side is not compared."""
    before, after = first.nodes.cost[at_first], second.nodes.cost[at_second]
    known = ~np.isnan(before) & ~np.isnan(after)
    with np.errstate(invalid="ignore"):
        far = np.abs(before - after) > _COST_TOLERANCE * np.maximum(np.abs(before), np.abs(after))
    return np.asarray(np.any(far & known, axis=1), np.bool_)


ABSENT = say("none")


@dataclass(frozen=True, slots=True)
class NodeDifference:
    """One thing that differs.

    Attributes:
        aspect: `operation`, `types`, `attributes`, `operands`, `cost`, `group`, `scope`, `place`.
        name: Which one: the attribute's key, the operand's slot, the quantity; empty if there is
            only one.
        before: On the first side, fit to show.
        after: On the second side.
    """

    aspect: str
    name: str
    before: str
    after: str

    def __str__(self) -> str:
        return self.sentence()

    def sentence(self) -> Said:
        """The same, to be said in another language."""
        aspect = said(self.aspect)
        named = say("{what} {path}", what=aspect, path=self.name) if self.name else aspect
        both = say("{before} → {after}", before=self.before, after=self.after)
        return say(NAMED, name=named, meaning=both)


def find_node_differences(
    comparison: GraphComparison, first_node: int, second_node: int
) -> tuple[NodeDifference, ...]:
    """What differs between a node and its partner; nothing where either is missing."""
    if first_node == NONE or second_node == NONE:
        return ()
    return tuple(_differences(comparison, first_node, second_node))


_ENDS = {NodeKind.INPUT: "argument", NodeKind.OUTPUT: "result"}


def name_node(graph: Graph, node: int) -> str:
    """What to call a node: its name in the text and its operation, or its path."""
    name = graph.name(node)
    operation = graph.operation(node)
    attributes, kind = graph.attributes(node), NodeKind(int(graph.nodes.kind[node]))
    if kind in _ENDS:
        known = attributes.get("path") or attributes.get("argument_name") or name
        what = said(_ENDS[kind])
        return say("{what} {path}", what=what, path=known) if known else what
    label = name or graph.id(node)
    return operation if label == operation else f"{label} = {operation}"


def describe_node_change(
    comparison: GraphComparison, change: Change, first: int, second: int
) -> str:
    """One line about a row of a comparison, such as `b = mul: types: f32[8] → f32[16]`."""
    graph, node = (
        (comparison.second, second) if change is Change.ADDED else (comparison.first, first)
    )
    text = name_node(graph, node)
    if change is Change.ADDED or change is Change.REMOVED:
        types = ", ".join(graph.types(node))
        return f"{text} : {types}" if types else text
    other = name_node(comparison.second, second)
    if other != text:
        text = f"{text} ({other})"
    return f"{text}: " + "; ".join(map(str, find_node_differences(comparison, first, second)))


def _differences(comparison: GraphComparison, a: int, b: int) -> Iterator[NodeDifference]:
    before, after = comparison.first, comparison.second
    aspects = int(comparison.aspects[a])
    if aspects & ChangedAspect.OPERATION:
        yield NodeDifference("operation", "", before.operation(a), after.operation(b))
    if aspects & ChangedAspect.TYPES:
        types = [", ".join(g.types(n)) for g, n in ((before, a), (after, b))]
        yield NodeDifference("types", "", types[0] or ABSENT, types[1] or ABSENT)
    if aspects & ChangedAspect.ATTRIBUTES:
        yield from _attribute_differences(
            comparable_attributes(before, a), comparable_attributes(after, b)
        )
    if aspects & ChangedAspect.OPERANDS:
        yield from _operand_differences(comparison, a, b)
    if aspects & ChangedAspect.COST:
        yield from _cost_differences(before.node(a).cost, after.node(b).cost)
    if aspects & ChangedAspect.GROUP:
        first, second = comparison.predicates
        groups = _group_name(first, before, a), _group_name(second, after, b)
        yield NodeDifference("group", "", *groups)
    if aspects & ChangedAspect.SCOPE:
        scopes = ["/".join(g.scope(n)) for g, n in ((before, a), (after, b))]
        yield NodeDifference("scope", "", scopes[0] or ABSENT, scopes[1] or ABSENT)
    if aspects & ChangedAspect.PLACE:
        places = [_place(g.attributes(n)) for g, n in ((before, a), (after, b))]
        yield NodeDifference("place", "", places[0], places[1])


def _attribute_differences(
    before: Mapping[str, str], after: Mapping[str, str]
) -> Iterator[NodeDifference]:
    for key in sorted({*before, *after}):
        if before.get(key) != after.get(key):
            yield NodeDifference("attributes", key, before.get(key, ABSENT), after.get(key, ABSENT))


def _operand_differences(comparison: GraphComparison, a: int, b: int) -> Iterator[NodeDifference]:
    before, after = _operands(comparison.first, a), _operands(comparison.second, b)
    partners = comparison.matching.second_of_first
    for slot in sorted({*before, *after}):
        ours, theirs = before.get(slot), after.get(slot)
        if ours is not None and theirs is not None:
            (source, output), (other, other_output) = ours, theirs
            if int(partners[source]) == other and output == other_output:
                continue
        yield NodeDifference(
            "operands",
            str(slot),
            ABSENT if ours is None else _value_name(comparison.first, *ours),
            ABSENT if theirs is None else _value_name(comparison.second, *theirs),
        )


def _operands(graph: Graph, node: int) -> dict[int, tuple[int, int]]:
    edges = graph.edges
    chosen = np.flatnonzero(edges.target == node)
    return {
        operand: (source, output)
        for operand, source, output in zip(
            edges.operand[chosen].tolist(),
            edges.source[chosen].tolist(),
            edges.output[chosen].tolist(),
            strict=True,
        )
    }


def _value_name(graph: Graph, node: int, output: int) -> str:
    name = name_node(graph, node)
    return say("{name} (result {output})", name=name, output=output) if output else name


def _cost_differences(before: Cost, after: Cost) -> Iterator[NodeDifference]:
    for name, ours, theirs, show in (
        ("FLOPs", before.flops, after.flops, format_flops),
        (say("bytes accessed"), before.bytes_accessed, after.bytes_accessed, format_bytes),
        (say("transcendentals"), before.transcendentals, after.transcendentals, _format_number),
    ):
        if ours != theirs and ours == ours and theirs == theirs:
            yield NodeDifference("cost", name, show(ours), show(theirs))


def _format_number(value: float) -> str:
    return f"{value:,.0f}"


def _group_name(predicates: Predicates, graph: Graph, node: int) -> str:
    group = int(graph.nodes.group[node])
    if group == NONE:
        return say("the program")
    return predicates.label(group) or graph.string(graph.groups.id, group)


def _place(attributes: Mapping[str, str]) -> str:
    """Such as `argument 1` or `result 0`."""
    for key in ("argument", "result"):
        if key in attributes:
            return say("{what} {path}", what=said(key), path=attributes[key])
    return attributes.get("path", "elsewhere")
