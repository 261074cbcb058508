"""A picture as SVG, band by band: each band holds only the shapes that touch it.

The renderer works on one band at a time, so that no call takes long, and a picture of a hundred
thousand shapes needs little memory. Where texts are too small to read, what looks alike is joined
into one path: a renderer takes longer over an element than over what is in it.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from jaxscope.analysis.export.shapes import Path, Polygon, Rect, Shape, Text
from jaxscope.analysis.export.svg import FONT_FALLBACKS, format_number, render_shape

_CURVE_BEYOND_PX = 1.0
"""Control points lie between the ends, and a border's half is narrower: nothing reaches farther."""

_ASCENT, _DESCENT = 1.2, 0.5
"""Of a text, as parts of its size: marks above capitals, and what hangs below the line."""

_LETTERS = {"move": "M", "line": "L", "curve": "C"}

Style = tuple[int, int, str, str, float, bool]
"""Phase, layer, fill, stroke, width, whether dashed: what joined shapes have in common."""


@dataclasses.dataclass(frozen=True, slots=True)
class Band:
    """A stripe over the whole width of a picture.

    Attributes:
        top: In pixels of the scene.
        height: Likewise.
        width_px: Pixels of the result.
        height_px: Likewise.
    """

    top: float
    height: float
    width_px: int
    height_px: int


class Content(Protocol):
    """What is gathered for one band."""

    def elements(self) -> Iterator[str]:
        """Its SVG elements, from back to front."""


class Detailed:
    """Every shape as it is."""

    def __init__(self) -> None:
        self._elements: list[str] = []

    def elements(self) -> Iterator[str]:
        """In the order in which they came."""
        return iter(self._elements)

    def add(self, element: str) -> None:
        """One more, above all others."""
        self._elements.append(element)


class Joined:
    """Shapes of one look as one path; texts, arrows and round corners would not be seen."""

    def __init__(self) -> None:
        self._pieces: dict[Style, list[str]] = {}

    def elements(self) -> Iterator[str]:
        """A path for each look, lower layers first."""
        for style in sorted(self._pieces, key=lambda style: style[:2]):
            _phase, _layer, fill, stroke, width, is_dashed = style
            border = f' stroke="{stroke}" stroke-width="{format_number(width)}"' if stroke else ""
            dashes = ' stroke-dasharray="4 3"' if is_dashed else ""
            data = "".join(self._pieces[style])
            yield f'<path d="{data}" fill="{fill or "none"}"{border}{dashes}/>'

    def add(self, style: Style, data: str) -> None:
        """One more piece of the path of a look."""
        self._pieces.setdefault(style, []).append(data)


def gather_detailed(shapes: Iterable[Shape], bands: list[Band]) -> Sequence[Content]:
    """For each band the shapes that touch it, as they are."""
    contents = [Detailed() for _ in bands]
    for shape in shapes:
        touched = _touched(shape, bands)
        if touched:
            element = render_shape(shape)
            for number in touched:
                contents[number].add(element)
    return contents


def gather_joined(shapes: Iterable[Shape], bands: list[Band]) -> Sequence[Content]:
    """For each band the boxes and lines that touch it, joined by their looks."""
    contents = [Joined() for _ in bands]
    phase, kind = 0, None
    for shape in shapes:
        if isinstance(shape, Rect):
            data = _rect_data(shape)
            look = (shape.fill, shape.border, shape.border_px, shape.is_dashed)
            layer = shape.layer
        elif isinstance(shape, Path):
            data, look, layer = _path_data(shape), ("", shape.color, shape.width_px, False), 0
        else:
            continue
        if type(shape) is not kind:
            phase, kind = phase + 1, type(shape)
        for number in _touched(shape, bands):
            contents[number].add((phase, layer, *look), data)
    return contents


def band_to_svg(band: Band, width: float, ground: str, content: Content) -> str:
    """One band as a document; `width` is that of the picture, in pixels of the scene."""
    body = "\n".join(content.elements())
    box = f"0 {band.top!r} {width!r} {band.height!r}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{band.width_px}"'
        f' height="{band.height_px}" viewBox="{box}" preserveAspectRatio="none"'
        f' font-family="{FONT_FALLBACKS}">'
        f'<rect y="{band.top!r}" width="{width!r}" height="{band.height!r}" fill="{ground}"/>\n'
        f"{body}\n</svg>"
    )


def _rect_data(shape: Rect) -> str:
    """A tenth of a pixel of the scene is far below one of the result here."""
    width = f"{shape.width:.1f}"
    return f"M{shape.x:.1f} {shape.y:.1f}h{width}v{shape.height:.1f}h-{width}z"


def _path_data(shape: Path) -> str:
    return "".join(
        f"{_LETTERS[kind]}{' '.join(f'{x:.1f} {y:.1f}' for x, y in points)}"
        for kind, points in shape.strokes
    )


def _touched(shape: Shape, bands: list[Band]) -> range:
    """Numbers of the bands that a shape touches; bands have one height, but for the last."""
    top, bottom = _extent(shape)
    height = bands[0].height
    return range(max(0, int(top // height)), min(len(bands), int(bottom // height) + 1))


def _extent(shape: Shape) -> tuple[float, float]:
    """Where a shape begins and ends on the way down."""
    if isinstance(shape, Rect):
        beyond = shape.border_px
        return shape.y - beyond, shape.y + shape.height + beyond
    if isinstance(shape, Text):
        return shape.baseline - _ASCENT * shape.size_px, shape.baseline + _DESCENT * shape.size_px
    if isinstance(shape, Polygon):
        places = [y for _, y in shape.points]
        return min(places), max(places)
    places = [y for stroke in shape.strokes for _, y in stroke.points]
    return min(places) - _CURVE_BEYOND_PX, max(places) + _CURVE_BEYOND_PX
