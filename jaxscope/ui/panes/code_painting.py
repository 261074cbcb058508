"""Paints one line of program text: its ground, its number, its cost, its fold, its colours."""

from __future__ import annotations

import dataclasses
import enum
import math

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

from jaxscope.analysis.line_cost import LineCost
from jaxscope.analysis.quantities import format_seconds
from jaxscope.ui.panes.colouring import Colouring
from jaxscope.ui.theme import Theme

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_HEAT_STRENGTH = 0.2
_PREVIEW_STRENGTH = 0.45
"""How much of a mark's colour what is only looked at ahead gets."""


class Mark(enum.IntEnum):
    """How a line is marked; a larger one wins over a smaller one on the same line."""

    FOUND = 0
    FORWARD = 1
    BACKWARD = 2
    ERROR = 3
    SELECTED = 4


@dataclasses.dataclass(frozen=True, slots=True)
class Geometry:
    """Where things are in a row, in pixels.

    Attributes:
        width: Of the page.
        line: Height of a row.
        char: Width of a character.
        ascent: Of the baseline, from the top of a row.
        gutter: Where the text begins.
        heat: Width of the columns of costs and times; 0 where there is none.
        times: Width of the column of times, the right part of `heat`; 0 where there is none.
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
        ground.setAlphaF(_PREVIEW_STRENGTH)
        painter.fillRect(rect, ground)
        painter.fillRect(QRect(0, rect.y(), 2, rect.height()), QColor(strong))
    if is_current:
        painter.setPen(QColor(theme.accent))
        painter.drawRect(rect.adjusted(0, 0, -1, -1))


def paint_number(painter: QPainter, theme: Theme, place: Geometry, y: int, line: int) -> None:
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


def paint_fold(
    painter: QPainter, theme: Theme, place: Geometry, y: int, *, is_folded: bool
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
    painter: QPainter, theme: Theme, place: Geometry, x: float, y: int, num_hidden: int
) -> None:
    """Say behind a folded line how many lines it stands for."""
    text = f" … {num_hidden:,} line{'' if num_hidden == 1 else 's'} "
    rect = QRect(round(x + place.char), y + 2, round(len(text) * place.char) + 4, place.line - 4)
    painter.fillRect(rect, QColor(theme.raised))
    painter.setPen(QPen(QColor(theme.border)))
    painter.drawRect(rect.adjusted(0, 0, -1, -1))
    painter.setPen(QColor(theme.muted))
    painter.drawText(rect, Qt.AlignmentFlag.AlignCenter, text)


def paint_heat(painter: QPainter, theme: Theme, place: Geometry, y: int, cost: LineCost) -> None:
    """Bars as long as the line's shares: of the cost, in per cent, and of the time, in seconds."""
    left, width = place.gutter - place.heat - 4, place.heat - place.times
    if not math.isnan(cost.share):
        text = f"{cost.share:.0%}" if cost.share >= 0.01 else "<1%"
        area = QRect(left, y + 2, width - 4, place.line - 4)
        _paint_bar(painter, theme, area, theme.backward, cost.share, text)
    if place.times and not math.isnan(cost.seconds):
        area = QRect(left + width, y + 2, place.times - 4, place.line - 4)
        told = format_seconds(cost.seconds)
        _paint_bar(painter, theme, area, theme.forward, cost.time_share, told)


def _paint_bar(
    painter: QPainter, theme: Theme, area: QRect, colour: str, share: float, text: str
) -> None:
    bar = area.adjusted(0, 0, round(area.width() * min(share, 1.0)) - area.width(), 0)
    ground = QColor(colour)
    ground.setAlphaF(_HEAT_STRENGTH)  # to be seen on a marked line as well
    painter.fillRect(bar, ground)
    painter.setPen(QColor(theme.text))
    painter.drawText(area.adjusted(2, 0, -2, 0), _RIGHT, text)


def paint_text(
    painter: QPainter,
    theme: Theme,
    place: Geometry,
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
    visible = text[first : first + count]
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
