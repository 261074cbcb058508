"""The text form of a pane: shows program text with line numbers, marks, costs and folds, and lets a
person choose lines.

Only visible lines are painted; nothing is computed per line that nobody looks at, unless long lines
are wrapped. A block is what is indented deeper than the line before it; `Folding` maps rows on the
screen to lines (both 0-based).
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QEnterEvent,
    QFont,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QScrollBar, QToolTip, QWidget

from jaxscope.late_dataclass import dataclass
from jaxscope.marks import show_marks
from jaxscope.model import Check, Severity, StageText
from jaxscope.model.units import format_seconds, format_share
from jaxscope.picture.syntax import Colouring, MachineColouring, ProgramColouring, PythonColouring
from jaxscope.program.cost.lines import LineCost
from jaxscope.program.source_lines import find_statements
from jaxscope.ui.toolkit.language import tr, tr_count, tr_said
from jaxscope.ui.toolkit.theme import LIGHT, Theme, fixed_font

# Which lines of a text are folded away or wrapped, and which line stands in which row; no Qt.
#
# A block is what is indented deeper than the line above it: the body of a function, of an inner
# jaxpr, of a computation, of a region. Whether a line begins one is seen from the line after it, so
# nothing is computed for lines that nobody looks at.


_LOOK_AHEAD = 32
"""So many empty lines may stand between a block's first line and its inside."""
_HANG = 4
"""Columns by which the further rows of a wrapped line stand deeper than its first."""
_BREAKS = ((frozenset(" "), 2), (frozenset(" ,;("), 3), (frozenset("[{"), 3))
"""A line is broken after a space if its row is half full by that, else after one of the others if
it is a third full; rather not within a type such as `f32[8]`."""
_BREAKS_OF_LONG_WORDS = ((frozenset("."), 3), (frozenset(" ,;([{"), 6))
"""Where the row would else end within a name, which it does only if none of these is there."""
_LEAST_COLUMNS = 16
_LAST_ROW = 16
"""Columns of text that are enough for a last row, of a third of the page where that is less."""
MOST_WRAPPED_LINES = 5_000
"""Longer texts are not wrapped: each line would have to be looked at, at each change of width."""


class Piece(NamedTuple):
    """What a row shows of a line.

    Attributes:
        start: Its first column.
        stop: The column after its last.
        hang: At which column of the page it begins.
    """

    start: int
    stop: int
    hang: int


