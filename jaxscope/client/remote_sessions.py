"""Sessions on other machines, opened when first needed and anew where one was lost, and the user's
files that are sent there.

The file and what it imports from beside it are found by reading, not by running. They travel with
each request and are never written to the other machine's disk. Data files are not sent.
"""

from __future__ import annotations

import ast
import base64
import contextlib
import dataclasses
import functools
import io
import json
import math
import os
import re
import select
import shlex
import shutil
import struct
import subprocess
import threading
import time
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from jaxscope.client.events import Event, Progress
from jaxscope.client.live_run import Run
from jaxscope.client.requests import Request
from jaxscope.client.ssh_target import SshTarget, is_remote, parse_ssh_target, target_on_machine
from jaxscope.client.supervisor_link import Connection, SupervisorLink, start_process
from jaxscope.errors import EnvironmentProblem, Explanation, SourceError, UsageError, WorkerLost
from jaxscope.model.graph import strings_to_arrays
from jaxscope.model.said import say
from jaxscope.wire.frames import GREETING

# Start a supervisor on another machine through the system's OpenSSH, and say in a sentence why that
# failed.
#
# OpenSSH brings its configuration, keys, agents and jump hosts; jaxscope adds none and never asks
# for a password. Nothing needs to be installed there beyond Python and JAX: the sources of `model`,
# `wire`, `worker` and `supervisor` go ahead of the frames as a zip file, are unpacked into a
# temporary folder, and are removed at the end.

TOO_OLD_STATUS = 97
ENDED_EARLY_STATUS = 98

_FOLDERS = ("model", "supervisor", "wire", "worker")
# For whatever Python is there: the syntax of the oldest.
_REMOTE_START = f"""
import io, os, struct, sys, tempfile, zipfile
if sys.version_info[:2] < (3, 11):
    import json
    json.dump({{"old_python": [sys.executable] + list(sys.version_info[:2])}}, sys.stderr)
    sys.exit({TOO_OLD_STATUS})
def take(size):
    data = b""
    while len(data) < size:
        piece = os.read(0, size - len(data))
        if not piece:
            sys.exit({ENDED_EARLY_STATUS})
        data += piece
    return data
size = struct.unpack("<Q", take(8))[0]
folder = tempfile.mkdtemp(prefix="jaxscope-scratch-%d-" % os.getpid())
zipfile.ZipFile(io.BytesIO(take(size))).extractall(folder)
os.execv(sys.executable, [sys.executable, "-I", "-S", "-B",
         os.path.join(folder, "jaxscope", "worker", "bootstrap.py"),
         "jaxscope.supervisor.remote", folder])
"""


@functools.cache
def make_package() -> bytes:
    """The sources as a zip file with its length before it."""
    root = Path(__file__).parents[1]
    names = ("__init__", "errors", "heap", "late_dataclass", "marks", "processes", "version")
    files = [root / f"{name}.py" for name in names]
    for folder in _FOLDERS:
        found = (path for path in (root / folder).rglob("*") if path.is_file())
        files += sorted(path for path in found if "__pycache__" not in path.parts)
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, f"jaxscope/{path.relative_to(root).as_posix()}")
    data = packed.getvalue()
    return struct.pack("<Q", len(data)) + data


def remote_command(python: str) -> str:
    """What the other machine's shell is asked to run; free of what shells differ in.

    Args:
        python: A path there, or a name that is looked up there; `~/` is the home there.
    """
    home, name = ("~/", python[2:]) if python.startswith("~/") else ("", python)
    return f"exec {home}{shlex.quote(name)} -c {shlex.quote(_first_code())}"


def _first_code() -> str:
    code = base64.b64encode(_REMOTE_START.encode()).decode()
    return f'import base64;exec(base64.b64decode("{code}"))'


# Why a machine cannot be used, from what OpenSSH or its shell said: one clear sentence each.


_LOST = "LostConnection"
_KINDS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"could not resolve hostname|name or service not known|nodename nor servname",
        "UnknownHost",
        say("There is no machine called {host}."),
        say("Check the name; `ssh {machine}` must work in a terminal."),
    ),
    (
        r"host key verification failed|remote host identification has changed",
        "UnknownHostKey",
        say("The key of {host} is not the known one, or not known yet."),
        say("Connect once with `ssh {machine}` in a terminal and compare the key."),
    ),
    (
        r"permission denied|too many authentication failures|no supported authentication",
        "NotAccepted",
        "{host} does not accept your key.",
        "jaxscope never asks for passwords: make `ssh -o BatchMode=yes {machine}` work, with a key "
        "in ~/.ssh or in an agent.",
    ),
    (
        r"connection refused",
        "Refused",
        "{host} refuses the connection: no SSH server listens there.",
        say("Check the machine and the port."),
    ),
    (
        r"timed out|no route to host|network is unreachable|host is down",
        "Unreachable",
        "{host} does not answer.",
        say("Is it running, and is a VPN needed?"),
    ),
    (
        r"connection (?:closed|reset)|broken pipe|kex_exchange|client_loop",
        _LOST,
        say("The connection to {host} was lost."),
        say("Run again: the connection is made anew."),
    ),
)
_TRANSIENT = frozenset({"Refused", "Unreachable", _LOST})


