"""Which of several equations that share name and place a node of a later stage is of.

XLA's names do not distinguish them: JAX's own functions make many multiplications for one line, and
Python unrolls loops. What a node reads and what reads it do. Each node begins with all equations of
its name as candidates; one that no candidate of a neighbour feeds, or is fed by, is removed,
until nothing changes. What optimization may remove, reshapes and the like, is looked through. A
neighbour that supports none of the candidates is ignored, since optimization has changed something
there.

**Source.** Arc consistency of constraint satisfaction (Mackworth 1977, AC-3), with data flow as the
constraint. **Cost.** Linear in the edges for a bounded number of candidates, quadratic in the
candidates of one node; `_MAX_EFFORT` bounds the whole. **Limits.** Nodes whose neighbours all have
the same candidates stay ambiguous. XLA may have rewritten the data flow so that a wrong candidate
is supported; `bench/name_links.py` measures how often.
"""

from __future__ import annotations

import itertools
import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from jaxscope.model.graph import NONE, Graph, NodeKind
from jaxscope.program.dataflow import attribute_column, find_boundaries

HELPERS = frozenset(
    {"constant", "broadcast_in_dim", "broadcast", "reshape", "convert", "iota", "parameter"}
)
"""What the lowering of one equation may need several of."""
_MOVED = frozenset(
    {"reshape", "broadcast", "transpose", "convert", "bitcast", "bitcast-convert", "copy"}
)
"""What optimization moves and takes away."""
_MADE_ONCE = _MOVED | {"constant", "iota"}
_LOOKED_INTO = frozenset({"fusion", "call", "func.call"})
_XLAS_NAMES = {"dot-general": "dot", "broadcast-in-dim": "broadcast"}
_CARRYING = (HELPERS | _MOVED) - {"constant", "iota", "parameter"}
_MAX_ADOPTIONS = 8
"""Rounds in which nodes take the candidate of a node that they belong to."""
_MAX_STEPS = 40
"""Through nodes without a name, up to the next that has one."""
_MAX_PAIRS = 64
_MAX_FEEDING = 500
_MAX_EFFORT = 20_000_000
"""Comparisons of equations; a program that needs more keeps the rest ambiguous."""

Labels = Sequence[Iterable[str]]
"""Of each node the equations that it may be of."""


def disambiguate(
    lowered: Graph, labels: Labels, graph: Graph, candidates: Labels, is_open: Sequence[bool]
) -> list[set[str]]:
    """Remove from each node's candidates those that its neighbours do not support.

    Args:
        lowered: The stage that shows the equations as they were lowered.
        labels: Of its nodes.
        graph: A later stage.
        candidates: Of its nodes.
        is_open: The nodes that are of just one of their candidates; others are of all.

    Returns:
        The candidates that are left, by node.
    """
    equations = _Equations(lowered, name_arguments(lowered, labels))
    return _Solver(equations, graph, name_arguments(graph, candidates), is_open).run()


def name_arguments(graph: Graph, labels: Labels) -> list[tuple[str, ...]]:
    """The same with the program's own inputs, by their numbers: they distinguish their readers."""
    found = [tuple(of_row) for of_row in labels]
    columns = [attribute_column(graph, key) for key in ("argument", "parameter_number")]
    for row in np.flatnonzero(graph.nodes.group == NONE).tolist():
        numbers = [graph.strings[column[row]] for column in columns if column[row] != NONE]
        if numbers:
            found[row] = (f"argument {numbers[0]}",)
    return found


def list_owners(graph: Graph) -> list[list[int]]:
    """Of each group the nodes that it is the inside of, that under which it is shown first."""
    strings, owners = graph.strings, graph.groups.owner.tolist()
    found: list[list[int]] = [[owner] if owner != NONE else [] for owner in owners]
    by_name = graph.group_by_id()
    calls, shares = (attribute_column(graph, key) for key in ("calls", "shares"))
    for row in np.flatnonzero((calls != NONE) | (shares != NONE)).tolist():
        for column in (calls, shares):
            for name in strings[column[row]].split(", ") if column[row] != NONE else ():
                group = by_name.get(name, NONE)
                if group != NONE and found[group] and row not in found[group][:1]:
                    found[group].append(row)
    return found


