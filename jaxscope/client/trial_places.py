"""Where trials of `bisect` run beside each other: sessions on this machine, behind a launcher or on
other machines, or whatever has a `submit` such as Dask's client. None of them is a scheduler: each
place has one trial at a time.
"""

from __future__ import annotations

import dataclasses
import queue
import secrets
import shlex
import sys
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol, TypeVar

from jaxscope.client import one_shot
from jaxscope.client.events import Result
from jaxscope.client.one_shot import OnEvent
from jaxscope.client.remote_sessions import PING_S, LauncherLink, without_machine
from jaxscope.client.requests import ComparisonRequest, Request
from jaxscope.client.session import Session
from jaxscope.client.ssh_target import is_remote, parse_ssh_target
from jaxscope.errors import InternalError, UsageError, WorkerLost

R = TypeVar("R", bound=Result)
T = TypeVar("T")
A = TypeVar("A")
MOST_AT_ONCE = 64
DEFAULT_AT_ONCE = 3
"""Behind a launcher. Three trials at once settle two steps of a bisection."""


class Executor(Protocol):
    """What runs functions elsewhere: of `concurrent.futures`, Dask's client, mpi4py's pool."""

    def submit(self, function: Callable[..., Any], /, *args: Any) -> Any:
        """Start a call; what is returned has a `result` that waits, and a `cancel`."""


class Place(Protocol):
    """Where one trial runs at a time.

    Attributes:
        name: For a person.
        machine: Of two places with the same machine trials may disturb each other.
    """

    name: str
    machine: str

    def ask(self, request: Request, kind: type[R], on_event: OnEvent | None) -> R:
        """Answer a request here.

        Raises:
            JaxscopeError: Why there is no answer.
        """

    def close(self) -> None:
        """End what runs here, and what was started for it."""


class SessionPlace:
    """A session of its own, for each interpreter that is asked for.

    Args:
        target: Of another machine, in place of the request's; None for that.
        launcher: Words of a launcher's command line; empty for none.
    """

    def __init__(self, target: str | None = None, launcher: Sequence[str] = ()) -> None:
        self._target, self._launcher = target, tuple(launcher)
        self.name = target or (shlex.join(launcher) if launcher else "this machine")
        self.machine = parse_ssh_target(target).host if target else self.name
        self._lock = threading.Lock()
        self._over = threading.Event()
        self._links: list[LauncherLink] = []
        self._sessions: dict[str | None, Session] = {}

    def ask(self, request: Request, kind: type[R], on_event: OnEvent | None) -> R:
        """As `Place.ask`."""
        if self._target is not None:
            request = dataclasses.replace(request, target=self._target)  # type: ignore[call-arg] # all requests of a bisection have one
        python = request.python
        session = self._session(python)
        if self._launcher:
            if (
                isinstance(request, ComparisonRequest)
                and (request.other_python or python) != python
            ):
                raise UsageError(
                    "Two interpreters cannot be compared behind a launcher.",
                    remedy="Search for memory, kernels or failure, or leave --launcher out.",
                )
            request = without_machine(request)
        try:
            result = session.start(request, on_event).wait()
        except WorkerLost:
            if self._launcher and not session.ping():  # its machine is gone
                session.close()
                with self._lock:
                    self._sessions.pop(python, None)
            raise
        if not isinstance(result, kind):
            raise InternalError(f"A {request.type} run returned {result.__class__.__name__}.")
        return result

    def close(self) -> None:
        """As `Place.close`."""
        self._over.set()
        with self._lock:
            links, sessions = self._links, list(self._sessions.values())
        for link in links:
            link.abandon()
        for session in sessions:
            session.close()

    def _session(self, python: str | None) -> Session:
        with self._lock:
            if python in self._sessions:
                return self._sessions[python]
            link = (
                LauncherLink(self._launcher, python or sys.executable) if self._launcher else None
            )
            if link is not None:
                self._links.append(link)
        made = Session(python, is_warm=False, has_spares=False, link=link)
        with self._lock:
            self._sessions[python] = made
        if self._over.is_set():
            made.close()
            raise WorkerLost("The search was stopped.")
        if link is not None:
            threading.Thread(target=self._keep_alive, args=(made,), daemon=True).start()
        return made

    def _keep_alive(self, session: Session) -> None:
        while not self._over.wait(PING_S) and session.ping():
            continue


class _Call:
    """A request and its answer, as a function that is sent elsewhere."""

    def __init__(self, request: Request, kind: type[Any]) -> None:
        self._request, self._kind = request, kind

    def __call__(self) -> Any:
        return one_shot.ask(self._request, self._kind)

    def __dask_tokenize__(self) -> str:
        """What Dask knows a call by: no two are one, since a trial may be made twice."""
        return secrets.token_hex(16)


