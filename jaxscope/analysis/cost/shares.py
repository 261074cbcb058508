"""What each equation, source line or named scope costs in a module, by XLA's own counts.

Each kernel's cost goes to what it was made from. A fusion's FLOPs and bytes are shared among the
instructions inside of it as their own costs are: the bytes that it does not write are spared by
all of them. What several equations hold is shared evenly. What stands in a loop counts as often as
the loop runs, where that is known. So the rows of a table add up to the program.
"""

from __future__ import annotations

import dataclasses
import enum
import os
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.cost.loop_rounds import RUNS_INSIDE, Rounds, find_rounds
from jaxscope.model import NONE, Cost, Graph, GroupKind

Floats = npt.NDArray[np.float64]

COMPILER = "made by the compiler"
NO_SCOPE = "no named scope"
SHARED = (
    "The bytes of a fusion are shared among the instructions inside of it as their own would be, "
    "and what several equations hold is shared evenly."
)


class By(enum.Enum):
    """What a row stands for."""

    EQUATION = "equation"
    LINE = "line"
    SCOPE = "scope"


@dataclasses.dataclass(frozen=True, slots=True)
class Share:
    """The part of a program's work that belongs to one row.

    Attributes:
        nodes: Node indices in the stage.
        rounds: How often it runs; of several nodes, the most.
        cost: In one run of the program; what is not known is left out of it.
        num_unknown: Nodes whose work XLA does not count.
    """

    nodes: tuple[int, ...]
    rounds: int
    cost: Cost
    num_unknown: int


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """All rows of one stage.

    Attributes:
        rows: By equation id of the last jaxpr-level stage, `file.py:12`, or scope.
        num_unbounded: Loops that count once because nobody knows how often they run.
    """

    rows: Mapping[str, Share]
    num_unbounded: int

    @property
    def total(self) -> Cost:
        """Of all rows."""
        costs = [share.cost for share in self.rows.values()]
        return Cost(
            sum(cost.flops for cost in costs),
            sum(cost.bytes_accessed for cost in costs),
            sum(cost.transcendentals for cost in costs),
        )


@dataclasses.dataclass(slots=True)
class _Sum:
    nodes: list[int] = dataclasses.field(default_factory=list)
    rounds: int = 1
    cost: Floats = dataclasses.field(default_factory=lambda: np.zeros(3))
    num_unknown: int = 0


def share_out(graph: Graph, by: By, trips: Mapping[str, int] | None = None) -> Shares:
    """Share a module's work out among its equations, lines or scopes.

    Args:
        graph: Of a module: the stage `hlo` or `optimized`.
        by: What rows stand for.
        trips: Rounds of loops that the module does not tell itself; see `find_trips`.
    """
    rounds = find_rounds(graph, trips)
    sums: dict[str, _Sum] = {}
    for node, times, cost in _spread(graph, rounds):
        keys = _keys(graph, node, by)
        for key in keys:
            row = sums.setdefault(key, _Sum())
            row.nodes.append(node)
            row.rounds = max(row.rounds, times)
            row.cost += np.nan_to_num(cost) * (times / len(keys))
            row.num_unknown += bool(np.isnan(cost[:2]).any())
    rows = {
        key: Share(tuple(row.nodes), row.rounds, Cost(*row.cost.tolist()), row.num_unknown)
        for key, row in sums.items()
    }
    return Shares(rows, len(rounds.unbounded))


def _spread(graph: Graph, rounds: Rounds) -> Iterator[tuple[int, int, Floats]]:
    """Nodes that work, how often they run, and what one run of each costs."""
    costs = graph.nodes.cost
    members = _members(graph)
    fused = _fused(graph)
    for node, group in enumerate(graph.nodes.group.tolist()):
        operation = graph.string(graph.nodes.operation, node)
        times = rounds.of(group)
        if not times or operation in RUNS_INSIDE:
            continue
        inside = members.get(fused.get(node, NONE), ())
        if not inside:
            if bool(np.isnan(costs[node]).any()) or bool(np.any(costs[node] > 0)):
                yield node, times, costs[node]
            continue
        for inner, cost in _split(costs[node], costs[list(inside)], inside, node):
            yield inner, times, cost


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


def _members(graph: Graph) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for node, group in enumerate(graph.nodes.group.tolist()):
        if group != NONE:
            found.setdefault(group, []).append(node)
    return found


def _fused(graph: Graph) -> dict[int, int]:
    """The group of each fusion."""
    groups = graph.groups
    pairs = zip(groups.owner.tolist(), groups.kind.tolist(), strict=True)
    return {
        owner: group
        for group, (owner, kind) in enumerate(pairs)
        if owner != NONE and kind == GroupKind.FUSION
    }


def _keys(graph: Graph, node: int, by: By) -> tuple[str, ...]:
    if by is By.EQUATION:
        return graph.row(graph.nodes.derived, node) or (COMPILER,)
    if by is By.SCOPE:
        return ("/".join(graph.row(graph.nodes.scope, node)) or NO_SCOPE,)
    places = graph.source(node)
    return (f"{os.path.basename(places[0].file)}:{places[0].line}" if places else COMPILER,)
