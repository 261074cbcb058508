"""`jaxscope time FILE [CALL]`: how long a call takes, eager and jitted."""

from __future__ import annotations

import json
import math
import re
import textwrap
from collections.abc import Iterator

from jaxscope.analysis.export.contract_json import timing_to_json
from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.analysis.lab_words import (
    describe_noise,
    describe_range,
    describe_spread,
    why_unclear,
)
from jaxscope.analysis.quantities import format_seconds, three_digits
from jaxscope.analysis.statistics import find_disturbances
from jaxscope.cli.output import check_place, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import named_program, run_options, target_options, watching
from jaxscope.client.run import time_call
from jaxscope.model import Measurement, Ratio, Timing

_WIDTH = 98
_LONGEST_DETAIL = 22
_ONE_PROCESS = (
    "All of it was observed in this one process; --rigorous repeats it in six fresh ones, which "
    "earns intervals."
)
_NUMBER = re.compile(r"\d[\d.,]*(?<![.,])(?: ?%)?")

_STEADY = re.compile(r" Steady from call (\d+) on\.")
_PARTS = (
    "protocol: dispatch is until the call returned, wait from there until its result was ready, in "
    "the same calls. Dispatch alone is no measure of how long the work takes."
)


def run(options: Options) -> int:
    """Measure and print; experiments have a module of their own."""
    if options.time.experiment != "call":
        from jaxscope.cli import lab

        return lab.run(options)
    output = options.time.output
    if output is not None:
        check_place(output)
    with watching(format_timing, timing_to_json, is_json=options.is_json) as watch:
        timing = time_call(
            named_program(options),
            options.call,
            on_event=watch,
            rigorous=options.is_rigorous,
            budget_s=options.time.budget_s,
            precision=options.time.precision,
            gradient=options.time.gradient,
            skip_eager=options.time.skip_eager,
            **target_options(options),
            **run_options(options),
        )
    if output is not None:
        from jaxscope.cli.figures import write_timing_figure  # only where a figure is wanted

        write_timing_figure(timing, options.time.figure, output)
    if options.is_json:
        print_text(json.dumps(timing_to_json(timing), indent=2, allow_nan=False))
    else:
        scope = "" if options.is_rigorous else f"\n{_ONE_PROCESS}"
        print_text(make_safe(format_timing(timing) + scope))
    return 0


def format_timing(timing: Timing) -> str:
    """A table: medians with the interval that they lie in, then ratios, then what to mind."""
    environment = timing.environment
    lines = [
        timing.call,
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
        "",
        *_format_table(timing),
    ]
    if timing.ratios:
        lines.append("")
    lines += [_format_ratio(ratio) for ratio in timing.ratios]
    noise = list(_noise(timing))
    notes = [*noise, *(f"warning: {warning}" for warning in timing.warnings)]
    for paragraph in (list(_protocols(timing)), notes):
        if paragraph:
            lines.append("")
        for note in paragraph:
            lines += textwrap.wrap(
                note, _WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
            )
    return "\n".join(lines)


def _protocols(timing: Timing) -> Iterator[str]:
    """How steady calls and copies were measured: each protocol once, with what it is of."""
    found: dict[str, list[str]] = {}
    steady: dict[str, list[str]] = {}
    for measurement in timing.measurements:
        name, protocol = measurement.name, measurement.protocol
        is_once = measurement.runs < 2 and name.rpartition("_")[2] not in ("eager", "jit")
        if not protocol or is_once or _whole_of(name) != name:
            continue
        if match := _STEADY.search(protocol):
            steady.setdefault(match[1], []).append(name)
        found.setdefault(_STEADY.sub("", protocol), []).append(name)
    for protocol, names in found.items():
        yield f"protocol: {', '.join(names)}: {protocol}"
    if steady:
        calls = (f"{call} ({', '.join(names)})" for call, names in steady.items())
        yield f"protocol: Steady from call {', '.join(calls)} on."
    if any(_whole_of(measurement.name) != measurement.name for measurement in timing.measurements):
        yield _PARTS


def _whole_of(name: str) -> str:
    """The call that a dispatch or a wait is a part of; other names are their own."""
    whole, _, part = name.rpartition("_")
    return (whole or "jit") if part in ("dispatch", "wait") else name


def _format_table(timing: Timing) -> Iterator[str]:
    rows = [_row(measurement) for measurement in timing.measurements]
    name_width, median_width, interval_width, runs_width, device_width = (
        max((len(row[column]) for row in rows), default=0) for column in range(5)
    )
    for name, median, interval, runs, device, noisy in rows:
        yield (
            f"  {name:{name_width}}  {median:>{median_width}}  {interval:{interval_width}}"
            f"  {runs:>{runs_width}}  {device:{device_width}}  {noisy}"
        ).rstrip()


def _row(measurement: Measurement) -> tuple[str, str, str, str, str, str]:
    runs = f"{measurement.runs} run" + (" " if measurement.runs == 1 else "s")
    interval = describe_spread(measurement) if measurement.runs > 1 else ""
    noisy = "noisy" if measurement.is_noisy else ""
    device = ""
    if not math.isnan(measurement.device_seconds):
        device = f"{format_seconds(measurement.device_seconds)} on the device"
    detail = measurement.detail
    if len(detail) > _LONGEST_DETAIL:  # six processes may each say something else
        detail = "differs"
    name = f"{measurement.name} ({detail})" if detail else measurement.name
    return name, format_seconds(measurement.median), interval, runs, device, noisy


def _noise(timing: Timing) -> Iterator[str]:
    """Every reason for noise once: its numbers stand in one sentence, with what they concern."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    everywhere = find_disturbances(timing.environment)
    for measurement in timing.measurements:
        for reason in measurement.reasons if measurement.is_noisy else ():
            if reason in everywhere:
                continue  # stands on top
            before, number, after = _split_at_number(reason)
            names = found.setdefault((before, after), {}).setdefault(number, [])
            if _whole_of(measurement.name) not in names:  # whose parts suffer with it
                names.append(measurement.name)
    for (before, after), numbers in found.items():
        parts = [f"{number} ({', '.join(names)})".lstrip() for number, names in numbers.items()]
        yield f"noisy: {before}{', '.join(parts)}{after}"


def _split_at_number(reason: str) -> tuple[str, str, str]:
    """A sentence around its first number; without one, its end takes the names."""
    match = _NUMBER.search(reason)
    if match is None:
        return reason.removesuffix(".") + " ", "", "."
    return reason[: match.start()], match[0], reason[match.end() :]


def _format_ratio(ratio: Ratio) -> str:
    first, _, second = ratio.name.partition("/")
    if math.isnan(ratio.median):
        return f"  {ratio.name}: unclear"
    interval = describe_range(ratio)
    noisy = ", noisy" if ratio.is_noisy else ""
    if not ratio.is_judged:
        return f"  {ratio.name}: no verdict ({interval}{noisy})"
    if ratio.verdict == "unclear":
        return f"  {ratio.name}: unclear ({interval}{noisy}{why_unclear(ratio)})"
    verdict = "takes the same time as" if ratio.verdict == "same" else f"is {ratio.verdict} than"
    return (
        f"  {ratio.name} = {three_digits(ratio.median)} ({interval}{noisy}): "
        f"{second} {verdict} {first}"
    )
