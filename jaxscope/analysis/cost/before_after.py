"""What optimizing did to the work of each equation, line and scope: one metric, two modules."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Any

from jaxscope.analysis.cost.loop_rounds import find_derived, find_trips
from jaxscope.analysis.cost.shares import SHARED, By, Share, Shares, share_out
from jaxscope.analysis.equation_words import name_equations
from jaxscope.analysis.quantities import format_bytes, format_count, format_flops
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
_NOTHING = Share((), 0, Cost(0.0, 0.0, 0.0), 0)
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
        before: Of the whole program before optimization.
        after: Of the whole program after it.
        notes: What to mind, a sentence each.
    """

    by: By
    rows: tuple[CostRow, ...]
    before: Cost
    after: Cost
    notes: tuple[str, ...]


def find_cost_change(capture: Capture, by: By) -> CostChange | Unavailable:
    """What optimizing did to the work of a program, or why that is not known."""
    graphs: list[Graph] = []
    for name in ("hlo", "optimized"):
        stage = capture.stage(name)
        if stage is None:
            return Unavailable(f"The capture has no stage {name}.", name)
        if isinstance(stage.graph, Unavailable):
            return stage.graph
        graphs.append(stage.graph)
    trips = find_trips(capture)
    before, after = (share_out(graph, by, trips) for graph in graphs)
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
    return CostChange(by, tuple(rows), before.total, after.total, _notes(before, after, rows))


def _names(graph: Graph) -> dict[str, str]:
    ids, operations = graph.nodes.id.tolist(), graph.nodes.operation.tolist()
    pairs = zip(ids, operations, strict=True)
    return {graph.strings[id]: graph.strings[operation] for id, operation in pairs}


def _notes(before: Shares, after: Shares, rows: list[CostRow]) -> tuple[str, ...]:
    notes = ["Both columns are XLA's own counts, of the module before and after optimization."]
    if any(row.rounds > 1 for row in rows):
        notes.append("What stands in a loop counts as often as the loop runs.")
    unbounded = max(before.num_unbounded, after.num_unbounded)
    if unbounded:
        what = f"{format_count(unbounded, 'loop')} {'counts' if unbounded == 1 else 'count'} once"
        notes.append(f"{what}: how often they run is not known.")
    unknown = sum(row.before.num_unknown + row.after.num_unknown > 0 for row in rows)
    if unknown:
        notes.append(f"XLA does not count all the work of {format_count(unknown, 'row')}.")
    return (*notes, SHARED)


def cost_change_row(row: CostRow) -> tuple[str, ...]:
    """The cells of a row."""
    before, after = row.before.cost, row.after.cost
    return (
        format_flops(before.flops),
        format_flops(after.flops),
        format_bytes(before.bytes_accessed),
        format_bytes(after.bytes_accessed),
        f"{before.transcendentals:,.0f}",
        f"{after.transcendentals:,.0f}",
        f"{row.rounds:,}",
        row.label,
        row.what,
    )


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
    before, after = change.before, change.after
    return (
        f"Optimizing turned {format_flops(before.flops)} into {format_flops(after.flops)}, and "
        f"{format_bytes(before.bytes_accessed)} read and written into "
        f"{format_bytes(after.bytes_accessed)}."
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
        "rows": [
            {
                "name": row.name,
                "what": row.what,
                "runs": row.rounds,
                "before": {**_cost(row.before.cost), "unknown": row.before.num_unknown},
                "after": {**_cost(row.after.cost), "unknown": row.after.num_unknown},
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
