"""The passes as text: one line each, as a timeline."""

from __future__ import annotations

import math

from jaxscope.analysis.passes.recorder import Passes
from jaxscope.analysis.quantities import format_bytes, format_flops, format_seconds
from jaxscope.model import PassRecord

TIMED = (
    "Seconds are those of the compilation whose result is shown, as XLA's own recorder noted "
    "them; a pass that repeats others includes them. Unknown for what changes the module outside "
    "of a pass of a pipeline."
)
COUNTED = (
    "FLOPs and bytes of each pass are XLA's own count of the module after it: one round of each "
    "loop, and of branches the dearest."
)
ESTIMATED = (
    "Peak memory is that of XLA's own order where it has fixed one. Before, nobody knows what will "
    "live when: a figure with ~ is an estimate, of the module run instruction by instruction in "
    "program order, before scheduling. The two do not compare: over the samples the estimate of "
    "the module that XLA then schedules is the same in four of five programs on the CPU, and a "
    "third to 1.2 times the scheduled figure in the others. Copies that XLA puts in late, for the "
    "state of loops, count from copy-insertion on."
)


def list_passes(passes: Passes) -> str:
    """What each pass left: instructions, fusions, cost, peak memory, and what it changed.

    The number before a name is that of XLA's dump.
    """
    has_seconds = any(not math.isnan(record.seconds) for record in passes.records)
    titles = ("instructions", "fusions", "XLA's FLOPs", "bytes", "seconds", "peak")
    lines = [f"{titles[0]:>12} {titles[1]:>8} {titles[2]:>11} {titles[3]:>10} {titles[4]:>10} "]
    lines[0] += f"{titles[5]:>10}  pass"
    pipeline = ""
    for record in passes.records:
        if record.pipeline != pipeline:
            pipeline = record.pipeline
            lines += [f"{'':68}{pipeline}:"] if pipeline else []
        lines.append(_line(record))
    lines.append(TIMED if has_seconds else passes.no_times or "How long passes took is not known.")
    lines += [COUNTED, ESTIMATED]
    if passes.missing is not None:
        lines.append(passes.missing.reason)
    return "\n".join(lines)


def format_peak(record: PassRecord) -> str:
    """The peak after a pass, an estimate with `~` before it; empty where none is known."""
    if not math.isnan(record.peak_bytes):
        return format_bytes(record.peak_bytes)
    estimate = record.estimated_peak_bytes
    return "" if math.isnan(estimate) else f"~{format_bytes(estimate)}"


def why_no_peak(record: PassRecord) -> str:
    """Why the peak by XLA's schedule is not known; empty where it is."""
    if not math.isnan(record.peak_bytes):
        return ""
    if math.isnan(record.estimated_peak_bytes):
        return record.peak_missing or "It was not looked for."
    return "XLA has not fixed the order in which the module runs; estimated in program order."


def _line(record: PassRecord) -> str:
    cost = record.cost
    flops, accessed = format_flops(cost.flops), format_bytes(cost.bytes_accessed)
    change = f"+{record.num_added} −{record.num_removed} ~{record.num_changed}"
    name = f"{record.name}  ({change})" if record.name else "as XLA received it"
    name = name if record.number is None else f"{record.number:04} {name}"
    seconds = "" if math.isnan(record.seconds) else format_seconds(record.seconds)
    peak = format_peak(record)
    return (
        f"{record.num_instructions:12} {record.num_fusions:8} {flops:>11} {accessed:>10} "
        f"{seconds:>10} {peak:>10}  {name}"
    )
