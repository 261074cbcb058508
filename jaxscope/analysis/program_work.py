"""Work and traffic of a whole program with loops, as numbers for a table."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.analysis.cost.work import find_work
from jaxscope.analysis.quantities import format_count
from jaxscope.model import Graph

LOOPS_COUNTED = "Work and traffic count loops × their trip count, which XLA knows."
BRANCHES_COUNTED = "Of a condition's branches, work and traffic count the dearest."
_UNKNOWN = "Work and traffic are unknown: "


@dataclasses.dataclass(frozen=True, slots=True)
class ProgramWork:
    """What one run of a program does.

    Attributes:
        flops: By XLA's rules, with the dearest branches; NaN where unknown.
        num_bytes: Read and written; NaN where unknown.
        counting: How loops and branches were counted, or why the work is unknown: sentences, or
            nothing.
    """

    flops: float
    num_bytes: float
    counting: str = ""


def find_program_work(graph: Graph) -> ProgramWork:
    """Count every kernel as often as it runs; of a condition, the dearest branch.

    Args:
        graph: Of an optimized module, with XLA's cost of each instruction.
    """
    work = find_work(graph)
    if work.num_unbounded:
        loops = format_count(work.num_unbounded, "loop")
        runs = "runs" if work.num_unbounded == 1 else "run"
        return _unknown(f"XLA does not know how often {loops} {runs}.")
    if work.num_unknown:
        return _unknown(f"XLA does not count {format_count(work.num_unknown, 'kernel')}.")
    told = [LOOPS_COUNTED] if work.has_loops else []
    told += [BRANCHES_COUNTED] if work.has_range else []
    return ProgramWork(work.high.flops, work.high.bytes_accessed, " ".join(told))


def _unknown(why: str) -> ProgramWork:
    return ProgramWork(math.nan, math.nan, _UNKNOWN + why)
