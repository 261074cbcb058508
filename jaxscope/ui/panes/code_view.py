"""A page of program text in which lines are chosen, folded and looked at."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QKeySequence, QMouseEvent
from PySide6.QtWidgets import QWidget

from jaxscope.ui.panes.code_page import CodePage

_FOLD_KEYS = frozenset("-+*/")


class CodeView(CodePage):
    """A click or the arrow keys choose a line; dragging or Shift chooses several, Ctrl one more.

    A click on a triangle folds a block; so does `-`, and `+` unfolds it; `/` folds all blocks and
    `*` unfolds them.

    Signals:
        line_chosen: 0-based number of a line that a person chose.
        lines_chosen: Numbers of several, and whether they are chosen besides what is already.
        line_hovered: Number of the line under the pointer, or -1.
    """

    line_chosen = Signal(int)
    lines_chosen = Signal(object, bool)
    line_hovered = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._is_dragged = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.viewport().setMouseTracking(True)

    def go_to_line(self, line: int) -> None:
        """Make a line the current one, and tell that it was chosen."""
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
            self._tell_range()

    def leaveEvent(self, event: QEvent) -> None:
        self.line_hovered.emit(-1)
        super().leaveEvent(event)

    def _tell_range(self) -> None:
        first, last = sorted((self._cursor, self._anchor))
        self.lines_chosen.emit(range(first, last + 1), False)

    def _is_fold_at(self, point: QPoint, line: int) -> bool:
        right = self._gutter_px() - self._heat_px() - 2
        is_beside = right - self._fold_px() - 2 <= point.x() < right
        return is_beside and self._folding.begins_block(line)

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
        elif self._lines and event.text() in _FOLD_KEYS:
            self._press_fold_key(event.text())
        elif (step := steps.get(Qt.Key(event.key()))) is not None and self._lines:
            extend = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            here = self._folding.row_of(self._cursor) if self._cursor >= 0 else -1
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
        top, bottom = self._visible_range()
        if not top <= self._folding.row_of(line) < bottom - 1:
            self.show_line(line)
        self.viewport().update()
        if extend:
            self._tell_range()
        else:
            self.setAccessibleDescription(f"line {line + 1}: {self._lines[line][:200]}")
            self.line_chosen.emit(line)
