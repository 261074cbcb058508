"""What optimization did to the work of equations, lines and scopes: rows, a document, JSON."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from jaxscope.model import Cost, Unavailable
from jaxscope.model.units import format_bytes, format_flops, format_range
from jaxscope.program.cost.attribution import CostChange
from jaxscope.report.document import Cell, Number, Section, Table, count_cell, make_table

if TYPE_CHECKING:
    from jaxscope.program.cost.attribution import CostRow, Share

_HEADERS = (
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
_MAX_ROWS = 25


def cost_change_table(change: CostChange, most: int | None = None) -> Table:
    """A row for each equation, line or scope."""
    return make_table(_HEADERS, change.rows, _cost_change_row, most)


def _cost_change_row(row: CostRow) -> tuple[Cell, ...]:
    """The cells of a row."""
    sides = (row.before, row.after)
    return (
        *(_span(side, "flops", format_flops) for side in sides),
        *(_span(side, "bytes_accessed", format_bytes) for side in sides),
        *(_span(side, "transcendentals", "{:,.0f}".format) for side in sides),
        count_cell(row.rounds),
        row.label,
        row.what,
    )


def _span(share: Share, name: str, write: Callable[[float], str]) -> Number:
    low, high = getattr(share.least, name), getattr(share.cost, name)
    text = format_range(low, high, write)
    if share.num_unknown:
        text = f"≥ {text}" if high else "unknown"
    return Number(high, text)


def describe_cost_change(change: CostChange) -> str:
    """What optimizing did as a whole, in a sentence."""
    (low, low_after), before, after = change.least, change.before, change.after
    at_least, at_least_after = ("at least " if n else "" for n in change.num_unknown)
    return (
        f"Optimizing turned {at_least}{format_range(low.flops, before.flops, format_flops)} into "
        f"{at_least_after}{format_range(low_after.flops, after.flops, format_flops)}, and "
        f"{at_least}{format_range(low.bytes_accessed, before.bytes_accessed, format_bytes)} read "
        f"and written into {at_least_after}"
        f"{format_range(low_after.bytes_accessed, after.bytes_accessed, format_bytes)}."
    )


def cost_change_to_section(change: CostChange | Unavailable, title: str) -> Section:
    """A table of the costliest rows."""
    if isinstance(change, Unavailable):
        return Section(blocks=[f"{title}: not available: {change.reason}"])
    title = f"{title}. {describe_cost_change(change)}"
    return Section(title, [cost_change_table(change, _MAX_ROWS)])


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
        "unknown_before": change.num_unknown[0],
        "unknown_after": change.num_unknown[1],
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
