"""Work and traffic of a whole program with loops: the sum over the kernels of its roofline."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.analysis.cost.loop_rounds import find_rounds
from jaxscope.analysis.quantities import format_count
from jaxscope.analysis.roofline import find_kernels
from jaxscope.model import Graph

LOOPS_COUNTED = "Work and traffic count loops × their trip count, which XLA knows."
_UNKNOWN = "Work and traffic are unknown: "


@dataclasses.dataclass(frozen=True, slots=True)
class ProgramWork:
    """What one run of a program does.

    Attributes:
        flops: By XLA's rules; NaN where unknown.
        num_bytes: Read and written; NaN where unknown.
        counting: How loops were counted, or why the work is unknown: a sentence, or nothing.
    """

    flops: float
    num_bytes: float
    counting: str = ""


def find_program_work(graph: Graph) -> ProgramWork:
    """Count every kernel as often as it runs; of a condition, every branch.

    Args:
        graph: Of an optimized module, with XLA's cost of each instruction.
    """
    rounds = find_rounds(graph)
    if rounds.unbounded:
        loops = format_count(len(rounds.unbounded), "loop")
        runs = "runs" if len(rounds.unbounded) == 1 else "run"
        return _unknown(f"XLA does not know how often {loops} {runs}.")
    points, num_uncounted = find_kernels(graph, rounds)
    if num_uncounted:
        return _unknown(f"XLA does not count {format_count(num_uncounted, 'kernel')}.")
    return ProgramWork(
        math.fsum(point.flops for point in points),
        math.fsum(point.num_bytes for point in points),
        LOOPS_COUNTED if any(point.rounds > 1 for point in points) else "",
    )


def _unknown(why: str) -> ProgramWork:
    return ProgramWork(math.nan, math.nan, _UNKNOWN + why)
