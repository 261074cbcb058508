"""One call on many targets: least time of each program by its chip's published peaks, work,
traffic, memory, and whether the memory is enough.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping

from jaxscope.errors import JaxscopeError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Graph, Stage, Unavailable, is_available
from jaxscope.model.hardware import Chip, chip_of_target
from jaxscope.model.said import say, say_joined
from jaxscope.model.types import read_count
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.roofline import Roofline, find_best, find_roofline

# How long a program takes at best on a chip, by what is published of the chip.
#
# Kernel after kernel, each takes the longer of two times: that of its arithmetic at the chip's peak
# for that arithmetic, and that of its traffic with the chip's memory. Copies in the background take
# no time of their own, but the whole takes as long as all traffic together. Nothing else is in it:
# no waiting, no launching, no traffic between chips. A program can take longer; where kernels
# overlap, or caches hold what goes from one to the next, also less.


ESTIMATE = say(
    "Estimates by the chips' published peaks, kernel after kernel, without launching, waiting or "
    "traffic between chips; what caches hold, and kernels that overlap, can be faster. Nothing ran."
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What a program takes at best.

    Attributes:
        seconds: The sum over its kernels, with the cheapest branches; NaN where nothing is known.
        most_seconds: The same with the dearest branches.
        num_bytes: Read from and written to the chip's memory, with the dearest branches; NaN where
            not known.
        cycles: XLA's own estimate; NaN where a kernel has none.
    """

    seconds: float
    most_seconds: float
    num_bytes: float
    cycles: float


def estimate(
    stage: Stage | None,
    chip: Chip,
    trips: Mapping[str, int] | None = None,
    machine: Stage | None = None,
) -> Estimate | Unavailable:
    """The least time of a compiled program on one device of a chip, or why it is not known.

    Args:
        stage: The stage `optimized`.
        chip: Whose published peaks count.
        trips: Rounds of loops that the module does not say itself, by equation.
        machine: The stage `machine` of the same program.
    """
    found = find_roofline(stage, trips, machine)
    if isinstance(found, Unavailable):
        return found
    if found.uncounted:
        return Unavailable(found.why_not_whole, "optimized")
    graph = stage.graph if stage is not None else None
    if not isinstance(graph, Graph):
        return Unavailable(say("The compiled program has no graph."), "optimized")
    ceilings = chip.ceilings()
    best = find_best(found, ceilings)
    traffic = found.sum_up({p.nodes[0]: (p.num_bytes / p.rounds,) for p in found.kernels})
    return Estimate(best.best, best.most, float(traffic.high[0]), _cycles(graph, found))


NOT_COMPILED = say("It was not compiled.")
_SMALL = 4096.0
"""FLOPs or bytes; XLA estimates nothing for work of less, such as the counters of loops."""
_BETWEEN_CHIPS = re.compile(r"(all-|reduce-scatter|collective-|ragged-all-|send|recv).*")


def _cycles(graph: Graph, found: Roofline) -> float:
    """XLA's own estimate, with the dearest branches; NaN where a kernel that matters has none."""
    known = {}
    for point in found.kernels:
        node = point.nodes[0]
        cycles = read_count(graph.attributes(node).get("estimated_cycles", ""))
        if cycles is not None:
            known[node] = (float(cycles),)
            continue
        is_apart = point.is_in_background or _BETWEEN_CHIPS.fullmatch(point.operation)
        if not is_apart and graph.nodes.cost[node, :2].max() > _SMALL:
            return math.nan
    return float(found.sum_up(known).high[0]) if known else math.nan


_SCALES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}
_SIZE = r"([\d.]+)([KMGT]?)B?"
_EXHAUSTED = (
    re.compile(rf"Used {_SIZE} of {_SIZE} hbm", re.IGNORECASE),
    re.compile(rf"\({_SIZE}\) exceeds available HBM \({_SIZE}\)", re.IGNORECASE),
)
"""How XLA says that a chip's memory is too small: first what is needed, then what there is."""


