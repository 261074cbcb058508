"""Kernels launched and bytes moved: equations one by one against the optimized program."""

from __future__ import annotations

import abc
import dataclasses
import math
from collections.abc import Callable, Iterable

from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.units import format_bytes
from jaxscope.program.fusion.fusions import CONTROL, Module

ONE_BY_ONE_DEFINITION = (
    "One by one: as if every equation of the program after its transforms were a kernel, those of "
    "calls and loops too, those of a loop once per round; each reads its operands and writes its "
    "results. That is no eager run: there JAX runs a loop or a jitted function as one program."
)
FUSED_DEFINITION = (
    "Optimized: every instruction that something runs for is a kernel (no parameter, constant, "
    "tuple or bitcast), those of a loop once per round; bytes are read and written as XLA counts "
    "them."
)
_CALLS = frozenset(
    {
        *("jit", "pjit", "closed_call", "core_call", "remat", "remat2", "checkpoint"),
        *("custom_jvp_call", "custom_vjp_call", "custom_vjp_call_jaxpr", "custom_vmap_call"),
        *("shard_map", "pmap", "xla_pmap"),
    }
)


@dataclasses.dataclass(frozen=True, slots=True)
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
        """As often."""
        return CountRange(self.low * rounds, self.high * rounds, self.reason) if rounds else _ZERO


_LOOPS = frozenset({"scan", "while"})
_OF_LOOPS = (
    "What loops do themselves each round is in the second count only: they count, take slices of "
    "their inputs and store results, and no equation says so."
)
_ZERO = CountRange(0.0, 0.0)
_MAX_DEPTH = 100
_MAX_DIGITS = 15


@dataclasses.dataclass(frozen=True, slots=True)
class Launches:
    """What running one form of a program launches and moves.

    Attributes:
        kernels: How many.
        num_bytes: Read and written together.
        definition: What counts, in a sentence.
        has_loops: Whether a loop runs in it.
    """

    kernels: CountRange
    num_bytes: CountRange
    definition: str
    has_loops: bool = False


def count_one_by_one(module: Module) -> Launches:
    """Of the last jaxpr-level stage, equation by equation."""
    counter = _Equations(module)
    return Launches(
        counter.count(NONE, lambda _: CountRange(1.0, 1.0)),
        counter.count(NONE, lambda node: _bytes(module.graph, node)),
        ONE_BY_ONE_DEFINITION,
        not _LOOPS.isdisjoint(module.operations),
    )


def count_fused(module: Module) -> Launches:
    """Of the stage `optimized`."""
    counter = _Instructions(module)
    return Launches(
        counter.count(NONE, lambda _: CountRange(1.0, 1.0)),
        counter.count(NONE, lambda node: _bytes(module.graph, node)),
        FUSED_DEFINITION,
    )


def format_span(
    span: CountRange, form: Callable[[float], str] = lambda number: f"{number:,.0f}"
) -> str:
    """Such as `12`, `10 to 14`, `at least 3` or `unknown`; the reason stands beside it."""
    if math.isnan(span.low) or math.isnan(span.high):
        return "unknown"
    if span.is_exact:
        return form(span.low)
    return (
        f"at least {form(span.low)}"
        if math.isinf(span.high)
        else (f"{form(span.low)} to {form(span.high)}")
    )


def compare_launches(one_by_one: Launches, fused: Launches) -> str:
    """Both in one sentence, with why a number is not one where it is not."""
    text = (
        f"One by one {format_span(one_by_one.kernels)} kernels move {_moved(one_by_one)}; "
        f"optimized {format_span(fused.kernels)} move {_moved(fused)}."
    )
    spans = (one_by_one.kernels, one_by_one.num_bytes, fused.kernels, fused.num_bytes)
    reasons = dict.fromkeys(span.reason for span in spans if span.reason)
    return " ".join((text, *([_OF_LOOPS] if one_by_one.has_loops else []), *reasons))


def _moved(launches: Launches) -> str:
    moved = format_span(launches.num_bytes, format_bytes)
    return "an unknown number of bytes" if moved == "unknown" else moved


def _bytes(graph: Graph, node: int) -> CountRange:
    moved = float(graph.nodes.cost[node, 1])
    reason = ""
    if math.isnan(moved):
        name = graph.string(graph.nodes.name, node) or graph.string(graph.nodes.id, node)
        operation = graph.string(graph.nodes.operation, node)
        reason = f"What {name} ({operation}) moves is not known."
    return CountRange(moved, moved, reason)


