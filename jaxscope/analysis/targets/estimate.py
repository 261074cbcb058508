"""How long a program takes at best on a chip, by what is published of the chip.

Kernel after kernel, each takes the longer of two times: that of its arithmetic at the chip's peak,
and that of its traffic with the chip's memory. Nothing else is in it: no waiting, no launching, no
traffic between chips. A program can take longer, and where kernels overlap also less.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator

import numpy as np

from jaxscope.analysis.fusion.sizes import bytes_of_type
from jaxscope.analysis.roofline import Roofline, find_roofline
from jaxscope.model import Graph, Stage, Unavailable
from jaxscope.model.chip import Chip

ESTIMATE = (
    "Estimates by the chips' published peaks, kernel after kernel: at best, without launching, "
    "waiting or traffic between chips. Nothing ran."
)
_CYCLES = re.compile(r'"estimated_cycles":"?(\d+)')
_ON_CHIP = re.compile(r"S\([1-9]\d*\)")
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


def estimate(stage: Stage | None, chip: Chip) -> Estimate | Unavailable:
    """The least time of a compiled program on one device of a chip, or why it is not known."""
    found = find_roofline(stage)
    if isinstance(found, Unavailable):
        return found
    if found.num_uncounted:
        return Unavailable(
            f"XLA does not count the work of {found.num_uncounted:,} kernels.", "optimized"
        )
    graph = stage.graph if stage is not None else None
    if not isinstance(graph, Graph):
        return Unavailable("The compiled program has no graph.", "optimized")
    traffic = _Traffic(graph)
    seconds = num_bytes = 0.0
    bound = 0
    for point in found.kernels:
        node = point.nodes[0]
        moved = traffic.of(node, point.num_bytes / point.rounds) * point.rounds
        arithmetic = point.flops / _peak(graph, traffic.operands(node), node, chip)
        memory = moved * chip.devices / chip.bytes_per_second
        seconds += max(arithmetic, memory)
        num_bytes += moved
        bound += memory > arithmetic
    return Estimate(seconds, num_bytes, bound, _cycles(graph, found), found.notes)


def _peak(graph: Graph, operands: tuple[int, ...], node: int, chip: Chip) -> float:
    """FLOP per second for a kernel: of the fastest type that it reads or writes.

    What no page gives for a type, such as products of f64 that a chip puts together from others,
    is taken as the chip's fastest: the time stays a lower bound.
    """
    results = graph.row(graph.nodes.types, node)
    if graph.string(graph.nodes.operation, node) == "custom-call":
        results = results[:1]  # the others are a library's scratch space
    types = [type for one in operands for type in graph.row(graph.nodes.types, one)]
    types += results
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


class _Traffic:
    """What kernels exchange with the chip's main memory; layouts tell what lies on the chip."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        order = np.argsort(graph.edges.target, kind="stable")
        self._sources = graph.edges.source[order]
        self._outputs = graph.edges.output[order]
        self._starts = np.searchsorted(
            graph.edges.target[order], np.arange(len(graph.nodes) + 1)
        ).tolist()

    def operands(self, node: int) -> tuple[int, ...]:
        begin, end = self._starts[node], self._starts[node + 1]
        return tuple(self._sources[begin:end].tolist())

    def of(self, node: int, counted: float) -> float:
        """Bytes of one run of a kernel.

        Args:
            counted: What XLA counts for it, wherever the values lie.
        """
        operation = self._graph.string(self._graph.nodes.operation, node)
        if operation == "custom-call":
            return counted
        if operation.endswith("-done"):
            return 0.0  # the matching -start has counted it
        if operation == "copy-start":  # of what it gives back, the second part is its operand
            return sum(self._inputs(node)) + next(self._results(node), 0.0)
        outside = sum(self._inputs(node)) + sum(self._results(node))
        return counted if math.isnan(outside) else min(counted, outside)

    def _inputs(self, node: int) -> Iterator[float]:
        begin, end = self._starts[node], self._starts[node + 1]
        for source, output in zip(
            self._sources[begin:end].tolist(), self._outputs[begin:end].tolist(), strict=True
        ):
            for place, size in enumerate(self._results(source)):
                if place == output or self._is_whole_tuple(source, output):
                    yield size

    def _is_whole_tuple(self, source: int, output: int) -> bool:
        return output == 0 and self._graph.string(self._graph.nodes.operation, source) == "tuple"

    def _results(self, node: int) -> Iterator[float]:
        """Bytes of each result that lies in main memory; 0 for those on the chip."""
        types = self._graph.row(self._graph.nodes.types, node)
        layouts = self._graph.attributes(node).get("layout", "").split("}, {")
        for place, type in enumerate(types):
            layout = layouts[place] if place < len(layouts) else ""
            yield 0.0 if _ON_CHIP.search(layout) else bytes_of_type(type)
