"""What charts of measurements show, as data: columns of their table, bars, distributions, gaps of a
profiled run.
"""

from __future__ import annotations

import dataclasses
import math

import numpy as np

from jaxscope.model.timing import Timeline
from jaxscope.model.units import format_seconds

Cell = str | float | int


@dataclasses.dataclass(frozen=True, slots=True)
class Column:
    """A column of a figure's table.

    Attributes:
        name: A word or two.
        unit: `s` for seconds, `%` for shares from 0 to 1, or empty.
    """

    name: str
    unit: str = ""

    def write(self, cell: Cell) -> str:
        """A cell as people read it; empty for what is unknown."""
        if isinstance(cell, str):
            return cell
        if math.isnan(cell):
            return ""
        if self.unit == "s":
            return format_seconds(cell)
        return f"{cell:.1%}" if self.unit == "%" else f"{cell:,}"


@dataclasses.dataclass(frozen=True, slots=True)
class Bar:
    """One bar.

    Attributes:
        row: Number of its row.
        began: Seconds from the left end of the axis.
        seconds: Its length.
        kind: Number of what it stands for, of the chart's `kinds`.
        label: Written into it or beside it.
        hint: Told where the pointer rests.
        name: Of the instruction that it stands for; may be empty.
        value: Seconds that the table gives; those of the bar where NaN is not meant, such as one
            call out of many that the bar covers.
        more: Cells of further columns of the table.
    """

    row: int
    began: float
    seconds: float
    kind: int
    label: str
    hint: str
    name: str = ""
    value: float | None = None
    more: tuple[Cell, ...] = ()

    @property
    def ended(self) -> float:
        return self.began + self.seconds


@dataclasses.dataclass(frozen=True, slots=True)
class Distribution:
    """The calls of one measurement.

    Attributes:
        name: Of what was called.
        counts: Calls per bin.
        median: Seconds.
        low: Lower end of the interval of the median.
        high: Upper end.
    """

    name: str
    counts: tuple[int, ...]
    median: float
    low: float
    high: float

    @property
    def shares(self) -> tuple[float, ...]:
        """Of all calls, per bin."""
        total = max(sum(self.counts), 1)
        return tuple(count / total for count in self.counts)


def describe_coverage(timeline: Timeline) -> str:
    """How much of the run instructions explain, and what is left."""
    gaps_s = max(timeline.wall - timeline.covered, 0.0)
    left_out = (
        f" {timeline.num_left_out:,} of the shortest events are not drawn."
        if timeline.num_left_out
        else ""
    )
    return (
        f"{timeline.coverage:.0%} of {format_seconds(timeline.wall)} with an instruction at work, "
        f"{format_seconds(gaps_s)} dispatch and gaps; recorded, the run of median length."
        f"{left_out}"
    )


def find_gaps(timeline: Timeline) -> list[tuple[float, float]]:
    """Beginnings and ends of the times of the run in which no instruction was at work."""
    order = np.argsort(timeline.began, kind="stable")
    began = timeline.began[order]
    reached = np.maximum.accumulate((timeline.began + timeline.seconds)[order])
    starts = np.concatenate([[0.0], reached])
    ends = np.concatenate([began, [timeline.wall]])
    starts, ends = np.clip(starts, 0.0, timeline.wall), np.clip(ends, 0.0, timeline.wall)
    is_gap = ends > starts
    return list(zip(starts[is_gap].tolist(), ends[is_gap].tolist(), strict=True))
