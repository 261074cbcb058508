"""See through what only passes values on: nested boundaries, tuples and their elements.

A value that enters a nested program does so through an operand of the owner and an input inside;
here both become one edge from the real producer to the real user. So edges connect operations
that do something, whatever groups are open.
"""

from __future__ import annotations

import dataclasses

import numpy as np

from jaxscope.analysis.view.boundaries import (
    Boundaries,
    Origin,
    attribute_column,
    find_boundaries,
)
from jaxscope.analysis.view.draft import Draft, Input
from jaxscope.analysis.view.operations import LOOPS, PLUMBING
from jaxscope.model import NONE, Graph, NodeKind

_MAX_DEPTH = 400


def join_boundaries(draft: Draft) -> Draft:
    """Connect users inside a nested program with producers outside, and the other way round."""
    return _Resolver(draft, find_boundaries(draft.graph), frozenset()).resolve()


def skip_plumbing(draft: Draft) -> Draft:
    """Lead values through `tuple`, `get-tuple-element` and `bitcast`, element by element.

    Fusions of nothing else keep their last bitcast: their kernel copies, and lines lead through it.
    """
    graph = draft.graph
    plumbing = frozenset(
        node
        for node, operation in enumerate(graph.nodes.operation.tolist())
        if graph.strings[operation] in PLUMBING and draft.is_shown(node) and draft.inputs[node]
    )
    plumbing -= _find_lone_roots(draft, plumbing)
    return _Resolver(draft, Boundaries({}, {}), plumbing).resolve() if plumbing else draft


def _find_lone_roots(draft: Draft, plumbing: frozenset[int]) -> frozenset[int]:
    """Roots of the fusions in which nothing would be left to show."""
    graph = draft.graph
    filled = {
        int(group)
        for node, group in enumerate(graph.nodes.group.tolist())
        if draft.is_shown(node) and node not in plumbing
    }
    owners, roots = graph.groups.owner.tolist(), attribute_column(graph, "root")
    groups = {node: int(graph.nodes.group[node]) for node in plumbing if roots[node] != NONE}
    return frozenset(
        node
        for node, group in groups.items()
        if group != NONE and group not in filled and _is_fusion(graph, owners[group])
    )


def _is_fusion(graph: Graph, node: int) -> bool:
    return node != NONE and graph.strings[graph.nodes.operation[node]] == "fusion"


