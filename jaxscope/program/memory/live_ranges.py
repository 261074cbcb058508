"""What lies in memory at each step of a compiled program, and what is there at the peak.

XLA prints the instructions of a scheduled computation in the order of the schedule; lines are
linked to nodes, so the order needs no room in a capture. A value is alive from the instruction that
makes it up to the last one that reads it; tuples, bitcasts, loop state, slice updates in place and
donation share memory. Where XLA says in which allocation a value lies, shared memory counts once.
Donated arguments: whose memory results took over, and why the others were of no use. Sizes in
bytes.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, Graph, Leaf, Stage, Unavailable, is_available
from jaxscope.model.capture import MemoryPlan, Place
from jaxscope.model.graph import BODY
from jaxscope.model.said import say
from jaxscope.model.types import packed_type_bytes, padding_bytes, read_count
from jaxscope.program.cost.kernels import REPLACES
from jaxscope.program.cost.trip_counts import RUNS_INSIDE
from jaxscope.program.dataflow import attribute_column
from jaxscope.program.hlo.graph import link_hlo_lines

_MAX_HEADER = 200_000
_ALIAS = re.compile(r"\{\s*([\d,\s]*)\}:\s*\((\d+),\s*\{\s*\}")


@dataclass(frozen=True, eq=False, slots=True)
class Schedule:
    """The order of one module.

    Attributes:
        graph: Of the module.
        steps: Node indices in the order of running; the inside of a loop, once, before the loop.
        aliases: Parameter number by the number of the result that lies in its memory.
    """

    graph: Graph
    steps: tuple[int, ...]
    aliases: dict[int, int]


def read_schedule(stage: Stage | None) -> Schedule | Unavailable:
    """The order of a stage's module, or why it is not known."""
    if stage is None:
        return Unavailable(say("The capture has no compiled program."), "optimized")
    if isinstance(stage.graph, Unavailable):
        return stage.graph
    if isinstance(stage.text, Unavailable):
        return Unavailable(say("The order is read from the program's text, which is missing."))
    header = stage.text.text[:_MAX_HEADER].partition("\n")[0]
    if "is_scheduled=true" not in header:
        return Unavailable(say("The compiled program has no schedule: its order is not known."))
    graph, lines = stage.graph, stage.text.line_nodes
    if not bool(np.any(lines >= 0)):
        lines = link_hlo_lines(stage.text.text, graph)
    order: dict[int, list[int]] = {}
    groups = graph.nodes.group
    for node in lines[lines >= 0].tolist():
        order.setdefault(int(groups[node]), []).append(node)
    if NONE not in order:
        return Unavailable(say("The text of the compiled program does not fit its graph."))
    return Schedule(graph, tuple(flatten_order(graph, order)), _read_aliases(header))


def _read_aliases(header: str) -> dict[int, int]:
    """`input_output_alias={ {}: (0, {}, may-alias), {1}: (3, {}, may-alias) }`."""
    _, found, rest = header.partition("input_output_alias={")
    text = rest.partition("), ")[0] if not found else rest.partition(" }")[0]
    aliases = {}
    for result, parameter in _ALIAS.findall(text):
        numbers = [part for part in result.replace(" ", "").split(",") if part]
        if len(numbers) <= 1:
            aliases[int(numbers[0]) if numbers else 0] = int(parameter)
    return aliases


def flatten_order(graph: Graph, order: dict[int, list[int]]) -> Iterator[int]:
    """Nodes as they run; a stack instead of recursion, as files may nest without end.

    Args:
        graph: Of the module.
        order: Nodes of each group in their order; of the entry under `NONE`.
    """
    runs = {
        node: groups
        for node, groups in graph.owned_groups().items()
        if graph.operation(node) in RUNS_INSIDE
    }
    stack: list[tuple[bool, int]] = [(False, node) for node in reversed(order[NONE])]
    while stack:
        is_done, node = stack.pop()
        inside = () if is_done else runs.get(node, ())
        if not inside:
            yield node
            continue
        stack.append((True, node))
        for group in reversed(inside):
            stack += [(False, inner) for inner in reversed(order.get(group, []))]


# Which values of a scheduled module lie in memory of their own, and which share it.
#
# A tuple, its elements and a bitcast are other names of what they are made of. A loop's state lies
# in one place: what goes in, what the body makes of it, what comes out. Updates of a slice and
# scatters happen in place. Whatever else XLA shares, it decides by lifetimes, which are not guessed
# here.


