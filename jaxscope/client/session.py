"""A session: a supervisor and the runs that go through it.

Threads and pipes; no Qt.

with Session() as session: run = session.start(CaptureRequest(file="f.py"), on_event=print) capture
= run.wait()

The window, the command line and the tests use the same class. Events are delivered on a thread of
the run's own, never on the caller's. Requests that take several workers are conducted by
`multi_process_runs`, loaded when needed.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from jaxscope.client.events import Event
from jaxscope.client.live_run import Run
from jaxscope.client.live_supervisor import LiveSupervisor
from jaxscope.client.multi_process_runs import CompositeRun
from jaxscope.client.remote_sessions import (
    RemoteSessions,
    collect_sources,
    remote_target,
    sources_to_arrays,
)
from jaxscope.client.requests import (
    ALONE,
    ComparisonRequest,
    OutlineRequest,
    Request,
    TimeRequest,
    request_fields,
)
from jaxscope.client.supervisor_link import LocalLink, SupervisorLink, find_program
from jaxscope.errors import JaxscopeError, WorkerLost
from jaxscope.model.said import say
from jaxscope.wire.frames import HEADER as WORKER_HEADER
from jaxscope.wire.frames import encode, encode_control
from jaxscope.wire.messages import Message, encode_message
from jaxscope.wire.protocol import FOR_READING


def composite_for(request: Request) -> type[CompositeRun] | None:
    """The run that asks several workers for a request; None where one worker answers it."""
    if isinstance(request, ComparisonRequest) and request.needs_processes:
        from jaxscope.client.multi_process_runs import PairedRun

        return PairedRun
    if isinstance(request, TimeRequest | ComparisonRequest) and request.rigorous:
        from jaxscope.client.multi_process_runs import RigorousRun

        return RigorousRun
    return None


_MAX_MOVES = 3


class Session:
    """Starts runs. Safe to use from several threads.

    Attributes:
        python: The interpreter of runs whose request names none.
    """

    def __init__(
        self,
        python: str | None = None,
        *,
        environment: Mapping[str, str] | None = None,
        is_warm: bool = True,
        has_spares: bool = True,
        link: SupervisorLink | None = None,
        ssh_options: Sequence[str] = (),
    ) -> None:
        """Start a supervisor.

        Args:
            python: Interpreter for user code; ours if None.
            environment: Variables to set for workers, beyond this process's own.
            is_warm: Whether to start a spare worker now, before there is a request.
            has_spares: Whether a run is followed by a spare worker for the next one.
            link: How to reach the supervisor; a process on this machine if None.
            ssh_options: Options of OpenSSH's for targets on other machines.

        Raises:
            EnvironmentProblem: It cannot be started.
        """
        self.python = python or sys.executable
        self._environment = dict(environment or {})
        self._has_spares = has_spares
        self._lock = threading.Lock()
        self._numbers = itertools.count(1)
        self._is_over = False
        self._link = link or LocalLink()
        self._far = RemoteSessions(
            lambda far: Session(link=far, environment=environment, is_warm=False),
            ssh_options=ssh_options,
        )
        self._live = self._connect()
        if is_warm:
            self._send(encode_control(0, {"op": "prepare", **self._worker_key(Request())}))

    @property
    def supervisor_pid(self) -> int:
        """Process id; every worker is below it. Another one after a supervisor was lost."""
        return self._live.pid

    def start(
        self, request: Request, on_event: Callable[[Event], None] | None = None
    ) -> Run | CompositeRun:
        """Start a run in a fresh worker, beside any others, and return at once.

        What is measured in several processes is a run of several workers.

        Args:
            request: What to do.
            on_event: Called with every event, in order, on a thread of the run's own.

        Raises:
            UsageError: The request makes no sense.
            WorkerLost: The session is closed, or its supervisor is gone.
        """
        make = composite_for(request)
        if make is None:
            return self._start_worker(request, on_event)
        request_fields(request)  # what makes no sense is refused at once
        whole = make(request, self._start_worker, on_event)
        whole.begin()
        return whole

    def _start_worker(
        self, request: Request, on_event: Callable[[Event], None] | None = None
    ) -> Run:
        if target := remote_target(request):
            return self._far.start(request, on_event, target)
        return self.start_here(request, on_event)

    def start_here(
        self, request: Request, on_event: Callable[[Event], None] | None = None, target: str = ""
    ) -> Run:
        """Start a run of one worker on the machine that the supervisor is on.

        Args:
            request: What to do there.
            on_event: As for `start`.
            target: What the person calls the target, if that is not how the machine calls it.

        Raises:
            UsageError: The request makes no sense.
            WorkerLost: The session is closed, or its supervisor is gone.
        """
        fields = request_fields(request)
        carried: Mapping[str, Any] = {}
        drafts = {os.path.realpath(path): text.encode() for path, text in request.drafts.items()}
        if self._link.machine:
            fields["target_name"] = target
            for name in ("file", "other_file"):
                if fields.get(name):
                    fields[name] = os.path.realpath(fields[name])  # as carried files are named
            files = collect_sources(map(fields.get, ("file", "other_file")))
            carried = sources_to_arrays({**files, **drafts})
        elif drafts:
            carried = sources_to_arrays(drafts, "draft")
        number = next(self._numbers)
        key = self._worker_key(request)

        def command(operation: str) -> None:
            with contextlib.suppress(WorkerLost):  # then the run ends by itself
                self._send(encode_control(number, {"op": operation}))

        def send(message: Message) -> None:
            with contextlib.suppress(WorkerLost):
                frames = encode_message(message)
                self._send(b"".join(_renumber(frame, number) for frame in frames))

        run = Run(
            request,
            command=command,
            send=send,
            on_event=on_event,
            python=key["python"] or self._link.python,
            machine=self._link.machine,
        )
        message = Message(request.type, {**fields, "run": run.id}, {**carried})
        frames = b"".join(_renumber(frame, number) for frame in encode_message(message))
        start = {
            "op": "start",
            **key,
            "timeout_s": request.timeout_s,
            "memory_bytes": request.memory_bytes,
            "spare": self._when_spare(request),
        }
        self._give(number, run, encode_control(number, start) + frames)
        run.begin(on_end=lambda: self._forget(number))
        return run

    def ping(self) -> bool:
        """Tell the supervisor that somebody is here; whether it still listens."""
        try:
            self._send(encode_control(0, {"op": "ping"}))
        except WorkerLost:
            return False
        return self._live.is_alive()

    def close(self) -> None:
        """End all runs and processes. Waits a moment, at most 3 s; harmless to call twice."""
        self._far.close()
        with self._lock:
            self._is_over = True
            live = self._live
        live.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _type: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        self.close()

    def _when_spare(self, request: Request) -> str:
        if not self._has_spares or isinstance(request, OutlineRequest):
            return "never"
        # A spare that starts beside a measurement would disturb it.
        waits = isinstance(request, TimeRequest) and request.waits
        return "later" if isinstance(request, ALONE) and not waits else "now"

    def _worker_key(self, request: Request) -> dict[str, Any]:
        is_here = not self._link.machine  # elsewhere it is the one that runs the supervisor
        # It needs no JAX, and the worker that has JAX is left to the run that comes beside it.
        reading = {FOR_READING: "1"} if isinstance(request, OutlineRequest) else {}
        return {
            "python": find_program(request.python or self.python) if is_here else "",
            "environment": {**self._environment, **request.environment, **reading},
        }

    def _connect(self) -> LiveSupervisor:
        return LiveSupervisor(self._link, self._move)

    def _supervisor(self) -> LiveSupervisor:
        """The running supervisor; a new one where that of this machine was lost."""
        with self._lock:
            if self._is_over:
                raise WorkerLost(say("The session is closed."))
            if not self._live.is_alive() and not self._link.machine:
                self._live = self._connect()
            return self._live

    def _give(self, number: int, run: Run, data: bytes) -> None:
        try:
            self._supervisor().start(number, run, data)
        except WorkerLost:  # just now
            self._supervisor().start(number, run, data)

    def _send(self, data: bytes) -> None:
        with self._lock:
            live = self._live
        live.send(data)

    def _move(self, number: int, run: Run, data: bytes) -> None:
        """Give a run of which nothing was done to another supervisor than the one that was lost."""
        run.num_moves += 1
        if run.is_stopping:
            run.drop()
            return
        try:
            if run.num_moves > _MAX_MOVES:
                raise WorkerLost(say("One after the other was lost."))
            self._give(number, run, data)
        except JaxscopeError as error:
            run.lose("was lost before it began, and so was one in its place", str(error))

    def _forget(self, number: int) -> None:
        with self._lock:
            live = self._live
        live.forget(number)


def _renumber(frame: bytes, number: int) -> bytes:
    _, kind = WORKER_HEADER.unpack_from(frame)
    return encode(kind, number, frame[WORKER_HEADER.size :])
