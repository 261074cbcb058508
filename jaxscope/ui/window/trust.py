"""Whether the code of a file may run: the question, and the folders for which it was answered.

A Python file that is opened in the window may be somebody else's, so it is shown first and runs
after the question is answered. Files named in a terminal, samples and pasted code run at once.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QFrame,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.marks import show_marks
from jaxscope.ui.session.state import Trust
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.widgets import fill_box, make_label
from jaxscope.ui.window.settings import Settings

_QUESTION = (
    "Nothing has run yet. To show what JAX makes of a call, jaxscope runs the file, which then can "
    "do all that you can do. Do you trust it? A call that you run, by Enter or from the list of "
    "calls, counts as Run once."
)
_ONCE = (
    "Run the call. A change of the file is then told and not run, and you are asked again when it "
    "is opened again."
)
_VIEW = "Run nothing, and ask no more. A call that you run all the same counts as Run once."
_ABOUT = "Python files in these folders, and in those inside, run as soon as they are opened."
_NONE = (
    "No folder is trusted yet. A Python file that is chosen in the window is shown first, and a "
    "bar asks before it runs: Trust this folder there adds its folder to this list."
)


def is_inside(path: str, folders: Iterable[str | Path]) -> bool:
    """Whether a file is in one of some folders; what counts is where links lead to."""
    real = Path(os.path.realpath(path))
    return any(real.is_relative_to(os.path.realpath(folder)) for folder in folders)


class TrustQuestion(QFrame):
    """Asks whether a file may run. `answered` carries a `Trust`; the whole folder is `TRUSTED`."""

    answered = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "notice")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(make_label(tr(_QUESTION), wraps=True), 1)
        self.once = QPushButton(tr("Run once"))
        self.folder = QPushButton(tr("Trust this folder"))
        self.view = QPushButton(tr("View only"))
        self.once.setToolTip(tr(_ONCE))
        self.view.setToolTip(tr(_VIEW))
        for button, trust in (
            (self.once, Trust.ONCE),
            (self.folder, Trust.TRUSTED),
            (self.view, Trust.VIEWED),
        ):
            button.clicked.connect(lambda _checked, trust=trust: self.answered.emit(trust))
            row.addWidget(button)
        self.hide()

    def ask(self, file: str, *, is_asked: bool) -> None:
        """Ask about a file, or no more."""
        self.folder.setToolTip(show_marks(os.path.dirname(os.path.realpath(file))))
        self.setVisible(is_asked)


class TrustedFoldersDialog(QDialog):
    """Lists the folders that are trusted, to take them back."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        settings.refresh()
        self.setWindowTitle(tr("Trusted folders"))
        self.list = QListWidget()
        self.list.setAccessibleName(tr("Trusted folders"))
        self._folders = list(settings.trusted_folders)
        self.list.addItems(list(map(show_marks, self._folders)))
        self.list.currentRowChanged.connect(self._on_list_current_row_changed)
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Close)
        self.remove = buttons.addButton(tr("Remove"), QDialogButtonBox.ButtonRole.ActionRole)
        self.remove.setEnabled(False)
        self.remove.clicked.connect(self._on_remove_clicked)
        buttons.rejected.connect(self.reject)
        about = make_label(tr(_ABOUT), "muted", wraps=True)
        self.none = make_label(tr(_NONE), wraps=True)
        self.none.setAlignment(Qt.AlignmentFlag.AlignTop)
        fill_box(QVBoxLayout(self), about, (self.list, 1), (self.none, 1), buttons)
        self._show_none()
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(48 * em, 24 * em)

    def _on_list_current_row_changed(self, row: int) -> None:
        self.remove.setEnabled(row >= 0)

    def _on_remove_clicked(self) -> None:
        row = self.list.currentRow()
        self.list.takeItem(row)
        self._settings.remove_trusted_folder(self._folders.pop(row))
        self._show_none()

    def _show_none(self) -> None:
        self.list.setVisible(bool(self._folders))
        self.none.setHidden(bool(self._folders))
