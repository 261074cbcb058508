"""A run of one request in a worker: follow it, stop it, wait for its result."""

from __future__ import annotations

import dataclasses
import os
import queue
import secrets
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from jaxscope.client.events import (
    Event,
    Failed,
    Finished,
    NotResponding,
    Output,
    Responding,
    Result,
)
from jaxscope.client.requests import OpenRequest, Request
from jaxscope.client.worker_failures import (
    WorkerExit,
    explain_worker_exit,
    find_place,
    name_machine,
)
from jaxscope.errors import InternalError, JaxscopeError, Stopped, WorkerLost
from jaxscope.marks import strip_controls
from jaxscope.model.said import say
from jaxscope.schema.safe_text import HeadAndTail, clean_fields
from jaxscope.wire.frames import FrameError
from jaxscope.wire.messages import Message, read_message

_STOP_REASONS = frozenset({"stopped", "killed"})
_ENDING_FIELDS = frozenset(field.name for field in dataclasses.fields(WorkerExit))


MAX_BURST = 10_000
MAX_PER_SECOND = 500
"""Messages of one run: far more than any answer has, and no more than a window can follow."""

MAX_PROGRESS_BURST = 500
MAX_PROGRESS_PER_SECOND = 20


class Allowance:
    """So many things at once, and so many a second after that."""

    def __init__(self, burst: int, per_second: float) -> None:
        self._burst, self._per_second = burst, per_second
        self._left, self._at = float(burst), time.monotonic()

    def take(self) -> bool:
        """Whether there is one left, which is then taken."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._per_second, self._burst)
        self._at = now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class AwaitedRun:
    """A run that ends once: wait for its result, or ask whether it is over."""

    def __init__(self) -> None:
        self._end: Finished | Failed | None = None
        self._has_ended = threading.Event()

    def wait(self, timeout_s: float | None = None) -> Result:
        """Wait for the result. When this returns or raises, no process of the run is left.

        Raises:
            TimeoutError: The run goes on; nothing was stopped.
            JaxscopeError: Why there is no result.
        """
        if not self._has_ended.wait(timeout_s):
            raise TimeoutError("the run goes on")
        if isinstance(self._end, Finished):
            return self._end.result
        if isinstance(self._end, Failed):
            raise self._end.error
        raise InternalError(say("A run ended without a word."))

    def wait_for_end(self) -> None:
        """Wait until no process of the run is left, however it ends."""
        self._has_ended.wait()

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, well or not."""
        return self._has_ended.is_set()

    @property
    def outcome(self) -> Finished | Failed | None:
        """How the run ended; None while it goes on."""
        return self._end

    def finish(self, end: Finished | Failed, on_event: Callable[[Event], None] | None) -> None:
        """Set the outcome, and wake all threads that wait for it."""
        try:
            if on_event is not None:
                on_event(end)
        except Exception as error:
            end = Failed(describe_bug(error))
        self._end = end
        self._has_ended.set()


