"""From the words of a command line to the verb that runs, and from what it raised to a status."""

from __future__ import annotations

import importlib
import os
import signal
import sys
from collections.abc import Sequence

from jaxscope.cli.parser import VERBS, parse
from jaxscope.cli.report import report_error, report_interrupt
from jaxscope.errors import JaxscopeError


def run(words: Sequence[str]) -> int:
    """Parse, run, report.

    Ctrl-C and SIGTERM end a run through Python's own unwinding, so that the worker is stopped and
    no half-written file stays.
    """
    is_json = "--json" in words
    signal.signal(signal.SIGTERM, _interrupt)
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


def _interrupt(_number: int, _frame: object) -> None:
    raise KeyboardInterrupt