@dataclass(frozen=True, slots=True)
class TargetRow:
    """What is known of a call on one target; NaN is unknown.

    Attributes:
        target: As it was asked for.
        chip: Its name; empty where nothing is published here.
        seconds: At best, by the chip's published peaks, with the cheapest branches.
        most_seconds: The same with the dearest branches.
        kernels: Instructions that run by themselves, loops counted once.
        fusions: Those of them that are fusions.
        flops: Of a run, per device, loops as often as they run, with the dearest branches.
        least_flops: The same with the cheapest branches.
        num_bytes: Exchanged with the chip's memory in a run, per device, with the dearest branches.
        least_bytes: The same with the cheapest branches.
        num_unbounded: Loops that count once because nobody knows how often they run.
        cycles: XLA's own estimate; TPUs only, and NaN where a kernel has none.
        needed_bytes: Memory that is needed at once, per device; arguments and results included.
        memory_bytes: Memory that there is, per device.
        default_memory_bytes: What JAX takes of it unless it is told otherwise.
        is_room_checked: Whether it compiled by a compiler that refuses what does not fit.
        compile_seconds: What XLA took.
        reason: Why the program does not compile for it; empty if it does.
        why_no_work: Why work, traffic and time are not known though it compiles; else empty.
        caveats: A sentence on each of the chip's figures that is not verified, and why.
        notes: How the program was counted, a sentence each.
    """

    target: str
    chip: str = ""
    seconds: float = math.nan
    most_seconds: float = math.nan
    kernels: int = 0
    fusions: int = 0
    flops: float = math.nan
    least_flops: float = math.nan
    num_bytes: float = math.nan
    least_bytes: float = math.nan
    num_unbounded: int = 0
    cycles: float = math.nan
    needed_bytes: float = math.nan
    memory_bytes: float = math.nan
    default_memory_bytes: float = math.nan
    is_room_checked: bool = False
    compile_seconds: float = math.nan
    reason: str = ""
    why_no_work: str = ""
    caveats: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def fits(self) -> bool | None:
        """Whether the memory is enough; None where that is not known.

        What XLA says is needed of a TPU's memory has values in it that lie on the chip, so what
        the compiler found counts more.
        """
        if self.is_room_checked:
            return True
        if math.isnan(self.needed_bytes) or math.isnan(self.memory_bytes):
            return None
        return self.needed_bytes <= self.memory_bytes


def summarize_target(target: str, found: Capture | JaxscopeError) -> TargetRow:
    """The row of a target, from the capture for it or from why there is none."""
    if isinstance(found, JaxscopeError):
        return _summarize_failure(target, found)
    chip = chip_of_target(target)
    stage = found.stage("optimized")
    trips = find_trip_counts(found)
    machine = found.stage("machine")
    roofline = find_roofline(stage, trips, machine)
    if stage is None or isinstance(roofline, Unavailable):
        why = roofline.reason if isinstance(roofline, Unavailable) else NOT_COMPILED
        return TargetRow(target, chip.title if chip else "", reason=why)
    points = roofline.kernels
    work = roofline.sum_up(
        {p.nodes[0]: (p.flops / p.rounds, p.num_bytes / p.rounds) for p in points}, 2
    )
    (flops, num_bytes), (least_flops, least_bytes) = work.high.tolist(), work.low.tolist()
    row = TargetRow(
        target,
        chip.title if chip else "",
        kernels=len(points) + len(roofline.uncounted),
        fusions=sum(point.operation == "fusion" for point in points),
        flops=flops,
        least_flops=least_flops,
        num_bytes=num_bytes,
        least_bytes=least_bytes,
        num_unbounded=roofline.num_unbounded,
        needed_bytes=_needed(found),
        memory_bytes=chip.device_memory_bytes if chip else math.nan,
        default_memory_bytes=chip.default_memory_bytes if chip else math.nan,
        is_room_checked=chip is not None and chip.refuses_what_does_not_fit,
        compile_seconds=_seconds(stage),
        caveats=chip.caveats if chip else (),
        notes=tuple(note for note in roofline.notes if note != roofline.why_not_whole),
        why_no_work=roofline.why_not_whole,
    )
    if roofline.uncounted:
        row = dataclasses.replace(row, flops=math.nan, num_bytes=math.nan)
    best = estimate(stage, chip, trips, machine) if chip else None
    if best is None or isinstance(best, Unavailable):
        return row
    return dataclasses.replace(
        row, seconds=best.seconds, most_seconds=best.most_seconds, cycles=best.cycles
    )


def read_exhausted(text: str) -> tuple[float, float]:
    """Bytes that XLA says a program needs, and that there are; NaN where the text says neither."""
    for pattern in _EXHAUSTED:
        match = pattern.search(text)
        if match is not None:
            needed, needed_unit, there, unit = match.groups()
            return (
                float(needed) * _SCALES[needed_unit.upper()],
                float(there) * _SCALES[unit.upper()],
            )
    return math.nan, math.nan


def _summarize_failure(target: str, error: JaxscopeError) -> TargetRow:
    chip = chip_of_target(target)
    explanation = error.explanation
    needed, there = read_exhausted(explanation.why)
    if math.isnan(there) and chip is not None:
        there = chip.device_memory_bytes
    why = explanation.why
    why = why.partition("\n")[0] if "\n" in why else why
    reason = say_joined((explanation.what, *([why] if math.isnan(needed) else [])))
    return TargetRow(
        target, chip.title if chip else "", needed_bytes=needed, memory_bytes=there, reason=reason
    )


def _needed(capture: Capture) -> float:
    plan = capture.memory
    if isinstance(plan, Unavailable):
        return math.nan
    return plan.total_bytes if math.isnan(plan.peak_bytes) else plan.peak_bytes


def _seconds(stage: Stage) -> float:
    return float(stage.seconds) if is_available(stage.seconds) else math.nan
