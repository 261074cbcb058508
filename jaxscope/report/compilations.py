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
    rows = [
        _row(function, variant)
        for function in found["compilations"]
        for variant in function["variants"]
    ]
    notes = list(found["problems"])
    if outside := found["outside"]:
        total = sum(each["seconds"] for each in outside)
        count = sum(each["count"] for each in outside)
        notes.append(
            f"Besides, {format_count(count, 'program')} ({format_seconds(total)}) were compiled "
            "outside of calls of functions that were jitted while the script ran."
        )
    advice = found.get("recompilation", {}).get("advice", ())
    notes += [f"{each['function']}: {each['text']}" for each in advice]
    nothing = "Nothing was compiled by a function that was jitted while the script ran."
    blocks = [Table(_HEADERS, rows) if rows else nothing, *notes]
    if out and rows:
        blocks.append(f"Captures and the list are in {out}.")
    return [Section("What the script compiled", blocks)]


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
