"""What each equation, source line or named scope costs in a module, by XLA's rules, and what
optimization did to it.

A fusion's FLOPs and bytes are divided among the instructions inside of it as their own costs are;
what several equations hold is divided evenly, so rows add up to the module's total.
`find_cost_change` puts the module before and after optimization side by side.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Cost, Graph, Stage, Unavailable
from jaxscope.model.said import say, say_count
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.units import format_bytes
from jaxscope.program.cost.kernels import (
    ON_CHIP_IS_NO_TRAFFIC,
    Arithmetics,
    find_kernels,
    has_memory_on_chip,
)
from jaxscope.program.cost.trip_counts import (
    AmountRange,
    ExecutionCounts,
    count_executions,
    find_trip_counts,
)
from jaxscope.program.cost.work import BRANCHES, describe_unbounded_loops
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.fates.table import link_products

# What each equation, source line or named scope costs in a module, by XLA's rules.
#
# Each kernel's cost goes to what it was made from. A fusion's FLOPs and bytes are shared among the
# instructions inside of it as their own costs are: the bytes that it does not write are spared by
# all of them. What several equations hold is shared evenly. What stands in a loop counts as often
# as the loop runs, where that is known, and what stands in branches is a range. So the rows of a
# table add up to the program where it has no branches.


Floats = npt.NDArray[np.float64]

NO_ORIGIN = say("of no known origin")
"""Made by lowering or by XLA: a copy, or the constant that a literal became."""
NO_SCOPE = say("no named scope")
WHOLE_OR_PART = say(
    "Before it, it is the program of all devices, but for the insides of shard_map; after it, what "
    "each device runs."
)
SHARED = say(
    "The bytes of a fusion are shared among the instructions inside of it as their own would be, "
    "and what several equations hold is shared evenly."
)


class RowKind(enum.Enum):
    """What a row stands for."""

    EQUATION = "equation"
    LINE = "line"
    SCOPE = "scope"


ROW_KINDS = frozenset(kind.value for kind in RowKind)


@dataclass(frozen=True, slots=True)
class Share:
    """The part of a program's work that belongs to one row.

    Attributes:
        nodes: Node indices in the stage.
        rounds: How often it runs; of several nodes, the most.
        cost: In one run of the program, with the dearest branches; what is not known is left out.
        num_unknown: Nodes whose work XLA does not count.
        least: The same with the cheapest branches.
        least_rounds: How often the node runs that runs least; 0 where one may not run at all.
        work: FLOPs by arithmetic, with the dearest branches of each.
        least_work: The same with the cheapest.
    """

    nodes: tuple[int, ...]
    rounds: int
    cost: Cost
    num_unknown: int
    least: Cost
    least_rounds: int = 1
    work: tuple[tuple[str, float], ...] = ()
    least_work: tuple[tuple[str, float], ...] = ()

    @property
    def is_certain(self) -> bool:
        """Whether the cost is the same whichever branches run."""
        return self.cost == self.least


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """All rows of one stage.

    Attributes:
        rows: By equation id of the last jaxpr-level stage, `file.py:12`, or scope.
        rounds: How often the parts of the module run.
        total: Of the whole module, with the dearest branches.
        least: The same with the cheapest.
        num_unknown: Instructions whose work is not known: it is in no sum.
    """

    rows: Mapping[str, Share]
    rounds: ExecutionCounts
    total: Cost
    least: Cost
    num_unknown: int = 0

    @property
    def num_unbounded(self) -> int:
        """Loops that count once because their number of rounds is unknown."""
        return len(self.rounds.unbounded)


@dataclass(slots=True)
class _Sum:
    nodes: list[int] = dataclasses.field(default_factory=list)
    rounds: int = 1
    least_rounds: float = math.inf
    num_unknown: int = 0


_Part = tuple[int, int, str, Floats]
"""A node that works, the group that it runs in, its arithmetic, and what one run costs."""


def share_out(
    graph: Graph, by: RowKind, trips: Mapping[str, int] | None = None, machine: Stage | None = None
) -> Shares:
    """Share a module's work out among its equations, lines or scopes.

    Args:
        graph: Of a module: the stage `hlo` or `optimized`.
        by: What rows stand for.
        trips: Rounds of loops that the module does not say itself; see `find_trip_counts`.
        machine: The stage `machine` of the same program, which says what kernels multiply with.
    """
    return next(share_out_each(graph, (by,), trips, machine))


def share_out_each(
    graph: Graph,
    kinds_of_rows: Sequence[RowKind],
    trips: Mapping[str, int] | None = None,
    machine: Stage | None = None,
) -> Iterator[Shares]:
    """The same for several kinds of rows, one after the other."""
    rounds = count_executions(graph, trips)
    found = list(_spread(graph, rounds, Arithmetics(graph, machine)))
    for by in kinds_of_rows:
        yield _share_out(graph, by, rounds, found)


def _share_out(
    graph: Graph, by: RowKind, rounds: ExecutionCounts, found: Sequence[_Part]
) -> Shares:
    kinds = list(dict.fromkeys(kind for _, _, kind, _ in found if kind))
    places = {kind: 3 + place for place, kind in enumerate(kinds)}
    sums: dict[str, _Sum] = {}
    work: dict[int, dict[str | None, Floats]] = {}
    for node, home, kind, cost in found:
        amount = np.zeros(3 + len(kinds))
        amount[:3] = np.nan_to_num(cost)
        if kind:
            amount[places[kind]] = amount[0]
        keys = _keys(graph, node, by)
        here = work.setdefault(home, {})
        for key in keys:
            row = sums.setdefault(key, _Sum())
            row.nodes.append(node)
            row.rounds = max(row.rounds, rounds.of(home))
            least = 0 if home in rounds.in_branch else rounds.of(home)
            row.least_rounds = min(row.least_rounds, least)
            row.num_unknown += bool(np.isnan(cost[:2]).any())
            here[key] = here.get(key, 0.0) + amount / len(keys)
        here[None] = here.get(None, 0.0) + amount
    ranges = rounds.sum_up(work)
    nothing = AmountRange(np.zeros(3), np.zeros(3))
    rows = {}
    for key, row in sums.items():
        each = ranges[key]
        rows[key] = Share(
            tuple(row.nodes),
            row.rounds,
            Cost(*each.high[:3].tolist()),
            row.num_unknown,
            Cost(*each.low[:3].tolist()),
            int(row.least_rounds),
            _by_kind(kinds, each.high),
            _by_kind(kinds, each.low),
        )
    whole = ranges.get(None, nothing)
    num_unknown = sum(bool(np.isnan(cost[:2]).any()) for _, _, _, cost in found)
    totals = (Cost(*whole.high[:3].tolist()), Cost(*whole.low[:3].tolist()))
    return Shares(rows, rounds, *totals, num_unknown)


def _by_kind(kinds: Sequence[str], amount: Floats) -> tuple[tuple[str, float], ...]:
    pairs = zip(kinds, amount[3:].tolist(), strict=True)
    return tuple((kind, flops) for kind, flops in pairs if flops > 0.0)


def _spread(graph: Graph, rounds: ExecutionCounts, arithmetics: Arithmetics) -> Iterator[_Part]:
    """All nodes that work."""
    costs = graph.nodes.cost
    for kernel in find_kernels(graph, rounds):
        node, cost = kernel.node, kernel.cost
        inside = arithmetics.inside(node)
        if inside:
            for inner, part in _split(cost, costs[inside], inside, node):
                kind = arithmetics.of(inner, node) if part[0] > 0 else ""
                yield inner, kernel.group, kind, part
        elif bool(np.isnan(cost).any()) or bool(np.any(cost > 0)):
            yield node, kernel.group, arithmetics.of(node) if cost[0] > 0 else "", cost


def _split(
    whole: Floats, parts: Floats, inside: Sequence[int], owner: int
) -> Iterator[tuple[int, Floats]]:
    """Share a fusion's cost out as the costs inside of it are; it keeps what none of them has."""
    known = np.nan_to_num(parts)
    sums = known.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = np.where(sums > 0, known / sums * whole, 0.0)
    for inner, cost in zip(inside, shares, strict=True):
        if bool(np.any(cost > 0)):
            yield inner, cost
    rest = np.where(sums > 0, 0.0, whole)
    if bool(np.isnan(rest).any()) or bool(np.any(rest > 0)):
        yield owner, rest


