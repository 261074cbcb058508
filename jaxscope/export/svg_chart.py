"""What all charts are made of, as SVG: shapes, headings, axes with their grid lines and texts.

Charts are written here, without a plotting library: the shapes are these few lines, text stays
text, and hints are part of the file. A library would bring tens of megabytes and its own fonts.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from jaxscope.export.svg import FONT_FALLBACKS
from jaxscope.late_dataclass import dataclass
from jaxscope.model.units import shorten
from jaxscope.picture.palette import PALETTES, Palette
from jaxscope.schema.safe_text import escape_html

SERIES_COLORS = {
    "light": ("#b3470b", "#0b57d0", "#7a28cb", "#1a7f37"),
    "dark": ("#ffb077", "#8ab4f8", "#d2a8ff", "#7ee787"),
}
"""Marks of different series have different shapes too, for people who are colour-blind."""


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


def svg_outlined(x: float, y: float, width: float, height: float, ink: tuple[str, str]) -> str:
    """A box with a border; `ink` is the colours of both."""
    return (
        f'<rect x="{x:.2f}" y="{y:.2f}" width="{width:.2f}" height="{height:.2f}" '
        f'fill="{ink[0]}" stroke="{ink[1]}"/>'
    )


def show_in_turn(number: int, count: int) -> str:
    """Shows the group around it in its turn, a second each; for ever."""
    begin, end = number / count, (number + 1) / count
    times = [0.0, begin, end] if number else [0.0, end]
    values = [0, 1, 0] if number else [1, 0]
    told = ";".join(f"{time:.4f}" for time in times)
    return (
        f'<animate attributeName="opacity" dur="{count}s" repeatCount="indefinite" '
        f'calcMode="discrete" keyTimes="{told}" values="{";".join(map(str, values))}"/>'
    )


def svg_to_png(svg: str, scale: float = 2.0) -> bytes:
    """A picture as PNG, with the bundled font."""
    from jaxscope.export.painter import paint  # only where a picture is wanted

    return paint(svg, scale)


def text_width(text: str, size: float = 15.0) -> float:
    """About how wide a text is, in the same unit as its size."""
    return 0.62 * size * len(text)


# The title of a figure, and below it what to know when reading it.

TITLE_SIZE, NOTE_SIZE = 20, 15
_NOTE_LINE_PX = 20.0


def wrap_note(note: str, width: float) -> list[str]:
    """The lines of a note in a figure of a width, at least one."""
    lines = [""]
    for word in note.split():
        longer = f"{lines[-1]} {word}".lstrip()
        if lines[-1] and text_width(longer, NOTE_SIZE) > width - 40:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def note_height(lines: Sequence[str]) -> float:
    """By how much a note pushes down what stands below it, beyond its first line."""
    return _NOTE_LINE_PX * (len(lines) - 1)


def draw_heading(title: str, note: Sequence[str], theme: str, width: float) -> Iterator[str]:
    """The title in one line, cut where it is too long, and the lines of the note."""
    palette = PALETTES[theme]
    most = int((width - 40) / text_width("m", TITLE_SIZE))
    yield svg_text(20, 32, shorten(title, most), palette.text, size=TITLE_SIZE)
    for number, line in enumerate(note):
        y = 58 + _NOTE_LINE_PX * number
        yield svg_text(20, y, line, palette.muted, size=NOTE_SIZE)


# Axes.


@dataclass(frozen=True, slots=True)
class Axis:
    """Where values lie between two places of a picture.

    Attributes:
        low: The value at `begin`; positive where the axis is logarithmic.
        high: The value at `end`.
        begin: Pixels from the left or from the top.
        end: May be less than `begin`, as of an axis that points up.
    """

    low: float
    high: float
    begin: float
    end: float
    is_logarithmic: bool = False

    def place(self, value: float) -> float:
        """Pixels from the left or from the top."""
        if self.is_logarithmic:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)


def draw_columns(
    axis: Axis,
    values: Iterable[float],
    write: Callable[[float], str],
    extent: tuple[float, float],
    palette: Palette,
    *,
    size: int = 15,
    below: float = 22,
) -> Iterator[str]:
    """Upright grid lines at values of a horizontal axis, and the values below them.

    Args:
        extent: Top and bottom of the lines.
        size: Of the texts.
        below: How far their baselines lie under the bottom.
    """
    top, bottom = extent
    for value in values:
        x = axis.place(value)
        yield svg_line(x, top, x, bottom, palette.frame_border)
        yield svg_text(x, bottom + below, write(value), palette.text, anchor="middle", size=size)


def draw_rows(
    axis: Axis,
    values: Iterable[float],
    write: Callable[[float], str],
    extent: tuple[float, float],
    palette: Palette,
    *,
    size: int = 15,
    beside: float = 8,
) -> Iterator[str]:
    """Level grid lines at values of an upright axis, and the values to the left of them.

    Args:
        extent: Left and right end of the lines.
        size: Of the texts.
        beside: How far they end from the left.
    """
    left, right = extent
    for value in values:
        y = axis.place(value)
        yield svg_line(left, y, right, y, palette.frame_border)
        yield svg_text(left - beside, y + 5, write(value), palette.text, anchor="end", size=size)


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
