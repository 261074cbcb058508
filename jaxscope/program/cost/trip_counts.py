"""How often the insides of a program's loops, calls and branches run in one run of the program.

One rule for every figure of a whole program: a loop counts as often as it runs, where that is
known, and once where it is not; of a condition's branches one runs, so sums are ranges from the
cheapest branch to the dearest. A computation that several instructions call counts for each of
them. XLA's own analysis counts a loop's body once and of branches the dearest.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Capture, Graph, NodeKind, Stage, is_available
from jaxscope.model.capture import stage_named
from jaxscope.model.operations import BRANCHES, CALLS_OF_JAXPRS, SOLVE, find_solve
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.types import read_count

Floats = npt.NDArray[np.float64]
K = TypeVar("K", bound=Hashable)
T = TypeVar("T")

RUNS_INSIDE = frozenset({"while", "call", "conditional", "async-start"})
"""Instructions whose computations run where they stand; what others call is part of them."""

RUN_ONE = BRANCHES | {SOLVE}
"""Operations that hold several programs and run one of them."""

_TRUTHS = {"False": 0, "True": 1}

_EQUATIONS_AROUND = CALLS_OF_JAXPRS | {"scan", "while", "cond", SOLVE}
_RUN_SOMETHING = RUNS_INSIDE | _EQUATIONS_AROUND
_BRANCHES = frozenset({"conditional", "cond"})


@dataclass(frozen=True, slots=True)
class GroupCall:
    """What one node runs.

    Attributes:
        node: The call, loop or condition.
        home: The group that it stands in, or `NONE`.
        insides: Groups that it runs, with how often each.
        is_either: Whether one of them runs, not all.
        condition: The group that a loop runs before each round and once more; or `NONE`.
    """

    node: int
    home: int
    insides: tuple[tuple[int, int], ...]
    is_either: bool = False
    condition: int = NONE


@dataclass(frozen=True, slots=True)
class AmountRange:
    """The least and the most that something can come to, each with an entry for each quantity."""

    low: Floats
    high: Floats


@dataclass(frozen=True, slots=True)
class ExecutionCounts:
    """How often each group of a graph runs.

    Attributes:
        of_group: By group; every branch as if it were taken; 0 for the insides of kernels.
        unbounded: Loops, as nodes, of which nobody knows; they count once.
        calls: All that run something, by the group that they stand in.
        in_branch: Groups that may not run, being in a branch.
        untold: Conditions, as nodes, not all of whose branches are shown.
    """

    of_group: tuple[int, ...]
    unbounded: frozenset[int]
    calls: Mapping[int, tuple[GroupCall, ...]] = dataclasses.field(default_factory=dict)
    in_branch: frozenset[int] = frozenset()
    untold: frozenset[int] = frozenset()

    def of(self, group: int) -> int:
        """How often what stands in a group runs; 1 in none."""
        return 1 if group == NONE else self.of_group[group]

    @property
    def has_loops(self) -> bool:
        """Whether a loop runs whose insides count more than once."""
        insides = (
            times
            for home, calls in self.calls.items()
            if self.of(home)
            for call in calls
            for _, times in call.insides
        )
        return any(times > 1 for times in insides)

    @property
    def owners(self) -> frozenset[int]:
        """Nodes whose work is that of their insides."""
        return frozenset(call.node for calls in self.calls.values() for call in calls)

    def insides_first(self) -> Iterator[int]:
        """The groups that run, each after those that run inside of it; `NONE` last."""
        return _insides_first(self.calls, NONE)

    def sum_up(self, work: Mapping[int, Mapping[K, Floats]]) -> dict[K, AmountRange]:
        """Add up over one run of the program.

        Args:
            work: What the nodes of a group do in one run of it, by group and key.
        """
        known: dict[int, dict[K, AmountRange]] = {}
        for group in self.insides_first():
            total = {
                key: AmountRange(amount, amount) for key, amount in work.get(group, {}).items()
            }
            for call in self.calls.get(group, ()):
                parts = [_times(known.get(inside, {}), n) for inside, n in call.insides]
                _add(total, _either(parts) if call.is_either else _all(parts))
            known[group] = total
        return known[NONE]


def count_executions(graph: Graph, trips: Mapping[str, int] | None = None) -> ExecutionCounts:
    """How often each group runs.

    Args:
        graph: Of a module, or of a jaxpr.
        trips: Rounds of the loop of an equation of the last jaxpr-level stage, for loops whose
            rounds the graph itself does not say; see `find_trip_counts`.
    """
    unbounded: set[int] = set()
    untold: set[int] = set()
    calls: dict[int, list[GroupCall]] = {}
    for call in _find_calls(graph, trips or {}, unbounded, untold):
        calls.setdefault(call.home, []).append(call)
    fixed = {home: tuple(found) for home, found in calls.items()}
    rounds = [0] * len(graph.groups)
    in_branch: set[int] = set()
    reached = list(_insides_first(fixed, NONE))[::-1]
    for home in reached:
        times = 1 if home == NONE else rounds[home]
        for call in fixed.get(home, ()):
            for inside, n in call.insides:
                rounds[inside] += times * n
                if call.is_either or home in in_branch:
                    in_branch.add(inside)
    run = frozenset(reached)
    return ExecutionCounts(
        tuple(rounds),
        frozenset(node for node in unbounded if int(graph.nodes.group[node]) in run),
        fixed,
        frozenset(in_branch),
        frozenset(untold),
    )


def _find_calls(
    graph: Graph, trips: Mapping[str, int], unbounded: set[int], untold: set[int]
) -> Iterator[GroupCall]:
    owned, of_id = graph.owned_groups(), graph.group_by_id()
    homes, kinds = graph.nodes.group.tolist(), graph.nodes.kind.tolist()
    for node in graph.nodes_of(_RUN_SOMETHING):
        operation, row = graph.operation(node), graph.attributes(node)
        is_equation = kinds[node] == NodeKind.EQUATION
        if operation not in (_EQUATIONS_AROUND if is_equation else RUNS_INSIDE):
            continue
        insides = graph.called_groups(node, owned, of_id)
        if operation == SOLVE:
            insides = find_solve(insides)
        if operation == "cond" and "shares" in row and "calls" not in row:
            untold.add(node)  # as older captures have it: of several branches only one is named
            insides = []
        if operation in _BRANCHES:
            taken = taken_arm(row, insides) if operation == "cond" else None
            arms = insides if taken is None else [taken]
            inside = tuple((arm, 1) for arm in arms)
            yield GroupCall(node, homes[node], inside, is_either=taken is None)
        elif operation == "while":
            known = _trip_count_of(graph, node, trips)
            if known is None:
                unbounded.add(node)
            condition = _condition_of(graph, insides)
            # A loop runs its condition once more than its body; unknown rounds count once.
            counts = [1 if known is None else known + (each == condition) for each in insides]
            inside = tuple(zip(insides, counts, strict=True))
            yield GroupCall(node, homes[node], inside, condition=condition)
        else:
            times = 1
            if operation == "scan":
                length = read_count(row.get("length", ""))
                if length is None:
                    unbounded.add(node)
                else:
                    times = length
            yield GroupCall(node, homes[node], tuple((inside, times) for inside in insides))


def taken_arm(attributes: Mapping[str, str], arms: Sequence[T]) -> T | None:
    """The one of a `cond`'s arms that runs, where its index is a literal; None where it is not.

    Args:
        attributes: Of the equation.
        arms: All of its arms, in order.
    """
    value = attributes.get("in[0]", "").partition(":")[0]
    index = _TRUTHS.get(value, read_count(value))
    return arms[min(index, len(arms) - 1)] if arms and index is not None else None  # as XLA does


def taken_program(operation: str, attributes: Mapping[str, str], called: list[int]) -> int | None:
    """The one of several groups of an operation of `RUN_ONE` that surely runs; None where nobody
    knows.

    Args:
        operation: Its name.
        attributes: Of the equation or instruction.
        called: All groups that it may run, in order.
    """
    if operation == SOLVE:
        return next(iter(find_solve(called)), None)
    return taken_arm(attributes, called)


def _condition_of(graph: Graph, insides: Sequence[int]) -> int:
    """Which of a loop's groups is its condition."""
    for inside in insides:
        if graph.is_condition(inside):
            return inside
    return insides[1] if len(insides) == 2 else NONE  # as XLA names them: the body first