def _keys(graph: Graph, node: int, by: RowKind) -> tuple[str, ...]:
    if by is RowKind.EQUATION:
        return graph.derived(node) or (NO_ORIGIN,)
    if by is RowKind.SCOPE:
        return ("/".join(graph.scope(node)) or NO_SCOPE,)
    place = graph.place(node)
    return (place.short if place else NO_ORIGIN,)


_ZERO = Cost(0.0, 0.0, 0.0)
_NOTHING = Share((), 0, _ZERO, 0, _ZERO)


@dataclass(frozen=True, slots=True)
class CostRow:
    """One equation, line or scope.

    Attributes:
        name: Its id, `file.py:12` or scope.
        label: What to call it: of an equation not its id but what it computes.
        what: JAX's name of the equation, `line` or `scope`.
        before: Its work in the module before optimization.
        after: The same after it; nothing is left of what was folded, merged or removed.
    """

    name: str
    label: str
    what: str
    before: Share
    after: Share

    @property
    def rounds(self) -> int:
        """How often it runs in one run of the program."""
        return max(self.before.rounds, self.after.rounds)

    @property
    def least_rounds(self) -> int:
        """How often the part of it runs that runs least; 0 where one may not run at all."""
        return min(share.least_rounds for share in (self.before, self.after) if share.nodes)