class _Flow:
    """What feeds each node, looking through borders of functions and through unnamed nodes."""

    def __init__(self, graph: Graph, is_named: Sequence[bool]) -> None:
        self._is_named = is_named
        self.operations = [
            _operation(graph.strings[code]) for code in graph.nodes.operation.tolist()
        ]
        self._producers: list[dict[int, tuple[int, int]]] = [{} for _ in self.operations]
        edges = graph.edges
        columns = (edges.source, edges.output, edges.target, edges.operand)
        for source, output, target, operand in zip(*(c.tolist() for c in columns), strict=True):
            self._producers[target][operand] = (source, output)
        self._boundaries = find_boundaries(graph)
        self._groups = graph.nodes.group.tolist()
        self._owners = list_owners(graph)
        self._first_owner = {
            row: owners[0] for owners in self._owners for row in owners[1:] if owners
        }
        is_outside = graph.nodes.group == NONE
        is_root = attribute_column(graph, "root") != NONE
        is_output = graph.nodes.kind == NodeKind.OUTPUT
        self._roots: list[int] = np.flatnonzero(is_outside & is_root & ~is_output).tolist()
        self._outputs: list[int] = np.flatnonzero(is_outside & is_output).tolist()

    def sources(self, row: int) -> set[int]:
        """The named nodes whose values a node reads."""
        return self._named(self._producers[row].values()) - {row}

    def _named(self, places: Iterable[tuple[int, int]]) -> set[int]:
        found: set[int] = set()
        seen: set[tuple[int, int]] = set()
        waiting = list(places)
        while waiting and len(seen) < _MAX_STEPS:
            place = waiting.pop()
            if place not in seen:
                seen.add(place)
                further = self._look_through(*place)
                if further is None:
                    found.add(place[0])
                else:
                    waiting += further
        return found

    def list_constant(self) -> list[bool]:
        """Of each node whether it is made of constants alone: XLA keeps one for all equations."""
        known: dict[int, bool] = {}
        for start in range(len(self.operations)):
            waiting = [start]
            while waiting:
                row = waiting[-1]
                if row in known or self.operations[row] not in _MADE_ONCE:
                    known[waiting.pop()] = known.get(row, False)
                    continue
                sources = [source for source, _ in self._producers[row].values()]
                missing = [s for s in sources if s not in known and s not in waiting]
                if missing:
                    waiting.append(missing[0])
                else:
                    known[waiting.pop()] = all(known.get(source, False) for source in sources)
        return [known[row] for row in range(len(self.operations))]

    def results(self) -> list[set[int]]:
        """The named nodes that give each result of the program."""
        return [self._named([place]) for place in self._result_places()]

    def _result_places(self) -> Iterator[tuple[int, int]]:
        for row in self._outputs:
            yield from self._producers[row].values()
        for row in self._roots:
            producers = self._producers[row]
            if self.operations[row] == "tuple":
                yield from (producers[number] for number in sorted(producers))
            else:
                yield row, 0

    def root(self, row: int) -> int:
        """The named node whose value a fusion or a call gives, or `NONE`."""
        for place in self._look_through(row, 0) or ():
            while not self._is_named[place[0]]:
                further = self._look_through(*place)
                if not further or len(further) != 1:
                    return NONE
                place = further[0]
            return place[0]
        return NONE

    def _look_through(self, row: int, output: int) -> list[tuple[int, int]] | None:
        """Where a value comes from; None if it is the node's own."""
        entered = self._boundaries.entering.get(row)
        if entered is not None:
            owners = self._owners[self._groups[row]]
            places = (self._producers[owner].get(entered[1]) for owner in owners)
            return [place for place in places if place is not None]
        operation, producers = self.operations[row], self._producers[row]
        if operation in _LOOKED_INTO:
            shown_at = self._first_owner.get(row, row)
            given = self._boundaries.leaving.get((shown_at, output))
            roots = given or self._boundaries.leaving.get((shown_at, -1))
            if roots:
                return [self._element(root, output, is_tuple=given is None) for root in roots]
        if operation == "get-tuple-element" and producers:
            source, index = producers[0]
            return [self._element(source, index, is_tuple=True)]
        if operation in ("tuple", "optimization-barrier"):  # StableHLO's has many results
            place = producers.get(output)
            return [place] if place is not None else []
        if operation == "opt-barrier" and producers:
            return [self._element(*producers[0][:1], output, is_tuple=True)]
        return None if self._is_named[row] else list(producers.values())

    def _element(self, row: int, output: int, *, is_tuple: bool) -> tuple[int, int]:
        if is_tuple and self.operations[row] == "tuple":
            return self._producers[row].get(output, (row, output))
        return row, output


def _operation(name: str) -> str:
    """XLA's own name of an operation of StableHLO."""
    plain = name.removeprefix("stablehlo.").replace("_", "-") if "." in name else name
    return name if name in _LOOKED_INTO else _XLAS_NAMES.get(plain, plain)


