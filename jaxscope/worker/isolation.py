"""What a worker does to its own process before any user code runs."""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import fcntl
import io
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from jaxscope.worker.explain import note_interrupt
from jaxscope.worker.skipping import is_swallowing

FIRST_PRIVATE_DESCRIPTOR = 200
RECURSION_LIMIT = 5000
"""Deeply nested `jit` needs more than Python's 1,000; 20,000 overflows an 8 MiB C stack."""

_PR_SET_PDEATHSIG = 1
_AGAIN_S = 0.01


def make_private(descriptor: int) -> int:
    """Move a descriptor out of the way of user code, and close it in programs that it starts."""
    private = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, FIRST_PRIVATE_DESCRIPTOR)
    os.close(descriptor)
    return private


def isolate(parent_pid: int, stack_descriptor: int) -> None:
    """Tie this process to the supervisor and make its death tell where it was.

    Args:
        parent_pid: The supervisor; once it is gone, so is this process.
        stack_descriptor: Where faulthandler writes the stack: when the process dies of a signal,
            and whenever it gets SIGUSR2.
    """
    _die_with_parent(parent_pid)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")  # if memory runs out, the kernel takes the worker and not the window
    sys.setrecursionlimit(RECURSION_LIMIT)
    faulthandler.enable(file=stack_descriptor, all_threads=True)
    if hasattr(faulthandler, "register"):
        faulthandler.register(signal.SIGUSR2, file=stack_descriptor, all_threads=False)
    signal.signal(signal.SIGINT, _on_interrupt)
    sys.breakpointhook = _refuse_breakpoint
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Lose what libraries in C write to the descriptor of standard error meanwhile."""
    sys.stderr.flush()
    kept = fcntl.fcntl(2, fcntl.F_DUPFD_CLOEXEC, FIRST_PRIVATE_DESCRIPTOR)
    nowhere = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        sys.stderr.flush()
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def _die_with_parent(parent_pid: int) -> None:
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent_pid:  # it died before the line above
        os._exit(1)


def _refuse_breakpoint(*_arguments: object, **_options: object) -> NoReturn:
    """What `breakpoint()` does here: there is no terminal to debug at.

    Left to itself, pdb would stop in whatever Python code runs next. Where that is JAX's hook of
    the garbage collector, its error is swallowed and the run goes on as if nothing had been.
    """
    from bdb import BdbQuit

    raise BdbQuit("a debugger needs a terminal")


def _on_interrupt(number: int, frame: FrameType | None) -> None:
    note_interrupt()
    if is_swallowing(frame):  # come back, or the run would go on as if nobody had said stop
        again = threading.Timer(_AGAIN_S, os.kill, (os.getpid(), number))
        again.name, again.daemon = "jaxscope stop", True
        again.start()
        return
    raise KeyboardInterrupt
