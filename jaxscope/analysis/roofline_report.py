"""A roofline as rows, as a text and as JSON."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterator, Sequence
from typing import Any

from jaxscope.analysis.cost.loop_rounds import find_derived
from jaxscope.analysis.cost.shares import COMPILER
from jaxscope.analysis.equation_words import name_equations
from jaxscope.analysis.quantities import (
    format_bytes,
    format_flops,
    format_seconds,
    three_digits,
)
from jaxscope.analysis.roofline import Roofline, RooflinePoint
from jaxscope.analysis.text_table import format_table
from jaxscope.model import Capture, Unavailable
from jaxscope.model.roofline import Ceilings

HEADERS = ("FLOPs", "bytes", "FLOP/byte", "limit", "at best", "measured", "runs", "name", "what")
NUMERIC = (0, 1, 2, 4, 5, 6)
NO_CEILINGS = "What this machine can do at most was not measured, so no limits are shown."
"""Whoever shows it says how to measure that: by which command, or by which button."""
_MAX_ROWS = 25
_TOLERANCE = 1.1


def find_limit(point: RooflinePoint, ceilings: Ceilings | None) -> tuple[str, float]:
    """What bounds a point, `memory` or `arithmetic`, and the seconds that it takes at best."""
    if ceilings is None:
        return "", math.nan
    arithmetic = point.flops / ceilings.arithmetic.best
    memory = point.num_bytes / ceilings.bandwidth.best
    return ("arithmetic", arithmetic) if arithmetic > memory else ("memory", memory)


def roofline_row(point: RooflinePoint, ceilings: Ceilings | None) -> tuple[str, ...]:
    """The cells of a point."""
    limit, best = find_limit(point, ceilings)
    return (
        format_flops(point.flops),
        format_bytes(point.num_bytes),
        "" if math.isnan(point.intensity) else three_digits(point.intensity),
        limit,
        "" if math.isnan(best) else format_seconds(best),
        "" if math.isnan(point.seconds) else format_seconds(point.seconds),
        f"{point.rounds:,}",
        point.name,
        point.operation,
    )


def roofline_numbers(point: RooflinePoint, ceilings: Ceilings | None) -> tuple[float, ...]:
    """The numbers behind the cells of `NUMERIC`."""
    values = (
        point.flops,
        point.num_bytes,
        point.intensity,
        find_limit(point, ceilings)[1],
        point.seconds,
        float(point.rounds),
    )
    return tuple(-1.0 if math.isnan(value) else value for value in values)


def describe_ceilings(ceilings: Ceilings) -> str:
    """What was measured and where, or what is published, in a sentence."""
    arithmetic, bandwidth = ceilings.arithmetic, ceilings.bandwidth
    if ceilings.is_published:
        return (
            f"{ceilings.environment.device}: {format_flops(arithmetic.best)}/s and "
            f"{format_bytes(bandwidth.best)}/s; they meet at {three_digits(ceilings.ridge)} "
            "FLOP/byte. Not measured."
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
    above = sum(0 < point.seconds < find_limit(point, ceilings)[1] / _TOLERANCE for point in points)
    if not above:
        return ""
    return (
        f"{above:,} measured faster than these ceilings allow: their data stays in caches, or "
        "other programs ran beside the calibration."
    )


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
    lines += found.notes
    for title, points in (
        ("kernels", found.kernels),
        ("source lines", found.lines),
        ("named scopes", found.scopes),
        ("equations", label_equations(capture, found.equations)),
    ):
        lines += ["", title, *_table(points, ceilings)]
    return "\n".join(lines)


def label_equations(
    capture: Capture | None, points: tuple[RooflinePoint, ...]
) -> tuple[RooflinePoint, ...]:
    """Points of equations, named by what they compute where the capture tells, not by their ids."""
    graph = find_derived(capture) if capture is not None else None
    labels = name_equations(graph) if graph is not None else {}
    return tuple(
        dataclasses.replace(point, name=labels.get(point.name, f"equation {point.name}"))
        if point.name != COMPILER
        else point
        for point in points
    )


def _table(points: tuple[RooflinePoint, ...], ceilings: Ceilings | None) -> Iterator[str]:
    rows = [roofline_row(point, ceilings) for point in points[:_MAX_ROWS]]
    shown = [n for n in range(len(HEADERS)) if any(row[n] for row in rows)]
    yield from format_table(
        [HEADERS[n] for n in shown],
        [[row[n] for n in shown] for row in rows],
        right=[place for place, n in enumerate(shown) if n in NUMERIC],
    )
    if len(points) > _MAX_ROWS:
        yield f"  and {len(points) - _MAX_ROWS:,} more"


def roofline_to_json(found: Roofline | Unavailable, ceilings: Ceilings | None) -> dict[str, Any]:
    """Points and ceilings; null for what is not known."""
    points = {} if isinstance(found, Unavailable) else _points_to_json(found, ceilings)
    return {
        "unavailable": found.reason if isinstance(found, Unavailable) else None,
        "ceilings": None
        if ceilings is None
        else {
            "published_for": ceilings.environment.device if ceilings.is_published else None,
            "flops_per_second": ceilings.arithmetic.best,
            "bytes_per_second": ceilings.bandwidth.best,
            "protocol": [ceilings.arithmetic.protocol, ceilings.bandwidth.protocol],
            "warnings": list(ceilings.warnings),
        },
        **points,
    }


def _points_to_json(found: Roofline, ceilings: Ceilings | None) -> dict[str, Any]:
    return {
        "stage": found.stage,
        "notes": list(found.notes),
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
    limit, best = find_limit(point, ceilings)
    return {
        "name": point.name,
        "operation": point.operation,
        "runs": point.rounds,
        "flops": point.flops,
        "bytes": point.num_bytes,
        "intensity": _known(point.intensity),
        "limit": limit or None,
        "seconds_at_best": _known(best),
        "seconds": _known(point.seconds),
    }


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value
