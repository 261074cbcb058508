"""What a script compiled while it ran, as a document."""

from __future__ import annotations

import math
from typing import Any

from jaxscope.model.units import format_bytes, format_count, format_seconds, shorten
from jaxscope.report.document import (
    Cell,
    Section,
    Table,
    Verbatim,
    count_cell,
    known_cell,
    make_table,
)

_HEADERS = ("function", "line", "calls", "trace", "lower", "compile", "why again", "capture")
_TRANSFER_HEADERS = ("line", "times", "bytes", "type", "direction", "what")
_MAX_TRANSFERS = 10
_MAX_REASON = 60
"""Characters; `compilations.json` has all."""


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
    sections = [Section("What the script compiled", blocks)]
    moved = transfers_table(found, _MAX_TRANSFERS)
    if moved.rows:
        told = [moved, *found.get("transfer_notes", ())]
        sections.append(Section("What JAX moved between host and device unasked", told))
    if memory := describe_memory(found):
        sections.append(Section("Memory of the device", [memory]))
    return sections


def transfers_table(found: dict[str, Any], most: int | None = None) -> Table:
    """A row for each implicit transfer of each line, the most bytes first."""
    return make_table(_TRANSFER_HEADERS, found.get("transfers", ()), _transfer_row, most)


def _transfer_row(each: dict[str, Any]) -> tuple[Cell, ...]:
    place = f"{each['file'].rpartition('/')[2]}:{each['line']}" if each["file"] else ""
    what = f"{each['function']}: {each['argument']}" if each["function"] else "values are read"
    return (
        place,
        count_cell(each["count"]),
        known_cell(math.nan if each["bytes"] is None else each["bytes"], format_bytes),
        each["type"],
        "to the device" if each["direction"] == "to_device" else "to the host",
        Verbatim(what),
    )


def describe_memory(found: dict[str, Any]) -> str:
    """The last, the most, and what is counted; empty where nothing was looked at."""
    memory = found.get("memory")
    if not memory:
        return ""
    most = max(memory["bytes"])
    told = (
        f"{memory['device']}: {format_bytes(memory['bytes'][-1])} at the last of "
        f"{format_count(len(memory['bytes']), 'look')}, {format_bytes(most)} at the most"
    )
    peak = memory["peak_bytes"]
    return f"{told}{'' if peak is None else f', peak {format_bytes(peak)}'}. {memory['note']}"


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
        shorten(variant["reason"] or "", _MAX_REASON),
        variant["capture"] or "",
    )
