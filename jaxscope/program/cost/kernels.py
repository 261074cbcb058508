"""The kernels of a module: what runs by itself, how often, and what one run of it costs.

A kernel is a fusion, a library call, a copy; before optimization, every instruction. On chips with
fast memory of their own, values that lie there are no traffic. What starts in the background is a
kernel where it starts, and none where it is waited for.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import (
    NONE,
    Capture,
    Graph,
    GroupKind,
    Stage,
    StageText,
    Unavailable,
    is_available,
)
from jaxscope.model.said import say
from jaxscope.model.types import read_count, type_bytes
from jaxscope.program.cost.trip_counts import (
    RUNS_INSIDE,
    ExecutionCounts,
    count_executions,
    find_trip_counts,
)
from jaxscope.program.cost.work import is_product, product_cost
from jaxscope.program.machine.kernel_text import KERNEL, PART, link_kernel_lines, write_heading

# In which arithmetic each instruction computes: it decides whose peak bounds its time.
#
# Of a matrix product that is the type of its operands and the precision that was asked for; where a
# kernel's PTX is there, it is what the PTX multiplies with. All else is work of a vector unit.
# `model/hardware.py` knows how fast a chip is at each.

_PRODUCTS = frozenset(
    {"dot", "convolution", "ragged-dot", "scaled-dot", "cholesky", "triangular-solve"}
)
_ELEMENT = re.compile(r"([a-z]\w*)\[")
_PRECISION = re.compile(r"operand_precision=\{([\d,]*)\}")
_ALGORITHM = re.compile(r"algorithm=ALG_DOT_(\w+)")
_TIMES = re.compile(r"_X(\d)$")
_REQUESTED = ("", "high", "highest")
_PTX = write_heading(PART, "PTX")
_TILE = re.compile(r"[.:](tf32|bf16|f16|f64|e4m3|e5m2|[su]8)(?![a-z0-9])")


class Arithmetics:
    """The arithmetic of each instruction of one module.

    A name is the element type for work of a vector unit, such as `f32`, and for a matrix product
    `dot:` with the type and the precision: `dot:f32`, `dot:f32:highest`, `dot:tf32`, `dot:bf16x3`.
    """

    def __init__(self, graph: Graph, machine: Stage | None = None) -> None:
        """Look a module over.

        Args:
            graph: Of the stage `hlo` or `optimized`.
            machine: The stage `machine` of the same program, for the kernels' PTX.
        """
        self._graph = graph
        self._seen = _read_ptx(machine, graph)
        edges = graph.edges
        order = np.argsort(edges.target, kind="stable")
        self._types = edges.type[order].tolist()
        bounds = np.arange(len(graph.nodes) + 1)
        self._starts = np.searchsorted(edges.target[order], bounds).tolist()
        groups = zip(graph.groups.owner.tolist(), graph.groups.kind.tolist(), strict=True)
        self._fused = {
            owner: group
            for group, (owner, kind) in enumerate(groups)
            if owner != NONE and kind == GroupKind.FUSION
        }

    @functools.cached_property
    def _members(self) -> dict[int, list[int]]:
        found: dict[int, list[int]] = {}
        for node, group in enumerate(self._graph.nodes.group.tolist()):
            if group != NONE:
                found.setdefault(group, []).append(node)
        return found

    def inside(self, node: int) -> list[int]:
        """The instructions inside of a fusion; none of every other."""
        return self._members.get(self._fused.get(node, NONE), [])

    def of(self, node: int, kernel: int = NONE) -> str:
        """The arithmetic of an instruction.

        Args:
            kernel: The fusion that it runs in, if it does.
        """
        graph = self._graph
        operation = graph.operation(node)
        row = graph.attributes(node) if operation in (*_PRODUCTS, "custom-call") else {}
        if operation not in _PRODUCTS and not is_product(row):
            return _narrowest(graph.types(node)[:1])
        asked = _requested(row, _narrowest(self._operands(node)))
        seen = self._seen.get(kernel if kernel != NONE else node)
        if seen is None or "x" in asked.rpartition(":")[2]:
            return asked
        if not seen:
            return "f64" if asked.startswith("dot:f64") else "f32"  # multiplied one by one
        return asked if asked.startswith("dot:") and _type_of(asked) in seen else _tile(seen, asked)

    def share(self, kernel: int, flops: float) -> dict[str, float]:
        """FLOPs of a kernel by their arithmetic."""
        parts: dict[str, float] = {}
        products: list[str] = []
        for node in self._innermost(kernel):
            counted = float(self._graph.nodes.cost[node, 0])
            is_product = self._graph.operation(node) in _PRODUCTS
            if is_product or counted > 0.0:
                name = self.of(node, kernel)
                products += [name] if is_product else []
                parts[name] = parts.get(name, 0.0) + (counted if counted > 0.0 else 0.0)
        whole = math.fsum(parts.values())
        if whole > 0.0:
            return {name: flops * part / whole for name, part in parts.items() if part > 0.0}
        # What is inside was not counted one by one: most work is that of its products.
        return {products[0] if products else self.of(kernel): flops} if flops > 0.0 else {}

    def _innermost(self, kernel: int) -> Iterator[int]:
        """A kernel's instructions, through the fusions in fusions; itself where it is no fusion."""
        waiting, seen = [kernel], set()
        while waiting:
            node = waiting.pop()
            if node in seen:  # only in a file that somebody made by hand
                continue
            seen.add(node)
            if inside := self.inside(node):
                waiting += inside
            else:
                yield node

    def _operands(self, node: int) -> list[str]:
        begin, end = self._starts[node], self._starts[node + 1]
        return [self._graph.strings[s] for s in self._types[begin:end]]


