"""How a session starts its supervisor: a process on this machine with pipes to its standard
streams. `remote_sessions.py` starts one on another machine.

A window starts it before anything else, so nothing here may load the model, which loads NumPy.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import sys
from typing import Any, Protocol

from jaxscope.errors import BOOTSTRAP, EnvironmentProblem
from jaxscope.late_dataclass import dataclass
from jaxscope.wire.frames import encode_control, widen_pipe


@dataclass(frozen=True, slots=True)
class Connection:
    """A supervisor that was started.

    Attributes:
        process: What leads to it.
        first: What came after its greeting, where that has been read; None where it has not.
    """

    process: subprocess.Popen[bytes]
    first: bytes | None = None


class SupervisorLink(Protocol):
    """A way to start a supervisor.

    Attributes:
        machine: The machine that it is on, as a target names it; empty for this one.
        python: The interpreter of workers there; empty where each request names one.
    """

    @property
    def machine(self) -> str: ...

    @property
    def python(self) -> str: ...

    def connect(self) -> Connection:
        """Start the supervisor, and return the connection to it.

        Raises:
            EnvironmentProblem: It cannot be started.
        """
        ...


class LocalLink:
    """A supervisor on this machine."""

    machine = python = ""

    def __init__(self) -> None:
        self._begun: Connection | None = None

    def begin(self, python: str) -> None:
        """Start it now, with a spare worker, for the first that connects.

        Args:
            python: The interpreter of the worker.

        Raises:
            EnvironmentProblem: No process can be started.
        """
        self._begun = self.connect()
        prepare = {"op": "prepare", "python": find_program(python), "environment": {}}
        stream = self._begun.process.stdin
        with contextlib.suppress(OSError):  # it has ended: who connects will see that
            assert stream is not None  # `start_process` makes pipes
            stream.write(encode_control(0, prepare))
            stream.flush()

    def connect(self) -> Connection:
        """Start it, and do not wait for its greeting.

        Raises:
            EnvironmentProblem: No process can be started.
        """
        begun, self._begun = self._begun, None
        if begun is not None:
            return begun
        command = [sys.executable, "-I", "-S", BOOTSTRAP, "jaxscope.supervisor.supervisor"]
        return Connection(start_process(command))


def find_program(python: str) -> str:
    """An interpreter as an absolute path; one that is not found stays as it is."""
    path = os.path.expanduser(python)
    return os.path.abspath(path) if os.sep in path else shutil.which(path) or path


def start_process(command: list[str]) -> subprocess.Popen[bytes]:
    """Start a program with pipes, apart from this terminal.

    Raises:
        EnvironmentProblem: It cannot be started.
    """
    # Ctrl-C in a terminal is for us to translate into a stop.
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        flags = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
        apart = {"creationflags": flags}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **apart,
        )
    except OSError as error:
        from jaxscope.model.said import say

        raise EnvironmentProblem(
            say("No process can be started."), why=str(error), kind="NotStarted"
        ) from None
    if process.stdout is not None:
        widen_pipe(process.stdout.fileno())
    return process
