"""What optimization did to the work of equations, lines and scopes: rows, text, JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jaxscope.model import Cost, Unavailable
from jaxscope.model.units import format_bytes, format_flops, format_range
from jaxscope.program.cost.attribution import CostChange
from jaxscope.report.table import format_table

if TYPE_CHECKING:
    from jaxscope.program.cost.attribution import CostRow

COST_CHANGE_HEADERS = (
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
COST_CHANGE_NUMERIC = (0, 1, 2, 3, 4, 5, 6)

_MAX_ROWS = 25


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
    lines += format_table(COST_CHANGE_HEADERS, rows, right=COST_CHANGE_NUMERIC)
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
