"""The catalogue of faults: what user code can do, and what jaxscope answers.

Every row goes through the real supervisor and a real worker, all in one session: what a fault
left behind would break the rows after it. After every row no process of it may be left.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

import pytest

from jaxscope.client.requests import CaptureRequest
from jaxscope.client.session import Session
from jaxscope.errors import CallError, JaxscopeError, SourceError, Stopped, TraceError, WorkerLost
from jaxscope.model import Capture
from tests.faults.scene import PROGRAMS, Scene, leftovers, place_of, sample


@dataclasses.dataclass(frozen=True)
class Fault:
    """A row: the file in `programs`, and what the error must say.

    Attributes:
        error: Its class, exactly.
        kind: `Explanation.kind`.
        at: Code on the line that the error must point to; empty if it points nowhere.
        says: Field of the explanation and a text in it.
    """

    file: str
    error: type[JaxscopeError]
    kind: str
    at: str
    says: tuple[tuple[str, str], ...]


def fault(file: str, error: type[JaxscopeError], kind: str, at: str = "", **says: str) -> Fault:
    return Fault(file, error, kind, at, tuple(says.items()))


FAULTS = (
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
    fault("leaks_silently", TraceError, "UnexpectedTracerError", what="leaked"),
    fault("leaks_a_tracer", TraceError, "UnexpectedTracerError", remedy="jax.checking_leaks"),
    fault("raises_on_nans", TraceError, "FloatingPointError", at="SCALE = jnp.log"),
    fault("wants_too_much_memory", TraceError, "JaxRuntimeError", what="It asked for 7.28 TiB"),
    fault("raises_in_callback", TraceError, "KeyError", at="raise KeyError"),
)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.file)
def test_code_that_fails(session: Session, fault: Fault) -> None:
    error = Scene(session, sample(fault.file)).error()

    assert type(error) is fault.error, error.explanation
    assert error.explanation.kind == fault.kind
    for field, text in fault.says:
        assert text in getattr(error.explanation, field), (field, error.explanation)
    if fault.at:
        assert error.explanation.where == place_of(fault.file, fault.at)
    assert "jaxscope/worker" not in error.explanation.traceback
    assert len(error.explanation.why) < 10_000
    assert leftovers(session) == []


@pytest.mark.parametrize(
    "file",
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
    ),
)
def test_code_that_works_all_the_same(session: Session, file: str) -> None:
    capture = Scene(session, sample(file)).run.wait(60)

    assert isinstance(capture, Capture)
    assert capture.call == "f(f32[3])"
    assert capture.stage("jaxpr") is not None
    assert leftovers(session) == []


def test_replaced_builtins_cost_at_most_the_worker(session: Session) -> None:
    scene = Scene(session, sample("breaks_builtins"))

    assert type(scene.error()) in (WorkerLost, TraceError, JaxscopeError)
    assert leftovers(session) == []


def test_a_full_c_stack_costs_at_most_the_worker(session: Session) -> None:
    error = Scene(session, sample("overflows_stack")).error()

    # From Python 3.12 on, recursion through C has a limit that user code cannot raise.
    assert error.explanation.kind in ("SIGSEGV", "RecursionError")
    assert error.explanation.where == place_of("overflows_stack", "max([x]")
    assert leftovers(session) == []


def test_a_replaced_clock_is_told(session: Session) -> None:
    capture = Scene(session, sample("patches_time")).run.wait(60)

    assert isinstance(capture, Capture)
    assert any("time functions" in message for message in capture.messages)
    assert leftovers(session) == []


def test_what_is_printed_arrives_and_leaves_the_protocol_alone(session: Session) -> None:
    scene = Scene(session, sample("prints"))

    assert isinstance(scene.run.wait(60), Capture)
    lines = scene.run.output("stdout").splitlines()
    assert sorted(lines) == ["by os.write", "by print", "by printf"]
    assert scene.run.output("stderr") == "to stderr in red\n"
    assert leftovers(session) == []


def test_files_that_shadow_modules_do_no_harm(session: Session, tmp_path: Path) -> None:
    for name in ("random.py", "jax.py", "json.py"):
        (tmp_path / name).write_text("raise RuntimeError('the wrong module')")
    (tmp_path / "mine.py").write_text("SCALE = 2.0")
    file = tmp_path / "file.py"
    file.write_text(
        "# jaxscope: f(f32[3])\nimport random\nfrom mine import SCALE\ndef f(x): return x * SCALE\n"
    )
    capture = Scene(session, CaptureRequest(str(file))).run.wait(60)

    assert isinstance(capture, Capture)
    assert any("import random" in message for message in capture.messages)


def test_a_file_that_is_gone_or_broken(session: Session, tmp_path: Path) -> None:
    file = tmp_path / "file.py"
    file.write_text("def f(x):\n    return x +\n")
    broken = Scene(session, CaptureRequest(str(file), "f(f32[3])")).error()
    file.unlink()
    gone = Scene(session, CaptureRequest(str(file), "f(f32[3])")).error()

    assert type(broken) is SourceError
    assert broken.explanation.where == "file.py:2"
    assert type(gone) is SourceError
    assert "no such file" in gone.explanation.why


def test_terminal_escapes_and_reordering_marks_are_removed(session: Session) -> None:
    scene = Scene(session, sample("escapes_terminal"))

    assert scene.error().explanation.why == "red txet"
    assert scene.run.output("stdout") == "cleared\n"


def test_a_function_that_the_file_lacks(session: Session) -> None:
    request = CaptureRequest(str(PROGRAMS / "works.py"), "g(f32[3])")
    error = Scene(session, request).error()

    assert isinstance(error, CallError)
    assert "The file has: f." in error.explanation.remedy
    assert leftovers(session) == []


def test_the_capture_has_what_came_before_the_stop(session: Session) -> None:
    scene = Scene(session, sample("unrolls"))
    scene.wait_for_output("looping")
    scene.run.interrupt()

    assert isinstance(scene.error(), Stopped)
    assert leftovers(session) == []


def test_after_all_faults_a_capture_is_complete(session: Session) -> None:
    capture = Scene(session, sample("works")).run.wait(60)

    assert isinstance(capture, Capture)
    assert [stage.name for stage in capture.stages if stage.unavailable] == []
    assert capture.stages[-1].name == "machine"
