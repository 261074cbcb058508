"""The catalogue: what user code can do, and what jaxscope answers. One home for its rows.

`test_catalogue.py` takes them through supervisor and worker, `test_in_the_window.py` through the
window as well, and `python -m bench.reliability gaps` measures how long each holds the window up.
"""

from __future__ import annotations

import dataclasses
import enum
import os
import sys
from collections.abc import Callable
from pathlib import Path

from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import (
    CallError,
    EnvironmentProblem,
    JaxscopeError,
    SourceError,
    TraceError,
    WorkerLost,
)
from jaxscope.model import Capture
from tests.faults.scene import PROGRAMS, place_of


class Act(enum.Enum):
    """What the person does about it."""

    NOTHING = "nothing"
    STOP = "stop"
    KILL = "kill"


@dataclasses.dataclass(frozen=True)
class Fault:
    """A program that fails, and what is said of it.

    Attributes:
        name: Of the file in `programs`, or of what `make` makes.
        errors: Classes that the error may have, exactly; none where the code works all the same.
        kinds: What `Explanation.kind` may be; empty where it does not matter.
        at: Code on the line that the error must point to; empty if it points nowhere.
        says: Fields of the explanation, and a text in each.
        tells: A text among the messages of a capture.
        act: What is done once `printed` was printed, or the code gives no sign of life where that
            is empty.
        make: Makes what stands at a path in place of the user's file.
        call: What is called; empty for what the file offers.
        timeout_s: Limit of the run, if any.
        memory_bytes: Limit of the run, if any.
    """

    name: str
    errors: tuple[type[JaxscopeError], ...] = ()
    kinds: tuple[str, ...] = ()
    at: str = ""
    says: tuple[tuple[str, str], ...] = ()
    tells: str = ""
    act: Act = Act.NOTHING
    printed: str = ""
    make: Callable[[Path], object] | None = None
    call: str = ""
    timeout_s: float | None = None
    memory_bytes: int | None = None

    def put(self, path: Path) -> None:
        """Let it stand at a path."""
        if self.make is not None:
            self.make(path)
        else:
            path.write_text((PROGRAMS / f"{self.name}.py").read_text())

    def request(self, folder: Path) -> CaptureRequest:
        """The request that runs the program."""
        path = PROGRAMS / f"{self.name}.py"
        if self.make is not None:
            path = folder / f"{self.name}.py"
            self.make(path)
        return CaptureRequest(
            str(path), self.call or None, timeout_s=self.timeout_s, memory_bytes=self.memory_bytes
        )


def check_error(fault: Fault, error: JaxscopeError) -> None:
    """Whether an error says what the row says."""
    told = error.explanation
    assert type(error) in fault.errors, told
    assert not fault.kinds or told.kind in fault.kinds, told
    for field, text in fault.says:
        assert text in getattr(told, field), (field, told)
    if fault.at:
        assert told.where == place_of(fault.name, fault.at)
    assert "jaxscope/worker" not in told.traceback
    assert len(told.why) < 10_000


def check_capture(fault: Fault, capture: Capture) -> None:
    """Whether a capture has what the row says."""
    assert capture.stage("jaxpr") is not None
    assert not fault.tells or any(fault.tells in text for text in capture.messages), (
        capture.messages
    )


def fault(
    name: str, error: type[JaxscopeError], kind: str = "", at: str = "", **says: str
) -> Fault:
    return Fault(name, (error,), (kind,) if kind else (), at, tuple(says.items()))


def made(make: Callable[[Path], object], row: Fault) -> Fault:
    return dataclasses.replace(row, make=make, call="f(f32[3])")


def make_pipe(path: Path) -> None:
    """A named pipe; Windows has none in folders."""
    os.mkfifo(path)


def of_text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text)


def of_bytes(data: bytes) -> Callable[[Path], object]:
    return lambda path: path.write_bytes(data)


