"""The roofline of a program: work, traffic and intensity of kernels, equations, lines and scopes.

A kernel is an instruction that runs by itself; what stands in a loop counts as often as the loop
runs. Each point is bounded by the peak of the arithmetic that it computes in and by the memory's.
On chips with fast memory of their own, values that lie there (`S(1)`) are no traffic.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.model import Graph, Stage, Unavailable
from jaxscope.model.hardware import Ceilings, Peak, find_chip
from jaxscope.model.types import type_bytes
from jaxscope.model.units import format_count
from jaxscope.program.cost.arithmetic import Arithmetics
from jaxscope.program.cost.attribution import COMPILER, RowKind, share_out
from jaxscope.program.cost.trip_counts import (
    RUNS_INSIDE,
    AmountRange,
    ExecutionCounts,
    count_executions,
)
from jaxscope.program.cost.work import describe_unbounded_loops, product_cost

# What kernels exchange with a chip's main memory, where values can also lie on the chip.
#
# XLA counts every value that a kernel reads or writes. On a TPU many of them lie in the chip's own
# fast memory, which the layouts say: `S(1)`.


_ON_CHIP = re.compile(r"S\([1-9]\d*\)")


def has_memory_on_chip(graph: Graph) -> bool:
    """Whether the layouts of a module name a memory besides the main one."""
    return any(text.startswith("{") and _ON_CHIP.search(text) for text in graph.strings)


class OffChipTraffic:
    """Traffic of the kernels of one module."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        order = np.argsort(graph.edges.target, kind="stable")
        self._sources = graph.edges.source[order]
        self._outputs = graph.edges.output[order]
        nodes = np.arange(len(graph.nodes) + 1)
        self._starts = np.searchsorted(graph.edges.target[order], nodes).tolist()

    def of(self, node: int, counted: float) -> float:
        """Bytes of one run of a kernel.

        Args:
            node: Of the kernel.
            counted: What XLA counts for it, wherever the values lie.
        """
        operation = self._graph.operation(node)
        if operation == "custom-call":
            return counted  # nobody knows what it reads
        if operation.endswith("-done"):
            return 0.0  # the matching -start has counted it
        if operation == "copy-start":  # of what it gives back, the second part is its operand
            return sum(self._operands(node)) + next(self._results(node), 0.0)
        outside = sum(self._operands(node)) + sum(self._results(node))
        return counted if math.isnan(outside) else min(counted, outside)

    def _operands(self, node: int) -> Iterator[float]:
        begin, end = self._starts[node], self._starts[node + 1]
        for source, output in zip(
            self._sources[begin:end].tolist(), self._outputs[begin:end].tolist(), strict=True
        ):
            is_tuple = self._graph.operation(source) == "tuple"
            for place, size in enumerate(self._results(source)):
                if is_tuple or place == output:
                    yield size

    def _results(self, node: int) -> Iterator[float]:
        """Bytes of each result that lies in main memory; 0 for those on the chip."""
        types = self._graph.types(node)
        layouts = self._graph.attributes(node).get("layout", "").split("}, {")
        for place, type in enumerate(types):
            layout = layouts[place] if place < len(layouts) else ""
            yield 0.0 if _ON_CHIP.search(layout) else type_bytes(type)


# The roofline of a program: work, traffic and intensity of kernels, equations, lines and scopes.
#
# A kernel is an instruction that runs by itself: a fusion, a library call, a copy; before
# optimization, every instruction. What stands in the body of a loop counts as often as the loop
# runs, where that is known; where it is not, it counts once and the result says so. A kernel in a
# branch counts as if the branch were taken; sums are ranges. FLOPs are XLA's: transcendental
# functions are not among them. The least time of a kernel follows from the peak of the arithmetic
# that it computes in (`program/cost/arithmetic.py`) and from the memory's.


