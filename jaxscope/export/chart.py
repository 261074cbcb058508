"""Shapes of charts as SVG, and curves over two logarithmic axes; the same picture from window and
command line.

Charts are written here, without a plotting library: the shapes are these few lines, text stays
text, and hints are part of the file. A library would bring tens of megabytes and its own fonts.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence

from jaxscope.export.svg import FONT_FALLBACKS
from jaxscope.picture.palette import PALETTES
from jaxscope.schema.safe_text import escape_html

_WIDTH, _HEIGHT = 960.0, 600.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 110.0, 190.0, 56.0, 70.0
_SHAPES = ("circle", "square", "diamond", "triangle")
SERIES_COLORS = {
    "light": ("#b3470b", "#0b57d0", "#7a28cb", "#1a7f37"),
    "dark": ("#ffb077", "#8ab4f8", "#d2a8ff", "#7ee787"),
}
"""Told apart by shape as well: not everybody sees the colours."""


# Shapes of pictures as SVG, and values to write along an axis.


def svg_head(width: float, height: float, background: str, title: str) -> str:
    """The beginning of a document, its ground filled."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONT_FALLBACKS}" font-size="15">'
        f"<title>{escape_html(title)}</title>"
        f'<rect width="100%" height="100%" fill="{background}"/>'
    )


def svg_text(
    x: float, y: float, text: str, color: str, *, anchor: str = "start", size: int = 15
) -> str:
    """A line of text whose baseline is at `y`."""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{color}">{escape_html(text)}</text>'
    )


def svg_box(x: float, y: float, width: float, height: float, color: str, hint: str = "") -> str:
    """A filled box that says something where the pointer rests on it."""
    lines = "\n".join(map(escape_html, hint.split("\n")))
    title = f"<title>{lines}</title>" if hint else ""
    shape = f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}"'
    return f'{shape} fill="{color}">{title}</rect>' if title else f'{shape} fill="{color}"/>'


def svg_line(x1: float, y1: float, x2: float, y2: float, color: str, width: float = 1.0) -> str:
    """A straight line."""
    return (
        f'<line x1="{x1:.2f}" y1="{y1:.2f}" x2="{x2:.2f}" y2="{y2:.2f}" '
        f'stroke="{color}" stroke-width="{width:g}"/>'
    )


def even_ticks(low: float, high: float, num_wanted: int = 8) -> list[float]:
    """Values in even steps of 1, 2 or 5 times a power of ten; about as many as wanted."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return []
    rough = span / max(num_wanted, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def text_width(text: str, size: float = 15.0) -> float:
    """About how wide a text is, in the same unit as its size."""
    return 0.62 * size * len(text)


# Curves.


@dataclasses.dataclass(frozen=True, slots=True)
class Point:
    """A value with its interval; both coordinates positive."""

    x: float
    y: float
    low: float
    high: float


@dataclasses.dataclass(frozen=True, slots=True)
class Series:
    """One curve; points that are not positive and finite are left out by whoever makes them."""

    name: str
    points: tuple[Point, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Chart:
    """What is drawn.

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


def svg_to_png(svg: str, scale: float = 2.0) -> bytes:
    """A picture as PNG, with the bundled font."""
    from jaxscope.export.painter import paint  # only where a picture is wanted

    return paint(svg, scale)


def ticks(low: float, high: float) -> list[float]:
    """Values to write on a logarithmic axis: 1, 2, 5, 10 … or only powers of ten over a long one.

    Args:
        low: Smallest value shown, positive.
        high: Largest.
    """
    decades = math.log10(high / low)
    steps = (1.0,) if decades > 4 else (1.0, 3.0) if decades > 2 else (1.0, 2.0, 5.0)
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    values = [step * 10.0**exponent for exponent in exponents for step in steps]
    return [value for value in values if low * 0.999 <= value <= high * 1.001]


class _Drawing:
    def __init__(self, chart: Chart, theme: str) -> None:
        self._chart = chart
        self._palette = PALETTES[theme]
        self._colors = SERIES_COLORS[theme]
        points = [point for series in chart.series for point in series.points]
        xs = [point.x for point in points] or [1.0, 10.0]
        ys = [y for point in points for y in (point.low, point.high)] or [1.0, 10.0]
        self._x = (min(xs) / 1.15, max(xs) * 1.15)
        self._y = (min(ys) / 1.3, max(ys) * 1.3)

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
        bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
        for value in ticks(*self._x):
            x = self._to_x(value)
            yield svg_line(x, _TOP, x, bottom, self._palette.frame_border)
            yield self._text(x, bottom + 22, f"{value:,.0f}", anchor="middle")
        for value in ticks(*self._y):
            y = self._to_y(value)
            yield svg_line(_LEFT, y, right, y, self._palette.frame_border)
            yield self._text(_LEFT - 8, y + 5, self._chart.y_text(value), anchor="end")
        yield (
            f'<rect x="{_LEFT:g}" y="{_TOP:g}" width="{right - _LEFT:g}" '
            f'height="{bottom - _TOP:g}" fill="none" stroke="{self._palette.edge}"/>'
        )
        middle = (_LEFT + right) / 2
        yield self._text(middle, _HEIGHT - 18, self._chart.x_label, anchor="middle")
        yield (
            f'<g transform="translate(22 {(_TOP + bottom) / 2:g}) rotate(-90)">'
            + self._text(0, 0, self._chart.y_label, anchor="middle")
            + "</g>"
        )

    def _curve(self, series: Series, number: int) -> Iterator[str]:
        color = self._colors[number % len(self._colors)]
        places = [(self._to_x(p.x), self._to_y(p.y)) for p in series.points]
        path = " ".join(f"{x:.2f},{y:.2f}" for x, y in places)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>'
        for point, (x, y) in zip(series.points, places, strict=True):
            low, high = self._to_y(point.low), self._to_y(point.high)
            yield svg_line(x, low, x, high, color, 2.0)
            yield "<g>" + self._marker(x, y, number, color)
            value = self._chart.y_text(point.y)
            yield f"<title>{escape_html(f'{series.name}, {point.x:,.0f}: {value}')}</title></g>"
        y = _TOP + 16 + 28 * number
        yield self._marker(_WIDTH - _RIGHT + 22, y, number, color)
        yield self._text(_WIDTH - _RIGHT + 36, y + 5, series.name)

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

    def _to_x(self, value: float) -> float:
        share = math.log(value / self._x[0]) / math.log(self._x[1] / self._x[0])
        return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)

    def _to_y(self, value: float) -> float:
        share = math.log(value / self._y[0]) / math.log(self._y[1] / self._y[0])
        return _HEIGHT - _BOTTOM - share * (_HEIGHT - _TOP - _BOTTOM)

    def _text(self, x: float, y: float, text: str, *, anchor: str = "start", size: int = 15) -> str:
        return svg_text(x, y, text, self._palette.text, anchor=anchor, size=size)


def positive(points: Sequence[tuple[float, float, float, float]]) -> tuple[Point, ...]:
    """The points that a logarithmic scale can show: size, value, lower and upper end."""
    return tuple(
        Point(x, y, low if low > 0 else y, high)
        for x, y, low, high in points
        if x > 0 and y > 0 and math.isfinite(y) and math.isfinite(high)
    )
