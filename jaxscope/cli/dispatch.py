"""From the words of a command line to the verb that runs, and from what it raised to a message and
a status. The only place of the command line that formats errors.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
import io
import json
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from types import FrameType

from jaxscope.cli.parser import parse
from jaxscope.errors import (
    ENOUGH_DESCRIPTORS,
    EnvironmentProblem,
    Explanation,
    InternalError,
    JaxscopeError,
    Stopped,
)
from jaxscope.schema.safe_text import make_safe
from jaxscope.verbs import VERBS

_OUTPUT_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EIO, errno.EBADF, errno.EFBIG})
_MAX_PART_CHARS = 100
_BUG = "This is a bug in jaxscope. Please report it with the lines above and `jaxscope doctor`."


def report_error(error: Exception, *, is_json: bool) -> int:
    """Print a failure and return the exit status that belongs to it."""
    failure = sort_error(error)
    if is_json:
        # Loaded late: it brings NumPy, and a person's message must not wait for that.
        from jaxscope.schema.contract import error_to_json

        found = error_to_json(failure)
        if failure.partial is not None:
            found["partial"] = failure.partial
        try:
            print(json.dumps(found, indent=2, allow_nan=False), flush=True)
            return failure.exit_status
        except OSError:  # told to a person, then: a script sees the exit status
            _give_up_output()
    with contextlib.suppress(OSError):
        from jaxscope.cli.output import find_width, wants_colour
        from jaxscope.report.document import colour

        shown = format_error(failure, find_width(sys.stderr))
        if wants_colour(sys.stderr):
            first, *others = shown.split("\n")
            shown = "\n".join([colour(first, "problem"), *others])
        print(shown, file=sys.stderr)
    return failure.exit_status


def report_interrupt(*, is_json: bool) -> int:
    """Say that the person stopped the run."""
    return report_error(Stopped("Stopped."), is_json=is_json)


def format_error(error: JaxscopeError, width: int = 0) -> str:
    """A failure for a person: what and where, why, the user's frames, what to try.

    Args:
        width: Of a line of sentences at most, in characters; 0 for lines of any length.
    """
    from jaxscope.report.document import wrap  # what goes well does not wait for it

    explanation = error.explanation
    what = explanation.what
    is_placed = not explanation.where or explanation.where in what
    head = what if is_placed else f"{explanation.where}: {what}"
    if not explanation.where and explanation.part and explanation.part not in what:
        head = f"in the call {_shorten(explanation.part)}: {what}"
    parts = wrap(f"jaxscope: {head}", width)
    why = explanation.why.rstrip()
    if why and why not in explanation.traceback:  # which ends with the error's own words
        parts += wrap(why, width, "  ")
    if explanation.traceback:
        parts.append(_indent(explanation.traceback))
    if explanation.output:
        parts.append("It printed last:\n" + _indent(explanation.output))
    if error.exit_status == InternalError.exit_status:
        if explanation.full_traceback:
            parts.append(_indent(explanation.full_traceback))
        parts.append(_BUG)
    if explanation.remedy:
        parts += wrap(f"Try: {explanation.remedy}", width)
    parts += [f"  {call}" for call in explanation.calls if call not in explanation.remedy]
    return make_safe("\n".join(parts))


def _shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MAX_PART_CHARS else f"{text[: _MAX_PART_CHARS - 2]} …"


def _indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.rstrip().splitlines())


def sort_error(error: Exception) -> JaxscopeError:
    """The same, or what one that nobody raised on purpose comes to: the disk's, or ours."""
    if isinstance(error, JaxscopeError):
        return error
    if isinstance(error, OSError) and error.filename is not None:
        return EnvironmentProblem(
            f"{error.filename}: {error.strerror}.",
            kind=type(error).__name__,
            remedy="Name another place, make room, or fix the permissions.",
        )
    if isinstance(error, OSError) and error.errno in _OUTPUT_ERRORS:
        return EnvironmentProblem(
            f"The output could not be written: {error.strerror}.",
            kind=type(error).__name__,
            remedy="Name a file with -o or >, on a disk that has room.",
        )
    if isinstance(error, OSError) and error.errno in (errno.EMFILE, errno.ENFILE):
        return EnvironmentProblem(
            f"The system gives no more file descriptors: {error.strerror}.",
            kind=type(error).__name__,
            remedy=f"Allow more: ulimit -n {ENOUGH_DESCRIPTORS}",
        )
    return InternalError(
        Explanation(
            what="Something went wrong inside jaxscope.",
            why=f"{type(error).__name__}: {error}",
            kind=type(error).__name__,
            full_traceback="".join(traceback.format_exception(error)),
        )
    )


Handler = Callable[[int, FrameType | None], object] | int | None


def run(words: Sequence[str]) -> int:
    """Parse the arguments, run the verb, and return the exit status; errors are printed.

    Ctrl-C and SIGTERM end a run through Python's own unwinding, so that the worker is stopped and
    no half-written file stays.
    """
    _open_closed_streams()
    before = _replace_sigterm(_interrupt)
    try:
        return _run(words)
    finally:
        _replace_sigterm(before)


def _run(words: Sequence[str]) -> int:
    is_json = "--json" in words
    try:
        options = parse(words)
        is_json = options.is_json
        module = importlib.import_module(f"jaxscope.cli.{VERBS[options.verb].module}")
        status: int = module.run(options)
        sys.stdout.flush()
    except JaxscopeError as error:
        return report_error(error, is_json=is_json)
    except KeyboardInterrupt:
        return report_interrupt(is_json=is_json)
    except BrokenPipeError:
        _give_up_output()  # whoever read it has seen enough
        return 0
    except Exception as error:
        is_lost = isinstance(error, OSError) and error.filename is None
        if is_lost:  # a script sees the exit status, and a person is told
            _give_up_output()
        return report_error(error, is_json=is_json and not is_lost)
    return status


def _give_up_output() -> None:
    """Lose what was not written of the output: Python would complain once more at its exit."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _ClosedOutput(io.RawIOBase):
    """What stands for a standard output that is closed: writing to it fails."""

    def writable(self) -> bool:
        return True

    def write(self, _data: object) -> int:
        raise OSError(errno.EBADF, "it is closed")


def _open_closed_streams() -> None:
    """Stand in for standard streams that are closed: a pipe of ours must not get their numbers."""
    with contextlib.suppress(OSError):
        while (descriptor := os.open(os.devnull, os.O_RDWR)) <= 2:
            continue
        os.close(descriptor)
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(_ClosedOutput(), "utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 # for the whole process


def _replace_sigterm(handler: Handler) -> Handler:
    """Only the main thread may; in another, whoever owns the process decides."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, handler or signal.SIG_DFL)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
