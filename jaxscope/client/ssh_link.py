"""Start a supervisor on another machine through the system's OpenSSH.

OpenSSH brings its configuration, its keys, its agents and its jump hosts; jaxscope adds none of its
own and never asks for a password.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence

from jaxscope.client.link import Connection, start_process
from jaxscope.client.relay import GREETING
from jaxscope.client.ssh_package import make_package, remote_command
from jaxscope.client.ssh_problems import explain_link, is_transient
from jaxscope.client.ssh_target import SshTarget
from jaxscope.errors import EnvironmentProblem, Explanation

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
                Explanation(
                    what="There is no ssh on this machine.",
                    remedy="Install OpenSSH's client (on Debian: apt-get install openssh-client).",
                    kind="NoSsh",
                )
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
