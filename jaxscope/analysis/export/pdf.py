"""A scene as PDF: one page, vector, with the bundled font embedded."""

from __future__ import annotations

import functools
import importlib.resources
import io
from collections.abc import Iterable, Sequence

from reportlab import rl_config
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.pdf_operators import Operators
from jaxscope.analysis.export.picture import Picture, make_picture
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.shapes import Rect, Shape
from jaxscope.analysis.export.steps import OnStep, ignore_steps, part_of_steps, tell_steps
from jaxscope.analysis.layout.scene import Scene

_MAX_SIDE_PT = 14_400.0  # of a page, in the PDF specification
_POINTS_PER_PX = 0.75
_PAINTED = 0.9
"""Share of the time after which the pages are written and only compressing is left."""

_REGULAR, _BOLD = "jaxscope-regular", "jaxscope-bold"
_FILES = {_REGULAR: "DejaVuSans.ttf", _BOLD: "DejaVuSans-Bold.ttf"}


def scene_to_pdf(
    scene: Scene,
    theme: str = "light",
    title: str = "",
    look: Look = PLAIN,
    *,
    on_step: OnStep = ignore_steps,
) -> bytes:
    """A PDF of one page that is as large as the scene.

    Raises:
        KeyError: There is no such theme.
    """
    return pictures_to_pdf([(title, make_picture(scene, theme, look))], title, on_step=on_step)


def pictures_to_pdf(
    pages: Sequence[tuple[str, Picture]], title: str = "", *, on_step: OnStep = ignore_steps
) -> bytes:
    """A PDF with one page for each picture, as large as it, and an outline of their names."""
    _register_fonts()
    buffer = io.BytesIO()
    canvas = Canvas(buffer, pageCompression=1)
    canvas.setTitle(make_safe_line(title) or "jaxscope")
    canvas.setCreator("jaxscope")
    for number, (name, picture) in enumerate(pages):
        begin, end = (_PAINTED * place / len(pages) for place in (number, number + 1))
        step = part_of_steps(on_step, begin, end)
        _paint_page(
            canvas, picture, tell_steps(picture.shapes, picture.num_shapes, "Drawing", step)
        )
        if name:
            canvas.bookmarkPage(f"page-{number}")
            canvas.addOutlineEntry(make_safe_line(name), f"page-{number}")
        canvas.showPage()
    on_step("Compressing", _PAINTED)
    canvas.save()
    return buffer.getvalue()


def page_scale(picture: Picture) -> float:
    """How much of its size a picture has on its page: 1, or less where PDF allows no more."""
    return min(1.0, _MAX_SIDE_PT / (_POINTS_PER_PX * max(picture.width, picture.height)))


def _paint_page(canvas: Canvas, picture: Picture, shapes: Iterable[Shape]) -> None:
    width, height = picture.width, picture.height
    scale = _POINTS_PER_PX * page_scale(picture)
    canvas.setPageSize((width * scale, height * scale))
    operators = Operators(canvas, (_REGULAR, _BOLD))
    canvas.addLiteral(f"{scale!r} 0 0 {-scale!r} 0 {height * scale!r} cm")  # y counts downwards
    canvas.addLiteral(operators.write(Rect(0, 0, width, height, 0, picture.palette.background, "")))
    for shape in shapes:
        canvas.addLiteral(operators.write(shape))


@functools.cache
def _register_fonts() -> None:
    rl_config.useA85 = 0  # text instead of bytes makes a file larger and takes seconds
    fonts = importlib.resources.files("jaxscope.analysis.export").joinpath("fonts")
    for name, file in _FILES.items():
        pdfmetrics.registerFont(TTFont(name, io.BytesIO(fonts.joinpath(file).read_bytes())))