class _Resolver:
    """Finds the real producers of every operand; one use."""

    def __init__(self, draft: Draft, boundaries: Boundaries, plumbing: frozenset[int]) -> None:
        self._draft = draft
        self._graph = draft.graph
        self._entering = boundaries.entering
        self._leaving = boundaries.leaving
        self._plumbing = plumbing
        self._producers = {
            (node, each.operand): (each.source, each.output)
            for node, inputs in enumerate(draft.inputs)
            for each in inputs
        }
        self._hidden = self._find_hidden()
        self._known: dict[tuple[int, int, tuple[int, ...]], tuple[Origin, ...]] = {}
        self._touched: set[int] = set()
        self._element = _tuple_indices(self._graph, plumbing)
        self._notes = {node: list(notes) for node, notes in draft.notes.items()}

    def _find_hidden(self) -> set[int]:
        hidden = set(self._plumbing)
        graph = self._graph
        for node, place in self._entering.items():
            starts_loop = graph.strings[graph.nodes.operation[place[0]]] in LOOPS
            # A number that a loop starts from is the operand in its first round only.
            if place in self._producers or (self._literal(place) and not starts_loop):
                hidden.add(node)
        kinds, output_kind = graph.nodes.kind.tolist(), int(NodeKind.OUTPUT)
        for nodes in self._leaving.values():
            hidden.update(
                node for node in nodes if kinds[node] == output_kind and self._draft.inputs[node]
            )
        return hidden

    def _find_filled(self) -> set[int]:
        """Owners of nested programs that have something to show inside."""
        groups = self._graph.groups
        is_hidden = np.zeros(len(self._graph.nodes), bool)
        is_hidden[list(self._hidden)] = True
        waiting = np.unique(self._graph.nodes.group[~is_hidden]).tolist()
        seen, owners = {NONE}, set[int]()
        while waiting:
            group = waiting.pop()
            if group not in seen:
                seen.add(group)
                owners.add(int(groups.owner[group]))
                waiting.append(int(groups.parent[group]))
        return owners

    def _literal(self, place: tuple[int, int]) -> str:
        return self._graph.attributes(place[0]).get(f"in[{place[1]}]", "")

    def resolve(self) -> Draft:
        draft = self._draft
        rows: list[tuple[Input, ...]] = [()] * len(draft.inputs)
        owners = {owner for owner, _ in self._entering.values()}
        for node, inputs in enumerate(draft.inputs):
            if node not in self._hidden and node not in owners:
                rows[node] = self._resolve_row(node, inputs)
        filled = self._find_filled()
        for node in sorted(owners - self._hidden):
            # What only hands its arguments on has nobody inside who could use them.
            is_empty = node not in filled
            inputs = draft.inputs[node]
            kept = [each for each in inputs if is_empty or not self._is_used(node, each.operand)]
            rows[node] = self._resolve_row(node, tuple(kept))
        home = list(draft.home)
        for node in self._hidden:
            home[node] = self._home_of(node)
        final = tuple(_follow(home, node) for node in range(len(home)))
        notes = {node: tuple(sorted(set(texts))) for node, texts in self._notes.items()}
        return dataclasses.replace(draft, inputs=tuple(rows), home=final, notes=notes)

    def _resolve_row(self, node: int, inputs: tuple[Input, ...]) -> tuple[Input, ...]:
        if all(
            each.source not in self._hidden
            and (each.source, each.output) not in self._leaving
            and (each.source, -1) not in self._leaving
            for each in inputs
        ):
            return inputs
        row: dict[Input, None] = {}
        for each in inputs:
            for source, output in self._sources(each.source, each.output, (), 0):
                if source >= 0:
                    row[Input(source, output, each.operand, each.type)] = None
                else:
                    literal = self._literal(self._entering[-1 - source])
                    self._notes.setdefault(node, []).append((each.operand, literal))
        return tuple(row)

    def _sources(
        self, node: int, output: int, path: tuple[int, ...], depth: int
    ) -> tuple[Origin, ...]:
        key = (node, output, path)
        known = self._known.get(key)
        if known is None:
            self._known[key] = ((node, output),)  # ends cycles of malformed graphs
            known = self._find_sources(node, output, path, depth + 1)
            self._known[key] = known
        return known

    def _find_sources(
        self, node: int, output: int, path: tuple[int, ...], depth: int
    ) -> tuple[Origin, ...]:
        itself = ((node, output),)
        if depth > _MAX_DEPTH:
            return itself
        place = self._entering.get(node)
        if place is not None and node in self._hidden:
            self._touched.add(node)
            producer = self._producers.get(place)
            if producer is None:
                return ((-1 - node, 0),)
            return self._sources(*producer, path, depth)
        if node in self._plumbing:
            return self._through_plumbing(node, path, depth)
        inner = self._leaving.get((node, output)) or self._leaving.get((node, -1))
        if inner is None:
            return itself
        found: dict[Origin, None] = {}
        for each in inner:
            if each in self._hidden and each not in self._plumbing:
                ends = [self._producers[each, i.operand] for i in self._draft.inputs[each]]
            else:
                ends = [(each, output if self._is_multiple(each) else 0)]
            for end in ends:
                for origin in self._sources(*end, path, depth):
                    inside = origin[0] >= 0 and self._is_inside(origin[0], node)
                    found[origin if inside else (node, output)] = None
        return tuple(found)

    def _through_plumbing(self, node: int, path: tuple[int, ...], depth: int) -> tuple[Origin, ...]:
        inputs = self._draft.inputs[node]
        element = self._element.get(node)
        if element is not None:
            first = inputs[0]
            return self._sources(first.source, first.output, (element, *path), depth)
        wanted = [i for i in inputs if i.operand == path[0]] if path and len(inputs) > 1 else []
        rest = path[1:] if wanted else path
        found: dict[Origin, None] = {}
        for each in wanted or inputs:
            found.update(dict.fromkeys(self._sources(each.source, each.output, rest, depth)))
        return tuple(found)

    def _is_multiple(self, node: int) -> bool:
        return len(self._graph.nodes.types[node]) > 1

    def _is_inside(self, node: int, owner: int) -> bool:
        groups = self._graph.groups
        group = int(self._graph.nodes.group[node])
        while group != NONE:
            if groups.owner[group] == owner:
                return True
            group = int(groups.parent[group])
        return False

    def _is_used(self, owner: int, operand: int) -> bool:
        """Whether something inside uses what the owner gets as that operand."""
        return (owner, operand) in self._used_places()

    def _used_places(self) -> set[tuple[int, int]]:
        return {self._entering[node] for node in self._touched}

    def _home_of(self, node: int) -> int:
        place = self._entering.get(node)
        if place is not None:
            return place[0]
        if node in self._plumbing:
            sources = self._through_plumbing(node, (), 0)
            return next((source for source, _ in sources if source >= 0), node)
        group = int(self._graph.nodes.group[node])
        return int(self._graph.groups.owner[group])


def _tuple_indices(graph: Graph, plumbing: frozenset[int]) -> dict[int, int]:
    """Which element each `get-tuple-element` takes."""
    indices: dict[int, int] = {}
    for node in plumbing:
        text = graph.attributes(node).get("tuple_index", "")
        if text.isdecimal():
            indices[node] = int(text)
    return indices


def _follow(home: list[int], node: int) -> int:
    seen = set()
    while home[node] != node and node not in seen:
        seen.add(node)
        node = home[node]
    return node
