"""A page of program text that paints only what is visible: line numbers, colours, marked lines."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QHelpEvent,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from jaxscope.analysis.line_cost import LineCost
from jaxscope.ui.panes.colouring import Colouring
from jaxscope.ui.theme import LIGHT, Theme, fixed_font

_MAX_COPIED_LINES = 100_000
_MAX_COLUMNS = 20_000
"""Longer lines are cut on the screen, never in what is copied."""


class Mark(enum.IntEnum):
    """How a line is marked; a larger one wins over a smaller one on the same line."""

    FOUND = 0
    FORWARD = 1
    BACKWARD = 2
    ERROR = 3
    SELECTED = 4


class CodeView(QAbstractScrollArea):
    """Shows lines of text; costs nothing per line that is not on the screen.

    A click or the arrow keys choose a line; dragging or Shift chooses several, to copy.
    `line_chosen` carries the 0-based number of a line that a person chose.
    """

    line_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[str] = ()
        self._copied: Sequence[str] = ()
        self._colouring: Colouring | None = None
        self._marks: Mapping[int, Mark] = {}
        self._heat: Mapping[int, LineCost] = {}
        self._theme = LIGHT
        self._cursor = self._anchor = -1
        self._widest = 0
        self._is_stale = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
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

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme = theme
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
    ) -> bool:
        """Show other text, and tell whether it is another than before.

        Args:
            lines: The text.
            colouring: Its colours, or None.
            keeps_place: Stay at the same line, as after an edit, instead of going to the top.
            copied: What copying gives where that is more than is shown; as many lines.
        """
        if lines == self._lines:
            return False
        places = [bar.value() for bar in (self.verticalScrollBar(), self.horizontalScrollBar())]
        self._lines, self._colouring = lines, colouring
        self._copied = lines if copied is None else copied
        self._marks = {}
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
        if reveal and marks:
            top, bottom = self._visible_range()
            if not any(top <= line < bottom - 1 for line in marks):
                self.show_line(min(marks))
        self.viewport().update()

    def set_heat(self, heat: Mapping[int, LineCost]) -> None:
        """Tell in the margin what lines cost, by 0-based number; nothing takes the margin away."""
        if heat != self._heat:
            self._heat = heat
            self._update_scroll_bars()
            self.viewport().update()

    def set_stale(self, is_stale: bool) -> None:
        """Grey the text out, or no longer."""
        self._is_stale = is_stale
        self.viewport().update()

    def show_line(self, line: int) -> None:
        """Scroll so that a line stands in the upper third."""
        visible = self.viewport().height() // self._line_px
        self.verticalScrollBar().setValue(max(line - visible // 3, 0))

    def selected_text(self) -> str:
        """The lines chosen by dragging or with Shift, or the current line."""
        if self._cursor < 0:
            return ""
        first, last = sorted((self._cursor, self._anchor))
        return "\n".join(self._copied[first : min(last + 1, first + _MAX_COPIED_LINES)])

    def go_to_line(self, line: int) -> None:
        """Make a line the current one, and tell that it was chosen."""
        if 0 <= line < len(self._lines):
            self._move_to(line, extend=False)

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        theme = self._theme
        painter.fillRect(event.rect(), QColor(theme.surface))
        gutter = self._gutter_px()
        first, last = self._visible_range()
        column = self.horizontalScrollBar().value()
        columns = int(self.viewport().width() / self._char_px) + 2
        for line in range(first, last):
            y = (line - first) * self._line_px
            self._paint_ground(painter, line, y)
            painter.setClipRect(QRect(gutter, y, self.viewport().width(), self._line_px))
            self._paint_text(painter, line, gutter, y, column, columns)
            painter.setClipping(False)
            painter.setPen(QColor(theme.comment))
            heat = self._heat_px()
            painter.drawText(
                QRect(0, y, gutter - 10 - heat, self._line_px),
                Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
                str(line + 1),
            )
            if line in self._heat and not self._is_stale:
                self._paint_heat(painter, self._heat[line].share, gutter - heat - 4, y)

    def _paint_heat(self, painter: QPainter, share: float, x: int, y: int) -> None:
        """A bar as long as the line's share, and the share in numbers."""
        theme, width = self._theme, self._heat_px() - 4
        area = QRect(x, y + 2, width, self._line_px - 4)
        painter.fillRect(area.adjusted(0, 0, round(width * min(share, 1.0)) - width, 0),
                         QColor(theme.backward_soft))  # fmt: skip
        painter.setPen(QColor(theme.text))
        text = f"{share:.0%}" if share >= 0.01 else "<1%"
        painter.drawText(
            area.adjusted(2, 0, -2, 0),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            text,
        )

    def _paint_ground(self, painter: QPainter, line: int, y: int) -> None:
        theme = self._theme
        rect = QRect(0, y, self.viewport().width(), self._line_px)
        first, last = sorted((self._cursor, self._anchor))
        mark = self._marks.get(line)
        if mark is not None:
            soft, strong = {
                Mark.FOUND: (theme.warning_soft, theme.warning),
                Mark.FORWARD: (theme.forward_soft, theme.forward),
                Mark.BACKWARD: (theme.backward_soft, theme.backward),
                Mark.ERROR: (theme.error_soft, theme.error),
                Mark.SELECTED: (theme.selected_soft, theme.selected),
            }[mark]
            painter.fillRect(rect, QColor(soft))
            painter.fillRect(QRect(0, y, 4, self._line_px), QColor(strong))
        elif first <= line <= last and first != last:
            painter.fillRect(rect, QColor(theme.accent_soft))
        if line == self._cursor and self.hasFocus():
            painter.setPen(QColor(theme.accent))
            painter.drawRect(rect.adjusted(0, 0, -1, -1))

    def _paint_text(
        self, painter: QPainter, line: int, gutter: int, y: int, column: int, columns: int
    ) -> None:
        theme, text, baseline = self._theme, self._lines[line], y + self._ascent_px
        painter.setPen(QColor(theme.comment if self._is_stale else theme.text))
        x = gutter
        visible = text[column : column + columns]
        spans = () if self._colouring is None or self._is_stale else self._colouring.spans(line)
        done = 0
        for start, length, role in spans:
            begin, end = max(start - column, done), min(start + length - column, columns)
            if end <= begin:
                continue
            painter.drawText(QPoint(round(x + done * self._char_px), baseline), visible[done:begin])
            painter.setPen(QColor(getattr(theme, role)))
            painter.drawText(QPoint(round(x + begin * self._char_px), baseline), visible[begin:end])
            painter.setPen(QColor(theme.text))
            done = end
        painter.drawText(QPoint(round(x + done * self._char_px), baseline), visible[done:])

    # --- moving and choosing ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position().toPoint())
        if line is not None and event.button() == Qt.MouseButton.LeftButton:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._move_to(line, extend=extend)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        line = self._line_at(event.position().toPoint())
        if line is not None and event.buttons() & Qt.MouseButton.LeftButton:
            self._cursor = line
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = max(self.viewport().height() // self._line_px - 1, 1)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -len(self._lines),
            Qt.Key.Key_End: len(self._lines),
        }
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.selected_text())
        elif event.matches(QKeySequence.StandardKey.SelectAll):
            self._anchor, self._cursor = 0, len(self._lines) - 1
            self.viewport().update()
        elif (step := steps.get(Qt.Key(event.key()))) is not None and self._lines:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            line = min(max(self._cursor + step, 0), len(self._lines) - 1)
            self._move_to(line, extend=extend)
        else:
            super().keyPressEvent(event)

    def _move_to(self, line: int, *, extend: bool) -> None:
        self._cursor = line
        if not extend:
            self._anchor = line
        top, bottom = self._visible_range()
        if not top <= line < bottom - 1:
            self.show_line(line)
        self.viewport().update()
        if not extend:
            self.setAccessibleDescription(f"line {line + 1}: {self._lines[line][:200]}")
            self.line_chosen.emit(line)

    # --- geometry ---

    def _line_at(self, point: QPoint) -> int | None:
        line = self.verticalScrollBar().value() + point.y() // self._line_px
        return line if 0 <= line < len(self._lines) else None

    def _visible_range(self) -> tuple[int, int]:
        first = self.verticalScrollBar().value()
        count = self.viewport().height() // self._line_px + 1
        return first, min(first + count, len(self._lines))

    def _gutter_px(self) -> int:
        digits = max(len(str(len(self._lines))), 2)
        return int(digits * self._char_px) + 22 + self._heat_px()

    def _heat_px(self) -> int:
        return int(5 * self._char_px) + 6 if self._heat else 0

    def _update_scroll_bars(self) -> None:
        visible = max(self.viewport().height() // self._line_px, 1)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(len(self._lines) - visible, 0))
        vertical.setPageStep(visible)
        vertical.setSingleStep(1)
        columns = int((self.viewport().width() - self._gutter_px()) / self._char_px)
        horizontal.setRange(0, max(self._widest + 2 - columns, 0))
        horizontal.setPageStep(max(columns, 1))
        horizontal.setSingleStep(4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_scroll_bars()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self._line_at(event.pos())
            cost = self._heat.get(line) if line is not None else None
            QToolTip.showText(event.globalPos(), cost.text if cost is not None else "", self)
            return True
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.viewport().update()
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 80)
