"""A scene as PDF: one page for each picture, vector, with the bundled font embedded.

Shapes are written as formatted operators: the library's own functions take most of half a minute
for a hundred thousand.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterable, Sequence

from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from jaxscope.export.order import OnProgress, ignore_progress, part_of_progress, report_progress
from jaxscope.export.painter import FONT_FILES
from jaxscope.export.picture import LinePath, Picture, Polygon, Rect, Shape, Text
from jaxscope.model.said import say
from jaxscope.schema.safe_text import make_safe_line

_ARC = 0.4477
"""How far from a corner the control points of a quarter of a circle are, in radii."""

_LETTERS = {"move": "m", "line": "l", "curve": "c"}
_UNSET = ("", "", 0.0, False)


class Operators:
    """Writes the shapes of one page; y counts downwards, as in a scene.

    Args:
        canvas: Whose fonts are used.
        fonts: Names of the regular and of the bold one.
    """

    def __init__(self, canvas: Canvas, fonts: tuple[str, str]) -> None:
        self._canvas = canvas
        self._fonts = fonts
        self._ink = _UNSET
        self._text_of: Callable[[str, bool, float], tuple[str, float]] = functools.cache(
            self._make_text
        )

    def write(self, shape: Shape) -> str:
        """The operators that paint one shape."""
        if isinstance(shape, Rect):
            return self._write_rect(shape)
        if isinstance(shape, LinePath):
            pieces = " ".join(
                " ".join(f"{x:.2f} {y:.2f}" for x, y in points) + f" {_LETTERS[kind]}"
                for kind, points in shape.strokes
            )
            return f"{self._set_ink('', shape.color, shape.width_px)}{pieces} S"
        if isinstance(shape, Polygon):
            (x, y), *rest = shape.points
            lines = " ".join(f"{x:.2f} {y:.2f} l" for x, y in rest)
            return f"{self._set_ink(shape.color)}{x:.2f} {y:.2f} m {lines} f"
        return self._write_text(shape)

    def _write_rect(self, shape: Rect) -> str:
        if not shape.fill and not shape.border:
            return ""
        ink = self._set_ink(shape.fill, shape.border, shape.border_px, shape.is_dashed)
        paint = "B" if shape.fill and shape.border else "f" if shape.fill else "S"
        x, y, width, height = shape.x, shape.y, shape.width, shape.height
        radius = min(shape.radius, width / 2, height / 2)
        if radius <= 0:
            return f"{ink}{x:.2f} {y:.2f} {width:.2f} {height:.2f} re {paint}"
        right, bottom, arc = x + width, y + height, radius * _ARC
        return (
            f"{ink}{x + radius:.2f} {y:.2f} m {right - radius:.2f} {y:.2f} l "
            f"{right - arc:.2f} {y:.2f} {right:.2f} {y + arc:.2f} {right:.2f} {y + radius:.2f} c "
            f"{right:.2f} {bottom - radius:.2f} l {right:.2f} {bottom - arc:.2f} "
            f"{right - arc:.2f} {bottom:.2f} {right - radius:.2f} {bottom:.2f} c "
            f"{x + radius:.2f} {bottom:.2f} l {x + arc:.2f} {bottom:.2f} "
            f"{x:.2f} {bottom - arc:.2f} {x:.2f} {bottom - radius:.2f} c "
            f"{x:.2f} {y + radius:.2f} l {x:.2f} {y + arc:.2f} "
            f"{x + arc:.2f} {y:.2f} {x + radius:.2f} {y:.2f} c h {paint}"
        )

    def _write_text(self, shape: Text) -> str:
        if not shape.text:
            return ""
        code, width = self._text_of(shape.text, shape.is_bold, shape.size_px)
        x = shape.x - width / 2 if shape.is_centred else shape.x
        # The page counts downwards, so letters are turned upright one by one.
        return f"{self._set_ink(shape.color)}q 1 0 0 -1 {x:.2f} {shape.baseline:.2f} cm {code} Q"

    def _make_text(self, text: str, is_bold: bool, size_px: float) -> tuple[str, float]:
        """A text at the origin, and how wide it is."""
        font = self._fonts[is_bold]
        written = self._canvas.beginText(0, 0)
        written.setFont(font, size_px)
        written.textOut(text)
        return written.getCode(), pdfmetrics.stringWidth(text, font, size_px)

    def _set_ink(
        self, fill: str = "", stroke: str = "", width_px: float = 0.0, is_dashed: bool = False
    ) -> str:
        """Operators for what is not set yet; what a shape does not use stays as it is."""
        known_fill, known_stroke, known_width, known_dashes = self._ink
        said = ""
        if fill and fill != known_fill:
            known_fill = fill
            said += f"{_color(fill)} rg "
        if stroke:
            if stroke != known_stroke:
                known_stroke = stroke
                said += f"{_color(stroke)} RG "
            if width_px != known_width:
                known_width = width_px
                said += f"{width_px:g} w "
            if is_dashed != known_dashes:
                known_dashes = is_dashed
                said += "[4 3] 0 d " if is_dashed else "[] 0 d "
        self._ink = (known_fill, known_stroke, known_width, known_dashes)
        return said


@functools.cache
def _color(color: str) -> str:
    """`#rrggbb` as three numbers from 0 to 1."""
    return " ".join(f"{int(color[i : i + 2], 16) / 255:.3f}" for i in (1, 3, 5))


_MAX_SIDE_PT = 14_400.0  # of a page, in the PDF specification
_POINTS_PER_PX = 0.75
_PAINTED = 0.9
"""Share of the time after which the pages are written and only compressing is left."""

REGULAR, BOLD = "jaxscope-regular", "jaxscope-bold"
"""Names of the bundled font's two faces, once they are registered."""