def _insides_first(calls: Mapping[int, Sequence[GroupCall]], start: int) -> Iterator[int]:
    """The groups that run, each after those that run inside of it.

    Computations are shared, so this is no tree; what goes round in circles, as only a file that
    somebody made by hand can, is followed once.
    """
    state: dict[int, bool] = {}
    stack = [start]
    while stack:
        group = stack[-1]
        if group not in state:
            state[group] = False
            for call in calls.get(group, ()):
                stack += (inside for inside, _ in call.insides if inside not in state)
            continue
        stack.pop()
        if not state[group]:
            state[group] = True
            yield group


def _times(found: Mapping[K, AmountRange], rounds: int) -> Mapping[K, AmountRange]:
    if rounds == 1:
        return found
    return {key: AmountRange(each.low * rounds, each.high * rounds) for key, each in found.items()}


def _add(total: dict[K, AmountRange], more: Mapping[K, AmountRange]) -> None:
    for key, each in more.items():
        old = total.get(key)
        total[key] = each if old is None else AmountRange(old.low + each.low, old.high + each.high)


def _all(parts: Sequence[Mapping[K, AmountRange]]) -> Mapping[K, AmountRange]:
    total: dict[K, AmountRange] = {}
    for part in parts:
        _add(total, part)
    return total


