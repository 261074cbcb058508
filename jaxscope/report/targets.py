"""Many targets as rows of words, as a text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxscope.model.units import (
    format_bytes,
    format_count,
    format_flops,
    format_range,
    format_seconds,
)
from jaxscope.program.targets import ESTIMATE, TargetRow
from jaxscope.report.table import format_table

HEADERS = (
    *("target", "at best", "kernels", "fusions", "FLOPs", "bytes", "needs", "has", "fits"),
    *("XLA's cycles", "compiled in"),
)
NUMERIC = (1, 2, 3, 4, 5, 6, 7, 9, 10)
NOT_KNOWN = (
    "Ahead of time there is no autotuning among kernels and no run; figures are per device. XLA "
    "estimates cycles for the TPU kernels that it places itself."
)


def target_cells(row: TargetRow) -> tuple[str, ...]:
    """The cells of a target, one for each of `HEADERS`; empty where something is not known."""
    is_compiled = not row.reason
    return (
        row.target,
        _range(row, row.seconds, row.most_seconds, format_seconds),
        f"{row.kernels:,}" if is_compiled else "",
        f"{row.fusions:,}" if is_compiled else "",
        _range(row, row.least_flops, row.flops, format_flops),
        _range(row, row.least_bytes, row.num_bytes, format_bytes),
        _cell(row.needed_bytes, format_bytes),
        _cell(row.memory_bytes, format_bytes),
        {True: "yes", False: "no", None: ""}[row.fits],
        "" if math.isnan(row.cycles) else f"{row.cycles:,.0f}",
        _cell(row.compile_seconds, format_seconds),
    )


def target_numbers(row: TargetRow) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`; -1 where unknown."""
    values = (
        row.seconds,
        float(row.kernels) if not row.reason else math.nan,
        float(row.fusions) if not row.reason else math.nan,
        row.flops,
        row.num_bytes,
        row.needed_bytes,
        row.memory_bytes,
        row.cycles,
        row.compile_seconds,
    )
    return tuple(-1.0 if math.isnan(value) else value for value in values)


def describe_fit(row: TargetRow) -> str:
    """Such as `needs 21.0 GiB, has 16.0 GiB`; empty where the memory is enough or unknown."""
    if row.fits is not False:
        return ""
    return f"needs {format_bytes(row.needed_bytes)}, has {format_bytes(row.memory_bytes)}"


def targets_to_text(call: str, rows: Sequence[TargetRow]) -> str:
    """The table for a person at a terminal."""
    cells = [target_cells(row) for row in rows]
    shown = [n for n in range(len(HEADERS)) if any(row[n] for row in cells)]
    lines = [
        call,
        "",
        *format_table(
            [HEADERS[n] for n in shown],
            [[row[n] for n in shown] for row in cells],
            right=[place for place, n in enumerate(shown) if n in NUMERIC],
        ),
    ]
    problems = list(describe_problems(rows))
    counting = describe_counting(rows)
    return "\n".join(
        [*lines, *([""] if problems else []), *problems, "", *counting, ESTIMATE, NOT_KNOWN]
    )


def targets_to_json(call: str, file: str, rows: Sequence[TargetRow]) -> dict[str, Any]:
    """One object; null for what is not known."""
    return {
        "format": "jaxscope.targets",
        "version": 1,
        "call": call,
        "file": file,
        "targets": [
            {
                "target": row.target,
                "chip": row.chip or None,
                "estimate": {
                    "seconds": _number(row.seconds),
                    "most_seconds": _number(row.most_seconds),
                    "cycles": _number(row.cycles),
                    "unavailable": row.why_no_work or None,
                },
                "kernels": None if row.reason else row.kernels,
                "fusions": None if row.reason else row.fusions,
                "cost": {"flops": _number(row.flops), "bytes_accessed": _number(row.num_bytes)},
                "least_cost": {
                    "flops": _number(row.least_flops),
                    "bytes_accessed": _number(row.least_bytes),
                },
                "loops_counted_once": row.num_unbounded,
                "notes": list(row.notes),
                "memory": {
                    "needed_bytes": _number(row.needed_bytes),
                    "available_bytes": _number(row.memory_bytes),
                    "fits": row.fits,
                },
                "compile_seconds": _number(row.compile_seconds),
                "unavailable": row.reason or None,
                "not_verified": list(row.caveats),
            }
            for row in rows
        ],
        "notes": [ESTIMATE, NOT_KNOWN],
    }


def describe_problems(rows: Sequence[TargetRow]) -> Iterator[str]:
    """What keeps a program from a target, or its figures from being known, a sentence each."""
    for row in rows:
        fit = describe_fit(row)
        if row.reason or fit:
            is_told = "needs" in row.reason
            told = filter(None, (row.reason, f"It {fit}." if fit and not is_told else ""))
            yield f"{row.target}: {' '.join(told)}"
        if row.why_no_work:
            yield f"{row.target}: {row.why_no_work}"
        yield from row.caveats


def _range(row: TargetRow, low: float, high: float, write: Callable[[float], str]) -> str:
    """A figure of the whole program, marked where a loop counts once in it."""
    if math.isnan(high) and math.isnan(low):
        return ""
    told = format_range(low, low if math.isnan(high) else high, write)
    if not row.num_unbounded:
        return told
    return f"{told}, {format_count(row.num_unbounded, 'loop')} once"


def describe_counting(rows: Sequence[TargetRow]) -> list[str]:
    """How the programs were counted, each sentence once, with the targets that it holds for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            found.setdefault(note, []).append(row.target)
    return [
        note if len(targets) == len(rows) else f"{', '.join(targets)}: {note}"
        for note, targets in found.items()
    ]


def _cell(value: float, write: Any) -> str:
    return "" if math.isnan(value) else str(write(value))


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
