"""A small editor for Python source: line numbers, colours, indentation, and marks of lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QEvent, QMimeData, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QPaintEvent,
    QResizeEvent,
    QSyntaxHighlighter,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
)
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit, QWidget

from jaxscope.picture.syntax import PythonColouring, Span
from jaxscope.ui.source.code_view import Mark, mark_colours
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import LIGHT, Theme, fixed_font

_PAUSE_MS = 700
"""Nobody pauses so long inside of a word."""
_INDENT = "    "


_BETWEEN_BLOCKS = "\N{PARAGRAPH SEPARATOR}"
_ENDS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_SHIFT = Qt.KeyboardModifier.ShiftModifier
_NO_OTHER = _SHIFT | Qt.KeyboardModifier.KeypadModifier
"""With these a line ends as well; Qt would put a sign between that is none of Python's."""


class SourceEditor(QPlainTextEdit):
    """Edits a text.

    Signals:
        settled: Nothing was typed for a moment, and the text differs from the one before.
        line_chosen: The cursor went to another line; 1-based.
        save_requested: Ctrl+S, which saves the capture everywhere else.
        left: Shift+Tab leads to what is before. Tab indents; where several characters are
            selected, both move the selected lines.
    """

    settled = Signal(str)
    line_chosen = Signal(int)
    save_requested = Signal()
    left = Signal()

    def __init__(self, text: str) -> None:
        super().__init__()
        self.setAccessibleName(tr("Source, scratch copy"))
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._theme, self._line = LIGHT, 0
        self._marks: Mapping[int, Mark] = {}
        self._wrong_line = -1
        self._found: Sequence[int] = ()
        self._colours = _Highlighter(self)
        self._gutter = _Gutter(self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self.settle)
        self.setPlainText(text)
        self._settled = text
        self._colours.learn(text)
        self.textChanged.connect(self._pause.start)
        self.cursorPositionChanged.connect(self._on_self_cursor_moved)
        self.updateRequest.connect(self._gutter.follow)
        self.blockCountChanged.connect(self._gutter.fit)

    @property
    def text(self) -> str:
        """All of it, as it would be saved: `toPlainText` makes other characters of some."""
        return self.document().toRawText().replace(_BETWEEN_BLOCKS, "\n")

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste a text, with the spaces and ends of lines of a page as Python's."""
        pasted = source.text().replace("\N{NO-BREAK SPACE}", " ")
        self.insertPlainText(pasted.replace("\N{LINE SEPARATOR}", "\n"))

    def set_wrapping(self, is_wrapping: bool) -> None:
        """Wrap long lines, or scroll sideways to their ends."""
        modes = QPlainTextEdit.LineWrapMode
        self.setLineWrapMode(modes.WidgetWidth if is_wrapping else modes.NoWrap)

    def set_theme(self, theme: Theme, points: float) -> None:
        """Use a theme's colours and a size of type."""
        self._theme = theme
        self.setFont(fixed_font(points))
        self.setTabStopDistance(self.fontMetrics().horizontalAdvance(_INDENT))
        self._colours.set_theme(theme)
        self._gutter.colour = QColor(theme.muted)
        self._gutter.fit()
        self.set_marks(self._marks)

    def set_marks(self, marks: Mapping[int, Mark]) -> None:
        """Mark lines, by 0-based number."""
        self._marks = marks
        shown = []
        shown_marks = {**dict.fromkeys(self._found, Mark.FOUND), **marks}
        for line, mark in (*shown_marks.items(), (self._wrong_line, Mark.ERROR)):
            block = self.document().findBlockByNumber(line)
            if not block.isValid():
                continue
            selection = QTextEdit.ExtraSelection()
            selection.format.setBackground(QColor(mark_colours(self._theme, mark)[0]))
            selection.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
            selection.cursor = QTextCursor(block)
            shown.append(selection)
        self.setExtraSelections(shown)

    def set_wrong_line(self, line: int) -> None:
        """Mark the line, by 0-based number, that Python does not read; none by -1."""
        self._wrong_line = line
        self.set_marks(self._marks)

    def set_found(self, lines: Sequence[int]) -> None:
        """Mark lines that a search found, by 0-based number."""
        self._found = lines
        self.set_marks(self._marks)

    def show_found(self, line: int, text: str) -> None:
        """Select a text in a line, by 0-based number, or go to the line where it is a pattern."""
        self.show_line(line)
        block = self.document().findBlockByNumber(line)
        column = block.text().casefold().find(text.casefold())
        if column >= 0:
            cursor = QTextCursor(block)
            cursor.setPosition(block.position() + column)
            cursor.setPosition(cursor.position() + len(text), QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(cursor)

    def show_line(self, line: int) -> None:
        """Put the cursor on a line, by 0-based number, in the middle of what is seen."""
        block = self.document().findBlockByNumber(line)
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def replace_text(self, text: str) -> None:
        """Put another text in place of all of it; that can be undone."""
        cursor = QTextCursor(self.document())
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.insertText(text)

    def settle(self) -> None:
        """Tell the text now, if it changed."""
        self._pause.stop()
        text = self.text
        if text != self._settled:
            self._settled = text
            self._colours.learn(text)
            self.settled.emit(text)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ShortcutOverride and _is_save(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        cursor = self.textCursor()
        if _is_save(event):
            self.save_requested.emit()
        elif event.key() in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab) and cursor.hasSelection():
            _indent_lines(cursor, is_deeper=event.key() == Qt.Key.Key_Tab)
        elif event.key() == Qt.Key.Key_Backtab:
            self.left.emit()
        elif event.key() == Qt.Key.Key_Tab:
            column = cursor.positionInBlock()
            cursor.insertText(" " * (len(_INDENT) - column % len(_INDENT)))
        elif event.key() == Qt.Key.Key_Backspace and not event.modifiers() and _is_indent(cursor):
            column = cursor.positionInBlock()
            cursor.movePosition(
                QTextCursor.MoveOperation.Left,
                QTextCursor.MoveMode.KeepAnchor,
                (column - 1) % len(_INDENT) + 1,
            )
            cursor.removeSelectedText()
        elif event.key() == Qt.Key.Key_Home and not event.modifiers() & ~_NO_OTHER:
            self._go_home(cursor, is_selecting=bool(event.modifiers() & _SHIFT))
        elif event.key() in _ENDS and not event.modifiers() & ~_NO_OTHER:
            before = cursor.block().text()[: cursor.positionInBlock()]
            indent = before[: len(before) - len(before.lstrip())]
            deeper = _INDENT if before.rstrip().endswith(":") else ""
            cursor.insertText(f"\n{indent}{deeper}")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def _go_home(self, cursor: QTextCursor, is_selecting: bool) -> None:
        """To the first word of the line, or from there to the start of the line."""
        modes, text = QTextCursor.MoveMode, cursor.block().text()
        indent = len(text) - len(text.lstrip())
        column = 0 if cursor.positionInBlock() == indent else indent
        mode = modes.KeepAnchor if is_selecting else modes.MoveAnchor
        cursor.setPosition(cursor.block().position() + column, mode)
        self.setTextCursor(cursor)

    def resizeEvent(self, event: QResizeEvent) -> None:
        before = self.cursorRect().center().y()
        super().resizeEvent(event)
        self._gutter.fit()
        height = self.viewport().height()
        if 0 <= before <= event.oldSize().height() and not 0 <= before <= height:
            self.ensureCursorVisible()  # what is below took the room of the line in hand

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._gutter.fit()

    def set_gutter_width(self, width_px: int) -> None:
        """Leave room for line numbers."""
        self.setViewportMargins(width_px, 0, 0, 0)

    def _on_self_cursor_moved(self) -> None:
        line = self.textCursor().blockNumber()
        if line != self._line:
            self._line = line
            self.line_chosen.emit(line + 1)


def _is_indent(cursor: QTextCursor) -> bool:
    """Whether only spaces stand before the cursor in its line, and nothing is selected."""
    before = cursor.block().text()[: cursor.positionInBlock()]
    return bool(before) and not before.strip(" ") and not cursor.hasSelection()


def _indent_lines(cursor: QTextCursor, is_deeper: bool) -> None:
    """Move every line that is selected, also in part, by one indentation; one step of undo."""
    document = cursor.document()
    first = document.findBlock(cursor.selectionStart()).blockNumber()
    last = document.findBlock(cursor.selectionEnd() - 1).blockNumber()
    edit = QTextCursor(document)
    edit.setPosition(cursor.position())  # where undoing leads back to
    edit.beginEditBlock()
    for number in range(first, last + 1):
        block = document.findBlockByNumber(number)
        edit.setPosition(block.position())
        text = block.text()
        if is_deeper:
            edit.insertText(_INDENT if text.strip() else "")
        else:
            width = 1 if text.startswith("\t") else len(text) - len(text.lstrip(" "))
            moves = QTextCursor.MoveOperation.Right, QTextCursor.MoveMode.KeepAnchor
            edit.movePosition(*moves, min(width, len(_INDENT)))
            edit.removeSelectedText()
    edit.endEditBlock()


def _is_save(event: QEvent) -> bool:
    return isinstance(event, QKeyEvent) and event.matches(QKeySequence.StandardKey.Save)


class _Gutter(QWidget):
    """Line numbers at the left."""

    def __init__(self, editor: SourceEditor) -> None:
        super().__init__(editor)
        self._editor = editor
        self.colour = QColor(LIGHT.muted)

    def fit(self) -> None:
        """Be as wide as the largest number."""
        editor = self._editor
        digits = len(str(max(editor.blockCount(), 99)))
        width = editor.fontMetrics().horizontalAdvance("9") * digits + 18
        editor.set_gutter_width(width)
        area = editor.contentsRect()
        self.setGeometry(QRect(area.left(), area.top(), width, area.height()))

    def follow(self, area: QRect, scrolled_px: int) -> None:
        """Paint again what the editor paints again."""
        if scrolled_px:
            self.scroll(0, scrolled_px)
        else:
            self.update(0, area.y(), self.width(), area.height())

    def sizeHint(self) -> QSize:
        return QSize(self.width(), 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, editor = QPainter(self), self._editor
        painter.setPen(self.colour)
        painter.setFont(editor.font())
        block = editor.firstVisibleBlock()
        area = editor.blockBoundingGeometry(block).translated(editor.contentOffset())
        while block.isValid() and area.top() <= event.rect().bottom():
            place = QRect(0, round(area.top()), self.width() - 10, round(area.height()))
            painter.drawText(place, Qt.AlignmentFlag.AlignRight, str(block.blockNumber() + 1))
            block = block.next()
            area = editor.blockBoundingGeometry(block).translated(editor.contentOffset())


class _Highlighter(QSyntaxHighlighter):
    """Colours by the last whole text that was learned; lines written since one by one."""

    def __init__(self, editor: SourceEditor) -> None:
        super().__init__(editor.document())
        self._theme = LIGHT
        self._lines: list[str] = []
        self._whole = PythonColouring("")

    def set_theme(self, theme: Theme) -> None:
        """Use a theme's colours."""
        self._theme = theme
        self.rehighlight()

    def learn(self, text: str) -> None:
        """Take the whole text, in which strings run over lines."""
        self._lines, self._whole = text.split("\n"), PythonColouring(text)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for start, length, role in self._spans_of(self.currentBlock().blockNumber(), text):
            form = QTextCharFormat()
            form.setForeground(QColor(getattr(self._theme, role)))
            self.setFormat(start, length, form)

    def _spans_of(self, line: int, text: str) -> list[Span]:
        is_known = line < len(self._lines) and self._lines[line] == text
        return list(self._whole.spans(line) if is_known else PythonColouring(text).spans(0))
