"""How long a program takes at best on a chip, by what is published of the chip.

Kernel after kernel, each takes the longer of two times: that of its arithmetic at the chip's peak
for that arithmetic, and that of its traffic with the chip's memory. It is the same sum as that of
the kernels' times in a roofline. Nothing else is in it: no waiting, no launching, no traffic
between chips. A program can take longer, and where kernels overlap also less.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping

from jaxscope.analysis.roofline import Roofline, find_best, find_limit, find_roofline
from jaxscope.model import Graph, Stage, Unavailable
from jaxscope.model.chip import Chip

ESTIMATE = (
    "Estimates by the chips' published peaks, kernel after kernel: at best, without launching, "
    "waiting or traffic between chips. Nothing ran."
)
_MAX_DIGITS = 18


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """What a program takes at best.

    Attributes:
        seconds: The sum over its kernels, with the cheapest branches; NaN where nothing is known.
        most_seconds: The same with the dearest branches.
        num_bytes: Read from and written to the chip's memory, with the dearest branches; NaN where
            not known.
        num_bound_by_memory: Kernels whose traffic takes longer than their arithmetic.
        cycles: XLA's own estimate for the kernels that it gives one for; NaN where it gives none.
        notes: What to mind, a sentence each.
    """

    seconds: float
    most_seconds: float
    num_bytes: float
    num_bound_by_memory: int
    cycles: float
    notes: tuple[str, ...] = ()


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
        trips: Rounds of loops that the module does not tell itself, by equation.
        machine: The stage `machine` of the same program.
    """
    found = find_roofline(stage, trips, machine)
    if isinstance(found, Unavailable):
        return found
    if found.num_uncounted:
        return Unavailable(
            f"XLA does not count the work of {found.num_uncounted:,} kernels.", "optimized"
        )
    graph = stage.graph if stage is not None else None
    if not isinstance(graph, Graph):
        return Unavailable("The compiled program has no graph.", "optimized")
    ceilings = chip.ceilings()
    best = find_best(found, ceilings)
    limits = [find_limit(point, ceilings) for point in found.kernels]
    traffic = found.sum_up({p.nodes[0]: (p.num_bytes / p.rounds,) for p in found.kernels})
    return Estimate(
        best.best,
        best.most,
        float(traffic.high[0]),
        sum(limit.kind == "memory" for limit in limits),
        _cycles(graph, found),
        found.notes,
    )


def _cycles(graph: Graph, found: Roofline) -> float:
    """XLA's own estimate, with the dearest branches."""
    known = {}
    for point in found.kernels:
        told = graph.attributes(point.nodes[0]).get("estimated_cycles", "")
        if told.isdecimal() and len(told) < _MAX_DIGITS:
            known[point.nodes[0]] = (float(told),)
    return float(found.sum_up(known).high[0]) if known else math.nan
