"""Code that is pasted instead of opened: a dialog, and the file that it becomes."""

from __future__ import annotations

import ast
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontMetricsF, QGuiApplication, QKeySequence
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPlainTextEdit, QVBoxLayout, QWidget

from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.theme import fixed_font
from jaxscope.ui.toolkit.widgets import make_label

_LOOKS_LIKE_CODE = ("def ", "import ", "lambda ")
_MAX_CHARACTERS = 1_000_000


class PasteDialog(QDialog):
    """Takes a program as text; `accepted_text` carries one that Python can read.

    Args:
        points: Size of type.
        draft: What was typed before and not opened.

    Signals:
        put_away: The dialog was closed; carries what was typed and not opened.
    """

    accepted_text = Signal(str)
    put_away = Signal(str)

    def __init__(self, points: float, draft: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Paste code"))
        self.edit = QPlainTextEdit()
        self.edit.setFont(fixed_font(points))
        self.edit.setTabStopDistance(4 * QFontMetricsF(self.edit.font()).horizontalAdvance(" "))
        self.edit.setPlaceholderText(
            "import jax.numpy as jnp\n\n# jaxscope: f(f32[8])\n\ndef f(x):\n    return jnp.sin(x)"
        )
        self.edit.setAccessibleName(tr("Code"))
        copied = QGuiApplication.clipboard().text()
        if draft.strip():
            self.edit.setPlainText(draft)
        elif any(word in copied for word in _LOOKS_LIKE_CODE):
            self.edit.setPlainText(copied[:_MAX_CHARACTERS])
        self._problem = make_label(role="error", wraps=True)
        self._problem.hide()
        buttons = QDialogButtonBox()
        opening = buttons.addButton(tr("Open"), QDialogButtonBox.ButtonRole.AcceptRole)
        opening.setShortcut(QKeySequence("Ctrl+Return"))
        opening.setToolTip(tr("Ctrl+Enter. What is cancelled is here again the next time."))
        cancel = buttons.addButton(QDialogButtonBox.StandardButton.Cancel)
        buttons.accepted.connect(self._on_buttons_accepted)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        about = tr(
            "A file of functions, imports included; nothing at its top level should take long."
        )
        layout.addWidget(make_label(about, "muted", wraps=True))
        layout.addWidget(self.edit, 1)
        layout.addWidget(self._problem)
        layout.addWidget(buttons)
        QWidget.setTabOrder(cancel, opening)  # one step back from the code, where Tab indents
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(60 * em, 36 * em)

    def _on_buttons_accepted(self) -> None:
        text = self.edit.toPlainText()
        problem = find_problem(text)
        self._problem.setText(problem)
        self._problem.setVisible(bool(problem))
        if not problem:
            self.accepted_text.emit(text)
            self.accept()

    def done(self, result: int) -> None:
        """Keep what was typed where it was not opened."""
        is_opened = result == QDialog.DialogCode.Accepted
        self.put_away.emit("" if is_opened else self.edit.toPlainText())
        super().done(result)


def find_problem(text: str) -> str:
    """Why a text is no program; empty where it is one."""
    if not text.strip():
        return tr("There is no code.")
    try:
        ast.parse(text)
    except SyntaxError as error:
        return tr("Line {lineno}: {msg}.", lineno=error.lineno or 1, msg=error.msg)
    except (ValueError, RecursionError, MemoryError) as error:
        return tr("Python cannot read it: {error}.", error=error)
    return ""


def write_pasted(folder: Path, text: str) -> Path:
    """Write a program into a file of its own, and return its path.

    Raises:
        OSError: It could not be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while (path := folder / f"pasted_{number}.py").exists():
        number += 1
    path.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
    return path
