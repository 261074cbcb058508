"""A scene as SVG: text stays text, so it can be searched and edited."""

from __future__ import annotations

import html
import itertools
from collections.abc import Iterable

from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.picture import make_picture
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.shapes import Path, Polygon, Rect, Shape, Text
from jaxscope.analysis.export.strokes import Stroke
from jaxscope.analysis.layout.scene import Scene
from jaxscope.model import NONE

FONT_FAMILY = "DejaVu Sans"
_FALLBACKS = f"'{FONT_FAMILY}', Verdana, sans-serif"
_LETTERS = {"move": "M", "line": "L", "curve": "C"}


def scene_to_svg(
    scene: Scene,
    theme: str = "light",
    title: str = "",
    look: Look = PLAIN,
    *,
    has_text: bool = True,
) -> str:
    """An SVG document of the whole scene.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        title: For screen readers and the window's title; empty leaves it out.
        look: What colours tell and what is outlined.
        has_text: Whether to write the texts; where they could not be read they only cost time.

    Raises:
        KeyError: There is no such theme.
    """
    picture = make_picture(scene, theme, look)
    width, height = _number(picture.width), _number(picture.height)
    name = f"<title>{_escape(title)}</title>\n" if title else ""
    ground = picture.palette.background
    body = "\n".join(
        _render(shape, scene) for shape in picture.shapes if has_text or not isinstance(shape, Text)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="{_FALLBACKS}" role="img">\n{name}'
        f'<rect width="{width}" height="{height}" fill="{ground}"/>\n{body}\n</svg>\n'
    )


def _render(shape: Shape, scene: Scene) -> str:
    if isinstance(shape, Rect):
        return _render_rect(shape, scene)
    if isinstance(shape, Path):
        steps = " ".join(_step(stroke) for stroke in shape.strokes)
        width = _number(shape.width_px)
        return f'<path d="{steps}" fill="none" stroke="{shape.color}" stroke-width="{width}"/>'
    if isinstance(shape, Polygon):
        return f'<polygon points="{_points(shape.points)}" fill="{shape.color}"/>'
    return _render_text(shape)


def _render_rect(shape: Rect, scene: Scene) -> str:
    stroke = ""
    if shape.border:
        stroke = f' stroke="{shape.border}" stroke-width="{_number(shape.border_px)}"'
    if shape.is_dashed:
        stroke += ' stroke-dasharray="4 3"'
    fill = shape.fill or "none"
    identity = "" if shape.item == NONE else f' id="{_escape(_identity(scene, shape.item))}"'
    return (
        f'<rect{identity} x="{_number(shape.x)}" y="{_number(shape.y)}"'
        f' width="{_number(shape.width)}" height="{_number(shape.height)}"'
        f' rx="{_number(shape.radius)}" fill="{fill}"{stroke}/>'
    )


def _identity(scene: Scene, item: int) -> str:
    """The box's id as an XML id: without spaces."""
    return "-".join(make_safe_line(scene.items.ids[item]).split()) or f"item-{item}"


def _render_text(shape: Text) -> str:
    if not shape.text:
        return ""
    weight = ' font-weight="bold"' if shape.is_bold else ""
    anchor = ' text-anchor="middle"' if shape.is_centred else ""
    return (
        f'<text x="{_number(shape.x)}" y="{_number(shape.baseline)}"'
        f' font-size="{_number(shape.size_px)}"{weight}{anchor} fill="{shape.color}">'
        f"{_escape(shape.text)}</text>"
    )


def _step(stroke: Stroke) -> str:
    return _LETTERS[stroke.kind] + _points(stroke.points)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(_number(value) for value in itertools.chain.from_iterable(points))


def _number(value: float) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".")


def _escape(text: str) -> str:
    return html.escape(make_safe_line(text), quote=True)
