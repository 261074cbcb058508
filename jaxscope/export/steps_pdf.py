"""A call with its numbers as a hand-out on A4.

Questions, source and drawing come first; then, from a new page on, the answers and what each
equation makes.

Chinese is written in a font that PDF readers bring themselves: Noto Sans CJK, for one, has 19 MB.
"""

from __future__ import annotations

import functools
import io
import itertools
import os
from collections.abc import Iterator, Sequence

from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    CondPageBreak,
    Flowable,
    HRFlowable,
    KeepTogether,
    PageBreak,
    Paragraph,
    SimpleDocTemplate,
    Spacer,
    XPreformatted,
)
from reportlab.platypus import Table as PdfTable
from reportlab.platypus.flowables import CallerMacro

from jaxscope.export.painter import FIRST_UNKNOWN
from jaxscope.export.pdf import BOLD, REGULAR, Operators, register_fonts
from jaxscope.export.picture import Picture, make_picture
from jaxscope.export.steps import (
    choose_source,
    describe_end,
    describe_run,
    find_graph,
    list_blocks,
    split_blocks,
    step_title,
)
from jaxscope.model import Capture
from jaxscope.model.lessons import Lesson, TextLesson
from jaxscope.model.units import join_words
from jaxscope.model.values import Step, Stepping
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.report.stepping import VALUE_HEADERS
from jaxscope.schema.safe_text import escape_html, make_safe, make_safe_line

_MARGIN_PT = 18 * mm
_WIDTH_PT = A4[0] - 2 * _MARGIN_PT - 12
"""Of what is written: the library leaves 6 points at each side of a frame."""
_MOST_DRAWN_PT = A4[1] * 0.55
"""Height of the drawing at most: the rest of the page has its title and some lines."""
_LEAST_SCALE = 0.4
"""Of the drawing, in points for each of its pixels: types of 11 px are then 4.4 pt."""
_MOST_NODES = 500
"""A larger program cannot be read on a page."""
_MOST_LINES = 300
"""Of the source."""
_MOST_CHARACTERS = 160
"""Of a cell: a row cannot be higher than a page."""
_ROOM_PT = 100
"""That is left on a page for what begins on it."""
_CODE_CHARACTERS = 108
"""Of a line of code that fits the page."""
_CODE, _CHINESE = "Courier", "STSong-Light"
_GREY, _LINE = HexColor("#5f6368"), HexColor("#c9ccd1")

_TEXT = ParagraphStyle("text", fontName=REGULAR, fontSize=9.5, leading=13.5, spaceAfter=5)
_SMALL = ParagraphStyle("small", _TEXT, fontSize=7.5, leading=10, textColor=_GREY)
_TITLE = ParagraphStyle("title", _TEXT, fontName=BOLD, fontSize=17, leading=22, spaceAfter=3)
_HEADING = ParagraphStyle(
    "heading", _TITLE, fontSize=12, leading=16, spaceBefore=9, keepWithNext=True
)
_LONG_HEADING = ParagraphStyle("heading of what is long", _HEADING, keepWithNext=False)
_STEP = ParagraphStyle("step", _TITLE, fontSize=8.5, leading=11, spaceAfter=0)
_LISTING = ParagraphStyle("listing", _TEXT, fontName=_CODE, fontSize=7.5, leading=9.6)
_CELL = ParagraphStyle("cell", _TEXT, fontSize=7.5, leading=9.5, spaceAfter=0)
_CODE_CELL = ParagraphStyle("code cell", _CELL, fontName=_CODE)
_HEAD_CELL = ParagraphStyle("head cell", _CELL, textColor=_GREY)
_TABLE_STYLES: list[tuple[object, ...]] = [
    ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ("LINEBELOW", (0, 0), (-1, -1), 0.3, _LINE),
    ("LEFTPADDING", (0, 0), (-1, -1), 0),
    ("RIGHTPADDING", (0, 0), (-1, -1), 6),
    ("TOPPADDING", (0, 0), (-1, -1), 1.5),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 2),
]
_KEPT_ROWS = 2
"""Of a step, that are on one page with its line: more may be too high for any page."""


