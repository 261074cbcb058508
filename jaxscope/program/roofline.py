"""The roofline of a program: work, traffic and intensity of kernels, equations, lines and scopes.

A kernel is an instruction that runs by itself; what stands in a loop counts as often as the loop
runs. Each point is bounded by the peak of the arithmetic that it computes in and by the memory's.
On chips with fast memory of their own, values that lie there (`S(1)`) are no traffic.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Graph, Stage, Unavailable
from jaxscope.model.hardware import Ceilings, Peak, find_chip
from jaxscope.model.said import say, say_count
from jaxscope.program.cost.attribution import RowKind, Shares, share_out_each
from jaxscope.program.cost.kernels import (
    ON_CHIP_IS_NO_TRAFFIC,
    Arithmetics,
    find_kernels,
    has_memory_on_chip,
)
from jaxscope.program.cost.trip_counts import AmountRange, ExecutionCounts, count_executions
from jaxscope.program.cost.work import describe_unbounded_loops

# The roofline of a program: work, traffic and intensity of kernels, equations, lines and scopes.
#
# A kernel is an instruction that runs by itself: a fusion, a library call, a copy; before
# optimization, every instruction. What stands in the body of a loop counts as often as the loop
# runs, where that is known; where it is not, it counts once and the result says so. A kernel in a
# branch counts as if the branch were taken; sums are ranges. FLOPs are XLA's: transcendental
# functions are not among them. The least time of a kernel follows from the peak of the arithmetic
# that it computes in (`program/cost/arithmetic.py`) and from the memory's.


IN_BRANCHES = say(
    "Kernels in branches count as if their branch were taken; of a condition's branches one runs, "
    "so sums go from the cheapest to the dearest."
)


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """A kernel, or the share of a line, a scope or an equation in all kernels.

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
        work: FLOPs by arithmetic, with the dearest branches.
        least_work: The same with the cheapest branches.
        least_rounds: How often the kernel runs that runs least; 0 where one may not run, being in
            a branch.
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
    least_rounds: int = 1

    @property
    def is_uncertain(self) -> bool:
        """Whether it, or a part of it, may not run, being in a branch."""
        return self.least_rounds == 0

    @property
    def intensity(self) -> float:
        """FLOP per byte with the dearest branches; NaN without traffic."""
        return self.flops / self.num_bytes if self.num_bytes > 0 else math.nan

    @property
    def has_one_intensity(self) -> bool:
        """Whether it does as many FLOPs for each byte whichever branches run."""
        least = self.least_flops, self.least_bytes
        return least in ((self.flops, self.num_bytes), (0.0, 0.0)) or math.isnan(self.least_bytes)

    @property
    def is_in_background(self) -> bool:
        """Whether it only starts, and goes on while other kernels run."""
        return self.operation.endswith("-start")

    @property
    def rate(self) -> float:
        """FLOP per second as measured; NaN where not measured."""
        return self.flops / self.seconds if self.seconds > 0 else math.nan


@dataclass(frozen=True, eq=False, slots=True)
class Roofline:
    """Points of one stage, the most traffic first.

    Attributes:
        stage: Name of the stage.
        kernels: One point an instruction.
        lines: One point a source line, with its share of kernels that several lines have a part
            in, as `share_out_each` has it; not measured by themselves.
        scopes: The same of named scopes of the program.
        equations: The same of equations of the last jaxpr-level stage.
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
        """Loops that count once because their number of rounds is unknown."""
        return len(self.rounds.unbounded)

    @property
    def why_not_whole(self) -> str:
        """Why the work of the program is not known; empty where it is."""
        if not self.uncounted:
            return ""
        kernels = say_count(len(self.uncounted), "kernel")
        return say("XLA gives no count of the work of {kernels}.", kernels=kernels)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to mind, a sentence each."""
        found: list[str] = []
        if self.num_repeated:
            found.append(
                say(
                    "{num:,} kernels stand in loops and count as often as these run.",
                    num=self.num_repeated,
                )
            )
        if self.num_unbounded:
            found.append(describe_unbounded_loops(self.num_unbounded))
        if any(point.is_uncertain for point in self.kernels):
            found.append(IN_BRANCHES)
        if self.uncounted:
            found.append(self.why_not_whole)
        if self.has_memory_on_chip:
            found.append(ON_CHIP_IS_NO_TRAFFIC)
        if self.stage == "hlo":
            found.append(
                say("Before optimization: as if each instruction were a kernel of its own.")
            )
        return tuple(found)

    def sum_up(self, amounts: Mapping[int, Sequence[float]], size: int = 1) -> AmountRange:
        """Add numbers of single runs of kernels up over one run of the program.

        Args:
            amounts: By node.
            size: How many numbers each of them is; there may be none to tell it.
        """
        work: dict[int, dict[str, npt.NDArray[np.float64]]] = {}
        for node, amount in amounts.items():
            here = work.setdefault(self.homes[node], {"": np.zeros(size)})
            here[""] = here[""] + np.array(amount)
        nothing = AmountRange(np.zeros(size), np.zeros(size))
        return self.rounds.sum_up(work).get("", nothing)