FAILS = (
    fault(
        "missing_import",
        TraceError,
        "ModuleNotFoundError",
        what="a_module_that_nobody_has",
        remedy=f"{sys.executable} -m pip install a_module_that_nobody_has",
        at="import a_module_that_nobody_has",
    ),
    fault(
        "raises_at_import",
        TraceError,
        "ValueError",
        why="model.bin has no weights",
        at="raise ValueError",
        traceback="raises_at_import.py",
    ),
    fault("exits_at_import", TraceError, "SystemExit", what="sys.exit(3)"),
    fault("exits_in_function", TraceError, "SystemExit", what="sys.exit('no luck')"),
    fault("ends_process", WorkerLost, "EXIT(7)", what="exit status 7"),
    fault(
        "segfaults",
        WorkerLost,
        "SIGSEGV",
        what="segmentation fault",
        at="ctypes.string_at(0)",
        why="Segmentation fault",
    ),
    fault("aborts", WorkerLost, "SIGABRT", at="os.abort()", output="check failed: rank == 2"),
    fault(
        "killed_by_system",
        WorkerLost,
        "SIGKILL",
        what="(something killed it).",
        remedy="Does the code, or another program, kill processes?",
    ),
    fault("terminates_itself", WorkerLost, "SIGTERM", what="SIGTERM"),
    fault("recurses", TraceError, "RecursionError", traceback="more times]", at="return f(x + 1)"),
    fault("asks_for_input", TraceError, "EOFError", remedy="input()", at="x * float(input("),
    fault("has_a_breakpoint", TraceError, "BdbQuit", remedy="breakpoint()", at="    breakpoint()"),
    fault("floods_stdout", WorkerLost, "OutputLimit", what="64 MiB"),
    fault("floods_stderr", WorkerLost, "OutputLimit", what="64 MiB"),
    fault("prints_one_huge_line", WorkerLost, "OutputLimit", what="64 MiB"),
    fault("closes_descriptors", WorkerLost, "ConnectionClosed", what="closed the connection"),
    fault("writes_garbage", WorkerLost, "ProtocolViolation", what="no message"),
    fault("dies_in_del", WorkerLost, "EXIT(9)", what="exit status 9"),
    fault("evil_exception", TraceError, "EvilError", why="__str__ raised SystemExit"),
    fault("escapes_terminal", TraceError, "ValueError", why="red txet", at="raise ValueError"),
    fault("huge_exception", TraceError, "ValueError", why="characters left out"),
    fault("circular_exception", TraceError, "ValueError", full_traceback="KeyError: 'second'"),
    fault(
        "dynamic_shape",
        TraceError,
        "NonConcreteBooleanIndexError",
        remedy="errors.html#jax.errors.NonConcreteBooleanIndexError",
        at="x[x > 0]",
    ),
    fault(
        "branches_on_value",
        TraceError,
        "TracerBoolConversionError",
        remedy="static",
        at="if x.sum() > 0",
    ),
    fault("wrong_shapes", TraceError, "TypeError", why="(3,), (4,)", at="return x + y"),
    fault("returns_text", TraceError, "TypeError", what="returns something that is no array"),
    fault(
        "leaks_silently",
        TraceError,
        "UnexpectedTracerError",
        what="leaked",
        why="used again by this call at leaks_silently.py:18",
    ),
    fault("leaks_a_tracer", TraceError, "UnexpectedTracerError", remedy="jax.checking_leaks"),
    fault("raises_on_nans", TraceError, "FloatingPointError", at="SCALE = jnp.log"),
    fault("wants_too_much_memory", TraceError, "JaxRuntimeError", what="It asked for 7.28 TiB"),
    fault("raises_in_callback", TraceError, "KeyError", at="raise KeyError"),
    fault("reuses_donated", TraceError, remedy="donate_argnums"),
    fault("wants_too_many_bytes", TraceError, "MemoryError", what="Python ran out of memory."),
    fault("limits_its_memory", TraceError, what="A memory limit of 2.00 GB is in force"),
    fault(
        "asks_for_a_missing_platform",
        TraceError,
        what="told to use cuda",
        remedy="jaxscope doctor",
        at="TABLE =",
    ),
    fault("asks_for_a_missing_device", TraceError, what="does not find the device"),
    fault("has_bad_flags", EnvironmentProblem, "UnknownFlag", remedy="the code sets it"),
    Fault("breaks_builtins", (WorkerLost, TraceError, JaxscopeError)),
    Fault("removes_jax", (WorkerLost, TraceError)),
    Fault("nests_jits_too_deep", (WorkerLost, TraceError)),
    # From Python 3.12 on, recursion through C has a limit that user code cannot raise.
    Fault("overflows_stack", (WorkerLost, TraceError), ("SIGSEGV", "RecursionError"), at="max([x]"),
    dataclasses.replace(
        fault("eats_memory", WorkerLost, "MemoryLimit", what="0.70 GB"), memory_bytes=700_000_000
    ),
    # Files that are none, or not Python.
    made(of_text("def f(x):\n    return x +\n"), fault("has_wrong_syntax", SourceError)),
    made(of_text(""), fault("is_empty", CallError, remedy="no functions")),
    made(of_text("def g(x):\n    return x\n"), fault("lacks_it", CallError, remedy="has: g.")),
    made(
        of_bytes(b"def f(x):\n    return x  # \xe9\n"),
        fault("has_other_bytes", SourceError, why="0xe9", remedy="coding:"),
    ),
    made(of_bytes(b"def f(x):\n    return x\0\n"), fault("has_a_nul", SourceError)),
    made(of_bytes(b"#" * (6 << 20)), fault("is_too_large", SourceError, what="larger than 5 MiB")),
    made(lambda path: path.unlink(missing_ok=True), fault("is_gone", SourceError, why="no such")),
    made(lambda path: path.mkdir(), fault("is_a_folder", SourceError, what="is a folder")),
    made(make_pipe, fault("is_a_pipe", SourceError, what="is a pipe")),
    made(
        lambda path: path.symlink_to("/dev/zero"),
        fault("is_endless", SourceError, what="is a device"),
    ),
    made(lambda path: path.symlink_to(path), fault("is_a_circle", SourceError, why="circle")),
)

