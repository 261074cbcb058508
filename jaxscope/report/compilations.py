"""What a script compiled while it ran, as a document."""

from __future__ import annotations

import math
from typing import Any

from jaxscope.model.units import format_count, format_seconds
from jaxscope.report.document import Cell, Section, Table, Verbatim, count_cell, known_cell

_HEADERS = ("function", "line", "calls", "trace", "lower", "compile", "why again", "capture")
_MAX_ARGUMENTS = 60


def compilations_to_document(found: dict[str, Any], out: str = "") -> list[Section]:
    """A row for each program of each function, what was compiled besides, and what to mind.

    Args:
        found: As `compilations.json` has it.
        out: The folder that has the captures, or empty.
    """
    table = compilations_table(found)
    nothing = "Nothing was compiled by a function that was jitted while the script ran."
    blocks = [table if table.rows else nothing, *compilations_notes(found)]
    if out and table.rows:
        blocks.append(f"Captures and the list are in {out}.")
    return [Section("What the script compiled", blocks)]


def compilations_table(found: dict[str, Any]) -> Table:
    """A row for each program of each function; the last cell is the name of its capture."""
    rows = [
        _row(function, variant)
        for function in found["compilations"]
        for variant in function["variants"]
    ]
    return Table(_HEADERS, rows)


def compilations_notes(found: dict[str, Any]) -> list[str]:
    """What was compiled besides, what went wrong, and advice."""
    notes = list(found["problems"])
    if outside := found["outside"]:
        total = sum(each["seconds"] for each in outside)
        count = sum(each["count"] for each in outside)
        notes.append(
            f"Besides, {format_count(count, 'program')} ({format_seconds(total)}) were compiled "
            "outside of calls of functions that were jitted while the script ran."
        )
    advice = found.get("recompilation", {}).get("advice", ())
    return [*notes, *(f"{each['function']}: {each['text']}" for each in advice)]


def _row(function: dict[str, Any], variant: dict[str, Any]) -> tuple[Cell, ...]:
    place = ""
    if function["file"]:
        place = f"{function['file'].rpartition('/')[2]}:{function['line'] or '?'}"
    seconds = variant["seconds"]
    return (
        Verbatim(function["function"]),
        place,
        count_cell(variant["calls"]),
        *(
            known_cell(math.nan if seconds[n] is None else seconds[n], format_seconds)
            for n in ("trace", "lower", "compile")
        ),
        (variant["reason"] or "")[:_MAX_ARGUMENTS],
        variant["capture"] or "",
    )
