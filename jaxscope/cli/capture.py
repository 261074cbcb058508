"""`jaxscope capture FILE [CALL] -o OUT`: inspect without a window."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from jaxscope.analysis.archive import load_capture
from jaxscope.cli.formats import format_json, write_capture
from jaxscope.cli.output import check_place, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.partial import FORMATS, complete, last_shown_stage
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, named_file, run_options, target_options
from jaxscope.client import run as client
from jaxscope.errors import EnvironmentProblem, Explanation, JaxscopeError, UsageError
from jaxscope.model import Capture, is_available
from jaxscope.model.file_kinds import CAPTURE_ENDINGS


def run(options: Options) -> int:
    """Capture a call, or reopen a capture, and write it.

    Raises:
        JaxscopeError: The call failed; a format that has room for reasons has been written with
            the stages before the failure.
    """
    if options.output is not None:
        check_place(options.output)
    with show_progress() as show:
        watcher = Watcher(show)
        try:
            capture = obtain_capture(options, watcher)
        except JaxscopeError as error:
            _write_partial(watcher.partial, error, options)
            raise
    if options.output is None:
        print_text(format_json(capture))
        return 0
    with show_progress() as show:
        places, notes = write_capture(
            capture,
            _own_place(options.output, capture),
            options.output_format,
            options.stage,
            options.picture,
            lambda doing, share: show(f"{doing} … {share:.0%} (Ctrl-C stops it)"),
        )
    _tell(capture, places, notes, options)
    return 0


def _own_place(path: Path, capture: Capture) -> Path:
    """Where to write: each process of several has a file of its own, `out.process1.json`."""
    if capture.job is None:
        return path
    return path.with_name(f"{path.stem}.process{capture.job.process}{path.suffix}")


def obtain_capture(options: Options, watcher: Watcher) -> Capture:
    """The capture of the named call, or the one saved in the named file.

    Raises:
        UsageError: The file holds another call.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    file = named_file(options)
    if file.endswith(CAPTURE_ENDINGS):
        saved = load_capture(file)
        if options.call not in (None, saved.call):
            raise UsageError(
                Explanation(
                    what=f"{file} is a saved capture of another call.",
                    why=f"It holds {saved.call}.",
                    remedy="Leave the call out, or name the Python file to run this one.",
                )
            )
        return saved
    return client.capture(
        file,
        options.call,
        on_event=watcher,
        passes=options.passes,
        gradient=options.gradient,
        options=options.xla,
        **target_options(options),
        **run_options(options),
    )


def _write_partial(partial: Capture | None, error: JaxscopeError, options: Options) -> None:
    """Keep the stages before a failure, where they were to be written."""
    capture = complete(partial, error)
    if capture is None or options.output is None or options.output_format not in FORMATS:
        return
    try:
        stage = last_shown_stage(capture)
        write_capture(capture, options.output, options.output_format, stage, options.picture)
    except EnvironmentProblem as problem:  # what the reader must know first is why the call failed
        print(f"jaxscope: {problem}", file=sys.stderr)
        return
    if not options.is_json:
        names = ", ".join(stage.name for stage in capture.stages if is_available(stage.text))
        print(f"{options.output} holds what came before the failure: {names}", file=sys.stderr)


def _tell(capture: Capture, places: Sequence[Path], notes: Sequence[str], options: Options) -> None:
    """Say what was written and what the reader should know of it."""
    if options.is_json:
        return
    print(f"{capture.call} -> {', '.join(map(str, places))}", file=sys.stderr)
    for message in (*capture.messages, *notes):
        print(f"note: {message}", file=sys.stderr)
