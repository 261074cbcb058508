"""From the words of a command line to the verb that runs, and from what it raised to a status."""

from __future__ import annotations

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from types import FrameType

from jaxscope.cli.parser import parse
from jaxscope.cli.report import report_error, report_interrupt
from jaxscope.cli.verbs import VERBS
from jaxscope.errors import JaxscopeError

Handler = Callable[[int, FrameType | None], object] | int | None


def run(words: Sequence[str]) -> int:
    """Parse, run, report.

    Ctrl-C and SIGTERM end a run through Python's own unwinding, so that the worker is stopped and
    no half-written file stays.
    """
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
        # Whoever read the output has seen enough. Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        return report_error(error, is_json=is_json)
    return status


def _replace_sigterm(handler: Handler) -> Handler:
    """Only the main thread may; in another, whoever owns the process decides."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.signal(signal.SIGTERM, handler or signal.SIG_DFL)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
