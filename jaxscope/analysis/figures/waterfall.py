"""The stages of one measured run, one below the other, at the times when they really happened."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jaxscope.analysis.figures.figure import Column
from jaxscope.analysis.figures.lanes import Bar, LaneChart
from jaxscope.analysis.lab_words import describe_spread
from jaxscope.analysis.quantities import format_seconds
from jaxscope.model.timing import Measurement

KINDS = ("once", "first calls", "until steady", "steady calls", "copies, many at once")
_ONCE, _FIRST, _SETTLING, _STEADY, _BESIDE = range(5)
_COLUMNS = (
    Column("what"),
    Column("where"),
    Column("began", "s"),
    Column("ended", "s"),
    Column("takes, median", "s"),
    Column("what it is"),
    Column("runs"),
    Column("low", "s"),
    Column("high", "s"),
    Column("confidence"),
    Column("noisy"),
)
_STAGES = frozenset({"import", "trace", "lower", "compile"})
_COPIES = frozenset({"transfer", "fetch", "throughput"})


def waterfall_chart(call: str, measurements: Sequence[Measurement]) -> LaneChart | None:
    """The chart of a call's measurements; None where it is not known when they were taken."""
    placed = [
        m
        for m in measurements
        if math.isfinite(m.began) and m.began <= m.ended < math.inf and not _is_part(m)
    ]
    placed.sort(key=lambda m: (m.began, m.ended))
    if not placed:
        return None
    names = tuple(f"{m.name.replace('_', ' ')}{f' ({m.detail})' if m.detail else ''}"
                  for m in placed)  # fmt: skip
    bars = tuple(
        Bar(
            row,
            measurement.began,
            measurement.ended - measurement.began,
            _kind_of(measurement.name),
            names[row],
            _hint(measurement, names[row]),
            name=measurement.name,
            value=measurement.median,
            more=(
                measurement.runs,
                measurement.low,
                measurement.high,
                measurement.confidence or math.nan,  # 0 of what was measured once
                "noisy" if measurement.is_noisy else "",
            ),
        )
        for row, measurement in enumerate(placed)
    )
    note = "Beginning and end of each as they happened; beside a bar what it takes once, median."
    if any(" fresh processes" in m.protocol for m in placed):
        note += " Places are those of the first process."
    return LaneChart(
        f"Stages of {call}",
        note,
        names,
        bars,
        KINDS,
        max(m.ended for m in placed),
        writes_labels=False,
        columns=_COLUMNS,
    )


def _is_part(measurement: Measurement) -> bool:
    """Dispatch and wait are parts of calls that have a bar already."""
    return measurement.name.endswith(("dispatch", "wait"))


def _kind_of(name: str) -> int:
    if name.endswith("_call"):
        return _FIRST
    if name in _COPIES:
        return _BESIDE
    if name.endswith(("until_steady", "warm_up")):
        return _SETTLING
    stage = name.rpartition("_")[2]
    return _ONCE if stage in _STAGES else _STEADY


def _hint(measurement: Measurement, name: str) -> str:
    spread = f", {describe_spread(measurement)}" if measurement.runs > 1 else ""
    spread += ", noisy" if measurement.is_noisy else ""
    return (
        f"{name}: {format_seconds(measurement.median)}{spread}\n"
        f"measured from {format_seconds(measurement.began)} to "
        f"{format_seconds(measurement.ended)} of the run\n{measurement.protocol}"
    )
