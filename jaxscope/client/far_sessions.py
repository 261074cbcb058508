"""Sessions on other machines, opened when first needed and anew where one was lost."""

from __future__ import annotations

import dataclasses
import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from jaxscope.client.events import Event, Progress
from jaxscope.client.link import Link
from jaxscope.client.live_run import Run
from jaxscope.client.requests import Request
from jaxscope.client.ssh_target import SshTarget, inner_target, is_remote, parse_ssh_target
from jaxscope.errors import WorkerLost

PING_S = 15.0
DEFAULT_PYTHON = "python3"


class FarSession(Protocol):
    """What is asked of a session on another machine."""

    def start_here(
        self, request: Request, on_event: Callable[[Event], None] | None, target: str
    ) -> Run: ...

    def ping(self) -> bool: ...

    def close(self) -> None: ...


class FarSessions:
    """One session for each machine and interpreter. Safe to use from several threads.

    Args:
        open_session: Opens a session over a link.
        python: Interpreter on other machines of requests that name none.
        ssh_options: Further options of OpenSSH's.
    """

    def __init__(
        self,
        open_session: Callable[[Link], FarSession],
        *,
        python: str = DEFAULT_PYTHON,
        ssh_options: Sequence[str] = (),
    ) -> None:
        self._open, self._python, self._options = open_session, python, tuple(ssh_options)
        self._lock = threading.Lock()
        self._sessions: dict[tuple[str, str], FarSession] = {}
        self._connecting: dict[tuple[str, str], threading.Lock] = {}
        self._over = threading.Event()

    def start(self, request: Request, on_event: Callable[[Event], None] | None, target: str) -> Run:
        """Start a run on the machine of a target.

        Raises:
            EnvironmentProblem: The machine cannot be used; says why.
            WorkerLost: The connection was lost just now.
        """
        machine = parse_ssh_target(target)
        session = self._session(machine, request.python or self._python, on_event)
        return session.start_here(to_inner(request), on_event, target)

    def close(self) -> None:
        """End all of them; a connection that is just being made ends by itself, unwaited for."""
        self._over.set()
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            session.close()

    def _session(
        self, machine: SshTarget, python: str, on_event: Callable[[Event], None] | None
    ) -> FarSession:
        from jaxscope.client.ssh_link import SshLink  # a window that starts does not wait for it

        def tell(text: str) -> None:
            if on_event is not None:
                on_event(Progress("connect", text))

        key = (machine.machine, python)
        with self._lock:
            connecting = self._connecting.setdefault(key, threading.Lock())
        with connecting:  # a second run waits for the connection that the first one makes
            with self._lock:
                known = self._sessions.get(key)
            if known is not None and known.ping():
                return known
            if known is not None:
                known.close()
            made = self._open(SshLink(machine, python, options=self._options, tell=tell))
            with self._lock:
                self._sessions[key] = made
        if self._over.is_set():
            made.close()
            raise WorkerLost("The session is closed.")
        threading.Thread(
            target=self._keep_alive, args=(made,), name="jaxscope far session", daemon=True
        ).start()
        return made

    def _keep_alive(self, session: FarSession) -> None:
        """Tell the other side now and then that somebody is here."""
        while not self._over.wait(PING_S) and session.ping():
            continue


def remote_target(request: Request) -> str:
    """The target of a request that is on another machine; empty if it is on this one."""
    target = getattr(request, "target", None)
    return target if isinstance(target, str) and is_remote(target) else ""


def to_inner(request: Request) -> Request:
    """The request as the other machine is asked it: targets as they are called there."""
    changes: dict[str, Any] = {"python": None}
    for name in ("target", "other_target"):
        target = getattr(request, name, None)
        if isinstance(target, str) and target:
            changes[name] = inner_target(target)
    return dataclasses.replace(request, **changes)
