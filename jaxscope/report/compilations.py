"""What a script compiled while it ran, as a document."""

from __future__ import annotations

import math
from typing import Any

from jaxscope.model.units import format_bytes, format_count, format_place, format_seconds, shorten
from jaxscope.report.document import (
    Block,
    Cell,
    Items,
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
_MAX_FUNCTIONS = 20
_MAX_PROGRAMS = 4
_MAX_OUTSIDE = 3
_MAX_REASON = 60
"""Characters in the table; the whole reason stands below it."""
_MAX_REASONS = 12
_LIST_NAME = "compilations.json"


def compilations_to_document(found: dict[str, Any], out: str = "") -> list[Section]:
    """A row for each program of each function, what was compiled besides, and what to mind.

    Args:
        found: As `compilations.json` has it.
        out: The folder that has the captures, or empty.
    """
    table = compilations_table(found, _MAX_FUNCTIONS, _MAX_PROGRAMS, _MAX_REASON)
    nothing = (
        "Nothing was compiled by a function that was jitted while the script ran, but for what "
        "transforms such as grad traced."
        if found["outside"]
        else "Nothing was compiled by a function that was jitted while the script ran."
    )
    answer = _describe_compilations(found) if table.rows else nothing
    notes: list[Block] = [*compilations_notes(found)]
    if out and table.rows:
        captures = (v["capture"] for f in found["compilations"] for v in f["variants"])
        what = "Captures and the list are" if any(captures) else "The list is"
        notes.append(f"{what} in {out}.")
    sections = [Section(blocks=[answer]), Section(blocks=[table] if table.rows else [])]
    if first := nonfinite_notes(found):
        sections.insert(0, Section("First NaN or Inf", [Items(first)]))
    if reasons := _whole_reasons(found):
        sections.append(Section("Why again, in full", [Items(reasons)]))
    sections.append(Section(blocks=notes))
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
    place = format_place(each["file"], each["line"])
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


def compilations_table(
    found: dict[str, Any],
    most: int | None = None,
    most_programs: int | None = None,
    longest_reason: int | None = None,
) -> Table:
    """A row for each program of each function; the last cell is the name of its capture.

    Args:
        found: As `compilations.json` has it.
        most: Functions, those whose programs took longest; None for all.
        most_programs: Rows of one function; the last of them has what is left. None for all.
        longest_reason: Characters of a reason; None for all.
    """
    functions = _longest_functions(found, most)
    rows = [
        _row(function, variant, longest_reason)
        for function in functions
        for variant in _few_variants(function["variants"], most_programs)
    ]
    left_out = len(found["compilations"]) - len(functions)
    more = format_count(left_out, "more function")
    return Table(_HEADERS, rows, f"and {more}" if left_out else "")


def _longest_functions(found: dict[str, Any], most: int | None) -> list[dict[str, Any]]:
    functions: list[dict[str, Any]] = found["compilations"]
    if most is None:
        return functions
    longest = sorted(range(len(functions)), key=lambda n: -_seconds_of(functions[n]["variants"]))
    return [functions[n] for n in sorted(longest[:most])]


def _whole_reasons(found: dict[str, Any]) -> list[str]:
    """What the table cuts: why a program was made again, each by its line and number."""
    told = [
        f"{function['function']} ({_place(function)}), program {number}: {variant['reason']}"
        for function in _longest_functions(found, _MAX_FUNCTIONS)
        for number, variant in enumerate(
            _few_variants(function["variants"], _MAX_PROGRAMS), start=1
        )
        if len(variant["reason"] or "") > _MAX_REASON
    ]
    more = len(told) - _MAX_REASONS
    return told if more <= 0 else [*told[:_MAX_REASONS], f"and {more:,} more, in {_LIST_NAME}"]


def _few_variants(variants: list[dict[str, Any]], most: int | None) -> list[dict[str, Any]]:
    """At most so many programs, those with a capture at least; the last one is the rest."""
    if most is None or len(variants) <= most:
        return variants
    shown = [v for n, v in enumerate(variants) if n < most - 1 or v["capture"]]
    rest = [v for n, v in enumerate(variants) if n >= most - 1 and not v["capture"]]
    if len(rest) < 2:
        return variants
    seconds = {
        name: sum(known)
        if (known := [s for v in rest if (s := v["seconds"][name]) is not None])
        else None
        for name in ("trace", "lower", "compile")
    }
    calls = sum(v["calls"] for v in rest)
    reason = f"{len(rest):,} more programs"
    return [*shown, {"calls": calls, "seconds": seconds, "reason": reason, "capture": None}]


def _seconds_of(variants: list[dict[str, Any]]) -> float:
    seconds: list[float | None] = [s for v in variants for s in v["seconds"].values()]
    return sum(s for s in seconds if s is not None)


def _describe_compilations(found: dict[str, Any]) -> str:
    """How many programs there were, how long they took to make, and which function took most."""
    functions = [
        {**each, "variants": made}
        for each in found["compilations"]
        if (made := [v for v in each["variants"] if not _was_there(v)])
    ]
    if not functions:
        return "No call compiled anything: each found its program made."
    count = sum(len(each["variants"]) for each in functions)
    total = sum(_seconds_of(each["variants"]) for each in functions)
    told = (
        f"{format_count(count, 'program')} of {format_count(len(functions), 'function')} took "
        f"{format_seconds(total)} to trace, lower and compile"
    )
    if len(functions) < 2:
        return f"{told}."
    longest = max(functions, key=lambda each: _seconds_of(each["variants"]))
    share = format_seconds(_seconds_of(longest["variants"]))
    programs = format_count(len(longest["variants"]), "program")
    return f"{told}; {longest['function']} took most, {share} ({programs})."


def nonfinite_notes(found: dict[str, Any]) -> list[str]:
    """Which call of each function made NaN or Inf first; empty where nobody looked."""
    if found.get("non_finite") is None:
        return []
    told = [
        f"{each['function']} ({_place(each)}), call {each['call']:,}: {each['message']}"
        for each in found["non_finite"]
    ]
    return told or [
        "No call returned NaN or Inf for arguments without any. What Python runs outside of jitted "
        "functions, and calls that a transform such as grad traced, were not looked at."
    ]


def compilations_notes(found: dict[str, Any]) -> list[str]:
    """What was compiled besides, what went wrong, and advice."""
    notes = list(found["problems"])
    there = [each for each in found["compilations"] if any(map(_was_there, each["variants"]))]
    if there:
        names = [each["function"] for each in there[:_MAX_OUTSIDE]]
        more = ", …" if len(there) > len(names) else ""
        notes.append(
            f"Rows without times to lower and compile ({', '.join(names)}{more}): the program was "
            "there before the first call listed, as `lower(…).compile()` makes it."
        )
    if outside := found["outside"]:
        total = sum(each["seconds"] for each in outside)
        count = sum(each["count"] for each in outside)
        notes.append(
            f"Besides, {format_count(count, 'program')} ({format_seconds(total)}) "
            f"{'was' if count == 1 else 'were'} compiled "
            "outside of calls of functions that were jitted while the script ran, or in calls "
            "that a transform such as grad traced. "
            f"Most: {', '.join(map(_name_outside, outside[:_MAX_OUTSIDE]))}."
        )
    advice = found.get("recompilation", {}).get("advice", ())
    return [*notes, *(f"{each['function']}: {each['text']}" for each in advice)]


def _was_there(variant: dict[str, Any]) -> bool:
    """Whether JAX did nothing for the first call of a program but find it, traced and compiled."""
    return variant["seconds"]["lower"] is None and variant["seconds"]["compile"] is None


def _name_outside(each: dict[str, Any]) -> str:
    times = f" ×{each['count']:,}" if each["count"] > 1 else ""
    return f"{each['function']}{times} ({format_seconds(each['seconds'])})"


def _place(function: dict[str, Any]) -> str:
    return format_place(function["file"], function["line"] or "?")


def _row(
    function: dict[str, Any], variant: dict[str, Any], longest_reason: int | None
) -> tuple[Cell, ...]:
    seconds = variant["seconds"]
    reason = variant["reason"] or ""
    return (
        Verbatim(function["function"]),
        _place(function),
        count_cell(variant["calls"]),
        *(
            known_cell(math.nan if seconds[n] is None else seconds[n], format_seconds)
            for n in ("trace", "lower", "compile")
        ),
        reason if longest_reason is None else shorten(reason, longest_reason),
        variant["capture"] or "",
    )
