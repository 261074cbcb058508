"""What optimizing did to the work of each equation, line and scope: one metric, two modules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from jaxscope.analysis.cost.loop_rounds import find_derived, find_trips
from jaxscope.analysis.cost.shares import SHARED, By, Share, Shares, share_out
from jaxscope.analysis.cost.work import BRANCHES, tell_unbounded
from jaxscope.analysis.equation_words import name_equations
from jaxscope.analysis.fates import link_products
from jaxscope.analysis.quantities import (
    format_bytes,
    format_count,
    format_flops,
    format_range,
)
from jaxscope.analysis.text_table import format_table
from jaxscope.model import Capture, Cost, Graph, Unavailable

HEADERS = (
    "FLOPs before",
    "FLOPs after",
    "bytes before",
    "bytes after",
    "transcendentals before",
    "transcendentals after",
    "runs",
    "name",
    "what",
)
NUMERIC = (0, 1, 2, 3, 4, 5, 6)
_ZERO = Cost(0.0, 0.0, 0.0)
_NOTHING = Share((), 0, _ZERO, 0, _ZERO)
_MAX_ROWS = 25


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class CostChange:
    """All rows of one kind, the most bytes after optimization first.

    Attributes:
        by: What rows stand for.
        rows: All of them.
        before: Of the whole program before optimization, with the dearest branches.
        after: Of the whole program after it, with the dearest branches.
        notes: What to mind, a sentence each.
        least: Both with the cheapest branches.
    """

    by: By
    rows: tuple[CostRow, ...]
    before: Cost
    after: Cost
    notes: tuple[str, ...]
    least: tuple[Cost, Cost] = (_ZERO, _ZERO)


def find_cost_change(capture: Capture, by: By) -> CostChange | Unavailable:
    """What optimizing did to the work of a program, or why that is not known."""
    graphs: list[Graph] = []
    for name in ("hlo", "optimized"):
        stage = link_products(capture) if name == "optimized" else capture.stage(name)
        if stage is None:
            return Unavailable(f"The capture has no stage {name}.", name)
        if isinstance(stage.graph, Unavailable):
            return stage.graph
        graphs.append(stage.graph)
    trips = find_trips(capture)
    before = share_out(graphs[0], by, trips)
    after = share_out(graphs[1], by, trips, capture.stage("machine"))
    graph = find_derived(capture) if by is By.EQUATION else None
    names = {} if graph is None else _names(graph)
    labels = {} if graph is None else name_equations(graph)
    rows = [
        CostRow(
            key,
            labels.get(key, key),
            names.get(key, "" if by is By.EQUATION else by.value),
            before.rows.get(key, _NOTHING),
            after.rows.get(key, _NOTHING),
        )
        for key in dict.fromkeys((*after.rows, *before.rows))
    ]
    rows.sort(key=lambda row: (-row.after.cost.bytes_accessed, -row.before.cost.bytes_accessed))
    return CostChange(
        by,
        tuple(rows),
        before.total,
        after.total,
        _notes(before, after, rows),
        (before.least, after.least),
    )


def _names(graph: Graph) -> dict[str, str]:
    ids, operations = graph.nodes.id.tolist(), graph.nodes.operation.tolist()
    pairs = zip(ids, operations, strict=True)
    return {graph.strings[id]: graph.strings[operation] for id, operation in pairs}


def _notes(before: Shares, after: Shares, rows: list[CostRow]) -> tuple[str, ...]:
    notes = [
        "Both columns count instructions by XLA's rules, in the module before and after "
        "optimization."
    ]
    has_loops = any(row.rounds > 1 for row in rows)
    has_branches = any(shares.total != shares.least for shares in (before, after))
    if has_loops:
        notes.append("What stands in a loop counts as often as the loop runs.")
    unbounded = max(before.num_unbounded, after.num_unbounded)
    if unbounded:
        notes.append(tell_unbounded(unbounded))
    if has_branches or not all(row.before.is_certain and row.after.is_certain for row in rows):
        notes.append(BRANCHES)
    if has_loops:
        notes.append("XLA's own figure of a module differs: it counts one round of each loop.")
    unknown = sum(row.before.num_unknown + row.after.num_unknown > 0 for row in rows)
    if unknown:
        notes.append(f"XLA does not count all the work of {format_count(unknown, 'row')}.")
    return (*notes, SHARED)


def cost_change_row(row: CostRow) -> tuple[str, ...]:
    """The cells of a row."""
    before, after = row.before.cost, row.after.cost
    least, least_after = row.before.least, row.after.least
    return (
        format_range(least.flops, before.flops, format_flops),
        format_range(least_after.flops, after.flops, format_flops),
        format_range(least.bytes_accessed, before.bytes_accessed, format_bytes),
        format_range(least_after.bytes_accessed, after.bytes_accessed, format_bytes),
        format_range(least.transcendentals, before.transcendentals, _whole),
        format_range(least_after.transcendentals, after.transcendentals, _whole),
        f"{row.rounds:,}",
        row.label,
        row.what,
    )


def _whole(number: float) -> str:
    return f"{number:,.0f}"


def cost_change_numbers(row: CostRow) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`."""
    before, after = row.before.cost, row.after.cost
    return (
        before.flops,
        after.flops,
        before.bytes_accessed,
        after.bytes_accessed,
        before.transcendentals,
        after.transcendentals,
        float(row.rounds),
    )


