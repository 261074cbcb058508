"""The kernels of a module: what runs by itself, how often, and what one run of it costs.

A kernel is a fusion, a library call, a copy; before optimization, every instruction. On chips with
fast memory of their own, values that lie there are no traffic. What starts in the background is a
kernel where it starts, and none where it is waited for.
"""

from __future__ import annotations

import dataclasses
import functools
import math
import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from jaxscope.model import NONE, Graph, GroupKind
from jaxscope.model.types import read_count, type_bytes
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
_WAITS = ("-done", "-update")
_CUTS = frozenset({"dynamic-slice", "slice", "gather"})
"""Of their first operand they read no more than they give back."""
_REPLACES = {"dynamic-update-slice": 1, "scatter": 2}
"""They change their first operand in place: as much as that operand of theirs has."""
_SAME = frozenset({"bitcast", "reshape"})
_MAX_DEPTH = 100
"""Only a file that somebody made by hand goes deeper."""
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
        if not times or operation in _NO_KERNELS or operation.endswith(_WAITS):
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
        self._sources: list[int] = graph.edges.source[order].tolist()
        self._outputs: list[int] = graph.edges.output[order].tolist()
        nodes = np.arange(len(graph.nodes) + 1)
        self._starts: list[int] = np.searchsorted(graph.edges.target[order], nodes).tolist()
        self._fused = {
            owner: group
            for group, (owner, kind) in enumerate(
                zip(graph.groups.owner.tolist(), graph.groups.kind.tolist(), strict=True)
            )
            if owner != NONE and kind == GroupKind.FUSION
        }

    @functools.cached_property
    def _users(self) -> dict[int, list[tuple[int, int]]]:
        """Who takes an instruction inside of a fusion, and as which operand."""
        found: dict[int, list[tuple[int, int]]] = {}
        for node in range(len(self._graph.nodes)):
            for place, source in enumerate(self._takes(node)):
                found.setdefault(source, []).append((node, place))
        return found

    @functools.cached_property
    def _ends(self) -> tuple[dict[tuple[int, int], int], dict[int, int]]:
        """Parameters of each group by their number, and its root."""
        parameters: dict[tuple[int, int], int] = {}
        roots: dict[int, int] = {}
        rows = self._graph.all_attributes()
        for node, group in enumerate(self._graph.nodes.group.tolist()):
            row = rows[node]
            number = read_count(row.get("parameter_number", ""))
            if number is not None:
                parameters[group, number] = node
            if "root" in row:
                roots[group] = node
        return parameters, roots

    def of(self, node: int, counted: float) -> float:
        """Bytes of one run of a kernel.

        Args:
            node: Of the kernel.
            counted: What XLA counts for it, wherever the values lie.
        """
        operation = self._graph.operation(node)
        if operation == "custom-call":
            return counted  # nobody knows what it reads
        read = sum(self._operands(node))
        if operation == "copy-start":  # of what it gives back, the second part is its operand
            return read + next(self._results(node), 0.0)
        outside = read + self._written(node)
        return counted if math.isnan(outside) else min(counted, outside)

    def _takes(self, node: int) -> list[int]:
        return self._sources[self._starts[node] : self._starts[node + 1]]

    def _operands(self, node: int) -> Iterator[float]:
        begin, end = self._starts[node], self._starts[node + 1]
        pairs = zip(self._sources[begin:end], self._outputs[begin:end], strict=True)
        for number, (source, output) in enumerate(pairs):
            is_tuple = self._graph.operation(source) == "tuple"
            for place, size in enumerate(self._results(source)):
                if is_tuple or place == output:
                    yield min(size, self._read(node, number)) if size else 0.0

    def _read(self, node: int, number: int, depth: int = 0) -> float:
        """Bytes that an instruction reads of an operand; infinite where it may read all of it."""
        operation = self._graph.operation(node)
        if operation in _REPLACES and number == 0:
            return self._replaced(node) if operation == "scatter" else 0.0
        if operation in _CUTS and number == 0:
            return sum(map(type_bytes, self._graph.types(node)))
        if node not in self._fused:
            return math.inf
        parameter = self._ends[0].get((self._fused[node], number))
        return math.inf if parameter is None else self._read_by_users(parameter, depth + 1)

    def _read_by_users(self, node: int, depth: int) -> float:
        users = self._users.get(node)
        if not users or depth > _MAX_DEPTH:
            return math.inf
        return sum(
            self._read_by_users(user, depth + 1)
            if self._graph.operation(user) in _SAME
            else self._read(user, number, depth)
            for user, number in users
        )

    def _written(self, node: int) -> float:
        """Bytes of its results that lie in main memory."""
        sizes = list(self._results(node))
        if sum(sizes) == 0.0:
            return 0.0
        ends = [node]
        if node in self._fused and (root := self._ends[1].get(self._fused[node])) is not None:
            ends = self._takes(root) if self._graph.operation(root) == "tuple" else [root]
        if len(ends) != len(sizes):
            return sum(sizes)
        return sum(min(size, self._replaced(end)) for size, end in zip(sizes, ends, strict=True))

    def _replaced(self, node: int) -> float:
        """Bytes that an instruction changes of its first operand; infinite where it makes all."""
        for _ in range(_MAX_DEPTH):
            if node in self._fused and (root := self._ends[1].get(self._fused[node])) is not None:
                node = root
            elif self._graph.operation(node) in _SAME and self._takes(node):
                node = self._takes(node)[0]
            else:
                break
        place = _REPLACES.get(self._graph.operation(node))
        takes = self._takes(node)
        if place is None or place >= len(takes):
            return math.inf
        return sum(map(type_bytes, self._graph.types(takes[place])))

    def _results(self, node: int) -> Iterator[float]:
        """Bytes of each result that lies in main memory; 0 for those on the chip."""
        types = self._graph.types(node)
        layouts = self._graph.attributes(node).get("layout", "").split("}, {")
        for place, type in enumerate(types):
            layout = layouts[place] if place < len(layouts) else ""
            yield 0.0 if _ON_CHIP.search(layout) else type_bytes(type)
