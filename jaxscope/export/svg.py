"""A scene as SVG: text stays text, so it can be searched and edited."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

from jaxscope.export.order import PLAIN, Look, OnProgress, ignore_progress, report_progress
from jaxscope.export.painter import FONT_FAMILY
from jaxscope.export.picture import LinePath, Polygon, Rect, Shape, Text, make_picture
from jaxscope.model import NONE
from jaxscope.model.said import say
from jaxscope.picture.scene.scene import Scene
from jaxscope.schema.safe_text import escape_html, make_safe_line

FONT_FALLBACKS = f"'{FONT_FAMILY}', Verdana, sans-serif"
_SHAPES_PER_PART = 2_000
LETTERS = {"move": "M", "line": "L", "curve": "C"}


def scene_to_svg_parts(
    scene: Scene,
    theme: str = "light",
    title: str = "",
    look: Look = PLAIN,
    *,
    on_step: OnProgress = ignore_progress,
) -> Iterator[str]:
    """An SVG document of the whole scene, in parts of a few hundred kilobytes.

    Args:
        scene: What to draw.
        theme: `light` or `dark`.
        title: For screen readers and the window's title; empty leaves it out.
        look: What colours mean and what is outlined.
        on_step: Told how far it is.

    Raises:
        KeyError: There is no such theme.
    """
    picture = make_picture(scene, theme, look)
    width, height = format_number(picture.width), format_number(picture.height)
    name = f"<title>{escape_html(title)}</title>\n" if title else ""
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}"'
        f' viewBox="0 0 {width} {height}" font-family="{FONT_FALLBACKS}" role="img">\n{name}'
        f'<rect width="{width}" height="{height}" fill="{picture.palette.background}"/>\n'
    )
    shapes = report_progress(picture.shapes, picture.num_shapes, say("Drawing"), on_step)
    elements = (f"{render_shape(shape, scene)}\n" for shape in shapes)
    while part := "".join(itertools.islice(elements, _SHAPES_PER_PART)):
        yield part
    yield "</svg>\n"


def render_shape(shape: Shape, scene: Scene | None = None) -> str:
    """One shape as an element; rectangles of items have ids where the scene is given."""
    if isinstance(shape, Rect):
        return _render_rect(shape, scene)
    if isinstance(shape, LinePath):
        width = format_number(shape.width_px)
        return (
            f'<path d="{path_data(shape)}" fill="none" stroke="{shape.color}"'
            f' stroke-width="{width}"/>'
        )
    if isinstance(shape, Polygon):
        return f'<polygon points="{_points(shape.points)}" fill="{shape.color}"/>'
    return _render_text(shape)


def _render_rect(shape: Rect, scene: Scene | None) -> str:
    stroke = ""
    if shape.border:
        stroke = f' stroke="{shape.border}" stroke-width="{format_number(shape.border_px)}"'
    if shape.is_dashed:
        stroke += ' stroke-dasharray="4 3"'
    fill = shape.fill or "none"
    identity = ""
    if scene is not None and shape.item != NONE:
        identity = f' id="{escape_html(_identity(scene, shape.item))}"'
    return (
        f'<rect{identity} x="{format_number(shape.x)}" y="{format_number(shape.y)}"'
        f' width="{format_number(shape.width)}" height="{format_number(shape.height)}"'
        f' rx="{format_number(shape.radius)}" fill="{fill}"{stroke}/>'
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
        f'<text x="{format_number(shape.x)}" y="{format_number(shape.baseline)}"'
        f' font-size="{format_number(shape.size_px)}"{weight}{anchor} fill="{shape.color}">'
        f"{escape_html(shape.text)}</text>"
    )


def path_data(path: LinePath) -> str:
    """The strokes of a path as the attribute `d` has them."""
    return " ".join(LETTERS[kind] + _points(points) for kind, points in path.strokes)


def _points(points: Iterable[tuple[float, float]]) -> str:
    return " ".join(format_number(value) for value in itertools.chain.from_iterable(points))


def format_number(value: float) -> str:
    """A coordinate, to a hundredth of a pixel."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
