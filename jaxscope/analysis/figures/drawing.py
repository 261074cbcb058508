"""Shapes of pictures as SVG, and values to write along an axis."""

from __future__ import annotations

import math
from xml.sax.saxutils import escape

from jaxscope.analysis.export.svg import FONT_FALLBACKS


def svg_head(width: float, height: float, background: str, title: str) -> str:
    """The beginning of a document, its ground filled."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="0 0 {width:g} {height:g}" font-family="{FONT_FALLBACKS}" font-size="15">'
        f"<title>{escape(title)}</title>"
        f'<rect width="100%" height="100%" fill="{background}"/>'
    )


def svg_text(
    x: float, y: float, text: str, color: str, *, anchor: str = "start", size: int = 15
) -> str:
    """A line of text whose baseline is at `y`."""
    return (
        f'<text x="{x:.2f}" y="{y:.2f}" text-anchor="{anchor}" font-size="{size}" '
        f'fill="{color}">{escape(text)}</text>'
    )


def svg_box(x: float, y: float, width: float, height: float, color: str, hint: str = "") -> str:
    """A filled box that tells something where the pointer rests on it."""
    title = f"<title>{escape(hint)}</title>" if hint else ""
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