class Run(AwaitedRun):
    """A request under way, or done. Safe to use from several threads.

    Attributes:
        id: Random; every message of the run carries it.
        request: What was asked.
        is_stopping: Whether it was asked to end.
        num_moves: How many supervisors were lost before they began with it.
    """

    def __init__(
        self,
        request: Request,
        *,
        command: Callable[[str], None],
        send: Callable[[Message], None],
        on_event: Callable[[Event], None] | None,
        python: str,
        machine: str = "",
    ) -> None:
        super().__init__()
        self.id = secrets.token_hex(8)
        self.request = request
        self.is_stopping = False
        self.num_moves = 0
        self._command = command
        self._send = send
        self._on_event = on_event
        self._python = python
        self._machine = machine
        # As the worker names it in stacks.
        self._file = os.path.realpath(getattr(request, "file", None) or "")
        self._opened = request.label if isinstance(request, OpenRequest) else ""
        self._queue: queue.SimpleQueue[bytes | dict[str, Any]] = queue.SimpleQueue()
        # Loaded with the first run: a window that starts does not wait for what reads answers.
        from jaxscope.client import collectors

        self._collectors = collectors
        self._collector = collectors.collector_for(request)
        self._outputs = {"stdout": HeadAndTail(), "stderr": HeadAndTail()}
        self._messages = Allowance(MAX_BURST, MAX_PER_SECOND)
        self._progress = Allowance(MAX_PROGRESS_BURST, MAX_PROGRESS_PER_SECOND)
        self._failure: JaxscopeError | None = None
        self._is_done = False
        self._ending: WorkerExit | None = None

    # --- for the caller ---

    def interrupt(self) -> None:
        """Raise `KeyboardInterrupt` in the code now; kill its process if it goes on for 2 s."""
        self.is_stopping = True
        self._command("interrupt")

    def kill(self) -> None:
        """Kill the worker and all it started, at once."""
        self.is_stopping = True
        self._command("kill")

    def skip(self) -> None:
        """Leave out the step that runs now, where its progress said that it can be."""
        self._command("skip")

    def send(self, message: Message) -> None:
        """Send the worker a further message; nothing happens if the session is over."""
        self._send(message)

    def output(self, stream: str) -> str:
        """What the code printed to `stdout` or `stderr`: the first and last 64 Ki characters."""
        return str(self._outputs[stream])

    # --- for the session ---

    def begin(self, on_end: Callable[[], None]) -> None:
        """Follow the run on a thread of its own."""
        threading.Thread(
            target=self._follow, args=(on_end,), name=f"jaxscope run {self.id}", daemon=True
        ).start()

    def put_frame(self, header: bytes, payload: bytes) -> None:
        """A frame of the worker's arrived."""
        self._queue.put(header)
        self._queue.put(payload)

    def put_control(self, values: dict[str, Any]) -> None:
        """A message of the supervisor."""
        self._queue.put(values)

    def lose(self, what: str, details: str = "") -> None:
        """The supervisor is gone: what became of it, as the end of a sentence about it."""
        ended = {"event": "ended", "reason": "supervisor", "error": what, "stderr": details}
        self._queue.put(ended)

    def drop(self) -> None:
        """End a run that was asked to stop before it began."""
        self._queue.put({"event": "ended", "reason": "stopped"})

    def _follow(self, on_end: Callable[[], None]) -> None:
        try:
            self._read_messages()
            end = self._conclude()
        except BaseException as error:  # of ours, or of `on_event`: the run must end all the same
            self._command("kill")
            end = Failed(describe_bug(error))
        on_end()
        self.finish(end, self._on_event)

    def _read_messages(self) -> None:
        """Take messages until the worker is gone."""
        while self._ending is None:
            try:
                message = read_message(self._read_exactly)
                if self._failure is None:
                    self._take(message)
            except EOFError:
                return
            except (FrameError, ValueError, RecursionError, MemoryError) as error:
                # A worker that says nonsense is as good as dead, whatever it says next.
                self._fail(_describe_nonsense(error))

    def _fail(self, failure: JaxscopeError) -> None:
        self._failure = self._failure or failure
        self._command("finish")

    def _read_exactly(self, size: int) -> bytes:
        """The next header or payload; what the supervisor sends in between is handled here."""
        while self._ending is None:
            item = self._queue.get()
            if isinstance(item, dict):
                self._take_control(item)
            elif len(item) == size:
                return item
            else:
                raise FrameError("a message ended early")
        raise EOFError

    def _take(self, message: Message) -> None:
        if self._is_done or message.fields.get("run") not in (self.id, ""):
            return
        if not self._messages.take():
            raise FrameError(f"it sent more than {MAX_BURST:,} messages at once")
        message = Message(message.type, clean_fields(message.fields), message.arrays)
        if message.type == "failed":
            self._fail(self._collectors.read_failure(message))
        elif message.fields["run"] == "":
            return
        elif message.type == "progress":
            progress = self._collectors.read_progress(message)
            if self._progress.take():  # what comes faster can be read by nobody
                self._tell(progress)
        else:
            for event in self._collector.feed(message):
                self._tell(event)
            if message.type == "done":
                self._is_done = True
                self._command("finish")

    def _take_control(self, values: dict[str, Any]) -> None:
        match values:
            case {
                "event": "output",
                "stream": "stdout" | "stderr" as stream,
                "text": str(text),
                "lines": int(num_ends),
            }:
                text = strip_controls(text)
                self._outputs[stream].add(text)
                self._tell(Output(stream, text, num_ends))
            case {"event": "silent", "seconds": float(seconds), "stack": str(stack)}:
                self._tell(NotResponding(seconds, find_place(strip_controls(stack), self._file)))
            case {"event": "responding"}:
                self._tell(Responding())
            case {"event": "ended"}:
                known = {name: values[name] for name in _ENDING_FIELDS & values.keys()}
                self._ending = msgspec.convert(known, WorkerExit)

    def _conclude(self) -> Finished | Failed:
        ending = self._ending or WorkerExit("supervisor")
        failure = self._failure
        if failure is None and self._is_done:
            try:
                return Finished(self._collector.result())
            except ValueError as error:
                failure = _describe_nonsense(error)
        if failure is None or (ending.reason in _STOP_REASONS and not self._is_done):
            # What the code raises when it is interrupted is no fault of the code.
            failure = explain_worker_exit(
                ending, python=self._python, file=self._file, opened=self._opened
            )
        if self._machine:
            failure = name_machine(failure, ending.reason, self._machine)
        output = self.output("stderr")[-4000:]
        if not failure.explanation.output and output and not isinstance(failure, Stopped):
            failure = type(failure)(dataclasses.replace(failure.explanation, output=output))
        return Failed(failure, self._collector.partial())

    def _tell(self, event: Event) -> None:
        if self._on_event is not None:
            self._on_event(event)


def _describe_nonsense(error: BaseException) -> WorkerLost:
    return WorkerLost(
        say("The worker sent something that is no message of jaxscope's."),
        why=f"{type(error).__name__}: {error}"[:1000],
        remedy=say("Does the code write to file descriptors that it did not open?"),
        kind="ProtocolViolation",
    )


def describe_bug(error: BaseException) -> InternalError:
    """What to say where following a run raised something that is no fault of the run."""
    return InternalError(
        say("Following the run failed: this is a bug in jaxscope."),
        why=f"{type(error).__name__}: {error}"[:1000],
        kind=type(error).__name__,
    )