@dataclass(frozen=True, eq=False, slots=True)
class CostChange:
    """All rows of one kind, the most bytes after optimization first.

    Attributes:
        rows: All of them.
        before: Of the whole program before optimization, with the dearest branches.
        after: Of the whole program after it, with the dearest branches.
        notes: What to mind, a sentence each.
        least: Both with the cheapest branches.
        num_unknown: Instructions before and after whose work is not known: the sums lack it.
        num_devices: How many devices each run what there is after it.
    """

    rows: tuple[CostRow, ...]
    before: Cost
    after: Cost
    notes: tuple[str, ...]
    least: tuple[Cost, Cost] = (_ZERO, _ZERO)
    num_unknown: tuple[int, int] = (0, 0)
    num_devices: int = 1


def find_cost_change(capture: Capture, by: RowKind) -> CostChange | Unavailable:
    """What optimizing did to the work of a program, or why that is not known."""
    graphs: list[Graph] = []
    for name in ("hlo", "optimized"):
        stage = link_products(capture) if name == "optimized" else capture.stage(name)
        if stage is None:
            return Unavailable(say("The capture has no stage {name}.", name=name), name)
        if isinstance(stage.graph, Unavailable):
            return stage.graph
        graphs.append(stage.graph)
    trips = find_trip_counts(capture)
    before = share_out(graphs[0], by, trips)
    after = share_out(graphs[1], by, trips, capture.stage("machine"))
    graph = find_lowered_jaxpr(capture.stages) if by is RowKind.EQUATION else None
    names = {} if graph is None else _names(graph)
    labels = {} if graph is None else short_equation_names(graph)
    rows = [
        CostRow(
            key,
            labels.get(key, key),
            names.get(key, "" if by is RowKind.EQUATION else by.value),
            before.rows.get(key, _NOTHING),
            after.rows.get(key, _NOTHING),
        )
        for key in dict.fromkeys((*after.rows, *before.rows))
    ]
    rows.sort(key=lambda row: (-row.after.cost.bytes_accessed, -row.before.cost.bytes_accessed))
    return CostChange(
        tuple(rows),
        before.total,
        after.total,
        (
            *_notes(before, after, rows, any(map(has_memory_on_chip, graphs)), capture.num_devices),
            *_tell_tuples(graphs, (before, after)),
            SHARED,
        ),
        (before.least, after.least),
        (before.num_unknown, after.num_unknown),
        capture.num_devices,
    )


def _names(graph: Graph) -> dict[str, str]:
    ids, operations = graph.nodes.id.tolist(), graph.nodes.operation.tolist()
    pairs = zip(ids, operations, strict=True)
    return {graph.strings[id]: graph.strings[operation] for id, operation in pairs}


def _notes(
    before: Shares, after: Shares, rows: list[CostRow], has_memory_on_chip: bool, num_devices: int
) -> tuple[str, ...]:
    notes: list[str] = [
        say("Instructions are counted by XLA's rules, in the module before and after optimization.")
    ]
    if num_devices > 1:
        notes.append(WHOLE_OR_PART)
    has_loops = before.rounds.has_loops or after.rounds.has_loops
    has_branches = any(shares.total != shares.least for shares in (before, after))
    if has_loops:
        notes.append(say("What stands in a loop counts as often as the loop runs."))
    unbounded = max(before.num_unbounded, after.num_unbounded)
    if unbounded:
        notes.append(describe_unbounded_loops(unbounded))
    if has_branches or not all(row.before.is_certain and row.after.is_certain for row in rows):
        notes.append(BRANCHES)
    if has_loops:
        notes.append(say("XLA's own figure of a module differs: it counts one round of each loop."))
    if has_memory_on_chip:
        notes.append(ON_CHIP_IS_NO_TRAFFIC)
    unknown = sum(row.before.num_unknown + row.after.num_unknown > 0 for row in rows)
    if unknown:
        notes.append(
            say(
                "Not all the work of {rows} is known: XLA counts that of no custom call, and a "
                "large program is counted for some seconds only.",
                rows=say_count(unknown, "row"),
            )
        )
    return tuple(notes)


def _tell_tuples(graphs: Sequence[Graph], modules: Sequence[Shares]) -> Iterator[str]:
    """That a stage's own figure has more bytes, where that shows: tuples are no kernels."""
    for graph, shares in zip(graphs, modules, strict=True):
        pointers = sum(
            float(np.nan_to_num(graph.nodes.cost[node, 1]))
            * shares.rounds.of(int(graph.nodes.group[node]))
            for node in graph.nodes_of(("tuple",))
        )
        total = shares.total.bytes_accessed
        if format_bytes(total + pointers) != format_bytes(total):
            yield say(
                "The figure of the whole stage has more bytes: XLA counts the pointers of tuples, "
                "such as that of several results, and no kernel writes them."
            )
            return
