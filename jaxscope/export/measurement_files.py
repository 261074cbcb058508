"""Timings and experiments as JSON, CSV and charts, from the keys of the contract."""

from __future__ import annotations

import csv
import dataclasses
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jaxscope.model import is_available
from jaxscope.model.capture import Environment
from jaxscope.model.experiments import Agreement, ProgramComparison, Recompilation
from jaxscope.model.timing import Measurement, NodeTimes, Ratio, ScalePoint, Scaling, Timeline
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.program.node_times import Overlay, sum_lines
from jaxscope.program.scaling import QUANTITIES, calls_to_break_even, name_quantity
from jaxscope.report.measurements import describe_noise
from jaxscope.schema.contract import (
    CONTRACT,
    Json,
    environment_to_json,
    number_to_json,
    timing_to_json,
)

if TYPE_CHECKING:
    from jaxscope.export.chart import Chart
    from jaxscope.report.measurement_documents import ProfileOverlay


def lab_head_to_json(call: str, environment: Environment, warnings: Sequence[str]) -> Json:
    """What every timing has; an experiment without plain measurements has none."""
    return {
        "call": call,
        "environment": environment_to_json(environment),
        "measurements": [],
        "ratios": [],
        "warnings": list(warnings),
    }


def node_times_to_json(side: NodeTimes | Unavailable, overlay: Overlay | None) -> Json:
    """Times of the nodes of one stage, and of source lines where the nodes are known."""
    if isinstance(side, Unavailable):
        return {"unavailable": side.reason}
    return {
        "stage": side.stage,
        "runs": side.runs,
        "protocol": side.protocol,
        "wall": number_to_json(side.wall),
        "wall_unrecorded": number_to_json(side.plain_wall),
        "covered": number_to_json(side.covered),
        "coverage": number_to_json(side.coverage),
        "dispatch_and_gaps": number_to_json(side.gaps),
        "nodes": [CONTRACT.write(time) for time in side.times],
        "lines": [
            {
                "file": line.file or None,
                "line": line.line or None,
                "exclusive": line.seconds,
                "inclusive": line.total,
            }
            for line in (sum_lines(overlay) if overlay is not None else ())
        ],
    }


def timeline_to_json(timeline: Timeline | Unavailable) -> Json:
    """One run of the optimized program; an event is name, lane, began, seconds."""
    if isinstance(timeline, Unavailable):
        return {"unavailable": timeline.reason}
    return {
        "wall": timeline.wall,
        "returned": timeline.returned,
        "covered": timeline.covered,
        "coverage": timeline.coverage,
        "left_out": timeline.num_left_out,
        "lanes": list(timeline.lanes),
        "events": [
            [timeline.names[name], lane, began, seconds]
            for name, lane, began, seconds in zip(
                timeline.name.tolist(),
                timeline.lane.tolist(),
                timeline.began.tolist(),
                timeline.seconds.tolist(),
                strict=True,
            )
        ],
    }


# What scaling found, as JSON, CSV and charts.


CHARTS = {
    "time": ("seconds", ("eager", "jit", "compile_time", "first_compile"), format_seconds),
    "work": ("FLOP", ("flops",), format_flops),
    "memory": ("bytes", ("bytes_accessed", "memory"), format_bytes),
}
"""What is drawn together: its unit, the quantities, and how a value is written."""
_NUMBERS = ("trace", "lower", "compile", "flops", "bytes_accessed", "memory", "first_compile")
_RATIO = ("", "_low", "_high", "_confidence", "_pairs", "_noisy")
_SIDES = ("eager", "jit")


def scaling_to_json(scaling: Scaling) -> Json:
    """The contract's keys of a timing, and `scaling`."""
    return {
        **lab_head_to_json(scaling.call, scaling.environment, scaling.warnings),
        "scaling": {
            "vary": scaling.vary,
            "forms": list(scaling.forms),
            "points": [_point(point) for point in scaling.points],
            "slopes": [dataclasses.asdict(slope) for slope in scaling.slopes],
            "crossovers": [dataclasses.asdict(crossover) for crossover in scaling.crossovers],
        },
    }


def scaling_to_csv(scaling: Scaling) -> str:
    """A row for each size; an empty cell is unknown. The last column says what disturbed it."""
    ends = ("median", "low", "high", "confidence", "noisy")
    noise = describe_noise(scaling.environment)
    sides = [f"{form}_{end}" for form in scaling.forms for end in ends]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    ratios = [f"ratio{end}" for end in _RATIO]
    writer.writerow(["size", *sides, *ratios, "verdict", *_NUMBERS, "reason", "noise"])
    for point in scaling.points:
        ratio = point.ratio
        writer.writerow(
            [
                point.size,
                *(cell for side in _SIDES for cell in _interval(getattr(point, side))),
                *(("",) * (len(_RATIO) + 1) if ratio is None else _ratio(ratio)),
                *(_or_empty(getattr(point, name)) for name in _NUMBERS),
                point.reason,
                noise,
            ]
        )
    return text.getvalue()


