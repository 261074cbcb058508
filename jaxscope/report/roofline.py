"""A roofline as a table, as a document and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from jaxscope.model import Capture, Environment, Unavailable
from jaxscope.model.hardware import Ceilings, chip_of_target, find_chip
from jaxscope.model.said import BOTH, LISTED, said, say, say_joined, say_range
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.timing import Measurement, Timing
from jaxscope.model.units import format_bytes, format_flops, format_seconds, three_digits
from jaxscope.program.cost.attribution import NO_ORIGIN, ROW_KINDS, SHARED
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.roofline import Roofline, RooflinePoint, find_best, find_limit, find_peak
from jaxscope.report.document import Cell, Number, Section, Table, Verbatim, known_cell, make_table
from jaxscope.report.measurements import describe_noise
from jaxscope.schema.contract import environment_to_json, number_to_json

HEADERS = (
    *("FLOPs", "bytes", "FLOP/byte", "limit", "at best", "measured", "runs", "name", "what"),
    "peak",
)
NO_CEILINGS = say("What this machine can do at most was not measured, so no limits are shown.")
"""Whoever shows it says how to measure that: by which command, or by which button."""
_MAX_ROWS = 25
_SPREAD = 1.25
"""Where half of the runs took so many times as long as the fastest, something disturbed them."""
EXCEEDED = say("measured faster")


def roofline_table(
    points: Sequence[RooflinePoint], ceilings: Ceilings | None, most: int | None = None
) -> Table:
    """A row for each point."""
    return make_table(HEADERS, points, lambda point: _roofline_row(point, ceilings), most)


def _roofline_row(point: RooflinePoint, ceilings: Ceilings | None) -> tuple[Cell, ...]:
    """The cells of a point."""
    limit = find_limit(point, ceilings)
    best = "" if math.isnan(limit.best) else say_range(limit.best, limit.most, format_seconds)
    rounds = say_range(point.least_rounds, point.rounds, "{:,}".format)
    intensity = known_cell(point.intensity, three_digits)
    if not point.has_one_intensity:
        intensity = dataclasses.replace(intensity, text=say("depends"))
    return (
        Number(point.flops, say_range(point.least_flops, point.flops, format_flops)),
        Number(point.num_bytes, say_range(point.least_bytes, point.num_bytes, format_bytes)),
        intensity,
        EXCEEDED if limit.is_exceeded else said(limit.kind),
        Number(limit.most, best),
        known_cell(point.seconds, format_seconds),
        Number(point.rounds, rounds),
        point.name,
        said(point.operation) if point.operation in ROW_KINDS else point.operation,
        ", ".join(limit.peaks) if ceilings is not None and ceilings.is_published else "",
    )


def describe_ceilings(ceilings: Ceilings) -> str:
    """What was measured and where, or what is published, in a sentence."""
    arithmetic, bandwidth = ceilings.arithmetic, ceilings.bandwidth
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    if chip is not None:
        by_rate: dict[float, list[str]] = {}
        for name, rate in chip.peak.items():
            by_rate.setdefault(rate / chip.devices, []).append(name)
        rates = (
            say("{rate}/s in {names}", rate=format_flops(rate), names=say_joined(names, BOTH))
            for rate, names in by_rate.items()
        )
        return say(
            "{device}: {rates}; {bandwidth}/s. Not measured.",
            device=ceilings.environment.device,
            rates=say_joined(rates, LISTED),
            bandwidth=format_bytes(bandwidth.best),
        )
    host, device = ceilings.environment.host, ceilings.environment.device
    where: str = say("on {host}, {device}", host=host, device=device) if host else device
    return say(
        "Measured {where}: {flops}/s and {bandwidth}/s at best (median {median_flops}/s, "
        "{median_bandwidth}/s); they meet at {ridge} FLOP/byte.",
        where=where,
        flops=format_flops(arithmetic.best),
        bandwidth=format_bytes(bandwidth.best),
        median_flops=format_flops(arithmetic.median),
        median_bandwidth=format_bytes(bandwidth.median),
        ridge=three_digits(ceilings.ridge),
    )


def describe_conditions(ceilings: Ceilings) -> list[str]:
    """When each peak was measured, how busy the machine was, and what to doubt; of those of a
    chip, nothing.
    """
    if ceilings.is_published:
        return []
    arithmetic, bandwidth = ceilings.arithmetic, ceilings.bandwidth
    names = ((arithmetic, say("Arithmetic")), (bandwidth, say("Memory")))
    if arithmetic.conditions == bandwidth.conditions:
        told = say(
            "Peaks are the best of {num:,} and {other:,} runs",
            num=arithmetic.runs,
            other=bandwidth.runs,
        )
        parts = [_describe_when(told, arithmetic.conditions, ceilings)]
    else:
        parts = [
            _describe_when(
                say("{peak}: the best of {num:,} runs", peak=name, num=ceiling.runs),
                ceiling.conditions,
                ceilings,
            )
            for ceiling, name in names
        ]
    latest = ceilings.environment.recorded_at
    if latest and latest not in {each.conditions.recorded_at or latest for each, _ in names}:
        parts.append(say("What was measured {latest} was less: the best is kept.", latest=latest))
    found: list[str] = [say_joined(parts)]
    noises = dict.fromkeys(
        filter(None, (describe_noise(each.conditions) for each in (arithmetic, bandwidth)))
    )
    found += [
        say("{noise} These peaks are likely too low: measure again when it is idle.", noise=noise)
        for noise in noises
    ]
    return found + [
        say(
            "{peak}: half of the runs took {factor} times as long as the fastest, or longer: "
            "something disturbed them, and the peak may be too low.",
            peak=name,
            factor=three_digits(ceiling.best / ceiling.median),
        )
        for ceiling, name in names
        if not noises and ceiling.best > _SPREAD * ceiling.median
    ]


def _describe_when(told: str, conditions: Environment, ceilings: Ceilings) -> str:
    when = conditions.recorded_at or ceilings.environment.recorded_at
    told = say("{told}, {when}", told=told, when=when) if when else told
    if conditions.busy_processors is not None:
        return say(
            "{told}; other programs kept {busy} of {num} processors busy.",
            told=told,
            busy=f"{conditions.busy_processors:.1f}",
            num=conditions.processors,
        )
    if conditions.load is not None:
        return say(
            "{told}; load {load:.1f} on {num} processors.",
            told=told,
            load=conditions.load,
            num=conditions.processors,
        )
    return say("{told}; how busy the machine was then is not known.", told=told)


def describe_protocol(ceilings: Ceilings) -> str:
    """How the ceilings were measured, or where they are from."""
    protocols = (ceilings.arithmetic.protocol, ceilings.bandwidth.protocol)
    return say_joined((*protocols, say("What stays in caches can be faster.")))


def describe_intensity(found: Roofline) -> str:
    """FLOPs for each byte of all kernels, in a sentence."""
    if any(point.is_uncertain for point in found.kernels):
        return "How many FLOPs it does for each byte depends on the branches that it takes."
    flops = math.fsum(p.flops for p in found.kernels if not math.isnan(p.flops))
    moved = math.fsum(p.num_bytes for p in found.kernels if not math.isnan(p.num_bytes))
    ratio = f"{flops / moved:.3g} FLOP per byte" if moved else "no traffic"
    return f"Its kernels do {ratio}."


UNDECIDED = say(
    "What bounds the kernels is not known: the call was measured faster than these peaks allow."
)


def describe_bounds(found: Roofline, ceilings: Ceilings, seconds: float) -> str:
    """How many kernels are bound by what, in a sentence.

    Args:
        seconds: As in `describe_fast_call`: where the call beats the peaks, they bound nothing.
    """
    if describe_fast_call(found, ceilings, seconds):
        return UNDECIDED
    limits = [find_limit(point, ceilings) for point in found.kernels]
    kinds = Counter(
        "nothing that is known (measured faster than the peaks)"
        if limit.is_exceeded
        else limit.kind or "unknown"
        for limit in limits
    )
    bounds = ", ".join(f"{count:,} by {kind}" for kind, count in kinds.most_common())
    where = find_chip(ceilings.chip) if ceilings.chip else None
    return f"Kernels bound on {'this machine' if where is None else where.name}: {bounds}."


def describe_excess(points: Sequence[RooflinePoint], ceilings: Ceilings) -> str:
    """A sentence on points that were measured faster than the ceilings allow; or nothing."""
    limits = [find_limit(point, ceilings) for point in points]
    if ceilings.is_published:
        above = sum(0 < p.seconds < m.best for p, m in zip(points, limits, strict=True))
        told = say(
            "{above:,} measured faster than these ceilings allow: another device ran them, or "
            "their data stays in caches.",
            above=above,
        )
        return told if above else ""
    above = sum(limit.is_exceeded for limit in limits)
    if not above:
        return ""
    return say(
        "{above:,} measured faster than these ceilings allow: {why} “At best” is there what was "
        "measured.",
        above=above,
        why=_TOO_LOW,
    )


_TOO_LOW = say(
    "the peaks were measured too low (measure again when the machine is idle), or data stays in "
    "caches."
)


def find_fastest_call(timing: Timing | None) -> float:
    """Seconds of the fastest jitted run that was measured of a call; NaN where there is none."""
    return find_fastest_run(None if timing is None else timing.measurement("jit"))


def find_fastest_run(measured: Measurement | None) -> float:
    """Seconds of the fastest of its runs; NaN where there is none."""
    known = () if measured is None else filter(math.isfinite, measured.samples)
    return min(known, default=math.nan)


def describe_fast_call(found: Roofline, ceilings: Ceilings, seconds: float) -> str:
    """A sentence where the whole call was measured faster than the ceilings allow; or nothing.

    Args:
        seconds: Of its fastest run on the machine of the ceilings; NaN where it was not measured.
    """
    best = find_best(found, ceilings).best
    if ceilings.is_published or found.stage == "hlo" or not 0 < seconds < best:
        return ""
    return say(
        "The call was measured in {seconds}; these ceilings allow {best} at best: {why}",
        seconds=format_seconds(seconds),
        best=format_seconds(best),
        why=_TOO_LOW,
    )


def describe_compiled_for(target: str, ceilings: Ceilings) -> list[str]:
    """A sentence where kernels were compiled for something else than the chip that bounds them."""
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    if chip is None or chip_of_target(target) is chip:
        return []
    return [
        say(
            "These kernels were compiled for {target}: for {chip} XLA makes others. To see those: "
            "--target {other}",
            target=target,
            chip=chip.title,
            other=chip.target,
        )
    ]


def describe_unmeasured(found: Roofline, ceilings: Ceilings) -> list[str]:
    """A sentence on kernels whose arithmetic is not that of the product that was measured."""
    missing: dict[str, None] = {}
    count = 0
    for point in found.kernels:
        names = [n for n, _ in point.work if math.isnan(find_peak(ceilings, n).rate)]
        missing.update(dict.fromkeys(find_peak(ceilings, name).name for name in names))
        count += bool(names)
    if not count:
        return []
    kernels = say("1 kernel has") if count == 1 else say("{count:,} kernels have", count=count)
    return [
        say(
            "{kernels} no limit: they multiply in {types}, and what was measured is a product in "
            "f32.",
            kernels=kernels,
            types="; ".join(missing),
        )
    ]


def describe_rows(found: Roofline) -> list[str]:
    """How lines, scopes and equations get their part of the kernels."""
    left_out = say(
        "Lines, scopes and equations with a part of what XLA does not count are left out."
    )
    return [SHARED, *([left_out] if found.uncounted else [])]


def roofline_to_document(
    capture: Capture,
    found: Roofline | Unavailable,
    ceilings: Ceilings | None,
    calibration: str = "",
    timing: Timing | None = None,
) -> list[Section]:
    """What limits the program, and a table for each way to look at it.

    Args:
        calibration: What to type where there are no ceilings.
        timing: What was measured of the call, if anything was.
    """
    head = Section(blocks=[Verbatim(capture.call)])
    if isinstance(found, Unavailable):
        return [Section(blocks=[f"Roofline: not available: {found.reason}"]), head]
    answer = [describe_intensity(found)]
    if ceilings is not None:
        answer = [describe_bounds(found, ceilings, find_fastest_call(timing)), *answer]
    if ceilings is None:
        lines = [
            NO_CEILINGS,
            *([f"A few seconds measure it: {calibration}"] if calibration else []),
        ]
    else:
        lines = [
            describe_ceilings(ceilings),
            *describe_conditions(ceilings),
            describe_protocol(ceilings),
            *(f"warning: {warning}" for warning in ceilings.warnings),
            *filter(None, [describe_excess(found.kernels, ceilings)]),
            *filter(None, [describe_fast_call(found, ceilings, find_fastest_call(timing))]),
            *describe_compiled_for(capture.target, ceilings),
            *describe_unmeasured(found, ceilings),
        ]

    def table(points: Sequence[RooflinePoint]) -> Table:
        return roofline_table(points, ceilings, _MAX_ROWS).without_empty_columns()

    return [
        Section(blocks=[" ".join(answer)]),
        head,
        Section(blocks=[*lines, *found.notes]),
        Section("kernels", [table(found.kernels)]),
        Section("source lines", [*describe_rows(found), table(found.lines)]),
        Section("named scopes", [table(found.scopes)]),
        Section("equations", [table(label_equations(capture, found.equations))]),
    ]


def label_equations(
    capture: Capture | None, points: tuple[RooflinePoint, ...]
) -> tuple[RooflinePoint, ...]:
    """Points of equations, named by what they compute where the capture says, not by their ids."""
    graph = find_lowered_jaxpr(capture.stages) if capture is not None else None
    labels = short_equation_names(graph) if graph is not None else {}
    return tuple(
        dataclasses.replace(point, name=labels.get(point.name, say("equation {id}", id=point.name)))
        if point.name != NO_ORIGIN
        else point
        for point in points
    )


def roofline_to_json(
    found: Roofline | Unavailable,
    ceilings: Ceilings | None,
    target: str = "",
    timing: Timing | None = None,
) -> dict[str, Any]:
    """Points and ceilings; null for what is not known.

    Args:
        target: What the kernels were compiled for.
        timing: What was measured of the call, if anything was.
    """
    seconds = find_fastest_call(timing)
    points = {} if isinstance(found, Unavailable) else _points_to_json(found, ceilings, seconds)
    return {
        "unavailable": found.reason if isinstance(found, Unavailable) else None,
        "ceilings": None
        if ceilings is None
        else {
            "published_for": ceilings.environment.device if ceilings.is_published else None,
            "flops_per_second": ceilings.arithmetic.best,
            "peaks": _peaks(ceilings),
            "bytes_per_second": ceilings.bandwidth.best,
            "protocol": [ceilings.arithmetic.protocol, ceilings.bandwidth.protocol],
            "measured": [
                {"name": each.name, "runs": each.runs, "median": each.median}
                | environment_to_json(each.conditions)
                for each in (ceilings.arithmetic, ceilings.bandwidth)
                if each.runs
            ],
            "warnings": [*ceilings.warnings, *describe_conditions(ceilings)[1:]],
        },
        "kernels_compiled_for": target or None,
        **points,
    }


def _peaks(ceilings: Ceilings) -> dict[str, float]:
    """FLOP per second of one device, by type."""
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    if chip is None:
        return {"f32": ceilings.arithmetic.best}
    return {name: rate / chip.devices for name, rate in chip.peak.items()}


def _points_to_json(found: Roofline, ceilings: Ceilings | None, seconds: float) -> dict[str, Any]:
    best = find_best(found, ceilings).best if ceilings is not None else math.nan
    is_faster = ceilings is not None and bool(describe_fast_call(found, ceilings, seconds))
    return {
        "stage": found.stage,
        "notes": list(found.notes),
        "loops_counted_once": found.num_unbounded,
        "seconds_at_best": number_to_json(seconds if is_faster else best),
        "seconds": number_to_json(seconds),
        "measured_faster": is_faster,
        **{
            name: [_point_to_json(point, ceilings) for point in points]
            for name, points in (
                ("kernels", found.kernels),
                ("lines", found.lines),
                ("scopes", found.scopes),
                ("equations", found.equations),
            )
        },
    }


def _point_to_json(point: RooflinePoint, ceilings: Ceilings | None) -> dict[str, Any]:
    limit = find_limit(point, ceilings)
    has_range = not math.isnan(point.least_flops)
    return {
        "name": point.name,
        "operation": point.operation,
        "runs": point.rounds,
        "least_runs": point.least_rounds,
        "in_branch": point.is_uncertain,
        "flops": point.flops,
        "bytes": point.num_bytes,
        "least_flops": point.least_flops if has_range else point.flops,
        "least_bytes": point.least_bytes if has_range else point.num_bytes,
        "intensity": number_to_json(point.intensity) if point.has_one_intensity else None,
        "limit": limit.kind or None,
        "peaks": list(limit.peaks),
        "seconds_at_best": number_to_json(limit.best),
        "seconds": number_to_json(point.seconds),
        "measured_faster": limit.is_exceeded,
    }
