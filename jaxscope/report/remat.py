"""Remat policies as rows, as a text and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from jaxscope.model.experiments import RematOutcome, RematPolicies
from jaxscope.model.units import UNKNOWN, format_bytes, format_flops, format_seconds, three_digits
from jaxscope.report.table import format_table

HEADERS = (
    "policy",
    "kept",
    "FLOPs traced",
    "FLOPs compiled",
    "transcendentals",
    "bytes",
    "temporaries",
    "peak",
    "took",
)
NUMERIC = (1, 2, 3, 4, 5, 6, 7, 8)
PROTOCOL = (
    "Each was traced, lowered and compiled anew, in memory; nothing ran and no file changed. Kept "
    "is what the forward part hands to the backward part besides arguments, by the jaxpr. FLOPs "
    "traced are the jaxpr's; FLOPs compiled, bytes and temporaries XLA's, loops by their rounds "
    "where known. Where fewer are compiled, XLA merged what is computed again with the first time, "
    "as the CPU's does, and keeps it after all. The peak adds up "
    "values that the schedule needs at once; XLA allocates less where they share memory."
)
_MEANING = {
    "as written": "the gradient as the file has it",
    "nothing_saveable": "keeps arguments only and computes all else again",
    "everything_saveable": "keeps whatever the backward part reads",
    "dots_saveable": "keeps results of matrix products, computes the rest again",
    "dots_with_no_batch_dims_saveable": "keeps results of matrix products without batch dimensions",
}


def meaning_of(policy: str) -> str:
    """What a policy does, in words; empty for one that is not known."""
    if policy.startswith("save_only_these_names"):
        return "keeps what the program gave these names to with checkpoint_name"
    return _MEANING.get(policy, "")


def remat_row(outcome: RematOutcome, base: RematOutcome | None) -> tuple[str, ...]:
    """The cells of a policy; what differs from the gradient as written says how much."""
    if outcome.missing is not None:
        return (outcome.policy, *[UNKNOWN] * (len(HEADERS) - 1))
    cost, own = outcome.cost, base.cost if base is not None else outcome.cost
    other = base or outcome
    return (
        outcome.policy,
        _against(format_bytes, outcome.kept_bytes, other.kept_bytes),
        _against(format_flops, outcome.traced_flops, other.traced_flops),
        _against(format_flops, cost.flops, own.flops),
        _against(_format_number, cost.transcendentals, own.transcendentals),
        _against(format_bytes, cost.bytes_accessed, own.bytes_accessed),
        _against(format_bytes, outcome.temporary_bytes, other.temporary_bytes),
        _against(format_bytes, outcome.peak_bytes, other.peak_bytes),
        format_seconds(outcome.seconds),
    )


def remat_numbers(outcome: RematOutcome) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`."""
    cost = outcome.cost
    values = (
        outcome.kept_bytes,
        outcome.traced_flops,
        cost.flops,
        cost.transcendentals,
        cost.bytes_accessed,
        outcome.temporary_bytes,
        outcome.peak_bytes,
        outcome.seconds,
    )
    return tuple(-1.0 if math.isnan(value) else value for value in values)


def describe_remat(found: RematPolicies) -> str:
    """Which policy keeps least, and at what price, in a sentence."""
    base = found.as_written
    known = [o for o in found.outcomes if o.missing is None and not math.isnan(o.kept_bytes)]
    if base is None or base not in known or len(known) < 2:
        return f"Policies of jax.checkpoint for {found.subject}."
    least = min(known, key=lambda outcome: (outcome.kept_bytes, outcome.traced_flops))
    if least.kept_bytes >= base.kept_bytes:
        return "No policy keeps less than the gradient as written does."
    flops = base.traced_flops
    factor = least.traced_flops / flops if flops > 0 else math.nan
    price = "" if math.isnan(factor) else f" at {three_digits(factor)} times the FLOPs traced"
    told = (
        f"{least.policy} keeps {format_bytes(least.kept_bytes)} instead of "
        f"{format_bytes(base.kept_bytes)}{price}."
    )
    if least.temporary_bytes >= base.temporary_bytes:
        told += " Compiled here, it needs no less memory."
    return told


def remat_to_text(found: RematPolicies) -> Iterator[str]:
    """The table for a person at a terminal."""
    yield ""
    yield f"Remat policies, for {found.subject}"
    yield f"  {describe_remat(found)}"
    base = found.as_written
    rows = [remat_row(outcome, base) for outcome in found.outcomes]
    yield from format_table(HEADERS, rows, right=NUMERIC)
    for outcome in found.outcomes:
        if outcome.missing is not None:
            yield f"  {outcome.policy}: {outcome.missing.reason}"
    yield f"  {PROTOCOL}"


def remat_to_json(found: RematPolicies) -> dict[str, Any]:
    """Everything that is known of each policy; null for what is not."""
    return {
        "subject": found.subject,
        "protocol": PROTOCOL,
        "warnings": list(found.warnings),
        "policies": [
            {
                "policy": outcome.policy,
                "meaning": meaning_of(outcome.policy) or None,
                "unavailable": outcome.missing.reason if outcome.missing is not None else None,
                "kept_bytes": _known(outcome.kept_bytes),
                "kept_values": outcome.num_kept if outcome.missing is None else None,
                "traced_flops": _known(outcome.traced_flops),
                "flops": _known(outcome.cost.flops),
                "bytes_accessed": _known(outcome.cost.bytes_accessed),
                "transcendentals": _known(outcome.cost.transcendentals),
                "temporary_bytes": _known(outcome.temporary_bytes),
                "peak_bytes": _known(outcome.peak_bytes),
                "compile_seconds": _known(outcome.seconds),
            }
            for outcome in found.outcomes
        ],
    }


def _against(render: Any, value: float, base: float) -> str:
    """A value, and how many times that of the gradient as written, where it is another."""
    if math.isnan(value) or math.isnan(base) or base <= 0 or value == base:
        return str(render(value))
    return f"{render(value)} (×{three_digits(value / base)})"


def _format_number(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:,.0f}"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