def wrap_line(text: str, columns: int) -> tuple[Piece, ...]:
    """The rows of a line on a page of so many columns; rows after the first hang.

    Where a word or two would be left for the last row, the rows before are shorter instead.
    """
    if len(text) <= columns:
        return (Piece(0, len(text), 0),)
    hang = min((_depth(text) or 0) + _HANG, columns // 2)
    pieces = _wrap(text, columns, hang)
    for narrower in range(columns - 1, columns // 2, -1):
        last = pieces[-1]
        if last.stop - last.start >= min(columns // 3, _LAST_ROW):
            break
        tried = _wrap(text, narrower, hang)
        is_between_words = all(text[piece.start - 1] == " " for piece in tried[1:])
        if len(tried) > len(pieces) or not is_between_words:
            break
        pieces = tried
    return pieces


def _wrap(text: str, columns: int, hang: int) -> tuple[Piece, ...]:
    """The rows of a longer line, each as long as can be."""
    pieces: list[Piece] = []
    start, indent = 0, 0
    while len(text) - start > columns - indent:
        most = start + columns - indent
        is_in_name = text[most - 1 : most + 1].isidentifier()
        breaks = (*_BREAKS, *(_BREAKS_OF_LONG_WORDS if is_in_name else ()))
        stop = next(
            (
                at + 1
                for signs, part in breaks
                for at in range(most - 1, start + (columns - indent) // part - 1, -1)
                if text[at] in signs
            ),
            most,
        )
        pieces.append(Piece(start, stop, indent))
        start, indent = stop, hang
    return (*pieces, Piece(start, len(text), indent))


class Folding:
    """Maps rows, which are on the screen, to lines and back; 0-based both."""

    def __init__(self, lines: Sequence[str] = (), docstring: range = range(0)) -> None:
        self._lines = lines
        self._docstring = docstring
        self._folded: dict[int, int] = {}
        self._shown: npt.NDArray[np.int64] | None = None
        self._columns = 0
        self._heights: npt.NDArray[np.int64] | None = None
        self._ends: npt.NDArray[np.int64] | None = None

    def wrap_at(self, columns: int) -> bool:
        """Wrap lines that are longer than so many columns, none for 0; whether rows changed."""
        if len(self._lines) > MOST_WRAPPED_LINES:
            columns = 0
        columns = max(columns, _LEAST_COLUMNS) if columns else 0
        if columns == self._columns:
            return False
        self._columns, self._heights = columns, None
        if columns:
            counts = (len(wrap_line(line, columns)) for line in self._lines)
            self._heights = np.fromiter(counts, np.int64, len(self._lines))
        self._arrange()
        return True

    @property
    def is_wrapping(self) -> bool:
        """Whether long lines have several rows."""
        return self._columns > 0

    def pieces_of(self, line: int) -> tuple[Piece, ...]:
        """What the rows of a line show of it."""
        text = self._lines[line]
        return wrap_line(text, self._columns) if self._columns else (Piece(0, len(text), 0),)

    @property
    def num_rows(self) -> int:
        if self._ends is not None:
            return int(self._ends[-1]) if len(self._ends) else 0
        return len(self._lines) if self._shown is None else len(self._shown)

    @property
    def folded(self) -> tuple[int, ...]:
        """Lines whose blocks are folded away."""
        return tuple(self._folded)

    def line_at(self, row: int) -> int:
        """The line in a row; the row must be there."""
        if self._ends is not None:
            row = int(np.searchsorted(self._ends, row, "right"))
        return row if self._shown is None else int(self._shown[row])

    def row_of(self, line: int) -> int:
        """The first row of a line, or of the line that it is folded into; of one that the text does
        not have, as after an edit, a row at the end.
        """
        place = line
        if self._shown is not None:
            place = max(int(np.searchsorted(self._shown, line, "right")) - 1, 0)
        if self._ends is None:
            return place
        place = min(place, len(self._ends))
        return int(self._ends[place - 1]) if place else 0

    def num_rows_of(self, line: int) -> int:
        """How many rows a line has that is not folded away."""
        if self._heights is None or line >= len(self._heights):
            return 1
        return int(self._heights[line])

    def is_shown(self, line: int) -> bool:
        """Whether no fold hides a line."""
        return self._shown is None or self.line_at(self.row_of(line)) == line

    def is_folded(self, line: int) -> bool:
        """Whether the block that a line begins is folded away."""
        return line in self._folded

    def num_hidden(self, line: int) -> int:
        """How many lines are folded into a line."""
        return self._folded[line] - line - 1 if line in self._folded else 0

    def begins_block(self, line: int) -> bool:
        """Whether the lines after a line are deeper, or the docstring of the file begins there."""
        if self._docstring and line == self._docstring.start:
            return True
        own = _depth(self._lines[line])
        if own is None:
            return False
        for after in self._lines[line + 1 : line + 1 + _LOOK_AHEAD]:
            depth = _depth(after)
            if depth is not None:
                return depth > own
        return False

    def block_of(self, line: int) -> int | None:
        """The line that begins the innermost block around a line; itself where it begins one."""
        if self.begins_block(line):
            return line
        if line in self._docstring:
            return self._docstring.start
        own = _depth(self._lines[line])
        for before in range(line - 1, -1, -1):
            depth = _depth(self._lines[before])
            if own is None:
                own = depth
            elif depth is not None and depth < own:
                return before
        return None

    def toggle(self, line: int) -> bool:
        """Fold the block that a line begins, or unfold it; false where it begins none."""
        if line in self._folded:
            del self._folded[line]
        elif self.begins_block(line):
            self._folded[line] = self._end_of(line)
        else:
            return False
        self._arrange()
        return True

    def unfold_around(self, line: int) -> bool:
        """Unfold all blocks that hide a line; false where none did."""
        hiding = [begin for begin, end in self._folded.items() if begin < line < end]
        for begin in hiding:
            del self._folded[begin]
        if hiding:
            self._arrange()
        return bool(hiding)

    def fold_all(self) -> None:
        """Fold every block, inner ones as well: unfolding an outer one shows them folded."""
        self._fold(line for line in range(len(self._lines)) if self.begins_block(line))

    def unfold_all(self) -> None:
        """Show every line."""
        self._folded.clear()
        self._arrange()

    def _fold(self, begins: Iterable[int]) -> None:
        open_blocks: list[tuple[int, int]] = []  # depth, line
        wanted, last = set(begins), -1
        for line, text in enumerate(self._lines):
            depth = _depth(text)
            if depth is None:
                continue
            while open_blocks and open_blocks[-1][0] >= depth:
                self._folded[open_blocks.pop()[1]] = last + 1
            if line in wanted:
                open_blocks.append((depth, line))
            last = line
        self._folded.update((line, last + 1) for _, line in open_blocks)
        if self._docstring.start in wanted:
            self._folded[self._docstring.start] = self._end_of(self._docstring.start)
        self._arrange()

    def _end_of(self, line: int) -> int:
        """The line after the block's last; empty lines at its end stay outside."""
        if self._docstring and line == self._docstring.start:
            return self._docstring.stop
        own, last = _depth(self._lines[line]) or 0, line
        for number in range(line + 1, len(self._lines)):
            depth = _depth(self._lines[number])
            if depth is None:
                continue
            if depth <= own:
                break
            last = number
        return last + 1

    def _arrange(self) -> None:
        self._shown = None
        if self._folded:
            is_shown = np.ones(len(self._lines), bool)
            for begin, end in self._folded.items():
                is_shown[begin + 1 : end] = False
            self._shown = np.flatnonzero(is_shown)
        heights = self._heights
        if heights is not None:
            heights = np.cumsum(heights if self._shown is None else heights[self._shown])
        self._ends = heights


def _depth(line: str) -> int | None:
    """How far a line is indented; None for an empty one."""
    stripped = line.lstrip()
    return len(line) - len(stripped) if stripped else None


# Paints one line of program text: its ground, its number, its cost, its fold, its colours.


_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
PREVIEW_STRENGTH = 0.45
"""How much of a mark's colour what is only looked at ahead gets."""


class Mark(enum.IntEnum):
    """How a line is marked; a larger one wins over a smaller one on the same line."""

    FOUND = 0
    FORWARD = 1
    BACKWARD = 2
    ERROR = 3
    SELECTED = 4


_MARK_NAMES = {
    Mark.FOUND: "found",
    Mark.FORWARD: "linked to what is selected",
    Mark.BACKWARD: "linked to what is selected, which is in the backward pass",
    Mark.ERROR: "where the error is",
    Mark.SELECTED: "selected, or linked to it",
}
"""What the mark at the edge of a line says."""


@dataclass(frozen=True, slots=True)
class RowGeometry:
    """Widths and positions of the parts of a row, in pixels.

    Attributes:
        width: Of the page.
        line: Height of a row.
        char: Width of a character.
        ascent: Of the baseline, from the top of a row.
        gutter: Where the text begins.
        heat: Width of the columns of costs and times; 0 where there is none.
        times: Width of the column of times, the right part of `heat`; 0 where there is none, or no
            room for one.
        fold: Width of the column of folds.
    """

    width: int
    line: int
    char: float
    ascent: int
    gutter: int
    heat: int
    times: int
    fold: int


def mark_colours(theme: Theme, mark: Mark) -> tuple[str, str]:
    """A mark's ground and the strong colour of its edge."""
    return {
        Mark.FOUND: (theme.warning_soft, theme.warning),
        Mark.FORWARD: (theme.forward_soft, theme.forward),
        Mark.BACKWARD: (theme.backward_soft, theme.backward),
        Mark.ERROR: (theme.error_soft, theme.error),
        Mark.SELECTED: (theme.selected_soft, theme.selected),
    }[mark]


def paint_ground(
    painter: QPainter,
    theme: Theme,
    rect: QRect,
    mark: Mark | None,
    preview: Mark | None,
    *,
    is_chosen: bool,
    is_current: bool,
) -> None:
    """Fill a row: fixed marks fully, those ahead faintly with a thinner edge."""
    if mark is not None:
        soft, strong = mark_colours(theme, mark)
        painter.fillRect(rect, QColor(soft))
        painter.fillRect(QRect(0, rect.y(), 4, rect.height()), QColor(strong))
    elif is_chosen:
        painter.fillRect(rect, QColor(theme.accent_soft))
    if preview is not None:
        soft, strong = mark_colours(theme, preview)
        ground = QColor(soft)
        ground.setAlphaF(PREVIEW_STRENGTH)
        painter.fillRect(rect, ground)
        painter.fillRect(QRect(0, rect.y(), 2, rect.height()), QColor(strong))
    if is_current:
        painter.setPen(QColor(theme.accent))
        painter.drawRect(rect.adjusted(0, 0, -1, -1))


_CHECK_PX = 14
_BAR_PX = 3


def paint_number(painter: QPainter, theme: Theme, place: RowGeometry, y: int, line: int) -> None:
    """The number of a line, counted from 1."""
    painter.setPen(QColor(theme.comment))
    right = place.gutter - 4 - place.heat - place.fold
    painter.drawText(QRect(0, y, right, place.line), _RIGHT, str(line + 1))


def paint_note(painter: QPainter, theme: Theme, y: int, height: int) -> None:
    """A bookmark at the left edge, behind the edge of a mark."""
    left, right, top, bottom = 5, 11, y + 2, y + height - 2
    notch = bottom - 3
    shape = [(left, top), (right, top), (right, bottom), ((left + right) // 2, notch)]
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent))
    painter.drawPolygon(QPolygonF([QPointF(*corner) for corner in (*shape, (left, bottom))]))
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_check(painter: QPainter, theme: Theme, y: int, height: int, check: Check) -> None:
    """A badge at the left edge: something was noticed about this line."""
    colours = {Severity.ERROR: theme.error, Severity.WARNING: theme.warning}
    size = min(_CHECK_PX - 2, height - 2)
    badge = QRectF(1.0, y + (height - size) / 2.0, size, size)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.get(check.severity, theme.accent)))
    painter.drawEllipse(badge)
    font = QFont(painter.font())
    font.setBold(True)
    font.setPixelSize(max(round(size * 0.8), 1))
    painter.setFont(font)
    painter.setPen(QColor(theme.surface))
    sign = "!" if check.severity in colours else "i"
    painter.drawText(badge, Qt.AlignmentFlag.AlignCenter, sign)
    painter.restore()


def paint_fold(
    painter: QPainter, theme: Theme, place: RowGeometry, y: int, *, is_folded: bool
) -> None:
    """A triangle beside a line that begins a block: to the right where it is folded."""
    size = min(place.fold, place.line) / 4.0
    x, middle = place.gutter - place.heat - place.fold / 2.0 - 2, y + place.line / 2.0
    points = (
        [(-size / 2, -size), (-size / 2, size), (size / 1.5, 0.0)]
        if is_folded
        else [(-size, -size / 2), (size, -size / 2), (0.0, size / 1.5)]
    )
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.accent if is_folded else theme.muted))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.drawPolygon(QPolygonF([QPointF(x + dx, middle + dy) for dx, dy in points]))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    painter.setBrush(Qt.BrushStyle.NoBrush)


