"""What a worker says to its client, and the client's request to leave out a part of a measurement.

Everything needed to speak is bound before user code runs, so code that replaces `os.write`,
`json.dumps` or `print` does not change what is sent. A skip arrives as a signal, since the main
thread is busy with what is to be left out; it takes effect when Python code runs again, so a
compilation in C++ ends first.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from os import _exit, getpid, kill, write
from time import monotonic
from types import CodeType, FrameType
from typing import Any, TypeVar

import numpy as np

from jaxscope.model.said import Said, pack_said
from jaxscope.wire.messages import Message, encode_message
from jaxscope.wire.protocol import BEGUN_SIGN, DISCONNECTED_STATUS

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

SKIP_SIGNAL: int = getattr(signal, "SIGUSR1", getattr(signal, "SIGBREAK", 21))


def raise_signal(number: int) -> None:
    """Give this process a signal: `kill` of Windows would end it."""
    if sys.platform == "win32":
        signal.raise_signal(number)
    else:
        kill(getpid(), number)


class Skipped(BaseException):
    """Raised in a part of a run that the person asked to skip.

    No `Exception`, so that code which catches those does not swallow it.
    """


_AGAIN_S = 0.5


class _SkipState:
    """State of the signal handler: whether a part can be skipped, and when one was last."""

    def __init__(self) -> None:
        self.is_armed = False
        self.raised_at_s = -math.inf
        self.again = threading.Timer(_AGAIN_S, print)

    def raise_later(self, delay_s: float) -> None:
        """Come back, should the exception be lost: Python swallows those of some callbacks."""
        self.again = threading.Timer(delay_s, raise_signal, (SKIP_SIGNAL,))
        self.again.name, self.again.daemon = "jaxscope skip", True
        self.again.start()


_skip_state = _SkipState()
_shielded: set[CodeType] = set()


def shielded(function: F) -> F:
    """Mark a function that no skip may break off: half a message would end the run."""
    _shielded.add(function.__code__)
    return function


def is_swallowing(frame: FrameType | None) -> bool:
    """Whether a frame is inside of a finalizer or a collector's hook: what it raises is lost."""
    hooks = {getattr(hook, "__code__", None) for hook in gc.callbacks}
    return any(code in hooks or code.co_name == "__del__" for code in _codes(frame))


def _codes(frame: FrameType | None) -> Iterator[CodeType]:
    while frame is not None:
        yield frame.f_code
        frame = frame.f_back


def run_skippable(part: Callable[[], T]) -> tuple[T | None, bool]:
    """Run a part that a skip ends: what it returns, and whether it was skipped.

    Parts do not nest. No context manager: the request may come before such a one has begun its
    block, and then there would be nothing to leave.
    """
    signal.signal(SKIP_SIGNAL, _on_skip)
    _skip_state.raised_at_s = -math.inf
    try:
        _skip_state.is_armed = True
        return part(), False
    except Skipped:
        return None, True
    finally:
        _skip_state.is_armed = False
        _skip_state.again.cancel()


def was_skipped() -> bool:
    """Whether a skip was raised in the part that runs: what is outside of Python may hide it."""
    return _skip_state.is_armed and _skip_state.raised_at_s > -math.inf


def _on_skip(_number: int, frame: FrameType | None) -> None:
    if not _skip_state.is_armed or monotonic() < _skip_state.raised_at_s + _AGAIN_S / 2:
        return  # a second request must not end what tidies up after the first
    if is_swallowing(frame) or any(code in _shielded for code in _codes(frame)):
        _skip_state.raise_later(_AGAIN_S / 50)
        return
    _skip_state.raised_at_s = monotonic()
    _skip_state.raise_later(_AGAIN_S)
    raise Skipped


_HEARTBEAT_S = 0.2
_HANG_S = 0.6
"""Before the supervisor takes the silence for one: it shows what came by then."""

_QUIET, _AWAKE, _BEAT = b"q", b"a", b"."


