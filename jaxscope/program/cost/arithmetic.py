"""In which arithmetic each instruction computes: it decides whose peak bounds its time.

Of a matrix product that is the type of its operands and the precision that was asked for; where a
kernel's PTX is there, it is what the PTX multiplies with. All else is work of a vector unit.
`model/hardware.py` knows how fast a chip is at each.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from jaxscope.model import NONE, Graph, GroupKind, Stage, StageText, is_available
from jaxscope.program.cost.work import is_product
from jaxscope.program.machine.kernel_text import link_kernel_lines

_PRODUCTS = frozenset(
    {"dot", "convolution", "ragged-dot", "scaled-dot", "cholesky", "triangular-solve"}
)
_ELEMENT = re.compile(r"([a-z]\w*)\[")
_PRECISION = re.compile(r"operand_precision=\{([\d,]*)\}")
_ALGORITHM = re.compile(r"algorithm=ALG_DOT_(\w+)")
_TIMES = re.compile(r"_X(\d)$")
_REQUESTED = ("", "high", "highest")
_PTX, _PART = "; ----- PTX -----", "; ----- "
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
            is_ptx = line == _PTX or (is_ptx and not line.startswith((_PART, "; =====")))
        elif is_ptx and node != NONE:
            if "mma." in line:
                tiles = {match[1] for match in _TILE.finditer(line.partition("{")[0])}
                found.setdefault(node, set()).update(tiles)
            elif "fma.rn." in line:
                found.setdefault(node, set())
    return {node: frozenset(tiles) for node, tiles in found.items()}
