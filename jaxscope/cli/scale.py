"""`jaxscope time --scale`: time, compile time, work and memory against size."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path

from jaxscope.analysis.export.chart import chart_to_png
from jaxscope.analysis.export.scaling_files import (
    scaling_chart,
    scaling_to_csv,
    scaling_to_json,
    scaling_to_svg,
)
from jaxscope.analysis.quantities import format_bytes, format_flops, format_seconds, three_digits
from jaxscope.analysis.scaling import calls_to_break_even
from jaxscope.analysis.text_table import format_table
from jaxscope.cli.output import check_place, write_file
from jaxscope.cli.parser import Options
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, named_program, run_options, target_options
from jaxscope.client.requests import ScalingRequest
from jaxscope.client.run import ask
from jaxscope.model import Measurement
from jaxscope.model.lab import Crossover, ScalePoint, Scaling, Slope

_HEADERS = (
    "size", "eager", "jit", "eager/jit", "compile time", "pays off after", "work", "read, written",
    "memory",
)  # fmt: skip
_NAMES = {
    "compile_time": "compile time",
    "flops": "work",
    "bytes_accessed": "read, written",
}


def run_scaling(options: Options) -> Scaling:
    """Measure, and write the file that was asked for.

    Raises:
        JaxscopeError: The call cannot be measured, or the file not be written.
    """
    time = options.time
    if time.output is not None:
        check_place(time.output)
    request = ScalingRequest(
        named_program(options),
        options.call,
        vary=time.vary,
        sizes=time.sizes,
        skip_eager=time.skip_eager,
        **target_options(options),
        **run_options(options),
    )
    with show_progress() as show:
        scaling = ask(request, Scaling, Watcher(show))
    if time.output is not None:
        data = _render(scaling, time.output.suffix)

        def write(path: Path) -> None:
            path.write_bytes(data)

        write_file(time.output, write)
    return scaling


def write_scaling(scaling: Scaling) -> str:
    """A table with a row for each size, then how everything grows, and where the order changes."""
    environment = scaling.environment
    lines = [
        f"{scaling.call}  with {scaling.vary} varied",
        f"JAX {environment.jax}, Python {environment.python}, {environment.device}",
        "",
        *format_table(
            _HEADERS, [_row(point) for point in scaling.points], right=range(len(_HEADERS))
        ),
        "",
        *map(describe_slope, scaling.slopes),
        "",
        describe_crossovers(scaling),
        *_reasons(scaling),
    ]
    lines += [f"warning: {warning}" for warning in scaling.warnings]
    return "\n".join(lines)


def describe_slope(slope: Slope) -> str:
    """One sentence: the power that a quantity grows with, and how sure that is."""
    name = _NAMES.get(slope.quantity, slope.quantity)
    since = f"from {slope.first_size:,} on, {slope.num_points} sizes"
    return (
        f"  {name} grows like size^{slope.slope:.2f} ({slope.low:.2f} to {slope.high:.2f}, "
        f"{slope.confidence:.0%}; {since})"
    )


def describe_crossovers(scaling: Scaling) -> str:
    """Where eager and jit change places, or that they do not."""
    if scaling.crossovers:
        return "\n".join(map(_describe_crossover, scaling.crossovers))
    verdicts = {
        point.ratio.verdict
        for point in scaling.points
        if point.ratio is not None and point.ratio.verdict != "unclear"
    }
    if not any(point.ratio for point in scaling.points):
        return "Only one form was measured, so there is nothing to cross."
    if verdicts == {"faster"}:
        return "jit is faster than eager at every size where the order is clear; no crossover."
    if verdicts == {"slower"}:
        return "eager is faster than jit at every size where the order is clear; no crossover."
    return "Eager and jit do not clearly change places within these sizes."


def _describe_crossover(crossover: Crossover) -> str:
    return (
        f"{crossover.before} is faster up to {crossover.low:,}, {crossover.after} from "
        f"{crossover.high:,} on; the curves cross near {crossover.size:,.0f}."
    )


def _row(point: ScalePoint) -> tuple[str, ...]:
    ratio = point.ratio
    calls = calls_to_break_even(point)
    return (
        f"{point.size:,}",
        _cell(point.eager),
        _cell(point.jit),
        "" if ratio is None
        else f"{three_digits(ratio.low)} to {three_digits(ratio.high)} {ratio.verdict}",
        "" if math.isnan(point.compile_time) else format_seconds(point.compile_time),
        "" if math.isnan(calls) else "never" if math.isinf(calls) else f"{calls:,.0f} calls",
        "" if math.isnan(point.flops) else format_flops(point.flops),
        "" if math.isnan(point.bytes_accessed) else format_bytes(point.bytes_accessed),
        "" if math.isnan(point.memory) else format_bytes(point.memory),
    )  # fmt: skip


def _cell(measurement: Measurement | None) -> str:
    if measurement is None:
        return ""
    half = (measurement.high - measurement.low) / 2 / max(measurement.median, 1e-12)
    noisy = "~" if measurement.is_noisy else ""
    return f"{noisy}{format_seconds(measurement.median)} ±{half:.1%}"


def _reasons(scaling: Scaling) -> Iterator[str]:
    for point in scaling.points:
        if point.reason:
            yield f"at {point.size:,}: {point.reason}"


def _render(scaling: Scaling, suffix: str) -> bytes:
    """The file's bytes, in the form that its ending names."""
    if suffix == ".csv":
        return scaling_to_csv(scaling).encode()
    if suffix == ".json":
        return json.dumps(scaling_to_json(scaling), indent=2, allow_nan=False).encode()
    if suffix == ".png":
        return chart_to_png(scaling_chart(scaling))
    return scaling_to_svg(scaling).encode()
