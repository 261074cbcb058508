"""A roofline as rows, as a text and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.model import Capture, Unavailable
from jaxscope.model.hardware import Ceilings, chip_of_target, find_chip
from jaxscope.model.stages import find_lowered_jaxpr
from jaxscope.model.units import (
    format_bytes,
    format_flops,
    format_range,
    format_seconds,
    three_digits,
)
from jaxscope.program.cost.attribution import COMPILER
from jaxscope.program.equation_text import short_equation_names
from jaxscope.program.roofline import Roofline, RooflinePoint, find_best, find_limit, find_peak
from jaxscope.report.table import format_table

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
NUMERIC = (0, 1, 2, 4, 5, 6)
NO_CEILINGS = "What this machine can do at most was not measured, so no limits are shown."
"""Whoever shows it says how to measure that: by which command, or by which button."""
_MAX_ROWS = 25
_TOLERANCE = 1.1


def roofline_row(
    point: RooflinePoint, ceilings: Ceilings | None, found: Roofline | None = None
) -> tuple[str, ...]:
    """The cells of a point."""
    limit = find_limit(point, ceilings, found)
    return (
        format_range(point.least_flops, point.flops, format_flops),
        format_range(point.least_bytes, point.num_bytes, format_bytes),
        "" if math.isnan(point.intensity) else three_digits(point.intensity),
        limit.kind,
        "" if math.isnan(limit.best) else format_range(limit.best, limit.most, format_seconds),
        "" if math.isnan(point.seconds) else format_seconds(point.seconds),
        f"up to {point.rounds:,}" if point.is_uncertain else f"{point.rounds:,}",
        point.name,
        point.operation,
        ", ".join(limit.peaks) if ceilings is not None and ceilings.is_published else "",
    )


def roofline_numbers(
    point: RooflinePoint, ceilings: Ceilings | None, found: Roofline | None = None
) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`."""
    values = (
        point.flops,
        point.num_bytes,
        point.intensity,
        find_limit(point, ceilings, found).most,
        point.seconds,
        float(point.rounds),
    )
    return tuple(-1.0 if math.isnan(value) else value for value in values)


def describe_ceilings(ceilings: Ceilings) -> str:
    """What was measured and where, or what is published, in a sentence."""
    arithmetic, bandwidth = ceilings.arithmetic, ceilings.bandwidth
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    if chip is not None:
        by_rate: dict[float, list[str]] = {}
        for name, rate in chip.peak.items():
            by_rate.setdefault(rate / chip.devices, []).append(name)
        rates = ", ".join(
            f"{format_flops(rate)}/s in {' and '.join(names)}" for rate, names in by_rate.items()
        )
        return (
            f"{ceilings.environment.device}: {rates}; {format_bytes(bandwidth.best)}/s. "
            "Not measured."
        )
    host = ceilings.environment.host
    where = f"on {host}, {ceilings.environment.device}" if host else ceilings.environment.device
    return (
        f"Measured {where}: {format_flops(arithmetic.best)}/s and "
        f"{format_bytes(bandwidth.best)}/s at best (median {format_flops(arithmetic.median)}/s, "
        f"{format_bytes(bandwidth.median)}/s); they meet at {three_digits(ceilings.ridge)} "
        "FLOP/byte."
    )


def describe_protocol(ceilings: Ceilings) -> str:
    """How the ceilings were measured, or where they are from."""
    if ceilings.is_published:
        return f"{ceilings.arithmetic.protocol} {ceilings.bandwidth.protocol}"
    return (
        f"{ceilings.arithmetic.protocol} {ceilings.bandwidth.protocol} What stays in caches can be "
        "faster."
    )


def describe_excess(points: Sequence[RooflinePoint], ceilings: Ceilings) -> str:
    """A sentence on measured points above the ceilings, which is no error; or nothing."""
    above = sum(
        0 < point.seconds < find_limit(point, ceilings).best / _TOLERANCE for point in points
    )
    if not above:
        return ""
    return (
        f"{above:,} measured faster than these ceilings allow: their data stays in caches, or "
        "other programs ran beside the calibration."
    )


