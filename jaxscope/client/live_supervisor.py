"""A supervisor that was started, and the runs that were given to it. User code may kill or stop it.

Its death ends its output. While it is stopped its output stays open, so it is asked for a sign of
life, and where none comes the kernel is asked what it does. A process that is merely given no
processor is runnable, however long. Given up is only one that is stopped, that sleeps and does not
wake at all, that wakes and never answers, or that has not heard of a run that it was given. While
there are runs this costs a message and a look into `/proc` twice a second.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import IO

from jaxscope.client.live_run import Run
from jaxscope.client.supervisor_link import SupervisorLink
from jaxscope.errors import JaxscopeError, WorkerLost
from jaxscope.model.said import say
from jaxscope.supervisor.process_tree import end_marked, kill_group, kill_tree, read_activity
from jaxscope.wire.frames import (
    CONTROL,
    GREETING,
    FrameError,
    decode_control,
    encode_control,
    split_relayed_frames,
)
from jaxscope.wire.frames import HEADER as WORKER_HEADER

PING_S = 0.5
PATIENCE_S = {"T": 1.0, "Z": 1.0, "S": 10.0, "D": 60.0}
"""How long a silent supervisor may be in a state of the kernel's without doing anything in it:
stopped, dead (and something keeps its output open), asleep (it wakes for every ping), waiting for a
disk. In others it may be for ever."""

DEAF_LOOKS = 10
"""At so many since its last answer it had woken and slept again: what it hears or says is garbled.
It may have been runnable at others, so these need not follow each other."""

_READ_BYTES = 1 << 20
_GREETING_LIMIT_BYTES = 64 << 10
_CLOSE_S = 3.0
_STATUS_S = 1.0


class LiveSupervisor:
    """A supervisor that was started, and the runs that were given to it. Any thread may call.

    Args:
        link: How to start it.
        take_back: Called with runs that it had not begun when it was lost: their numbers, and what
            was sent for them. On a thread of this object's.

    Attributes:
        pid: Process id of what leads to it.
        is_lost: Whether it is gone, or was given up.
    """

    def __init__(self, link: SupervisorLink, take_back: Callable[[int, Run, bytes], None]) -> None:
        connection = link.connect()
        self.is_lost = False
        self._process, self._first = connection.process, connection.first
        self.pid = self._process.pid
        self._is_here = not link.machine
        self._take_back = take_back
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._is_closed = False
        self._over = threading.Event()
        self._has_runs = threading.Event()
        self._runs: dict[int, Run] = {}
        self._unstarted: dict[int, bytes] = {}
        self._num_heard = self._num_asked = self._num_answers = 0
        self._is_waiting = False
        self._sent_at: dict[int, int] = {}  # for each run the pings by then, until it has ended
        self._input = _pipe(self._process.stdin)
        self._errors = _Tail(_pipe(self._process.stderr))
        self._reader = threading.Thread(target=self._read, name="jaxscope session", daemon=True)
        self._reader.start()
        if self._is_here:
            threading.Thread(target=self._watch, name="jaxscope watch", daemon=True).start()

    def start(self, number: int, run: Run, data: bytes) -> None:
        """Send the request of a run to the supervisor, which gives it to a worker.

        Raises:
            WorkerLost: It is gone.
        """
        with self._lock:
            if self.is_lost:
                raise WorkerLost(say("The supervisor of the workers is gone."))
            self._runs[number] = run
            self._unstarted[number] = data
            self._has_runs.set()
        try:
            self.send(data, number)
        except WorkerLost:
            if self._is_here and not self._is_closed:
                return  # its output ends as well, and then the run is taken back
            self.forget(number)
            raise

    def send(self, data: bytes, number: int | None = None) -> None:
        """Send frames to the supervisor's process.

        Args:
            data: Of them.
            number: Of the run that they begin.

        Raises:
            WorkerLost: It is gone.
        """
        with self._sending:
            if self._is_closed:
                raise WorkerLost(say("The session is closed."))
            if number is not None:
                self._sent_at[number] = self._num_asked
            try:
                self._input.write(data)
                self._input.flush()
            except (OSError, ValueError) as error:
                raise WorkerLost(
                    say("The supervisor of the workers is gone."), why=str(error)
                ) from None

    def forget(self, number: int) -> None:
        """Forget a run that has ended."""
        with self._lock:
            self._runs.pop(number, None)
            self._unstarted.pop(number, None)
            self._sent_at.pop(number, None)
            if not self._runs:
                self._has_runs.clear()

    def is_alive(self) -> bool:
        """Whether it can be given runs, as far as is known."""
        return not self.is_lost and not self._is_closed and self._process.poll() is None

    def close(self) -> None:
        """End it and all that it started. Waits a moment, at most 3 s; harmless to call twice."""
        with self._lock:
            was_closed, self._is_closed = self._is_closed, True
        self._over.set()
        self._has_runs.set()
        with contextlib.suppress(OSError):
            if sys.platform != "win32":
                self._process.send_signal(signal.SIGCONT)  # one that is stopped could not end
        self._close_input()
        try:
            self._process.wait(_CLOSE_S)
        except subprocess.TimeoutExpired:
            self._end()
        if not was_closed:
            self._reader.join(_CLOSE_S)
            self._errors.join(_CLOSE_S)

    def _close_input(self) -> None:
        if self._sending.acquire(timeout=_CLOSE_S):  # else it does not read, and will be killed
            with contextlib.suppress(OSError):
                self._input.close()
            self._sending.release()

    def _end(self) -> None:
        finds_processes = self._is_here and sys.platform != "win32"  # else their jobs end them
        if finds_processes and self._process.poll() is None:
            kill_tree(self.pid)
        self._process.kill()
        if finds_processes:
            kill_group(self.pid)  # a worker that was stopped before it was one is still in it
            end_marked(self.pid)  # what the kernel gave to another parent when it died
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_CLOSE_S)

    # --- what it says ---

    def _read(self) -> None:
        output = _pipe(self._process.stdout)
        why = ""
        try:
            self._relay(output)
        except (OSError, FrameError, ValueError) as error:
            why = str(error)
        self._lose("was ended, since its messages were garbled" if why else "", why)
        output.close()

    def _relay(self, output: IO[bytes]) -> None:
        """Hand every frame to its run, until the supervisor's output ends."""
        data = _skip_greeting(output) if self._first is None else self._first
        splitter = split_relayed_frames()
        while True:
            self._num_heard += 1
            for header, payload in splitter.feed(data):
                _, kind, number = header
                if kind == CONTROL and not number:
                    self._hear_answer(decode_control(payload))
                with self._lock:
                    run = self._runs.get(number)
                if run is None:
                    continue
                if kind == CONTROL:
                    values = decode_control(payload)
                    with self._lock:
                        self._unstarted.pop(number, None)
                        if values.get("event") == "ended":
                            self._sent_at.pop(number, None)
                    run.put_control(values)
                else:
                    run.put_frame(WORKER_HEADER.pack(len(payload), kind), payload)
            self._is_waiting = True
            data = os.read(output.fileno(), _READ_BYTES)
            self._is_waiting = False
            if not data:
                return

    def _hear_answer(self, values: dict[str, object]) -> None:
        """See whether it has the runs that it was given: user code can read from its pipes.

        Raises:
            FrameError: It has not, and has not said how they ended.
        """
        self._num_answers += 1
        asked, runs = values.get("id"), values.get("runs")
        if not isinstance(asked, int) or not isinstance(runs, list):
            return
        with self._lock:
            sent_at = dict(self._sent_at)
        if any(at < asked and number not in runs for number, at in sent_at.items()):
            raise FrameError("it has not heard of a run, or what it said of one was lost")

    # --- whether it lives ---

    def _watch(self) -> None:
        """While there are runs, check that the supervisor answers; if it does not, give it up."""
        heard, before, silent_s = -1, ("", 0), 0.0
        answered = num_deaf = 0
        while not self._is_closed:
            if not self._has_runs.wait() or self._over.is_set():
                return
            if self._sending.acquire(blocking=False):  # else it does not read what is sent now
                self._sending.release()
                self._num_asked += 1
                with contextlib.suppress(WorkerLost):
                    self.send(encode_control(0, {"op": "ping", "id": self._num_asked}))
            # Only time that passed for this process, too, counts: it may have been stopped as well.
            if self._over.wait(PING_S):
                return
            state, num_switches = read_activity(self.pid)
            now = "Z" if self._process.poll() is not None else state, num_switches
            # It sleeps, so it has heard all that was sent; and nothing of its own is under way.
            has_woken = now[1] != before[1]  # else it may wait for a worker to start
            is_silent = now[0] == "S" and self._num_answers == answered
            is_deaf = has_woken and is_silent and self._has_heard_all()
            if self._num_answers != answered:
                num_deaf = 0
            num_deaf += is_deaf
            answered = self._num_answers
            if num_deaf >= DEAF_LOOKS:
                self._lose(_SILENCES["S"].format(PING_S * num_deaf), "")
                return
            if self._num_heard != heard or now != before:
                heard, before, silent_s = self._num_heard, now, 0.0
                continue
            silent_s += PING_S
            if silent_s >= PATIENCE_S.get(now[0], float("inf")):
                self._lose(_SILENCES[now[0]].format(PING_S + silent_s), "")
                return

    def _has_heard_all(self) -> bool:
        """Whether the reader waits for the supervisor, and not the other way round."""
        poll = select.poll()
        with contextlib.suppress(ValueError):  # it is closed
            poll.register(_pipe(self._process.stdout), select.POLLIN)
            return self._is_waiting and not poll.poll(0)
        return False

    def _lose(self, what: str, why: str) -> None:
        """Give it up: end what it left, and the runs that it had; those not begun go on elsewhere.

        Args:
            what: What became of it; empty where it ended by itself.
            why: Details.
        """
        with self._lock:
            if self.is_lost:
                return
            self.is_lost = True
        self._over.set()
        self._has_runs.set()
        if not self._is_closed:
            what = what or self._describe_end()
            self._end()
            self._close_input()
        with self._lock:
            runs, self._runs = self._runs, {}
            unstarted, self._unstarted = self._unstarted, {}
        details = f"{why}\n{str(self._errors).strip()}".strip()
        for number, run in runs.items():
            if number in unstarted and self._is_here and not self._is_closed:
                self._take_back(number, run, unstarted[number])
            else:
                run.lose(what or "ended with its session", details)

    def _describe_end(self) -> str:
        try:
            status = self._process.wait(_STATUS_S)
        except subprocess.TimeoutExpired:
            return "closed its connection"
        if status >= 0:
            return f"ended with exit status {status}"
        with contextlib.suppress(ValueError):
            return f"was killed by {signal.Signals(-status).name}"
        return f"was killed by signal {-status}"