def describe_cost_change(change: CostChange) -> str:
    """What optimizing did as a whole, in a sentence."""
    (low, low_after), before, after = change.least, change.before, change.after
    return (
        f"Optimizing turned {format_range(low.flops, before.flops, format_flops)} into "
        f"{format_range(low_after.flops, after.flops, format_flops)}, and "
        f"{format_range(low.bytes_accessed, before.bytes_accessed, format_bytes)} read and written "
        f"into {format_range(low_after.bytes_accessed, after.bytes_accessed, format_bytes)}."
    )


def cost_change_to_text(change: CostChange | Unavailable, title: str) -> list[str]:
    """A table for a person at a terminal."""
    if isinstance(change, Unavailable):
        return ["", f"{title}: not available: {change.reason}"]
    rows = [cost_change_row(row) for row in change.rows[:_MAX_ROWS]]
    lines = ["", f"{title}. {describe_cost_change(change)}"]
    lines += format_table(HEADERS, rows, right=NUMERIC)
    if len(change.rows) > _MAX_ROWS:
        lines.append(f"  and {len(change.rows) - _MAX_ROWS:,} more")
    return lines


def notes_of(changes: Iterable[CostChange | Unavailable]) -> list[str]:
    """What to mind of several tables, each sentence once."""
    known = [change.notes for change in changes if isinstance(change, CostChange)]
    return list(dict.fromkeys(note for notes in known for note in notes))


def cost_change_to_json(change: CostChange | Unavailable) -> dict[str, Any]:
    """All rows; the reason where there are none."""
    if isinstance(change, Unavailable):
        return {"unavailable": change.reason, "rows": []}
    return {
        "unavailable": None,
        "notes": list(change.notes),
        "before": _cost(change.before),
        "after": _cost(change.after),
        "least_before": _cost(change.least[0]),
        "least_after": _cost(change.least[1]),
        "rows": [
            {
                "name": row.name,
                "what": row.what,
                "runs": row.rounds,
                "before": {**_cost(row.before.cost), "unknown": row.before.num_unknown},
                "after": {**_cost(row.after.cost), "unknown": row.after.num_unknown},
                "least_before": _cost(row.before.least),
                "least_after": _cost(row.after.least),
            }
            for row in change.rows
        ],
    }


def _cost(cost: Cost) -> dict[str, float]:
    return {
        "flops": cost.flops,
        "bytes_accessed": cost.bytes_accessed,
        "transcendentals": cost.transcendentals,
    }
