"""One worker as the supervisor sees it: a process, its pipes, its output within bounds, and what is
known of its state.

Standard library only. Nothing here waits: the supervisor's loop calls in when a pipe has something
or when time has passed.
"""

from __future__ import annotations

import array
import codecs
import contextlib
import math
import os
import signal
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from jaxscope.errors import BOOTSTRAP
from jaxscope.late_dataclass import dataclass
from jaxscope.supervisor import process_tree
from jaxscope.supervisor.pipes import close, has_more, make_pipes, open_end, read, write
from jaxscope.wire.frames import FrameError, split_worker_frames
from jaxscope.wire.protocol import (
    BEGUN_SIGN,
    DISCONNECTED_STATUS,
    INTERRUPT,
    SHOW_STACK,
    SKIP,
)
from jaxscope.wire.scratch import remove_scratch

PIECE_BYTES = 16 << 10
TAIL_BYTES = 4 << 10


class OutputMeter:
    """Collects one stream between two updates, keeps its first and last bytes, counts the rest.

    Attributes:
        num_bytes: All bytes that came so far.
        tail: The last `TAIL_BYTES` of them, for the message of a worker that died.
        num_ends: How many lines ended in what was taken last, those left out counted in.
    """

    def __init__(self) -> None:
        self.num_bytes = 0
        self.num_ends = self._num_ends_to_take = 0
        self.tail = b""
        self._head = b""
        self._end = b""
        self._skipped_bytes = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, data: bytes) -> None:
        """Take what was read."""
        self.num_bytes += len(data)
        self._num_ends_to_take += data.count(b"\n")
        self.tail = (self.tail + data)[-TAIL_BYTES:]
        room = PIECE_BYTES // 2 - len(self._head)
        if room > 0 and not self._end:
            self._head += data[:room]
            data = data[room:]
        if data:
            joined = self._end + data
            self._end = joined[-PIECE_BYTES // 2 :]
            self._skipped_bytes += len(joined) - len(self._end)

    def take(self) -> str:
        """What to show of everything since the last call; empty if nothing came."""
        self.num_ends, self._num_ends_to_take = self._num_ends_to_take, 0
        if not self._head:
            return ""
        text = self._decoder.decode(self._head)
        if self._skipped_bytes:
            text += f"\n[… {self._skipped_bytes} bytes left out …]\n"
        text += self._decoder.decode(self._end)
        self._head, self._end, self._skipped_bytes = b"", b"", 0
        return text


# A child process of POSIX. `subprocess` waits until the new process runs the program; one that is
# stopped before would keep the supervisor waiting for ever.


class ChildProcess:
    """A program that was started, in a session of its own; nothing here waits for it.

    Attributes:
        pid: Its number.
        returncode: Exit status, negative for a signal; None while it lives.
        stdout: Our end of its standard output.
        stderr: Our end of its standard error.
        failure_fd: Says at the end why the program could not be run, or nothing.
    """

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], kept: Sequence[int]
    ) -> None:
        """Start a program.

        Args:
            command: Its words.
            environment: All of its variables.
            kept: Descriptors that it gets besides standard output and error.

        Raises:
            OSError: The system gives no more processes or descriptors.
        """
        self.returncode: int | None = None
        pipes = make_pipes(3)
        (self.stdout, stdout), (self.stderr, stderr), (self.failure_fd, failure) = pipes
        try:
            self.pid = os.fork()
        except OSError:
            close(end for pipe in pipes for end in pipe)
            raise
        if self.pid == 0:
            become(command, environment, (stdout, stderr), kept, failure)
        close((stdout, stderr, failure))
        self._tree: list[int] = []
        self._tree_found_at = 0.0

    def poll(self) -> int | None:
        """The exit status, or None while the process runs."""
        if self.returncode is None:
            with contextlib.suppress(ChildProcessError):
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def read_failure(self) -> str:
        """Why the program could not be run; empty where it was."""
        if not has_more(self.failure_fd):
            return ""
        return (read(self.failure_fd) or b"").decode("utf-8", "replace")

    def descriptors(self) -> tuple[int, ...]:
        """Our ends of its pipes."""
        return (self.stdout, self.stderr, self.failure_fd)

    def measure_rss_bytes(self) -> int:
        """Resident memory of the process and of all below it."""
        now = time.monotonic()
        if now - self._tree_found_at > _TREE_INTERVAL_S:
            # Finding descendants reads all of /proc: once a second is enough to see new ones.
            self._tree = [self.pid, *process_tree.find_descendants(self.pid)]
            self._tree_found_at = now
        return process_tree.measure_rss_bytes(self._tree)

    def kill(self) -> None:
        """End the process and all below it, at once."""
        process_tree.kill_tree(self.pid)

    def kill_rest(self) -> None:
        """After its own end: what is left of its group. Its number may be another's already."""
        process_tree.kill_group(self.pid)

    def close(self) -> None:
        """Close our ends of its pipes."""
        close(self.descriptors())


