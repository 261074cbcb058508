"""Threads of the window: their start, what they give back, and jobs of which the latest counts.

`Thread.start` returns when the new thread has begun. Where other programs have the processors that
takes long, and the window does nothing meanwhile. So a thread that is there already starts others.

A thread must not emit a signal of an object that the window may delete meanwhile: between the check
that the object is there and the emission it may go, which ends the process. So threads send to a
`Post`. All posts share one object that is never deleted; the receiver is looked for on its own
thread, where objects are deleted, too, and what is sent to one that is gone is dropped.
"""

from __future__ import annotations

import atexit
import collections
import contextlib
import queue
import sys
import threading
import time
import weakref
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, QTimer, Signal
from shiboken6 import isValid

Work = Callable[[Callable[[], bool]], object]

_TURN = threading.Lock()
"""Threads that compute hand the interpreter to each other while the window waits for it, and none
is done sooner: one at a time does what can wait."""


_SLICE_S = 0.008
"""A frame lasts twice as long."""

_to_start: queue.SimpleQueue[threading.Thread] = queue.SimpleQueue()
_starters: list[threading.Thread] = []


def start_thread(work: Callable[..., object], *about: object, name: str) -> threading.Event:
    """Call `work(*about)` on a thread of its own, and return at once what is set when it is over.

    Call it on the window's thread.
    """
    if not _starters:
        _starters.append(threading.Thread(target=_start_others, name="jaxscope", daemon=True))
        _starters[0].start()
    is_over = threading.Event()

    def run() -> None:
        try:
            work(*about)
        finally:
            is_over.set()

    _to_start.put(threading.Thread(target=run, name=name, daemon=True))
    return is_over


def _start_others() -> None:
    while True:
        thread = _to_start.get()
        try:
            thread.start()
        except RuntimeError:  # the system has no more threads to give
            threading.excepthook(threading.ExceptHookArgs((*sys.exc_info(), thread)))
        del thread  # it holds what it was given


class Post:
    """Calls a method of an object of the window on the window's thread, from any thread.

    Calls of one thread arrive in their order. Make it on the window's thread.

    Args:
        method: A bound method; its object may be gone when a call arrives.
    """

    def __init__(self, method: Callable[..., None]) -> None:
        self._method = weakref.WeakMethod(method)
        if not _carriers:
            _carriers.append(_CallCarrier())
            atexit.register(_carriers[0].close)
        self._carrier = _carriers[0]

    def __call__(self, *arguments: Any) -> None:
        """Send; returns at once."""
        self._carrier.send(self._method, arguments)


class _CallCarrier(QObject):
    """Carries all calls; never deleted, so that a thread may always emit.

    A run sends many at once. They are made a few at a time, and the window paints in between.
    """

    _sent = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._is_closed = False
        self._home = threading.get_ident()
        self._calls: collections.deque[tuple[weakref.WeakMethod[Callable[..., None]], Any]] = (
            collections.deque()
        )
        self._next = QTimer(self, singleShot=True, interval=0)
        self._next.timeout.connect(self._on_next_timeout)
        self._sent.connect(self._next.start)

    def send(self, method: weakref.WeakMethod[Callable[..., None]], arguments: object) -> None:
        if threading.get_ident() == self._home:
            self._make(method, arguments)
            return
        with self._lock:
            if not self._is_closed:
                self._calls.append((method, arguments))
                self._sent.emit()

    def close(self) -> None:
        """Carry nothing more; nothing is being sent when this returns."""
        with self._lock:
            self._is_closed = True

    def _on_next_timeout(self) -> None:
        until = time.monotonic() + _SLICE_S
        while self._calls:
            method, arguments = self._calls.popleft()
            if self._calls:
                self._next.start()  # first: a call may raise, or wait for a dialog
            self._make(method, arguments)
            if time.monotonic() >= until:
                break

    def _make(self, method: weakref.WeakMethod[Callable[..., None]], arguments: Any) -> None:
        found = method()
        if found is not None and isValid(found.__self__):  # type: ignore[attr-defined]  # bound
            found(*arguments)


_carriers: list[_CallCarrier] = []


class LatestJob(QObject):
    """Runs the latest piece of work on a thread; answers to earlier ones are dropped twice.

    Once on the thread, which saves a call, and once on the window's thread, which decides. Work
    that raises is reported, too: a page that waits for an answer always gets one.

    Signals:
        finished: The answer of the latest work.
        failed: The exception that it raised.
    """

    finished = Signal(object)
    failed = Signal(object)

    def __init__(
        self, parent: QObject | None = None, name: str = "jaxscope job", *, in_turn: bool = False
    ) -> None:
        """
        Args:
            name: Of its threads.
            in_turn: Whether it waits for other jobs of its kind: nobody has asked for it yet.
        """
        super().__init__(parent)
        self._name = name
        self._turn = _TURN if in_turn else contextlib.nullcontext()
        self._running: threading.Event | None = None  # set when it is to stop
        self._post = Post(self._on_arrived)

    @property
    def is_running(self) -> bool:
        """Whether an answer is still to come."""
        return self._running is not None

    def start(self, work: Work) -> None:
        """Run `work(should_stop)` on a thread; what ran before is asked to stop.

        What work raises after it was asked to stop is dropped, so that it may stop by raising.
        """
        self.stop()
        # The thread holds nothing of this object.
        stopped, post, turn = threading.Event(), self._post, self._turn
        self._running = stopped

        def run() -> None:
            answer: object = None
            error: Exception | None = None
            try:
                with turn:
                    answer = None if stopped.is_set() else work(stopped.is_set)
            except Exception as caught:
                error = caught
            if not stopped.is_set():
                post(stopped, answer, error)

        start_thread(run, name=self._name)

    def stop(self) -> None:
        """Stop listening, and ask the work to stop."""
        if self._running is not None:
            self._running.set()
        self._running = None

    def _on_arrived(self, job: object, answer: object, error: Exception | None) -> None:
        if job is not self._running:
            return
        self._running = None
        if error is not None:
            self.failed.emit(error)
        else:
            self.finished.emit(answer)
