"""The line in which a call is typed: history with the arrow keys, completion of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QStringListModel, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QListView, QWidget

from jaxscope.ui.call_text import COMPLETIONS, word_before
from jaxscope.ui.theme import fixed_font

_MIN_PREFIX = 1
_MAX_HISTORY = 200


class CallEdit(QLineEdit):
    """An address bar for calls. `run_requested` fires on Enter."""

    run_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._history: list[str] = []
        self._position = 0
        self._draft = ""
        self._words = QStringListModel(self)
        self._completer = QCompleter(self._words, self)
        self._popup = QListView()
        self._completer.setPopup(self._popup)
        self._completer.setWidget(self)
        self._completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self._completer.activated.connect(self._on_completer_activated)
        self.textEdited.connect(self._on_self_text_edited)
        self.setClearButtonEnabled(True)
        self.setPlaceholderText("Type a call, such as grad(loss)(f32[8, 2]), and press Enter")
        self.setAccessibleName("Call")
        self.set_names(())

    def set_names(self, names: Iterable[str]) -> None:
        """Offer the names of a file, next to those that every call may use."""
        offered = {*names, *(word for words in COMPLETIONS.values() for word in words)}
        self._words.setStringList(sorted(offered, key=str.casefold))

    def set_history(self, calls: Sequence[str]) -> None:
        """Set what the arrow keys walk through, oldest first."""
        self._history = list(calls)[-_MAX_HISTORY:]
        self._position = len(self._history)

    def remember(self) -> None:
        """Put the present text at the end of the history."""
        text = self.text().strip()
        if text:
            self.set_history([*(call for call in self._history if call != text), text])

    @property
    def history(self) -> tuple[str, ...]:
        return tuple(self._history)

    def set_points(self, points: float) -> None:
        """Use a size of type."""
        self.setFont(fixed_font(points))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        popup = self._popup
        if popup.isVisible() and event.key() in (
            Qt.Key.Key_Return,
            Qt.Key.Key_Enter,
            Qt.Key.Key_Tab,
        ):
            if popup.currentIndex().isValid():
                self._on_completer_activated(popup.currentIndex().data())
                popup.hide()
                return
            popup.hide()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.run_requested.emit()
        elif event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._walk(-1 if event.key() == Qt.Key.Key_Up else 1)
        else:
            super().keyPressEvent(event)

    def _walk(self, step: int) -> None:
        position = self._position + step
        if not 0 <= position <= len(self._history):
            return
        if self._position == len(self._history):
            self._draft = self.text()
        self._position = position
        self.setText(self._draft if position == len(self._history) else self._history[position])

    def _on_self_text_edited(self, _text: str) -> None:
        self._position = len(self._history)
        word = word_before(self.text(), self.cursorPosition())
        popup = self._popup
        self._completer.setCompletionPrefix(word)
        count = self._completer.completionCount()
        if len(word) < _MIN_PREFIX or not count or self._completer.currentCompletion() == word:
            popup.hide()
            return
        area = self.cursorRect()
        area.setWidth(260)
        self._completer.complete(area)

    def _on_completer_activated(self, word: str) -> None:
        position = self.cursorPosition()
        start = position - len(word_before(self.text(), position))
        text = self.text()
        self.setText(text[:start] + word + text[position:])
        self.setCursorPosition(start + len(word))
