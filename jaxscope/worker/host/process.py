"""What a worker does to its own process before user code runs, and what user code has changed in it
afterwards.

Descriptors move out of the user's way, the process dies with its supervisor, and a crash writes
stacks. A worker runs one request and is gone, so changed settings reach no other run; the reader is
told of them because they explain a result.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import io
import itertools
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from os import read, write
from types import FrameType
from typing import Any, NoReturn

from jaxscope.model.said import say
from jaxscope.wire.protocol import DISCONNECTED_STATUS, INTERRUPT, SHOW_STACK, SKIP
from jaxscope.worker.channel import SKIP_SIGNAL, is_swallowing, raise_signal
from jaxscope.worker.faults.explain import note_interrupt
from jaxscope.worker.faults.tracebacks import safe_text

# What a worker does to its own process before any user code runs.


FIRST_PRIVATE_DESCRIPTOR = 200
RECURSION_LIMIT = 5000
"""Deeply nested `jit` needs more than Python's 1,000; 20,000 overflows an 8 MiB C stack."""

_PR_SET_PDEATHSIG = 1
_NO_MESSAGE_BOXES = 0x1 | 0x2
_AGAIN_S = 0.01


def make_private(descriptor: int) -> int:
    """Move a descriptor out of the way of user code, and close it in programs that it starts."""
    if sys.platform == "win32":
        private = next(n for n in itertools.count(FIRST_PRIVATE_DESCRIPTOR) if not _is_open(n))
        os.dup2(descriptor, private, inheritable=False)
        os.close(descriptor)
        return private
    import fcntl  # Windows has none, and can import this module all the same

    private = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _first_private())
    os.close(descriptor)
    return private


def _is_open(descriptor: int) -> bool:
    try:
        os.fstat(descriptor)
    except OSError:
        return False
    return True


def _first_private() -> int:
    """Lower than usual where the system allows few descriptors."""
    import resource  # Windows has none

    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    is_few = allowed != resource.RLIM_INFINITY and allowed < 2 * FIRST_PRIVATE_DESCRIPTOR
    return allowed // 2 if is_few else FIRST_PRIVATE_DESCRIPTOR


def isolate(parent_pid: int, stack_descriptor: int) -> None:
    """Tie this process to the supervisor and let its death show where it was.

    Args:
        parent_pid: The supervisor; once it is gone, so is this process.
        stack_descriptor: Where faulthandler writes the stack: when the process dies of a signal,
            and whenever it gets SIGUSR2.
    """
    if sys.platform == "win32":
        # No message box when it crashes. It dies with the supervisor by way of a job object.
        ctypes.WinDLL("kernel32").SetErrorMode(_NO_MESSAGE_BOXES)
    else:
        import resource  # Windows has none

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


def obey(descriptor: int, stack_descriptor: int) -> None:
    """Let a thread read commands, on a system where the supervisor cannot send signals.

    Args:
        descriptor: Where they come from.
        stack_descriptor: Where to write the stack that is asked for.
    """

    read_commands = _make_reader(descriptor)

    def run() -> None:
        while commands := read_commands():
            for command in (commands[place : place + 1] for place in range(len(commands))):
                if command == INTERRUPT:
                    raise_signal(signal.SIGINT)
                elif command == SKIP and callable(signal.getsignal(SKIP_SIGNAL)):
                    raise_signal(SKIP_SIGNAL)
                elif command == SHOW_STACK:
                    write(stack_descriptor, _describe_stack().encode("utf-8", "replace"))
        os._exit(DISCONNECTED_STATUS)

    threading.Thread(target=run, name="jaxscope commands", daemon=True).start()


def _make_reader(descriptor: int) -> Callable[[], bytes]:
    """What reads from a pipe, and returns nothing at its end.

    Windows locks a descriptor that is read from: user code that writes to it, or closes it, would
    wait for a command. A handle has no such lock.
    """
    if sys.platform != "win32":
        return lambda: read(descriptor, 64)
    import _winapi
    import msvcrt

    own, inherited = _winapi.GetCurrentProcess(), msvcrt.get_osfhandle(descriptor)
    same = _winapi.DUPLICATE_SAME_ACCESS
    handle = _winapi.DuplicateHandle(own, inherited, own, 0, False, same)
    os.close(descriptor)

    def read_handle() -> bytes:
        try:
            return _winapi.ReadFile(handle, 64)[0]
        except OSError:
            return b""

    return read_handle