def steps_to_pdf(
    stepping: Stepping, steps: Sequence[Step], capture: Capture, lesson: Lesson | TextLesson
) -> bytes:
    """The steps as a hand-out.

    Args:
        stepping: What was stepped through.
        steps: As `SteppingClient.record` gives them.
        capture: Of the same call: its source and the graph of the stage.
        lesson: Its questions come before the program, its answers behind.
    """
    register_fonts()
    if isinstance(lesson, TextLesson):
        title, answers = lesson.title, list(_answer_parts(lesson))
        asked = _ask_parts(lesson, stepping.call)
    else:
        title, asked, answers = stepping.call, _ask(lesson), list(_answer(lesson))
    story = [
        _write(title, _TITLE),
        *([_write(stepping.call, _LISTING)] if title != stepping.call else []),
        _write(f"{describe_run(stepping)}.", _SMALL),
        *asked,
        *_draw(stepping, capture),
        *_list_source(capture),
        PageBreak(),
        *([_write("Answers", _TITLE), *answers] if answers else []),
        CondPageBreak(_ROOM_PT),
        _write("Equation by equation", _LONG_HEADING),
    ]
    story.append(_tell(stepping, steps, capture.source.file))
    if end := describe_end(steps):
        story.append(_write(end, _TEXT))
    buffer = io.BytesIO()
    document = SimpleDocTemplate(
        buffer,
        pagesize=A4,
        leftMargin=_MARGIN_PT,
        rightMargin=_MARGIN_PT,
        topMargin=_MARGIN_PT,
        bottomMargin=_MARGIN_PT,
        title=make_safe_line(title),
        creator="jaxscope",
    )
    number = functools.partial(_number_page, f"{os.path.basename(capture.source.file)} · {title}")
    document.build(story, onFirstPage=number, onLaterPages=number)
    return buffer.getvalue()


def _number_page(title: str, canvas: Canvas, document: SimpleDocTemplate) -> None:
    footer = _write(f"{title[:100]} · {document.page}", _SMALL)
    footer.wrap(_WIDTH_PT, _MARGIN_PT)
    footer.drawOn(canvas, _MARGIN_PT, _MARGIN_PT / 2)


def _ask(lesson: Lesson) -> Iterator[Flowable]:
    """The questions of a docstring."""
    if lesson.look:
        yield from [_write("Look at", _HEADING), *_write_markdown(lesson.look)]
    if lesson.predict:
        yield from [_write("Predict", _HEADING), *_write_markdown(lesson.predict), *_room()]


def _answer(lesson: Lesson) -> Iterator[Flowable]:
    if lesson.see:
        yield from [_write("Then see", _HEADING), *_write_markdown(lesson.see)]


def _ask_parts(lesson: TextLesson, call: str) -> Iterator[Flowable]:
    """The parts of a lesson without what they reveal, and room for what a reader predicts.

    Args:
        lesson: Whose parts they are.
        call: The one that is named above them.
    """
    for part in lesson.parts:
        if part is not lesson.parts[0]:
            yield _write(part.heading, _HEADING)
        if part.shown.call != call:
            call = part.shown.call
            yield _write(f"Look at: {call}", _SMALL)
        yield from _write_markdown(part.text)
        if part.reveal:
            yield from _room()


def _answer_parts(lesson: TextLesson) -> Iterator[Flowable]:
    for part in filter(lambda part: part.reveal, lesson.parts):
        yield _write(part.heading, _HEADING)
        if part.revealed.call != part.shown.call:
            yield _write(f"Look at: {part.revealed.call}", _SMALL)
        yield from _write_markdown(part.reveal)


def _room() -> Iterator[Flowable]:
    """Lines to write on."""
    yield Spacer(0, 6)
    for _ in range(2):
        yield HRFlowable("100%", 0.4, color=_LINE, spaceBefore=14, spaceAfter=0)
    yield Spacer(0, 8)


def _draw(stepping: Stepping, capture: Capture) -> Iterator[Flowable]:
    """The program as it is drawn at first, or with its groups closed where that is legible."""
    graph = find_graph(capture, stepping.stage)
    if graph is None or not graph.nodes:
        return
    yield _write(f"The program: {stepping.stage}", _HEADING)
    if len(graph.nodes) <= _MOST_NODES:
        view = build_view(graph)
        for opened in (None, frozenset[str]()):
            picture = make_picture(build_scene(view, opened), "light")
            if _scale(picture) >= _LEAST_SCALE:
                yield _place(picture)
                return
    words = os.path.basename(capture.call_file), capture.call, "--stage", stepping.stage
    yield _write(
        f"Its {len(graph.nodes):,} nodes cannot be read on a page of this size. They are drawn on "
        f"one that is large enough by `jaxscope capture {join_words(words)} -o program.pdf`.",
        _TEXT,
    )


def _scale(picture: Picture) -> float:
    """In points for each of its pixels: to the width of the page and a part of its height."""
    return float(min(0.75, _WIDTH_PT / picture.width, _MOST_DRAWN_PT / picture.height))


def _place(picture: Picture) -> Flowable:
    """A picture in the flow of a page."""
    scale = _scale(picture)

    def draw(place: Flowable) -> None:
        """Called with the origin at the upper left corner."""
        operators = Operators(place.canv, (REGULAR, BOLD))
        place.canv.saveState()
        place.canv.addLiteral(f"{scale!r} 0 0 {-scale!r} 0 0 cm")  # y counts downwards
        for shape in picture.shapes:
            place.canv.addLiteral(operators.write(shape))
        place.canv.restoreState()

    room = Spacer(picture.width * scale, picture.height * scale)  # the drawing itself takes none
    return KeepTogether([CallerMacro(drawCallable=draw), room])


