"""Start a supervisor on another machine through the system's OpenSSH, and say in a sentence why
that failed.

OpenSSH brings its configuration, keys, agents and jump hosts; jaxscope adds none and never asks for
a password. Nothing needs to be installed there beyond Python and JAX: the sources of `model`,
`wire`, `worker` and `supervisor` go ahead of the frames as a zip file, are unpacked into a
temporary folder, and are removed at the end.
"""

from __future__ import annotations

import base64
import contextlib
import functools
import io
import os
import re
import select
import shlex
import shutil
import struct
import subprocess
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path

from jaxscope.client.ssh_target import SshTarget
from jaxscope.client.supervisor_link import Connection, start_process
from jaxscope.errors import EnvironmentProblem
from jaxscope.wire.relay import GREETING

TOO_OLD_STATUS = 97
ENDED_EARLY_STATUS = 98

_FOLDERS = ("model", "supervisor", "wire", "worker")
# For whatever Python is there: the syntax of the oldest.
_REMOTE_START = f"""
import io, os, struct, sys, tempfile, zipfile
if sys.version_info[:2] < (3, 11):
    sys.stderr.write("jaxscope needs Python 3.11: %s is %d.%d\\n"
                     % ((sys.executable,) + tuple(sys.version_info[:2])))
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
    files = [root / "__init__.py", root / "errors.py"]
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
    code = base64.b64encode(_REMOTE_START.encode()).decode()
    first = f'import base64;exec(base64.b64decode("{code}"))'
    return f"exec {home}{shlex.quote(name)} -c {shlex.quote(first)}"


# Why a machine cannot be used, from what OpenSSH or its shell said: one clear sentence each.


_LOST = "LostConnection"
_KINDS: tuple[tuple[str, str, str, str], ...] = (
    (
        r"could not resolve hostname|name or service not known|nodename nor servname",
        "UnknownHost",
        "There is no machine called {host}.",
        "Check the name; `ssh {machine}` must work in a terminal.",
    ),
    (
        r"host key verification failed|remote host identification has changed",
        "UnknownHostKey",
        "The key of {host} is not the known one, or not known yet.",
        "Connect once with `ssh {machine}` in a terminal and compare the key.",
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
        "Check the machine and the port.",
    ),
    (
        r"timed out|no route to host|network is unreachable|host is down",
        "Unreachable",
        "{host} does not answer.",
        "Is it running, and is a VPN needed?",
    ),
    (
        r"connection (?:closed|reset)|broken pipe|kex_exchange|client_loop",
        _LOST,
        "The connection to {host} was lost.",
        "Run again: the connection is made anew.",
    ),
)
_TRANSIENT = frozenset({"Refused", "Unreachable", _LOST})
_OLD = re.compile(r"jaxscope needs Python 3\.11: (?P<python>.*) is (?P<version>[\d.]+)")


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
    old = _OLD.search(told)
    if status == TOO_OLD_STATUS and old is not None:
        return EnvironmentProblem(
            f"The Python of {host} is too old: {old['python']} is {old['version']}, and jaxscope "
            "needs 3.11 or newer.",
            remedy="Name a newer one there with --python, such as --python '~/venv/bin/python'.",
            kind="TooOldPython",
        )
    if status in (126, 127):
        return EnvironmentProblem(
            f"There is no {python} on {host}.",
            why=told,
            remedy="Install Python 3.11 or newer there, or name where it is with --python.",
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
            f"{host} accepted the connection and started nothing in time.",
            why=told,
            remedy=f"Does `ssh {_spell(machine)} {python} --version` answer in a terminal?",
            kind="NoAnswer",
        )
    return EnvironmentProblem(
        f"Nothing could be started on {host}: ssh ended with status {status}.",
        why=told,
        remedy=f"Does `ssh {_spell(machine)} {python} --version` answer in a terminal?",
        kind="NotStarted",
    )


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
        """As the target names it."""
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
                "There is no ssh on this machine.",
                remedy="Install OpenSSH's client (on Debian: apt-get install openssh-client).",
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
        process = start_process(command)
        said = bytearray()
        first = _greet(process, said)
        if first is not None:
            return Connection(process, first)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        status = process.poll()
        process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        text = said.decode("utf-8", "replace")
        raise explain_link(status, text, machine=self.machine, python=self._python)


def _greet(process: subprocess.Popen[bytes], said: bytearray) -> bytes | None:
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
    deadline = time.monotonic() + START_S
    readers = {stdout, stderr}
    while stdout in readers and (wait_s := deadline - time.monotonic()) > 0:
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