def explain_link(status: int | None, said: str, *, machine: str, python: str) -> EnvironmentProblem:
    """The error of a connection that did not come about.

    Args:
        status: Exit status of `ssh`; None if it had to be ended.
        said: What came from it on standard error.
        machine: As the target names it.
        python: The interpreter that was to be started there.
    """
    host = machine.rpartition("@")[2]
    told = said.strip()[-1000:]
    if status == TOO_OLD_STATUS and (old := _read_old_python(told)):
        return EnvironmentProblem(
            say(
                "The Python of {host} is too old: {old}, and jaxscope needs 3.11 or newer.",
                host=host,
                old=old,
            ),
            remedy=say(
                "Name a newer one there with --python, such as --python '~/venv/bin/python'."
            ),
            kind="TooOldPython",
        )
    if status in (126, 127):
        return EnvironmentProblem(
            say("There is no {python} on {host}.", python=python, host=host),
            why=told,
            remedy=say("Install Python 3.11 or newer there, or name where it is with --python."),
            kind="NoPython",
        )
    for pattern, kind, what, remedy in _KINDS:
        if re.search(pattern, told, re.IGNORECASE):
            return EnvironmentProblem(
                what.format(host=host),
                why=told,
                remedy=remedy.format(machine=_spell(machine)),
                kind=kind,
            )
    if status is None:
        return EnvironmentProblem(
            say("{host} accepted the connection and started nothing in time.", host=host),
            why=told,
            remedy=say(
                "Does `ssh {machine} {python} --version` answer in a terminal?",
                machine=_spell(machine),
                python=python,
            ),
            kind="NoAnswer",
        )
    return EnvironmentProblem(
        say(
            "Nothing could be started on {host}: ssh ended with status {status}.",
            host=host,
            status=status,
        ),
        why=told,
        remedy=say(
            "Does `ssh {machine} {python} --version` answer in a terminal?",
            machine=_spell(machine),
            python=python,
        ),
        kind="NotStarted",
    )


def _read_old_python(told: str) -> str:
    """Such as `/usr/bin/python3 is 3.9`, from the record of `_REMOTE_START`; empty without one."""
    try:
        record, _ = json.JSONDecoder().raw_decode(told, told.index('{"old_python"'))
        python, *version = record["old_python"]
    except (ValueError, KeyError, TypeError):
        return ""
    return f"{python} is {'.'.join(map(str, version))}"


def is_transient(problem: EnvironmentProblem) -> bool:
    """Whether the same may work a moment later."""
    return problem.explanation.kind in _TRANSIENT


def _spell(machine: str) -> str:
    """As `ssh` takes it on its command line."""
    name, colon, port = machine.rpartition(":")
    return f"-p {port} {name}" if colon and port.isdecimal() and ":" not in name else machine


CONNECT_S = 10
START_S = 40.0
"""From the start of `ssh` to the supervisor's greeting; a shell's own start-up may take long."""

PAUSES_S = (0.5, 1.0, 2.0)
"""Before each further attempt, where the failure is one that may pass."""

_LIMIT_BYTES = 64 << 10
_LOOK_EVERY_S = 1.0
_OPTIONS = (
    "BatchMode=yes",
    f"ConnectTimeout={CONNECT_S}",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=3",
    "ClearAllForwardings=yes",
    "ControlMaster=no",
    "RemoteCommand=none",
)


class SshLink:
    """A supervisor behind `ssh`.

    Args:
        target: The machine.
        python: The interpreter there, as `remote_command` takes it.
        options: Further options of OpenSSH's, such as `IdentityFile=…`.
        tell: Called with a sentence at each attempt.
        pauses_s: Seconds before each further attempt.
    """

    def __init__(
        self,
        target: SshTarget,
        python: str = "python3",
        *,
        options: Sequence[str] = (),
        tell: Callable[[str], None] = lambda _text: None,
        pauses_s: Sequence[float] = PAUSES_S,
    ) -> None:
        self._target, self._python = target, python
        self._options, self._tell, self._pauses_s = tuple(options), tell, tuple(pauses_s)

    @property
    def machine(self) -> str:
        """The machine as the target names it."""
        return self._target.machine

    @property
    def python(self) -> str:
        """The interpreter there."""
        return self._python

    def connect(self) -> Connection:
        """Start it and wait for its greeting; what may pass is tried again.

        Raises:
            EnvironmentProblem: It cannot be started; says why.
        """
        command = self._command()
        self._tell(f"Connecting to {self.machine}")
        for number, pause_s in enumerate(self._pauses_s, 2):
            try:
                return self._connect(command)
            except EnvironmentProblem as problem:
                if not is_transient(problem):
                    raise
                attempts = len(self._pauses_s) + 1
                self._tell(f"{problem.explanation.what} Attempt {number} of {attempts}")
                time.sleep(pause_s)
        return self._connect(command)

    def _command(self) -> list[str]:
        program = shutil.which("ssh")
        if program is None:
            raise EnvironmentProblem(
                say("There is no ssh on this machine."),
                remedy=say("Install OpenSSH's client (on Debian: apt-get install openssh-client)."),
                kind="NoSsh",
            )
        words = [program, "-T"]
        for option in (*self._options, *_OPTIONS):  # the first of each name counts
            words += ["-o", option]
        if self._target.port:
            words += ["-p", str(self._target.port)]
        if self._target.user:
            words += ["-l", self._target.user]
        return [*words, "--", self._target.host, remote_command(self._python)]

    def _connect(self, command: list[str]) -> Connection:
        connection, status, text = _start(command, START_S)
        if connection is None:
            raise explain_link(status, text, machine=self.machine, python=self._python)
        return connection