BuffersByResult = tuple[tuple[int, ...], ...]
"""For each result of a node, the numbers of the buffers that hold it."""

_RENAMED = frozenset({"bitcast", "optimization-barrier", "copy-done", "domain", "async-done"})
_SEEN_THROUGH = frozenset({"bitcast", "get-tuple-element", "copy"})
_MAX_HOPS = 64


@dataclass(slots=True)
class Buffer:
    """A piece of memory that holds a value for some steps.

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
        lies_in: Kind of the memory that XLA gave it, such as that of a result for a temporary that
            the result follows; empty where that is not known.
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
    lies_in: str = ""


class BufferFinder:
    """Walks a schedule once; `buffers` then has what it found, aliases joined."""

    def __init__(self, schedule: Schedule) -> None:
        self._graph = schedule.graph
        self._schedule = schedule
        self._owned = schedule.graph.owned_groups()
        self._operands = _operand_table(schedule.graph)
        self._attributes = _AttributeReader(schedule.graph)
        self._roots = self._attributes.roots()
        self._held: dict[int, BuffersByResult] = {}
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
        operation = self._graph.operation(node)
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

    def _parameter(self, node: int, step: int) -> BuffersByResult:
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

    def _loop(self, node: int, step: int, state: BuffersByResult) -> BuffersByResult:
        for group in self._owned.get(node, ()):
            root = self._roots.get(group)
            held = () if root is None else self._held.get(root, ())
            if len(held) == len(state) and self._graph.groups.part[group] == BODY:
                self._join_all(state, held)
                for row in held:
                    for buffer in row:
                        self._touch(buffer, step)
        return state or self._make(node, step)

    def _called(self, node: int, step: int) -> BuffersByResult:
        """Results of a call are those of its computation; branches write to the same place."""
        found: BuffersByResult = ()
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
        if operation in REPLACES and operands:
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
            is_tuple = self._graph.operation(root) == "tuple"
            outputs = [s for s, _ in self._operands.get(root, ())] if is_tuple else [root]
            for output, inner in enumerate(outputs):
                updating = self._see_through(inner)
                if self._graph.operation(updating) not in REPLACES:
                    continue
                operands = self._operands.get(updating, ())
                target = self._see_through(operands[0][0]) if operands else updating
                if self._graph.operation(target) == "parameter":
                    pairs.append((output, self._attributes.number(target, "operand")))
        return [(output, operand) for output, operand in pairs if operand >= 0]

    def _see_through(self, node: int) -> int:
        for _ in range(_MAX_HOPS):
            operands = self._operands.get(node, ())
            operation = self._graph.operation(node)
            if operation not in _SEEN_THROUGH or not operands:
                break
            node = operands[0][0]
        return node

    def _make(self, node: int, step: int, kind: str = "temporary") -> BuffersByResult:
        if self._graph.operation(node) == "constant":
            kind = "constant"
        held = []
        types = self._graph.types(node)
        layouts = self._attributes.text(node, "layout").split(", ")
        if len(layouts) != len(types):
            layouts = [""] * len(types)
        for output, (text, layout) in enumerate(zip(types, layouts, strict=True)):
            self._leader.append(len(self._buffers))
            held.append((len(self._buffers),))
            padding = padding_bytes(text, layout)
            size = packed_type_bytes(text) + (0.0 if math.isnan(padding) else padding)
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

    def _join_all(self, ones: BuffersByResult, others: BuffersByResult) -> None:
        for first, second in zip(ones, others, strict=False):
            self._join_equal((first,), (second,))

    def _join_equal(self, ones: BuffersByResult, others: BuffersByResult) -> None:
        """Join two single buffers of the same size; others were copied by XLA."""
        if len(ones) == len(others) == 1 and len(ones[0]) == len(others[0]) == 1:
            one, other = self._find(ones[0][0]), self._find(others[0][0])
            if self._buffers[one].num_bytes == self._buffers[other].num_bytes:
                self._join(*((other, one) if other < one else (one, other)))


class _AttributeReader:
    """Reads a few attributes of many nodes without making a dictionary of each."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._keys = graph.attribute_keys

    def number(self, node: int, key: str) -> int:
        """An attribute that is a number; -1 where it is not there."""
        number = read_count(self.text(node, key))
        return -1 if number is None else number

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
        nodes = np.flatnonzero(attribute_column(self._graph, "root") != NONE).tolist()
        return {int(self._graph.nodes.group[node]): node for node in nodes}