def pictures_to_pdf(
    pages: Sequence[tuple[str, Picture]], title: str = "", *, on_step: OnProgress = ignore_progress
) -> bytes:
    """A PDF with one page for each picture, as large as it, and an outline of their names."""
    register_fonts()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1)
    canvas.setTitle(make_safe_line(title) or "jaxscope")
    canvas.setCreator("jaxscope")
    for number, (name, picture) in enumerate(pages):
        begin, end = (_PAINTED * place / len(pages) for place in (number, number + 1))
        step = part_of_progress(on_step, begin, end)
        _paint_page(
            canvas,
            picture,
            report_progress(picture.shapes, picture.num_shapes, say("Drawing"), step),
        )
        if name:
            canvas.bookmarkPage(f"page-{number}")
            canvas.addOutlineEntry(make_safe_line(name), f"page-{number}")
        canvas.showPage()
    on_step(say("Compressing"), _PAINTED)
    canvas.save()
    return buffer.getvalue()


def page_scale(picture: Picture) -> float:
    """How much of its size a picture has on its page: 1, or less where PDF allows no more."""
    return min(1.0, _MAX_SIDE_PT / (_POINTS_PER_PX * max(picture.width, picture.height)))


def _paint_page(canvas: Canvas, picture: Picture, shapes: Iterable[Shape]) -> None:
    width, height = picture.width, picture.height
    scale = _POINTS_PER_PX * page_scale(picture)
    canvas.setPageSize((width * scale, height * scale))
    operators = Operators(canvas, (REGULAR, BOLD))
    canvas.addLiteral(f"{scale!r} 0 0 {-scale!r} 0 {height * scale!r} cm")  # y counts downwards
    canvas.addLiteral(operators.write(Rect(0, 0, width, height, 0, picture.palette.background, "")))
    for shape in shapes:
        canvas.addLiteral(operators.write(shape))


@functools.cache
def register_fonts() -> None:
    """Make the bundled font known to the library."""
    rl_config.useA85 = 0  # text instead of bytes makes a file larger and takes seconds
    for name, file in zip((REGULAR, BOLD), FONT_FILES, strict=True):
        pdfmetrics.registerFont(TTFont(name, file))
