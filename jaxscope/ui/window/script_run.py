"""*Run a script*: the script runs as it is, and what it compiles is listed while it does."""

from __future__ import annotations

import json
import os
import shlex
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QProcess, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from jaxscope.client.worker_failures import TOO_OLD, is_too_old
from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.marks import strip_controls
from jaxscope.report.compilations import (
    compilations_notes,
    compilations_table,
    describe_memory,
    nonfinite_notes,
    transfers_table,
)
from jaxscope.report.document import Table
from jaxscope.run_script import lend_packages
from jaxscope.schema.archive_container import open_regular
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.theme import Theme
from jaxscope.ui.toolkit.widgets import PlainTabs, fill_box, make_label

if TYPE_CHECKING:
    from jaxscope.ui.figures.plots import OverTimePlot

_ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_LIST = "compilations.json"
_MAX_LIST_BYTES = 64 << 20
_LOOK_EVERY_MS = 500
_KILL_MS = 2_000
_SAID_CHARACTERS = 2_000
_ABOUT = (
    "The script runs in a process of its own, as in a shell. Each function that is jitted is "
    "listed and captured at its first call, from its real arguments; a double click or Enter "
    "opens the capture."
)


class _MemoryTab(QWidget):
    """The memory of the device over time, drawn when the tab is shown."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._found: dict[str, Any] | None = None
        self.told = make_label("", "muted", wraps=True)
        self.plot: OverTimePlot | None = None
        self._column = QVBoxLayout(self)
        fill_box(self._column, self.told)

    def show_memory(self, found: dict[str, Any]) -> None:
        """Show what is known by now."""
        self._found = found["memory"]
        self.told.setText(describe_memory(found))
        if self.isVisible():
            self._draw()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._draw()

    def _draw(self) -> None:
        if self._found is None:
            return
        if self.plot is None:
            from jaxscope.ui.figures.plots import OverTimePlot  # it takes half a second

            self.plot = OverTimePlot(tr("Memory of the device over time"))
            self._column.insertWidget(0, self.plot, 1)
        self.plot.show_bytes(self._found["seconds"], self._found["bytes"], self._theme)


class ScriptDialog(QDialog):
    """Runs one script as `jaxscope run` does, and lists what that writes.

    What it moves between host and device, and the memory, have tabs once there is something.

    Args:
        script: Its path.
        python: The interpreter for it; None for our own.
        theme: Of the window.
        parent: The window.

    Attributes:
        folder: Has the list and the captures, until the dialog is closed.

    Signals:
        capture_chosen: The path of a capture that is to be opened.
    """

    capture_chosen = Signal(str)

    def __init__(
        self, script: str, python: str | None, theme: Theme, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Run {name}", name=Path(script).name))
        self._script, self._python, self._theme = script, python, theme
        self._folder = tempfile.TemporaryDirectory(prefix="jaxscope-run-")
        self.folder = Path(self._folder.name)
        self._read_at = 0.0
        self._said = ""
        self._is_stopping = self._is_at_nan = False
        self._notes: list[str] = []
        self._not_begun = ""  # why the script was not even begun
        self.arguments, self.catch = QLineEdit(), QLineEdit()
        self.arguments.setAccessibleName(tr("Arguments of the script"))
        self.catch.setAccessibleName(tr("Functions to capture"))
        self.catch.setPlaceholderText(tr("all; else names, such as train_step"))
        self.at_nan = QCheckBox(tr("At its first call that makes NaN or Inf"))
        self.button, self.open_button = QPushButton(tr("Run")), QPushButton(tr("Open capture"))
        self.button.setProperty("role", "primary")
        self.button.setDefault(True)
        self.open_button.setAutoDefault(False)
        self.open_button.setEnabled(False)
        self.state = make_label("", "muted", wraps=True)
        self.table = ResultTable(tr("What the script compiled"))
        self.transfers = ResultTable(tr("What JAX moved between host and device unasked"))
        self.transfers_told = make_label("", "muted", wraps=True)
        self.memory = _MemoryTab(theme)
        self.tabs = PlainTabs(tr("What was seen"))
        self.tabs.setTabBarAutoHide(True)
        self.tabs.addTab(self.table, tr("Programs"))
        self._transfers_tab = QWidget()
        fill_box(QVBoxLayout(self._transfers_tab), (self.transfers, 1), self.transfers_told)
        form = QFormLayout()
        form.addRow(tr("Arguments"), self.arguments)
        form.addRow(tr("Capture"), self.catch)
        form.addRow("", self.at_nan)
        row = fill_box(QHBoxLayout(), (self.state, 1), self.open_button, self.button)
        fill_box(
            QVBoxLayout(self),
            make_label(tr(_ABOUT), "muted", wraps=True),
            form,
            (self.tabs, 1),
            row,
        )
        em = self.fontMetrics().horizontalAdvance("m")
        self.resize(72 * em, 36 * em)
        self.process = QProcess(self)
        self.process.setProcessChannelMode(QProcess.ProcessChannelMode.MergedChannels)
        self.process.readyReadStandardOutput.connect(self._on_process_output)
        self.process.finished.connect(self._on_process_finished)
        self.process.errorOccurred.connect(self._on_process_error)
        self._look = QTimer(self, interval=_LOOK_EVERY_MS)
        self._look.timeout.connect(self._show_list)
        self.button.clicked.connect(self._on_button_clicked)
        self.open_button.clicked.connect(self._open_chosen)
        self.table.activated.connect(self._open_chosen)
        self.table.selectionModel().selectionChanged.connect(self._on_selection_changed)

    @property
    def is_running(self) -> bool:
        """Whether the script runs."""
        return self.process.state() != QProcess.ProcessState.NotRunning

    def start(self) -> None:
        """Run the script with what stands in the fields."""
        try:
            arguments = shlex.split(self.arguments.text())
        except ValueError as error:
            self.state.setText(tr("The arguments cannot be read: {error}.", error=error))
            return
        for old in self.folder.iterdir():
            old.unlink()
        self._read_at, self._said, self._is_stopping = 0.0, "", False
        self._not_begun = ""
        self.table.rows.set_table(Table((), ()))
        while self.tabs.count() > 1:
            self.tabs.removeTab(1)
        self._is_at_nan = self.at_nan.isChecked()
        known = {
            "out": str(self.folder),
            "catch": self.catch.text().replace(",", " ").split(),
            "after": 0,
            "stop_after": None,
            "at_nan": self._is_at_nan,
            "lent": lend_packages(),
        }
        runner = os.path.join(PACKAGE_FOLDER, "run_script.py")
        words = [runner, json.dumps(known), "script", self._script, *arguments]
        self.button.setText(tr("Stop"))
        self.state.setText(tr("The script runs."))
        self._look.start()
        self.process.start(self._python or sys.executable, words)

    def stop(self) -> None:
        """Interrupt the script, as Ctrl-C does; asked again, end it at once."""
        if self._is_stopping or sys.platform == "win32":
            self.process.kill()
            return
        os.kill(self.process.processId(), signal.SIGINT)
        self._is_stopping = True
        self.button.setText(tr("End it now"))
        self.state.setText(tr("The script is being stopped."))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter in the table opens what is chosen there, and does not press the button as well."""
        if not (event.key() in _ENTER and self.table.hasFocus()):
            super().keyPressEvent(event)

    def done(self, result: int) -> None:
        """The dialog is closed: the script ends."""
        self._look.stop()
        self.process.blockSignals(True)
        self.process.kill()
        self.process.waitForFinished(_KILL_MS)
        super().done(result)
        self._folder.cleanup()

    def _on_button_clicked(self) -> None:
        if self.is_running:
            self.stop()
        else:
            self.start()

    def _on_process_output(self) -> None:
        said = bytes(self.process.readAllStandardOutput().data()).decode("utf-8", "replace")
        self._said = strip_controls(self._said + said)[-_SAID_CHARACTERS:]
        last = self._said.rstrip().rpartition("\n")[2]
        if self.is_running and not self._is_stopping and last:
            self.state.setText(tr("The script runs. It printed: {last}", last=last[:200]))

    def _on_process_error(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._end(tr("{python} cannot be started.", python=self._python or sys.executable))

    def _on_process_finished(self, status: int, ending: QProcess.ExitStatus) -> None:
        self._show_list()
        if self._not_begun:
            self._notes = []  # which says the same
            self._end(self._not_begun)
            return
        if ending is QProcess.ExitStatus.CrashExit:
            told = tr("The script's process was ended, or died.")
        elif status == 0:
            told = tr("The script has ended.")
        elif is_too_old(self._said, "run_script.py"):
            self._end(tr(TOO_OLD, python=self._python or sys.executable))
            return
        else:
            told = tr("The script ended with status {status}.", status=status)
        last = self._said.rstrip().rpartition("\n")[2]
        self._end(
            " ".join([told, *([tr("It printed last: {last}", last=last[:200])] if last else [])])
        )

    def _end(self, told: str) -> None:
        self._look.stop()
        self.button.setText(tr("Run again"))
        self.state.setText("\n".join([told, *self._notes]))

    def _show_list(self) -> None:
        """Show what is listed by now, where it was written anew."""
        place = self.folder / _LIST
        try:
            time = place.stat().st_mtime
            if time == self._read_at:
                return
            with open_regular(place, _MAX_LIST_BYTES) as file:
                found = json.loads(file.read(_MAX_LIST_BYTES))
        except (OSError, ValueError, RecursionError):
            return
        self._read_at, self._notes = time, [*nonfinite_notes(found), *compilations_notes(found)]
        if problem := found.get("not_begun"):
            self._not_begun = "\n".join((problem["what"], problem["remedy"]))
        row = self.table.currentIndex().row()
        chosen = self.table.rows.place(row) if row >= 0 else -1
        self.table.rows.set_table(compilations_table(found))
        if chosen >= 0:
            self.table.choose(chosen)
        self._show_moved(found)

    def _show_moved(self, found: dict[str, Any]) -> None:
        transfers = transfers_table(found)
        if transfers.rows:
            self.transfers.rows.set_table(transfers)
            self.transfers_told.setText("\n".join(found["transfer_notes"]))
            self.tabs.addTab(
                self._transfers_tab, tr("Transfers ({num_rows:,})", num_rows=len(transfers.rows))
            )
        if found.get("memory"):
            self.memory.show_memory(found)
            self.tabs.addTab(self.memory, tr("Memory"))

    def _on_selection_changed(self) -> None:
        self.open_button.setEnabled(bool(self._chosen()))

    def _open_chosen(self) -> None:
        why_not = (
            tr("Not captured: of each function the first call alone is that makes NaN or Inf.")
            if self._is_at_nan
            else tr("Not captured: of each function the first call alone is.")
        )
        told = self.state.text().removeprefix(why_not).lstrip("\n")
        if path := self._chosen():
            self.state.setText(told)
            self.capture_chosen.emit(path)
        else:
            self.state.setText(f"{why_not}\n{told}".rstrip("\n"))

    def _chosen(self) -> str:
        """The path of the chosen row's capture; empty where it has none."""
        row = self.table.currentIndex().row()
        name = self.table.rows.cell(row, -1) if row >= 0 else ""
        return str(self.folder / name) if name and (self.folder / name).is_file() else ""