def describe_compiled_for(target: str, ceilings: Ceilings) -> list[str]:
    """A sentence where kernels were compiled for something else than the chip that bounds them."""
    chip = find_chip(ceilings.chip) if ceilings.chip else None
    if chip is None or chip_of_target(target) is chip:
        return []
    return [
        f"These kernels were compiled for {target}: for {chip.title} XLA makes others. "
        f"To see those: --target {chip.target}"
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
    kernels = "1 kernel has" if count == 1 else f"{count:,} kernels have"
    return [
        f"{kernels} no limit: they multiply in {'; '.join(missing)}, and what was measured is a "
        "product in f32."
    ]


def roofline_to_text(
    capture: Capture,
    found: Roofline | Unavailable,
    ceilings: Ceilings | None,
    calibration: str = "",
) -> str:
    """The roofline for a person at a terminal.

    Args:
        calibration: What to type where there are no ceilings.
    """
    lines = [capture.call, ""]
    if isinstance(found, Unavailable):
        return "\n".join([*lines, f"Roofline: not available: {found.reason}"])
    if ceilings is None:
        lines.append(NO_CEILINGS)
        lines += [f"A few seconds measure it: {calibration}"] if calibration else []
    else:
        lines.append(describe_ceilings(ceilings))
    if ceilings is not None:
        lines.append(describe_protocol(ceilings))
        lines += [f"warning: {warning}" for warning in ceilings.warnings]
        lines += filter(None, [describe_excess(found.kernels, ceilings)])
        lines += describe_compiled_for(capture.target, ceilings)
        lines += describe_unmeasured(found, ceilings)
    lines += found.notes
    for title, points in (
        ("kernels", found.kernels),
        ("source lines", found.lines),
        ("named scopes", found.scopes),
        ("equations", label_equations(capture, found.equations)),
    ):
        lines += ["", title, *_table(points, ceilings, found)]
    return "\n".join(lines)


def label_equations(
    capture: Capture | None, points: tuple[RooflinePoint, ...]
) -> tuple[RooflinePoint, ...]:
    """Points of equations, named by what they compute where the capture tells, not by their ids."""
    graph = find_lowered_jaxpr(capture.stages) if capture is not None else None
    labels = short_equation_names(graph) if graph is not None else {}
    return tuple(
        dataclasses.replace(point, name=labels.get(point.name, f"equation {point.name}"))
        if point.name != COMPILER
        else point
        for point in points
    )


def _table(
    points: tuple[RooflinePoint, ...], ceilings: Ceilings | None, found: Roofline
) -> Iterator[str]:
    rows = [roofline_row(point, ceilings, found) for point in points[:_MAX_ROWS]]
    shown = [n for n in range(len(HEADERS)) if any(row[n] for row in rows)]
    yield from format_table(
        [HEADERS[n] for n in shown],
        [[row[n] for n in shown] for row in rows],
        right=[place for place, n in enumerate(shown) if n in NUMERIC],
    )
    if len(points) > _MAX_ROWS:
        yield f"  and {len(points) - _MAX_ROWS:,} more"


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
        "seconds_at_best": None if best is None else _known(best.best),
        **{
            name: [_point_to_json(point, ceilings, found) for point in points]
            for name, points in (
                ("kernels", found.kernels),
                ("lines", found.lines),
                ("scopes", found.scopes),
                ("equations", found.equations),
            )
        },
    }


def _point_to_json(
    point: RooflinePoint, ceilings: Ceilings | None, found: Roofline
) -> dict[str, Any]:
    limit = find_limit(point, ceilings, found)
    has_range = not math.isnan(point.least_flops)
    return {
        "name": point.name,
        "operation": point.operation,
        "runs": point.rounds,
        "in_branch": point.is_uncertain,
        "flops": point.flops,
        "bytes": point.num_bytes,
        "least_flops": point.least_flops if has_range else point.flops,
        "least_bytes": point.least_bytes if has_range else point.num_bytes,
        "intensity": _known(point.intensity),
        "limit": limit.kind or None,
        "peaks": list(limit.peaks),
        "seconds_at_best": _known(limit.best),
        "seconds": _known(point.seconds),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