def become(
    command: Sequence[str],
    environment: Mapping[str, str],
    output: Sequence[int],
    kept: Sequence[int],
    failure: int,
) -> NoReturn:
    """Run a program in place of this process, which was just forked."""
    try:
        # First: whoever stops this process now must not make it outlive the supervisor.
        process_tree.get_signal_when_parent_dies(signal.SIGKILL)
        os.setsid()
        for ignored in (signal.SIGPIPE, signal.SIGXFSZ):  # by Python; programs do not
            signal.signal(ignored, signal.SIG_DFL)
        for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), *output)):
            os.dup2(descriptor, number)
        for descriptor in kept:
            os.set_inheritable(descriptor, True)
        os.execvpe(command[0], list(command), dict(environment))
    except BaseException as error:
        os.write(failure, str(error).encode("utf-8", "replace")[:4096])
    finally:
        os._exit(_NOT_RUN_STATUS)


if sys.platform == "win32":
    from jaxscope.supervisor.windows import WindowsProcess, name_descriptor

    _start = WindowsProcess
else:
    _start = ChildProcess
    name_descriptor = str


MAX_OUTPUT_BYTES = 64 << 20
MAX_REPLY_BYTES = 8 << 30
HAS_SIGNALS = sys.platform != "win32"
"""Else a worker reads commands from a pipe."""

SIGNALS = {
    INTERRUPT: getattr(signal, "SIGINT", 0),
    SKIP: getattr(signal, "SIGUSR1", 0),
    SHOW_STACK: getattr(signal, "SIGUSR2", 0),
}
SILENCE_S = 0.7
"""A sign of life comes every 0.2 s; half a second more is an answer that did not come."""

_STACK_BYTES = 64 << 10
_TREE_INTERVAL_S = 1.0
_CLOSED_WAIT_S = 0.1
_NOT_RUN_STATUS = 127
FATAL = b"Fatal Python error"
"""How faulthandler begins with a process that dies."""

_FATAL_ON_WINDOWS = b"Windows fatal exception"
_ABORTED_STATUS, _ABORTED = 3, FATAL + b": Aborted"
"""How `abort` ends a program on Windows, as any code may, and what faulthandler says then."""

_STALLED = b"Timeout (0:"
"""How it begins where nothing but time tells it that the worker is silent, as on Windows."""

_FROZEN_S = 1.0
_DEAF_S = 1.0
_DEAF_LOOKS = 20
"""And at least so many looks: a supervisor that gets no processor looks seldom."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may use; None is no limit of that kind."""

    timeout_s: float | None = None
    memory_bytes: int | None = None