def _either(parts: Sequence[Mapping[K, AmountRange]]) -> Mapping[K, AmountRange]:
    """One of several runs; a branch that does nothing for a key does none of its work."""
    found: dict[K, AmountRange] = {}
    for key in dict.fromkeys(key for part in parts for key in part):
        ranges = [part[key] for part in parts if key in part]
        low = np.minimum.reduce([each.low for each in ranges])
        high = np.maximum.reduce([each.high for each in ranges])
        found[key] = AmountRange(low if len(ranges) == len(parts) else np.zeros_like(low), high)
    return found


def find_trip_counts(capture: Capture) -> dict[str, int]:
    """Rounds of loops by the equation of the last jaxpr-level stage that they come from."""
    return trip_counts_of_stages(capture.stages)


def trip_counts_of_stages(stages: Iterable[Stage]) -> dict[str, int]:
    """The same of the stages that a capture has so far.

    A `scan` says its length. Of other loops XLA may find out while it optimizes: what the
    compiled program says holds for the loop that it was made from, if it was made into one only.
    """
    stages = list(stages)
    found: dict[str, int] = {}
    optimized = stage_named(stages, "optimized")
    if optimized is not None and is_available(optimized.graph):
        graph = optimized.graph
        several: set[str] = set()
        for node in graph.nodes_of(("while",)):
            for id in graph.derived(node)[-1:]:
                known = _trip_count_of(graph, node, {})
                if id in found or known is None:
                    several.add(id)
                else:
                    found[id] = known
        for id in several:
            found.pop(id, None)
    derived = find_lowered_jaxpr(stages)
    if derived is not None:
        for node in derived.nodes_of(("scan",)):
            if rounds := _scan_trip_count(derived, node):
                found[derived.id(node)] = rounds
    return found


def _scan_trip_count(graph: Graph, node: int) -> int:
    """Rounds of the loop that a scan is lowered to; 0 where it is not known, or there is none.

    What `unroll` leaves over stands behind the loop.
    """
    row = graph.attributes(node)
    length, unroll = (read_count(row.get(name, "1")) for name in ("length", "unroll"))
    return length // unroll if length and unroll and "length" in row else 0


def _trip_count_of(graph: Graph, owner: int, trips: Mapping[str, int]) -> int | None:
    known = read_count(graph.attributes(owner).get("known_trip_count", ""))
    if known is not None:
        return known
    if graph.nodes.kind[owner] == NodeKind.EQUATION:
        return trips.get(graph.id(owner))
    ids = graph.derived(owner)
    return trips.get(ids[-1]) if ids else None
