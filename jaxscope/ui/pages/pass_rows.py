"""Recorded passes as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxscope.analysis.quantities import (
    format_bytes,
    format_count,
    format_flops,
    format_seconds,
)
from jaxscope.model import PassRecord

RECEIVED = "as XLA received it"
HEADERS = (
    "dump",
    "pass",
    "pipeline",
    "instructions",
    "fusions",
    "FLOPs, loops once",
    "bytes, loops once",
    "peak memory",
    "estimated peak",
    "time",
    "changes",
    "equations ended",
)
NUMERIC = (0, 3, 4, 5, 6, 7, 8, 9, 11)


def is_telling(record: PassRecord) -> bool:
    """Whether a pass did something; XLA writes a dump at the start of each pipeline as well."""
    return record.has_changed or bool(record.ended) or record.number is None


def pass_row(record: PassRecord) -> tuple[str, ...]:
    """The cells of a pass, for the columns of `HEADERS`."""
    cost = record.cost
    changes = f"+{record.num_added} −{record.num_removed} ~{record.num_changed}"
    return (
        "" if record.number is None else f"{record.number:04}",
        record.name or RECEIVED,
        record.pipeline,
        f"{record.num_instructions:,}",
        f"{record.num_fusions:,}",
        format_flops(cost.flops),
        format_bytes(cost.bytes_accessed),
        "" if math.isnan(record.peak_bytes) else format_bytes(record.peak_bytes),
        _estimate(record),
        "" if math.isnan(record.seconds) else format_seconds(record.seconds),
        changes if record.name else "",
        f"{len(record.ended)}" if record.ended else "",
    )


def pass_numbers(number: int, record: PassRecord) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`."""
    cost = record.cost
    return (
        float(number),
        float(record.num_instructions),
        float(record.num_fusions),
        cost.flops,
        cost.bytes_accessed,
        _or_least(record.peak_bytes),
        _or_least(record.estimated_peak_bytes),
        _or_least(record.seconds),
        float(len(record.ended)),
    )


def _estimate(record: PassRecord) -> str:
    """In program order, where XLA has no order of its own yet."""
    estimate = record.estimated_peak_bytes
    return "" if math.isnan(estimate) else f"~{format_bytes(estimate)}"


def count_passes(records: Sequence[PassRecord]) -> str:
    """How many passes changed the module."""
    count = sum(bool(record.pipeline) and is_telling(record) for record in records)
    return "1 pass" if count == 1 else f"{count:,} passes"


def _or_least(value: float) -> float:
    """What is unknown is sorted below everything."""
    return -1.0 if math.isnan(value) else value


def tell_most(records: Sequence[PassRecord]) -> str:
    """Which pass took longest, all of them together, and what the module needs at once."""
    known = [record for record in records if not math.isnan(record.seconds)]
    parts = []
    if known:
        slowest = max(known, key=lambda record: record.seconds)
        total = format_seconds(sum(record.seconds for record in known))
        parts.append(
            f" The longest, {slowest.name}, took {format_seconds(slowest.seconds)}; these together "
            f"{total}. The rest of compiling is passes that changed nothing, buffer assignment and "
            "code generation (LLVM's on CPUs and GPUs)."
        )
    peak = records[-1].peak_bytes
    if not math.isnan(peak):
        parts.append(
            f" In the end values that are needed at once add up to {format_bytes(peak)}; XLA "
            "allocates less where they share memory."
        )
    return "".join(parts)


def tell_rest(records: Sequence[PassRecord]) -> str:
    """How many dumps of XLA's are not listed, and how to see them."""
    count = sum(not is_telling(record) for record in records)
    if not count:
        return ""
    return (
        f" {format_count(count, 'further dump')} changed no instruction; filter by name to see it."
    )


def pass_searched(record: PassRecord) -> str:
    """What a filter looks through."""
    return f"{record.name} {record.pipeline} {record.text} {record.before}".casefold()
