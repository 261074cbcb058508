"""A page of program text that paints only what is visible: numbers, colours, marks, folds."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from PySide6.QtCore import QEvent, QPoint, QRect, QSize
from PySide6.QtGui import QColor, QFontMetrics, QHelpEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QToolTip, QWidget

from jaxscope.analysis.line_cost import LineCost
from jaxscope.ui.panes.code_painting import (
    Geometry,
    Mark,
    paint_fold,
    paint_ground,
    paint_heat,
    paint_hidden,
    paint_note,
    paint_number,
    paint_text,
)
from jaxscope.ui.panes.colouring import Colouring
from jaxscope.ui.panes.folding import Folding
from jaxscope.ui.theme import LIGHT, Theme, fixed_font

_MAX_COPIED_LINES = 100_000
_MAX_COLUMNS = 20_000
"""Longer lines are cut on the screen, never in what is copied."""


class CodePage(QAbstractScrollArea):
    """Shows lines of text; costs nothing per line that is not on the screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: Sequence[str] = ()
        self._copied: Sequence[str] = ()
        self._colouring: Colouring | None = None
        self._marks: Mapping[int, Mark] = {}
        self._row_marks: Mapping[int, Mark] = {}
        self._preview: Mapping[int, Mark] = {}
        self._folding = Folding()
        self._heat: Mapping[int, LineCost] = {}
        self._has_times = False
        self._notes: Mapping[int, str] = {}
        self._theme = LIGHT
        self._cursor = self._anchor = -1
        self._widest = 0
        self._is_stale = False
        self._wanted = -1
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
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
        self._marks = self._row_marks = self._preview = {}
        self._folding = Folding(lines)
        self._wanted = -1
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
        if reveal and marks:
            top, bottom = self._visible_range()
            if not any(top <= row < bottom - 1 for row in self._row_marks):
                self.show_line(min(marks))
        self.viewport().update()

    def set_preview(self, marks: Mapping[int, Mark] = MappingProxyType({})) -> None:
        """Mark lines faintly: what is looked at ahead."""
        if marks or self._preview:
            self._preview = marks
            self.viewport().update()

    def places_of_lines(self, lines: Sequence[int]) -> list[tuple[int, int]]:
        """Top and bottom of lines, in pixels from the top of the page, also of those out of sight;
        what is folded away is where its block is.
        """
        first = self.verticalScrollBar().value()
        rows = [self._folding.row_of(line) - first for line in lines]
        return [(row * self._line_px, (row + 1) * self._line_px) for row in rows]

    def spans_of_lines(self, lines: Sequence[int]) -> list[tuple[float, float]]:
        """Left and right of the texts of lines, in pixels from the left of the page."""
        first, left = self.horizontalScrollBar().value(), float(self._gutter_px())
        spans = []
        for line in lines:
            text = self._lines[line]
            indent = len(text) - len(text.lstrip())
            ends = ((column - first) * self._char_px for column in (indent, len(text)))
            start, stop = (left + max(end, 0.0) for end in ends)
            spans.append((start, stop))
        return spans

    # --- folding ---

    @property
    def folding(self) -> Folding:
        """What is folded away."""
        return self._folding

    def toggle_fold(self, line: int) -> None:
        """Fold or unfold the block that a line begins."""
        if self._folding.toggle(line):
            self._show_folded(line)

    def fold_all(self) -> None:
        """Fold every block."""
        self._folding.fold_all()
        self._show_folded(max(self._cursor, 0))

    def unfold_all(self) -> None:
        """Show every line."""
        self._folding.unfold_all()
        self._show_folded(max(self._cursor, 0))

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
            self._row_marks = self._marks
            return
        rows: dict[int, Mark] = {}
        for line, mark in self._marks.items():
            row = self._folding.row_of(line)
            rows[row] = max(mark, rows.get(row, mark))
        self._row_marks = rows

    def set_heat(self, heat: Mapping[int, LineCost]) -> None:
        """Tell in the margin what lines cost, and took if that was measured, by 0-based number."""
        if heat != self._heat:
            self._heat = heat
            self._has_times = any(not math.isnan(cost.seconds) for cost in heat.values())
            self._update_scroll_bars()
            self.viewport().update()

    def set_notes(self, notes: Mapping[int, str]) -> None:
        """Mark bookmarked lines in the margin, by 0-based number; what is written may be empty."""
        if notes != self._notes:
            self._notes = notes
            self.viewport().update()

    @property
    def notes(self) -> Mapping[int, str]:
        """What was written about bookmarked lines, by 0-based number."""
        return self._notes

    def hint_of(self, line: int) -> str:
        """What the pointer says of a line when it rests there: its note, and what it costs."""
        parts = []
        if line in self._notes:
            parts.append(self._notes[line] or "bookmarked")
        if line in self._heat:
            parts.append(self._heat[line].text)
        return "\n\n".join(parts)

    def set_stale(self, is_stale: bool) -> None:
        """Grey the text out, or no longer."""
        self._is_stale = is_stale
        self.viewport().update()

    def show_line(self, line: int) -> None:
        """Scroll so that a line stands in the upper third."""
        # Before it was seen, the page may get another size, and the line another place.
        self._wanted = line
        visible = self.viewport().height() // self._line_px
        self.verticalScrollBar().setValue(max(self._folding.row_of(line) - visible // 3, 0))

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
        theme, place = self._theme, self._geometry()
        self._wanted = -1
        painter.fillRect(event.rect(), QColor(theme.surface))
        first, last = self._visible_range()
        columns = self.horizontalScrollBar().value(), int(place.width / place.char) + 2
        for row in range(first, last):
            self._paint_row(painter, place, row, (row - first) * place.line, columns)

    def _paint_row(
        self, painter: QPainter, place: Geometry, row: int, y: int, columns: tuple[int, int]
    ) -> None:
        theme, line = self._theme, self._folding.line_at(row)
        begin, end = sorted((self._cursor, self._anchor))
        paint_ground(
            painter,
            theme,
            QRect(0, y, place.width, place.line),
            self._row_marks.get(row),
            self._preview.get(line),
            is_chosen=begin <= line <= end and begin != end,
            is_current=line == self._cursor and self.hasFocus(),
        )
        painter.setClipRect(QRect(place.gutter, y, place.width, place.line))
        painter.setPen(QColor(theme.comment if self._is_stale else theme.text))
        text, colouring = self._lines[line], None if self._is_stale else self._colouring
        paint_text(painter, theme, place, y, text, colouring, line, columns)
        if hidden := self._folding.num_hidden(line):
            x = place.gutter + (len(text) - columns[0]) * place.char
            paint_hidden(painter, theme, place, x, y, hidden)
        painter.setClipping(False)
        paint_number(painter, theme, place, y, line)
        if line in self._notes:
            paint_note(painter, theme, y, place.line)
        if self._folding.begins_block(line):
            paint_fold(painter, theme, place, y, is_folded=self._folding.is_folded(line))
        if line in self._heat and not self._is_stale:
            paint_heat(painter, theme, place, y, self._heat[line])

    # --- geometry ---

    def _line_at(self, point: QPoint) -> int | None:
        row = self.verticalScrollBar().value() + point.y() // self._line_px
        return self._folding.line_at(row) if 0 <= row < self._folding.num_rows else None

    def _visible_range(self) -> tuple[int, int]:
        """The first row in sight, and the one after the last."""
        first = self.verticalScrollBar().value()
        count = self.viewport().height() // self._line_px + 1
        return first, min(first + count, self._folding.num_rows)

    def _gutter_px(self) -> int:
        digits = max(len(str(len(self._lines))), 2)
        return int(digits * self._char_px) + 16 + self._fold_px() + self._heat_px()

    def _geometry(self) -> Geometry:
        width, gutter = self.viewport().width(), self._gutter_px()
        return Geometry(
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
        return int(5 * self._char_px) + 6 + self._times_px() if self._heat else 0

    def _times_px(self) -> int:
        return int(8 * self._char_px) + 6 if self._has_times else 0

    def _update_scroll_bars(self) -> None:
        visible = max(self.viewport().height() // self._line_px, 1)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(self._folding.num_rows - visible, 0))
        vertical.setPageStep(visible)
        vertical.setSingleStep(1)
        columns = int((self.viewport().width() - self._gutter_px()) / self._char_px)
        horizontal.setRange(0, max(self._widest + 2 - columns, 0))
        horizontal.setPageStep(max(columns, 1))
        horizontal.setSingleStep(4)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_scroll_bars()
        if 0 <= self._wanted < len(self._lines):
            self.show_line(self._wanted)

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            line = self._line_at(event.pos())
            hint = self.hint_of(line) if line is not None else ""
            QToolTip.showText(event.globalPos(), hint, self)
            return True
        if event.type() in (QEvent.Type.FocusIn, QEvent.Type.FocusOut):
            self.viewport().update()
        return super().viewportEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(420, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, 80)
