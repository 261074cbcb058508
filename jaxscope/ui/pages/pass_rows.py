"""Recorded passes as rows of a table."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxscope.analysis.quantities import format_bytes, format_flops, format_seconds
from jaxscope.model import PassRecord

RECEIVED = "as XLA received it"
HEADERS = (
    "#",
    "pass",
    "pipeline",
    "instructions",
    "fusions",
    "FLOPs",
    "bytes",
    "peak memory",
    "estimated peak",
    "time",
    "changes",
    "equations ended",
)
NUMERIC = (0, 3, 4, 5, 6, 7, 8, 9, 11)


def pass_row(number: int, record: PassRecord) -> tuple[str, ...]:
    """The cells of a pass, for the columns of `HEADERS`."""
    cost = record.cost
    changes = f"+{record.num_added} −{record.num_removed} ~{record.num_changed}"
    return (
        str(number),
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
    """How many of the modules stand after a pass."""
    count = sum(bool(record.pipeline) for record in records)
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


def pass_searched(record: PassRecord) -> str:
    """What a filter looks through."""
    return f"{record.name} {record.pipeline} {record.text} {record.before}".casefold()
