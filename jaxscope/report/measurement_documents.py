"""A timing and the experiments as documents: tables of medians with their intervals, ratios,
causes, and what to mind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Environment, Measurement, SourceFile, Timing, Unavailable
from jaxscope.model.experiments import (
    REST,
    Advice,
    Agreement,
    CompileLine,
    CompileSpan,
    CompileTime,
    LeafAgreement,
    NumericDivergence,
    ProgramComparison,
    Recompilation,
    ResultsAgreement,
    Signature,
)
from jaxscope.model.said import CLAUSES, LISTED, NAMED, said, say, say_joined
from jaxscope.model.statistics import find_disturbances
from jaxscope.model.timing import LineTime, NodeTime, NodeTimes, Profile, Scaling
from jaxscope.model.units import format_count, format_seconds, format_share
from jaxscope.program.node_times import (
    Overlay,
    describe_observed_times,
    describe_overlap,
    describe_profile_place,
    line_shares,
    overlay_stage,
)
from jaxscope.program.recompilation import describe_key_change, describe_outside, num_recompilations
from jaxscope.report.document import (
    Block,
    Cell,
    Items,
    Number,
    Section,
    Table,
    Verbatim,
    count_cell,
    known_cell,
    make_table,
    number_cell,
)
from jaxscope.report.measurements import (
    EQUATION_HEADERS,
    FORM_WORDS,
    LEAF_HEADERS,
    PAIRED,
    SIGNATURE_HEADERS,
    TRIAL_HEADERS,
    cost_lines,
    describe_crossovers,
    describe_noise,
    describe_origin,
    describe_processes,
    describe_ratio,
    describe_sizes,
    describe_slope,
    describe_spread,
    equation_row,
    leaf_row,
    scaling_table,
    signature_row,
    trial_row,
)


def _open(call: str, environment: Environment) -> Section:
    """What every measurement is headed by: of what, where, and what disturbed it there."""
    place = f"JAX {environment.jax}, Python {environment.python}, {environment.place}"
    return Section(call, [place, *filter(None, [describe_noise(environment)])])


def _warn(warnings: Sequence[str]) -> Section:
    return Section(blocks=[f"warning: {warning}" for warning in warnings])


def scaling_to_document(scaling: Scaling) -> list[Section]:
    """A table with a row for each size, then how everything grows, and where the order changes."""
    slopes = [describe_slope(each, scaling.forms) for each in scaling.slopes]
    told = filter(None, [FORM_WORDS.get(scaling.forms[0])])
    return [
        Section(blocks=[describe_crossovers(scaling) or f"{slopes[0]}."]),
        _open(f"{scaling.call}  with {scaling.vary} varied", scaling.environment),
        Section(blocks=[scaling_table(scaling)]),
        Section(blocks=[Items(slopes)]),
        Section(blocks=[*told, *describe_sizes(scaling)]),
        _warn(scaling.warnings),
    ]


def recompilation_to_document(found: Recompilation) -> list[Section]:
    """A table of signatures, the reason of each, and advice."""
    calls = format_count(len(found.calls), "call")
    table = make_table(SIGNATURE_HEADERS, found.signatures, signature_row)
    again = [s for s in found.signatures if s.nearest is not None]
    count = format_count(num_recompilations(found), "recompilation")
    advice = [*map(describe_advice, found.advice)]
    return [
        Section(blocks=[f"{count} in {calls}, {format_seconds(found.wasted)} in all."]),
        _open(f"{calls}, starting with {found.call}", found.environment),
        Section(
            blocks=[table if table.rows else "Nothing was compiled by a call of a jitted function."]
        ),
        Section(blocks=[Items([line for each in again for line in _describe_cause(each)])]),
        Section("What to do" if advice else "", [Items(advice)]),
        Section(blocks=[describe_outside(found)] if found.outside else []),
        _warn(found.warnings),
    ]


def describe_advice(advice: Advice) -> str:
    """Such as `step (111 ms): …`; of compilations that count with other advice, no seconds."""
    much = f" ({format_seconds(advice.seconds)})" if advice.seconds > 0 else ""
    return say(NAMED, name=f"{advice.function}{much}", meaning=advice.text)


def describe_compile_time(found: CompileTime) -> str:
    """The stages and their seconds."""
    stages = [span for span in found.spans if span.parent < 0]
    each = (
        say("{name} {seconds}", name=said(span.name), seconds=format_seconds(span.seconds))
        for span in stages
    )
    told = say_joined(each, LISTED)
    return say("{seconds} in all: {told}.", seconds=format_seconds(found.seconds), told=told)


def costly_parts(found: CompileTime) -> list[CompileSpan]:
    """What has no parts, the costliest first; what is done in several places is added up.

    A line of Python takes time of tracing and of lowering: its name says of which.
    """
    outer = {span.parent for span in found.spans}
    sums: dict[tuple[str, str, int], CompileSpan] = {}
    for number, span in enumerate(found.spans):
        if number not in outer:
            name = "not attributed, or too small" if span.kind == REST else span.name
            if span.kind == "line":
                name = f"{_stage_of(found, span)}, {name}"
            key = (name, span.file, span.line)
            known = sums.get(key)
            seconds = span.seconds + (0.0 if known is None else known.seconds)
            sums[key] = dataclasses.replace(span, name=name, seconds=seconds)
    return sorted(sums.values(), key=lambda span: -span.seconds)


def _stage_of(found: CompileTime, span: CompileSpan) -> str:
    """The stage that a part is in: `trace`, `lower` or `compile`."""
    while span.parent >= 0:
        span = found.spans[span.parent]
    return span.name


LINE_HEADERS = ("line", "trace", "lower", "equations")


def compile_lines_table(found: CompileTime, most: int | None = None) -> Table:
    """What each line of Python took, and the equations that it made."""
    return make_table(LINE_HEADERS, found.lines, _compile_line, most)


def line_place(line: CompileLine) -> str:
    """Such as `train.py:12`."""
    return f"{line.file.rpartition('/')[2]}:{line.line}"


def _compile_line(line: CompileLine) -> tuple[Cell, ...]:
    return (
        line_place(line),
        _sampled_cell(line.trace),
        _sampled_cell(line.lower),
        count_cell(line.equations),
    )


def _sampled_cell(seconds: float) -> Cell:
    """Sampled seconds; `not seen` for a line in no sample, whose time is not known to be 0."""
    return known_cell(seconds, format_seconds) if seconds else Number(0.0, say("not seen"))


def describe_key_changes(signature: Signature) -> str:
    """In what a signature differs from the nearest one before it."""
    nearest = 0 if signature.nearest is None else signature.nearest
    return say(
        "{number} differs from {nearest}: {changes}",
        number=signature.number + 1,
        nearest=nearest + 1,
        changes=say_joined(map(describe_key_change, signature.changes), CLAUSES),
    )


def _describe_cause(signature: Signature) -> Iterator[str]:
    yield describe_key_changes(signature)
    if signature.agrees is False:
        yield "JAX explains it differently: " + " ".join(signature.jax_says.split())[:300]


_MAX_PROFILE_ROWS = 25


@dataclass(frozen=True, eq=False)
class ProfileOverlay:
    """A profile and the capture of the same call that it is laid over."""

    profile: Profile
    capture: Capture

    def overlay(self, side: NodeTimes) -> Overlay | None:
        return overlay_stage(self.capture.stages, side)


def profile_to_document(found: ProfileOverlay) -> list[Section]:
    """Tables: the costliest lines, instructions and equations, and what none of them explains."""
    profile = found.profile
    sections = [
        Section(blocks=[_name_costliest(profile)]),
        _open(profile.call, profile.environment),
    ]
    for title, side in (("compiled", profile.compiled), ("eager", profile.eager)):
        if isinstance(side, Unavailable):
            sections.append(Section(blocks=[f"{title}: not available. {side.reason}"]))
            continue
        overlay = found.overlay(side)
        sections.append(_describe_coverage(title, side, is_overlaid=overlay is not None))
        if overlay is not None:
            lines = line_shares(overlay, side)
            table = line_table(found.capture.files, lines, _MAX_PROFILE_ROWS)
            sections.append(Section(blocks=[table]))
        blocks: list[Block] = [node_table(side, overlay, _MAX_PROFILE_ROWS)]
        if overlay is not None and overlay.unmatched:
            blocks.append(f"not in the captured program: {', '.join(overlay.unmatched[:10])}")
        sections.append(Section(blocks=blocks))
    return [*sections, _warn(profile.warnings)]


def _name_costliest(profile: Profile) -> str:
    """The instruction that takes most, or the equation where nothing compiled was recorded."""
    sides = [s for s in (profile.compiled, profile.eager) if not isinstance(s, Unavailable)]
    side = next((side for side in sides if side.times), None)
    if side is None:
        return "No instruction and no equation was recorded."
    most = max(side.times, key=lambda time: time.exclusive)
    kind = "instruction" if side.stage == "optimized" else "equation"
    share = ""
    if side.wall > 0:
        recorded = "" if profile.recording else "recorded "  # which can be much slower
        share = f", {format_share(most.exclusive / side.wall)} of a {recorded}run"
    return (
        f"The {kind} that takes most is {most.name}: {format_seconds(most.exclusive)}{share} "
        f"(observed {describe_observed_times(most, side.runs)})."
    )


def _describe_coverage(title: str, side: NodeTimes, *, is_overlaid: bool) -> Section:
    return Section(
        f"{title}: {format_seconds(side.wall)} a run, recorded "
        f"({format_seconds(side.plain_wall)} without recording), median of "
        f"{format_count(side.runs, 'run')}",
        [
            f"covered {format_share(side.coverage)}: {format_seconds(side.covered)} at work, "
            f"{format_seconds(side.gaps)} dispatch and gaps",
            *filter(None, [describe_overlap(side)] if is_overlaid else []),
        ],
    )


def line_table(
    files: Sequence[SourceFile], lines: Sequence[tuple[LineTime, float]], most: int | None = None
) -> Table:
    """A row for each source line and its share, at most so many; the rest is summed up."""
    texts = {file.path: file.text.split("\n") for file in files}

    def row(found: tuple[LineTime, float]) -> tuple[Cell, ...]:
        line, share = found
        text = texts.get(line.file, [])
        code = text[line.line - 1].strip() if 0 < line.line <= len(text) else ""
        return (
            number_cell(line.seconds, format_seconds),
            number_cell(share, format_share),
            number_cell(line.total, format_seconds),
            describe_profile_place(line),
            Verbatim(code[:60] if most else code),
        )

    headers = ("alone", "of all work", "with calls", "line", "code")
    if not any(texts.get(line.file) for line, _ in lines):  # a job's profile has no code
        table = make_table(headers[:-1], lines, lambda found: row(found)[:-1], most)
    else:
        table = make_table(headers, lines, row, most)
    left_out = lines[most:] if table.num_left_out else ()
    if not left_out:
        return table
    seconds = format_seconds(sum(line.seconds for line, _ in left_out))
    share = sum(share for _, share in left_out)
    rest = f"and {len(left_out):,} more lines, {seconds} together ({format_share(share)})"
    return dataclasses.replace(table, rest=rest, num_left_out=0)


def node_table(
    side: NodeTimes, overlay: Overlay | None, most: int | None = None, *, is_of_job: bool = False
) -> Table:
    """A row for each instruction or equation, at most so many; the rest is summed up.

    Args:
        is_of_job: Whether to say of each instruction what JAX called its equation.
    """
    operations, equations = {}, {}
    if overlay is not None:
        graph = overlay.graph
        for node, time in zip(overlay.nodes, overlay.times, strict=True):
            operations[time.name] = graph.operation(node)
            if is_of_job:
                equations[time.name] = graph.attributes(node).get("op_name", "")

    def row(time: NodeTime) -> tuple[Cell, ...]:
        return (
            number_cell(time.exclusive, format_seconds),
            number_cell(time.seconds, format_seconds),
            Number(time.low, describe_observed_times(time, side.runs)),
            count_cell(time.count),
            time.name,
            operations.get(time.name, ""),
            *((Verbatim(equations.get(time.name, "")),) if is_of_job else ()),
        )

    kind = "instruction" if side.stage == "optimized" else "equation"
    headers = ("alone", "with inside", "observed", "times", kind, "operation")
    shown = (*headers, "equation") if is_of_job else headers
    ordered = sorted(side.times, key=lambda time: -time.exclusive)
    table = make_table(shown, ordered, row, most)
    if not table.num_left_out:
        return table
    seconds = format_seconds(sum(time.exclusive for time in ordered[most:]))
    rest = f"{table.footnote}, {seconds} together"
    return dataclasses.replace(table, rest=rest, num_left_out=0)


_MAX_LEAF_ROWS = 20


def programs_to_document(found: ProgramComparison) -> list[Section]:
    """What the two are, what they take, and whether they return the same."""
    answer, opening, *timing = timing_to_document(found.timing)
    pair = found.agreement
    if pair.reason or _differing(pair):  # whoever reads the times alone would take them for equal
        answer = dataclasses.replace(answer, blocks=[*answer.blocks, f"{_describe_pair(pair)}."])
    sides = [f"first:  {found.first}", f"second: {found.second}"]
    return [
        answer,
        Section(blocks=[*sides, describe_processes(found), Items(cost_lines(found))]),
        Section(blocks=opening.blocks),
        *timing,
        _results_section(found.agreement),
    ]


def agreement_to_document(found: Agreement) -> list[Section]:
    """A table for each pair of ways, then the equations where differences arise."""
    origin: list[Block] = [*describe_origin(found.origin)]
    if isinstance(found.origin, NumericDivergence):
        trials = [trial for trial in found.origin.trials if trial.outcome != "unchanged"]
        origin += [make_table(TRIAL_HEADERS, trials, trial_row)] if trials else []
    return [
        Section(blocks=[*map(_describe_pair, found.pairs)]),
        _open(found.call, found.environment),
        *(_results_section(pair) for pair in found.pairs if _differing(pair)),
        *([_equations_section(found)] if found.num_equations else []),
        Section(blocks=origin),
        _warn(found.warnings),
    ]


def _results_section(pair: ResultsAgreement) -> Section:
    differing = _differing(pair)
    table = [make_table(LEAF_HEADERS, differing, leaf_row, _MAX_LEAF_ROWS)] if differing else []
    return Section(_describe_pair(pair), table)


def _differing(pair: ResultsAgreement) -> list[LeafAgreement]:
    return [] if pair.reason else [leaf for leaf in pair.leaves if not leaf.is_equal]


def _describe_pair(pair: ResultsAgreement) -> str:
    """Whether two ways give the same, in a sentence."""
    sides = f"{pair.first} against {pair.second}"
    if pair.reason:
        return f"{sides}: not compared. {pair.reason}"
    arrays = format_count(len(pair.leaves), "array")
    differing = _differing(pair)
    if not differing:
        return f"{sides}: equal bit by bit ({arrays})"
    return f"{sides}: different in {len(differing):,} of {arrays}"


def _equations_section(found: Agreement) -> Section:
    total = format_count(found.num_equations, "equation")
    if not found.equations:
        told = f"Each of {total} gives the same bits one by one and compiled with all others."
        return Section(blocks=[told])
    title = f"{len(found.equations):,} of {total} ({found.stage}) give other bits compiled than one"
    return Section(
        f"{title} by one:",
        [make_table(EQUATION_HEADERS, found.equations, equation_row, _MAX_LEAF_ROWS)],
    )


_LONGEST_DETAIL = 22
_SIDE_ROWS = frozenset(
    {
        *("import", "jax_start", "second_call", "jit_until_steady", "first_eager_call"),
        *("eager_until_steady", "transfer", "fetch", "throughput"),
    }
)
_PARTS = (
    "protocol: dispatch is until the call returned, wait from there until its result was ready, in "
    "the same calls. Dispatch alone is no measure of how long the work takes."
)


def timing_to_document(timing: Timing, *, is_whole: bool = True) -> list[Section]:
    """The answer; a table of medians with the interval that they lie in; what to mind.

    Args:
        is_whole: Whether every row is there, and how it was measured; without, what a call takes
            from its first line to its steady state.
    """
    answer = Section(blocks=list(_tell_speed(timing)))
    opening = _open(timing.call, timing.environment)
    shown = [each for each in timing.measurements if is_whole or _is_main(each.name)]
    if not is_whole:
        table = make_table(("",) * 5, shown, _short_row)
        left_out = format_count(len(timing.measurements) - len(shown), "more row")
        return [
            answer,
            opening,
            Section(blocks=[table]),
            Section(blocks=_warn(timing.warnings).blocks),
            Section(
                blocks=[
                    *_tell_paired(timing),
                    f"{left_out}, how each was measured and what disturbed it: --all",
                ]
            ),
        ]
    return [
        answer,
        opening,
        Section(blocks=[make_table(("",) * 6, shown, _row)]),
        Section(blocks=[*_long_details(timing), *_tell_paired(timing), *_protocols(timing)]),
        Section(blocks=[*_noise(timing), *_warn(timing.warnings).blocks]),
    ]


def _tell_speed(timing: Timing) -> Iterator[str]:
    """How much faster what is; of a program that is compared with nothing, how long it takes."""
    for ratio in timing.ratios:
        yield f"{describe_ratio(ratio)}{' · noisy' * ratio.is_noisy}"
    if timing.ratios:
        return
    for each in timing.measurements:
        if each.name.rpartition("_")[2] == "jit" and _is_main(each.name):
            noisy = " · noisy" * each.is_noisy
            name = each.name.replace("_", " ")
            yield f"{name} takes {format_seconds(each.median)} ({describe_spread(each)}){noisy}"


def _tell_paired(timing: Timing) -> list[str]:
    return [PAIRED] if any(ratio.is_judged for ratio in timing.ratios) else []


def _is_main(name: str) -> bool:
    """Whether a row is of a whole call or of making its program."""
    own = name.removeprefix("value_and_").removeprefix("gradient_")
    return _whole_of(name) == name and own not in _SIDE_ROWS


def _protocols(timing: Timing) -> Iterator[str]:
    """How steady calls and copies were measured: each protocol once, with what it is of."""
    found: dict[str, list[str]] = {}
    steady: dict[int, list[str]] = {}
    for measurement in timing.measurements:
        name, protocol = measurement.name, measurement.protocol
        is_once = measurement.runs < 2 and name.rpartition("_")[2] not in ("eager", "jit")
        if not protocol or is_once or _whole_of(name) != name:
            continue
        if measurement.steady_from:
            steady.setdefault(measurement.steady_from, []).append(name)
        found.setdefault(protocol, []).append(name)
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


def _is_detail_long(measurement: Measurement) -> bool:
    """Whether it would widen the table: six processes may each say something else."""
    return len(measurement.detail) > _LONGEST_DETAIL


def _long_details(timing: Timing) -> Iterator[str]:
    """What the table has no room for."""
    for measurement in filter(_is_detail_long, timing.measurements):
        yield f"{measurement.name}: {measurement.detail}."


def _row(measurement: Measurement) -> tuple[Cell, ...]:
    detail = "" if _is_detail_long(measurement) else measurement.detail
    device = known_cell(measurement.device_seconds, format_seconds).text
    runs = f"{measurement.runs} run" + (" " if measurement.runs == 1 else "s")
    return (
        f"{measurement.name} ({detail})" if detail else measurement.name,
        number_cell(measurement.median, format_seconds),
        describe_spread(measurement) if measurement.runs > 1 else "",
        Number(measurement.runs, runs),
        f"{device} on the device" if device else "",
        "noisy" if measurement.is_noisy else "",
    )


def _short_row(measurement: Measurement) -> tuple[Cell, ...]:
    """A row without the time on the device: it fits 80 characters."""
    *first, _device, noisy = _row(measurement)
    return (*first, noisy)


def _noise(timing: Timing) -> Iterator[str]:
    """Every reason for noise once: its numbers stand in one sentence, with what they concern."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    everywhere = find_disturbances(timing.environment)
    for measurement in timing.measurements:
        for reason in measurement.reasons if measurement.is_noisy else ():
            if reason in everywhere:
                continue  # stands on top
            if isinstance(reason, str):  # of a file of an earlier release: its end takes the names
                before, value, after = reason.removesuffix(".") + " ", "", "."
            else:
                before, value, after = reason.parts()
            names = found.setdefault((before, after), {}).setdefault(value, [])
            if _whole_of(measurement.name) not in names:  # whose parts suffer with it
                names.append(measurement.name)
    for (before, after), values in found.items():
        parts = [f"{value} ({', '.join(names)})".lstrip() for value, names in values.items()]
        yield f"noisy: {before}{', '.join(parts)}{after}"
