"""All that is known about the fusions of one capture, as data, kernels counted among it."""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind, Stage, is_available
from jaxscope.model.operations import LOOPS
from jaxscope.model.said import on_each, say, say_count, say_joined
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.units import format_bytes
from jaxscope.program.cost.rules import FREE_PRIMITIVES
from jaxscope.program.cost.trip_counts import (
    RUNS_INSIDE,
    ExecutionCounts,
    GroupCall,
    count_executions,
    trip_counts_of_stages,
)
from jaxscope.program.fusion.decisions import FusionLog
from jaxscope.program.fusion.duplicates import Duplicate, find_duplicates
from jaxscope.program.fusion.fusions import Fusion, Module, find_fusions
from jaxscope.program.fusion.separation import Certainty, Separation, explain_separation, find_users

# Kernels launched and bytes moved: equations one by one against the optimized program.

ONE_BY_ONE_DEFINITION = say(
    "One by one: as if every equation of the program after its transforms were launched as a "
    "kernel, those of calls and loops too, those of a loop once per round; each reads its operands "
    "and writes its "
    "results. Equations that only say something of a value, such as pvary, are none. That is no "
    "eager run: there JAX runs a loop or a jitted function as one program."
)
FUSED_DEFINITION = say(
    "Optimized: every instruction that something runs for is a kernel (no parameter, constant, "
    "tuple or bitcast) and is launched once, those of a loop once per round; bytes are read and "
    "written as XLA counts them: for a gather in a fusion, or a slice of a reshaped operand "
    "there, the whole operand; where a fusion replaces a part of what it computes, that part alone."
)


@dataclass(frozen=True, slots=True)
class CountRange:
    """A number that may depend on how the program runs.

    Attributes:
        low: The least it can be; NaN where nothing is known.
        high: The most; infinite where a loop has no known number of rounds.
        reason: Why low and high differ, or why nothing is known; or empty.
    """

    low: float
    high: float
    reason: str = ""

    @property
    def is_exact(self) -> bool:
        """Whether there is one number."""
        return self.low == self.high

    def __add__(self, other: CountRange) -> CountRange:
        return CountRange(self.low + other.low, self.high + other.high, self.reason or other.reason)

    def times(self, rounds: int) -> CountRange:
        """The range of so many runs."""
        return CountRange(self.low * rounds, self.high * rounds, self.reason) if rounds else _ZERO


_OF_LOOPS = say(
    "What loops do themselves each round is in the second count only: they count, take slices of "
    "their operands and store results, and no equation says so."
)
_OF_MANY = say(
    "An equation that became many instructions, loops of their own among them, is one in the first "
    "count."
)
_ZERO = CountRange(0.0, 0.0)


@dataclass(frozen=True, slots=True)
class Launches:
    """What running one form of a program launches and moves.

    Attributes:
        kernels: How many.
        num_bytes: Read and written together.
        definition: What counts, in a sentence.
        has_loops: Whether a loop runs in it.
        num_devices: How many devices each do that.
    """

    kernels: CountRange
    num_bytes: CountRange
    definition: str
    has_loops: bool = False
    num_devices: int = 1


def count_one_by_one(module: Module, trips: Mapping[str, int] | None = None) -> Launches:
    """Kernel launches if each equation of the last jaxpr ran by itself.

    Args:
        module: Of its graph.
        trips: Rounds of loops that the equations do not say; see `find_trip_counts`.
    """
    kinds = module.graph.nodes.kind.tolist()
    free = {
        node
        for node, kind in enumerate(kinds)
        if kind != NodeKind.EQUATION or module.operations[node] in FREE_PRIMITIVES
    }
    has_loops = not LOOPS.isdisjoint(module.operations)
    return _count(module, free, trips, ONE_BY_ONE_DEFINITION, has_loops)


def count_fused(module: Module, num_devices: int = 1) -> Launches:
    """Kernel launches of the stage `optimized`, which each device runs."""
    free = {node for node in range(len(module.operations)) if module.is_free(node)}
    launches = _count(module, free, None, FUSED_DEFINITION)
    return dataclasses.replace(launches, num_devices=num_devices)


def _count(
    module: Module,
    free: set[int],
    trips: Mapping[str, int] | None,
    definition: str,
    has_loops: bool = False,
) -> Launches:
    executions = count_executions(module.graph, trips)
    return Launches(
        _sum_up(module, free, executions, lambda _: CountRange(1.0, 1.0)),
        _sum_up(module, free, executions, lambda node: _bytes(module.graph, node)),
        definition,
        has_loops,
    )


def format_span(
    span: CountRange, form: Callable[[float], str] = lambda number: f"{number:,.0f}"
) -> str:
    """Such as `12`, `10 to 14`, `at least 3` or `unknown`; the reason stands beside it."""
    if math.isnan(span.low) or math.isnan(span.high):
        return say("unknown")
    if span.is_exact:
        return form(span.low)
    if math.isinf(span.high):
        return say("at least {low}", low=form(span.low))
    return say("{low} to {high}", low=form(span.low), high=form(span.high))


