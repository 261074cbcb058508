"""The kernels of a module: what runs by itself, how often, and what one run of it costs.

A kernel is a fusion, a library call, a copy; before optimization, every instruction. On chips with
fast memory of their own, values that lie there are no traffic.
"""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from jaxscope.model import Graph
from jaxscope.model.types import type_bytes
from jaxscope.program.cost.trip_counts import RUNS_INSIDE, ExecutionCounts
from jaxscope.program.cost.work import product_cost

_NO_KERNELS = frozenset(
    {
        *("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"),
        *RUNS_INSIDE,
    }
)
_RESERVES = "AllocateBuffer"
"""A custom call by which XLA reserves memory that a loop fills on a TPU: nothing runs for it."""
ON_CHIP_IS_NO_TRAFFIC = "Values that lie in the chip's own fast memory are no traffic of kernels."


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Kernel:
    """An instruction that runs by itself.

    Attributes:
        node: Of the module.
        group: That it stands in.
        rounds: How often it runs in one run of the program.
        cost: FLOPs, bytes and transcendentals of one of its runs; NaN is unknown.
    """

    node: int
    group: int
    rounds: int
    cost: npt.NDArray[np.float64]


def find_kernels(graph: Graph, rounds: ExecutionCounts) -> Iterator[Kernel]:
    """All kernels of a module, in the graph's order.

    Args:
        graph: The stage `hlo` or `optimized`.
        rounds: How often its parts run.
    """
    traffic = _OffChipTraffic(graph) if has_memory_on_chip(graph) else None
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
        cost = graph.nodes.cost[node].copy()
        if math.isnan(cost[0]) and (known := product_cost(graph, node)) is not None:
            cost[:] = *known, 0.0
        if traffic is not None:
            cost[1] = traffic.of(node, float(cost[1]))
        yield Kernel(node, group, times, cost)


# What kernels exchange with a chip's main memory, where values can also lie on the chip.
#
# XLA counts every value that a kernel reads or writes. On a TPU many of them lie in the chip's own
# fast memory, which the layouts say: `S(1)`.


_ON_CHIP = re.compile(r"S\([1-9]\d*\)")


def has_memory_on_chip(graph: Graph) -> bool:
    """Whether the layouts of a module name a memory besides the main one."""
    return any(text.startswith("{") and _ON_CHIP.search(text) for text in graph.strings)


class _OffChipTraffic:
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