def _operand_table(graph: Graph) -> dict[int, tuple[tuple[int, int], ...]]:
    """Source and output of each operand of each node, in order."""
    edges = graph.edges
    table: dict[int, list[tuple[int, int]]] = {}
    for number in np.lexsort((edges.operand, edges.target)).tolist():
        source, output = int(edges.source[number]), int(edges.output[number])
        table.setdefault(int(edges.target[number]), []).append((source, output))
    return {node: tuple(operands) for node, operands in table.items()}


# What lies in memory at each step of a compiled program, and what is there at the peak.
#
# Computed from the scheduled module: a value is alive from the instruction that makes it up to the
# last one that reads it, both included; arguments and results are there to the end. Where XLA says
# in which memory each value lies, memory that several share counts once, so that nothing comes to
# more than XLA allocates. Where it does not say, values are added up: less is needed where a
# result is written over an operand that is read for the last time, or where temporaries lie where a
# result will be; more where gaps are left. So XLA's own total stands beside it wherever both are
# shown.


Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class LiveRanges:
    """Live ranges of one program.

    Attributes:
        graph: Of the compiled module.
        steps: Node of each step; a loop's inside stands once, before the loop.
        buffers: In the order in which they are first needed; constants are among them.
        timeline: Bytes alive at each step, constants left out: float64, shape `(num_steps,)`.
        temporaries: The same of temporaries alone.
        peak_step: First step at which the most is alive.
        num_unsized: Buffers whose size is not known; they count nothing.
        is_placed: Whether XLA says in which memory each value lies.
    """

    graph: Graph
    steps: tuple[int, ...]
    buffers: tuple[Buffer, ...]
    timeline: Floats
    temporaries: Floats
    peak_step: int
    num_unsized: int = 0
    is_placed: bool = False

    @property
    def peak_bytes(self) -> float:
        """The most that is alive at once."""
        return float(self.timeline[self.peak_step])

    @property
    def peak_temporary_bytes(self) -> float:
        """The most of temporaries that is alive at once."""
        return float(self.temporaries.max())

    def alive_at(self, step: int) -> tuple[Buffer, ...]:
        """What is alive at a step, constants left out, the largest first."""
        alive = [b for b in self.buffers if b.start <= step <= b.end and b.kind != "constant"]
        return tuple(sorted(alive, key=lambda buffer: -_known(buffer.num_bytes)))


def find_live_ranges(capture: Capture) -> LiveRanges | Unavailable:
    """Live ranges of a capture's compiled program, or why they are not known."""
    schedule = read_schedule(capture.stage("optimized"))
    if isinstance(schedule, Unavailable):
        return schedule
    plan = capture.memory
    return follow_schedule(schedule, plan.places if is_available(plan) else ())


def follow_schedule(schedule: Schedule, places: Sequence[Place] = ()) -> LiveRanges:
    """Live ranges of a module that runs in this order.

    Args:
        schedule: The order.
        places: Where XLA put each value; empty where that is not known.
    """
    buffers = BufferFinder(schedule).find()
    known = {(place[0], place[1]): place[2:] for place in places}
    for buffer in buffers:
        place = _find_place(buffer, known)
        buffer.lies_in = place[3] if place is not None else ""
    num_steps = len(schedule.steps)
    counted = [b for b in buffers if b.kind != "constant"]
    if places:
        timeline = _cover(num_steps, _allocated_ranges(counted, places, _HELD_KINDS))
        temporaries = _cover(num_steps, _allocated_ranges(counted, places, {"temporary"}))
    else:
        timeline = _sum(num_steps, counted)
        temporaries = _sum(num_steps, [b for b in buffers if b.kind == "temporary"])
    return LiveRanges(
        schedule.graph,
        schedule.steps,
        tuple(buffers),
        timeline,
        temporaries,
        int(timeline.argmax()),
        sum(buffer.num_bytes != buffer.num_bytes for buffer in buffers),
        bool(places),
    )


@dataclass(frozen=True, slots=True)
class _AllocatedRange:
    """Memory from `begin` up to `end` of an allocation, in use from a step to another."""

    allocation: int
    begin: int
    end: int
    first: int
    last: int


