"""A scene as PDF: one page, vector, with the bundled font embedded."""

from __future__ import annotations

import functools
import importlib.resources
import io
from collections.abc import Iterable

from reportlab.lib.colors import HexColor
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.picture import Picture, make_picture
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.shapes import Path, Polygon, Rect, Shape, Text
from jaxscope.analysis.layout.scene import Scene

_MAX_SIDE_PT = 14_400.0  # of a page, in the PDF specification
_POINTS_PER_PX = 0.75
_REGULAR, _BOLD = "jaxscope-regular", "jaxscope-bold"
_FILES = {_REGULAR: "DejaVuSans.ttf", _BOLD: "DejaVuSans-Bold.ttf"}


def scene_to_pdf(scene: Scene, theme: str = "light", title: str = "", look: Look = PLAIN) -> bytes:
    """A PDF of one page that is as large as the scene.

    Raises:
        KeyError: There is no such theme.
    """
    return pictures_to_pdf([(title, make_picture(scene, theme, look))], title)


def pictures_to_pdf(pages: Iterable[tuple[str, Picture]], title: str = "") -> bytes:
    """A PDF with one page for each picture, as large as it, and an outline of their names."""
    _register_fonts()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1)
    canvas.setTitle(make_safe_line(title) or "jaxscope")
    canvas.setCreator("jaxscope")
    for number, (name, picture) in enumerate(pages):
        _paint_page(canvas, picture)
        if name:
            canvas.bookmarkPage(f"page-{number}")
            canvas.addOutlineEntry(make_safe_line(name), f"page-{number}")
        canvas.showPage()
    canvas.save()
    return buffer.getvalue()


def page_scale(picture: Picture) -> float:
    """How much of its size a picture has on its page: 1, or less where PDF allows no more."""
    return min(1.0, _MAX_SIDE_PT / (_POINTS_PER_PX * max(picture.width, picture.height)))


def _paint_page(canvas: Canvas, picture: Picture) -> None:
    width, height = picture.width, picture.height
    scale = _POINTS_PER_PX * page_scale(picture)
    canvas.setPageSize((width * scale, height * scale))
    canvas.scale(scale, scale)
    canvas.setFillColor(HexColor(picture.palette.background))
    canvas.rect(0, 0, width, height, stroke=0, fill=1)
    for shape in picture.shapes:
        _paint(canvas, shape, height)


@functools.cache
def _register_fonts() -> None:
    fonts = importlib.resources.files("jaxscope.analysis.export").joinpath("fonts")
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, io.BytesIO(fonts.joinpath(file).read_bytes())))


def _paint(canvas: Canvas, shape: Shape, height: float) -> None:
    """Paint one shape; PDF counts y from the bottom."""
    if isinstance(shape, Rect):
        _paint_rect(canvas, shape, height)
    elif isinstance(shape, Path):
        _paint_path(canvas, shape, height)
    elif isinstance(shape, Polygon):
        outline = canvas.beginPath()
        (x, y), *rest = shape.points
        outline.moveTo(x, height - y)
        for x, y in rest:
            outline.lineTo(x, height - y)
        outline.close()
        canvas.setFillColor(HexColor(shape.color))
        canvas.drawPath(outline, stroke=0, fill=1)
    else:
        _paint_text(canvas, shape, height)


def _paint_rect(canvas: Canvas, shape: Rect, height: float) -> None:
    if shape.fill:
        canvas.setFillColor(HexColor(shape.fill))
    if shape.border:
        canvas.setStrokeColor(HexColor(shape.border))
        canvas.setLineWidth(shape.border_px)
        canvas.setDash(*((4, 3),) if shape.is_dashed else ())
    radius = min(shape.radius, shape.width / 2, shape.height / 2)
    canvas.roundRect(
        shape.x, height - shape.y - shape.height, shape.width, shape.height, radius,
        stroke=1 if shape.border else 0, fill=1 if shape.fill else 0,
    )  # fmt: skip
    if shape.is_dashed:
        canvas.setDash()


def _paint_path(canvas: Canvas, shape: Path, height: float) -> None:
    outline = canvas.beginPath()
    for kind, points in shape.strokes:
        flat = [value for x, y in points for value in (x, height - y)]
        if kind == "move":
            outline.moveTo(*flat)
        elif kind == "line":
            outline.lineTo(*flat)
        else:
            outline.curveTo(*flat)
    canvas.setStrokeColor(HexColor(shape.color))
    canvas.setLineWidth(shape.width_px)
    canvas.drawPath(outline, stroke=1, fill=0)


def _paint_text(canvas: Canvas, shape: Text, height: float) -> None:
    canvas.setFont(_BOLD if shape.is_bold else _REGULAR, shape.size_px)
    canvas.setFillColor(HexColor(shape.color))
    draw = canvas.drawCentredString if shape.is_centred else canvas.drawString
    draw(shape.x, height - shape.baseline, shape.text)