def scaling_chart(scaling: Scaling, name: str = "time") -> Chart:
    """A chart of a scaling measurement, by its name in `CHARTS`."""
    from jaxscope.export.chart import Chart, Series, positive  # JSON needs no drawing

    unit, quantities, write = CHARTS[name]
    series = []
    for quantity in quantities:
        points = positive([_ends(point, quantity) for point in scaling.points])
        if points:
            series.append(Series(name_quantity(quantity, scaling.forms), points))
    title = f"{scaling.call}, {scaling.vary} varied"
    note = describe_noise(scaling.environment)
    return Chart(title, scaling.vary, unit, write, tuple(series), note)


def scaling_to_svg(scaling: Scaling, name: str = "time", theme: str = "light") -> str:
    """A chart of a scaling measurement as SVG, by its name in `CHARTS`."""
    from jaxscope.export.chart import chart_to_svg

    return chart_to_svg(scaling_chart(scaling, name), theme)


def _ends(point: ScalePoint, quantity: str) -> tuple[float, float, float, float]:
    measurement = getattr(point, quantity)  # `eager` and `jit` have an interval
    if isinstance(measurement, Measurement):
        return point.size, measurement.median, measurement.low, measurement.high
    value = QUANTITIES[quantity](point)
    return point.size, value, value, value


def _interval(measurement: Measurement | None) -> tuple[object, ...]:
    if measurement is None:
        return ("",) * 5
    confidence = _or_empty(measurement.confidence)
    return measurement.median, measurement.low, measurement.high, confidence, measurement.is_noisy


def _ratio(ratio: Ratio) -> tuple[object, ...]:
    confidence = _or_empty(ratio.confidence)
    ends = ratio.median, ratio.low, ratio.high
    return *ends, confidence, ratio.pairs or "", ratio.is_noisy, ratio.verdict


def _or_empty(value: float) -> float | str:
    return "" if math.isnan(value) else value


def _point(point: ScalePoint) -> Json:
    calls = calls_to_break_even(point)
    ratio = point.ratio
    return {
        "size": point.size,
        **{side: _side(getattr(point, side)) for side in _SIDES},
        "ratio": None
        if ratio is None
        else {
            "median": ratio.median,
            "low": ratio.low,
            "high": ratio.high,
            "verdict": ratio.verdict,
            "confidence": number_to_json(ratio.confidence),
            "pairs": ratio.pairs or None,
            "agreeing": ratio.agreeing or None,
            "noisy": ratio.is_noisy,
        },
        **{name: number_to_json(getattr(point, name)) for name in _NUMBERS},
        "calls_to_break_even": None if math.isinf(calls) else number_to_json(calls),
        "counting": point.counting or None,
        "reason": point.reason or None,
    }


def _side(measurement: Measurement | None) -> Json | None:
    if measurement is None:
        return None
    return {
        "median": measurement.median,
        "low": measurement.low,
        "high": measurement.high,
        "confidence": number_to_json(measurement.confidence),
        "runs": measurement.runs,
        "noisy": measurement.is_noisy,
    }


def recompilation_to_json(found: Recompilation) -> dict[str, Any]:
    """The contract's keys of a timing, and `recompilation`."""
    return {
        **lab_head_to_json(found.call, found.environment, found.warnings),
        "recompilation": {
            "calls": list(found.calls),
            "signatures": [CONTRACT.write(signature) for signature in found.signatures],
            "wasted": found.wasted,
            "outside": [dataclasses.asdict(program) for program in found.outside],
            "advice": [dataclasses.asdict(advice) for advice in found.advice],
        },
    }


def profile_to_json(found: ProfileOverlay) -> dict[str, Any]:
    """The contract's keys of a timing, and `profile` with both sides."""
    profile = found.profile
    return {
        **lab_head_to_json(profile.call, profile.environment, profile.warnings),
        "profile": {
            name: node_times_to_json(side, found.overlay(side) if is_available(side) else None)
            for name, side in (("compiled", profile.compiled), ("eager", profile.eager))
        }
        | {"timeline": timeline_to_json(profile.timeline)},
    }


def comparison_to_json(found: ProgramComparison) -> dict[str, Any]:
    """The contract's JSON of a timing, and `comparison`."""
    return {
        **timing_to_json(found.timing),
        "comparison": {
            "first": found.first,
            "second": found.second,
            "across_processes": found.is_across_processes,
            "processes": found.num_processes,
            "costs": [CONTRACT.write(cost) for cost in (found.first_cost, found.second_cost)],
            "agreement": CONTRACT.write(found.agreement),
        },
    }


def agreement_to_json(found: Agreement) -> dict[str, Any]:
    """The contract's keys of a timing, and `agreement`."""
    return {
        **lab_head_to_json(found.call, found.environment, found.warnings),
        "agreement": {
            "pairs": [CONTRACT.write(pair) for pair in found.pairs],
            "stage": found.stage,
            "num_equations": found.num_equations,
            "origin": {"unavailable": found.origin.reason}
            if isinstance(found.origin, Unavailable)
            else CONTRACT.write(found.origin),
            "equations": [CONTRACT.write(equation) for equation in found.equations],
        },
    }