_Detail = tuple[str, ...]


def _detail(graph: Graph, row: int, operation: str) -> _Detail:
    """Which part of an array is cut out or filled, or along which of its axes is counted."""
    if operation not in ("slice", "pad", "iota"):
        return ()
    known = graph.attributes(row)
    if operation == "iota":
        types = graph.types(row)
        axis = _numbers(known.get("iota_dimension") or known.get("dimensions", ""))
        return (*axis[:1], types[0].partition("[")[2]) if types and axis else ()
    written = known.get("slice_dimensions") or known.get("padding_config")
    if written:  # {[3:4:1],[0:8:1]}, or 3_0x0_0
        ranges = re.findall(r"(-?\d+)[:_](-?\d+)", written)
        return tuple(itertools.chain.from_iterable(zip(*ranges, strict=True)))
    names = ("start_indices", "limit_indices", "edge_padding_low", "edge_padding_high")
    return tuple(itertools.chain.from_iterable(_numbers(known.get(name, "")) for name in names))


def _numbers(text: str) -> list[str]:
    """Those of `array<i64: 3, 0>`, of `1 : i64` and of `{1}`."""
    return re.findall(r"(?<![a-z\d])-?\d+", text)


class _Equations:
    """What the equations of a lowered program consist of, and what feeds them."""

    def __init__(self, graph: Graph, labels: Labels) -> None:
        rows = [tuple(of_row) for of_row in labels]
        flow = _Flow(graph, [bool(of_row) for of_row in rows])
        self.operations: dict[str, set[str]] = {}
        self.details: dict[str, set[_Detail]] = {}
        self._fed_by: dict[str, set[str]] = {}
        for row, of_row in enumerate(rows):
            operation = flow.operations[row]
            for label in of_row:
                self.operations.setdefault(label, set()).add(operation)
                if detail := _detail(graph, row, operation):
                    self.details.setdefault(label, set()).add(detail)
            for source in flow.sources(row) if of_row else ():
                for before, after in _pairs(rows[source], of_row):
                    if before != after:
                        self._fed_by.setdefault(after, set()).add(before)
        for number, sources in enumerate(flow.results()):
            fed_by = itertools.chain.from_iterable(rows[source] for source in sources)
            self._fed_by[f"result {number}"] = set(fed_by)
        self._reached: dict[str, frozenset[str]] = {}

    def feeding(self, label: str) -> frozenset[str]:
        """The equations that feed one, looking through those that may be taken away."""
        known = self._reached.get(label)
        if known is None:
            found: set[str] = set()
            waiting = list(self._fed_by.get(label, ()))
            while waiting and len(found) < _MAX_FEEDING:
                each = waiting.pop()
                if each not in found:
                    found.add(each)
                    if self.operations.get(each, _MOVED) <= _MOVED:
                        waiting += self._fed_by.get(each, ())
            known = self._reached[label] = frozenset(found)
        return known


