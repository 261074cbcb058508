"""Opens files, starts and stops runs, and turns their events into `WindowState`.

`Bridge` carries requests to a session and its events back. The session starts and its runs are
started on threads, so the window never waits; events arrive on the window's thread with the number
of their run, and none arrives after `forget`. `Controller` owns the state; `state_changed` is
emitted after every change. Runs in the background (the other side of a comparison, other targets)
do not change the state: their events are emitted by `background_event_arrived`.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TypeVar

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import Event, Failed, Finished
from jaxscope.client.requests import (
    GO_ON,
    CaptureRequest,
    ComparisonRequest,
    OpenRequest,
    OutlineRequest,
    ProposeRequest,
    Request,
    RunMessage,
    StepRequest,
    TimeRequest,
    ValuesRequest,
)
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import InternalError, JaxscopeError, SourceError
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, SourceFile, Timing
from jaxscope.model.experiments import LabResult
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.timing import Profile
from jaxscope.model.values import Values
from jaxscope.ui.session.call_text import find_base_name, may_call, show_parameters
from jaxscope.ui.session.source_file import read_source
from jaxscope.ui.session.state import (
    OfferedFunction,
    Phase,
    RunKind,
    Trust,
    WindowState,
    add_lab_result,
    apply_event,
    end_run,
    merge_outline,
    show_capture,
    start_run,
    with_profile,
    with_timing,
    with_values,
)
from jaxscope.ui.toolkit.language import tr
from jaxscope.ui.toolkit.threads import Post, start_thread

R = TypeVar("R", bound=Request)


class RunLike(Protocol):
    """What the window asks of a run."""

    def interrupt(self) -> None: ...

    def kill(self) -> None: ...

    def skip(self) -> None: ...

    def send(self, message: RunMessage, /) -> None: ...


class SessionLike(Protocol):
    """What the window asks of a session."""

    def start(
        self, request: Request, on_event: Callable[[Event], None] | None = None
    ) -> RunLike: ...

    def close(self) -> None: ...


class Bridge(QObject):
    """Starts runs without ever making the window wait, not even for the session's own start.

    `event_arrived` carries the number that `start` gave and an event; it fires on the thread of
    this object. After `forget`, nothing more is heard of a run.

    Args:
        make_session: Called once, on a thread of its own.
        is_lazy: Whether it is called with the first run, and not at once.
    """

    event_arrived = Signal(int, object)

    def __init__(
        self,
        make_session: Callable[[], SessionLike],
        parent: QObject | None = None,
        *,
        is_lazy: bool = False,
    ) -> None:
        super().__init__(parent)
        self._make_session = make_session
        self._session: SessionLike | None = None
        self._problem: JaxscopeError | None = None
        self._is_ready = threading.Event()
        self._lock = threading.Lock()
        self._runs: dict[int, RunLike | None] = {}
        self._stopped: set[int] = set()
        self._begun: dict[int, threading.Event] = {}
        self._next_number = 1
        self._is_closed = False
        self._post = Post(self._on_crossed)
        self._is_opened = False
        if not is_lazy:
            self._begin_opening()

    def start(self, request: Request, after: int = 0) -> int:
        """Start a run and return its number at once.

        Args:
            request: What to do.
            after: A run that has to be started before this one; 0 for none.
        """
        number, self._next_number = self._next_number, self._next_number + 1
        self._begin_opening()
        with self._lock:
            self._runs[number] = None
            before, self._begun[number] = self._begun.get(after), threading.Event()
        start_thread(self._start_in_turn, number, request, before, name="jaxscope-start")
        return number

    def stop(self, number: int) -> None:
        """Stop a run; its last event says so."""
        if (run := self._find(number, is_over=True)) is not None:
            run.interrupt()

    def skip(self, number: int) -> None:
        """Leave out the step that a run is at."""
        if (run := self._find(number)) is not None:
            run.skip()

    def send(self, number: int, message: RunMessage) -> None:
        """Send a run's worker a further message."""
        if (run := self._find(number)) is not None:
            run.send(message)

    def kill(self, number: int) -> None:
        """End a run's process at once."""
        if (run := self._find(number, is_over=True)) is not None:
            run.kill()

    def forget(self, number: int) -> None:
        """End a run and hear nothing more of it."""
        self.kill(number)
        with self._lock:
            self._runs.pop(number, None)
            self._stopped.discard(number)

    def close(self) -> None:
        """End the session and everything that it started."""
        with self._lock:
            self._is_closed = True
            self._runs.clear()
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _find(self, number: int, *, is_over: bool = False) -> RunLike | None:
        """A run that was started; with `is_over` it is ended also if it starts only later."""
        with self._lock:
            if is_over and number in self._runs:
                self._stopped.add(number)
            return self._runs.get(number)

    def _begin_opening(self) -> None:
        if not self._is_opened:
            self._is_opened = True
            start_thread(self._open, name="jaxscope-session")

    def _open(self) -> None:
        unused: SessionLike | None = None
        try:
            session = self._make_session()
        except JaxscopeError as error:
            self._problem = error
        except Exception as error:
            self._problem = InternalError(tr("The session could not be started."), why=repr(error))
        else:
            with self._lock:
                if self._is_closed:
                    unused = session
                else:
                    self._session = session
        if unused is not None:
            unused.close()
        self._is_ready.set()

    def _start_in_turn(self, number: int, request: Request, before: threading.Event | None) -> None:
        if before is not None:
            before.wait()
        try:
            self._start(number, request)
        finally:
            with self._lock:
                begun = self._begun.pop(number)
            begun.set()

    def _start(self, number: int, request: Request) -> None:
        self._is_ready.wait()
        session = self._session
        if session is None:
            if self._problem is not None:
                self._post(number, Failed(self._problem))
            return
        try:
            run = session.start(request, functools.partial(self._post, number))
        except JaxscopeError as error:
            self._post(number, Failed(error))
            return
        with self._lock:
            is_known = number in self._runs  # else it was forgotten, or is over already
            if is_known:
                self._runs[number] = run
            is_stopped = number in self._stopped or not is_known
        if is_stopped:
            run.kill()

    def _on_crossed(self, number: int, event: object) -> None:
        if number not in self._runs:
            return
        self.event_arrived.emit(number, event)
        if isinstance(event, Finished | Failed):  # nothing more comes, and a run holds its result
            with self._lock:
                self._runs.pop(number, None)
                self._stopped.discard(number)


