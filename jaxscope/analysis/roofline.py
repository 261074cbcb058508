"""The roofline of a compiled program: work, traffic and intensity of kernels, lines and scopes.

A kernel is an instruction that runs by itself: a fusion, a library call, a copy. What stands in
the body of a loop counts as often as the loop runs, where XLA knows that; where it does not, it
counts once and the result says so. FLOPs are XLA's: transcendental functions are not among them.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterator, Sequence

from jaxscope.model import NONE, Graph, Stage, Unavailable

_RUNS_INSIDE = frozenset({"while", "call", "conditional", "async-start"})
_NO_KERNELS = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"),
        *_RUNS_INSIDE,
    }
)
_NOWHERE = "made by the compiler"


@dataclasses.dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A kernel, or all kernels of a line or a scope.

    Attributes:
        name: Of the instruction, the line or the scope.
        operation: Of the instruction; `line` or `scope` otherwise.
        nodes: Node indices in the stage.
        rounds: How often the kernel runs in one run of the program; of several, the largest.
        flops: In one run of the program; NaN where unknown.
        num_bytes: Read and written in one run of the program; NaN where unknown.
        seconds: Measured in one run of the program; NaN where not measured.
    """

    name: str
    operation: str
    nodes: tuple[int, ...]
    rounds: int
    flops: float
    num_bytes: float
    seconds: float

    @property
    def intensity(self) -> float:
        """FLOP per byte; NaN without traffic."""
        return self.flops / self.num_bytes if self.num_bytes > 0 else math.nan

    @property
    def rate(self) -> float:
        """FLOP per second as measured; NaN where not measured."""
        return self.flops / self.seconds if self.seconds > 0 else math.nan


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Roofline:
    """Points of one stage, the most traffic first.

    Attributes:
        stage: Name of the stage.
        kernels: One point an instruction.
        lines: One point a source line, by the innermost line of each kernel.
        scopes: One point a named scope of the program.
        num_uncounted: Kernels whose work XLA does not count.
        num_unbounded: Loops that count once because nobody knows how often they run.
        num_repeated: Kernels that count more than once, being in loops.
    """

    stage: str
    kernels: tuple[RooflinePoint, ...]
    lines: tuple[RooflinePoint, ...]
    scopes: tuple[RooflinePoint, ...]
    num_uncounted: int
    num_unbounded: int
    num_repeated: int

    @property
    def notes(self) -> tuple[str, ...]:
        """What to mind, a sentence each."""
        found = []
        if self.num_repeated:
            found.append(
                f"{self.num_repeated:,} kernels stand in loops and count as often as these run."
            )
        if self.num_unbounded:
            found.append(
                f"{self.num_unbounded:,} loops count once: how often they run is not known."
            )
        if self.num_uncounted:
            found.append(f"XLA does not count the work of {self.num_uncounted:,} kernels.")
        return tuple(found)


def find_roofline(stage: Stage | None) -> Roofline | Unavailable:
    """The roofline of an optimized stage, or why there is none."""
    if stage is None:
        return Unavailable("The capture has no compiled program.", "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    graph = stage.graph
    rounds, num_unbounded = _find_rounds(graph)
    points, num_uncounted = [], 0
    for node, times in _kernels(graph, rounds):
        flops, num_bytes = graph.nodes.cost[node, :2].tolist()
        if math.isnan(flops) or math.isnan(num_bytes):
            num_uncounted += 1
            continue
        points.append(
            RooflinePoint(
                graph.string(graph.nodes.name, node),
                graph.string(graph.nodes.operation, node),
                (node,),
                times,
                flops * times,
                num_bytes * times,
                float(graph.nodes.seconds[node]),
            )
        )
    return Roofline(
        stage.name,
        _by_traffic(points),
        _sum(points, "line", [_line_of(graph, point.nodes[0]) for point in points]),
        _sum(points, "scope", [_scope_of(graph, point.nodes[0]) for point in points]),
        num_uncounted,
        num_unbounded,
        sum(point.rounds > 1 for point in points),
    )


def _kernels(graph: Graph, rounds: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Nodes that run by themselves, and how often."""
    for node, group in enumerate(graph.nodes.group.tolist()):
        times = 1 if group == NONE else rounds[group]
        if times and graph.string(graph.nodes.operation, node) not in _NO_KERNELS:
            yield node, times


def _find_rounds(graph: Graph) -> tuple[list[int], int]:
    """How often each group runs, 0 for the insides of kernels, and the number of loops of which
    nobody knows."""
    groups = graph.groups
    rounds: list[int] = []
    unbounded: set[int] = set()
    for parent, owner, label in zip(
        groups.parent.tolist(), groups.owner.tolist(), groups.label.tolist(), strict=True
    ):
        around = 1 if parent == NONE else rounds[parent]
        operation = "" if owner == NONE else graph.string(graph.nodes.operation, owner)
        if operation not in _RUNS_INSIDE:
            around = 0
        elif operation == "while":
            known = graph.attributes(owner).get("known_trip_count", "")
            if known.isdecimal():
                # The condition is looked at once more than the body runs.
                is_condition = graph.strings[label].startswith("condition")
                around *= int(known) + is_condition
            elif around:
                unbounded.add(owner)
        rounds.append(around)
    return rounds, len(unbounded)


def _line_of(graph: Graph, node: int) -> str:
    places = graph.source(node)
    return f"{os.path.basename(places[0].file)}:{places[0].line}" if places else _NOWHERE


def _scope_of(graph: Graph, node: int) -> str:
    return "/".join(graph.row(graph.nodes.scope, node)) or "no named scope"


def _sum(
    points: Sequence[RooflinePoint], kind: str, keys: Sequence[str]
) -> tuple[RooflinePoint, ...]:
    gathered: dict[str, list[RooflinePoint]] = {}
    for key, point in zip(keys, points, strict=True):
        gathered.setdefault(key, []).append(point)
    return _by_traffic(
        [
            RooflinePoint(
                key,
                kind,
                tuple(node for part in parts for node in part.nodes),
                max(part.rounds for part in parts),
                sum(part.flops for part in parts),
                sum(part.num_bytes for part in parts),
                sum(part.seconds for part in parts),
            )
            for key, parts in gathered.items()
        ]
    )


def _by_traffic(points: Sequence[RooflinePoint]) -> tuple[RooflinePoint, ...]:
    return tuple(sorted(points, key=lambda point: -point.num_bytes))
