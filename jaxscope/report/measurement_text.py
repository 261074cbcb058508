"""A timing and the experiments as text for a terminal: tables of medians with their intervals,
ratios, causes, and what to mind.
"""

from __future__ import annotations

import dataclasses
import math
import os
import re
import textwrap
from collections.abc import Iterator, Sequence

from jaxscope.model import Capture, Measurement, Ratio, Timing, Unavailable
from jaxscope.model.experiments import (
    Agreement,
    LeafAgreement,
    NumericDivergence,
    ProgramComparison,
    Recompilation,
    ResultsAgreement,
    Signature,
)
from jaxscope.model.statistics import find_disturbances
from jaxscope.model.timing import LineTime, NodeTimes, Profile, Scaling
from jaxscope.model.units import format_count, format_seconds, three_digits
from jaxscope.program.node_times import (
    Overlay,
    describe_observed_times,
    describe_overlap,
    describe_profile_place,
    line_shares,
    overlay_stage,
)
from jaxscope.program.recompilation import describe_key_change, describe_outside, num_recompilations
from jaxscope.report.measurements import (
    FORM_WORDS,
    LEAF_HEADERS,
    SIGNATURE_HEADERS,
    TRIAL_HEADERS,
    cost_lines,
    describe_crossovers,
    describe_noise,
    describe_origin,
    describe_processes,
    describe_range,
    describe_sizes,
    describe_slope,
    describe_spread,
    describe_ulps,
    leaf_row,
    scaling_headers,
    scaling_row,
    signature_row,
    trial_row,
    why_unclear,
)
from jaxscope.report.table import format_table


def write_scaling(scaling: Scaling) -> str:
    """A table with a row for each size, then how everything grows, and where the order changes."""
    environment = scaling.environment
    lines = [
        f"{scaling.call}  with {scaling.vary} varied",
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
        "",
        *format_table(
            scaling_headers(scaling),
            [scaling_row(point, scaling) for point in scaling.points],
            right=range(len(scaling_headers(scaling))),
        ),
        "",
        *(describe_slope(slope, scaling.forms) for slope in scaling.slopes),
        "",
        describe_crossovers(scaling),
        *filter(None, [FORM_WORDS.get(scaling.forms[0])]),
        *describe_sizes(scaling),
    ]
    lines += [f"warning: {warning}" for warning in scaling.warnings]
    return "\n".join(lines)


_RECOMPILATION_WIDTH = 98


def write_recompilation(found: Recompilation) -> str:
    """A table of signatures, the reason of each, and advice."""
    environment = found.environment
    again = [s for s in found.signatures if s.nearest is not None]
    lines = [
        f"{format_count(len(found.calls), 'call')}, starting with {found.call}",
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
        "",
    ]
    if not found.signatures:
        lines.append("Nothing was compiled by a call of a jitted function.")
    else:
        lines += format_table(
            SIGNATURE_HEADERS, [signature_row(s) for s in found.signatures], right=(0, 2, 3, 4, 5)
        )
    lines.append("")
    for signature in again:
        lines += _describe_cause(signature)
    count = format_count(num_recompilations(found), "recompilation")
    lines += ["", f"{count}: {format_seconds(found.wasted)}"]
    for advice in found.advice:
        text = f"{advice.function} ({format_seconds(advice.seconds)}): {advice.text}"
        lines += textwrap.wrap(
            text, _RECOMPILATION_WIDTH, initial_indent="  ", subsequent_indent="    "
        )
    return "\n".join([*lines, *_outside(found), *_notes(found)])


def _describe_cause(signature: Signature) -> Iterator[str]:
    nearest = 0 if signature.nearest is None else signature.nearest
    changes = "; ".join(map(describe_key_change, signature.changes))
    yield f"  {signature.number + 1} differs from {nearest + 1}: {changes}"
    if signature.agrees is False:
        yield "    JAX explains it differently: " + " ".join(signature.jax_says.split())[:300]


