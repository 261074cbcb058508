"""Fusions in words and as JSON, and as attributes of nodes for readers that show attributes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from jaxscope.model import Graph
from jaxscope.model.graph_builder import add_attributes
from jaxscope.model.said import BOTH, first_of, join_first, say, say_count, say_joined
from jaxscope.model.units import format_bytes, format_flops
from jaxscope.program.fusion.decisions import Decision, decision_to_json
from jaxscope.program.fusion.duplicates import Duplicate
from jaxscope.program.fusion.fusions import Fusion, FusionValue
from jaxscope.program.fusion.summary import CountRange, FusionReport, Launches
from jaxscope.report.document import Number, Table, known_cell
from jaxscope.schema.contract import number_to_json

_MAX_NAMES = 8
_MAX_READERS = 8
"""Of one kernel, that the JSON explains; the others are counted."""


def describe_saving(fusion: Fusion) -> str:
    """What a fusion saves, in words."""
    saving = fusion.saving
    if saving.reason:
        return say("unknown: {reason}", reason=saving.reason)
    if not saving.num_bytes:
        return say("nothing: it has no intermediate result")
    return say(
        "{saved}: {values} not written ({written}) and not read ({read})",
        saved=format_bytes(saving.num_bytes),
        values=say_count(saving.num_values, "intermediate result"),
        written=format_bytes(saving.bytes_written),
        read=format_bytes(saving.bytes_read),
    )


def describe_moved(value: FusionValue) -> str:
    """What a fusion reads or writes of a value, in words: `256 B of 16.0 KiB` if not all of it."""
    moved, size = format_bytes(value.bytes_moved), format_bytes(value.num_bytes)
    return say("{moved} of {size}", moved=moved, size=size) if value.is_partly_moved else moved


def describe_operations(fusion: Fusion) -> str:
    """What is computed inside, such as `multiply × 3, add`."""
    return ", ".join(
        operation if count == 1 else f"{operation} × {count}"
        for operation, count in fusion.operations
    )


def describe_duplicate(duplicate: Duplicate, kernel: int | None = None) -> str:
    """One value that is computed several times, in words; seen from one of the kernels or none."""
    others = [copy.kernel_id for copy in duplicate.copies if copy.kernel != kernel]
    value: str = f"{duplicate.operation} {duplicate.type}"
    if duplicate.equations:
        names = ", ".join(duplicate.equations[:_MAX_NAMES])
        one = len(duplicate.equations) == 1
        word = (
            say("equation {names}", names=names) if one else say("equations {names}", names=names)
        )
        value = say("{value} of {equations}", value=value, equations=word)
    places = join_first(others, _MAX_NAMES)
    if kernel is None:
        told = say("{value} is computed in {places}", value=value, places=places)
    else:
        told = say("{value} is also computed in {places}", value=value, places=places)
    parts: list[str] = []
    if not math.isnan(duplicate.flops_recomputed) and duplicate.flops_recomputed:
        parts.append(format_flops(duplicate.flops_recomputed))
    if duplicate.transcendentals_recomputed > 0:
        count = duplicate.transcendentals_recomputed
        parts.append(say("{transcendentals:,.0f} of exp, tanh and the like", transcendentals=count))
    if math.isnan(duplicate.flops_recomputed):
        parts.append(say("unknown work"))
    if not parts:
        return told
    return say("{told}; computed again: {work}", told=told, work=say_joined(parts, BOTH))


def fusion_to_json(report: FusionReport) -> dict[str, Any]:
    """The report as plain data; null is unknown, never zero."""
    return {
        "fusions": [_fusion(fusion) for fusion in report.fusions],
        "duplicates": [_duplicate(duplicate) for duplicate in report.duplicates],
        "one_by_one": None if report.one_by_one is None else _launches(report.one_by_one),
        "fused": _launches(report.fused),
        "neighbours": _neighbours(report),
        "decisions": None
        if report.log is None
        else [decision_to_json(decision) for decision in report.log.decisions],
    }


def _neighbours(report: FusionReport) -> Mapping[str, Any]:
    """Why each kernel and those that read what it makes are not one; `left_out` counts readers."""
    pairs: list[Mapping[str, Any]] = []
    left_out = 0
    for first, readers in report.readers():
        left_out += len(readers[_MAX_READERS:])
        for second in readers[:_MAX_READERS]:
            separation = report.why_apart(first, second)
            pairs.append(
                {
                    "first": separation.first,
                    "second": separation.second,
                    "certainty": separation.certainty.value,
                    "rules": [name for name, _ in separation.reasons],
                    "text": separation.text,
                }
            )
    return {"pairs": pairs, "left_out": left_out}


def _fusion(fusion: Fusion) -> Mapping[str, Any]:
    saving = fusion.saving
    return {
        "id": fusion.id,
        "kind": fusion.kind.text,
        "inputs": [
            {
                "id": value.id,
                "type": value.type,
                "bytes": number_to_json(value.num_bytes),
                "bytes_read": number_to_json(value.bytes_moved),
            }
            for value in fusion.inputs
        ],
        "outputs": [
            {
                "type": value.type,
                "bytes": number_to_json(value.num_bytes),
                "bytes_written": number_to_json(value.bytes_moved),
            }
            for value in fusion.outputs
        ],
        "operations": dict(fusion.operations),
        "saves": {
            "bytes_written": number_to_json(saving.bytes_written),
            "bytes_read": number_to_json(saving.bytes_read),
            "values": saving.num_values,
            "reason": saving.reason or None,
        },
    }


def _duplicate(duplicate: Duplicate) -> Mapping[str, Any]:
    return {
        "operation": duplicate.operation,
        "type": duplicate.type,
        "equations": list(duplicate.equations),
        "copies": [{"kernel": copy.kernel_id, "id": copy.id} for copy in duplicate.copies],
        "bytes": number_to_json(duplicate.num_bytes),
        "flops_recomputed": number_to_json(duplicate.flops_recomputed),
        "transcendentals_recomputed": number_to_json(duplicate.transcendentals_recomputed),
    }


def _launches(launches: Launches) -> Mapping[str, Any]:
    return {
        "kernels": _span(launches.kernels),
        "bytes": _span(launches.num_bytes),
        "definition": launches.definition,
    }


def _span(span: CountRange) -> Mapping[str, Any]:
    return {
        "low": number_to_json(span.low),
        "high": number_to_json(span.high),
        "reason": span.reason or None,
    }


_LOG_HEADERS = ("#", "producer", "into", "decision", "µs fused", "µs apart", "why")


def decision_table(steps: Sequence[Decision]) -> Table:
    """A row for each step of XLA's log."""
    rows = [
        (
            Number(place, str(place)),
            step.producer,
            ", ".join(step.consumers),
            step.verdict.value,
            known_cell(step.us_fused, "{:g}".format),
            known_cell(step.us_unfused, "{:g}".format),
            step.reason or step.fusion,
        )
        for place, step in enumerate(steps)
    ]
    return Table(_LOG_HEADERS, rows)


