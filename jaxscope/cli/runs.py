"""Ask a worker, and let a person see what it does meanwhile, in one line of a terminal that passes
by.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.client.events import Event, Failed, NotResponding, Output, Progress, Result
from jaxscope.client.live_run import Run
from jaxscope.client.multi_process_runs import CompositeRun
from jaxscope.client.requests import Request
from jaxscope.client.ssh_target import is_remote
from jaxscope.errors import EnvironmentProblem, JaxscopeError, Stopped, UsageError
from jaxscope.model import Capture
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.model.lessons import LESSON_ENDING
from jaxscope.report.document import Document, write_text
from jaxscope.schema.safe_text import make_safe, make_safe_line

# What is being done right now, in one line of a terminal that passes by.


Show = Callable[[str], None]
R = TypeVar("R", bound=Request)


@contextmanager
def show_progress() -> Iterator[Show]:
    """Yield a function that shows a step; silent where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return

    def show(text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write("\r\033[K" + make_safe_line(text)[:width])
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()


def run_options(options: Options) -> dict[str, Any]:
    """The options that every request understands.

    Raises:
        EnvironmentProblem: The interpreter does not exist, or the target is not supported yet.
    """
    return {
        "python": _read_python(options),
        "timeout_s": options.timeout_s,
        "memory_bytes": options.memory_bytes,
    }


def target_options(options: Options) -> dict[str, Any]:
    """The options of requests that trace or compile."""
    return {"target": options.target, "x64": options.x64}


def named_file(options: Options) -> str:
    """The user's file, as typed.

    Raises:
        UsageError: None was named.
    """
    if options.file is None:
        raise UsageError("No file is named.", remedy="Name a Python file.")
    return str(options.file)


def named_program(options: Options) -> str:
    """The user's file, for verbs that run or read it.

    Raises:
        UsageError: None was named, or a saved capture was.
    """
    file = named_file(options)
    if file.endswith(CAPTURE_ENDINGS):
        raise UsageError(
            f"{file} is a saved capture, and jaxscope {options.verb} needs a Python file.",
            remedy=f"jaxscope {file} opens it; jaxscope capture {file} -o out.html exports it.",
        )
    if file.endswith(LESSON_ENDING):
        raise UsageError(
            f"{file} is a lesson, and jaxscope {options.verb} needs a Python file.",
            remedy=f"jaxscope {file} opens it; jaxscope values {file} -o steps.html exports it.",
        )
    return file


def request_of(kind: type[R], options: Options, /, **fields: Any) -> R:
    """A request about the named file and call, with the options that it understands.

    Args:
        fields: What else it asks, or in place of that.

    Raises:
        UsageError: No file was named, or a saved capture was.
        EnvironmentProblem: The interpreter does not exist.
    """
    known = {field.name for field in dataclasses.fields(kind)}
    file = {"file": named_program(options)} if "file" in known else {}
    asked = {**file, "call": options.call, **target_options(options), **run_options(options)}
    return kind(**{name: value for name, value in (asked | fields).items() if name in known})


class Watcher:
    """Shows a run's events: steps in the progress line, the user's prints on standard error.

    Attributes:
        partial: What a capture had when its run failed; None otherwise.
        found: What a measurement or an experiment had then; None otherwise.
    """

    def __init__(self, show: Show) -> None:
        self._show = show
        self._run: Run | CompositeRun | None = None
        self.partial: Capture | None = None
        self.found: Result | None = None

    def follow(self, run: Run | CompositeRun) -> None:
        """Set the run that `skip` sends its message to."""
        self._run = run

    def skip(self, *_of_signal: object) -> None:
        """Leave out the step that runs now, where it can be."""
        if self._run is not None:
            self._run.skip()

    def __call__(self, event: Event) -> None:
        if isinstance(event, Progress):
            left = "" if math.isnan(event.left_s) else f" (at most {math.ceil(event.left_s)} s)"
            keys = "  Ctrl-\\ skips this, Ctrl-C stops" if event.can_skip and self._run else ""
            self._show(f"{event.text}{left} …{keys}")
        elif isinstance(event, NotResponding):
            at = f" at {event.where}" if event.where else ""
            self._show(f"No answer for {event.seconds:.0f} s{at} (Ctrl-C stops it)")
        elif isinstance(event, Output):
            self._show("")
            sys.stderr.write(make_safe(event.text))
            sys.stderr.flush()
        elif isinstance(event, Failed):
            partial = event.partial
            self.partial = partial if isinstance(partial, Capture) else None
            self.found = None if isinstance(partial, Capture) else partial


@contextlib.contextmanager
def skipping_by_key(skip: Callable[..., None]) -> Iterator[None]:
    """Let Ctrl-\\ leave out a step instead of ending the process, at a terminal."""
    number = getattr(signal, "SIGQUIT", None)
    is_main = threading.current_thread() is threading.main_thread()
    if number is None or not is_main or not sys.stderr.isatty():
        yield
        return
    before = signal.signal(number, skip)
    try:
        yield
    finally:
        signal.signal(number, before)


@contextlib.contextmanager
def watching(
    to_document: Callable[[Any], Document],
    to_json: Callable[[Any], dict[str, Any]],
    *,
    is_json: bool,
) -> Iterator[Watcher]:
    """Show the progress of a measurement; where it ends early, print what there is by then.

    Under `--json` there is one object on standard output: the reason, which carries it.

    Args:
        to_document: Makes a report of what was found.
        to_json: The same as JSON.
    """
    watch = Watcher(lambda _text: None)
    try:
        with show_progress() as show:
            watch = Watcher(show)
            with skipping_by_key(watch.skip):
                yield watch
    except (JaxscopeError, KeyboardInterrupt) as error:
        if watch.found is None:
            raise
        if not is_json:
            print_text(write_text(to_document(watch.found)))
            raise
        failure = error if isinstance(error, JaxscopeError) else Stopped("Stopped.")
        failure.partial = to_json(watch.found)
        raise failure from None


def _read_python(options: Options) -> str | None:
    if options.python is None:
        return None
    path = options.python
    if is_remote(options.target):
        return str(path)
    if path.is_dir() and (path / "bin" / "python").exists():
        path = path / "bin" / "python"  # the folder of an environment
    if not path.is_file():
        raise EnvironmentProblem(
            f"There is no interpreter {path}.",
            remedy="Give the path of a Python that has JAX, such as .venv/bin/python.",
        )
    # Not resolved: a link to an interpreter is what makes an environment an environment.
    return str(path.absolute())