def _outside(found: Recompilation) -> Iterator[str]:
    """What was compiled besides, in one sentence."""
    if found.outside:
        yield ""
        yield from textwrap.wrap(
            describe_outside(found), _RECOMPILATION_WIDTH, subsequent_indent="  "
        )


def _notes(found: Recompilation) -> Iterator[str]:
    for warning in found.warnings:
        yield f"warning: {warning}"


_MAX_PROFILE_ROWS = 25


@dataclasses.dataclass(frozen=True, eq=False)
class ProfileOverlay:
    """A profile and the capture of the same call that it is laid over."""

    profile: Profile
    capture: Capture

    def overlay(self, side: NodeTimes) -> Overlay | None:
        return overlay_stage(self.capture, side)


def write_profile(found: ProfileOverlay) -> str:
    """Tables: the costliest lines, instructions and equations, and what none of them explains."""
    profile = found.profile
    environment = profile.environment
    lines = [
        profile.call,
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
        *filter(None, [describe_noise(environment)]),
    ]
    for title, side in (("compiled", profile.compiled), ("eager", profile.eager)):
        lines.append("")
        if isinstance(side, Unavailable):
            lines.append(f"{title}: not available. {side.reason}")
            continue
        overlay = found.overlay(side)
        lines += _describe_coverage(title, side)
        if overlay is not None:
            lines += filter(None, [describe_overlap(side)])
            lines += ["", *_line_table(found.capture, line_shares(overlay, side))]
        lines += ["", *_node_table(side, overlay)]
        if overlay is not None and overlay.strangers:
            lines.append(f"  not in the captured program: {', '.join(overlay.strangers[:10])}")
    lines += [f"warning: {warning}" for warning in profile.warnings]
    return "\n".join(lines)


def _describe_coverage(title: str, side: NodeTimes) -> Iterator[str]:
    runs = format_count(side.runs, "run")
    yield (
        f"{title}: {format_seconds(side.wall)} a run, recorded ({format_seconds(side.plain_wall)} "
        f"without recording), median of {runs}"
    )
    yield (
        f"  covered {side.coverage:.0%}: {format_seconds(side.covered)} at work, "
        f"{format_seconds(side.gaps)} dispatch and gaps"
    )


def _line_table(capture: Capture, lines: Sequence[tuple[LineTime, float]]) -> Iterator[str]:
    texts = {file.path: file.text.split("\n") for file in capture.files}
    rows = []
    for line, share in lines[:_MAX_PROFILE_ROWS]:
        text = texts.get(line.file, [])
        code = text[line.line - 1].strip() if 0 < line.line <= len(text) else ""
        rows.append(
            (
                format_seconds(line.seconds),
                f"{share:.0%}",
                format_seconds(line.total),
                describe_profile_place(line),
                code[:60],
            )
        )
    headers = ("line", "share", "with calls", "place", "")
    yield from format_table(headers, rows, right=(0, 1, 2))
    if rest := lines[_MAX_PROFILE_ROWS:]:
        seconds = format_seconds(sum(line.seconds for line, _ in rest))
        share = sum(share for _, share in rest)
        yield f"  and {len(rest):,} more lines, {seconds} together ({share:.0%})"


def _node_table(side: NodeTimes, overlay: Overlay | None) -> Iterator[str]:
    operations = {}
    if overlay is not None:
        graph = overlay.graph
        operations = {
            time.name: graph.string(graph.nodes.operation, node)
            for node, time in zip(overlay.nodes, overlay.times, strict=True)
        }
    rows = []
    ordered = sorted(side.times, key=lambda time: -time.exclusive)
    for time in ordered[:_MAX_PROFILE_ROWS]:
        rows.append(
            (
                format_seconds(time.exclusive),
                format_seconds(time.seconds),
                describe_observed_times(time, side.runs),
                f"{time.count:,}",
                time.name,
                operations.get(time.name, ""),
            )
        )
    kind = "instruction" if side.stage == "optimized" else "equation"
    headers = ("alone", "with inside", "observed", "times", kind, "operation")
    yield from format_table(headers, rows, right=(0, 1, 3))
    if len(ordered) > _MAX_PROFILE_ROWS:
        rest = sum(time.exclusive for time in ordered[_MAX_PROFILE_ROWS:])
        yield f"  and {len(ordered) - _MAX_PROFILE_ROWS:,} more, {format_seconds(rest)} together"