def paint_hidden(
    painter: QPainter, theme: Theme, place: RowGeometry, x: float, y: int, num_hidden: int
) -> QRect:
    """Say behind a folded line how many lines it stands for, where that covers nothing of it, and
    return where: the triangle beside the line tells that it is folded, too.
    """
    told, metrics = f" … {tr_count(num_hidden, 'line')}", painter.fontMetrics()
    text = next((t for t in (told, " …") if metrics.horizontalAdvance(t) <= place.width - x), "")
    rect = QRect(round(x), y, metrics.horizontalAdvance(text), place.line)
    painter.setPen(QColor(theme.muted))
    painter.drawText(rect, Qt.AlignmentFlag.AlignVCenter, text)
    return rect


def paint_heat(painter: QPainter, theme: Theme, place: RowGeometry, y: int, cost: LineCost) -> None:
    """The line's shares, with a bar each: of the cost, in per cent, and of the time, in seconds."""
    left, width = place.gutter - place.heat - 4, place.heat - place.times
    if told := _share_text(cost):
        share = 0.0 if math.isnan(cost.share) else cost.share
        area = QRect(left, y, width, place.line)
        _paint_bar(painter, theme, area, theme.backward, share, told)
    if place.times and not math.isnan(cost.seconds):
        area = QRect(left + width, y, place.times, place.line)
        told = format_seconds(cost.seconds)
        _paint_bar(painter, theme, area, theme.forward, cost.time_share, told)


def _share_text(cost: LineCost) -> str:
    """What the margin says of a line's part of the cost: `?` where that is not known, nothing
    where only the time is told.
    """
    if math.isnan(cost.share):
        return "?" if cost.quantity else ""
    return format_share(cost.share)


def _paint_bar(
    painter: QPainter, theme: Theme, area: QRect, colour: str, share: float, text: str
) -> None:
    """A figure, and at its right a slim bar that is as full as the share is large.

    It stands upright: a line below digits looks like one below a misspelt word.
    """
    bar = QRect(area.right() - _BAR_PX + 1, area.y() + 2, _BAR_PX, area.height() - 3)
    full = round(bar.height() * min(share, 1.0))
    painter.fillRect(bar, QColor(theme.border))
    painter.fillRect(bar.adjusted(0, bar.height() - full, 0, 0), QColor(colour))
    painter.setPen(QColor(theme.text))
    painter.drawText(area.adjusted(0, 0, -_BAR_PX - 3, 0), _RIGHT, text)


def paint_text(
    painter: QPainter,
    theme: Theme,
    place: RowGeometry,
    y: int,
    text: str,
    colouring: Colouring | None,
    line: int,
    columns: tuple[int, int],
) -> None:
    """The visible part of a line.

    Args:
        text: All of the line.
        colouring: Its colours; None where it is stale, and then grey, or has none.
        line: Its 0-based number.
        columns: The first visible column, and how many are.
    """
    first, count = columns
    baseline, x, done = y + place.ascent, place.gutter, 0
    visible = show_marks(text[first : first + count])
    ink = painter.pen().color()
    for start, length, role in colouring.spans(line) if colouring is not None else ():
        begin, end = max(start - first, done), min(start + length - first, count)
        if end <= begin:
            continue
        painter.drawText(QPoint(round(x + done * place.char), baseline), visible[done:begin])
        painter.setPen(QColor(getattr(theme, role)))
        painter.drawText(QPoint(round(x + begin * place.char), baseline), visible[begin:end])
        painter.setPen(ink)
        done = end
    painter.drawText(QPoint(round(x + done * place.char), baseline), visible[done:])