def compare_launches(one_by_one: Launches, fused: Launches) -> str:
    """Both in one sentence, with why a number is not one where it is not."""
    text = say(
        "The equations one by one: {kernels}, {moved} read and written. Optimized: {num_fused}, "
        "{moved_fused}{on_each}.",
        kernels=_kernels(one_by_one),
        moved=_moved(one_by_one),
        num_fused=_kernels(fused),
        moved_fused=_moved(fused),
        on_each=on_each(fused.num_devices),
    )
    spans = (one_by_one.kernels, one_by_one.num_bytes, fused.kernels, fused.num_bytes)
    reasons = dict.fromkeys(span.reason for span in spans if span.reason)
    note: str = ""
    if one_by_one.has_loops:
        note = _OF_LOOPS
    elif fused.kernels.low > one_by_one.kernels.high:
        note = _OF_MANY
    return say_joined((text, note, *reasons))


def compare_counts(one_by_one: Launches, fused: Launches) -> str:
    """Of `compare_launches` the launches alone: beside the bytes of the whole stage, in which XLA
    counts the pointers of tuples too, those of its kernels would be a second number for one thing.
    """
    return say(
        "The equations one by one: {kernels}. Optimized: {num_fused}{on_each}.",
        kernels=_kernels(one_by_one),
        num_fused=_kernels(fused),
        on_each=on_each(fused.num_devices),
    )


def _kernels(launches: Launches) -> str:
    told = format_span(launches.kernels)
    if told == "1":
        return say("1 kernel launch")
    return say("{told} kernel launches", told=told)


def _moved(launches: Launches) -> str:
    moved = format_span(launches.num_bytes, format_bytes)
    return say("an unknown number of bytes") if moved == "unknown" else moved


def _bytes(graph: Graph, node: int) -> CountRange:
    moved = float(graph.nodes.cost[node, 1])
    reason: str = ""
    if math.isnan(moved):
        name: str = graph.name(node) or say("equation {id}", id=graph.id(node))
        operation = graph.operation(node)
        reason = say(
            "What {name} ({operation}) moves is not known.", name=name, operation=operation
        )
    return CountRange(moved, moved, reason)


def _either(spans: Iterable[CountRange], name: str) -> CountRange:
    """The count where one of several branches runs, as a range."""
    found = list(spans)
    if not found:
        return _ZERO
    if any(math.isnan(span.low) for span in found):
        return next(span for span in found if math.isnan(span.low))
    low, high = min(span.low for span in found), max(span.high for span in found)
    reason = next((span.reason for span in found if span.reason), "")
    if low != high:
        reason = reason or say("It depends on the branch that {name} takes.", name=name)
    return CountRange(low, high, reason)


def _sum_up(
    module: Module, free: set[int], executions: ExecutionCounts, weigh: Callable[[int], CountRange]
) -> CountRange:
    """The sum over all that one run of the program runs.

    Args:
        module: The program.
        free: Nodes that nothing runs for.
        executions: Which nodes run groups, and how often.
        weigh: What one node counts for.
    """
    calls = {call.node: call for found in executions.calls.values() for call in found}
    known: dict[int, CountRange] = {}
    for group in executions.insides_first():
        total = _ZERO
        for node in module.members.get(group, []):
            if node in calls:
                total += _of_call(module, calls[node], executions, known)
            elif node not in free:
                total += weigh(node)
        known[group] = total
    return known.get(NONE, _ZERO)


def _of_call(
    module: Module, call: GroupCall, executions: ExecutionCounts, known: Mapping[int, CountRange]
) -> CountRange:
    name: str = module.id(call.node)
    if module.graph.nodes.kind[call.node] == NodeKind.EQUATION:
        operation = module.operations[call.node]
        name = say("equation {name} ({operation})", name=name, operation=operation)
    if call.node in executions.untold:
        reason = say("The branches of {name} are not all known.", name=name)
        return CountRange(math.nan, math.nan, reason)
    insides = [(group, known.get(group, _ZERO), rounds) for group, rounds in call.insides]
    if call.is_either:
        return _either((span for _, span, _ in insides), name)
    if call.node in executions.unbounded:
        least = sum((span for group, span, _ in insides if group == call.condition), _ZERO)
        if math.isnan(least.low):
            return least
        reason = say("How often {name} goes round is not known.", name=name)
        return CountRange(least.low, math.inf, reason)
    return sum((span.times(rounds) for _, span, rounds in insides), _ZERO)