LayOver = Callable[[Capture], tuple[Capture, Profile | None]]
"""Puts the times that a job's profile has of a program on its capture."""


@dataclass(frozen=True, slots=True)
class RunOptions:
    """What every run of this window shares; from the command line.

    Attributes:
        python: Interpreter for user code; None for our own.
        timeout_s: Wall seconds a run may take; None for no limit.
        memory_bytes: Memory a run may take; None for the default.
        x64: Whether 64-bit types are on.
        quick_look: Whether a short call is measured by itself once its capture is complete.
    """

    python: str | None = None
    timeout_s: float | None = None
    memory_bytes: int | None = None
    x64: bool = False
    quick_look: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """A process that has read a file and made the arguments of a call, or is about to.

    Attributes:
        number: Of its run; 0 where there is none.
        request: What it was asked.
        has_begun: Whether it can be sent messages.
    """

    number: int = 0
    request: Request = dataclasses.field(default_factory=Request)
    has_begun: bool = False

    def is_for(self, request: Request) -> bool:
        """Whether it would do just what a request asks."""
        return (
            self.has_begun
            and isinstance(request, TimeRequest)
            and dataclasses.replace(request, waits=True) == self.request
        )


class Controller(QObject):
    """Owns the state. `state_changed` fires after every change; `call_proposed` with a call.

    `is_python_chosen` says whether a person has chosen another interpreter in the window.
    `background_event_arrived` carries the events of runs that the state knows nothing of: the
    other side of a comparison. `times_laid` fires once the times of a job are on what is shown.
    """

    state_changed = Signal(object)
    call_proposed = Signal(str)
    outline_arrived = Signal()
    background_event_arrived = Signal(int, object)
    times_laid = Signal()

    def __init__(self, bridge: Bridge, options: RunOptions, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._options = options
        self.is_python_chosen = False
        self._run = 0
        self._outline_run = 0
        self._prepared = Prepared()
        self._runs_first_call = False
        self._before_trial: SourceFile | None = None
        self.state = WindowState()
        self._unreadable: WindowState | None = None  # what was known when the file went away
        self._is_old_by_typing = False  # else what is shown is old by a run or by the file
        self._ended_s, self._num_reruns, self._is_other_changed = -_SOON_S, 0, False
        self._lay_over: LayOver | None = None
        self._closed: WindowState | None = None
        bridge.event_arrived.connect(self._on_bridge_event_arrived)

    @property
    def python(self) -> str | None:
        """The interpreter for user code; None for our own."""
        return self._options.python

    def choose_python(self, python: str) -> None:
        """Run user code under another interpreter from now on, what is shown at once.

        A file that the person has not let run yet is not run for it.
        """
        self._options = dataclasses.replace(self._options, python=python)
        self.is_python_chosen = True
        state = self.state
        if not state.file or state.is_view_only:
            return
        self._seek_first_call()
        self._ask_outline()
        if state.call and not state.trust.waits:
            self._run_again()

    @property
    def has_time_limit(self) -> bool:
        """Whether runs end after so many seconds, waiting included."""
        return self._options.timeout_s is not None

    # --- wishes ---

    def open_file(
        self,
        path: str,
        call: str = "",
        target: str = "",
        *,
        is_trusted: bool = True,
        last_call: str = "",
    ) -> None:
        """Show a Python file, list what it offers, and run a call of it.

        Args:
            call: The call to run; empty for the first that the file offers.
            target: Kind of device; empty for the one of the run before.
            is_trusted: Else nothing is run: the person is asked.
            last_call: Where no call is given, this one is run before the first that the file
                offers, if the file still has its function.
        """
        self._forget_run()
        try:
            snapshot = read_source(path)
        except JaxscopeError as error:
            self._set(end_run(self.state, Phase.FAILED, error))
            return
        target = target.strip() or self.state.target
        if not call and last_call and _has_function(snapshot, last_call):
            call = last_call
        offered = "" if call else find_first_call(snapshot)
        call = call or offered
        trust = Trust.TRUSTED if is_trusted else Trust.ASKED
        self._set(
            WindowState(
                file=snapshot.path, snapshot=snapshot, call=call, target=target, trust=trust
            )
        )
        self._runs_first_call = not call
        if offered:
            self.call_proposed.emit(offered)
        if call and is_trusted:
            self.run(call, target)
        # The worker that is ready is for the run: what the outline needs is not waited for.
        self._ask_outline(after=0 if is_remote(target) else self._run)

    def answer_trust(self, trust: Trust, call: str) -> None:
        """The person has said whether the file may run; if so, a call of it does.

        Args:
            call: Empty for the first that the file offers.
        """
        self._set(dataclasses.replace(self.state, trust=trust))
        if trust.waits:
            return
        if call:
            self.run(call, self.state.target)
        elif not self._outline_run:
            self._run_first_call(self.state.functions, None)

    def open_capture(
        self,
        capture: Capture,
        path: str,
        timing: Timing | None = None,
        lab: Sequence[LabResult] = (),
    ) -> None:
        """Show a saved capture, and what was measured of it; nothing is run."""
        self._forget_run()
        own = next((f for f in capture.files if f.path == capture.source.file), None)
        source = own or next(iter(capture.files), None)  # the base may be of a library
        state = WindowState(
            file=path, snapshot=source, call=capture.call, target=capture.target, is_view_only=True
        )
        state = dataclasses.replace(show_capture(state, capture), phase=Phase.IDLE)
        if timing is not None:
            state = with_timing(state, timing)
        for result in lab:
            state = add_lab_result(state, result)
        self._set(state)

    def open_module(self, request: OpenRequest, path: str, lay_over: LayOver) -> None:
        """Read one module that a job left behind, and show its stages as they come.

        Args:
            lay_over: Puts the times that profiles have of it on the capture.
        """
        self._set(WindowState(file=path, call=request.label, is_view_only=True))
        self._begin(RunKind.CAPTURE, request.label, request)
        self._lay_over = lay_over

    def lay_over(self, lay_over: LayOver) -> bool:
        """Put the times of a job on what is shown; whether there are any of this program."""
        state = self.state
        if state.capture is None or state.is_stale or state.is_running:
            return False
        timed, profile = lay_over(state.capture)
        if profile is None:
            return False
        self._set(with_profile(state, timed, profile))
        self.times_laid.emit()
        return True

    def close_file(self) -> None:
        """Show nothing; what runs is stopped."""
        self._forget_run()
        if self.state.file:
            is_cut = self.state.is_running
            state = dataclasses.replace(self.state, phase=Phase.STOPPED) if is_cut else self.state
            self._closed = state
        self._set(WindowState(target=self.state.target))

    @property
    def closed_file(self) -> str:
        """The file that `reopen_file` shows again; empty for none."""
        return self._closed.file if self._closed is not None and not self.state.file else ""

    def reopen_file(self) -> None:
        """Show again what was shown before nothing was."""
        if self._closed is not None and not self.state.file:
            self._set(self._closed)

    def run(self, call: str, target: str, *, passes: bool = False, gradient: bool = False) -> None:
        """Capture a call; another run is stopped first.

        Args:
            call: Empty for the first that the file offers.
            target: Kind of device.
            passes: Whether to compile once more and record what each XLA pass changed.
            gradient: Whether to make the gradient even where that takes long.
        """
        if not self.state.file or self.state.is_view_only:
            return
        # Not by `_set`, which has all of the window follow: the start of the run does so next.
        self.state = dataclasses.replace(self.state, snapshot=self._snapshot_now(), target=target)
        request = CaptureRequest(passes=passes, gradient=gradient)
        self._begin(RunKind.CAPTURE, call, self._with_present(request, call=call or None))

    def measure(self, *, is_rigorous: bool, gradient: bool = False) -> None:
        """Measure the present call."""
        self.experiment(TimeRequest(gradient=gradient, rigorous=is_rigorous), RunKind.TIMING)

    def prepare_to_measure(self) -> None:
        """Let a process read the file and make the arguments of the present call.

        `measure` goes on with it if nothing else was begun and no file changed meanwhile.
        """
        request = self._limited(self._with_present(TimeRequest(waits=True)))
        self._bridge.forget(self._prepared.number)
        self._prepared = Prepared(self._bridge.start(request), request)

    def experiment(self, request: Request, job: RunKind = RunKind.EXPERIMENT) -> None:
        """Make an experiment of the timing lab with the present file, call and target."""
        if self.state.can_run and self.state.call:
            self._begin(job, self.state.call, self._with_present(request))

    def propose(self, function: str) -> None:
        """Find a call of a function that traces, and run it; until then its parameters stand in
        the call.

        Args:
            function: Its name; empty for any of the file's that has such a call.
        """
        if self.state.can_run:
            request = self._with_present(ProposeRequest(function=function))
            known = (each.signature for each in self.state.functions if each.name == function)
            sought = show_parameters(function, next(known, "")) if function else ""
            self._begin(RunKind.PROPOSAL, sought, request)
            self.call_proposed.emit(sought)

    def capture_in_background(
        self,
        file: str,
        call: str,
        target: str,
        python: str | None,
        options: Mapping[str, str] | None = None,
    ) -> int:
        """Capture a call beside what is shown, and return the number of its events.

        Args:
            file: The user's file.
            call: The call; empty for the first that the file offers.
            target: Kind of device.
            python: Interpreter; None for the present one.
            options: Options of XLA's to compile with.
        """
        request = CaptureRequest(options=dict(options or {}))
        request = self._with_present(request, file=file, call=call or None, target=target)
        return self._start_beside(self._limited(request, python))

    def measure_in_background(self, capture: Capture, options: Mapping[str, str]) -> int:
        """Measure a capture's call against itself with options, and return the events' number.

        Args:
            capture: Of a call of the file that is shown.
            options: Options of XLA's to compile the second side with.
        """
        request = self._with_present(
            ComparisonRequest(other_options=dict(options)),
            call=capture.call,
            target=capture.target or "cpu",
        )
        return self._start_beside(self._limited(request))

    def run_in_background(self, request: Request) -> int:
        """Run a request with the present file, call and target, and return its events' number."""
        return self._start_beside(self._limited(self._with_present(request)))

    def start_stepping(self, request: StepRequest) -> int:
        """Begin to step through the present call, and return the number of its events.

        Limits of time are those of single runs: a person may take longer.
        """
        return self._start_beside(dataclasses.replace(self._complete(request), timeout_s=None))

    def _start_beside(self, request: Request) -> int:
        """Start a run beside what is shown; one that a person asks for lets the file run once."""
        if self.state.trust.waits:
            self._set(dataclasses.replace(self.state, trust=Trust.ONCE))
        return self._bridge.start(request)

    def describe_stepping(self) -> StepRequest:
        """What to ask a session of one's own to step through the present call."""
        return self._complete(StepRequest())

    def _complete(self, request: StepRequest) -> StepRequest:
        complete = self._limited(self._with_present(request))
        assert isinstance(complete, StepRequest)  # its fields are others, not its kind
        return complete

    def send_to_background_run(self, number: int, message: RunMessage) -> None:
        """Send such a run's worker a further message."""
        self._bridge.send(number, message)

    def skip_background_run(self, number: int) -> None:
        """Leave out the step that such a run is at."""
        self._bridge.skip(number)

    def show_found(self, found: Timing | Values) -> None:
        """Show what a run in the background found of what is shown."""
        if isinstance(found, Timing):
            self._set(with_timing(self.state, found))
        else:
            self._set(with_values(self.state, found))

    def look_at_values(self) -> None:
        """Run the present call equation by equation."""
        self.experiment(ValuesRequest())

    def forget_background_run(self, number: int) -> None:
        """End such a run and hear nothing more of it."""
        self._bridge.forget(number)

    def stop(self) -> None:
        """Stop what is running; asked a second time, end its process at once."""
        if self.state.phase is Phase.RUNNING:
            self._set(dataclasses.replace(self.state, phase=Phase.STOPPING))
            self._bridge.stop(self._run)
        elif self.state.phase is Phase.STOPPING:
            self._bridge.kill(self._run)

    def skip(self) -> None:
        """Leave out what is being measured now, and go on with the rest."""
        if self.state.phase is Phase.RUNNING and self.state.can_skip:
            self._set(dataclasses.replace(self.state, can_skip=False, step=tr("skipping …")))
            self._bridge.skip(self._run)

    def try_text(self, text: str) -> None:
        """Run the call on a text in place of what is in the file, which stays as it is."""
        state = self.state
        is_same = text == state.draft and not state.is_stale
        if not state.file or state.is_view_only or is_same:
            return
        before = state.snapshot.text if state.snapshot is not None else ""
        snapshot = SourceFile(state.file, text, hashlib.sha256(text.encode()).hexdigest())
        if state.draft is None:
            self._before_trial = state.snapshot
        self._set(dataclasses.replace(state, draft=text, snapshot=snapshot, has_newer_text=False))
        self._seek_first_call()
        if text != before:
            self._ask_outline()
        if state.call and (text != before or state.is_stale) and not state.trust.waits:
            self._run_again()  # else typing would answer whether the file may run

    def note_typed(self, text: str) -> None:
        """This is the text in place of the file's by now: what is shown may be of one before."""
        state = self.state
        is_newer = state.snapshot is not None and text != state.snapshot.text
        if is_newer != state.has_newer_text:
            self._set(dataclasses.replace(state, has_newer_text=is_newer))

    def note_typing_ended(self) -> None:
        """No text is in place of the file's that has not run."""
        if self.state.has_newer_text:
            self._set(dataclasses.replace(self.state, has_newer_text=False))

    def note_text_refused(self) -> None:
        """The text in place of the file's cannot run: what is shown is of one before."""
        state = self.state
        if not (state.is_running or state.is_view_only or state.error):
            self._is_old_by_typing |= not state.is_stale
            self._set(dataclasses.replace(state, is_stale=bool(state.stages)))

    def end_trial(self) -> None:
        """Go back to what is in the file, and run that."""
        if self.state.draft is not None:
            self._set(dataclasses.replace(self.state, draft=None))
            was_running, tried = self.state.is_running, self.state.snapshot
            if was_running:  # on what nobody wants any more, or on what is in the file by now
                self._forget_run()
                self._set(end_run(self.state, Phase.STOPPED))
            before, self._before_trial = self._before_trial, None
            self._show_file("" if before is None else before.sha256)
            if was_running and self.state.snapshot is tried and self.state.call:
                self._run_again()

    def note_file_changed(self) -> None:
        """The file on disk changed: run again what was shown, in the new version."""
        self._show_file("")

    def _show_file(self, known: str) -> None:
        """Show the file as it is on disk, and run again what was shown.

        Args:
            known: SHA-256 of a text of the file that was run before. A file that the person let
                run once is run again as long as it is that text.
        """
        state = self.state
        if not state.file or state.is_view_only:
            return
        if state.draft is not None:
            self._set(dataclasses.replace(state, is_changed_on_disk=True))
            return
        try:
            snapshot = read_source(state.file)
        except JaxscopeError as error:
            if not state.is_running:
                self._unreadable = self._unreadable or state
                self._set(dataclasses.replace(state, error=error, is_stale=bool(state.stages)))
            return
        readable, self._unreadable = self._unreadable, None
        if state.snapshot is not None and snapshot.sha256 == state.snapshot.sha256:
            if readable is not None and readable.snapshot is state.snapshot:  # the file is back
                before, is_stale = readable.error, readable.is_stale
                self._set(dataclasses.replace(state, error=before, is_stale=is_stale))
            return
        if state.is_running:
            self._set(dataclasses.replace(state, is_changed_on_disk=True))
            return
        self._is_old_by_typing = False
        self._set(dataclasses.replace(state, snapshot=snapshot, is_stale=bool(state.stages)))
        self._seek_first_call()
        self._ask_outline()
        is_known = snapshot.sha256 == known and not state.trust.waits
        if state.trust is not Trust.TRUSTED and not is_known:
            self._set(dataclasses.replace(self.state, is_changed_on_disk=bool(state.stages)))
        elif state.call:
            self._run_changed()

    def _run_changed(self) -> None:
        """Run again what changed on disk, unless running it seems to change it."""
        is_soon = time.monotonic() - self._ended_s < _SOON_S
        self._num_reruns = self._num_reruns + 1 if is_soon else 0
        if self._num_reruns > _MAX_RERUNS:
            self._set(dataclasses.replace(self.state, is_changed_on_disk=True))
        else:
            self._run_again()

    def note_other_changed(self) -> None:
        """A file that the user's imports changed on disk: what is shown was made of it.

        Where the person let the file run once, that is told, and where an experiment runs.
        """
        state = self.state
        if state.is_view_only or not (state.stages and state.call):
            return
        if state.is_running and state.job is RunKind.CAPTURE:
            self._is_other_changed = True  # it may have been read before
            return
        self._is_old_by_typing = False
        if state.trust is Trust.TRUSTED and not state.is_running:
            self._set(dataclasses.replace(state, is_stale=True))
            self._run_changed()
        elif state.draft is not None:  # the file that is edited is as it was
            self._set(dataclasses.replace(state, is_stale=True))
        else:
            self._set(dataclasses.replace(state, is_changed_on_disk=True))

    def _seek_first_call(self) -> None:
        """A text that could not be read offered no call: of another one the first is run.

        The error was of the text before.
        """
        state = self.state
        if not (state.call or state.is_running):
            self._runs_first_call = True
            self._set(dataclasses.replace(state, error=None, phase=Phase.IDLE))

    def show_problem(self, error: JaxscopeError) -> None:
        """Explain a problem that no run had."""
        self._set(dataclasses.replace(self.state, error=error))

    def dismiss_error(self) -> None:
        """The person has read the error."""
        self._set(dataclasses.replace(self.state, error=None))

    def edit_call(self, call: str, target: str = "") -> None:
        """The text of the call or of its target changed: what is shown is of another one now.

        Args:
            target: Empty for that of the last run.
        """
        state = self.state
        if state.is_view_only:
            return
        if not state.stages or state.is_running or state.error is not None:
            return
        is_same = call.strip() == state.call.strip() and target in ("", state.target)
        if state.is_stale == is_same and (not is_same or self._is_old_by_typing):
            self._is_old_by_typing = not is_same
            self._set(dataclasses.replace(state, is_stale=not is_same))

    # --- how it is done ---

    def _run_again(self) -> None:
        """Do what was done last with the text that there is now."""
        state = self.state
        if state.job is RunKind.PROPOSAL and state.phase is not Phase.DONE:
            self.propose(find_base_name(state.call))
        else:
            self.run(state.call, state.target)

    def _begin(self, job: RunKind, call: str, request: Request) -> None:
        request = self._limited(request)
        number = self._take_prepared(request)
        self._forget_run()
        self._runs_first_call = False  # a person's own call stays, whatever the file offers
        self._is_old_by_typing = False
        self._is_other_changed &= job is not RunKind.CAPTURE  # which reads all files
        self._set(start_run(self.state, job, call, time.monotonic()))
        if number:
            self._bridge.send(number, GO_ON)
        self._run = number or self._bridge.start(request)

    def _take_prepared(self, request: Request) -> int:
        """The number of the process that has prepared just this; 0 where there is none."""
        prepared, capture = self._prepared, self.state.capture
        if not prepared.is_for(request) or capture is None or not _are_unchanged(capture.files):
            return 0
        self._prepared = Prepared()
        return prepared.number

    def _with_present(self, request: R, **own: Any) -> R:
        """The request with the present file, call and target, as far as it has such fields.

        Args:
            own: Fields in the place of the present ones.
        """
        state = self.state
        known = {field.name for field in dataclasses.fields(request)}
        present: dict[str, Any] = {
            "file": state.file,
            "call": state.call,
            "target": state.target,
            "x64": self._options.x64,
        }
        changes = {name: value for name, value in (present | own).items() if name in known}
        return dataclasses.replace(request, **changes)

    def _limited(self, request: Request, python: str | None = None) -> Request:
        """The request with what every run of this window shares."""
        options = self._options
        return dataclasses.replace(
            request,
            python=python or options.python,
            timeout_s=options.timeout_s,
            memory_bytes=options.memory_bytes,
            drafts=self._drafts(),
        )

    def _drafts(self) -> Mapping[str, str]:
        return {} if self.state.draft is None else {self.state.file: self.state.draft}

    def _forget_run(self) -> None:
        self._lay_over = None
        self._bridge.forget(self._prepared.number)
        self._prepared = Prepared()
        if self._run:
            self._bridge.forget(self._run)
            self._run = 0

    def _ask_outline(self, after: int = 0) -> None:
        if self._outline_run:
            self._bridge.forget(self._outline_run)
        self._outline_run = self._bridge.start(
            OutlineRequest(
                file=self.state.file, python=self._options.python, drafts=self._drafts()
            ),
            after=after,
        )

    def _snapshot_now(self) -> SourceFile | None:
        known = self.state.snapshot
        if self.state.draft is not None:
            return known
        try:
            snapshot = read_source(self.state.file)
        except JaxscopeError:
            return known  # the run itself will say so, with all details
        return snapshot if known is None or snapshot.sha256 != known.sha256 else known

    def _on_bridge_event_arrived(self, number: int, event: object) -> None:
        if number == self._outline_run:
            self._take_outline(event)
        elif number == self._run:
            before = self.state
            after, proposal = apply_event(before, event)
            self._set(after)
            if after.call != before.call:
                self.call_proposed.emit(after.call)
            if not after.is_running:
                self._run, self._ended_s = 0, time.monotonic()
                self._lay_over_opened()
                if after.is_changed_on_disk and after.job is RunKind.CAPTURE:
                    self.note_file_changed()
                if self._is_other_changed and not self.state.is_running:
                    self._is_other_changed = False
                    self.note_other_changed()
            if proposal:
                self.call_proposed.emit(proposal)
                self.run(proposal, after.target)
        elif number == self._prepared.number:
            self._note_preparation(event)
        else:
            self.background_event_arrived.emit(number, event)

    def _note_preparation(self, event: object) -> None:
        has_ended = isinstance(event, Finished | Failed)  # *Measure* says why
        self._prepared = (
            Prepared() if has_ended else dataclasses.replace(self._prepared, has_begun=True)
        )

    def _lay_over_opened(self) -> None:
        """A module that was opened is complete: put the times of its job on it."""
        lay_over, self._lay_over = self._lay_over, None
        capture = self.state.capture
        if lay_over is None or capture is None:
            return
        timed, profile = lay_over(capture)
        self._set(with_profile(self.state, timed, profile))
        if profile is not None:
            self.times_laid.emit()

    def _take_outline(self, event: object) -> None:
        functions = merge_outline(event)
        if functions is None:
            return
        self._outline_run = 0
        self._set(dataclasses.replace(self.state, functions=functions))
        self.outline_arrived.emit()
        error = event.error if isinstance(event, Failed) else None
        if not self.state.trust.waits:
            self._run_first_call(functions, error)
        elif self.state.error is None and not functions:  # that is known without running it
            self._runs_first_call = False
            error = error or _nothing_to_show(self.state.file)
            self._set(dataclasses.replace(self.state, error=error))

    def _run_first_call(
        self, functions: Sequence[OfferedFunction], error: JaxscopeError | None
    ) -> None:
        """Run the first call that a file offers, if that is still to be done.

        Args:
            error: Why there are no functions.
        """
        if not self._runs_first_call:
            return
        self._runs_first_call = False
        offered = next((f for f in functions if f.calls), None)
        if offered is not None:
            self.call_proposed.emit(offered.calls[0])
            self.run(offered.calls[0], self.state.target)
        elif functions:
            self.propose(functions[0].name if len(functions) == 1 else "")
        elif self.state.error is None:
            error = error or _nothing_to_show(self.state.file)
            self._set(end_run(self.state, Phase.FAILED, error))

    def _set(self, state: WindowState) -> None:
        if state is not self.state:
            self.state = state
            self.state_changed.emit(state)


def _are_unchanged(files: Sequence[SourceFile]) -> bool:
    """Whether files are on disk as they were read."""
    try:
        return all(read_source(file.path).sha256 == file.sha256 for file in files)
    except JaxscopeError:
        return False


_MAX_LOOKED_THROUGH = 200_000
"""Characters: these take 0.1 s."""
_SOON_S, _MAX_RERUNS = 3.0, 10
"""A file that changed so soon after its run, again and again, is changed by running it."""


def _has_function(snapshot: SourceFile, call: str) -> bool:
    """Whether a file is known to have the function of a call; not looked for in a long file."""
    return len(snapshot.text) <= _MAX_LOOKED_THROUGH and may_call(snapshot.text, call)


def find_first_call(snapshot: SourceFile) -> str:
    """The first call that a file offers, which its outline would name first; empty for none.

    Of a long file the worker says it: looking through all of it would hold up the window.
    """
    if len(snapshot.text) > _MAX_LOOKED_THROUGH:
        return ""
    return next((offered.call for offered in find_offered_calls(snapshot.text)), "")


def _nothing_to_show(path: str) -> JaxscopeError:
    return SourceError(
        tr("{basename} defines no function.", basename=os.path.basename(path)),
        why=tr("jaxscope shows what JAX makes of a call of a function."),
        where=f"{path}:1",
        remedy=tr("Add a function, or open another file (Ctrl+O)."),
        kind="NoFunction",
    )
