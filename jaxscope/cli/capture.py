"""`jaxscope capture FILE [CALL] -o OUT`: inspect without a window."""

from __future__ import annotations

import sys

from jaxscope.analysis.archive import FILE_ENDING, load_capture
from jaxscope.cli.formats import WRITERS, format_json
from jaxscope.cli.output import check_place, print_text, write_file
from jaxscope.cli.parser import Options
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, named_file, run_options, target_options
from jaxscope.client import run as client
from jaxscope.model import Capture


def run(options: Options) -> int:
    """Capture a call, or reopen a capture, and write it."""
    if options.output is not None:
        check_place(options.output)
    capture = obtain_capture(options)
    if options.output is None:
        print_text(format_json(capture))
        return 0
    write = WRITERS[options.output_format]
    write_file(options.output, lambda path: write(capture, options.stage, path))
    _tell(capture, options)
    return 0


def obtain_capture(options: Options) -> Capture:
    """The capture of the named call, or the one saved in the named `.jaxscope` file."""
    file = named_file(options)
    if file.endswith(FILE_ENDING):
        return load_capture(file)
    with show_progress() as show:
        return client.capture(
            file,
            options.call,
            on_event=Watcher(show),
            **target_options(options),
            **run_options(options),
        )


def _tell(capture: Capture, options: Options) -> None:
    """Say what was written and what the reader should know of it."""
    if options.is_json:
        return
    print(f"{capture.call} -> {options.output}", file=sys.stderr)
    for message in capture.messages:
        print(f"note: {message}", file=sys.stderr)
