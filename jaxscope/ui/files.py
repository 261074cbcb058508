"""Opening, saving and exporting: the dialogs and what they lead to."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from jaxscope.errors import Explanation, JaxscopeError, UsageError
from jaxscope.ui.exporting import FORMATS, Exporter, ExportJob

if TYPE_CHECKING:
    from jaxscope.ui.window import MainWindow

_OPEN_FILTER = "Python and saved captures (*.py *.jaxscope);;All files (*)"
_MESSAGE_MS = 6_000
_SAVE_FILTER = "Captures (*.jaxscope)"


class FileDialogs(QObject):
    """Works for one window, whose errors go to its error panel."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._export_dialog: QFileDialog | None = None
        self.exporter = Exporter(self)
        self.exporter.finished.connect(self._on_exporter_finished)
        self.exporter.failed.connect(self._on_exporter_failed)

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

    def ask_export(self) -> None:
        """Ask where to export the active pane's stage, and in which format."""
        if not self._window.controller.state.stages:
            self._refuse("There is nothing to export.", "Run a call first.")
            return
        dialog = QFileDialog(self._window, "Export", self._folder())
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilters([f"{title} (*.{ending})" for ending, title in FORMATS.items()])
        dialog.setDefaultSuffix("svg")
        dialog.filterSelected.connect(self._on_export_filter_selected)
        dialog.fileSelected.connect(self.export)
        self._export_dialog = dialog
        dialog.open()

    def export(self, path: str) -> None:
        """Export what the active pane shows; the file's ending picks the format."""
        state, area = self._window.controller.state, self._window.workspace.area
        capture = state.capture or state.partial_capture()
        if capture is None or area.active is None:
            return
        stage = area.wanted_stage(area.active)
        if capture.stage(stage) is None:
            stage = capture.stages[-1].name
        canvas = area.active.canvas
        is_shown = canvas is not None and canvas.isVisible()
        scene = canvas.scene if canvas is not None and is_shown else None
        self.exporter.start(ExportJob(capture, stage, path, scene))

    def load(self, path: str) -> None:
        """Open a saved capture, view-only."""
        from jaxscope.analysis.archive import load_session  # only when a saved capture is opened

        try:
            capture, timing = load_session(path)
        except JaxscopeError as error:
            self._window.controller.show_problem(error)
            return
        self._window.controller.open_capture(capture, os.path.abspath(path), timing)
        self._window.call_bar.set_call(capture.call)
        self._window.keep_recent(os.path.abspath(path))

    def save(self, path: str) -> None:
        """Save the capture."""
        from jaxscope.analysis.archive import save_capture  # only when something is saved

        capture = self._window.controller.state.capture
        if capture is None:
            return
        try:
            save_capture(capture, path, self._window.controller.state.full_timing())
        except OSError as error:
            self._refuse(f"{path} could not be written.", error.strerror or str(error))

    def _on_export_filter_selected(self, text: str) -> None:
        if self._export_dialog is not None:
            self._export_dialog.setDefaultSuffix(text.rpartition("*.")[2].rstrip(")"))

    def _on_exporter_failed(self, error: JaxscopeError) -> None:
        self._window.controller.show_problem(error)

    def _on_exporter_finished(self, path: str) -> None:
        self._window.statusBar().showMessage(f"Exported to {path}", _MESSAGE_MS)

    def _folder(self) -> str:
        file = self._window.controller.state.file
        return os.path.dirname(file) if file else os.path.expanduser("~")

    def _refuse(self, what: str, remedy: str) -> None:
        self._window.controller.show_problem(UsageError(Explanation(what, remedy=remedy)))

    def _on_open_selected(self, path: str) -> None:
        self._window.open_path(path)
