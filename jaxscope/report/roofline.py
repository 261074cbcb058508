"""A roofline as a table, as a document and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

from jaxscope.model import Capture, Unavailable
from jaxscope.model.hardware import Ceilings, chip_of_target, find_chip
from jaxscope.model.said import BOTH, LISTED, said, say, say_joined, say_range
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.units import (
    format_bytes,
    format_flops,
    format_seconds,
    three_digits,
)
from jaxscope.program.cost.attribution import NO_ORIGIN, ROW_KINDS, SHARED
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.roofline import Roofline, RooflinePoint, find_best, find_limit, find_peak
from jaxscope.report.document import Cell, Number, Section, Table, Verbatim, known_cell, make_table
from jaxscope.schema.contract import number_to_json

HEADERS = (
    "FLOPs",
    "bytes",
    "FLOP/byte",
    "limit",
    "at best",
    "measured",
    "runs",
    "name",
    "what",
    "peak",
)
NO_CEILINGS = say("What this machine can do at most was not measured, so no limits are shown.")
"""Whoever shows it says how to measure that: by which command, or by which button."""
_MAX_ROWS = 25
_TOLERANCE = 1.1


def roofline_table(
    points: Sequence[RooflinePoint],
    ceilings: Ceilings | None,
    most: int | None = None,
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
        said(limit.kind),
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


def describe_bounds(found: Roofline, ceilings: Ceilings) -> str:
    """How many kernels are bound by what, in a sentence."""
    limits = [find_limit(point, ceilings) for point in found.kernels]
    kinds = Counter(limit.kind or "unknown" for limit in limits)
    bounds = ", ".join(f"{count:,} by {kind}" for kind, count in kinds.most_common())
    where = find_chip(ceilings.chip) if ceilings.chip else None
    return f"Kernels bound on {'this machine' if where is None else where.name}: {bounds}."


def describe_excess(points: Sequence[RooflinePoint], ceilings: Ceilings) -> str:
    """A sentence on measured points above the ceilings, which is no error; or nothing."""
    above = sum(
        0 < point.seconds < find_limit(point, ceilings).best / _TOLERANCE for point in points
    )
    if not above:
        return ""
    return say(
        "{above:,} measured faster than these ceilings allow: their data stays in caches, or other "
        "programs ran beside the calibration.",
        above=above,
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
) -> list[Section]:
    """What limits the program, and a table for each way to look at it.

    Args:
        calibration: What to type where there are no ceilings.
    """
    head = Section(blocks=[Verbatim(capture.call)])
    if isinstance(found, Unavailable):
        return [Section(blocks=[f"Roofline: not available: {found.reason}"]), head]
    answer = [describe_intensity(found)]
    if ceilings is not None:
        answer = [describe_bounds(found, ceilings), *answer]
    if ceilings is None:
        lines = [
            NO_CEILINGS,
            *([f"A few seconds measure it: {calibration}"] if calibration else []),
        ]
    else:
        lines = [
            describe_ceilings(ceilings),
            describe_protocol(ceilings),
            *(f"warning: {warning}" for warning in ceilings.warnings),
            *filter(None, [describe_excess(found.kernels, ceilings)]),
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
    found: Roofline | Unavailable, ceilings: Ceilings | None, target: str = ""
) -> dict[str, Any]:
    """Points and ceilings; null for what is not known.

    Args:
        target: What the kernels were compiled for.
    """
    points = {} if isinstance(found, Unavailable) else _points_to_json(found, ceilings)
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
            "warnings": list(ceilings.warnings),
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


def _points_to_json(found: Roofline, ceilings: Ceilings | None) -> dict[str, Any]:
    best = find_best(found, ceilings) if ceilings is not None else None
    return {
        "stage": found.stage,
        "notes": list(found.notes),
        "loops_counted_once": found.num_unbounded,
        "seconds_at_best": None if best is None else number_to_json(best.best),
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
    }
