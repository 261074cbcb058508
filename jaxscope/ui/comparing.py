"""Get the other side of a comparison and compare, without ever making the window wait."""

from __future__ import annotations

import dataclasses
import os
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.errors import Explanation, InternalError, JaxscopeError, UsageError
from jaxscope.model import Capture, Timing
from jaxscope.model.agreement import Comparison as MeasuredPair
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.ui.controller import Controller
from jaxscope.ui.state import WindowState

if TYPE_CHECKING:  # loaded when the first comparison is made
    from jaxscope.analysis.comparison.comparison import Comparison, Subject
    from jaxscope.analysis.comparison.quantities import QuantityDifference


@dataclasses.dataclass(frozen=True, eq=False)
class _Run:
    """A finished run that a later one can be compared with."""

    name: str
    key: tuple[str, str, str]
    capture: Capture
    timing: Timing | None


class Comparing(QObject):
    """Compares what the window shows with another capture.

    Signals:
        compared: A `Comparison`.
        failed: A `JaxscopeError`: why there is none.
        busy_changed: What is being done, or empty.
    """

    compared = Signal(object)
    failed = Signal(object)
    busy_changed = Signal(str)
    _answered = Signal(int, object)

    def __init__(self, controller: Controller, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._controller = controller
        self._generation = 0
        self._run = 0
        self._first: _Run | None = None
        self._other_name = ""
        self._timed_options: Mapping[str, str] = {}
        self._times: tuple[QuantityDifference, ...] = ()
        self._shown: Comparison | None = None
        self._latest: _Run | None = None
        self._previous: _Run | None = None
        controller.state_changed.connect(self._on_controller_state_changed)
        controller.beside_arrived.connect(self._on_controller_beside_arrived)
        self._answered.connect(self._on_answered)

    @property
    def has_present(self) -> bool:
        """Whether the window shows a complete capture."""
        return self._latest is not None

    @property
    def has_previous(self) -> bool:
        """Whether the call that is shown has been run before in this window."""
        return self._previous is not None

    def compare_with_previous(self) -> None:
        """Compare the run before with the present one."""
        present, previous = self._latest, self._previous
        if present is None or previous is None:
            self._refuse(
                "There is no earlier run of this call in this window.",
                "Change the file or the target and run the call again.",
            )
            return
        self._compare(
            dataclasses.replace(previous, name=f"{previous.name} [the run before]"),
            dataclasses.replace(present, name=f"{present.name} [now]"),
        )

    def compare_with_file(self, path: str) -> None:
        """Compare with a saved capture, or with the same call in another version of the file."""
        present = self._take_present()
        if present is None:
            return
        if not path.endswith(CAPTURE_ENDINGS):
            self.compare_with_call(present.capture.call, path=path)
            return
        self._start(lambda: (present, _load(path)), "Reading the other capture …")

    def compare_with_call(
        self,
        call: str,
        *,
        path: str = "",
        target: str = "",
        python: str | None = None,
        options: Mapping[str, str] | None = None,
    ) -> None:
        """Run another call, or this one elsewhere, and compare with it.

        Args:
            call: The call.
            path: A Python file; empty for the one that is shown.
            target: Kind of device; empty for the present one.
            python: Interpreter; None for the present one.
            options: Options of XLA's to compile the other side with.
        """
        present, state = self._take_present(), self._controller.state
        if present is None:
            return
        file = path or state.file
        if file.endswith(CAPTURE_ENDINGS) or (state.is_view_only and not path):
            self._refuse(
                "What is shown is a saved capture: its calls cannot be run.",
                "Open the Python file, or compare with another saved capture.",
            )
            return
        self.stop()
        self._first = present
        target = target or present.capture.target or "cpu"
        told = [f"{name}={value}" for name, value in (options or {}).items()]
        self._other_name = ", ".join([_name_of(file, call, target, python), *told])
        self._run = self._controller.capture_beside(file, call, target, python, options)
        self.busy_changed.emit("Running the other side …")

    def compare_without_pass(self, name: str) -> None:
        """Compile the present call without a pass of XLA's, and compare with it.

        Both are then measured in turns, where the target can run; their times follow.

        Args:
            name: Of the pass; wherever it runs, it is left out.
        """
        present = self._take_present()
        if present is None:
            return
        options = {"xla_disable_hlo_passes": name}
        self.compare_with_call(present.capture.call, options=options)
        if self._run and not present.capture.target.startswith("aot:"):
            self._timed_options = options

    def stop(self) -> None:
        """Stop what is being worked out."""
        self._generation += 1
        self._timed_options, self._times, self._shown = {}, (), None
        if self._run:
            self._controller.forget_beside(self._run)
            self._run = 0
        self.busy_changed.emit("")

    # --- how it is done ---

    def _take_present(self) -> _Run | None:
        if self._latest is None:
            self._refuse("There is nothing to compare yet.", "Run a call, or open a capture first.")
        return self._latest

    def _compare(self, first: _Run, second: _Run) -> None:
        self._start(lambda: (first, second), "Comparing …")

    def _start(self, obtain: Callable[[], tuple[_Run, _Run]], what: str) -> None:
        self.stop()
        generation = self._generation
        self.busy_changed.emit(what)

        def work() -> None:
            answer: object
            try:
                first, second = obtain()
                answer = _compare_runs(first, second)
            except JaxscopeError as error:
                answer = error
            except Exception as error:
                answer = InternalError(Explanation("The comparison failed.", why=repr(error)))
            if generation == self._generation:
                try:
                    self._answered.emit(generation, answer)
                except RuntimeError:
                    return  # the window is gone

        threading.Thread(target=work, name="jaxscope-compare", daemon=True).start()

    def _on_answered(self, generation: int, answer: object) -> None:
        if generation != self._generation:
            return
        if not self._run:
            self.busy_changed.emit("")
        if isinstance(answer, JaxscopeError):
            self.failed.emit(answer)
        else:
            self._shown = cast("Comparison", answer)
            self._show()

    def _show(self) -> None:
        """Tell what is known by now: the outcome, and the times once they are measured."""
        shown = self._shown
        if shown is not None:
            times = self._times or shown.times
            self.compared.emit(dataclasses.replace(shown, times=times))

    def _on_controller_beside_arrived(self, number: int, event: object) -> None:
        if number != self._run:
            return
        if isinstance(event, Progress):
            self.busy_changed.emit(f"The other side: {event.text} …")
        elif isinstance(event, Failed):
            self._run = 0
            self.busy_changed.emit("")
            self.failed.emit(event.error)
        elif isinstance(event, Finished) and isinstance(event.result, Capture):
            self._run = 0
            first = self._first
            if first is not None:
                other = _Run(self._other_name, ("", "", ""), event.result, None)
                options = self._timed_options
                self._compare(first, other)
                if options:
                    self._run = self._controller.measure_beside(first.capture, options)
        elif isinstance(event, Finished) and isinstance(event.result, MeasuredPair):
            from jaxscope.analysis.comparison.quantities import describe_paired_times

            self._run = 0
            self.busy_changed.emit("")
            self._times = describe_paired_times(event.result.timing)
            self._show()

    def _on_controller_state_changed(self, state: WindowState) -> None:
        capture = state.capture
        if capture is None:
            if self._latest is not None and state.file != self._latest.key[0]:
                self._latest = self._previous = None
            return
        if self._latest is not None and self._latest.capture is capture:
            if state.full_timing() is not None:
                self._latest = dataclasses.replace(self._latest, timing=state.full_timing())
            return
        key = (state.file, capture.base, capture.call)
        run = _Run(
            _name_of(state.file, capture.call, capture.target, None),
            key,
            capture,
            state.full_timing(),
        )
        before, self._latest = self._latest, run
        self._previous = before if before is not None and before.key == key else None

    def _refuse(self, what: str, remedy: str) -> None:
        self.failed.emit(UsageError(Explanation(what, remedy=remedy)))


def _load(path: str) -> _Run:
    name, key = os.path.basename(path), ("", "", "")
    from jaxscope.analysis.archive import load_session

    capture, timing = load_session(path)
    return _Run(name, key, capture, timing)


def _compare_runs(first: _Run, second: _Run) -> Comparison:
    from jaxscope.analysis.comparison.comparison import compare

    comparison = compare(_subject(first), _subject(second))
    for stage in comparison.stages:
        _ = stage.verdict, stage.texts  # worked out here, so that the window need not
    return comparison


def _subject(run: _Run) -> Subject:
    from jaxscope.analysis.comparison.comparison import Subject

    return Subject(run.name, run.capture, run.timing)


def _name_of(file: str, call: str, target: str, python: str | None) -> str:
    parts = [f"{os.path.basename(file)}::{call}"]
    if target not in ("", "cpu"):
        parts.append(f"target {target}")
    if python:
        parts.append(python)
    return ", ".join(parts)
