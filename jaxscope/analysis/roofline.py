"""The roofline of a program: work, traffic and intensity of kernels, equations, lines and scopes.

A kernel is an instruction that runs by itself: a fusion, a library call, a copy; before
optimization, every instruction. What stands in the body of a loop counts as often as the loop
runs, where that is known; where it is not, it counts once and the result says so. FLOPs are XLA's:
transcendental functions are not among them.
"""

from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.analysis.cost.loop_rounds import RUNS_INSIDE, Rounds, find_rounds
from jaxscope.analysis.cost.shares import By, share_out
from jaxscope.analysis.library_calls import product_cost
from jaxscope.analysis.off_chip import OffChipTraffic, has_memory_on_chip
from jaxscope.model import Graph, Stage, Unavailable

_NO_KERNELS = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"),
        *RUNS_INSIDE,
    }
)
_RESERVES = "AllocateBuffer"
"""A custom call by which XLA reserves memory that a loop fills on a TPU: nothing runs for it."""
_NOWHERE = "made by the compiler"


@dataclasses.dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A kernel, an equation, or all kernels of a line or a scope.

    Attributes:
        name: Of the instruction, the line or the scope; id of the equation.
        operation: Of the instruction; `line`, `scope` or `equation` otherwise.
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
        equations: One point an equation of the last jaxpr-level stage, with its share of kernels
            that hold several; not measured by themselves.
        num_uncounted: Kernels whose work XLA does not count.
        num_unbounded: Loops that count once because nobody knows how often they run.
        num_repeated: Kernels that count more than once, being in loops.
        has_memory_on_chip: Whether values that lie on the chip are left out of kernels' traffic.
    """

    stage: str
    kernels: tuple[RooflinePoint, ...]
    lines: tuple[RooflinePoint, ...]
    scopes: tuple[RooflinePoint, ...]
    equations: tuple[RooflinePoint, ...]
    num_uncounted: int
    num_unbounded: int
    num_repeated: int
    has_memory_on_chip: bool = False

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
        if self.has_memory_on_chip:
            found.append("Values that lie in the chip's own fast memory are no traffic of kernels.")
        if self.stage == "hlo":
            found.append("Before optimization: as if each instruction were a kernel of its own.")
        return tuple(found)


def find_roofline(
    stage: Stage | None, trips: Mapping[str, int] | None = None
) -> Roofline | Unavailable:
    """The roofline of a module, or why there is none.

    Args:
        stage: The stage `optimized` or `hlo`.
        trips: Rounds of loops that the module does not tell itself, by equation.
    """
    if stage is None:
        return Unavailable("The capture has no compiled program.", "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    graph = stage.graph
    rounds = find_rounds(graph, trips)
    points, num_uncounted = find_kernels(graph, rounds)
    return Roofline(
        stage.name,
        _by_traffic(points),
        _sum(points, "line", [_line_of(graph, point.nodes[0]) for point in points]),
        _sum(points, "scope", [_scope_of(graph, point.nodes[0]) for point in points]),
        _equations(graph, trips),
        num_uncounted,
        len(rounds.unbounded),
        sum(point.rounds > 1 for point in points),
        has_memory_on_chip(graph),
    )


def find_kernels(graph: Graph, rounds: Rounds) -> tuple[list[RooflinePoint], int]:
    """One point for each kernel of a module whose work is known.

    Returns:
        Them in the graph's order, and how many others there are.
    """
    points, num_uncounted = [], 0
    traffic = OffChipTraffic(graph) if has_memory_on_chip(graph) else None
    for node, times in _kernels(graph, rounds):
        flops, num_bytes = graph.nodes.cost[node, :2].tolist()
        if math.isnan(flops):
            flops, num_bytes = product_cost(graph, node) or (flops, num_bytes)
        if traffic is not None:
            num_bytes = traffic.of(node, num_bytes)
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
    return points, num_uncounted


def _equations(graph: Graph, trips: Mapping[str, int] | None) -> tuple[RooflinePoint, ...]:
    """One point an equation; those of which XLA does not count something are left out."""
    shares = share_out(graph, By.EQUATION, trips)
    return _by_traffic(
        [
            RooflinePoint(
                key,
                "equation",
                share.nodes,
                share.rounds,
                share.cost.flops,
                share.cost.bytes_accessed,
                math.nan,
            )
            for key, share in shares.rows.items()
            if not share.num_unknown
        ]
    )


def _kernels(graph: Graph, rounds: Rounds) -> Iterator[tuple[int, int]]:
    """Nodes that run by themselves, and how often."""
    for node, group in enumerate(graph.nodes.group.tolist()):
        times = rounds.of(group)
        operation = graph.string(graph.nodes.operation, node)
        if not times or operation in _NO_KERNELS:
            continue
        if (
            operation == "custom-call"
            and graph.attributes(node).get("custom_call_target") == _RESERVES
        ):
            continue
        yield node, times


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
