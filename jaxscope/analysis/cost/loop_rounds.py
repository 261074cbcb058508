"""How often the inside of each loop of a module runs in one run of the program."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

from jaxscope.model import NONE, Capture, Graph, NodeKind, is_available

RUNS_INSIDE = frozenset({"while", "call", "conditional", "async-start"})
"""Instructions whose computations run where they stand; what others call is part of them."""


@dataclasses.dataclass(frozen=True, slots=True)
class Rounds:
    """How often each group of a graph runs.

    Attributes:
        of_group: By group; 0 for the insides of kernels.
        unbounded: Loops, as nodes, of which nobody knows; they count once.
    """

    of_group: tuple[int, ...]
    unbounded: frozenset[int]

    def of(self, group: int) -> int:
        """How often what stands in a group runs; 1 in none."""
        return 1 if group == NONE else self.of_group[group]


def find_rounds(graph: Graph, trips: Mapping[str, int] | None = None) -> Rounds:
    """How often each group runs.

    Args:
        graph: Of a module.
        trips: Rounds of the loop of an equation of the last jaxpr-level stage, for loops whose
            rounds the module itself does not tell; see `find_trips`.
    """
    groups = graph.groups
    rounds: list[int] = []
    unbounded: set[int] = set()
    for parent, owner, label in zip(
        groups.parent.tolist(), groups.owner.tolist(), groups.label.tolist(), strict=True
    ):
        around = 1 if parent == NONE else rounds[parent]
        operation = "" if owner == NONE else graph.string(graph.nodes.operation, owner)
        if operation not in RUNS_INSIDE:
            around = 0
        elif operation == "while":
            known = _trips_of(graph, owner, trips or {})
            if known is not None:
                # The condition is looked at once more than the body runs.
                around *= known + graph.strings[label].startswith("condition")
            elif around:
                unbounded.add(owner)
        rounds.append(around)
    return Rounds(tuple(rounds), frozenset(unbounded))


def find_trips(capture: Capture) -> dict[str, int]:
    """Rounds of loops by the equation of the last jaxpr-level stage that they come from.

    A `scan` says its length. Of other loops XLA may find out while it optimizes: what the
    compiled program tells holds for the loop that it was made from, if it was made into one only.
    """
    found: dict[str, int] = {}
    optimized = capture.stage("optimized")
    if optimized is not None and is_available(optimized.graph):
        graph = optimized.graph
        several: set[str] = set()
        for node in _nodes_of(graph, "while"):
            for id in graph.row(graph.nodes.derived, node)[-1:]:
                known = _trips_of(graph, node, {})
                if id in found or known is None:
                    several.add(id)
                else:
                    found[id] = known
        for id in several:
            found.pop(id, None)
    derived = find_derived(capture)
    if derived is not None:
        for node in _nodes_of(derived, "scan"):
            if rounds := _scan_rounds(derived, node):
                found[derived.string(derived.nodes.id, node)] = rounds
    return found


def find_derived(capture: Capture) -> Graph | None:
    """The graph of the last jaxpr-level stage of the call itself: what was lowered."""
    found = None
    for stage in capture.stages:
        if stage.name != "gradient" and is_available(stage.graph):
            graph = stage.graph
            if bool((graph.nodes.kind == NodeKind.EQUATION).any()):
                found = graph
    return found


def _nodes_of(graph: Graph, operation: str) -> list[int]:
    codes = graph.nodes.operation.tolist()
    return [node for node, code in enumerate(codes) if graph.strings[code] == operation]


def _scan_rounds(graph: Graph, node: int) -> int:
    """Rounds of the loop that a scan is lowered to; 0 where that is not plain."""
    row = graph.attributes(node)
    length, unroll = row.get("length", ""), row.get("unroll", "1")
    return int(length) if length.isdecimal() and unroll == "1" and len(length) < 19 else 0


def _trips_of(graph: Graph, owner: int, trips: Mapping[str, int]) -> int | None:
    known = graph.attributes(owner).get("known_trip_count", "")
    if known.isdecimal() and len(known) < 19:
        return int(known)
    ids = graph.row(graph.nodes.derived, owner)
    return trips.get(ids[-1]) if ids else None
