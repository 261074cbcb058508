"""The page *Output*: what the user's code printed."""

from __future__ import annotations

from PySide6.QtWidgets import QPlainTextEdit, QVBoxLayout

from jaxscope.marks import strip_controls
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import Theme, fixed_font
from jaxscope.ui.toolkit.widgets import fill_box, make_label
from jaxscope.ui.window.page_context import PageContext, PageWidget

_MAX_LINE_CHARACTERS = 8_000
"""A longer line is broken: the text widget lays a line out as a whole."""

_WHAT = "What your code printed when it was imported, traced and run."
_NOTHING = "Nothing was printed."
_NOT_KEPT = "A saved capture does not hold what the code printed."


class OutputPage(PageWidget):
    """Plain text, never interpreted."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self._shown = ""
        self.note = make_label(tr(_WHAT), "muted", wraps=True)
        self.text = QPlainTextEdit(readOnly=True, undoRedoEnabled=False)
        self.text.setAccessibleName(tr("Output of your code"))
        self.text.setPlaceholderText(tr(_NOTHING))
        fill_box(QVBoxLayout(self), self.note, (self.text, 1), 0)

    def show_state(self, state: WindowState) -> None:
        output, is_kept = state.output, not state.is_view_only  # a saved capture has none
        self.note.setText(tr(_WHAT) if is_kept else tr(_NOT_KEPT))
        self.text.setVisible(is_kept)
        if output == self._shown:
            return
        bar = self.text.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 2
        self._shown = output
        self.text.setPlainText(_break_lines(strip_controls(output)))
        if at_end:
            bar.setValue(bar.maximum())

    def set_theme(self, _theme: Theme) -> None:
        self.text.setFont(fixed_font(self._context.themes.points))


def _break_lines(text: str) -> str:
    lines = []
    for line in text.split("\n"):
        pieces = range(0, max(len(line), 1), _MAX_LINE_CHARACTERS)
        lines += [line[start : start + _MAX_LINE_CHARACTERS] for start in pieces]
    return "\n".join(lines)


make_page = OutputPage
