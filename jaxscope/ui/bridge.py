"""Carries a session's events from its threads to the window's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from jaxscope.client.events import Event, Failed
from jaxscope.client.requests import Request
from jaxscope.errors import Explanation, InternalError, JaxscopeError


class Run(Protocol):
    """What the window asks of a run."""

    def interrupt(self) -> None: ...

    def kill(self) -> None: ...

    def skip(self) -> None: ...


class Session(Protocol):
    """What the window asks of a session."""

    def start(self, request: Request, on_event: Callable[[Event], None] | None = None) -> Run: ...

    def close(self) -> None: ...


class Bridge(QObject):
    """Starts runs without ever making the window wait, not even for the session's own start.

    `event_arrived` carries the number that `start` gave and an event; it fires on the thread of
    this object. After `forget`, nothing more is heard of a run.

    Args:
        make_session: Called once, on a thread of its own.
    """

    event_arrived = Signal(int, object)
    _crossed = Signal(int, object)

    def __init__(self, make_session: Callable[[], Session], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._make_session = make_session
        self._session: Session | None = None
        self._problem: JaxscopeError | None = None
        self._is_ready = threading.Event()
        self._lock = threading.Lock()
        self._runs: dict[int, Run | None] = {}
        self._stopped: set[int] = set()
        self._next_number = 1
        self._is_closed = False
        self._crossed.connect(self._on_crossed)
        threading.Thread(target=self._open, name="jaxscope-session", daemon=True).start()

    def start(self, request: Request) -> int:
        """Start a run and return its number at once."""
        number, self._next_number = self._next_number, self._next_number + 1
        with self._lock:
            self._runs[number] = None
        threading.Thread(
            target=self._start, args=(number, request), name="jaxscope-start", daemon=True
        ).start()
        return number

    def stop(self, number: int) -> None:
        """Stop a run; its last event says so."""
        with self._lock:
            run = self._runs.get(number)
            self._stopped.add(number)
        if run is not None:
            run.interrupt()

    def skip(self, number: int) -> None:
        """Leave out the step that a run is at."""
        with self._lock:
            run = self._runs.get(number)
        if run is not None:
            run.skip()

    def kill(self, number: int) -> None:
        """End a run's process at once."""
        with self._lock:
            run = self._runs.get(number)
            self._stopped.add(number)
        if run is not None:
            run.kill()

    def forget(self, number: int) -> None:
        """End a run and hear nothing more of it."""
        self.kill(number)
        with self._lock:
            self._runs.pop(number, None)

    def close(self) -> None:
        """End the session and everything that it started."""
        with self._lock:
            self._is_closed = True
            self._runs.clear()
            session, self._session = self._session, None
        if session is not None:
            session.close()

    def _open(self) -> None:
        unused: Session | None = None
        try:
            session = self._make_session()
        except JaxscopeError as error:
            self._problem = error
        except Exception as error:
            self._problem = InternalError(
                Explanation("The session could not be started.", why=repr(error))
            )
        else:
            with self._lock:
                if self._is_closed:
                    unused = session
                else:
                    self._session = session
        if unused is not None:
            unused.close()
        self._is_ready.set()

    def _start(self, number: int, request: Request) -> None:
        self._is_ready.wait()
        session = self._session
        if session is None:
            if self._problem is not None:
                self._tell(number, Failed(self._problem))
            return
        listener = _Listener(self, number)
        try:
            run = session.start(request, listener.on_event)
        except JaxscopeError as error:
            self._tell(number, Failed(error))
            return
        with self._lock:
            is_known = number in self._runs
            if is_known:
                self._runs[number] = run
            is_stopped = number in self._stopped or not is_known
        if is_stopped:
            run.kill()

    def _tell(self, number: int, event: Event) -> None:
        try:
            self._crossed.emit(number, event)
        except RuntimeError:
            return  # the window is gone; nobody is left to be told

    def _on_crossed(self, number: int, event: object) -> None:
        if number in self._runs:
            self.event_arrived.emit(number, event)


class _Listener:
    """Remembers which run an event belongs to."""

    def __init__(self, bridge: Bridge, number: int) -> None:
        self._bridge, self._number = bridge, number

    def on_event(self, event: Event) -> None:
        self._bridge._tell(self._number, event)
