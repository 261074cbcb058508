"""What kernels exchange with a chip's main memory, where values can also lie on the chip.

XLA counts every value that a kernel reads or writes. On a TPU many of them lie in the chip's own
fast memory, which the layouts tell: `S(1)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import numpy as np

from jaxscope.analysis.value_sizes import bytes_of_type
from jaxscope.model import Graph

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
        operation = self._graph.string(self._graph.nodes.operation, node)
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
            is_tuple = self._graph.string(self._graph.nodes.operation, source) == "tuple"
            for place, size in enumerate(self._results(source)):
                if is_tuple or place == output:
                    yield size

    def _results(self, node: int) -> Iterator[float]:
        """Bytes of each result that lies in main memory; 0 for those on the chip."""
        types = self._graph.row(self._graph.nodes.types, node)
        layouts = self._graph.attributes(node).get("layout", "").split("}, {")
        for place, type in enumerate(types):
            layout = layouts[place] if place < len(layouts) else ""
            yield 0.0 if _ON_CHIP.search(layout) else bytes_of_type(type)