_SILENCES = {
    "Z": "",
    "T": "was stopped (SIGSTOP), did not answer for {:.0f} s and was ended",
    "S": "did not answer for {:.0f} s and was ended",
    "D": "waited for a disk, did not answer for {:.0f} s and was ended",
}


class _Tail:
    """Drains a stream on a thread of its own and keeps its last 4 KiB."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._tail = b""
        self._thread = threading.Thread(target=self._drain, name="jaxscope errors", daemon=True)
        self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the stream's end."""
        self._thread.join(timeout_s)

    def __str__(self) -> str:
        return self._tail.decode("utf-8", "replace")

    def _drain(self) -> None:
        with self._stream:
            while data := os.read(self._stream.fileno(), 4096):
                self._tail = (self._tail + data)[-4096:]


def _skip_greeting(output: IO[bytes]) -> bytes:
    """Read up to the supervisor's own line; returns what came after it."""
    data = b""
    while GREETING not in data:
        piece = os.read(output.fileno(), _READ_BYTES)
        data += piece
        if not piece or len(data) > _GREETING_LIMIT_BYTES:
            raise FrameError("the supervisor did not introduce itself")
    return data.partition(GREETING)[2]


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    if stream is None:
        raise JaxscopeError(say("A pipe to the supervisor is missing."))
    return stream