_MAX_LEAF_ROWS = 20


def write_comparison(found: ProgramComparison) -> str:
    """What the two are, what they take, and whether they return the same."""
    lines = [
        f"first:  {found.first}",
        f"second: {found.second}",
        describe_processes(found),
        *cost_lines(found),
        "",
        *format_timing(found.timing).split("\n")[1:],
        "",
        *_describe_results(found.agreement),
    ]
    return "\n".join(lines)


def write_agreement(found: Agreement) -> str:
    """A table for each pair of ways, then the equations where differences arise."""
    environment = found.environment
    lines = [
        found.call,
        f"JAX {environment.jax}, Python {environment.python}, {environment.place}",
    ]
    for pair in found.pairs:
        lines += ["", *_describe_results(pair)]
    if found.num_equations:
        lines += ["", *_describe_equations(found)]
    lines += ["", *describe_origin(found.origin)]
    if isinstance(found.origin, NumericDivergence) and found.origin.trials:
        rows = [trial_row(trial) for trial in found.origin.trials if trial.outcome != "unchanged"]
        lines += format_table(TRIAL_HEADERS, rows) if rows else []
    lines += [f"warning: {warning}" for warning in found.warnings]
    return "\n".join(lines)


def _describe_results(pair: ResultsAgreement) -> Iterator[str]:
    if pair.reason:
        yield f"{pair.first} against {pair.second}: not compared. {pair.reason}"
        return
    if all(leaf.is_equal for leaf in pair.leaves):
        count = format_count(len(pair.leaves), "array")
        yield f"{pair.first} against {pair.second}: equal bit by bit ({count})"
        return
    yield f"{pair.first} against {pair.second}:"
    yield from _leaf_table([leaf for leaf in pair.leaves if not leaf.is_equal])


def _describe_equations(found: Agreement) -> Iterator[str]:
    total = format_count(found.num_equations, "equation")
    if not found.equations:
        yield f"Each of {total} gives the same bits one by one and compiled with all others."
        return
    yield (
        f"{len(found.equations):,} of {total} ({found.stage}) give other bits compiled than one by "
        "one:"
    )
    rows = []
    for equation in found.equations[:_MAX_LEAF_ROWS]:
        rows.append(
            (
                equation.id,
                equation.operation,
                f"{os.path.basename(equation.place)}",
                describe_ulps(equation.worst),
                "arises here" if equation.inputs_equal else "from its inputs",
            )
        )
    yield from format_table(("equation", "operation", "line", "worst in ULP", ""), rows, right=(3,))
    if len(found.equations) > _MAX_LEAF_ROWS:
        yield f"  and {len(found.equations) - _MAX_LEAF_ROWS:,} more"


def _leaf_table(leaves: Sequence[LeafAgreement]) -> Iterator[str]:
    rows = [leaf_row(leaf) for leaf in leaves[:_MAX_LEAF_ROWS]]
    yield from format_table(LEAF_HEADERS, rows, right=(2, 3, 4, 5))
    if len(leaves) > _MAX_LEAF_ROWS:
        yield f"  and {len(leaves) - _MAX_LEAF_ROWS:,} more"


_WIDTH = 98
_LONGEST_DETAIL = 22

_NUMBER = re.compile(r"\d[\d.,]*(?<![.,])(?: ?%)?")

_STEADY = re.compile(r" Steady from call (\d+) on\.")
_PARTS = (
    "protocol: dispatch is until the call returned, wait from there until its result was ready, in "
    "the same calls. Dispatch alone is no measure of how long the work takes."
)


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