WORKS_ALL_THE_SAME = (
    *map(
        Fault,
        (
            "loses_stdout",
            "loses_its_folder",
            "leaves_a_thread",
            "hangs_at_exit",
            "leaves_a_child",
            "leaves_a_daemon",
            "forks",
            "spawns_processes",
            "returns_nothing",
            "makes_nans",
            "prints",
            "forges_messages",
            "spins_a_thread",
            "donates",
            "nests_jits",
            "nests_conds",
            "has_a_large_constant",
        ),
    ),
    Fault("patches_time", tells="time functions"),
    Fault("changes_settings", tells="jax_default_matmul_precision = float32 (was None)"),
    made(of_bytes(b"\xef\xbb\xbfdef f(x):\r\n    return x + 1\r\n"), Fault("has_marks")),
    made(
        lambda path: [
            path.with_name("random.py").write_text("raise RuntimeError('the wrong module')"),
            path.write_text("import random\ndef f(x):\n    return x + 1\n"),
        ],
        Fault("hides_a_module", tells="import random"),
    ),
)

IS_STOPPED = tuple(
    Fault(name, act=act, printed=printed)
    for name, act, printed in (
        ("loops_at_import", Act.STOP, "looping"),
        ("sleeps", Act.STOP, "sleeping"),
        ("backtracks", Act.STOP, "looping"),
        ("deadlocks", Act.STOP, "looping"),
        ("computes_a_huge_power", Act.STOP, "looping"),
        ("swallows_interrupts", Act.STOP, "looping"),
        ("ignores_interrupts", Act.STOP, "looping"),
        ("loops_on_device", Act.STOP, "looping"),
        ("unrolls", Act.STOP, "looping"),
        ("unrolls_for_the_compiler", Act.STOP, "looping"),
        ("holds_the_lock", Act.KILL, ""),
        ("stops_itself", Act.STOP, ""),
    )
)
"""`test_stopping.py` has more about these."""

LASTS = (dataclasses.replace(fault("loops_in_trace", WorkerLost, "Timeout"), timeout_s=20.0),)
"""Ended by a limit, which is long enough for a normal run on a busy machine."""

ROWS = (*FAILS, *WORKS_ALL_THE_SAME, *IS_STOPPED, *LASTS)