class LauncherLink:
    """A supervisor behind a launcher such as `srun -n 1`, which passes standard streams on.

    Args:
        launcher: Words of its command line; a command follows them.
        python: The interpreter there.
    """

    def __init__(self, launcher: Sequence[str], python: str) -> None:
        self._launcher, self.python = tuple(launcher), python
        self.machine = shlex.join(launcher)
        self._over = threading.Event()

    def abandon(self) -> None:
        """Wait no longer for the launcher; whoever waits gets an error."""
        self._over.set()

    def connect(self) -> Connection:
        """Start it, and wait for its greeting as long as the launcher waits for a place.

        Raises:
            EnvironmentProblem: It cannot be started; says why.
        """
        command = [*self._launcher, self.python, "-c", _first_code()]
        connection, status, text = _start(command, math.inf, self._over)
        if connection is None:
            raise EnvironmentProblem(
                say(
                    "Nothing could be started by {machine}: it ended with status {status}.",
                    machine=self.machine,
                    status=status,
                ),
                why=text.strip()[-1000:],
                remedy=say(
                    "Does `{machine} {python} --version` answer in a terminal?",
                    machine=self.machine,
                    python=self.python,
                ),
                kind="NotStarted",
            )
        return connection


def _start(
    command: list[str], limit_s: float, over: threading.Event | None = None
) -> tuple[Connection | None, int | None, str]:
    """Start what leads to a supervisor: the connection, or None, its status, and what it said."""
    process = start_process(command)
    said = bytearray()
    try:
        first = _greet(process, said, limit_s, over or threading.Event())
    except BaseException:  # Ctrl-C, which only this process got
        process.kill()
        raise
    if first is not None:
        return Connection(process, first), None, ""
    if over is None or not over.is_set():  # whoever has given up may end before a wait does
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
    status = process.poll()
    process.kill()
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            with contextlib.suppress(OSError):
                stream.close()
    return None, status, said.decode("utf-8", "replace")


def _greet(
    process: subprocess.Popen[bytes], said: bytearray, limit_s: float, over: threading.Event
) -> bytes | None:
    """Send the sources and read up to the greeting; what follows it, or None if it never comes.

    Everything is done as the pipes allow: a peer that does not read cannot make this wait.
    """
    assert process.stdin and process.stdout and process.stderr  # they were asked for
    stdin, stdout, stderr = (
        stream.fileno() for stream in (process.stdin, process.stdout, process.stderr)
    )
    for descriptor in (stdin, stdout, stderr):
        os.set_blocking(descriptor, False)
    left, heard = memoryview(make_package()), b""
    deadline = time.monotonic() + limit_s
    readers = {stdout, stderr}
    while stdout in readers and (wait_s := deadline - time.monotonic()) > 0 and not over.is_set():
        wait_s = min(wait_s, _LOOK_EVERY_S)
        ready, writable, _ = select.select(readers, [stdin] if left else [], [], wait_s)
        if writable:
            try:
                left = left[os.write(stdin, left[: 1 << 16]) :]
            except BlockingIOError:
                continue
            except OSError:
                left = left[:0]  # it has ended, and says why
        for descriptor in ready:
            data = os.read(descriptor, 1 << 16)
            if not data:
                readers.discard(descriptor)
            elif descriptor == stderr:
                said += data
                del said[:-_LIMIT_BYTES]
            else:
                heard += data
        if GREETING in heard:
            for descriptor in (stdin, stdout, stderr):
                os.set_blocking(descriptor, True)
            return heard.partition(GREETING)[2]
        if len(heard) > _LIMIT_BYTES:
            return None
    while stderr in readers and select.select([stderr], [], [], 0.5)[0]:
        data = os.read(stderr, 1 << 16)
        if not data:
            break
        said += data
    return None


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
                Explanation(
                    say("{file} cannot be read.", file=file), error.strerror or str(error), file
                )
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
                    say(
                        "{basename} imports too much from beside it to be sent to another machine.",
                        basename=os.path.basename(file),
                    ),
                    why=say(
                        "At most {max_files} files and {max_bytes} MiB are sent.",
                        max_files=MAX_FILES,
                        max_bytes=MAX_BYTES >> 20,
                    ),
                    remedy=say("Install that code as a package on the other machine."),
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
        from jaxscope.client.remote_sessions import (
            SshLink,  # a window that starts does not wait for it
        )

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
            raise WorkerLost(say("The session is closed."))
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