_HELD_KINDS = frozenset({"temporary", "argument", "result"})


def _find_place(
    buffer: Buffer, known: Mapping[tuple[int, int], tuple[int, int, int, str]]
) -> tuple[int, int, int, str] | None:
    """Allocation, offset, size and kind of the memory of a buffer."""
    keys = ((buffer.node, buffer.output), *((node, 0) for node in buffer.writers))
    return next((known[key] for key in keys if key in known), None)


def _allocated_ranges(
    buffers: Sequence[Buffer], places: Sequence[Place], kinds: Collection[str]
) -> list[_AllocatedRange]:
    """Where buffers lie; what XLA gave no place of its own lies where another value does."""
    known = {(place[0], place[1]): place[2:] for place in places}
    found = []
    for buffer in buffers:
        place = _find_place(buffer, known)
        if place is not None and place[3] in kinds:
            allocation, offset, size, _ = place
            found.append(
                _AllocatedRange(allocation, offset, offset + size, buffer.start, buffer.end)
            )
    return found


def _cover(num_steps: int, lying: Sequence[_AllocatedRange]) -> Floats:
    """Bytes in use at each step, each byte once however many values lie on it."""
    changes = np.zeros(num_steps + 1)
    by_allocation: dict[int, list[_AllocatedRange]] = {}
    for each in lying:
        by_allocation.setdefault(each.allocation, []).append(each)
    for parts in by_allocation.values():
        parts.sort(key=lambda part: part.begin)
        edges = sorted({edge for part in parts for edge in (part.begin, part.end)})
        over: list[_AllocatedRange] = []
        waiting = 0
        for low, high in itertools.pairwise(edges):
            over = [part for part in over if part.end > low]
            while waiting < len(parts) and parts[waiting].begin <= low:
                over.append(parts[waiting])
                waiting += 1
            reached = -1
            for part in sorted(over, key=lambda part: part.first):
                first = max(part.first, reached + 1)
                if part.last >= first and part.end > low:
                    changes[first] += high - low
                    changes[part.last + 1] -= high - low
                    reached = part.last
    return np.cumsum(changes)[:num_steps]


def _sum(num_steps: int, buffers: list[Buffer]) -> Floats:
    changes = np.zeros(num_steps + 1)
    for buffer in buffers:
        changes[buffer.start] += _known(buffer.num_bytes)
        changes[buffer.end + 1] -= _known(buffer.num_bytes)
    return np.cumsum(changes)[:num_steps]


def _known(num_bytes: float) -> float:
    """NaN counts nothing in sums; `num_unsized` says how many there are."""
    return num_bytes if num_bytes == num_bytes else 0.0


@dataclass(frozen=True, slots=True)
class Donation:
    """A donated argument.

    Attributes:
        path: Of the argument.
        type: Its type.
        num_bytes: Its bytes.
        is_used: Whether a result lies in its memory.
        text: How it is used, or why not; one sentence.
    """

    path: str
    type: str
    num_bytes: int
    is_used: bool
    text: str


def find_donations(capture: Capture) -> tuple[Donation, ...] | Unavailable:
    """What became of each donated argument; empty where none was donated."""
    plan = capture.memory
    if isinstance(plan, Unavailable):
        return plan
    if not plan.donated:
        return ()
    schedule = read_schedule(capture.stage("optimized"))
    if isinstance(schedule, Unavailable):
        return schedule
    return tuple(_explain(capture, plan, schedule))


def find_kept_arguments(capture: Capture) -> Mapping[int, str]:
    """Paths of the arguments that were not donated, by their parameter of the optimized program;
    empty where that is not known."""
    plan, schedule = capture.memory, read_schedule(capture.stage("optimized"))
    if isinstance(plan, Unavailable) or isinstance(schedule, Unavailable):
        return {}
    traced = [leaf for leaf in capture.arguments if not leaf.is_static]
    first = _num_hoisted(plan, schedule)
    return {
        first + number: traced[place].path
        for number, place in enumerate(plan.kept)
        if place not in plan.donated and place < len(traced)
    }