_MAX_VALUES = 8


def add_fusion_notes(report: FusionReport) -> Graph:
    """The optimized graph with attributes `fusion_…` on its fusions and on repeated kernels."""
    return add_attributes(report.module.graph, _find_notes(report))


def _find_notes(report: FusionReport) -> dict[int, dict[str, str]]:
    notes: dict[int, dict[str, str]] = {}
    for fusion in report.fusions:
        row = {
            "fusion_in_words": fusion.kind.text,
            "fusion_computes": describe_operations(fusion),
            "fusion_reads": _describe_values(fusion.inputs),
            "fusion_writes": _describe_values(fusion.outputs),
            "fusion_saves": describe_saving(fusion),
        }
        notes[fusion.node] = {key: value for key, value in row.items() if value}
    for duplicate in report.duplicates:
        for copy in duplicate.copies:
            row = notes.setdefault(copy.kernel, {})
            told = describe_duplicate(duplicate, copy.kernel)
            before = row.get("fusion_repeats", "")
            row["fusion_repeats"] = f"{before}; {told}" if before else told
    return notes


def _describe_values(values: tuple[FusionValue, ...]) -> str:
    told = (f"{value.type} ({describe_moved(value)})" for value in values)
    return ", ".join(first_of(told, _MAX_VALUES))