class Channel:
    """Sends messages of one run. Safe to use from several threads.

    Attributes:
        run: The id that the client chose for the run; every message carries it.
    """

    def __init__(
        self,
        descriptor: int,
        *,
        heartbeat_descriptor: int = -1,
        receive: Callable[[], Message] | None = None,
    ) -> None:
        self.run = ""
        self._receive = receive
        self._descriptor = descriptor
        self._heartbeat_descriptor = heartbeat_descriptor
        self._lock = threading.Lock()
        self._pid = getpid()
        self._is_quiet = threading.Event()
        self._stack_descriptor: int | None = None

    @shielded
    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        """Send one message. NaN and infinities become null.

        A process that user code forked off never gets past this line: two processes that speak
        on one descriptor would garble each other.

        Raises:
            ValueError: An array's dtype is not one that messages carry.
        """
        if getpid() != self._pid:
            _exit(0)
        clean = {"run": self.run, **{key: _plain(value) for key, value in fields.items()}}
        message = Message(type, clean, dict(arrays or {}))
        with self._lock:
            for frame in encode_message(message):
                self._write(frame)

    def receive(self) -> Message:
        """Wait for a further message of the client's.

        Raises:
            EOFError: None will come.
            FrameError: What came is no message.
        """
        if self._receive is None:
            raise EOFError("nobody speaks to this worker")
        return self._receive()

    def progress(
        self, step: str, text: str, *, left_s: float | None = None, can_skip: bool = False
    ) -> None:
        """Say what is being done.

        Args:
            step: A stable name of it.
            text: Fit to show.
            left_s: Seconds that it takes at most; None where nobody knows.
            can_skip: Whether a skip would leave out just this.
        """
        self.send("progress", {"step": step, "text": text, "left_s": left_s, "can_skip": can_skip})

    def message(self, text: str) -> None:
        """Send a sentence for the reader: what was assumed, what was left out."""
        self.send("message", {"text": text})

    @contextlib.contextmanager
    def quiet(self) -> Iterator[None]:
        """Stop the heartbeat while something is measured that a waking thread would disturb.

        Until the block ends, the supervisor does not take silence for a worker that hangs.
        """
        self._is_quiet.set()
        self._expect_next_beat()
        self._signal_life(_QUIET)
        try:
            yield
        finally:
            self._is_quiet.clear()
            self._signal_life(_AWAKE)

    def begin(self) -> None:
        """Tell the supervisor that the request was taken: no other worker may answer it now."""
        self._signal_life(BEGUN_SIGN)

    def start_heartbeat(self, stack_descriptor: int | None = None) -> None:
        """Let a thread show, a few times a second, that Python code can run.

        The thread needs the interpreter's lock, so its silence means that something holds the
        lock: a long operation in C, or a stopped process.

        Args:
            stack_descriptor: Where to write the stacks when the thread cannot run; for a system
                without signals, by which the supervisor would ask for them.
        """
        self._stack_descriptor = stack_descriptor
        threading.Thread(target=self._beat, name="jaxscope heartbeat", daemon=True).start()

    def _beat(self) -> None:
        wait = threading.Event().wait
        while getpid() == self._pid:
            self._expect_next_beat()
            if not self._is_quiet.is_set() and not self._signal_life(_BEAT):
                _exit(DISCONNECTED_STATUS)  # the supervisor is gone, or our end was closed
            wait(_HEARTBEAT_S)

    def _expect_next_beat(self) -> None:
        """Let a thread of faulthandler's, which needs no lock, write where the process hangs."""
        if self._stack_descriptor is None:
            return
        if self._is_quiet.is_set():
            faulthandler.cancel_dump_traceback_later()
        else:
            faulthandler.dump_traceback_later(_HANG_S, file=self._stack_descriptor)

    def _signal_life(self, sign: bytes) -> bool:
        if self._heartbeat_descriptor < 0:
            return True
        try:
            write(self._heartbeat_descriptor, sign)
        except BlockingIOError:
            return True  # the pipe is full of signs of life
        except OSError:
            return False
        return True

    def _write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[write(self._descriptor, view) :]


def _plain(value: Any) -> Any:
    """Turn what handlers send into JSON values; what cannot be turned becomes its text."""
    if isinstance(value, Said):
        value = pack_said(value)
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


Handler = Callable[[dict[str, Any], Channel], Any]
"""What `worker.main` calls for a request: its fields, and where to send the answers.

What it returns is kept until the last answer is out.
"""
