"""Sessions on other machines, opened when first needed and anew where one was lost, and the user's
files that are sent there.

The file and what it imports from beside it are found by reading, not by running. They travel with
each request and are never written to the other machine's disk. Data files are not sent.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from jaxscope.client.events import Event, Progress
from jaxscope.client.live_run import Run
from jaxscope.client.requests import Request
from jaxscope.client.ssh_target import SshTarget, is_remote, parse_ssh_target, target_on_machine
from jaxscope.client.supervisor_link import SupervisorLink
from jaxscope.errors import Explanation, SourceError, UsageError, WorkerLost
from jaxscope.model.graph import strings_to_arrays

MAX_FILES = 500
MAX_BYTES = 16 << 20


def collect_sources(files: Iterable[str | None]) -> dict[str, bytes]:
    """Contents of files and of what they import from beside them, by real path.

    Raises:
        SourceError: A file cannot be read.
        UsageError: They are too many or too large to be sent.
    """
    found: dict[str, bytes] = {}
    waiting = [os.path.realpath(file) for file in files if file]
    for file in waiting:
        try:
            found[file] = _read(file)
        except OSError as error:
            raise SourceError(
                Explanation(f"{file} cannot be read.", error.strerror or str(error), file)
            ) from None
    while waiting:
        file = waiting.pop()
        for other in _find_imports(file, found[file]):
            if other in found:
                continue
            try:
                found[other] = _read(other)
            except OSError:
                continue  # importing it there says so
            waiting.append(other)
            if len(found) > MAX_FILES or sum(map(len, found.values())) > MAX_BYTES:
                raise UsageError(
                    f"{os.path.basename(file)} imports too much from beside it to be sent "
                    "to another machine.",
                    why=f"At most {MAX_FILES} files and {MAX_BYTES >> 20} MiB are sent.",
                    remedy="Install that code as a package on the other machine.",
                    kind="TooManySources",
                )
    return found


def sources_to_arrays(sources: Mapping[str, bytes], prefix: str = "carried") -> dict[str, Any]:
    """The arrays of a request that carries files.

    Args:
        prefix: `carried` for files of another machine, `draft` for texts in place of files.
    """
    return {
        **strings_to_arrays(tuple(sources), f"{prefix}_path"),
        prefix: np.frombuffer(b"".join(sources.values()), np.uint8),
        f"{prefix}_bytes": np.array([len(data) for data in sources.values()], np.int64),
    }


def _read(path: str) -> bytes:
    if not os.path.isfile(path):  # a pipe would never end
        raise FileNotFoundError(2, "There is no such file")
    with open(path, "rb") as file:
        return file.read(MAX_BYTES + 1)


def _find_imports(file: str, data: bytes) -> Iterator[str]:
    """Files beside a file, or in its package, that its imports may mean; those that exist."""
    try:
        tree = ast.parse(data)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return  # running it reports what is wrong with it
    folder = os.path.dirname(file)
    root = _root(folder)
    while folder != root:  # its packages are imported before it
        yield from _existing(folder)
        folder = os.path.dirname(folder)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _modules(root, alias.name)
        elif isinstance(node, ast.ImportFrom):
            base = os.path.dirname(file) if node.level else root
            for _ in range(node.level - 1):
                base = os.path.dirname(base)
            yield from _modules(base, node.module or "")
            for alias in node.names:
                yield from _modules(base, f"{node.module or ''}.{alias.name}".strip("."))


def _root(folder: str) -> str:
    """The folder from which a file of this folder is imported: above all its packages."""
    while os.path.isfile(os.path.join(folder, "__init__.py")) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return folder


def _modules(base: str, dotted: str) -> Iterator[str]:
    """The files that `import a.b` runs, if they lie there."""
    place = base
    for part in dotted.split(".") if dotted else ():
        place = os.path.join(place, part)
        yield from _existing(place)


def _existing(place: str) -> Iterator[str]:
    for path in (f"{place}.py", os.path.join(place, "__init__.py")):
        if os.path.isfile(path):
            yield os.path.realpath(path)


PING_S = 15.0
DEFAULT_PYTHON = "python3"


class RemoteSession(Protocol):
    """What is asked of a session on another machine."""

    def start_here(
        self, request: Request, on_event: Callable[[Event], None] | None, target: str
    ) -> Run: ...

    def ping(self) -> bool: ...

    def close(self) -> None: ...


class RemoteSessions:
    """One session for each machine and interpreter. Safe to use from several threads.

    Args:
        open_session: Opens a session over a link.
        python: Interpreter on other machines of requests that name none.
        ssh_options: Further options of OpenSSH's.
    """

    def __init__(
        self,
        open_session: Callable[[SupervisorLink], RemoteSession],
        *,
        python: str = DEFAULT_PYTHON,
        ssh_options: Sequence[str] = (),
    ) -> None:
        self._open, self._python, self._options = open_session, python, tuple(ssh_options)
        self._lock = threading.Lock()
        self._sessions: dict[tuple[str, str], RemoteSession] = {}
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
        return session.start_here(without_machine(request), on_event, target)

    def close(self) -> None:
        """End all of them; a connection that is just being made ends by itself, unwaited for."""
        self._over.set()
        with self._lock:
            sessions, self._sessions = list(self._sessions.values()), {}
        for session in sessions:
            session.close()

    def _session(
        self, machine: SshTarget, python: str, on_event: Callable[[Event], None] | None
    ) -> RemoteSession:
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

    def _keep_alive(self, session: RemoteSession) -> None:
        """Tell the other side now and then that somebody is here."""
        while not self._over.wait(PING_S) and session.ping():
            continue


def remote_target(request: Request) -> str:
    """The target of a request that is on another machine; empty if it is on this one."""
    target = getattr(request, "target", None)
    return target if isinstance(target, str) and is_remote(target) else ""


def without_machine(request: Request) -> Request:
    """The request as the other machine is asked it: targets as they are called there."""
    changes: dict[str, Any] = {"python": None}
    for name in ("target", "other_target"):
        target = getattr(request, name, None)
        if isinstance(target, str) and target:
            changes[name] = target_on_machine(target)
    return dataclasses.replace(request, **changes)
