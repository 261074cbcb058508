"""Many targets as a table, as a document and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from jaxscope.model.hardware import MORE_THAN_DEFAULT
from jaxscope.model.said import NAMED, say, say_count, say_joined, say_range, template
from jaxscope.model.units import format_bytes, format_flops, format_seconds
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
    *("target", "estimate", "kernels", "fusions", "FLOPs", "bytes", "needs", "has", "fits"),
    *("XLA's cycles", "compiled in"),
)
_IN_A_TERMINAL = ("target", "estimate", "kernels", "FLOPs", "bytes", "needs", "fits")
"""What 80 columns have room for."""
NOT_KNOWN = say("Figures are per device. Ahead of time no autotuning chooses among kernels.")
CYCLES = say("XLA estimates cycles of a TPU's kernels; no sum is given where one has no estimate.")


_TOO_SMALL = template("It does not fit on {targets}.")
_FAILED = template("It does not compile for {targets}.")
_FITS = template("It fits on {targets}.")


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
        {True: say("yes"), False: say("no"), None: ""}[row.fits],
        known_cell(row.cycles, "{:,.0f}".format),
        known_cell(row.compile_seconds, format_seconds),
    )


def describe_fit(row: TargetRow) -> str:
    """Such as `needs 21.0 GiB, has 16.0 GiB`; empty where the memory is enough or unknown."""
    if row.fits is not False:
        return ""
    needed, there = format_bytes(row.needed_bytes), format_bytes(row.memory_bytes)
    return say("needs {needed}, has {there}", needed=needed, there=there)


def targets_to_document(call: str, rows: Sequence[TargetRow]) -> list[Section]:
    """The answer in a sentence, the table, what is missing in it, and what to mind."""
    shown = [HEADERS.index(header) for header in _IN_A_TERMINAL]
    rest = "More is in --json: fusions, memory that there is, XLA's cycles, seconds of compiling."

    def short_row(row: TargetRow) -> list[Cell]:
        cells = target_row(row)
        return [cells[place] for place in shown]

    table = make_table(_IN_A_TERMINAL, rows, short_row).without_empty_columns()
    return [
        Section(blocks=describe_answer(rows)),
        Section(blocks=[Verbatim(call)]),
        Section(blocks=[table]),
        Section(blocks=list(describe_problems(rows, is_short=len(rows) > 1))),
        Section(blocks=[*describe_counting(rows), ESTIMATE, f"{NOT_KNOWN} {rest}"]),
    ]


def describe_answer(rows: Sequence[TargetRow]) -> list[str]:
    """Whether the call compiles and fits, and where the estimate is lowest and highest."""
    return [say_joined((*_describe_fit(rows), *_describe_estimates(rows)))]


def _describe_fit(rows: Sequence[TargetRow]) -> list[str]:
    too_small = [row.target for row in rows if row.fits is False]
    failed = [row.target for row in rows if row.reason and row.fits is not False]
    fitting = [row.target for row in rows if row.fits]
    if too_small or failed:
        parts = ((_TOO_SMALL, too_small), (_FAILED, failed), (_FITS, fitting))
        return [say(what, targets=", ".join(named)) for what, named in parts if named]
    targets = rows[0].target if len(rows) == 1 else say("all {num:,} targets", num=len(rows))
    if len(fitting) == len(rows):
        return [say("It fits on {targets}.", targets=targets)]
    unknown = [say("Of some it is not known whether it fits.")] if fitting else []
    return [say("It compiles for {targets}.", targets=targets), *unknown]


def _describe_estimates(rows: Sequence[TargetRow]) -> list[str]:
    known = [row for row in rows if not math.isnan(row.seconds)]
    if not known:
        return []

    def tell(row: TargetRow) -> str:
        return _range(row, row.seconds, row.most_seconds, format_seconds)

    if len(known) == 1:
        where = say(" on {target}", target=known[0].target) if len(rows) > 1 else ""
        least = say(
            "By published peaks alone a run takes {seconds}{where}.",
            seconds=tell(known[0]),
            where=where,
        )
        return [least]
    known.sort(key=lambda row: row.most_seconds)
    low, high = known[0], known[-1]
    least = say(
        "By published peaks alone a run takes least on {low}, {least}, and most on {high}, {most}.",
        low=low.target,
        least=tell(low),
        high=high.target,
        most=tell(high),
    )
    return [least]


def targets_to_json(call: str, file: str, rows: Sequence[TargetRow]) -> dict[str, Any]:
    """All targets as one JSON object; null for what is not known."""
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
                "not_verified": [" ".join(caveat) for caveat in row.caveats],
            }
            for row in rows
        ],
        "notes": [ESTIMATE, NOT_KNOWN, CYCLES],
    }


def describe_problems(rows: Sequence[TargetRow], *, is_short: bool = False) -> Iterator[str]:
    """What keeps a program from a target, or its figures from being known, a sentence each.

    Args:
        is_short: Whether it is enough to say which figures are not verified, without why.
    """
    for row in rows:
        fit = describe_fit(row)
        if row.reason or fit:
            told = say_joined((row.reason, say("It {fit}.", fit=fit) if fit else ""))
            yield say(NAMED, name=row.target, meaning=told)
        if row.fits and row.needed_bytes > row.default_memory_bytes:
            needed = say("It needs {needed}.", needed=format_bytes(row.needed_bytes))
            told = say_joined((needed, MORE_THAN_DEFAULT))
            yield say(NAMED, name=row.target, meaning=told)
        if row.why_no_work:
            yield say(NAMED, name=row.target, meaning=row.why_no_work)
    for row in rows:
        for fact, why in row.caveats:
            yield fact if is_short else f"{fact} {why}"


def _range(row: TargetRow, low: float, high: float, write: Callable[[float], str]) -> str:
    """A figure of the whole program, marked where a loop counts once in it."""
    if math.isnan(high):
        return say("at least {amount}", amount=write(low)) if low > 0.0 else ""
    told = say_range(low, high, write)
    if not row.num_unbounded:
        return told
    loops = say_count(row.num_unbounded, "loop")
    return say("{told}, {loops} counted once", told=told, loops=loops)


def describe_counting(rows: Sequence[TargetRow]) -> list[str]:
    """How the programs were counted, each sentence once, with the targets that it holds for."""
    found: dict[str, list[str]] = {}
    for row in rows:
        for note in row.notes:
            found.setdefault(note, []).append(row.target)
    named = ((_name_all(targets, rows), note) for note, targets in found.items())
    return [say(NAMED, name=name, meaning=note) if name else note for name, note in named]


def _name_all(targets: Sequence[str], rows: Sequence[TargetRow]) -> str:
    """Targets before a sentence about them: nothing where it is about all, or their kind."""
    if len(targets) == len(rows):
        return ""
    for kind in ("tpu", "gpu"):
        if list(targets) == [r.target for r in rows if r.target.startswith(f"aot:{kind}:")]:
            return f"{kind.upper()}s"
    return ", ".join(targets)