@dataclass(frozen=True, slots=True)
class Limit:
    """What bounds a point.

    Attributes:
        kind: `memory`, `arithmetic`, or empty where that is not known.
        best: Seconds that it takes at best; NaN where not known. What stands in a branch counts
            as if the branch were taken; sums hold the cheapest branches.
        most: The same with the dearest branches.
        peaks: Names of the peaks of its arithmetic.
        is_exceeded: Whether it was measured faster than peaks allow that were measured on the
            machine: `best` and `most` are what it took, and what bounds it is not known.
    """

    kind: str
    best: float
    most: float
    peaks: tuple[str, ...] = ()
    is_exceeded: bool = False


def find_limit(point: RooflinePoint, ceilings: Ceilings | None) -> Limit:
    """What bounds a point, and the seconds that it takes at best.

    Args:
        point: One of a roofline.
        ceilings: What a machine or a chip can do; None where that is not known.
    """
    if ceilings is None:
        return Limit("", math.nan, math.nan)
    arithmetic, names = _arithmetic_seconds(point.work, ceilings)
    memory = point.num_bytes / ceilings.bandwidth.best
    most = max(arithmetic, memory)  # of NaN, the first
    if math.isnan(arithmetic):
        return Limit("", math.nan, math.nan, names)
    least = most
    if not math.isnan(point.least_bytes):
        low, _ = _arithmetic_seconds(point.least_work, ceilings)
        least = max(low, point.least_bytes / ceilings.bandwidth.best)
    is_timed = point.seconds > 0 and not point.is_in_background  # a start is no transfer
    if is_timed and point.seconds < least and not ceilings.is_published:
        return Limit("", point.seconds, point.seconds, names, is_exceeded=True)
    return Limit("arithmetic" if arithmetic > memory else "memory", least, most, names)


def find_best(found: Roofline, ceilings: Ceilings) -> Limit:
    """The seconds that a whole program takes at best.

    Kernel after kernel; copies that go on in the background take none of their own, but all
    traffic together takes its time.
    """
    return _sum_limits(found.kernels, ceilings, found)


def find_peak(ceilings: Ceilings, arithmetic: str) -> Peak:
    """How fast a kind of arithmetic can be: as published of a chip, or as measured."""
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    return chip.peak_of(arithmetic) if chip is not None else ceilings.peak_of(arithmetic)


def _sum_limits(parts: Sequence[RooflinePoint], ceilings: Ceilings, found: Roofline) -> Limit:
    amounts: dict[int, tuple[float, float, float]] = {}
    names: dict[str, None] = {}
    for part in parts:
        limit = find_limit(part, ceilings)
        names.update(dict.fromkeys(limit.peaks))
        if math.isnan(limit.best):
            return Limit("", math.nan, math.nan, tuple(names))
        seconds = 0.0 if part.is_in_background else limit.best / part.rounds
        traffic = part.num_bytes / part.rounds / ceilings.bandwidth.best
        traffic = min(traffic, seconds) if limit.is_exceeded else traffic
        amounts[part.nodes[0]] = (seconds, traffic, seconds if limit.kind == "memory" else 0.0)
    total = found.sum_up(amounts, 3)
    in_turn, traffic, by_memory = total.high.tolist()
    is_memory = traffic >= in_turn or by_memory * 2.0 >= in_turn
    return Limit(
        "memory" if is_memory else "arithmetic",
        float(max(total.low[:2])),
        max(in_turn, traffic),
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
        return Unavailable(say("The capture has no compiled program."), "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    graph = stage.graph
    code = machine if stage.name == "optimized" else None
    rounds = count_executions(graph, trips)
    points, uncounted = _kernel_points(graph, rounds, Arithmetics(graph, code))
    kinds = (RowKind.LINE, RowKind.SCOPE, RowKind.EQUATION)
    lines, scopes, equations = map(_rows, kinds, share_out_each(graph, kinds, trips, code))
    return Roofline(
        stage.name,
        _by_traffic(points),
        lines,
        scopes,
        equations,
        tuple(uncounted),
        rounds,
        sum(point.rounds > 1 for point in points),
        {point.nodes[0]: int(graph.nodes.group[point.nodes[0]]) for point in points},
        has_memory_on_chip(graph),
    )


def _kernel_points(
    graph: Graph, rounds: ExecutionCounts, arithmetics: Arithmetics
) -> tuple[list[RooflinePoint], list[int]]:
    """One point for each kernel of a module whose work is known.

    Returns:
        Them in the graph's order, and the nodes of the others.
    """
    points, uncounted = [], []
    for kernel in find_kernels(graph, rounds):
        node, times = kernel.node, kernel.rounds
        flops, num_bytes = kernel.cost[:2].tolist()
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
                least_rounds=0 if int(graph.nodes.group[node]) in rounds.in_branch else times,
            )
        )
    return points, uncounted


def _rows(by: RowKind, shares: Shares) -> tuple[RooflinePoint, ...]:
    """One point a row; those of which XLA does not count something are left out."""
    return _by_traffic(
        [
            RooflinePoint(
                key,
                by.value,
                share.nodes,
                share.rounds,
                share.cost.flops,
                share.cost.bytes_accessed,
                math.nan,
                share.least.flops,
                share.least.bytes_accessed,
                share.work,
                share.least_work,
                share.least_rounds,
            )
            for key, share in shares.rows.items()
            if not share.num_unknown
        ]
    )


def _by_traffic(points: Sequence[RooflinePoint]) -> tuple[RooflinePoint, ...]:
    return tuple(sorted(points, key=lambda point: -point.num_bytes))
