"""Sessions whose workers are forked from a process that has imported JAX already.

Python's start and the import of JAX are half of what a small run costs. For a test whose point is
what a worker answers, they are done once for all runs: one process imports what a worker imports
before it says hello, and forks. The supervisor, the pipes, the messages, and one fresh process per
run, in the state of a spare worker, are the real ones. How a worker starts is tested by
`tests/processes` and by all tests that start commands; with `--started` no worker is forked.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from jaxscope.client.requests import Request
    from jaxscope.client.session import Session

_BOOTSTRAP = Path(__file__).parents[1] / "jaxscope" / "worker" / "bootstrap.py"
_MAX_BYTES = 1 << 16
_not_asked_for = {"PYTEST_CURRENT_TEST"}
"""Variables that no test set: pytest did, or what was imported here after the first fork."""
_FOR_READING = "JAXSCOPE_FOR_READING"
_READ_LATE = ("COLUMNS", _FOR_READING, "JAXSCOPE_TEST", "XDG_CACHE_HOME", "XLA_FLAGS")
"""What neither Python nor JAX reads before a request comes: it may be another after the fork."""
_between_tests: dict[str, str] = {}
"""The variables before the test that runs set any: the first that needs a worker may do so."""
_lock = threading.Lock()


class ForkedLink:
    """A supervisor that forks its workers; the usual one where variables were set meanwhile."""

    machine = python = ""

    def connect(self) -> Any:
        """Start it, and do not wait for its greeting."""
        from jaxscope.client.supervisor_link import Connection, LocalLink

        with _lock:
            origin = _start_origin()
        if not _differ_late(_variables(), origin.variables):
            return LocalLink().connect()
        return Connection(origin.fork_supervisor())


def never_spare_started(when_spare: Callable[..., str]) -> Callable[..., str]:
    """`Session._when_spare`, but for workers that would be started: nothing here asks for two."""

    def when(session: Session, request: Request) -> str:
        wanted = {**_variables(), **session._environment, **request.environment}
        is_forked = not isinstance(session._link, ForkedLink) or _differ_late(
            wanted, _start_origin().variables
        )
        return when_spare(session, request) if is_forked else "never"

    return when


def pass_over_imports() -> None:
    """Call this while no test runs: variables that differ now were set by what tests imported.

    pyqtgraph and JAX's Mosaic set some. Without this, all workers after that would be started.
    """
    if _start_origin.cache_info().currsize:
        changed = _variables().items() ^ _start_origin().variables.items()
        _not_asked_for.update(name for name, _ in changed)
    _between_tests.clear()
    _between_tests.update(os.environ)


def _variables(given: Mapping[str, str] | None = None) -> dict[str, str]:
    given = os.environ if given is None else given
    return {name: value for name, value in given.items() if name not in _not_asked_for}


def _differ_late(some: Mapping[str, str], others: Mapping[str, str]) -> bool:
    """Whether two environments are the same for a process that is forked."""
    changed = {name for name, _ in some.items() ^ others.items()}
    return changed <= {*_READ_LATE, *_not_asked_for}


@functools.cache
def _start_origin() -> _Origin:
    origin = _Origin()
    atexit.register(origin.close)
    return origin


class _Origin:
    """The process that all others are forked from, as pytest's process sees it."""

    def __init__(self) -> None:
        self.variables = _variables(_between_tests or None)
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,  # as a worker's: Python asks at its start what they are
                stderr=subprocess.PIPE,
                pass_fds=[theirs.fileno()],
                # The library's own threads would be one thread more when it forks.
                env={**self.variables, "OPENBLAS_NUM_THREADS": "1"},
                start_new_session=True,
            )

    def fork_supervisor(self) -> _ForkedSupervisor:
        pipes = [os.pipe() for _ in range(3)]
        (stdin, our_stdin), (our_stdout, stdout), (our_stderr, stderr) = pipes
        theirs = [stdin, stdout, stderr]
        with _lock:
            packet = json.dumps([os.getcwd(), _variables()])
            socket.send_fds(self._socket, [packet.encode()], theirs)
            pid = int(self._socket.recv(_MAX_BYTES) or b"0")
        assert pid, self._process.communicate()
        for descriptor in theirs:
            os.close(descriptor)
        return _ForkedSupervisor(
            pid,
            os.fdopen(our_stdin, "wb"),
            os.fdopen(our_stdout, "rb"),
            os.fdopen(our_stderr, "rb"),
        )

    def close(self) -> None:
        self._socket.close()
        self._process.communicate()