def _describe_stack() -> str:
    """Where the main thread is, as faulthandler writes it."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    lines = ["Stack (most recent call first):"]
    while frame is not None:
        code = frame.f_code
        lines.append(f'  File "{code.co_filename}", line {frame.f_lineno} in {code.co_name}')
        frame = frame.f_back
    return "\n".join(lines) + "\n"


@contextlib.contextmanager
def quiet_stderr() -> Iterator[None]:
    """Lose what libraries in C write to the descriptor of standard error meanwhile."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
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
        again = threading.Timer(_AGAIN_S, raise_signal, (number,))
        again.name, again.daemon = "jaxscope stop", True
        again.start()
        return
    raise KeyboardInterrupt


# What a run has changed in its process, reported once it is over.
#
# A worker runs one thing and is gone, so nothing of this reaches the next run; but whoever compares
# two captures should know that one file had turned `jax_disable_jit` on.


TRANSFER_GUARDS = tuple(
    f"jax_transfer_guard{direction}"
    for direction in ("", "_host_to_device", "_device_to_device", "_device_to_host")
)
_OUR_OWN = frozenset(
    {"jax_default_device", "jax_platforms", "jax_num_cpu_devices", *TRANSFER_GUARDS}
)
"""Settings that the target decides, or that are set aside to look at a program."""
_MAX_SHOWN = 20


class ProcessChanges:
    """The state of the process before user code, to be compared with the state after it."""

    def __init__(self) -> None:
        self._clocks = _clock_identity()
        self._settings = _read_settings()
        self._num_devices = _read_num_devices()

    def messages(self) -> Iterator[str]:
        """A sentence for everything that has changed."""
        if _clock_identity() != self._clocks:
            yield say("The code replaced time functions of Python: its own timings may be off.")
        changes = [
            f"{name} = {safe_text(value, 100)} (was {safe_text(self._settings[name], 100)})"
            for name, value in sorted(_read_settings().items())
            if name in self._settings and not _is_same(value, self._settings[name])
        ]
        if changes:
            yield say(
                "The code changed JAX's configuration: {changes}.",
                changes=", ".join(changes[:_MAX_SHOWN]),
            )
        num_devices = _read_num_devices()
        if 0 < self._num_devices != num_devices > 0:
            yield (
                say(
                    "The code set jax_num_cpu_devices to {num_devices}: the program is not for "
                    "the {num_wanted} of the target.",
                    num_devices=num_devices,
                    num_wanted=self._num_devices,
                )
            )
        for wanted, given in _read_narrowed().items():
            yield say(
                "{wanted} became {given}: JAX uses 64-bit types only with --x64.",
                wanted=wanted,
                given=given,
            )


def _read_settings() -> Mapping[str, Any]:
    """JAX's settings; none where the code has put something else in their place."""
    try:
        import jax

        values: Mapping[str, Any] = jax.config.values
        return {name: value for name, value in values.items() if name not in _OUR_OWN}
    except Exception:
        return {}


def _read_num_devices() -> int:
    """How many CPU devices JAX was asked to simulate; 0 where nobody asked."""
    try:
        import jax

        return max(int(jax.config.values["jax_num_cpu_devices"]), 0)
    except Exception:
        return 0


def _read_narrowed() -> Mapping[str, str]:
    values = sys.modules.get(
        "jaxscope.worker.host.values"
    )  # a run that evaluates no call loads none
    return {} if values is None else values.narrowed_dtypes()


def _is_same(first: object, second: object) -> bool:
    try:
        return bool(first is second or first == second)
    except Exception:  # values are the user's, and may compare as they like
        return False


def _clock_identity() -> tuple[int, ...]:
    return tuple(map(id, (time.perf_counter, time.time, time.monotonic, time.sleep)))
