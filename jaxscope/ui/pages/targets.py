"""The page *Chips*: compiles the present call for many targets, one after another in the
background, and shows them side by side.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.client.many_targets import default_targets, full_target
from jaxscope.errors import Explanation, InternalError, JaxscopeError
from jaxscope.model import Capture
from jaxscope.model.said import say_joined
from jaxscope.ui.pages import PAGES
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr, tr_said
from jaxscope.ui.toolkit.result_table import ResultTable
from jaxscope.ui.toolkit.threads import LatestJob
from jaxscope.ui.toolkit.widgets import SelectableLabel, fill_box
from jaxscope.ui.window.page_context import PageContext, PageWidget

if TYPE_CHECKING:
    from jaxscope.program.targets import TargetRow


class ManyTargets(QObject):
    """Runs beside what the window shows, and takes nothing of it away.

    Signals:
        row_arrived: A `TargetRow`.
        busy_changed: What is being done, or empty.
    """

    row_arrived = Signal(object)
    busy_changed = Signal(str)

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._waiting: list[str] = []
        self._target = self._call = ""
        self._run = 0
        self._job = LatestJob(self, "jaxscope targets")
        self._job.finished.connect(self._on_job_finished)
        self._job.failed.connect(self._on_job_failed)
        controller.background_event_arrived.connect(self._on_controller_background_event_arrived)

    @property
    def call(self) -> str:
        """The call of the rows that arrive."""
        return self._call

    def start(self, targets: Sequence[str]) -> None:
        """Compile the present call for each target; what was going on is stopped."""
        self.stop()
        self._call = self._controller.state.call
        self._waiting = list(targets)
        self._start_next()

    def stop(self) -> None:
        """Stop, and keep the rows that there are."""
        self._job.stop()
        self._waiting.clear()
        if self._run:
            self._controller.forget_background_run(self._run)
            self._run = 0
        self.busy_changed.emit("")

    def _start_next(self) -> None:
        if not self._waiting:
            self.busy_changed.emit("")
            return
        self._target = self._waiting.pop(0)
        self.busy_changed.emit(f"{self._target} …")
        state = self._controller.state
        self._run = self._controller.capture_in_background(
            state.file, self._call, self._target, None
        )

    def _on_controller_background_event_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, Progress):
            self.busy_changed.emit(tr("{target}: {doing} …", target=self._target, doing=event.text))
        elif isinstance(event, Failed):
            self._summarize(event.error)
        elif isinstance(event, Finished) and isinstance(event.result, Capture):
            self._summarize(event.result)

    def _summarize(self, found: Capture | JaxscopeError) -> None:
        self._run = 0
        self._job.start(functools.partial(_make_row, self._target, found))

    def _on_job_failed(self, error: Exception) -> None:
        explained = Explanation(tr("It could not be summarized."), why=repr(error))
        self._on_job_finished(_make_row(self._target, InternalError(explained)))

    def _on_job_finished(self, row: TargetRow) -> None:
        self.row_arrived.emit(row)
        self._start_next()


def _make_row(
    target: str, found: Capture | JaxscopeError, _should_stop: Callable[[], bool] = bool
) -> TargetRow:
    from jaxscope.program.targets import summarize_target  # with the first target

    return summarize_target(target, found)


_QUESTION = PAGES["targets"].answers
_MEANING = (
    "Each target compiles the call with its own compiler; nothing needs the chip, and nothing "
    "runs. The command jaxscope doctor says which compilers are installed."
)
_FIRST = "v5e:2x2, v6e, h100"


class TargetsPage(PageWidget):
    """A line of targets and a row for each."""

    def __init__(self, context: PageContext) -> None:
        super().__init__(context)
        self.many = ManyTargets(context.controller, self)
        self._rows: list[TargetRow] = []
        self._subject = context.controller.state.subject
        self._is_busy = self._can_run = False
        self.heading = SelectableLabel(tr(_QUESTION))
        self.meaning = SelectableLabel(tr(_MEANING))
        self.notes = SelectableLabel()
        self.heading.setProperty("role", "heading")
        for label in (self.meaning, self.notes):
            label.setProperty("role", "muted")
        self.line = QLineEdit(_FIRST)
        self.line.setAccessibleName(tr("Targets"))
        self.line.setToolTip(tr("Chips and targets, with commas between: v5e:2x2, h100:8, cpu:8"))
        self.tpus, self.gpus = QPushButton(tr("All TPUs")), QPushButton(tr("All GPUs"))
        self.button = QPushButton(tr("Compile"))
        self.button.setProperty("role", "primary")
        self.setFocusProxy(self.button)
        self.table = ResultTable(tr("Targets"))
        self._build()

    def _build(self) -> None:
        top = fill_box(QHBoxLayout(), (self.line, 1), self.tpus, self.gpus, self.button)
        fill_box(QVBoxLayout(self), self.heading, self.meaning, top, self.notes, (self.table, 1))
        self.notes.hide()
        self.button.clicked.connect(self._on_button_clicked)
        self.line.returnPressed.connect(self._on_line_return_pressed)
        self.tpus.clicked.connect(self._on_tpus_clicked)
        self.gpus.clicked.connect(self._on_gpus_clicked)
        self.many.row_arrived.connect(self.add_row)
        self.many.busy_changed.connect(self.set_busy)
        self._show_button()

    @property
    def rows(self) -> tuple[TargetRow, ...]:
        """What is shown, in the order of the answers."""
        return tuple(self._rows)

    def targets(self) -> tuple[str, ...]:
        """What stands in the line, as full names, each once."""
        words = (word.strip() for word in self.line.text().split(","))
        return tuple(dict.fromkeys(full_target(word) for word in words if word))

    def show_state(self, state: WindowState) -> None:
        self._can_run = state.can_run and bool(state.call)
        self._show_button()

    def old_call(self, state: WindowState) -> str:
        is_old = bool(self._rows) and (state.is_old or self._subject != state.subject)
        return self._subject.call if is_old else ""

    def _begin(self) -> None:
        """Compile the present call for the targets in the line."""
        state = self._context.controller.state
        self._rows, self._subject = [], state.subject
        self._mark_old(state)
        self.heading.setText(tr("{call} on other chips", call=state.call))
        self._show_rows()
        self.many.start(self.targets())

    def add_row(self, row: TargetRow) -> None:
        """Show one more target."""
        self._rows.append(row)
        self._show_rows()

    def set_busy(self, what: str) -> None:
        """Say what is being done; empty for nothing."""
        self._is_busy = bool(what)
        self._show_notes(what)
        self._show_button()

    def _show_rows(self) -> None:
        from jaxscope.report.document import Table
        from jaxscope.report.targets import HEADERS, describe_fit, target_row

        hints = [" ".join(filter(None, (row.chip, describe_fit(row)))) for row in self._rows]
        rows = [(*target_row(row), row.reason) for row in self._rows]
        self.table.rows.set_table(Table((*HEADERS, "why not"), rows), hints)
        self._show_notes("")

    def _show_notes(self, what: str) -> None:
        notes = [what] if what else []
        if self._rows and not what:
            from jaxscope.program.targets import ESTIMATE
            from jaxscope.report.targets import (
                CYCLES,
                NOT_KNOWN,
                describe_answer,
                describe_counting,
                describe_problems,
            )

            notes = [*describe_answer(self._rows)]
            notes += [*describe_problems(self._rows, is_short=len(self._rows) > 1)]
            notes += [*describe_counting(self._rows), ESTIMATE]
            notes.append(say_joined((NOT_KNOWN, CYCLES)))
        self.notes.setText("\n".join(map(tr_said, notes)))
        self.notes.setVisible(bool(notes))

    def _show_button(self) -> None:
        self.button.setText(tr("Stop") if self._is_busy else tr("Compile"))
        self.button.setEnabled(self._is_busy or self._can_run)

    def _fill(self, kinds: Sequence[str]) -> None:
        self.line.setText(", ".join(default_targets(kinds)))

    def _on_tpus_clicked(self) -> None:
        self._fill(["tpu"])

    def _on_gpus_clicked(self) -> None:
        self._fill(["gpu"])

    def _on_line_return_pressed(self) -> None:
        if not self._is_busy and self._can_run:
            self._on_button_clicked()

    def _on_button_clicked(self) -> None:
        if self._is_busy:
            self.many.stop()
        elif self.targets():
            self._begin()


make_page = TargetsPage
