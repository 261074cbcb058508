"""Which values of a scheduled module lie in memory of their own, and which share it.

A tuple, its elements and a bitcast are other names of what they are made of. A loop's state lies in
one place: what goes in, what the body makes of it, what comes out. Updates of a slice and scatters
happen in place. Whatever else XLA shares, it decides by lifetimes, which are not guessed here.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from jaxscope.analysis.memory.schedule import Schedule, inner_groups
from jaxscope.analysis.memory.sizes import find_bytes, find_padding
from jaxscope.model import Graph

Held = tuple[tuple[int, ...], ...]
"""For each result of a node, the numbers of the buffers that hold it."""

_RENAMED = frozenset({"bitcast", "optimization-barrier", "copy-done", "domain", "async-done"})
_IN_PLACE = frozenset({"dynamic-update-slice", "scatter"})
_SEEN_THROUGH = frozenset({"bitcast", "get-tuple-element", "copy"})
_MAX_HOPS = 64


@dataclasses.dataclass(slots=True)
class Buffer:
    """One piece of memory.

    Attributes:
        node: The node that makes it.
        output: Which of its results.
        num_bytes: With padding; NaN where its type has no known size.
        start: First step at which it is needed.
        end: Last step, included.
        kind: `argument`, `result`, `constant` or `temporary`.
        writers: Nodes that write to the same memory later, such as a loop's body.
        layout: As XLA prints it, such as `{1,0:T(8,128)}`.
        padding: Bytes of it that hold nothing, because the layout has tiles.
    """

    node: int
    output: int
    num_bytes: float
    start: int
    end: int
    kind: str = "temporary"
    writers: tuple[int, ...] = ()
    layout: str = ""
    padding: float = 0.0


class BufferFinder:
    """Walks a schedule once; `buffers` then has what it found, aliases joined."""

    def __init__(self, schedule: Schedule) -> None:
        self._graph = schedule.graph
        self._schedule = schedule
        self._owned = inner_groups(schedule.graph)
        self._operands = _operand_table(schedule.graph)
        self._attributes = _AttributeReader(schedule.graph)
        self._roots = self._attributes.roots()
        self._held: dict[int, Held] = {}
        self._buffers: list[Buffer] = []
        self._leader: list[int] = []
        self._parameters: dict[int, int] = {}

    def find(self) -> list[Buffer]:
        """All buffers in the order in which they are first needed."""
        for step, node in enumerate(self._schedule.steps):
            self._visit(step, node)
        last = max(len(self._schedule.steps) - 1, 0)
        root = self._roots.get(-1)
        results = () if root is None else self._held.get(root, ())
        for number, held in enumerate(results):
            parameter = self._schedule.aliases.get(number)
            for buffer in held:
                self._touch(buffer, last)
                leader = self._buffers[self._find(buffer)]
                leader.kind = "result" if leader.kind == "temporary" else leader.kind
                if parameter in self._parameters:
                    self._join(self._parameters[parameter], buffer)
        found = [b for number, b in enumerate(self._buffers) if self._find(number) == number]
        for buffer_ in found:
            if buffer_.kind in ("argument", "constant"):
                buffer_.start, buffer_.end = 0, last
        return sorted(found, key=lambda buffer: buffer.start)

    def _visit(self, step: int, node: int) -> None:
        operation = self._graph.string(self._graph.nodes.operation, node)
        operands = self._operands.get(node, ())
        for source, _ in operands:
            for held in self._held.get(source, ()):
                for buffer in held:
                    self._touch(buffer, step)
        if operation == "parameter":
            self._held[node] = self._parameter(node, step)
        elif operation == "tuple":
            self._held[node] = tuple(
                tuple(buffer for held in self._held.get(source, ()) for buffer in held)
                for source, _ in operands
            )
        elif operation == "get-tuple-element" and operands:
            source, output = operands[0]
            whole = self._held.get(source, ())
            self._held[node] = (whole[output],) if output < len(whole) else self._make(node, step)
        elif operation in _RENAMED and operands:
            self._held[node] = self._held.get(operands[0][0], ())
        elif operation == "while" and operands:
            self._held[node] = self._loop(node, step, self._held.get(operands[0][0], ()))
        elif operation in ("call", "conditional"):
            self._held[node] = self._called(node, step)
        else:
            self._held[node] = self._make(node, step)
            self._share_in_place(node, operation, operands)

    def _parameter(self, node: int, step: int) -> Held:
        group = int(self._graph.nodes.group[node])
        if group >= 0:
            owner = int(self._graph.groups.owner[group])
            operand = self._attributes.number(node, "operand")
            around = self._operands.get(owner, ())
            if 0 <= operand < len(around):
                return self._held.get(around[operand][0], ())
            return self._make(node, step)
        held = self._make(node, step, "argument")
        number = self._attributes.number(node, "parameter_number")
        if number >= 0 and held and held[0]:
            self._parameters[number] = held[0][0]
        return held

    def _loop(self, node: int, step: int, state: Held) -> Held:
        for group in self._owned.get(node, ()):
            root = self._roots.get(group)
            held = () if root is None else self._held.get(root, ())
            if len(held) == len(state) and self._graph.strings[
                int(self._graph.groups.label[group])
            ].startswith("body"):
                self._join_all(state, held)
                for row in held:
                    for buffer in row:
                        self._touch(buffer, step)
        return state or self._make(node, step)

    def _called(self, node: int, step: int) -> Held:
        """Results of a call are those of its computation; branches write to the same place."""
        found: Held = ()
        for group in self._owned.get(node, ()):
            root = self._roots.get(group)
            held = () if root is None else self._held.get(root, ())
            if found:
                self._join_all(found, held)
            found = found or held
        for row in found:
            for buffer in row:
                self._touch(buffer, step)
        return found or self._make(node, step)

    def _share_in_place(
        self, node: int, operation: str, operands: Sequence[tuple[int, int]]
    ) -> None:
        own = self._held[node]
        if operation in _IN_PLACE and operands:
            self._join_equal(own[:1], self._held.get(operands[0][0], ()))
        elif operation == "fusion":
            for output, operand in self._updated_operands(node):
                if output < len(own) and operand < len(operands):
                    self._join_equal((own[output],), self._held.get(operands[operand][0], ()))

    def _updated_operands(self, fusion: int) -> list[tuple[int, int]]:
        """Results of a fusion that update one of its operands in place."""
        pairs = []
        for group in self._owned.get(fusion, ()):
            root = self._roots.get(group)
            if root is None:
                continue
            is_tuple = self._graph.string(self._graph.nodes.operation, root) == "tuple"
            outputs = [s for s, _ in self._operands.get(root, ())] if is_tuple else [root]
            for output, inner in enumerate(outputs):
                updating = self._see_through(inner)
                if self._graph.string(self._graph.nodes.operation, updating) not in _IN_PLACE:
                    continue
                operands = self._operands.get(updating, ())
                target = self._see_through(operands[0][0]) if operands else updating
                if self._graph.string(self._graph.nodes.operation, target) == "parameter":
                    pairs.append((output, self._attributes.number(target, "operand")))
        return [(output, operand) for output, operand in pairs if operand >= 0]

    def _see_through(self, node: int) -> int:
        for _ in range(_MAX_HOPS):
            operands = self._operands.get(node, ())
            operation = self._graph.string(self._graph.nodes.operation, node)
            if operation not in _SEEN_THROUGH or not operands:
                break
            node = operands[0][0]
        return node

    def _make(self, node: int, step: int, kind: str = "temporary") -> Held:
        if self._graph.string(self._graph.nodes.operation, node) == "constant":
            kind = "constant"
        held = []
        types = self._graph.row(self._graph.nodes.types, node)
        layouts = self._attributes.text(node, "layout").split(", ")
        if len(layouts) != len(types):
            layouts = [""] * len(types)
        for output, (text, layout) in enumerate(zip(types, layouts, strict=True)):
            self._leader.append(len(self._buffers))
            held.append((len(self._buffers),))
            padding = find_padding(text, layout)
            size = find_bytes(text) + (0.0 if math.isnan(padding) else padding)
            buffer = Buffer(node, output, size, step, step, kind, (), layout, padding)
            self._buffers.append(buffer)
        return tuple(held)

    def _find(self, number: int) -> int:
        while self._leader[number] != number:
            self._leader[number] = self._leader[self._leader[number]]
            number = self._leader[number]
        return number

    def _touch(self, number: int, step: int) -> None:
        buffer = self._buffers[self._find(number)]
        buffer.end = max(buffer.end, step)

    def _join(self, one: int, other: int) -> None:
        one, other = self._find(one), self._find(other)
        if one == other:
            return
        first, second = self._buffers[one], self._buffers[other]
        self._leader[other] = one
        first.writers += (second.node, *second.writers)
        first.start, first.end = min(first.start, second.start), max(first.end, second.end)

    def _join_all(self, ones: Held, others: Held) -> None:
        for first, second in zip(ones, others, strict=False):
            self._join_equal((first,), (second,))

    def _join_equal(self, ones: Held, others: Held) -> None:
        """Join two single buffers of the same size; others were copied by XLA."""
        if len(ones) == len(others) == 1 and len(ones[0]) == len(others[0]) == 1:
            one, other = self._find(ones[0][0]), self._find(others[0][0])
            if self._buffers[one].num_bytes == self._buffers[other].num_bytes:
                self._join(*((other, one) if other < one else (one, other)))


class _AttributeReader:
    """Reads a few attributes of many nodes without making a dictionary of each."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._keys = {text: index for index, text in enumerate(graph.strings)}

    def number(self, node: int, key: str) -> int:
        """An attribute that is a number; -1 where it is not there."""
        text = self.text(node, key)
        return int(text) if text.isdecimal() else -1

    def text(self, node: int, key: str) -> str:
        """An attribute; empty if it is not there."""
        row = self._graph.nodes.attributes[node].tolist()
        wanted = self._keys.get(key, -1)
        for name, value in zip(row[0::2], row[1::2], strict=True):
            if name == wanted:
                text: str = self._graph.strings[value]
                return text
        return ""

    def roots(self) -> dict[int, int]:
        """The root of each group; of the entry computation under -1."""
        key, attributes = self._keys.get("root", -1), self._graph.nodes.attributes
        rows = attributes.row_numbers()[0::2]
        nodes = rows[np.flatnonzero(attributes.values[0::2] == key)].tolist()
        return {int(self._graph.nodes.group[node]): node for node in nodes}


def _operand_table(graph: Graph) -> dict[int, tuple[tuple[int, int], ...]]:
    """Source and output of each operand of each node, in order."""
    edges = graph.edges
    table: dict[int, list[tuple[int, int]]] = {}
    for number in np.lexsort((edges.operand, edges.target)).tolist():
        source, output = int(edges.source[number]), int(edges.output[number])
        table.setdefault(int(edges.target[number]), []).append((source, output))
    return {node: tuple(operands) for node, operands in table.items()}
