"""A run of the window's call that is stepped through, without widgets.

The worker starts with the first request, and waits between requests; nothing here waits for it.
What it said last stays where it is stopped or dies: the next request starts another one and comes
back to the same place. Another capture ends it, since its equations are others.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import (
    ArrayViewed,
    Failed,
    Finished,
    Output,
    Progress,
    ResultGrew,
    Stepped,
    SteppingReady,
)
from jaxscope.client.requests import StepRequest, look_message, move_message
from jaxscope.model import Capture
from jaxscope.model.stages import lowered_name
from jaxscope.model.values import ArrayView, Step, Stepping
from jaxscope.ui.session.controller import Controller
from jaxscope.ui.session.state import WindowState
from jaxscope.ui.toolkit.language import tr

Goal = tuple[str, Mapping[str, Any]]
_START: Goal = ("start", {})


class SteppingRun(QObject):
    """Follows a controller; `changed` fires after every change, `viewed` with another view.

    Attributes:
        stepping: What is stepped through; None before it was traced.
        step: Where the run stands; None before it began.
        view: The slice in view; None for none.
        stage: Whose equations: empty for the last of the jaxprs, or `gradient`.
        loaded: Files of arguments, by their paths.
        doing: What the worker does now; empty while it waits.
        problem: Why nothing goes on; empty otherwise.
    """

    changed = Signal()
    viewed = Signal()

    def __init__(self, controller: Controller, parent: QObject) -> None:
        super().__init__(parent)
        self._controller = controller
        self._capture: Capture | None = None
        self._file = controller.state.file
        self._run = self._number = self._look = 0
        self._goals: list[Goal] = []
        self._is_stopping = False
        self.stepping: Stepping | None = None
        self.step: Step | None = None
        self.view: ArrayView | None = None
        self.stage = ""
        self.loaded: dict[str, str] = {}
        self.doing = self.problem = ""
        controller.state_changed.connect(self._on_state_changed)
        controller.background_event_arrived.connect(self._on_event_arrived)

    @property
    def can_step(self) -> bool:
        """Whether there is a program that could be run."""
        state = self._controller.state
        return state.capture is not None and not state.is_view_only and not state.is_stale

    @property
    def stage_name(self) -> str:
        """Whose equations these are; before the worker said so, whose they will be."""
        if self.stepping is not None:
            return self.stepping.stage
        return self.stage or lowered_name(s.name for s in self._controller.state.stages)

    def go(self, to: str, **fields: Any) -> None:
        """Go somewhere; see `wire.protocol`. While the worker is busy nothing happens."""
        if self.doing or not self.can_step:
            return
        self.problem = ""
        if not self._run:
            self._start([_START, (to, fields)] if to != "start" else [_START])
        else:
            self._send_goal((to, fields))
        self.changed.emit()

    def look(
        self,
        kind: str,
        index: int,
        slice: str = "",
        *,
        holds: bool | None = None,
        forms: Sequence[str] = (),
    ) -> None:
        """Look at a slice of a value of the present place; not while the worker leaves it.

        Args:
            holds: See `look_message`.
            forms: Likewise.
        """
        if self._run and self.step is not None and not self.doing:
            self._look = self._next_number()
            self._controller.send_to_background_run(
                self._run, look_message(self._look, kind, index, slice, holds, forms)
            )

    def load(self, path: str, file: str) -> None:
        """Take an argument from a file, and begin again; an empty file is what the call gives."""
        loaded = {**self.loaded, path: file}
        self.loaded = {path: file for path, file in loaded.items() if file}
        self.begin_again()

    def choose_stage(self, stage: str) -> None:
        """Step through another stage, from its start."""
        self.stage = stage
        self.begin_again()

    def set_stage(self, stage: str) -> None:
        """Step through a stage; the first move in another one than before starts a worker."""
        if stage != self.stage:
            self._end()
            self.stage, self.stepping, self.step, self.view = stage, None, None, None

    def begin_again(self) -> None:
        """Start another run at its start."""
        self._end()
        self.stepping = self.step = self.view = None
        self.go("start")
        self.changed.emit()

    def stop(self) -> None:
        """Stop what the worker does; asked a second time, end the worker."""
        if not self.doing:
            return
        if self._run and self.stepping is not None and not self._is_stopping:
            self._is_stopping = True
            self.doing = tr("Stopping … (again: end the process)")
            self._controller.skip_background_run(self._run)
        else:
            self._end()
            self.problem = tr("The process was ended. The next step starts another, at this place.")
        self.changed.emit()

    # --- how it is done ---

    def _start(self, goals: list[Goal]) -> None:
        here = self.step
        self.stepping = None
        if here is not None and here.equation:
            place = {"equation": here.equation, "iterations": list(here.iterations)}
            goals = [("place", place), *goals[1:]]
        elif here is not None and here.is_end:
            goals = [("end", {}), *goals[1:]]
        self._capture, self._goals, self.doing = (
            self._controller.state.capture,
            goals,
            tr("Starting …"),
        )
        request = StepRequest(stage=self.stage, loaded=dict(self.loaded))
        self._run = self._controller.start_stepping(request)

    def _end(self) -> None:
        if self._run:
            self._controller.forget_background_run(self._run)
        self._run, self._goals, self.doing, self._is_stopping = 0, [], "", False

    def _next_number(self) -> int:
        self._number += 1
        return self._number

    def _send_goal(self, goal: Goal) -> None:
        self.doing = self.doing or tr("Stepping …")
        self._controller.send_to_background_run(
            self._run, move_message(self._next_number(), goal[0], **goal[1])
        )

    def _on_state_changed(self, state: WindowState) -> None:
        if state.file != self._file:  # nothing of the one before is true of it
            self._file, self._capture = state.file, None
            self._forget()
        if state.capture is self._capture or state.capture is None or state.is_running:
            return
        is_other = self._capture is not None
        self._capture = state.capture
        if is_other or self.step is not None:
            self._forget()
        else:
            self.changed.emit()

    def _forget(self) -> None:
        """Another program is shown: end the run of the one before, and keep nothing of it."""
        self._end()
        self.stepping = self.step = self.view = None
        self.stage, self.loaded, self.problem = "", {}, ""
        self.changed.emit()

    def _on_event_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, SteppingReady):
            self.stepping = event.stepping
            self._send_goal(self._goals.pop(0))
        elif isinstance(event, Stepped):
            self._take_step(event.step)
        elif isinstance(event, ArrayViewed) and event.view.number == self._look:
            self.view = event.view
            self.viewed.emit()
            return
        elif isinstance(event, Progress) and self.doing and not self._is_stopping:
            self.doing = tr("{doing} …", doing=event.text)
        elif isinstance(event, ResultGrew) and isinstance(event.result, Stepping):
            self.stepping = event.result if self.stepping is not None else None
        elif isinstance(event, Failed):
            explanation = event.error.explanation
            self._run, self.doing, self._is_stopping = 0, "", False
            told = (explanation.what, explanation.why, explanation.remedy)
            self.problem = " ".join(filter(None, told))
        elif isinstance(event, Finished | Output):
            return
        self.changed.emit()

    def _take_step(self, step: Step) -> None:
        self.doing, self._is_stopping = "", False
        if step.is_unmoved and self.step is not None:
            self._goals = []
            self.step = dataclasses.replace(self.step, note=step.note)
            return
        self.step, self.view = step, None
        if self._goals and not step.note:
            self._send_goal(self._goals.pop(0))