class WorkerProcess:
    """A worker from its start to its end.

    Attributes:
        key: Interpreter and environment; a spare serves runs with the same key.
        run_number: The client's number of the run that it works on, or None for a spare.
        has_successor: Whether a spare is started after its run.
        is_ready: Whether it has said hello.
        has_begun: Whether it has taken a request: user code may have run from here on.
        num_tries: How many workers were given its run before it ended without having begun.
        reason: Why it is being ended, or empty; the first reason counts.
        kill_at: When to kill it, by `time.monotonic`, or None.
        has_closed_reply: Whether nothing more can come from it.
        peak_rss_bytes: Largest resident memory of its tree seen so far.
    """

    def __init__(self, serial: int, python: str, environment: Mapping[str, str]) -> None:
        self.serial = serial
        self.key = (python, tuple(sorted(environment.items())))
        self.run_number: int | None = None
        self.limits = Limits()
        self.has_successor = True
        self.is_ready = False
        self.has_begun = False
        self.num_tries = 0
        self.reason = ""
        self.kill_at: float | None = None
        self.peak_rss_bytes = 0
        self.started_at = time.monotonic()
        self.run_started_at: float | None = None
        self.last_sign_at = self.started_at
        self.is_quiet = False
        self.is_silent = False
        self.reported_silence_at = 0.0
        self.has_closed_reply = False
        self.meters = {"stdout": OutputMeter(), "stderr": OutputMeter()}
        self.stack = b""
        self.early_frames: list[tuple[int, bytes]] = []
        self._splitter = split_worker_frames()
        self._num_reply_bytes = 0
        self._request = b""
        self._whole_request = b""
        self._frozen_since: float | None = None
        self._num_waits, self._waits_since = 0, 0.0
        self._num_oom_kills = process_tree.count_oom_kills()
        self._spawn(python, environment)

    @property
    def marker(self) -> str:
        """The entry of the environment by which descendants of a worker are known."""
        return f"{os.getpid()}-{self.serial}"

    def _spawn(self, python: str, environment: Mapping[str, str]) -> None:
        to_worker = make_pipes(1 if HAS_SIGNALS else 2)
        others = make_pipes(3)
        self.request_fd, *commands = (ours for _, ours in to_worker)
        self.command_fd = commands[0] if commands else None
        self.reply_fd, self.heartbeat_fd, self.stack_fd = (ours for ours, _ in others)
        request, *commands = (their_end for their_end, _ in to_worker)
        theirs = (request, *(their_end for _, their_end in others), *commands)
        try:
            self.process = _start(
                [
                    *(python or sys.executable, BOOTSTRAP, "jaxscope.worker.main"),
                    *map(name_descriptor, theirs),
                    str(os.getpid()),
                ],
                {**os.environ, **environment, process_tree.MARKER: self.marker},
                theirs,
            )
        except BaseException:
            close(self._own_descriptors())
            raise
        finally:
            close(theirs)
        self.pid = self.process.pid
        self.output_fds = {self.process.stdout: "stdout", self.process.stderr: "stderr"}
        for descriptor in self.read_descriptors():
            open_end(descriptor, is_read=True)
        for descriptor in self._write_descriptors():
            open_end(descriptor, is_read=False)

    def descriptors(self) -> tuple[int, ...]:
        """All pipe ends of the supervisor's."""
        return (*self.read_descriptors(), *self._write_descriptors())

    def _write_descriptors(self) -> tuple[int, ...]:
        commands = () if self.command_fd is None else (self.command_fd,)
        return (self.request_fd, *commands)

    def _own_descriptors(self) -> tuple[int, ...]:
        """Those that are not the process's."""
        return (self.reply_fd, self.heartbeat_fd, self.stack_fd, *self._write_descriptors())

    def read_descriptors(self) -> tuple[int, ...]:
        """Those to read from, output first: what was printed before a message arrives before it."""
        return (*self.output_fds, self.stack_fd, self.heartbeat_fd, self.reply_fd)

    def attach(self, run_number: int, limits: Limits) -> None:
        """Give a run to the worker."""
        self.run_number = run_number
        self.limits = limits
        self.last_sign_at = time.monotonic()
        if self.is_ready:
            self.run_started_at = self.last_sign_at

    def queue_request(self, data: bytes) -> None:
        """Send bytes to the worker, now or when its pipe has room."""
        self._request += data
        if not self.has_begun:
            self._whole_request += data
        self.push_request()

    def hand_over(self, successor: WorkerProcess) -> None:
        """Give the run, of which nothing was done yet, to another worker."""
        if self.run_number is None:
            raise ValueError("the worker has no run")
        successor.attach(self.run_number, self.limits)
        successor.has_successor = self.has_successor
        successor.num_tries = self.num_tries + 1
        successor.queue_request(self._whole_request)
        self.run_number = None

    def is_frozen(self, now: float) -> bool:
        """Whether it has been stopped (SIGSTOP) for a while, with a run that it did not begin."""
        return not self.has_begun and not self.reason and self._stopped_s(now) > _FROZEN_S

    def _stopped_s(self, now: float) -> float:
        """For how many seconds it has been seen stopped."""
        if process_tree.read_state(self.pid) != "T":
            self._frozen_since = None
            return 0.0
        self._frozen_since = self._frozen_since or now
        return now - self._frozen_since

    def is_deaf(self, now: float) -> bool:
        """Whether it has its whole request, and for a while waits for more of it.

        What something else wrote into its pipe before then counts as the request's beginning.
        Looks alone do not tell: the supervisor looks after each event, and many can come at once.

        Args:
            now: Time by `time.monotonic`.
        """
        is_waiting = (
            process_tree.HAS_PROC
            and self.is_ready
            and not self.has_begun
            and not self.reason
            and bool(self._whole_request)
            and not self._request
            and not _num_unread_bytes(self.request_fd)
            and process_tree.read_state(self.pid) == "S"
        )
        if not is_waiting:
            self._num_waits = 0
            return False
        if not self._num_waits:
            self._waits_since = now
        self._num_waits += 1
        return self._num_waits > _DEAF_LOOKS and now - self._waits_since > _DEAF_S

    def push_request(self) -> bool:
        """Write what waits; whether anything is left."""
        with contextlib.suppress(BlockingIOError):
            while self._request:
                try:
                    written = write(self.request_fd, self._request)
                except BrokenPipeError:
                    self._request = b""
                    break
                self._request = self._request[written:]
        return bool(self._request)

    def read_output(self, descriptor: int) -> bool:
        """Read from stdout or stderr; False at its end."""
        data = read(descriptor)
        self.meters[self.output_fds[descriptor]].add(data or b"")
        if sum(meter.num_bytes for meter in self.meters.values()) > MAX_OUTPUT_BYTES:
            self.end("output", kill_after_s=0)
        return data != b""

    def read_stack(self) -> bool:
        """Read what faulthandler wrote; False at its end."""
        data = read(self.stack_fd)
        self.stack = (self.stack + (data or b""))[-_STACK_BYTES:]
        return data != b""

    def read_heartbeat(self) -> bool:
        """Read signs of life; False at their end."""
        data = read(self.heartbeat_fd)
        if data:
            self.last_sign_at = time.monotonic()
            if _STALLED in self.stack:
                self.stack = b""  # it goes on
            if BEGUN_SIGN in data:
                self.has_begun = True
                self._whole_request = b""
            last = max(data.rfind(b"q"), data.rfind(b"a"))
            if last >= 0:
                self.is_quiet = data[last : last + 1] == b"q"
        return data != b""

    def read_reply(self) -> Iterator[tuple[int, bytes]]:
        """Yield `(kind, payload)` of frames that arrived; notes the end of the pipe.

        Raises:
            FrameError: The bytes are no frames, or too many.
        """
        data = read(self.reply_fd)
        if data == b"":
            self.has_closed_reply = True
            # The process may be about to die by itself, and then that is what to report.
            self.kill_at = min(self.kill_at or math.inf, time.monotonic() + _CLOSED_WAIT_S)
        self._num_reply_bytes += len(data or b"")
        if self._num_reply_bytes > MAX_REPLY_BYTES:
            raise FrameError(f"the worker sent more than {MAX_REPLY_BYTES >> 30} GiB")
        for header, payload in self._splitter.feed(data or b""):
            yield header[1], payload

    def silence_s(self, now: float) -> float:
        """Seconds without a sign of life, 0 where silence means nothing."""
        if not self.is_ready or self.reason:
            return 0.0
        if self._frozen_since is not None and not self.has_begun:
            return 0.0  # another one gets its run in a moment
        if self.is_quiet:  # it measures, and says nothing; asking `ps` would disturb that
            return self._stopped_s(now) if process_tree.HAS_PROC else 0.0
        return now - self.last_sign_at

    def ask_where(self) -> None:
        """Let faulthandler write the stack, whatever holds the interpreter's lock."""
        if any(sign in self.stack for sign in (FATAL, _FATAL_ON_WINDOWS, _STALLED)):
            return  # it is dying, which may take long enough to look like silence
        self.stack = b""
        self._tell(SHOW_STACK)

    def skip(self) -> None:
        """Let the worker leave out the step that it is at."""
        self._tell(SKIP)

    def interrupt(self) -> None:
        """Interrupt the worker, as Ctrl-C does."""
        self._tell(INTERRUPT)

    def _tell(self, command: bytes) -> None:
        if self.command_fd is not None:
            with contextlib.suppress(OSError):  # it is dead, or deaf; it is killed soon
                write(self.command_fd, command)
            return
        number = SIGNALS[command]
        # Where nobody listens the signal would kill: user code may have removed the handler of
        # stacks, and that of skips is there while something can be left out.
        if command == INTERRUPT or process_tree.catches_signal(self.pid, number):
            process_tree.send_signal(self.pid, number)
        if command == INTERRUPT:
            process_tree.send_signal(self.pid, signal.SIGCONT)  # in case it is frozen

    def end(self, reason: str, *, kill_after_s: float) -> None:
        """Decide that the worker ends; a kill that is already nearer stays."""
        self.reason = self.reason or reason
        kill_at = time.monotonic() + kill_after_s
        self.kill_at = kill_at if self.kill_at is None else min(self.kill_at, kill_at)

    def watch_memory(self) -> None:
        """Measure the tree, and end the worker if it is larger than its limit."""
        rss_bytes = self.process.measure_rss_bytes()
        self.peak_rss_bytes = max(self.peak_rss_bytes, rss_bytes)
        if self.limits.memory_bytes is not None and rss_bytes > self.limits.memory_bytes:
            self.end("memory", kill_after_s=0)

    def kill(self) -> None:
        """Kill the process and all below it, at once."""
        if self.has_closed_reply and self.process.poll() is None:
            self.reason = self.reason or "closed"
        self.process.kill()

    def describe_end(self) -> dict[str, Any]:
        """What the client gets about the end: the fields of an `ended` event."""
        status = self.process.returncode
        if status == _ABORTED_STATUS and _ABORTED in self.stack and not HAS_SIGNALS:
            status = -signal.SIGABRT
        failure = self.process.read_failure()
        if status == DISCONNECTED_STATUS:
            self.reason = self.reason or "closed"
        if failure:
            self.reason = self.reason or "not_started"
        now = time.monotonic()
        return {
            "event": "ended",
            "reason": self.reason or ("signal" if status is not None and status < 0 else "exited"),
            "error": failure,
            "exit_code": status if status is not None and status >= 0 else None,
            "signal": -status if status is not None and status < 0 else None,
            "stack": self.stack.decode("utf-8", "replace"),
            "stderr": self.meters["stderr"].tail.decode("utf-8", "replace"),
            "peak_rss_bytes": self.peak_rss_bytes or None,
            "memory_bytes": self.limits.memory_bytes,
            "seconds": now - (self.run_started_at or self.started_at),
            "is_ready": self.is_ready,
            "has_begun": self.has_begun,
            "num_oom_kills": self._count_new_oom_kills(),
        }

    def _count_new_oom_kills(self) -> int | None:
        now = process_tree.count_oom_kills()
        if now is None or self._num_oom_kills is None:
            return None
        return now - self._num_oom_kills

    def close(self) -> None:
        """Close the supervisor's pipe ends, and remove the files that a killed worker left."""
        remove_scratch(self.pid)
        self.process.close()
        close(self._own_descriptors())


def _num_unread_bytes(descriptor: int) -> int:
    """What lies in a pipe."""
    import fcntl  # Windows has neither
    import termios

    size = array.array("i", [0])
    fcntl.ioctl(descriptor, termios.FIONREAD, size)
    return size[0]
