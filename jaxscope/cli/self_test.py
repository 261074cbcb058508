"""`jaxscope doctor --selftest`: tries on this machine what differs from system to system.

Each check starts real processes or a real window, and says what it saw. Together they take about a
minute. What is tried is what no test on another system can show: how processes are started,
limited, stopped and ended, how files are named, and that a window draws.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from jaxscope.client.events import Result
from jaxscope.client.requests import CaptureRequest, Request, TimeRequest
from jaxscope.client.session import Session
from jaxscope.errors import EnvironmentProblem, JaxscopeError, Stopped, WorkerLost
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, is_available
from jaxscope.model.timing import Timing
from jaxscope.model.units import format_seconds
from jaxscope.schema.archive import load_capture, save_capture

_FILE = "naïve 数 program.py"
"""With a space, and letters that not every file system writes alike."""

_PROGRAM = """\
import os, subprocess, sys, time
import jax.numpy as jnp

def good(x):
    return jnp.sum(jnp.sin(x))

def endless(x):
    print("running", flush=True)
    while True:
        time.sleep(0.01)

def crash(x):
    os.abort()

def greedy(x):
    kept = [bytearray(os.urandom(1 << 20) * 64) for _ in range(64)]
    return x + len(kept)

def leave(x):
    code = "import time\\nwhile True: open(r'{beat}', 'a').write('.'); time.sleep(0.1)"
    subprocess.Popen([sys.executable, "-c", code.format(beat=os.environ["SELF_TEST_BEAT"])])
    time.sleep(1.5)
    return x
