"""Run a file through the real processes and look at what is left."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

from jaxscope.client.events import Event, Failed, Finished, Output
from jaxscope.client.live_run import Run
from jaxscope.client.requests import CaptureRequest, Request
from jaxscope.client.session import Session
from jaxscope.errors import JaxscopeError
from jaxscope.supervisor.process_tree import find_descendants

PROGRAMS = Path(__file__).parent / "programs"
PATIENCE_S = 300.0
"""Far beyond what anything takes: only a hang reaches it."""


WORKER = "jaxscope.worker.main"
"""What the command line of a worker holds."""

_WORKERS = (WORKER, "tests/forking.py")
"""In the command lines of workers: of started ones and of forked ones."""

_scenes: list[Scene] = []


def end_scenes() -> None:
    """Kill what a failed test left running, so that it cannot make others fail."""
    while _scenes:
        run = _scenes.pop().run
        if not run.is_over:
            run.kill()


class Scene:
    """One run of one request, with every event it told."""

    def __init__(self, session: Session, request: Request) -> None:
        self.events: list[Event] = []
        self._changed = threading.Condition()
        self.run: Run = session.start(request, self._on_event)
        _scenes.append(self)

    def _on_event(self, event: Event) -> None:
        with self._changed:
            self.events.append(event)
            self._changed.notify_all()

    def wait_for(self, kind: type[Event], matches: Callable[[Event], bool] = bool) -> Event:
        """The first event of a kind, past or to come.

        Raises:
            AssertionError: The run ended without one.
        """
        deadline = time.monotonic() + PATIENCE_S
        with self._changed:
            while True:
                for event in self.events:
                    if isinstance(event, kind) and matches(event):
                        return event
                ended = any(isinstance(event, (Finished, Failed)) for event in self.events)
                left = deadline - time.monotonic()
                assert not ended and left > 0, f"no {kind.__name__} among {self.events}"
                self._changed.wait(left)

    def wait_for_output(self, text: str) -> None:
        """Wait until the code has printed a text."""
        self.wait_for(Output, lambda event: isinstance(event, Output) and text in event.text)

    def error(self) -> JaxscopeError:
        """How the run failed."""
        try:
            result = self.run.wait(PATIENCE_S)
        except JaxscopeError as error:
            return error
        raise AssertionError(f"the run should have failed and returned {result}")


def sample(name: str) -> CaptureRequest:
    """The request for a file of `programs`."""
    return CaptureRequest(str(PROGRAMS / f"{name}.py"))


def place_of(name: str, code: str) -> str:
    """`file.py:12` of the first line of a sample that contains a piece of code."""
    lines = (PROGRAMS / f"{name}.py").read_text().splitlines()
    number = next(number for number, line in enumerate(lines, 1) if code in line)
    return f"{name}.py:{number}"


def leftovers(session: Session) -> list[str]:
    """Command lines of processes below the supervisor, one spare worker left out.

    A process that was just killed may take a moment to be gone, so this waits a little for the
    list to become empty.
    """
    deadline = time.monotonic() + 5.0
    while True:
        found = [command_line(pid) for pid in find_descendants(session.supervisor_pid)]
        spares = [line for line in found if any(mark in line for mark in _WORKERS)]
        others = [line for line in found if line and line not in spares] + spares[1:]
        if not others or time.monotonic() > deadline:
            return others
        time.sleep(0.02)


def command_line(pid: int) -> str:
    """The words of a process's command; empty where it is gone."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except (OSError, UnicodeDecodeError):
        return ""


def is_alive(pid: int) -> bool:
    """Whether a process exists and is no zombie."""
    try:
        os.kill(pid, 0)
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (OSError, IndexError):
        return False
