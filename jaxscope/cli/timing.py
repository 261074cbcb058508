"""`jaxscope time FILE [CALL]`: how long a call takes, eager and jitted."""

from __future__ import annotations

import json
import math

from jaxscope.analysis.export.contract_json import timing_to_json
from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.analysis.quantities import format_seconds, three_digits
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, named_file, run_options, target_options
from jaxscope.client.run import time_call
from jaxscope.model import Measurement, Ratio, Timing


def run(options: Options) -> int:
    """Measure and print."""
    with show_progress() as show:
        timing = time_call(
            named_file(options),
            options.call,
            on_event=Watcher(show),
            rigorous=options.is_rigorous,
            **target_options(options),
            **run_options(options),
        )
    if options.is_json:
        print_text(json.dumps(timing_to_json(timing), indent=2, allow_nan=False))
    else:
        print_text(make_safe(format_timing(timing)))
    return 0


def format_timing(timing: Timing) -> str:
    """A table: medians with the interval that they lie in, then ratios, then warnings."""
    environment = timing.environment
    lines = [
        timing.call,
        f"JAX {environment.jax}, Python {environment.python}, "
        f"{environment.device or environment.platform}",
        "",
    ]
    rows = [_row(measurement) for measurement in timing.measurements]
    widths = [max((len(row[i]) for row in rows), default=0) for i in range(4)]
    for name, median, interval, note in rows:
        line = f"  {name:{widths[0]}}  {median:>{widths[1]}}  {interval:{widths[2]}}  {note}"
        lines.append(line.rstrip())
    if timing.ratios:
        lines.append("")
    lines += [_format_ratio(ratio) for ratio in timing.ratios]
    lines += [f"warning: {warning}" for warning in timing.warnings]
    return "\n".join(lines)


def _row(measurement: Measurement) -> tuple[str, str, str, str]:
    runs = f"{measurement.runs} run" + ("" if measurement.runs == 1 else "s")
    interval = ""
    if measurement.confidence > 0:
        low, high = format_seconds(measurement.low), format_seconds(measurement.high)
        interval = f"{low} to {high} ({measurement.confidence:.0%})"
    note = f"{runs}, noisy: {' '.join(measurement.reasons)}" if measurement.is_noisy else runs
    return measurement.name, format_seconds(measurement.median), interval, note


def _format_ratio(ratio: Ratio) -> str:
    first, _, second = ratio.name.partition("/")
    if math.isnan(ratio.median) or ratio.verdict == "unclear":
        return f"  {ratio.name}: unclear"
    interval = f"{three_digits(ratio.low)} to {three_digits(ratio.high)}"
    verdict = "takes the same time as" if ratio.verdict == "same" else f"is {ratio.verdict} than"
    return f"  {ratio.name} = {three_digits(ratio.median)} ({interval}): {second} {verdict} {first}"
