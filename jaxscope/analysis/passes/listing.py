"""The passes as text: one line each, as a timeline."""

from __future__ import annotations

from jaxscope.analysis.passes.recorder import Passes
from jaxscope.analysis.quantities import format_bytes, format_flops


def list_passes(passes: Passes) -> str:
    """What each pass left: instructions, fusions, FLOPs and bytes, and what it changed."""
    lines = [
        f"{'instructions':>12} {'fusions':>8} {'FLOPs':>11} {'bytes':>10}  pass",
    ]
    pipeline = ""
    for record in passes.records:
        count = record.num_instructions
        if record.pipeline != pipeline:
            pipeline = record.pipeline
            lines.append(f"{'':46}{pipeline}:")
        cost = record.cost
        flops, accessed = format_flops(cost.flops), format_bytes(cost.bytes_accessed)
        change = f"+{record.num_added} −{record.num_removed} ~{record.num_changed}"
        name = f"{record.name}  ({change})" if record.name else "as XLA received it"
        lines.append(f"{count:12} {record.num_fusions:8} {flops:>11} {accessed:>10}  {name}")
    if passes.missing is not None:
        lines.append(passes.missing.reason)
    return "\n".join(lines)
