"""Remat policies as a table, as a document and as JSON."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from jaxscope.model.experiments import RematOutcome, RematPolicies
from jaxscope.model.units import UNKNOWN, format_bytes, format_flops, format_seconds, three_digits
from jaxscope.report.document import Cell, Number, Section, Table, make_table, number_cell
from jaxscope.schema.contract import number_to_json

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


def remat_table(found: RematPolicies) -> Table:
    """A row for each policy."""
    base = found.as_written
    return make_table(HEADERS, found.outcomes, lambda outcome: _remat_row(outcome, base))


def _remat_row(outcome: RematOutcome, base: RematOutcome | None) -> tuple[Cell, ...]:
    """The cells of a policy; what differs from the gradient as written says how much."""
    if outcome.missing is not None:
        return (outcome.policy, *[Number(math.nan, UNKNOWN)] * (len(HEADERS) - 1))
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
        number_cell(outcome.seconds, format_seconds),
    )


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


def remat_to_document(found: RematPolicies) -> list[Section]:
    """A row for each policy, and what is missing."""
    missing = [f"{o.policy}: {o.missing.reason}" for o in found.outcomes if o.missing is not None]
    title = f"Remat policies, for {found.subject}"
    return [Section(title, [describe_remat(found), remat_table(found), *missing, PROTOCOL])]


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
                "kept_bytes": number_to_json(outcome.kept_bytes),
                "kept_values": outcome.num_kept if outcome.missing is None else None,
                "traced_flops": number_to_json(outcome.traced_flops),
                "flops": number_to_json(outcome.cost.flops),
                "bytes_accessed": number_to_json(outcome.cost.bytes_accessed),
                "transcendentals": number_to_json(outcome.cost.transcendentals),
                "temporary_bytes": number_to_json(outcome.temporary_bytes),
                "peak_bytes": number_to_json(outcome.peak_bytes),
                "compile_seconds": number_to_json(outcome.seconds),
            }
            for outcome in found.outcomes
        ],
    }


def _against(write: Callable[[float], str], value: float, base: float) -> Number:
    """A value, and how many times that of the gradient as written, where it is another."""
    if math.isnan(value) or math.isnan(base) or base <= 0 or value == base:
        return number_cell(value, write)
    return Number(value, f"{write(value)} (×{three_digits(value / base)})")


def _format_number(value: float) -> str:
    return UNKNOWN if math.isnan(value) else f"{value:,.0f}"