_ABOVE_PX = 24
"""Above the function that a source opens at, where empty lines are there."""
_LEAST_HOT = 0.1
"""The share of a line that is marked in the scroll bar."""
_HOT_PX = 3


class _MarkedScrollBar(QScrollBar):
    """Shows at which heights of the text lines with much of the cost are that are out of sight. A
    click on a mark shows its line.
    """

    def __init__(self, code: CodeView) -> None:
        super().__init__(Qt.Orientation.Vertical, code)
        self._code = code

    def line_at(self, y: int) -> int | None:
        """The marked line whose mark is at a height, give or take some pixels."""
        found = self._code.hot_lines()
        near = min(found, key=lambda line: abs(self.place_of(line) - y), default=None)
        is_near = near is not None and abs(self.place_of(near) - y) <= _HOT_PX + 1
        return near if is_near else None

    def place_of(self, line: int) -> int:
        """The middle of a line's mark, in pixels from the top."""
        folding = self._code.folding
        return round(self.height() * (folding.row_of(line) + 0.5) / max(folding.num_rows, 1))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        for line in self._code.hot_lines():
            mark = QRect(2, self.place_of(line) - _HOT_PX // 2, self.width() - 4, _HOT_PX)
            painter.fillRect(mark, QColor(self._code.theme.backward))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self.line_at(event.position().toPoint().y())
        if line is None:
            super().mousePressEvent(event)
        else:
            self._code.show_line(line)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self.line_at(event.pos().y())
            told = "" if line is None else self._code.describe_line(line)
            QToolTip.showText(event.globalPos(), told, self)
            return True
        return super().event(event)


_LEAST_BESIDE_HEAT = 80
"""A page of fewer characters has no column for times, and one for costs that is no wider than its
texts: the code comes first."""
_AROUND_SHARE_PX = 8
"""For the bar beside a share, and what is free between columns; see `paint_heat`."""
_FOLD_KEYS = frozenset("-+*/")
_MAX_COPIED_LINES = 100_000
_MAX_COLUMNS = 20_000
"""Longer lines are cut on the screen, never in what is copied."""


class CodeView(QAbstractScrollArea):
    """Shows lines of text; costs nothing per line that is not on the screen.

    A click or the arrow keys choose a line; dragging or Shift chooses several, Ctrl one more.

    A click on a triangle folds a block, and one on what stands for its lines unfolds it; so do `-`
    and `+`. `/` folds all blocks and `*` unfolds them. Triangles of blocks that can be folded are
    shown while the pointer or the keyboard is here.

    Attributes:
        folds_docstring: Whether the docstring of a file is folded away even if there is room.
        keeps_top: Whether another height leaves the first line where it is, though nobody scrolled;
            None where a lower one does as long as what was asked for is seen.
        theme: Its colours.

    Signals:
        line_chosen: 0-based number of a line that a person chose.
        lines_chosen: Numbers of several, and whether they are chosen besides what is already.
        line_hovered: Number of the line under the pointer, or -1.
    """

    line_chosen = Signal(int)
    lines_chosen = Signal(object, bool)
    line_hovered = Signal(int)
    check_chosen = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[str] = ()
        self._copied: Sequence[str] = ()
        self._colouring: Colouring | None = None
        self._marks: Mapping[int, Mark] = {}
        self._shown_marks: Mapping[int, Mark] = {}
        self._preview: Mapping[int, Mark] = {}
        self._folding = Folding()
        self._heat: Mapping[int, LineCost] = {}
        self._has_times = self._is_bare = False
        self._notes: Mapping[int, str] = {}
        self._checks: Mapping[int, Sequence[Check]] = {}
        self.theme = LIGHT
        self._cursor = self._anchor = -1
        self._widest = 0
        self._is_stale = False
        self._faded: Collection[int] = frozenset()
        self._wanted = self._wanted_row = -1
        self._num_empty = 0
        """Rows that the page may leave empty below the text, to begin where a statement does."""
        self._show_again: Callable[[], None] = self._update_scroll_bars
        self._docstring = range(0)
        self._statements: Sequence[range] = ()
        self._is_folded_for_room, self._may_fold = False, True
        self.folds_docstring = False
        self.keeps_top: bool | None = None
        self._hidden_areas: dict[int, QRect] = {}
        self._is_dragged = self._is_hovered = False
        self._is_wrapping = False
        self.setVerticalScrollBar(_MarkedScrollBar(self))
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setMouseTracking(True)
        self.set_theme(LIGHT, 10.0)

    @property
    def num_lines(self) -> int:
        return len(self._lines)

    @property
    def lines(self) -> Sequence[str]:
        """What is shown."""
        return self._lines

    @property
    def marks(self) -> Mapping[int, Mark]:
        """Marks by 0-based line number."""
        return self._marks

    def set_wrapping(self, is_wrapping: bool) -> None:
        """Wrap long lines, or scroll sideways to their ends."""
        if is_wrapping is not self._is_wrapping:
            self._is_wrapping = is_wrapping
            self.horizontalScrollBar().setValue(0)
            self._update_scroll_bars()
            self.viewport().update()

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self.theme = theme
        self.setFont(fixed_font(points))
        metrics = QFontMetrics(self.font())
        self._line_px = metrics.height() + 2
        self._char_px = max(metrics.horizontalAdvance("0" * 100) / 100.0, 1.0)
        self._ascent_px = metrics.ascent() + 1
        self._update_scroll_bars()
        self.viewport().update()

    def set_lines(
        self,
        lines: Sequence[str],
        colouring: Colouring | None,
        *,
        keeps_place: bool = False,
        copied: Sequence[str] | None = None,
        docstring: range = range(0),
        statements: Sequence[range] = (),
    ) -> bool:
        """Show other text, and return whether it is another than before.

        Args:
            lines: The text.
            colouring: Its colours, or None.
            keeps_place: Stay at the same line, as after an edit, instead of going to the top.
            copied: What copying gives where that is more than is shown; as many lines.
            docstring: The 0-based lines of the docstring of a file.
            statements: Of a file, as of `find_statements`, but 0-based.
        """
        if lines == self._lines:
            return False
        places = [bar.value() for bar in (self.verticalScrollBar(), self.horizontalScrollBar())]
        self._lines, self._colouring = lines, colouring
        self._copied = lines if copied is None else copied
        self._marks = self._shown_marks = self._preview = {}
        self._folding, self._docstring = Folding(lines, docstring), docstring
        self._statements = statements
        self._is_folded_for_room &= keeps_place and bool(docstring)
        self._may_fold |= not keeps_place
        if self._is_folded_for_room:
            self._folding.toggle(docstring.start)
        self._wanted = self._wanted_row = -1
        self._num_empty = 0
        last = len(lines) - 1 if keeps_place else -1
        self._cursor, self._anchor = min(self._cursor, last), min(self._anchor, last)
        self._widest = min(max((len(line) for line in lines), default=0), _MAX_COLUMNS)
        self._update_scroll_bars()
        self.verticalScrollBar().setValue(places[0] if keeps_place else 0)
        self.horizontalScrollBar().setValue(places[1] if keeps_place else 0)
        self.viewport().update()
        return True

    def set_marks(self, marks: Mapping[int, Mark], *, reveal: bool) -> None:
        """Mark lines, and bring the first of them into view if none is."""
        self._marks = marks
        self._mark_rows()
        if reveal and marks and not self._is_any_in_sight(self._shown_marks):
            self.show_line(min(marks))
        self.viewport().update()

    def bring_into_sight(self, line: int) -> None:
        """Scroll to a line, by 0-based number, unless it is seen."""
        if not self._is_any_in_sight((line,)):
            self.show_line(line)

    @property
    def first_line(self) -> int:
        """The first visible line, by 0-based number."""
        return self._folding.line_at(self.verticalScrollBar().value())

    @property
    def first_row(self) -> tuple[int, int]:
        """The first visible line, and how many of its rows are out of sight above."""
        line = self.first_line
        return line, self.verticalScrollBar().value() - self._folding.row_of(line)

    @property
    def line_in_hand(self) -> int:
        """Of the current line and the one that was brought into sight the first that is in sight,
        else the first in sight; by 0-based number.
        """
        first, last = self._visible_range()
        for line in (self._cursor, self._wanted):
            if 0 <= line < len(self._lines) and first <= self._folding.row_of(line) < last:
                return line
        return self.first_line

    def set_preview(self, marks: Mapping[int, Mark] = MappingProxyType({})) -> None:
        """Mark the lines of the preview faintly."""
        if marks or self._preview:
            self._preview = marks
            self.viewport().update()

    def places_of_lines(self, lines: Sequence[int]) -> list[tuple[int, int]]:
        """Top and bottom of lines, in pixels from the top of the page, also of those out of sight;
        what is folded away is where its block is.
        """
        first, folding, places = self.verticalScrollBar().value(), self._folding, []
        for line in lines:
            row = folding.row_of(line)
            end = row + folding.num_rows_of(folding.line_at(row))
            places.append(((row - first) * self._line_px, (end - first) * self._line_px))
        return places

    def spans_of_lines(self, lines: Sequence[int]) -> list[tuple[float, float]]:
        """Left and right of the texts of lines, in pixels from the left of the page."""
        first, left = self.horizontalScrollBar().value(), float(self._gutter_px())
        spans = []
        for line in lines:
            indent, pieces = _depth(self._lines[line]) or 0, self._folding.pieces_of(line)
            end = max(piece.hang + piece.stop - piece.start for piece in pieces)
            ends = ((column - first) * self._char_px for column in (indent, end))
            start, stop = (left + max(end, 0.0) for end in ends)
            spans.append((start, stop))
        return spans

    # --- folding ---

    @property
    def folding(self) -> Folding:
        """Which blocks of lines are folded."""
        return self._folding

    def toggle_fold(self, line: int) -> None:
        """Fold or unfold the block that a line begins."""
        if self._folding.toggle(line):
            self._leave_folds()
            self._show_folded(line)

    def fold_all(self) -> None:
        """Fold every block."""
        self._leave_folds()
        self._folding.fold_all()
        self._show_folded(max(self._cursor, 0))

    def unfold_all(self) -> None:
        """Show every line."""
        self._leave_folds()
        self._folding.unfold_all()
        self._show_folded(max(self._cursor, 0))

    def _leave_folds(self) -> None:
        """From now on a person says what is folded of this text."""
        self._is_folded_for_room = self._may_fold = False

    def _show_folded(self, line: int) -> None:
        self._mark_rows()
        self._update_scroll_bars()
        top, bottom = self._visible_range()
        if self._lines and not top <= self._folding.row_of(line) < bottom:
            self.show_line(line)
        self.viewport().update()

    def _mark_rows(self) -> None:
        """A folded block shows the strongest mark of what is inside."""
        if not self._folding.folded:
            self._shown_marks = self._marks
            return
        marks: dict[int, Mark] = {}
        for line, mark in self._marks.items():
            shown = self._folding.line_at(self._folding.row_of(line))
            marks[shown] = max(mark, marks.get(shown, mark))
        self._shown_marks = marks

    def set_heat(self, heat: Mapping[int, LineCost]) -> None:
        """Tell in the margin what lines cost, and took if that was measured, by 0-based number."""
        if heat != self._heat:
            self._heat = heat
            self._has_times = any(not math.isnan(cost.seconds) for cost in heat.values())
            self._update_scroll_bars()
            self.viewport().update()
            self.verticalScrollBar().update()

    def set_bare(self, *, is_bare: bool) -> None:
        """Show no costs: without a header nothing says what the figures are."""
        self._is_bare = is_bare
        self._update_scroll_bars()
        self.viewport().update()
        self.verticalScrollBar().update()

    def hot_lines(self) -> list[int]:
        """The lines out of sight that cost a tenth of all or more, by 0-based number."""
        found = () if self._is_stale or self._is_bare else self._heat.items()
        hot = [line for line, cost in found if cost.share >= _LEAST_HOT]
        return [line for line in hot if not self.is_in_sight(line)]

    def is_in_sight(self, line: int) -> bool:
        """Whether the first row of a line, by 0-based number, is on the screen."""
        first, last = self._visible_range()
        return first <= self._folding.row_of(line) < last

    def describe_line(self, line: int) -> str:
        """A line, by 0-based number, with how it is marked and what it costs."""
        told = tr("line {line}: {lines}", line=line + 1, lines=self._lines[line][:200])
        mark = self._shown_marks.get(line)
        marked = tr(_MARK_NAMES[mark]) if mark is not None else ""
        return "\n".join(filter(None, (told, marked, self.hint_of(line))))

    def set_notes(self, notes: Mapping[int, str]) -> None:
        """Mark bookmarked lines in the margin, by 0-based number; what is written may be empty."""
        if notes != self._notes:
            self._notes = notes
            self.viewport().update()

    @property
    def notes(self) -> Mapping[int, str]:
        """What was written about bookmarked lines, by 0-based number."""
        return self._notes

    def set_checks(self, checks: Mapping[int, Sequence[Check]]) -> None:
        """Mark lines in the margin about which something was noticed, by 0-based number."""
        if checks != self._checks:
            self._checks = checks
            self._update_scroll_bars()
            self.viewport().update()

    def hint_of(self, line: int) -> str:
        """What the pointer says of a line when it rests there, and a screen reader: its note, what
        was noticed about it, and what it costs.
        """
        parts = [tr_said(check.message) for check in self._checks.get(line, ())]
        if line in self._notes:
            parts.append(self._notes[line] or tr("bookmarked"))
        if line in self._heat:
            parts.append(tr_said(self._heat[line].text))
        return "\n\n".join(parts)

    def _hint_at(self, point: QPoint, line: int) -> str:
        if self._is_fold_at(point, line):
            is_folded = self._folding.is_folded(line)
            return tr("Show what is folded here (+)") if is_folded else tr("Fold this block (-)")
        mark = self._shown_marks.get(line)
        is_at_edge = mark is not None and point.x() < _CHECK_PX
        told = (
            tr(_MARK_NAMES[mark]) if mark is not None and is_at_edge else "",
            self.hint_of(line),
        )
        return "\n\n".join(filter(None, told))

    def set_stale(self, is_stale: bool) -> None:
        """Grey the text out, or no longer."""
        self._is_stale = is_stale
        self.viewport().update()
        self.verticalScrollBar().update()

    def set_faded(self, lines: Collection[int]) -> None:
        """Grey out some lines, by 0-based number: they are not there yet."""
        if lines != self._faded:
            self._faded = lines
            self.viewport().update()

    def show_line(self, line: int, *, is_first: bool = False, rows_above: int = 0) -> None:
        """Scroll so that a line stands in the upper third, or that it is the first one.

        Of that so many rows may stay out of sight above.
        A docstring of the file is folded away where not all above the line can be seen, or where
        `folds_docstring` is set.
        """
        if self._is_folded_for_room:
            self._fold_for_room()
        # Until somebody scrolls, it stays in sight when the page gets another size.
        self._wanted, self._num_empty = line, 0
        self._show_again = functools.partial(
            self.show_line, line, is_first=is_first, rows_above=rows_above
        )
        above = -rows_above if is_first else self.viewport().height() // self._line_px // 3
        self.verticalScrollBar().setValue(self._folding.row_of(line) - above)
        is_below = line >= self._docstring.stop or (is_first and line == self._docstring.start)
        is_cut = self.verticalScrollBar().value() > 0 and line >= self._docstring.stop
        may_fold = self._may_fold and bool(self._docstring) and is_below
        if may_fold and (is_cut or self.folds_docstring):
            self._fold_for_room()
            self.verticalScrollBar().setValue(self._folding.row_of(line) - above)
        self._wanted_row = self.verticalScrollBar().value()

    def show_statement(self, line: int) -> None:
        """Scroll so that the statement or definition around a line is seen, whole if there is room,
        and the page begins where a statement of the file does.

        A docstring of the file is folded away where with it the page could not begin at the top,
        and without it it can; or where `folds_docstring` is set.
        """
        self._wanted, self._show_again = line, functools.partial(self.show_statement, line)
        if self._is_folded_for_room:
            self._fold_for_room()
        top = self._top_for(line)
        may_fold = self._may_fold and bool(self._docstring) and line >= self._docstring.stop
        if may_fold and (top or self.folds_docstring):
            self._fold_for_room()
            if self._top_for(line) and not self.folds_docstring:
                self._fold_for_room()
            else:
                top = self._top_for(line)
        rows = max(self.viewport().height() // self._line_px, 1)
        self._num_empty = max(top + rows - self._folding.num_rows, 0)
        self._wanted_row = self.verticalScrollBar().value()
        self._update_scroll_bars()
        self.verticalScrollBar().setValue(top)
        self._wanted_row = top

    def _top_for(self, line: int) -> int:
        """The first row of a page that shows the statement around a line, in its upper third or,
        where it is long, as much of it as there is room for.
        """
        folding, rows = self._folding, max(self.viewport().height() // self._line_px, 1)
        around = [each for each in self._statements if line in each]
        own = min(around, key=len, default=range(line, line + 1))
        begin, last = folding.row_of(own.start), folding.line_at(folding.row_of(own.stop - 1))
        end = folding.row_of(last) + folding.num_rows_of(last)
        if end <= rows or begin <= rows // 3:
            return 0
        margin = math.ceil(_ABOVE_PX / self._line_px)
        least = max(begin - rows // 3, min(begin - margin, end - rows))
        least = min(least, folding.num_rows - rows)  # else more would be left empty than has to be
        starts, stop = [], 0
        for each in sorted(self._statements, key=lambda each: each.start):
            if each.start >= stop:  # else it is inside of the one before
                stop = each.stop
                starts.append(each.start)
        starts.append(own.start)
        # Empty lines above are a margin.
        starts += [
            start - rows_above
            for start in starts
            for rows_above in range(1, margin + 1)
            if start >= rows_above and not "".join(self._lines[start - rows_above : start]).strip()
        ]
        tops = (folding.row_of(each) for each in starts)
        return min((row for row in tops if least <= row <= begin), default=begin)

    def _fold_for_room(self) -> None:
        """Fold the docstring of the file away, or show it again."""
        self._folding.toggle(self._docstring.start)
        self._is_folded_for_room = self._folding.is_folded(self._docstring.start)
        self._mark_rows()
        self._update_scroll_bars()

    def selected_text(self) -> str:
        """The lines chosen by dragging or with Shift, or the current line."""
        if self._cursor < 0:
            return ""
        first, last = sorted((self._cursor, self._anchor))
        return "\n".join(self._copied[first : min(last + 1, first + _MAX_COPIED_LINES)])

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        theme, place = self.theme, self._geometry()
        painter.fillRect(event.rect(), QColor(theme.surface))
        first, last = self._visible_range()
        self._hidden_areas.clear()
        columns = self.horizontalScrollBar().value(), int(place.width / place.char) + 2
        for row in range(first, last):
            self._paint_row(painter, place, row, (row - first) * place.line, columns)

    def _paint_row(
        self, painter: QPainter, place: RowGeometry, row: int, y: int, columns: tuple[int, int]
    ) -> None:
        theme, line = self.theme, self._folding.line_at(row)
        begin, end = sorted((self._cursor, self._anchor))
        pieces = self._folding.pieces_of(line)
        part = row - self._folding.row_of(line)
        whole = QRect(0, y - part * place.line, place.width, len(pieces) * place.line)
        painter.setClipRect(QRect(0, y, place.width, place.line))
        paint_ground(
            painter,
            theme,
            whole,
            self._shown_marks.get(line),
            self._preview.get(line),
            is_chosen=begin <= line <= end and begin != end,
            is_current=line == self._cursor and self.hasFocus(),
        )
        painter.setClipRect(QRect(place.gutter, y, place.width, place.line))
        is_grey = self._is_stale or line in self._faded
        painter.setPen(QColor(theme.comment if is_grey else theme.text))
        text, colouring = self._lines[line], None if is_grey else self._colouring
        piece, hung = pieces[part], place
        if len(pieces) > 1:
            columns = piece.start, piece.stop - piece.start
            hung = dataclasses.replace(place, gutter=place.gutter + round(piece.hang * place.char))
        paint_text(painter, theme, hung, y, text, colouring, line, columns)
        hidden = self._folding.num_hidden(line)
        if hidden and part == len(pieces) - 1:
            x = hung.gutter + (piece.stop - columns[0]) * place.char
            self._hidden_areas[line] = paint_hidden(painter, theme, place, x, y, hidden)
        painter.setClipping(False)
        if part == 0:
            self._paint_margin(painter, place, line, y)

    def _paint_margin(self, painter: QPainter, place: RowGeometry, line: int, y: int) -> None:
        theme = self.theme
        if line in self._heat and not (self._is_stale or self._is_bare):
            paint_heat(painter, theme, place, y, self._heat[line])
        paint_number(painter, theme, place, y, line)
        if line in self._notes:
            paint_note(painter, theme, y, place.line)
        if line in self._checks:
            paint_check(painter, theme, y, place.line, self._checks[line][0])
        is_folded, is_awake = self._folding.is_folded(line), self._is_hovered or self.hasFocus()
        if is_folded or (is_awake and self._folding.begins_block(line)):
            paint_fold(painter, theme, place, y, is_folded=is_folded)

    # --- geometry ---

    def _line_at(self, point: QPoint) -> int | None:
        first, end = self._visible_range()
        row = first + point.y() // self._line_px
        return self._folding.line_at(row) if 0 <= row < end else None

    def _visible_range(self) -> tuple[int, int]:
        """The first row in sight, and the one after the last; rows are seen whole."""
        first = self.verticalScrollBar().value()
        count = max(self.viewport().height() // self._line_px, 1)
        return first, min(first + count, self._folding.num_rows)

    def _gutter_px(self) -> int:
        digits = max(len(str(len(self._lines))), 2)
        edge = _CHECK_PX + 6 if self._checks else 16  # no badge lies on a number
        return int(digits * self._char_px) + edge + self._fold_px() + self._heat_px()

    def _geometry(self) -> RowGeometry:
        width, gutter = self.viewport().width(), self._gutter_px()
        return RowGeometry(
            width,
            self._line_px,
            self._char_px,
            self._ascent_px,
            gutter,
            self._heat_px(),
            self._times_px(),
            self._fold_px(),
        )

    def _fold_px(self) -> int:
        return int(1.8 * self._char_px)

    def _heat_px(self) -> int:
        """How wide the columns of figures are."""
        if not self._heat or self._is_bare:
            return 0
        shown = [_share_text(cost) for cost in self._heat.values()]
        num_characters = 5 if self._is_wide else max(map(len, shown), default=0)
        return math.ceil(num_characters * self._char_px) + _AROUND_SHARE_PX + self._times_px()

    def _times_px(self) -> int:
        is_shown = self._has_times and self._is_wide and not self._is_bare
        return int(8 * self._char_px) + 6 if is_shown else 0

    @property
    def _is_wide(self) -> bool:
        return self.viewport().width() >= _LEAST_BESIDE_HEAT * self._char_px

    def _update_scroll_bars(self) -> None:
        columns = int((self.viewport().width() - self._gutter_px()) / self._char_px)
        row = min(self.verticalScrollBar().value(), self._folding.num_rows - 1)
        top = self._folding.line_at(row) if row >= 0 else 0
        is_wrapped = self._folding.wrap_at(columns if self._is_wrapping else 0)
        visible = max(self.viewport().height() // self._line_px, 1)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        is_wanted = vertical.value() == self._wanted_row >= 0
        most = self._folding.num_rows - visible + (self._num_empty if is_wanted else 0)
        vertical.setRange(0, max(most, 0))
        vertical.setPageStep(visible)
        vertical.setSingleStep(1)
        if is_wrapped:
            vertical.setValue(self._folding.row_of(top))
            if is_wanted:
                self._show_again()
        beyond = max(self._widest + 2 - columns, 0)
        horizontal.setRange(0, 0 if self._folding.is_wrapping else beyond)
        horizontal.setPageStep(max(columns, 1))
        horizontal.setSingleStep(4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        old = event.oldSize()
        is_wanted = self.verticalScrollBar().value() == self._wanted_row
        top, row = self.verticalScrollBar().value(), self._folding.row_of(max(self._cursor, 0))
        was_seen = self._cursor >= 0 and 0 < (row - top + 1) * self._line_px <= old.height()
        if was_seen and old.width() == event.size().width():  # what was clicked stays in sight
            self._update_scroll_bars()
            least = row + 1 - self.viewport().height() // self._line_px
            self.verticalScrollBar().setValue(max(top, least))
            return
        rows = old.height() // self._line_px
        marked = (*self._shown_marks, *filter(lambda line: line >= 0, (self._cursor,)))
        lit = [line for line in marked if 0 <= self._folding.row_of(line) - top < rows]
        keeps_top = self.keeps_top
        if keeps_top is None:
            is_lower = old.width() == event.size().width() and event.size().height() < old.height()
            keeps_top = is_lower and self._wanted >= 0 and self._is_any_in_sight((self._wanted,))
        if is_wanted and keeps_top:  # also where the page is higher now than the rest
            shown = self.viewport().height() // self._line_px
            self._num_empty = max(top + shown - self._folding.num_rows, 0)
        self._update_scroll_bars()
        if is_wanted and not keeps_top and 0 <= self._wanted < len(self._lines):
            self._show_again()
        if lit and not self._is_any_in_sight(lit):
            self.show_line(lit[0])

    def _is_any_in_sight(self, lines: Iterable[int]) -> bool:
        first, last = self._visible_range()
        return any(first <= self._folding.row_of(line) < last - 1 for line in lines)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self._line_at(event.pos())
            hint = self._hint_at(event.pos(), line) if line is not None else ""
            QToolTip.showText(event.globalPos(), hint, self)
            return True
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.viewport().update()
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 80)

    # --- choosing lines ---

    def go_to_line(self, line: int) -> None:
        """Make a line the current one, and emit that it was chosen."""
        if 0 <= line < len(self._lines):
            if self._folding.unfold_around(line):
                self._show_folded(line)
            self._move_to(line, extend=False)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position().toPoint())
        if line is None or event.button() != Qt.MouseButton.LeftButton:
            return
        if self._is_fold_at(event.position().toPoint(), line):
            self.toggle_fold(line)
        elif line in self._checks and event.position().x() < _CHECK_PX:
            self.check_chosen.emit()
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._cursor = self._anchor = line
            self.viewport().update()
            self.lines_chosen.emit((line,), True)
        else:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move_to(line, extend=extend)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        line = self._line_at(point)
        if not event.buttons():
            is_fold = line is not None and self._is_fold_at(point, line)
            arrow, beam = Qt.CursorShape.PointingHandCursor, Qt.CursorShape.IBeamCursor
            self.viewport().setCursor(arrow if is_fold else beam)
            self.line_hovered.emit(-1 if line is None else line)
        elif line is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._cursor = line
            self._is_dragged = self._is_dragged or line != self._anchor
            self.viewport().update()

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        if self._is_dragged:
            self._is_dragged = False
            self._emit_range()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._set_hovered(is_hovered=True)
        super().enterEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered(is_hovered=False)
        self.line_hovered.emit(-1)
        super().leaveEvent(event)

    def _set_hovered(self, *, is_hovered: bool) -> None:
        self._is_hovered = is_hovered
        self.viewport().update()

    def _emit_range(self) -> None:
        first, last = sorted((self._cursor, self._anchor))
        self.lines_chosen.emit(range(first, last + 1), False)

    def _is_fold_at(self, point: QPoint, line: int) -> bool:
        right = self._gutter_px() - self._heat_px() - 2
        is_beside = right - self._fold_px() - 2 <= point.x() < right
        if is_beside and self._folding.begins_block(line):
            return True
        return line in self._hidden_areas and self._hidden_areas[line].contains(point)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = max(self.viewport().height() // self._line_px - 1, 1)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -self._folding.num_rows,
            Qt.Key.Key_End: self._folding.num_rows,
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._anchor, self._cursor = 0, len(self._lines) - 1
            self.viewport().update()
        elif self._lines and event.text() in _FOLD_KEYS:
            self._press_fold_key(event.text())
        elif (step := steps.get(Qt.Key(event.key()))) is not None and self._lines:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            here = self._folding.row_of(self._cursor) if self._cursor >= 0 else -1
            if here < 0 and abs(step) < self._folding.num_rows:  # to the first line in sight
                here, step = self._visible_range()[0], 0
            elif here >= 0 and step > 0:  # from its last row
                here += self._folding.num_rows_of(self._folding.line_at(here)) - 1
            row = min(max(here + step, 0), self._folding.num_rows - 1)
            self._move_to(self._folding.line_at(row), extend=extend)
        else:
            super().keyPressEvent(event)

    def _press_fold_key(self, key: str) -> None:
        if key in "*/":
            (self.unfold_all if key == "*" else self.fold_all)()
            return
        line = self._folding.block_of(max(self._cursor, 0))
        if line is not None and self._folding.is_folded(line) is (key == "+"):
            self._cursor = self._anchor = line
            self.toggle_fold(line)

    def _move_to(self, line: int, *, extend: bool) -> None:
        self._cursor = line
        if not extend:
            self._anchor = line
        if not self._is_any_in_sight((line,)):
            self.show_line(line)
        self.viewport().update()
        if extend:
            self._emit_range()
        else:
            self.setAccessibleDescription(self.describe_line(line))
            self.line_chosen.emit(line)


# Fills a page of text: with a file of the user's, or with the text of a stage.


def fill_with_source(code: CodeView, text: str, begin: int | None) -> None:
    """Show a Python file.

    Args:
        begin: 0-based line to look at first; None stays at the same line, as after an edit.
    """
    keeps_place = begin is None
    is_new = code.set_lines(
        text.split("\n"),
        PythonColouring(text),
        keeps_place=keeps_place,
        docstring=_find_docstring(text),
        statements=[range(s.start - 1, s.stop - 1) for s in find_statements(text)],
    )
    if is_new and begin:
        code.show_statement(begin)


_DOCSTRING = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[rRuU]?(?P<quotes>\"{3}|'{3})")
_LEAST_FOLDED = 3
"""Lines of a docstring that is worth folding."""


def _find_docstring(text: str) -> range:
    """The 0-based lines of the docstring of a module; empty where it has none, or a short one."""
    start = _DOCSTRING.match(text)
    end = text.find(start["quotes"], start.end()) if start else -1
    if start is None or end < 0:
        return range(0)
    found = range(text.count("\n", 0, start.end()), text.count("\n", 0, end) + 1)
    return found if len(found) >= _LEAST_FOLDED else range(0)


def fill_with_stage(code: CodeView, text: StageText, *, is_machine: bool, is_again: bool) -> None:
    """Show the text of a stage.

    Args:
        is_machine: It is assembly.
        is_again: Another run of the same call: stay at the same line.
    """
    copied = text.text.split("\n")
    # Loaded with the first text of a stage.
    from jaxscope.report.mlir_constants import shorten_constants

    lines = [shorten_constants(line) for line in copied]
    colouring = MachineColouring(lines) if is_machine else ProgramColouring(lines)
    is_new = code.set_lines(lines, colouring, keeps_place=is_again, copied=copied)
    if is_new and not is_again:
        # Optimized modules begin with pages of tables: begin where the program does.
        linked = np.flatnonzero(text.line_nodes >= 0)
        code.show_line(int(linked[0]) if len(linked) else 0)
