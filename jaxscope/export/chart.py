"""Curves over two logarithmic axes; the same picture from window and command line."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from jaxscope.export.svg_chart import (
    SERIES_COLORS,
    Axis,
    draw_columns,
    draw_rows,
    svg_head,
    svg_line,
    svg_text,
    svg_to_png,
    ticks,
)
from jaxscope.late_dataclass import dataclass
from jaxscope.picture.palette import PALETTES
from jaxscope.schema.safe_text import escape_html

_WIDTH, _HEIGHT = 960.0, 600.0
_LEFT, _EDGE, _TOP, _GROUND = 110.0, 770.0, 56.0, 530.0
"""Of the ground that is drawn on, from the left and from the top."""
_SHAPES = ("circle", "square", "diamond", "triangle")


@dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval; both coordinates positive."""

    x: float
    y: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Series:
    """One curve; points that are not positive and finite must be left out by the caller."""

    name: str
    points: tuple[Point, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """Curves over two logarithmic axes, with their titles.

    Attributes:
        title: Above it.
        x_label: With its unit.
        y_label: With its unit.
        y_text: Writes a value of the second axis.
        series: At most four.
        note: Below the title; may be empty.
    """

    title: str
    x_label: str
    y_label: str
    y_text: Callable[[float], str]
    series: tuple[Series, ...]
    note: str = ""


def chart_to_svg(chart: Chart, theme: str = "light") -> str:
    """The chart as an SVG document of its own."""
    return "\n".join(_Drawing(chart, theme).lines())


def chart_to_png(chart: Chart, theme: str = "light", scale: float = 2.0) -> bytes:
    """The chart as PNG, with the bundled font."""
    return svg_to_png(chart_to_svg(chart, theme), scale)


class _Drawing:
    def __init__(self, chart: Chart, theme: str) -> None:
        self._chart = chart
        self._palette = PALETTES[theme]
        self._colors = SERIES_COLORS[theme]
        points = [point for series in chart.series for point in series.points]
        xs = [point.x for point in points] or [1.0, 10.0]
        ys = [y for point in points for y in (point.low, point.high)] or [1.0, 10.0]
        self._x = Axis(min(xs) / 1.15, max(xs) * 1.15, _LEFT, _EDGE, is_logarithmic=True)
        self._y = Axis(min(ys) / 1.3, max(ys) * 1.3, _GROUND, _TOP, is_logarithmic=True)

    def lines(self) -> Iterator[str]:
        palette, chart = self._palette, self._chart
        yield svg_head(_WIDTH, _HEIGHT, palette.background, chart.title)
        yield self._text(_LEFT, 32, chart.title[:100], size=18)
        if chart.note:
            yield self._text(_LEFT, 50, chart.note[:120], size=13)
        yield from self._axes()
        for number, series in enumerate(chart.series):
            yield from self._curve(series, number)
        yield "</svg>"

    def _axes(self) -> Iterator[str]:
        palette, chart = self._palette, self._chart
        columns, rows = (_TOP, _GROUND), (_LEFT, _EDGE)
        yield from draw_columns(self._x, ticks(self._x.low, self._x.high), "{:,.0f}".format,
                                columns, palette)  # fmt: skip
        yield from draw_rows(self._y, ticks(self._y.low, self._y.high), chart.y_text, rows, palette)
        yield (
            f'<rect x="{_LEFT:g}" y="{_TOP:g}" width="{_EDGE - _LEFT:g}" '
            f'height="{_GROUND - _TOP:g}" fill="none" stroke="{palette.edge}"/>'
        )
        middle = (_LEFT + _EDGE) / 2
        yield self._text(middle, _HEIGHT - 18, chart.x_label, anchor="middle")
        yield (
            f'<g transform="translate(22 {(_TOP + _GROUND) / 2:g}) rotate(-90)">'
            + self._text(0, 0, chart.y_label, anchor="middle")
            + "</g>"
        )

    def _curve(self, series: Series, number: int) -> Iterator[str]:
        color = self._colors[number % len(self._colors)]
        places = [(self._x.place(p.x), self._y.place(p.y)) for p in series.points]
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>'
        for point, (x, y) in zip(series.points, places, strict=True):
            low, high = self._y.place(point.low), self._y.place(point.high)
            yield svg_line(x, low, x, high, color, 2.0)
            yield "<g>" + self._marker(x, y, number, color)
            value = self._chart.y_text(point.y)
            yield f"<title>{escape_html(f'{series.name}, {point.x:,.0f}: {value}')}</title></g>"
        y = _TOP + 16 + 28 * number
        yield self._marker(_EDGE + 22, y, number, color)
        yield self._text(_EDGE + 36, y + 5, series.name)

    def _marker(self, x: float, y: float, number: int, color: str) -> str:
        shape = _SHAPES[number % len(_SHAPES)]
        if shape == "circle":
            return f'<circle cx="{x:.2f}" cy="{y:.2f}" r="5.5" fill="{color}"/>'
        corners = {
            "square": ((-5, -5), (5, -5), (5, 5), (-5, 5)),
            "diamond": ((0, -7), (7, 0), (0, 7), (-7, 0)),
            "triangle": ((0, -6), (6, 5), (-6, 5)),
        }[shape]
        path = " ".join(f"{x + dx:.2f},{y + dy:.2f}" for dx, dy in corners)
        return f'<polygon points="{path}" fill="{color}"/>'

    def _text(self, x: float, y: float, text: str, *, anchor: str = "start", size: int = 15) -> str:
        return svg_text(x, y, text, self._palette.text, anchor=anchor, size=size)


def positive(points: Sequence[tuple[float, float, float, float]]) -> tuple[Point, ...]:
    """The points that a logarithmic scale can show: size, value, lower and upper end."""
    return tuple(
        Point(x, y, low if low > 0 else y, high)
        for x, y, low, high in points
        if x > 0 and y > 0 and math.isfinite(y) and math.isfinite(high)
    )