def _requested(row: Mapping[str, str], element: str) -> str:
    config = row.get("precision_config", "")
    algorithm = _ALGORITHM.search(config)
    if algorithm is not None:
        times = _TIMES.search(algorithm[1])
        type = algorithm[1].partition("_")[0].lower()
        return f"dot:{type}x{times[1]}" if times else f"dot:{type}"
    asked = _PRECISION.search(config)
    levels = [int(level) for level in (asked[1] if asked else "").split(",") if level]
    word = _REQUESTED[min(max(levels, default=0), 2)]
    return f"dot:{element}:{word}" if word else f"dot:{element}"


def _type_of(name: str) -> str:
    return name.split(":")[1] if ":" in name else name


def _tile(seen: frozenset[str], asked: str) -> str:
    """What a product is taken in whose kernel multiplies tiles of other types."""
    if _type_of(asked) in ("f32", "c64") and "tf32" in seen:
        return "dot:tf32"
    return asked


def _narrowest(types: Iterable[str]) -> str:
    """The smallest element type: the fastest, so that times stay what is possible at best."""
    elements = [match[1] for match in map(_ELEMENT.match, types) if match]
    return min(elements, key=_width, default="")


def _width(element: str) -> int:
    digits = re.search(r"\d+", element)
    return int(digits[0]) if digits else 8


def _read_ptx(machine: Stage | None, graph: Graph) -> dict[int, frozenset[str]]:
    """What the tensor cores of each kernel multiply, by instruction; nothing: they are not used.

    Kernels without PTX, and those whose PTX neither multiplies tiles nor numbers, are missing.
    """
    text = machine.text if machine is not None else None
    if not isinstance(text, StageText) or _PTX not in text.text or not is_available(graph):
        return {}
    found: dict[int, set[str]] = {}
    is_ptx = False
    lines = text.text.split("\n")
    for line, node in zip(lines, link_kernel_lines(text.text, graph).tolist(), strict=True):
        if line.startswith("; "):
            is_ptx = line == _PTX or (is_ptx and not line.startswith((PART, KERNEL)))
        elif is_ptx and node != NONE:
            if "mma." in line:
                tiles = {match[1] for match in _TILE.finditer(line.partition("{")[0])}
                found.setdefault(node, set()).update(tiles)
            elif "fma.rn." in line:
                found.setdefault(node, set())
    return {node: frozenset(tiles) for node, tiles in found.items()}


_NO_KERNELS = frozenset(
    {*("parameter", "constant", "tuple", "get-tuple-element", "bitcast", "after-all"), *RUNS_INSIDE}
)
_RESERVES = "AllocateBuffer"
"""A custom call by which XLA reserves memory that a loop fills on a TPU: nothing runs for it."""
_WAITS = ("-done", "-update")
CUTS = frozenset({"dynamic-slice", "slice", "gather"})
"""Of their first operand they read no more than they give back."""
REPLACES = {"dynamic-update-slice": 1, "scatter": 2}
"""They replace a part of their first operand in place: the part that this operand of theirs has."""
_SAME = frozenset({"bitcast", "reshape"})
_MAX_DEPTH = 100
"""Only a file that somebody made by hand goes deeper."""
ON_CHIP_IS_NO_TRAFFIC = say(
    "Values that lie in the chip's own fast memory are no traffic of kernels."
)


@dataclass(frozen=True, eq=False, slots=True)
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


def name_kernels(capture: Capture) -> tuple[str, ...] | Unavailable:
    """The instructions that run as kernels of the compiled program, in its order, or why they are
    not known. One in a loop counts once; one that never runs does not.
    """
    stage = capture.stage("optimized")
    if stage is None:
        return Unavailable(say("The capture has no compiled program."), "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    graph = stage.graph
    rounds = count_executions(graph, find_trip_counts(capture))
    return tuple(graph.name(kernel.node) for kernel in find_kernels(graph, rounds))


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
        if operation in REPLACES and number == 0:
            return self._replaced(node) if operation == "scatter" else 0.0
        if operation in CUTS and number == 0:
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
        place = REPLACES.get(self._graph.operation(node))
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
