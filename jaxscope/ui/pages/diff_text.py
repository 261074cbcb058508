"""Two texts side by side, line against line, with their differences marked; paints only visible
rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from jaxscope.picture.tint.diff_marks import STYLES, MarkStyle
from jaxscope.program.diff.changes import Change
from jaxscope.program.diff.texts import ADDED, CHANGED, REMOVED, SAME, TextDiff, TextLine, TextRow
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import LIGHT, Theme, fixed_font

_STYLES: dict[str, MarkStyle] = {
    ADDED: STYLES[Change.ADDED],
    REMOVED: STYLES[Change.REMOVED],
    CHANGED: STYLES[Change.CHANGED],
}
_SOFT_ALPHA = 36
_MAX_COLUMNS = 2_000


class DiffTextView(QAbstractScrollArea):
    """Rows of both texts; `nodes_chosen` carries the nodes of a chosen row, -1 where none is."""

    nodes_chosen = Signal(int, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._rows: Sequence[TextRow] = ()
        self._theme = LIGHT
        self._has_marks = True
        self._cursor = -1
        self._widest = 0
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setAccessibleName(tr("Both texts, line against line"))
        self.set_theme(LIGHT, 10.0)

    @property
    def rows(self) -> Sequence[TextRow]:
        """What is shown."""
        return self._rows

    @property
    def current_row(self) -> int:
        """The row that was chosen, or -1."""
        return self._cursor

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme = theme
        self.setFont(fixed_font(points))
        metrics = QFontMetrics(self.font())
        self._line_px = metrics.height() + 2
        self._char_px = max(metrics.horizontalAdvance("0" * 100) / 100.0, 1.0)
        self._update_scroll_bars()
        self.viewport().update()

    def set_marks_shown(self, is_shown: bool) -> None:
        """Show the differences, or both texts plain."""
        self._has_marks = is_shown
        self.viewport().update()

    def set_diff(self, diff: TextDiff | None) -> None:
        """Show other texts, from their first difference on."""
        self._rows = () if diff is None else diff.rows
        self._cursor = -1
        lines = (line for row in self._rows for line in (row.first, row.second) if line)
        self._widest = min(max((len(line.text) for line in lines), default=0), _MAX_COLUMNS)
        self._update_scroll_bars()
        first = next((i for i, row in enumerate(self._rows) if row.kind != SAME), 0)
        self.show_row(first)
        self.viewport().update()

    def show_row(self, row: int) -> None:
        """Scroll so that a row stands in the upper third."""
        visible = self.viewport().height() // self._line_px
        self.verticalScrollBar().setValue(max(row - visible // 3, 0))

    def show_nodes(self, first: int, second: int) -> None:
        """Choose the row of a node of either side, without a signal."""
        for index, row in enumerate(self._rows):
            if (first >= 0 and row.first is not None and row.first.node == first) or (
                second >= 0 and row.second is not None and row.second.node == second
            ):
                self._cursor = index
                self.show_row(index)
                self.viewport().update()
                return

    def next_difference(self, step: int) -> None:
        """Choose the next run of rows that differ; -1 goes back."""
        count, place = len(self._rows), self._cursor
        for _ in range(count):
            place += step
            if not 0 <= place < count:
                return
            before = self._rows[place - 1].kind if place else SAME
            if self._rows[place].kind != SAME and before == SAME:
                self._choose(place)
                self.show_row(place)
                return

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.setFont(self.font())
        painter.fillRect(event.rect(), QColor(self._theme.surface))
        half = self.viewport().width() // 2
        first = self.verticalScrollBar().value()
        last = min(first + self.viewport().height() // self._line_px + 1, len(self._rows))
        for index in range(first, last):
            row, y = self._rows[index], (index - first) * self._line_px
            self._paint_side(painter, row, row.first, QRect(0, y, half - 1, self._line_px))
            self._paint_side(painter, row, row.second, QRect(half, y, half, self._line_px))
            if index == self._cursor:
                painter.setPen(QColor(self._theme.accent))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(0, y, self.viewport().width() - 1, self._line_px - 1)
        painter.setPen(QColor(self._theme.border))
        painter.drawLine(half - 1, 0, half - 1, self.viewport().height())
        painter.end()

    def _paint_side(
        self, painter: QPainter, row: TextRow, line: TextLine | None, area: QRect
    ) -> None:
        theme = self._theme
        style = _STYLES.get(row.kind) if self._has_marks else None
        if line is None:
            painter.fillRect(area, QColor(theme.raised))
            return
        if style is not None:
            color = QColor(style.dark if theme.is_dark else style.light)
            painter.fillRect(QRect(area.x(), area.y(), 4, area.height()), color)
            soft = QColor(color)
            soft.setAlpha(_SOFT_ALPHA)
            painter.fillRect(area, soft)
            painter.setPen(color)
            painter.drawText(
                area.adjusted(8, 0, 0, 0),
                Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
                style.sign,
            )
        gutter = self._gutter_px()
        painter.setPen(QColor(theme.comment))
        painter.drawText(
            QRect(area.x(), area.y(), gutter - 8, area.height()),
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter,
            str(line.number + 1),
        )
        column = self.horizontalScrollBar().value()
        columns = int(area.width() / self._char_px) + 2
        painter.setPen(QColor(theme.text))
        painter.drawText(
            area.adjusted(gutter, 0, 0, 0),
            Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter,
            line.text[column : column + columns],
        )

    # --- moving and choosing ---

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self.verticalScrollBar().value() + int(event.position().y()) // self._line_px
        if event.button() == Qt.MouseButton.LeftButton and row < len(self._rows):
            self._choose(row)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        page = max(self.viewport().height() // self._line_px - 1, 1)
        steps = {
            Qt.Key.Key_Up: -1,
            Qt.Key.Key_Down: 1,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
        }
        key = Qt.Key(event.key())
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self._current_text())
        elif key in (Qt.Key.Key_N, Qt.Key.Key_P):
            self.next_difference(1 if key == Qt.Key.Key_N else -1)
        elif key in steps and self._rows:
            row = min(max(self._cursor + steps[key], 0), len(self._rows) - 1)
            self._choose(row)
            top = self.verticalScrollBar().value()
            if not top <= row < top + page:
                self.show_row(row)
        else:
            super().keyPressEvent(event)

    def _choose(self, index: int) -> None:
        self._cursor = index
        row = self._rows[index]
        texts = [line.text.strip() for line in (row.first, row.second) if line is not None]
        self.setAccessibleDescription(f"{row.kind}: {'; '.join(texts)}")
        self.viewport().update()
        self.nodes_chosen.emit(
            -1 if row.first is None else row.first.node,
            -1 if row.second is None else row.second.node,
        )

    def _current_text(self) -> str:
        if not 0 <= self._cursor < len(self._rows):
            return ""
        row = self._rows[self._cursor]
        if row.kind == SAME and row.second is not None:
            return row.second.text
        signed = (("-", row.first), ("+", row.second))
        return "\n".join(f"{sign}{line.text}" for sign, line in signed if line is not None)

    # --- geometry ---

    def _gutter_px(self) -> int:
        digits = max(len(str(len(self._rows))), 3)
        return int((digits + 2) * self._char_px) + 18

    def _update_scroll_bars(self) -> None:
        visible = max(self.viewport().height() // self._line_px, 1)
        vertical, horizontal = self.verticalScrollBar(), self.horizontalScrollBar()
        vertical.setRange(0, max(len(self._rows) - visible, 0))
        vertical.setPageStep(visible)
        columns = int((self.viewport().width() / 2 - self._gutter_px()) / self._char_px)
        horizontal.setRange(0, max(self._widest + 2 - columns, 0))
        horizontal.setPageStep(max(columns, 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_scroll_bars()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.viewport().update()

    def minimumSizeHint(self) -> QSize:
        return QSize(240, 100)
