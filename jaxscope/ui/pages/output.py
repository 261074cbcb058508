"""What the user's code printed."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QPlainTextEdit, QVBoxLayout, QWidget

from jaxscope.client.plain_text import clean_text
from jaxscope.ui.theme import fixed_font

_MAX_LINE_CHARACTERS = 8_000
"""A longer line is broken: the text widget lays a line out as a whole."""

_WHAT = "What your code printed when it was imported, traced and run."
_NOTHING = "Nothing was printed."
_NOT_KEPT = "A saved capture does not hold what the code printed."


class OutputPage(QWidget):
    """Plain text, never interpreted."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.note = QLabel(_WHAT)
        self.note.setProperty("role", "muted")
        self.note.setWordWrap(True)
        self.text = QPlainTextEdit()
        self.text.setReadOnly(True)
        self.text.setUndoRedoEnabled(False)
        self.text.setAccessibleName("Output of your code")
        self.text.setPlaceholderText(_NOTHING)
        layout = QVBoxLayout(self)
        layout.addWidget(self.note)
        layout.addWidget(self.text, 1)
        layout.addStretch(0)

    def show_output(self, output: str, *, is_kept: bool = True) -> None:
        """Show a text, by adding to what is there where it only grew.

        Args:
            output: What was printed.
            is_kept: Whether it is known: a saved capture does not hold it.
        """
        self.note.setText(_WHAT if is_kept else _NOT_KEPT)
        self.text.setVisible(is_kept)
        if output == self._shown:
            return
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self._shown = output
        self.text.setPlainText(_break_lines(clean_text(output)))
        if at_end:
            bar.setValue(bar.maximum())

    def set_points(self, points: float) -> None:
        """Use a size of type."""
        self.text.setFont(fixed_font(points))


def _break_lines(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        pieces = range(0, max(len(line), 1), _MAX_LINE_CHARACTERS)
        lines += [line[start : start + _MAX_LINE_CHARACTERS] for start in pieces]
    return "\n".join(lines)
