"""What scaling found, as JSON, CSV and charts."""

from __future__ import annotations

import csv
import dataclasses
import io
import math

from jaxscope.analysis.export.chart import Chart, Series, chart_to_svg, positive
from jaxscope.analysis.export.contract_json import Json, number_to_json
from jaxscope.analysis.export.lab_json import lab_head_to_json
from jaxscope.analysis.lab_words import describe_noise
from jaxscope.analysis.quantities import format_bytes, format_flops, format_seconds
from jaxscope.analysis.scaling import QUANTITIES, calls_to_break_even, name_quantity
from jaxscope.model.lab import ScalePoint, Scaling
from jaxscope.model.timing import Measurement, Ratio

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
    """A row for each size; an empty cell is unknown. The last column tells what disturbed it."""
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
    """One of `CHARTS`."""
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
    """One of `CHARTS` as SVG."""
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
