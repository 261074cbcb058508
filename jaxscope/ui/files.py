"""Opening, saving and exporting: the dialogs and what they lead to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from jaxscope.errors import Explanation, JaxscopeError, UsageError

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

_OPEN_FILTER = "Python and saved captures (*.py *.jaxscope);;All files (*)"
_SAVE_FILTER = "Captures (*.jaxscope)"


class FileDialogs(QObject):
    """Works for one window, whose errors go to its error panel."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window

    def ask_open(self) -> None:
        """Ask for a file to open."""
        dialog = QFileDialog(self._window, "Open", self._folder(), _OPEN_FILTER)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_open_selected)
        dialog.open()

    def ask_save(self) -> None:
        """Ask where to save the capture."""
        if self._window.controller.state.capture is None:
            self._refuse("There is no complete capture to save.", "Run a call first.")
            return
        dialog = QFileDialog(self._window, "Save capture", self._folder(), _SAVE_FILTER)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix("jaxscope")
        dialog.fileSelected.connect(self.save)
        dialog.open()

    def load(self, path: str) -> None:
        """Open a saved capture, view-only."""
        from jaxscope.analysis.archive import load_capture  # only when a saved capture is opened

        try:
            capture = load_capture(path)
        except JaxscopeError as error:
            self._window.controller.show_problem(error)
            return
        self._window.controller.open_capture(capture, os.path.abspath(path))
        self._window.call_bar.set_call(capture.call)
        self._window.keep_recent(os.path.abspath(path))

    def save(self, path: str) -> None:
        """Save the capture."""
        from jaxscope.analysis.archive import save_capture  # only when something is saved

        capture = self._window.controller.state.capture
        if capture is None:
            return
        try:
            save_capture(capture, path)
        except OSError as error:
            self._refuse(f"{path} could not be written.", error.strerror or str(error))

    def _folder(self) -> str:
        file = self._window.controller.state.file
        return os.path.dirname(file) if file else os.path.expanduser("~")

    def _refuse(self, what: str, remedy: str) -> None:
        self._window.controller.show_problem(UsageError(Explanation(what, remedy=remedy)))

    def _on_open_selected(self, path: str) -> None:
        self._window.open_path(path)