def _list_source(capture: Capture) -> Iterator[Flowable]:
    """The file with the numbers of its lines."""
    text, first = choose_source(capture)
    lines = text.splitlines()[first - 1 :]
    if not any(line.strip() for line in lines):
        return
    yield CondPageBreak(_ROOM_PT)
    yield _write(os.path.basename(capture.source.file), _LONG_HEADING)
    digits = len(str(first + len(lines)))
    width = _CODE_CHARACTERS - digits - 2
    written = []
    for number, line in enumerate(lines[:_MOST_LINES], first):
        safe = make_safe_line(line.expandtabs()) if line.strip() else ""
        for start in range(0, min(max(len(safe), 1), 20 * width), width):
            head = f"{number:>{digits}}" if not start else " " * digits
            written.append(f"{head}  {safe[start : start + width]}")
    yield XPreformatted("\n".join(_mark_up(line, _CODE) for line in written), _LISTING)
    if len(lines) > _MOST_LINES:
        yield _write(f"and {len(lines) - _MOST_LINES:,} more lines", _SMALL)


def _tell(stepping: Stepping, steps: Sequence[Step], file: str) -> PdfTable:
    """A table with a line for each step, and below it its values."""
    rows: list[list[Paragraph]] = [[_write_cell(header, _HEAD_CELL) for header in VALUE_HEADERS]]
    texts: list[Sequence[str]] = [VALUE_HEADERS]
    styles = list(_TABLE_STYLES)

    def add_line(text: str, style: ParagraphStyle) -> None:
        styles.append(("SPAN", (0, len(rows)), (-1, len(rows))))
        rows.append([_write_cell(text, style)])

    for step in steps:
        first = len(rows)
        line = f" · line {step.line}" if step.line and step.file == file else ""
        styles.append(("TOPPADDING", (0, first), (-1, first), 8))
        add_line(f"{step_title(stepping, step)}{line}", _STEP)
        for block in list_blocks(step, step.values):
            if isinstance(block, str):
                add_line(block, _HEAD_CELL)
                continue
            texts += block.texts()
            rows += [[_write_cell(text, _CODE_CELL) for text in row] for row in block.texts()]
        if step.failure:
            add_line(step.failure, _CELL)
        last = min(len(rows) - 1, first + _KEPT_ROWS)
        styles.append(("NOSPLIT", (0, first), (0, last)))
    widths = [
        max(_measure(text[:_MOST_CHARACTERS]) for text in column) + 8
        for column in zip(*texts, strict=True)
    ]
    cap = max(widths)
    while sum(min(width, cap) for width in widths) > _WIDTH_PT:  # the widest give way
        cap -= 2
    padded = [[*row, *[""] * (len(widths) - len(row))] for row in rows]
    return PdfTable(
        padded, [min(width, cap) for width in widths], style=styles, repeatRows=1, hAlign="LEFT"
    )


def _measure(text: str) -> float:
    """How wide a text of a cell is, in points, in the wider of the fonts that it may have."""
    fonts = (_CODE, REGULAR)
    return max(float(pdfmetrics.stringWidth(text, font, _CELL.fontSize)) for font in fonts)


def _write_cell(text: str, style: ParagraphStyle) -> Paragraph:
    return _write(text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}…", style)


def _write_markdown(markdown: str) -> Iterator[Flowable]:
    """Paragraphs; what is laid out in lines, such as a list or code, as it stands."""
    for is_laid_out, block in split_blocks(markdown):
        if is_laid_out:
            lines = make_safe(block).split("\n")
            yield XPreformatted("\n".join(_mark_up(line, _CODE) for line in lines), _LISTING)
        else:
            yield _write(block, _TEXT)


def _write(text: str, style: ParagraphStyle) -> Paragraph:
    """A paragraph; what stands between backticks is code."""
    safe = make_safe_line(text)
    pieces = safe.split("`") if safe.count("`") % 2 == 0 else [safe]
    written = [
        _mark_up(piece, _CODE if n % 2 else style.fontName) for n, piece in enumerate(pieces)
    ]
    if max(safe, default="") >= chr(FIRST_UNKNOWN):
        style = ParagraphStyle(f"{style.name} in Chinese", style, wordWrap="CJK")
    return Paragraph("".join(written), style)


def _mark_up(text: str, font: str) -> str:
    """A text in the font, or in another where the font lacks its characters."""
    written = []
    for name, run in itertools.groupby(text, functools.partial(_choose_font, font)):
        if name == _CHINESE:
            _register_chinese()
        written.append(f'<font name="{name}">{escape_html("".join(run))}</font>')
    return "".join(written)


@functools.lru_cache(4096)
def _choose_font(font: str, character: str) -> str:
    """The one that has the character: those that PDF readers bring have only Latin ones."""
    if ord(character) >= FIRST_UNKNOWN:
        return _CHINESE
    return REGULAR if font == _CODE and character.encode("cp1252", "ignore") == b"" else font


@functools.cache
def _register_chinese() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(_CHINESE))