def _either(spans: Iterable[CountRange], name: str) -> CountRange:
    """One of several branches."""
    found = list(spans)
    if not found:
        return _ZERO
    if any(math.isnan(span.low) for span in found):
        return next(span for span in found if math.isnan(span.low))
    low, high = min(span.low for span in found), max(span.high for span in found)
    reason = next((span.reason for span in found if span.reason), "")
    if low != high:
        reason = reason or f"It depends on the branch that {name} takes."
    return CountRange(low, high, reason)


def _unknown_rounds(at_least: CountRange, name: str) -> CountRange:
    if math.isnan(at_least.low):
        return at_least
    return CountRange(at_least.low, math.inf, f"How often {name} goes round is not known.")


def _is_count(text: str) -> bool:
    return text.isdecimal() and len(text) <= _MAX_DIGITS


Weigh = Callable[[int], CountRange]


class _Counter(abc.ABC):
    """Sums over what a program runs, through what is nested in it."""

    def __init__(self, module: Module) -> None:
        self._module = module
        self._path: list[int] = []

    def count(self, group: int, weigh: Weigh) -> CountRange:
        """The sum over a computation and all that runs in it."""
        if group in self._path or len(self._path) > _MAX_DEPTH:
            return CountRange(math.nan, math.nan, "It is nested too deeply to be counted.")
        self._path.append(group)
        total = _ZERO
        for node in self._module.members.get(group, []):
            total += self._weigh(node, weigh)
        self._path.pop()
        return total

    @abc.abstractmethod
    def _weigh(self, node: int, weigh: Weigh) -> CountRange:
        """One node, or what is inside."""


class _Instructions(_Counter):
    """Of an HLO module."""

    def _weigh(self, node: int, weigh: Weigh) -> CountRange:
        if self._module.operations[node] in CONTROL:
            return self._inside(node, weigh)
        return _ZERO if self._module.is_free(node) else weigh(node)

    def _inside(self, node: int, weigh: Weigh) -> CountRange:
        module = self._module
        called = [self.count(group, weigh) for group in module.called(node)]
        if module.operations[node] == "conditional":
            return _either(called, module.id(node))
        if module.operations[node] != "while" or len(called) != 2:
            return sum(called, _ZERO)
        body, condition = called
        rounds = module.attributes[node].get("known_trip_count", "")
        if not _is_count(rounds):
            return _unknown_rounds(condition, module.id(node))
        return body.times(int(rounds)) + condition.times(int(rounds) + 1)


class _Equations(_Counter):
    """Of a jaxpr."""

    def __init__(self, module: Module) -> None:
        super().__init__(module)
        graph = module.graph
        self._group_of_id = {graph.strings[s]: i for i, s in enumerate(graph.groups.id.tolist())}
        self._owned: dict[int, list[int]] = {}
        for group, owner in enumerate(graph.groups.owner.tolist()):
            self._owned.setdefault(owner, []).append(group)

    def _weigh(self, node: int, weigh: Weigh) -> CountRange:
        module = self._module
        if module.graph.nodes.kind[node] != NodeKind.EQUATION:
            return _ZERO
        operation, row = module.operations[node], module.attributes[node]
        if operation not in _CALLS and operation not in ("scan", "while", "cond"):
            return weigh(node)
        named = module.called(node)
        groups = named or list(self._owned.get(node, []))
        shared = None if named else self._group_of_id.get(row.get("shares", ""))
        if shared is not None:
            groups.append(shared)
        name = f"equation {module.id(node)} ({operation})"
        insides = [self.count(group, weigh) for group in groups]
        if operation == "cond":
            if shared is not None:  # older captures name one of several shared branches
                return CountRange(math.nan, math.nan, f"The branches of {name} are not all known.")
            return _either(insides, name)
        if operation == "while":
            return _unknown_rounds(self._condition(groups, insides), name)
        if operation == "scan" and not _is_count(row.get("length", "")):
            return _unknown_rounds(_ZERO, name)
        whole = sum(insides, _ZERO)
        return whole.times(int(row["length"])) if operation == "scan" else whole

    def _condition(self, groups: list[int], insides: list[CountRange]) -> CountRange:
        """What a loop runs at least: its condition, once."""
        ids = self._module.graph
        for group, inside in zip(groups, insides, strict=True):
            if ids.string(ids.groups.id, group).endswith("/cond_jaxpr"):
                return inside
        return _ZERO