"""

_LIMIT_S = 120.0
"""After so long a check counts as hanging."""
_SOON_S = 20.0
"""Within so long a run that was stopped is over, on a slow machine too."""
_TIMEOUT_S = 2.0
_MEMORY_BYTES = 1_500 << 20


@dataclass(frozen=True, slots=True)
class TestedPart:
    """The result of one check.

    Attributes:
        name: What was tried.
        is_good: Whether it works.
        text: What was seen.
        seconds: How long it took.
    """

    name: str
    is_good: bool
    text: str
    seconds: float


class _Unexpected(Exception):
    """A check saw something else than it should; the message says what."""


def run_self_test(python: str | None, show: Callable[[str], None]) -> Iterator[TestedPart]:
    """Try one part after the other; one that fails does not keep the next from being tried.

    Args:
        python: Interpreter for user code; None for this one.
        show: Told what is tried next.
    """
    with tempfile.TemporaryDirectory(prefix="jaxscope-") as folder:
        setup = _Setup(Path(folder), python)
        for name, check in _CHECKS.items():
            show(f"Trying: {name}")
            started = time.monotonic()
            try:
                text, is_good = check(setup), True
            except JaxscopeError as error:
                told = error.explanation
                text, is_good = f"{told.what} {told.why.partition(chr(10))[0]}".strip(), False
            except _Unexpected as error:
                text, is_good = str(error), False
            except Exception as error:
                text, is_good = f"{type(error).__name__}: {error}", False
            yield TestedPart(name, is_good, text, time.monotonic() - started)


class _Setup:
    """What the checks share: a folder, a file in it, and how to run a call of that file."""

    def __init__(self, folder: Path, python: str | None) -> None:
        self.folder = folder
        self.python = python
        self.file = folder / _FILE
        self.saved = folder / "saved.jaxscope"
        self.beat = folder / "beat"
        self.file.write_text(_PROGRAM, encoding="utf-8")

    def request(self, function: str, **limits: Any) -> CaptureRequest:
        return CaptureRequest(str(self.file), f"{function}(f32[8])", **limits)

    def run(self, request: Request) -> Result:
        """The result of a run in a session of its own.

        Raises:
            JaxscopeError: The run ended so.
        """
        with self.session() as session:
            return session.start(request).wait(_LIMIT_S)

    def session(self) -> Session:
        environment = {"SELF_TEST_BEAT": str(self.beat)}
        return Session(self.python, environment=environment, is_warm=False, has_spares=False)


def _capture(setup: _Setup) -> str:
    capture = setup.run(setup.request("good"))
    if not isinstance(capture, Capture):
        raise _Unexpected(f"a run returned {type(capture).__name__}")
    missing = [stage.name for stage in capture.stages if not is_available(stage.text)]
    if missing:
        raise _Unexpected(f"without {', '.join(missing)}")
    save_capture(capture, setup.saved)
    return f"{', '.join(stage.name for stage in capture.stages)} of a call in {_FILE}"


def _time(setup: _Setup) -> str:
    timing = setup.run(TimeRequest(str(setup.file), "good(f32[8])", budget_s=0.5))
    if not isinstance(timing, Timing):
        raise _Unexpected(f"a run returned {type(timing).__name__}")
    times = {each.name: format_seconds(each.median) for each in timing.measurements}
    return f"eager {times['eager']}, jit {times['jit']}"


def _ends(setup: _Setup, request: Request) -> str:
    """The words of the error that a run must end with."""
    try:
        setup.run(request)
    except WorkerLost as error:
        return f"“{error}”"
    raise _Unexpected("the run ended as if nothing had happened")


def _time_limit(setup: _Setup) -> str:
    return _ends(setup, setup.request("endless", timeout_s=_TIMEOUT_S))


def _memory_limit(setup: _Setup) -> str:
    return _ends(setup, setup.request("greedy", memory_bytes=_MEMORY_BYTES))


def _crash(setup: _Setup) -> str:
    return _ends(setup, setup.request("crash"))


def _stop(setup: _Setup) -> str:
    with setup.session() as session:
        run = session.start(setup.request("endless"))
        deadline = time.monotonic() + _LIMIT_S
        while not run.is_over and "running" not in run.output("stdout"):
            if time.monotonic() > deadline:
                raise _Unexpected("what the code prints does not arrive")
            time.sleep(0.05)
        asked = time.monotonic()
        run.interrupt()
        try:
            run.wait(_SOON_S)
        except Stopped:
            return f"over after {time.monotonic() - asked:.1f} s"
    raise _Unexpected("the run ended as if nothing had happened")


def _end_started_processes(setup: _Setup) -> str:
    """A process that user code started is not left behind: what it writes stops growing."""
    setup.run(setup.request("leave"))
    if not setup.beat.exists():
        raise _Unexpected("the process did not start")
    before = setup.beat.stat().st_size
    time.sleep(1.0)
    if setup.beat.stat().st_size > before:
        raise _Unexpected("a process that the code started lives on after the session")
    return "a process that the code started ended with the run"


def _reopen(setup: _Setup) -> str:
    if not setup.saved.exists():
        raise _Unexpected("there is no capture to reopen")
    capture = load_capture(setup.saved)
    return f"{len(capture.stages)} stages, {setup.saved.stat().st_size / 1024:.0f} KiB"


def _window(setup: _Setup) -> str:
    if not setup.saved.exists():
        raise _Unexpected("there is no capture to show")
    words = [sys.executable, "-m", "jaxscope.ui.window_probe", str(setup.saved)]
    done = subprocess.run(
        words, capture_output=True, encoding="utf-8", errors="replace", timeout=_LIMIT_S
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
        raise EnvironmentProblem("The window did not come to an end.", why=last)
    seen = json.loads(done.stdout.splitlines()[-1])
    if not seen["has_picture"]:
        raise _Unexpected("the window shows no picture")
    if not seen["remembers"]:
        raise _Unexpected(f"{seen['settings']} cannot be written; the window will forget")
    return (
        f"{seen['platform']}, screen {seen['screen']}, scale {seen['scale']:g}, {seen['font']}, "
        f"picture after {seen['seconds']:.1f} s, remembers in {seen['settings']}"
    )


_CHECKS: dict[str, Callable[[_Setup], str]] = {
    "capture": _capture,
    "time": _time,
    "Stop": _stop,
    "time limit": _time_limit,
    "memory limit": _memory_limit,
    "crash": _crash,
    "processes left": _end_started_processes,
    "reopen": _reopen,
    "window": _window,
}
