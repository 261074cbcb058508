"""`jaxscope open PATH…`: what a job left behind, as a list; with `-o`, a capture of a module."""

from __future__ import annotations

from jaxscope.cli.capture import tell, write_capture
from jaxscope.cli.output import check_place, print_found, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, run_options, show_progress
from jaxscope.client.left_behind import find_left_behind
from jaxscope.client.opening import open_found, read_recordings
from jaxscope.export.capture_json import format_json
from jaxscope.model import Capture
from jaxscope.model.left_behind import LeftBehind
from jaxscope.report.opened import describe_capture, opened_to_document, opened_to_json


def run(options: Options) -> int:
    """List what is there; or read a module and write it, or print its stages.

    Raises:
        UsageError: There is no such module.
        JaxscopeError: Nothing can be read, or a file cannot be written.
    """
    if options.output is not None:
        check_place(options.output)
    with show_progress() as show:
        found = find_left_behind(options.others, lambda text: show(f"{text} …"))
    if options.output is None and options.module is None:
        with show_progress() as show:
            recordings = read_recordings(found, lambda text: show(f"{text} …"))
        print_found(
            options,
            lambda: opened_to_json(found, recordings),
            lambda: opened_to_document(found, recordings),
        )
        return 0
    with show_progress() as show:
        capture = open_found(found, options.module, Watcher(show), **run_options(options))
        if options.output is not None:
            places, notes = write_capture(
                capture, options.output, options.output_format, options.stage, options.picture
            )
    if options.output is None:
        print_text(format_json(capture) if options.is_json else describe_capture(capture))
        return 0
    tell(capture, places, [*notes, *_note_choice(found, capture, options)], options)
    return 0


def _note_choice(found: LeftBehind, capture: Capture, options: Options) -> list[str]:
    if options.module is not None or len(found.modules) < 2:
        return []
    return [
        f"{capture.call} is the largest of {len(found.modules)} modules; --module NAME chooses."
    ]
