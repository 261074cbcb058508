"""`jaxscope open PATH…`: what a job left behind, as a list; with `-o`, a capture of a module."""

from __future__ import annotations

from jaxscope.cli.capture import tell, write_capture
from jaxscope.cli.output import check_place, print_found, print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, run_options, show_progress
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.dump_reader import add_recorded, open_measured, read_recordings, read_texts
from jaxscope.export.capture_json import format_json
from jaxscope.model import Capture
from jaxscope.model.dumps import FoundDumps
from jaxscope.model.timing import Profile
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
        found = find_dumps(options.others, lambda text: show(f"{text} …"))
        recordings = read_recordings(found, lambda text: show(f"{text} …"))
        found = add_recorded(found, recordings)
        texts = read_texts(found)
    if options.output is None and options.module is None:
        print_found(
            options,
            lambda: opened_to_json(found, recordings, texts),
            lambda: opened_to_document(found, recordings, texts),
        )
        return 0
    with show_progress() as show:
        capture, profile = open_measured(
            found, recordings, options.module, Watcher(show), **run_options(options)
        )
    if options.output is None:
        print_text(format_json(capture) if options.is_json else describe_capture(capture))
        return 0
    places, notes = write_capture(
        *(capture, options.output, options.output_format, options.stage, options.picture),
        lab=() if profile is None else (profile,),
    )
    tell(capture, places, [*notes, *_note_choice(found, capture, profile, options)], options)
    return 0


def _note_choice(
    found: FoundDumps, capture: Capture, profile: Profile | None, options: Options
) -> list[str]:
    if options.module is not None or len(found.modules) < 2:
        return []
    how = "the largest" if profile is None else "the one that took most time"
    return [f"{capture.call} is {how} of {len(found.modules)} modules; --module NAME chooses."]
