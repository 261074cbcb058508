"""Many targets as a table, as a document and as JSON."""

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
from jaxscope.report.document import (
    NOTHING,
    Cell,
    Number,
    Section,
    Verbatim,
    count_cell,
    known_cell,
    make_table,
)
from jaxscope.schema.contract import number_to_json

HEADERS = (
    *("target", "at best", "kernels", "fusions", "FLOPs", "bytes", "needs", "has", "fits"),
    *("XLA's cycles", "compiled in"),
)
NOT_KNOWN = (
    "Ahead of time there is no autotuning among kernels and no run; figures are per device. XLA "
    "estimates cycles for the TPU kernels that it places itself."
)


def target_row(row: TargetRow) -> tuple[Cell, ...]:
    """The cells of a target, one for each of `HEADERS`; empty where something is not known."""
    is_compiled = not row.reason
    return (
        row.target,
        Number(row.seconds, _range(row, row.seconds, row.most_seconds, format_seconds)),
        count_cell(row.kernels) if is_compiled else NOTHING,
        count_cell(row.fusions) if is_compiled else NOTHING,
        Number(row.flops, _range(row, row.least_flops, row.flops, format_flops)),
        Number(row.num_bytes, _range(row, row.least_bytes, row.num_bytes, format_bytes)),
        known_cell(row.needed_bytes, format_bytes),
        known_cell(row.memory_bytes, format_bytes),
        {True: "yes", False: "no", None: ""}[row.fits],
        known_cell(row.cycles, "{:,.0f}".format),
        known_cell(row.compile_seconds, format_seconds),
    )


def describe_fit(row: TargetRow) -> str:
    """Such as `needs 21.0 GiB, has 16.0 GiB`; empty where the memory is enough or unknown."""
    if row.fits is not False:
        return ""
    return f"needs {format_bytes(row.needed_bytes)}, has {format_bytes(row.memory_bytes)}"


def targets_to_document(call: str, rows: Sequence[TargetRow]) -> list[Section]:
    """The table, what is missing in it, and what to mind."""
    return [
        Section(blocks=[Verbatim(call)]),
        Section(blocks=[make_table(HEADERS, rows, target_row).without_empty_columns()]),
        Section(blocks=list(describe_problems(rows))),
        Section(blocks=[*describe_counting(rows), ESTIMATE, NOT_KNOWN]),
    ]


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
                    "seconds": number_to_json(row.seconds),
                    "most_seconds": number_to_json(row.most_seconds),
                    "cycles": number_to_json(row.cycles),
                    "unavailable": row.why_no_work or None,
                },
                "kernels": None if row.reason else row.kernels,
                "fusions": None if row.reason else row.fusions,
                "cost": {
                    "flops": number_to_json(row.flops),
                    "bytes_accessed": number_to_json(row.num_bytes),
                },
                "least_cost": {
                    "flops": number_to_json(row.least_flops),
                    "bytes_accessed": number_to_json(row.least_bytes),
                },
                "loops_counted_once": row.num_unbounded,
                "notes": list(row.notes),
                "memory": {
                    "needed_bytes": number_to_json(row.needed_bytes),
                    "available_bytes": number_to_json(row.memory_bytes),
                    "fits": row.fits,
                },
                "compile_seconds": number_to_json(row.compile_seconds),
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
    return f"{told}, {format_count(row.num_unbounded, 'loop')} counted once"


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
