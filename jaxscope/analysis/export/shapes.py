"""Plain shapes that every kind of picture is made of: SVG, PDF and PNG read the same."""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.export.strokes import Stroke
from jaxscope.model import NONE


@dataclasses.dataclass(frozen=True, slots=True)
class Rect:
    """A rectangle with round corners; colours are `#rrggbb`, empty ones paint nothing.

    Attributes:
        layer: How many rectangles of its kind it lies upon: those of one layer never overlap, so
            they may be painted in any order.
    """

    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    border: str
    border_px: float = 1.0
    is_dashed: bool = False
    item: int = NONE
    layer: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class Path:
    """A line."""

    strokes: tuple[Stroke, ...]
    color: str
    width_px: float


@dataclasses.dataclass(frozen=True, slots=True)
class Polygon:
    """A filled polygon."""

    points: tuple[tuple[float, float], ...]
    color: str


@dataclasses.dataclass(frozen=True, slots=True)
class Text:
    """One line of text; `x` is its middle if it is centred, else its beginning."""

    x: float
    baseline: float
    text: str
    size_px: float
    color: str
    is_bold: bool = False
    is_centred: bool = False


Shape = Rect | Path | Polygon | Text