def _explain(capture: Capture, plan: MemoryPlan, schedule: Schedule) -> Iterator[Donation]:
    traced = [leaf for leaf in capture.arguments if not leaf.is_static]
    taken = {parameter: result for result, parameter in schedule.aliases.items()}
    first = _num_hoisted(plan, schedule)
    parameter_of = {place: first + number for number, place in enumerate(plan.kept)}
    for place in plan.donated:
        if place >= len(traced):
            continue
        leaf = traced[place]
        parameter = parameter_of.get(place)
        result = -1 if parameter is None else taken.get(parameter, -1)
        if result >= 0:
            name = capture.results[result].path if result < len(capture.results) else ""
            text = say("Used: {name} lies in its memory.", name=name or say("the result"))
            yield _donation(leaf, True, text)
        else:
            yield _donation(leaf, False, _why_not(leaf, capture, is_kept=parameter is not None))


def _why_not(leaf: Leaf, capture: Capture, *, is_kept: bool) -> str:
    if not is_kept:
        return say("Not usable: the program does not read it, so it was never handed over.")
    if any(result.num_bytes == leaf.num_bytes for result in capture.results):
        return say(
            "Not usable: every result of its size already lies in another argument's memory, or is "
            "laid out differently."
        )
    return say(
        "Not usable: no result has its size, so none of them could take over {type}.",
        type=leaf.type,
    )


def _num_hoisted(plan: MemoryPlan, schedule: Schedule) -> int:
    """Captured arrays come before the arguments among the parameters."""
    graph = schedule.graph
    entry = graph.nodes.group == -1
    wanted = graph.strings.index("parameter") if "parameter" in graph.strings else -1
    num_parameters = int((entry & (graph.nodes.operation == wanted)).sum())
    return max(num_parameters - len(plan.kept), 0)


def _donation(leaf: Leaf, is_used: bool, text: str) -> Donation:
    return Donation(leaf.path, leaf.type, leaf.num_bytes, is_used, text)


# Read the text that XLA writes of its buffer assignment: `…-buffer-assignment.txt` of a dump.

_MAX_PLACES = 1 << 20
_ALLOCATION = re.compile(r"allocation (\d+): (?:\S+: )?size (\d+)(.*)")
_VALUE = re.compile(
    r"\s+value: <\d+ (?P<name>\S+?)(?:\{(?P<index>[\d,]*)\})?(?: \(phi\))? @\d+>"
    r" \(size=(?P<size>\d+),offset=(?P<offset>\d+)\)"
)
_KINDS = (
    ("constant", "constant"),
    ("thread-local", "thread-local"),
    ("parameter", "argument"),
    ("maybe-live-out", "result"),
)
"""Marks of an allocation and what it is; the first that fits counts, as in XLA's own proto."""


def plan_memory(text: str, graph: Graph) -> MemoryPlan:
    """The memory plan of a module.

    Sizes are added up by the rules of XLA's own analysis; the peak and the size of the code are
    not said there.

    Args:
        text: Of the buffer assignment.
        graph: Of the module after optimization.
    """
    nodes = graph.index_by_name()
    sizes = dict.fromkeys(("argument", "result", "temporary", "aliased"), 0)
    places: list[Place] = []
    allocation, kind = -1, ""
    for line in text.splitlines():
        if found := _ALLOCATION.match(line):
            allocation, size, marks = int(found[1]), int(found[2]), found[3]
            kind = next((name for mark, name in _KINDS if f", {mark}" in marks), "temporary")
            _add(sizes, size, marks)
        elif (found := _VALUE.match(line)) and allocation >= 0 and len(places) < _MAX_PLACES:
            node = nodes.get(found["name"])
            index = found["index"] or "0"
            if node is not None and index.isdigit():
                place = (node, int(index), allocation, int(found["offset"]), int(found["size"]))
                places.append((*place, kind))
        elif allocation >= 0 and line and not line[0].isspace():
            break  # other tables follow
    if allocation < 0:
        return MemoryPlan()
    return MemoryPlan(
        float(sizes["argument"]),
        float(sizes["result"]),
        float(sizes["temporary"]),
        float(sizes["aliased"]),
        places=tuple(places),
    )


def _add(sizes: dict[str, int], size: int, marks: str) -> None:
    is_parameter, is_result = ", parameter " in marks, ", maybe-live-out" in marks
    sizes["argument"] += size * is_parameter
    sizes["result"] += size * is_result
    sizes["aliased"] += size * (is_parameter and is_result)
    if not any(f", {mark}" in marks for mark in ("parameter ", "maybe-live-out", "constant")):
        sizes["temporary"] += size * (", thread-local" not in marks)
