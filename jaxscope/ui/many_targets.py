"""Compile the present call for many targets, one after another, while the window answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.errors import Explanation, InternalError, JaxscopeError
from jaxscope.model import Capture
from jaxscope.ui.controller import Controller

if TYPE_CHECKING:  # loaded with the first row
    from jaxscope.analysis.targets.summary import TargetRow


class ManyTargets(QObject):
    """Runs beside what the window shows, and takes nothing of it away.

    Signals:
        row_arrived: A `TargetRow`.
        busy_changed: What is being done, or empty.
    """

    row_arrived = Signal(object)
    busy_changed = Signal(str)
    _summarized = Signal(int, object)

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._waiting: list[str] = []
        self._target = self._call = ""
        self._run = self._generation = 0
        controller.beside_arrived.connect(self._on_controller_beside_arrived)
        self._summarized.connect(self._on_summarized)

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
        self._generation += 1
        self._waiting.clear()
        if self._run:
            self._controller.forget_beside(self._run)
            self._run = 0
        self.busy_changed.emit("")

    def _start_next(self) -> None:
        if not self._waiting:
            self.busy_changed.emit("")
            return
        self._target = self._waiting.pop(0)
        self.busy_changed.emit(f"{self._target} …")
        state = self._controller.state
        self._run = self._controller.capture_beside(state.file, self._call, self._target, None)

    def _on_controller_beside_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, Progress):
            self.busy_changed.emit(f"{self._target}: {event.text} …")
        elif isinstance(event, Failed):
            self._summarize(event.error)
        elif isinstance(event, Finished) and isinstance(event.result, Capture):
            self._summarize(event.result)

    def _summarize(self, found: Capture | JaxscopeError) -> None:
        self._run = 0
        generation, target = self._generation, self._target

        def work() -> None:
            from jaxscope.analysis.targets.summary import summarize

            try:
                row = summarize(target, found)
            except Exception as error:
                row = summarize(
                    target,
                    InternalError(Explanation("It could not be summarized.", why=repr(error))),
                )
            try:
                self._summarized.emit(generation, row)
            except RuntimeError:
                return  # the window is gone

        threading.Thread(target=work, name="jaxscope-targets", daemon=True).start()

    def _on_summarized(self, generation: int, row: TargetRow) -> None:
        if generation == self._generation:
            self.row_arrived.emit(row)
            self._start_next()