def _pairs(before: tuple[str, ...], after: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    if len(before) == len(after):
        return zip(before, after, strict=True)  # of a function that several calls share
    if len(before) * len(after) > _MAX_PAIRS:
        return ()
    return ((one, other) for one in before for other in after)


class _Solver:
    """The candidates of every node of a graph, and how they are reduced."""

    def __init__(
        self, equations: _Equations, graph: Graph, candidates: Labels, is_open: Sequence[bool]
    ) -> None:
        self._equations = equations
        self._is_open = list(is_open)
        self._flow = _Flow(graph, [bool(of_row) for of_row in candidates])
        self._groups = graph.nodes.group.tolist()
        self._owners = graph.groups.owner.tolist()
        self._effort = 0
        self._domains = [
            self._of_kind(graph, row, set(of_row)) if is_open[row] else set(of_row)
            for row, of_row in enumerate(candidates)
        ]
        is_constant = self._flow.list_constant()
        self._sources: list[set[int]] = [
            {source for source in self._flow.sources(row) if not is_constant[source]}
            if domain
            else set()
            for row, domain in enumerate(self._domains)
        ]
        for number, found in enumerate(self._flow.results()):
            self._sources.append(found)
            self._domains.append({f"result {number}"})
            self._is_open.append(False)
            self._flow.operations.append("result")
        self._users: list[set[int]] = [set() for _ in self._domains]
        for row, sources in enumerate(self._sources):
            for source in sources:
                self._users[source].add(row)

    def run(self) -> list[set[str]]:
        waiting = deque(filter(self._is_ambiguous, range(len(self._domains))))
        while waiting and self._effort < _MAX_EFFORT:
            self._propagate(waiting)
            self._effort += len(self._domains)
            waiting.extend(self._remove_taken())
        for _ in range(_MAX_ADOPTIONS):
            if not sum(map(self._adopt, range(len(self._groups)))):
                break
        return self._domains[: len(self._groups)]

    def _adopt(self, row: int) -> bool:
        """Give an ambiguous node the candidate of one that it belongs to; whether there was one.

        A fusion has the name of its root, what is in a reduction the reduction's. What only moves
        a value has the name of what it moves, or of what it moves it for.
        """
        if not self._is_ambiguous(row):
            return False
        operation, domain = self._flow.operations[row], self._domains[row]
        is_fusion = operation in _LOOKED_INTO
        others = [self._flow.root(row) if is_fusion else self._owner(row)]
        found = {label for other in others if other != NONE for label in self._only(other) & domain}
        for around in (self._sources[row], self._users[row]) if operation in _CARRYING else ():
            found = found or set().union(*(self._only(other) & domain for other in around))
        if len(found) == 1:
            self._domains[row] = found
        return len(found) == 1

    def _only(self, row: int) -> set[str]:
        domain = self._domains[row]
        return domain if len(domain) == 1 else set()

    def _owner(self, row: int) -> int:
        group = self._groups[row]
        return self._owners[group] if group != NONE else NONE

    def _is_ambiguous(self, row: int) -> bool:
        return self._is_open[row] and len(self._domains[row]) > 1

    def _of_kind(self, graph: Graph, row: int, domain: set[str]) -> set[str]:
        """Without equations that have no such operation, or cut out other parts of an array."""
        operation = self._flow.operations[row]
        if len(domain) < 2 or (operation in HELPERS and operation != "iota"):
            return domain
        known = self._equations
        kind = {label for label in domain if operation in known.operations.get(label, ())}
        detail = _detail(graph, row, operation)
        same = {label for label in kind if detail and detail in known.details.get(label, ())}
        return same or kind or domain

    def _propagate(self, waiting: deque[int]) -> None:
        is_waiting = set(waiting)
        while waiting and self._effort < _MAX_EFFORT:
            row = waiting.popleft()
            is_waiting.discard(row)
            domain = self._domains[row]
            left = domain.intersection(*self._supported(row))
            if left and left != domain:
                self._domains[row] = left
                for other in self._sources[row] | self._users[row]:
                    if self._is_ambiguous(other) and other not in is_waiting:
                        is_waiting.add(other)
                        waiting.append(other)
        waiting.clear()

    def _supported(self, row: int) -> Iterator[set[str]]:
        """For each neighbour that supports any, the candidates of a node that it supports."""
        domain, feeding = self._domains[row], self._equations.feeding
        for source in self._sources[row]:
            others, may_equal = self._domains[source], self._may_equal(row, source)
            self._effort += len(domain)
            found = {
                label
                for label in domain
                if (may_equal and label in others) or not feeding(label).isdisjoint(others)
            }
            if found:
                yield found
        for user in self._users[row]:
            others, may_equal = self._domains[user], self._may_equal(row, user)
            fed: set[str] = set().union(*(feeding(label) for label in others))
            self._effort += len(domain) + len(others) + len(fed)
            found = {label for label in domain if label in fed or (may_equal and label in others)}
            if found:
                yield found

    def _may_equal(self, row: int, other: int) -> bool:
        """Whether two nodes may be of one equation, which has each operation once but helpers."""
        operation = self._flow.operations[row]
        return operation != self._flow.operations[other] or operation in HELPERS

    def _remove_taken(self) -> list[int]:
        """Remove what another node of that operation, in the same computation, is surely of.

        Returns:
            What is to be looked at again: nodes that have fewer equations now, and around them.
        """
        kinds: dict[tuple[int, str], list[int]] = {}
        for row, domain in enumerate(self._domains):
            operation = self._flow.operations[row]
            if (
                row < len(self._is_open)
                and self._is_open[row]
                and domain
                and operation not in HELPERS | _MOVED
            ):
                kinds.setdefault((self._groups[row], operation), []).append(row)
        changed = []
        for rows in kinds.values():
            taken = {next(iter(self._domains[r])) for r in rows if len(self._domains[r]) == 1}
            for row in filter(self._is_ambiguous, rows if taken else ()):
                domain = self._domains[row]
                left = domain - taken
                if left and left != domain:
                    self._domains[row] = left
                    changed += [row, *self._sources[row], *self._users[row]]
        return list(filter(self._is_ambiguous, dict.fromkeys(changed)))