class _ForkedSupervisor:
    """What a session needs of `subprocess.Popen`, for a process that is no child of this one."""

    def __init__(self, pid: int, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self.pid, self.stdin, self.stdout, self.stderr = pid, stdin, stdout, stderr
        self._descriptor = os.pidfd_open(pid)

    def __del__(self) -> None:
        os.close(self._descriptor)

    def poll(self) -> int | None:
        return 0 if self._is_over(0) else None

    def wait(self, timeout: float | None = None) -> int:
        if not self._is_over(timeout):
            raise subprocess.TimeoutExpired(["supervisor"], timeout or 0.0)
        return 0

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def send_signal(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._descriptor, number)

    def _is_over(self, timeout: float | None) -> bool:
        return bool(select.select([self._descriptor], [], [], timeout)[0])


# In the process that forks, and in those forked from it.


def serve(descriptor: int) -> None:
    """Fork a supervisor for every packet of three descriptors, until there are no more."""
    connection = socket.socket(fileno=descriptor)
    _import_what_a_worker_imports()
    while True:
        packet, descriptors, _, _ = socket.recv_fds(connection, _MAX_BYTES, 3)
        _reap()
        if not packet:
            break
        pid = os.fork()
        if pid == 0:
            connection.close()
            _become_supervisor(*json.loads(packet), descriptors)
        for theirs in descriptors:
            os.close(theirs)
        connection.send(str(pid).encode())
    with contextlib.suppress(ChildProcessError):
        while True:
            os.wait()


def _import_what_a_worker_imports() -> None:
    del sys.path[0]  # this folder; `bootstrap.py` does the same
    runpy.run_path(str(_BOOTSTRAP), run_name="bootstrap")["_import_package"]()

    import jaxscope.supervisor.supervisor
    import jaxscope.worker.main
    import jaxscope.worker.targets.environment  # imported for those that are forked
    from jaxscope.worker.compat import hide_frames_of

    for module, _ in jaxscope.worker.main.HANDLERS.values():
        importlib.import_module(module)
    importlib.import_module("jaxlib.mlir.dialects.mhlo")  # as lowering does when it first runs

    hide_frames_of(__file__)  # as the worker's own
    del os.environ["OPENBLAS_NUM_THREADS"]


def _reap() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _become_supervisor(folder: str, variables: dict[str, str], descriptors: list[int]) -> NoReturn:
    from jaxscope.supervisor import supervisor, worker_process

    try:
        os.setsid()
        os.chdir(folder)
        _set_late(variables)
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        worker_process.become = functools.partial(_fork_worker, worker_process.become)
        supervisor.main()
    finally:
        os._exit(0)


def _set_late(variables: Mapping[str, str]) -> None:
    for name in _READ_LATE:
        os.environ.pop(name, None)
        if name in variables:
            os.environ[name] = variables[name]


def _fork_worker(
    become: Callable[..., NoReturn],
    command: Sequence[str],
    environment: Mapping[str, str],
    output: Sequence[int],
    kept: Sequence[int],
    failure: int,
) -> NoReturn:
    """Go on as a worker; what has other variables or another interpreter is started as ever."""
    from jaxscope.supervisor.process_tree import MARKER
    from jaxscope.worker import main

    marker = environment[MARKER]
    own = {**os.environ, MARKER: marker}
    if command[0] != sys.executable or not _differ_late(environment, own):
        become(command, environment, output, kept, failure)
    try:
        os.setsid()
        signal.set_wakeup_fd(-1)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for number, descriptor in enumerate((nothing, *output)):
            os.dup2(descriptor, number)
        for name in os.listdir("/proc/self/fd"):
            if int(name) > 2 and int(name) not in kept:
                with contextlib.suppress(OSError):
                    os.close(int(name))
        os.environ[MARKER] = marker
        _set_late(environment)
        sys.argv = list(command[1:])
        if _FOR_READING in environment:  # such a worker has no JAX; here it makes no use of it
            main.IS_FOR_READING, main._HAS_JAX = True, False
        main.main(command[3:])
    except Exception:
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(70)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
