"""An HLO module as plain lists: who uses what, across the borders of fusions, and how much each
opcode does (compute, move, rename).
"""

from __future__ import annotations

import math

from jaxscope.late_dataclass import dataclass
from jaxscope.model.graph import NONE, Graph, GroupKind
from jaxscope.model.op_name import without_call
from jaxscope.model.types import normal_type, packed_type_bytes, read_count

_PASSING = frozenset({"bitcast", "copy", "opt-barrier", "copy-start", "copy-done"})
_EFFECTS = frozenset(
    {
        *("custom-call", "infeed", "outfeed", "send", "send-done", "recv", "recv-done", "domain"),
        *("rng", "rng-get-and-update-state", "after-all", "all-reduce", "collective-permute"),
    }
)
COLLECTIVES = (
    *("all-gather", "all-reduce", "all-to-all", "collective-broadcast", "collective-permute"),
    *("reduce-scatter", "ragged-all-to-all"),
)
"""How the opcodes begin by which devices communicate."""
SHARDING_MARKS = frozenset(
    {"Sharding", "SPMDFullToShardShape", "SPMDShardToFullShape", "xla.sdy.FuncResultSharding"}
)
"""Targets of custom calls that compute nothing, and say how an array is spread over devices."""
_MAX_STEPS = 200
_MAX_ROUNDS = 8