class ExecutorPlace:
    """One of the calls at a time that an executor takes.

    Args:
        executor: Its processes need jaxscope and the user's file.
    """

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        self._begun: Any = None
        self.name = self.machine = type(executor).__name__

    def ask(self, request: Request, kind: type[R], on_event: OnEvent | None) -> R:
        """As `Place.ask`; there are no events."""
        self._begun = self._executor.submit(_Call(request, kind))
        result: R = self._begun.result()
        return result

    def close(self) -> None:
        """As `Place.close`, where it has not begun; what runs there ends by itself."""
        if self._begun is not None:
            self._begun.cancel()


class Places:
    """Places that share the trials; a thread for each.

    Attributes:
        places: Those that there are.
    """

    def __init__(self, places: Sequence[Place]) -> None:
        self.places = tuple(places)
        self._free: queue.SimpleQueue[Place] = queue.SimpleQueue()
        for place in places:
            self._free.put(place)
        self._pinned = threading.local()
        self._threads = ThreadPoolExecutor(len(places), "jaxscope trial")

    def ask(self, request: Request, kind: type[R], on_event: OnEvent | None) -> R:
        """Answer a request in a place that is free, or in that of `at_each`."""
        pinned: Place | None = getattr(self._pinned, "place", None)
        if pinned is not None:
            return pinned.ask(request, kind, on_event)
        place = self._free.get()
        try:
            return place.ask(request, kind, on_event)
        finally:
            self._free.put(place)

    def map(self, function: Callable[[A], T], things: Sequence[A]) -> list[T]:
        """What a function makes of each, at once; it may `ask`.

        Raises:
            Exception: Whatever the first that failed raised, after all have ended.
        """
        begun: list[Future[T]] = []
        try:  # from the first on: Ctrl-C may come while others are begun
            begun.extend(self._threads.submit(function, thing) for thing in things)
            return [each.result() for each in begun]
        except BaseException:
            for each in begun:
                each.cancel()
            self.close()
            raise

    def at_each(self, function: Callable[[], T]) -> list[T]:
        """What a function makes in each place, all at once."""

        def run(place: Place) -> T:
            self._pinned.place = place
            try:
                return function()
            finally:
                self._pinned.place = None

        return self.map(run, self.places)

    @property
    def is_pinned(self) -> bool:
        """Whether this thread is in `at_each`."""
        return getattr(self._pinned, "place", None) is not None

    def close(self) -> None:
        """End all that runs."""
        for place in self.places:
            place.close()
        self._threads.shutdown(cancel_futures=True)


def make_places(
    launcher: str,
    targets: Sequence[str],
    at_once: int | None,
    executor: Executor | None,
    *,
    alone: bool,
) -> list[Place]:
    """The places that a person named; empty for one trial after another, as ever.

    Args:
        launcher: Its command line, or empty.
        targets: On other machines.
        at_once: How many trials; None for what is usual.
        alone: Whether no trial may run beside another on one machine, since times are measured.

    Raises:
        UsageError: They make no sense together, or cannot be read.
    """
    if sum(map(bool, (launcher, targets))) + (executor is not None) > 1:
        raise UsageError("Trials are spread in one way at a time.", remedy="Name one of them.")
    if at_once is not None and not 1 <= at_once <= MOST_AT_ONCE:
        raise UsageError(f"{at_once} trials at once are not from 1 to {MOST_AT_ONCE}.")
    places: list[Place] = []
    if targets:
        if not all(map(is_remote, targets)):
            raise UsageError("Trials are spread over ssh:// targets.", remedy="Such as ssh://a/gpu")
        places += [SessionPlace(target) for target in targets][:at_once]
    elif launcher:
        try:
            words = shlex.split(launcher)
        except ValueError as error:
            raise UsageError(f"--launcher cannot be read: {error}.") from None
        if not words:
            raise UsageError("--launcher names no command.", remedy="--launcher 'srun -n 1'")
        places += [SessionPlace(launcher=words) for _ in range(at_once or DEFAULT_AT_ONCE)]
    elif executor is not None:
        places += [ExecutorPlace(executor) for _ in range(at_once or DEFAULT_AT_ONCE)]
    elif at_once is not None and at_once > 1:
        places += [SessionPlace() for _ in range(at_once)]
    if alone:  # the first of each machine
        places = list({place.machine: place for place in reversed(places)}.values())[::-1]
    return places