_NO_KERNELS = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"),
        *RUNS_INSIDE,
    }
)
_RESERVES = "AllocateBuffer"
"""A custom call by which XLA reserves memory that a loop fills on a TPU: nothing runs for it."""
IN_BRANCHES = (
    "Kernels in branches count as if their branch were taken; of a condition's branches one runs, "
    "so sums go from the cheapest to the dearest."
)


@dataclasses.dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A kernel, an equation, or all kernels of a line or a scope.

    Attributes:
        name: Of the instruction, the line or the scope; id of the equation.
        operation: Of the instruction; `line`, `scope` or `equation` otherwise.
        nodes: Node indices in the stage.
        rounds: How often the kernel runs in one run of the program; of several, the largest.
        flops: In one run of the program; NaN where unknown. What stands in branches counts as if
            the dearest were taken.
        num_bytes: Read and written in one run of the program; NaN where unknown.
        seconds: Measured in one run of the program; NaN where not measured.
        least_flops: The same with the cheapest branches; NaN where there are none.
        least_bytes: The same of bytes.
        work: FLOPs by arithmetic, with the dearest branches; of a line or a scope see `parts`.
        least_work: The same with the cheapest branches.
        parts: The kernels of a line or a scope.
        is_uncertain: Whether it is a kernel that may not run, being in a branch.
    """

    name: str
    operation: str
    nodes: tuple[int, ...]
    rounds: int
    flops: float
    num_bytes: float
    seconds: float
    least_flops: float = math.nan
    least_bytes: float = math.nan
    work: tuple[tuple[str, float], ...] = ()
    least_work: tuple[tuple[str, float], ...] = ()
    parts: tuple[RooflinePoint, ...] = ()
    is_uncertain: bool = False

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
        uncounted: Nodes of kernels whose work XLA does not count.
        rounds: How often the parts of the module run.
        num_repeated: Kernels that count more than once, being in loops.
        homes: The group that each kernel stands in, by its node.
        has_memory_on_chip: Whether values that lie on the chip are left out of kernels' traffic.
    """

    stage: str
    kernels: tuple[RooflinePoint, ...]
    lines: tuple[RooflinePoint, ...]
    scopes: tuple[RooflinePoint, ...]
    equations: tuple[RooflinePoint, ...]
    uncounted: tuple[int, ...]
    rounds: ExecutionCounts
    num_repeated: int
    homes: Mapping[int, int]
    has_memory_on_chip: bool = False

    @property
    def num_unbounded(self) -> int:
        """Loops that count once because nobody knows how often they run."""
        return len(self.rounds.unbounded)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to mind, a sentence each."""
        found = []
        if self.num_repeated:
            found.append(
                f"{self.num_repeated:,} kernels stand in loops and count as often as these run."
            )
        if self.num_unbounded:
            found.append(describe_unbounded_loops(self.num_unbounded))
        if any(point.is_uncertain for point in self.kernels):
            found.append(IN_BRANCHES)
        if self.uncounted:
            count = format_count(len(self.uncounted), "kernel")
            found.append(f"XLA does not count the work of {count}.")
        if self.has_memory_on_chip:
            found.append("Values that lie in the chip's own fast memory are no traffic of kernels.")
        if self.stage == "hlo":
            found.append("Before optimization: as if each instruction were a kernel of its own.")
        return tuple(found)

    def sum_up(self, amounts: Mapping[int, Sequence[float]]) -> AmountRange:
        """Add numbers of single runs of kernels up over one run of the program.

        Args:
            amounts: By node.
        """
        work: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
        size = max(map(len, amounts.values()), default=1)
        for node, amount in amounts.items():
            here = work.setdefault(self.homes[node], {"": np.zeros(size)})
            here[""] = here[""] + np.array(amount)
        nothing = AmountRange(np.zeros(size), np.zeros(size))
        return self.rounds.sum_up(work).get("", nothing)


@dataclasses.dataclass(frozen=True, slots=True)
class Limit:
    """What bounds a point.

    Attributes:
        kind: `memory`, `arithmetic`, or empty where that is not known.
        best: Seconds that it takes at best; NaN where not known. What stands in a branch counts
            as if the branch were taken; sums hold the cheapest branches.
        most: The same with the dearest branches.
        peaks: Names of the peaks of its arithmetic.
    """

    kind: str
    best: float
    most: float
    peaks: tuple[str, ...] = ()


def find_limit(
    point: RooflinePoint, ceilings: Ceilings | None, found: Roofline | None = None
) -> Limit:
    """What bounds a point, and the seconds that it takes at best.

    Args:
        point: One of a roofline.
        ceilings: What a machine or a chip can do; None where that is not known.
        found: The roofline, for a point that sums kernels up: these may be in branches.
    """
    if ceilings is None:
        return Limit("", math.nan, math.nan)
    if point.parts and found is not None:
        return _sum_limits(point.parts, ceilings, found)
    arithmetic, names = _arithmetic_seconds(point.work, ceilings)
    memory = point.num_bytes / ceilings.bandwidth.best
    most = max(arithmetic, memory)  # of NaN, the first
    if math.isnan(arithmetic):
        return Limit("", math.nan, math.nan, names)
    least = most
    if not math.isnan(point.least_bytes):
        low, _ = _arithmetic_seconds(point.least_work, ceilings)
        least = max(low, point.least_bytes / ceilings.bandwidth.best)
    return Limit("arithmetic" if arithmetic > memory else "memory", least, most, names)


def find_best(found: Roofline, ceilings: Ceilings) -> Limit:
    """The seconds that a whole program takes at best, kernel after kernel."""
    return _sum_limits(found.kernels, ceilings, found)


def find_peak(ceilings: Ceilings, arithmetic: str) -> Peak:
    """How fast a kind of arithmetic can be: as published of a chip, or as measured."""
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    return chip.peak_of(arithmetic) if chip is not None else ceilings.peak_of(arithmetic)


def _sum_limits(parts: Sequence[RooflinePoint], ceilings: Ceilings, found: Roofline) -> Limit:
    amounts: dict[int, tuple[float, float]] = {}
    names: dict[str, None] = {}
    for part in parts:
        limit = find_limit(part, ceilings)
        names.update(dict.fromkeys(limit.peaks))
        if math.isnan(limit.best):
            return Limit("", math.nan, math.nan, tuple(names))
        seconds = limit.best / part.rounds
        amounts[part.nodes[0]] = (seconds, seconds if limit.kind == "memory" else 0.0)
    total = found.sum_up(amounts)
    is_memory = total.high[-1] * 2.0 >= total.high[0]
    return Limit(
        "memory" if is_memory else "arithmetic",
        float(total.low[0]),
        float(total.high[0]),
        tuple(names),
    )


def _arithmetic_seconds(
    work: Sequence[tuple[str, float]], ceilings: Ceilings
) -> tuple[float, tuple[str, ...]]:
    seconds = 0.0
    names: dict[str, None] = {}
    for name, flops in work:
        peak = find_peak(ceilings, name)
        seconds += flops / peak.rate
        names[peak.name] = None
    return seconds, tuple(names)


def find_roofline(
    stage: Stage | None, trips: Mapping[str, int] | None = None, machine: Stage | None = None
) -> Roofline | Unavailable:
    """The roofline of a module, or why there is none.

    Args:
        stage: The stage `optimized` or `hlo`.
        trips: Rounds of loops that the module does not say itself, by equation.
        machine: The stage `machine` of the same program: kernels' PTX says what they multiply
            with.
    """
    if stage is None:
        return Unavailable("The capture has no compiled program.", "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    graph = stage.graph
    code = machine if stage.name == "optimized" else None
    rounds = count_executions(graph, trips)
    points, uncounted = find_kernels(graph, rounds, Arithmetics(graph, code))
    found = Roofline(
        stage.name,
        _by_traffic(points),
        (),
        (),
        _equations(graph, trips, code),
        tuple(uncounted),
        rounds,
        sum(point.rounds > 1 for point in points),
        {point.nodes[0]: int(graph.nodes.group[point.nodes[0]]) for point in points},
        has_memory_on_chip(graph),
    )
    return dataclasses.replace(
        found,
        lines=_sum(found, points, "line", [_line_of(graph, p.nodes[0]) for p in points]),
        scopes=_sum(found, points, "scope", [_scope_of(graph, p.nodes[0]) for p in points]),
    )


def find_kernels(
    graph: Graph, rounds: ExecutionCounts, arithmetics: Arithmetics
) -> tuple[list[RooflinePoint], list[int]]:
    """One point for each kernel of a module whose work is known.

    Returns:
        Them in the graph's order, and the nodes of the others.
    """
    points, uncounted = [], []
    traffic = OffChipTraffic(graph) if has_memory_on_chip(graph) else None
    for node, times in _kernels(graph, rounds):
        flops, num_bytes = graph.nodes.cost[node, :2].tolist()
        if math.isnan(flops):
            flops, num_bytes = product_cost(graph, node) or (flops, num_bytes)
        if traffic is not None:
            num_bytes = traffic.of(node, num_bytes)
        if math.isnan(flops) or math.isnan(num_bytes):
            uncounted.append(node)
            continue
        work = arithmetics.share(node, flops * times)
        points.append(
            RooflinePoint(
                graph.name(node),
                graph.operation(node),
                (node,),
                times,
                flops * times,
                num_bytes * times,
                float(graph.nodes.seconds[node]),
                work=tuple(work.items()),
                is_uncertain=int(graph.nodes.group[node]) in rounds.in_branch,
            )
        )
    return points, uncounted


def _equations(
    graph: Graph, trips: Mapping[str, int] | None, machine: Stage | None
) -> tuple[RooflinePoint, ...]:
    """One point an equation; those of which XLA does not count something are left out."""
    shares = share_out(graph, RowKind.EQUATION, trips, machine)
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
                share.least.flops,
                share.least.bytes_accessed,
                share.work,
                share.least_work,
            )
            for key, share in shares.rows.items()
            if not share.num_unknown
        ]
    )


def _kernels(graph: Graph, rounds: ExecutionCounts) -> Iterator[tuple[int, int]]:
    """Nodes that run by themselves, and how often."""
    for node, group in enumerate(graph.nodes.group.tolist()):
        times = rounds.of(group)
        operation = graph.operation(node)
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
    return places[0].short if places else COMPILER


def _scope_of(graph: Graph, node: int) -> str:
    return "/".join(graph.scope(node)) or "no named scope"


def _sum(
    found: Roofline, points: Sequence[RooflinePoint], kind: str, keys: Sequence[str]
) -> tuple[RooflinePoint, ...]:
    gathered: dict[str, list[RooflinePoint]] = {}
    for key, point in zip(keys, points, strict=True):
        gathered.setdefault(key, []).append(point)
    summed = []
    for key, parts in gathered.items():
        whole = found.sum_up(
            {p.nodes[0]: (p.flops / p.rounds, p.num_bytes / p.rounds) for p in parts}
        )
        summed.append(
            RooflinePoint(
                key,
                kind,
                tuple(node for part in parts for node in part.nodes),
                max(part.rounds for part in parts),
                float(whole.high[0]),
                float(whole.high[1]),
                sum(part.seconds for part in parts),
                float(whole.low[0]),
                float(whole.low[1]),
                parts=tuple(parts),
            )
        )
    return _by_traffic(summed)


def _by_traffic(points: Sequence[RooflinePoint]) -> tuple[RooflinePoint, ...]:
    return tuple(sorted(points, key=lambda point: -point.num_bytes))