@dataclass(frozen=True, eq=False)
class FusionReport:
    """What fusing brought to one program.

    Attributes:
        module: The optimized module, for questions about pairs.
        fusions: In program order.
        duplicates: Values that several kernels compute.
        one_by_one: The program equation by equation; None without a graph of it.
        fused: The optimized program.
        log: What XLA itself wrote of its decisions; None where it wrote nothing.
    """

    module: Module
    fusions: tuple[Fusion, ...]
    duplicates: tuple[Duplicate, ...]
    one_by_one: Launches | None
    fused: Launches
    log: FusionLog | None = None

    @property
    def other_counts(self) -> str:
        """How the bytes of the fusions are to be read beside those of `fused`; empty where they are
        the same.

        XLA counts some operands whole of which a fusion takes parts, and others once for each part.
        A difference that three digits do not show is left out.
        """
        counted = [
            (fusion.bytes_read + fusion.bytes_written, _bytes(self.module.graph, fusion.node).low)
            for fusion in self.fusions
        ]
        others = [
            (xla - own, own, xla, fusion.id)
            for fusion, (own, xla) in zip(self.fusions, counted, strict=True)
            if not math.isnan(xla - own) and format_bytes(xla) != format_bytes(own)
        ]
        if not others:
            return ""
        _, own, xla, name = max(others)
        return say(
            "Of an operand of which a fusion reads parts, the fusion's own bytes are those of the "
            "parts, at most all of it. XLA, whose counts are in the sum, counts otherwise for "
            "{fusions}: {name} reads and writes {own}, by XLA {xla}.",
            fusions=say_count(len(others), "fusion"),
            name=name,
            own=format_bytes(own),
            xla=format_bytes(xla),
        )

    def why_apart(self, first: int, second: int) -> Separation:
        """Why two instructions are not one kernel: by XLA's own log where it says, else inferred.

        Args:
            first: A node of the optimized module.
            second: Another.
        """
        inferred = explain_separation(self.module, first, second)
        if self.log is None or inferred.certainty is Certainty.FACT:
            return inferred
        first, second = self.module.kernel(first), self.module.kernel(second)
        if first in find_users(self.module, second):
            first, second = second, first
        elif second not in find_users(self.module, first):
            return inferred  # the log is about those that make a value and those that read it
        if self.module.operations[first] in RUNS_INSIDE:
            return inferred  # no candidate: the log has at most what went into it
        decision = self.log.between(self._results_of(first), self._results_of(second))
        if decision is None:
            return inferred
        names = self.module.id(first), self.module.id(second)
        return Separation(*names, Certainty.LOGGED, (("log", decision.text),))

    def readers(self) -> Iterator[tuple[int, tuple[int, ...]]]:
        """Every kernel with those that read what it makes, where there are any."""
        module = self.module
        for node in range(len(module.operations)):
            if module.is_free(node) or module.kernel(node) != node:
                continue
            users = tuple(user for user in find_users(module, node) if module.kernel(user) == user)
            if users:
                yield node, users

    def _results_of(self, kernel: int) -> tuple[str, ...]:
        """Equations of the last jaxpr-level stage whose results a kernel makes."""
        graph, last = self.module.graph, self.module.last_operation(kernel)
        return graph.derived(kernel) or graph.derived(last)

    def fusion_of(self, node: int) -> Fusion | None:
        """The fusion of an instruction, if it is one."""
        return self._fusion_of_node.get(node)

    def duplicates_in(self, kernel: int) -> tuple[Duplicate, ...]:
        """What a kernel computes that another computes too."""
        return tuple(self._duplicates_of_kernel.get(kernel, ()))

    @functools.cached_property
    def _fusion_of_node(self) -> Mapping[int, Fusion]:
        return {fusion.node: fusion for fusion in self.fusions}

    @functools.cached_property
    def _duplicates_of_kernel(self) -> Mapping[int, Sequence[Duplicate]]:
        found: dict[int, list[Duplicate]] = {}
        for duplicate in self.duplicates:
            for copy in duplicate.copies:
                found.setdefault(copy.kernel, []).append(duplicate)
        return found


def report_fusions(
    stages: Sequence[Stage], log: FusionLog | None = None, num_devices: int = 1
) -> FusionReport | None:
    """Look into the fusions of a capture; None if its stage `optimized` has no graph.

    Args:
        stages: Of the capture.
        log: See `read_fusion_log`.
        num_devices: Of the program; the optimized module is what each of them runs.
    """
    graphs = {stage.name: stage.graph for stage in stages if is_available(stage.graph)}
    optimized = graphs.get("optimized")
    if optimized is None:
        return None
    module = Module(optimized)
    lowered = find_lowered_jaxpr(stages)
    return FusionReport(
        module,
        find_fusions(module),
        find_duplicates(module),
        None
        if lowered is None
        else count_one_by_one(Module(lowered), trip_counts_of_stages(stages)),
        count_fused(module, num_devices),
        log,
    )
