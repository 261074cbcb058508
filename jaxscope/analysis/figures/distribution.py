"""How the durations of calls are distributed, on a logarithmic axis."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from jaxscope.analysis.export.chart import SERIES_COLORS, ticks
from jaxscope.analysis.figures.drawing import even_ticks, svg_head, svg_line, svg_text
from jaxscope.analysis.figures.figure import Cell, Column, Figure
from jaxscope.analysis.quantities import format_count, format_seconds
from jaxscope.analysis.view.palette import PALETTES
from jaxscope.model.timing import Measurement

NUM_BINS = 60
_LEAST_SAMPLES = 3
_WIDTH, _HEIGHT = 1200.0, 640.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 90.0, 30.0, 100.0, 70.0


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


@dataclasses.dataclass(frozen=True, eq=False)
class Histogram(Figure):
    """Several distributions over the same bins.

    Attributes:
        edges: Seconds, one more than there are bins, in even steps of a logarithmic scale.
        series: At most four.
    """

    title: str
    note: str
    edges: tuple[float, ...]
    series: tuple[Distribution, ...]
    columns: tuple[Column, ...] = (
        Column("what"),
        Column("from", "s"),
        Column("to", "s"),
        Column("calls"),
        Column("share", "%"),
    )

    def rows(self) -> Sequence[Sequence[Cell]]:
        return [
            (found.name, self.edges[place], self.edges[place + 1], count, share)
            for found in self.series
            for place, (count, share) in enumerate(zip(found.counts, found.shares, strict=True))
            if count
        ]

    def describe_bin(self, place: int) -> str:
        """What lies between two edges, in words; empty where there is no such bin."""
        if not 0 <= place < len(self.edges) - 1:
            return ""
        found = [f"{one.name} {one.shares[place]:.1%} ({one.counts[place]:,} calls)"
                 for one in self.series if one.counts[place]]  # fmt: skip
        low, high = self.edges[place], self.edges[place + 1]
        return f"{format_seconds(low)} to {format_seconds(high)}: " + (
            ", ".join(found) if found else "no call"
        )

    def svg_lines(self, theme: str) -> Iterator[str]:
        palette, colors = PALETTES[theme], SERIES_COLORS[theme]
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        low, high = math.log(self.edges[0]), math.log(self.edges[-1])
        highest = max(max(one.shares) for one in self.series) or 1.0

        def to_x(seconds: float) -> float:
            return _LEFT + (math.log(seconds) - low) / (high - low) * (right - _LEFT)

        def to_y(share: float) -> float:
            return bottom - share / highest * (bottom - _TOP)

        yield svg_head(_WIDTH, _HEIGHT, palette.background, self.title)
        yield svg_text(20, 30, self.title[:110], palette.text, size=18)
        yield svg_text(20, 54, self.note[:150], palette.muted, size=14)
        for value in ticks(self.edges[0], self.edges[-1]):
            yield svg_line(to_x(value), _TOP, to_x(value), bottom, palette.frame_border)
            text = format_seconds(value)
            yield svg_text(to_x(value), bottom + 22, text, palette.text, anchor="middle")
        for share in even_ticks(0.0, highest, 5):
            yield svg_line(_LEFT, to_y(share), right, to_y(share), palette.frame_border)
            text = f"{share:.3g}" if share < 0.01 else f"{share:.0%}"
            yield svg_text(_LEFT - 8, to_y(share) + 5, text, palette.text, anchor="end")
        for number, one in enumerate(self.series):
            color = colors[number % len(colors)]
            yield self._outline(one, color, to_x, to_y)
            middle = to_x(min(max(one.median, self.edges[0]), self.edges[-1]))
            yield svg_line(middle, _TOP, middle, bottom, color, 2.0)
            yield svg_text(24 + 290 * number, 82, "■", color, size=18)
            said = f"{one.name}: {format_seconds(one.median)}"
            yield svg_text(44 + 290 * number, 82, said, palette.text)
        across = (_LEFT + right) / 2
        yield svg_text(across, _HEIGHT - 18, "time of one call", palette.text, anchor="middle")
        yield "</svg>"

    def _outline(
        self,
        one: Distribution,
        color: str,
        to_x: Callable[[float], float],
        to_y: Callable[[float], float],
    ) -> str:
        places = [f"M{to_x(self.edges[0]):.2f},{to_y(0.0):.2f}"]
        for place, share in enumerate(one.shares):
            places.append(f"V{to_y(share):.2f}H{to_x(self.edges[place + 1]):.2f}")
        places.append(f"V{to_y(0.0):.2f}Z")
        return (
            f'<path d="{"".join(places)}" fill="{color}" fill-opacity="0.35" stroke="{color}" '
            f'stroke-width="2"/>'
        )


def histogram_of(call: str, measurements: Sequence[Measurement]) -> Histogram | None:
    """The distributions of measurements with more than a few samples; None without any.

    Samples of zero seconds have no place on the axis; they are left out and told of.
    """
    drawn = [m for m in measurements if sum(s > 0 for s in m.samples) >= _LEAST_SAMPLES][:4]
    if not drawn:
        return None
    samples = [np.log10([s for s in m.samples if s > 0]) for m in drawn]
    low, high = min(s.min() for s in samples), max(s.max() for s in samples)
    edges = np.linspace(low - 0.02, high + 0.02, NUM_BINS + 1)
    series = tuple(
        Distribution(
            m.name.replace("_", " "),
            tuple(np.histogram(logs, edges)[0].tolist()),
            m.median,
            m.low,
            m.high,
        )
        for m, logs in zip(drawn, samples, strict=True)
    )
    num_zero = sum(s <= 0 for m in drawn for s in m.samples)
    zero = f" {format_count(num_zero, 'reading')} of 0 s left out." if num_zero else ""
    noisy = ", ".join(m.name.replace("_", " ") for m in drawn if m.is_noisy)
    badge = f" Noisy: {noisy}." if noisy else ""
    note = f"Logarithmic axis; upright lines are medians.{badge}{zero}"
    return Histogram(f"Times of {call}", note, tuple((10.0**edges).tolist()), series)
