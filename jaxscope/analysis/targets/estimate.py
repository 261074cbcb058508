"""How long a program takes at best on a chip, by what is published of the chip.

Kernel after kernel, each takes the longer of two times: that of its arithmetic at the chip's peak,
and that of its traffic with the chip's memory. Nothing else is in it: no waiting, no launching, no
traffic between chips. A program can take longer, and where kernels overlap also less.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Mapping

from jaxscope.analysis.roofline import Roofline, find_roofline
from jaxscope.model import Graph, Stage, Unavailable
from jaxscope.model.chip import Chip

ESTIMATE = (
    "Estimates by the chips' published peaks, kernel after kernel: at best, without launching, "
    "waiting or traffic between chips. Nothing ran."
)
_CYCLES = re.compile(r'"estimated_cycles":"?(\d+)')
_ELEMENT = re.compile(r"([a-z]\w*)\[")
_ARITHMETIC = re.compile(r"bf16|f\d+\w*|[su]8")


@dataclasses.dataclass(frozen=True, slots=True)
class Estimate:
    """What a program takes at best.

    Attributes:
        seconds: The sum over its kernels; NaN where nothing is known.
        num_bytes: Read from and written to the chip's memory; NaN where not known.
        num_bound_by_memory: Kernels whose traffic takes longer than their arithmetic.
        cycles: XLA's own estimate for the kernels that it gives one for; NaN where it gives none.
        notes: What to mind, a sentence each.
    """

    seconds: float
    num_bytes: float
    num_bound_by_memory: int
    cycles: float
    notes: tuple[str, ...] = ()


def estimate(
    stage: Stage | None, chip: Chip, trips: Mapping[str, int] | None = None
) -> Estimate | Unavailable:
    """The least time of a compiled program on one device of a chip, or why it is not known.

    Args:
        stage: The stage `optimized`.
        chip: Whose published peaks count.
        trips: Rounds of loops that the module does not tell itself, by equation.
    """
    found = find_roofline(stage, trips)
    if isinstance(found, Unavailable):
        return found
    if found.num_uncounted:
        return Unavailable(
            f"XLA does not count the work of {found.num_uncounted:,} kernels.", "optimized"
        )
    graph = stage.graph if stage is not None else None
    if not isinstance(graph, Graph):
        return Unavailable("The compiled program has no graph.", "optimized")
    seconds = num_bytes = 0.0
    bound = 0
    for point in found.kernels:
        arithmetic = point.flops / _peak(graph, point.nodes[0], chip)
        memory = point.num_bytes * chip.devices / chip.bytes_per_second
        seconds += max(arithmetic, memory)
        num_bytes += point.num_bytes
        bound += memory > arithmetic
    return Estimate(seconds, num_bytes, bound, _cycles(graph, found), found.notes)


def _peak(graph: Graph, node: int, chip: Chip) -> float:
    """FLOP per second for a kernel: of the fastest type that it reads or writes.

    What no page gives for a type, such as products of f64 that a chip puts together from others,
    is taken as the chip's fastest: the time stays a lower bound.
    """
    results = graph.row(graph.nodes.types, node)
    if graph.string(graph.nodes.operation, node) == "custom-call":
        results = results[:1]  # the others are a library's scratch space
    types = [*results]
    for source in graph.edges.source[graph.edges.target == node].tolist():
        types += graph.row(graph.nodes.types, source)
    elements = {match[1] for match in map(_ELEMENT.match, types) if match}
    known = [chip.peak_of(element) for element in elements if _ARITHMETIC.fullmatch(element)]
    known = [rate for rate in known if not math.isnan(rate)]
    return max(known) if known else max(chip.peak.values()) / chip.devices


def _cycles(graph: Graph, found: Roofline) -> float:
    total, is_known = 0.0, False
    for point in found.kernels:
        match = _CYCLES.search(graph.attributes(point.nodes[0]).get("backend_config", ""))
        if match is not None:
            total, is_known = total + float(match[1]) * point.rounds, True
    return total if is_known else math.nan