@dataclass(frozen=True, eq=False, slots=True)
class Instructions:
    """The instructions of one module.

    Attributes:
        graph: Where they come from.
        names: Of every instruction.
        opcodes: Of every instruction.
        tags: Per instruction the equations that its name carries, as `in_call` writes them.
        operands: Per instruction, instruction indices.
        users: Per instruction, instruction indices.
        group: Per instruction the computation, a group index; `NONE` is the entry.
        called: Computations that an instruction calls, by instruction.
        roots: The root of each computation.
        holders: Instructions that carry an equation, by its id.
        sizes: Per instruction bytes of the largest of its results whose size is known.
    """

    graph: Graph
    names: list[str]
    opcodes: list[str]
    tags: list[tuple[str, ...]]
    operands: list[list[int]]
    users: list[list[int]]
    group: list[int]
    called: dict[int, list[int]]
    roots: dict[int, int]
    holders: dict[str, list[int]]
    parameters: dict[tuple[int, int], int]
    sizes: list[float]

    @classmethod
    def read(cls, graph: Graph) -> Instructions:
        """Read the graph of an HLO stage; its `derived` column says which equations it carries."""
        nodes, strings = graph.nodes, graph.strings
        count = len(nodes)
        operands: list[dict[int, int]] = [{} for _ in range(count)]
        users: list[list[int]] = [[] for _ in range(count)]
        for source, _, target, operand in graph.edges.ends():
            operands[target][operand] = source
            users[source].append(target)
        rows = graph.all_attributes()
        tags = [
            tuple(row["call"].split(", ")) if "call" in row else derived
            for row, derived in zip(rows, graph.rows(nodes.derived), strict=True)
        ]
        holders: dict[str, list[int]] = {}
        for index, row in enumerate(tags):
            for tag in row:
                holders.setdefault(tag, []).append(index)
        called = graph.owned_groups()
        group = nodes.group.tolist()
        opcodes = [strings[s] for s in nodes.operation.tolist()]
        roots: dict[int, int] = {}
        parameters: dict[tuple[int, int], int] = {}
        for index, known in enumerate(rows):
            if opcodes[index] == "parameter":
                number = read_count(known.get("parameter_number", ""))
                if number is not None:
                    parameters[group[index], number] = index
            if not users[index] and known.get("root") == "true":
                roots[group[index]] = index
        return cls(
            graph,
            [strings[s] for s in nodes.name.tolist()],
            opcodes,
            tags,
            [[row[k] for k in sorted(row)] for row in operands],
            users,
            group,
            called,
            roots,
            holders,
            parameters,
            [_largest(types) for types in graph.rows(nodes.types)],
        )

    def of(self, tag: str) -> list[int]:
        """Instructions that carry an equation in one call of the function that it is in.

        Args:
            tag: The equation as `in_call` writes it. A function that JAX lowers once for all its
                calls has instructions without a call.
        """
        return self.holders.get(tag) or self.holders.get(without_call(tag), [])

    def types(self, index: int) -> tuple[str, ...]:
        """Types of an instruction's results, without layouts."""
        return tuple(map(normal_type, self.graph.types(index)))

    def made_of_constants(self) -> set[int]:
        """Instructions that depend on constants alone, across the borders of fusions."""
        found: set[int] = set()
        for _ in range(_MAX_ROUNDS):  # a fusion may stand behind what it calls
            known = len(found)
            for index, opcode in enumerate(self.opcodes):
                source = self.producer(index) if opcode in ("parameter", "fusion") else index
                read = self.operands[index] if source == index else [source]
                if opcode in ("constant", "iota") or (read and found.issuperset(read)):
                    found.add(index)
            if len(found) == known:
                break
        return found

    def reachable(self) -> set[int]:
        """Instructions that a result or an effect of the program depends on."""
        waiting = [self.roots[NONE]] if NONE in self.roots else []
        waiting += [i for i, opcode in enumerate(self.opcodes) if opcode in _EFFECTS]
        seen = set(waiting)
        while waiting:
            index = waiting.pop()
            inner = [self.roots[g] for g in self.called.get(index, ()) if g in self.roots]
            for other in (*self.operands[index], *inner):
                if other not in seen:
                    seen.add(other)
                    waiting.append(other)
        return seen

    def kind(self, index: int) -> GroupKind | None:
        """What kind of computation an instruction stands in; None is the entry."""
        group = self.group[index]
        return None if group == NONE else GroupKind(int(self.graph.groups.kind[group]))

    def combines(self, index: int) -> bool:
        """Whether an instruction says how another one, such as a reduction, treats two elements."""
        if self.kind(index) is not GroupKind.REGION:
            return False
        owner = self.owner(index)
        return owner == NONE or self.opcodes[owner] not in ("while", "conditional")

    def owner(self, index: int) -> int:
        """The instruction that calls the computation an instruction stands in, or `NONE`."""
        group = self.group[index]
        return NONE if group == NONE else int(self.graph.groups.owner[group])

    def producer(self, index: int) -> int:
        """Where a value is computed: through parameters of fusions, their roots, and copies."""
        for _ in range(_MAX_STEPS):
            step = self._step(index)
            if step == NONE:
                return index
            index = step
        return index

    def _step(self, index: int) -> int:
        opcode = self.opcodes[index]
        if opcode in _PASSING and self.operands[index] and not self.tags[index]:
            return self.operands[index][0]
        if opcode == "parameter" and self.kind(index) is GroupKind.FUSION:
            owner = self.owner(index)
            number = read_count(self.graph.attributes(index).get("parameter_number", ""))
            operands = self.operands[owner]
            if number is not None and number < len(operands):
                return operands[number]
        if opcode == "fusion":
            inner = self.called.get(index, [])
            return self.roots.get(inner[0], NONE) if len(inner) == 1 else NONE
        if opcode == "get-tuple-element":
            return self._element(index)
        return NONE

    def _element(self, index: int) -> int:
        """The instruction that gives an element of a tuple, of a fusion's tuple as well."""
        if not self.operands[index]:
            return NONE
        source = self.operands[index][0]
        if self.opcodes[source] == "fusion" and len(self.called.get(source, ())) == 1:
            source = self.roots.get(self.called[source][0], NONE)
        number = read_count(self.graph.attributes(index).get("tuple_index", ""))
        if source == NONE or self.opcodes[source] != "tuple" or number is None:
            return NONE
        elements = self.operands[source]
        return elements[number] if number < len(elements) else NONE


COMPUTING, MOVING, NAMING, NEVER = range(4)
"""How much an instruction does: computes, makes or moves elements, only says how bytes lie."""

_MOVES = frozenset({"broadcast", "iota", "convert", "transpose", "slice", "pad", "concatenate"})
LAYOUT_OPCODES = frozenset(
    {
        *("bitcast", "copy", "copy-start", "copy-done", "reshape", "tuple", "get-tuple-element"),
        *("opt-barrier", "after-all", "add-dependency", "parameter"),
    }
)
"""They move or rename bytes, or say who owns them, and compute nothing."""


def work_of(opcode: str) -> int:
    """How much an instruction with this opcode does; less is more."""
    if opcode in ("fusion", "constant"):
        return NEVER  # what is inside counts; a constant is what an equation may turn into
    if opcode in LAYOUT_OPCODES:
        return NAMING
    return MOVING if opcode in _MOVES else COMPUTING


def _largest(types: tuple[str, ...]) -> float:
    sizes = map(packed_type_bytes, types)
    return max((size for size in sizes if not math.isnan(size)), default=0.0)
