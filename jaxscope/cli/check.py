"""`jaxscope check FILE [CALL]`: what is likely to be a mistake in a call."""

from __future__ import annotations

import os
from pathlib import Path

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import DIFFERENT, Options
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.check import check_call
from jaxscope.client.requests import CaptureRequest
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.units import format_count, join_words
from jaxscope.report.checks import checks_to_document, checks_to_json
from jaxscope.report.document import Section, make_items

_MOST_CALLS = 20


def run(options: Options) -> int:
    """Capture the call, run it, and print what was found; 5 where a warning or an error was.

    Raises:
        JaxscopeError: The file or the call is wrong, or something is missing.
    """
    request = request_of(CaptureRequest, options)
    with show_progress() as show:
        found = check_call(request, Watcher(show))
    others = [] if options.call else _other_calls(request.file or "", found.call)
    print_found(
        options,
        lambda: {**checks_to_json(found), "not_checked": others},
        lambda: [*checks_to_document(found), *_tell_others(options, others)],
    )
    return DIFFERENT if found.has_found else 0


def _other_calls(file: str, checked: str) -> list[str]:
    """The calls that a file offers beside the one that was checked."""
    try:
        text = Path(file).read_text("utf-8", errors="replace")
    except OSError:  # of another machine, or gone meanwhile
        return []
    return [each.call for each in find_offered_calls(text) if each.call != checked]


def _tell_others(options: Options, others: list[str]) -> list[Section]:
    if not others:
        return []
    lines = [join_words(["jaxscope", "check", str(options.file), each]) for each in others]
    told = (
        f"Only this call was checked, the first that {os.path.basename(str(options.file))} offers. "
        f"Its {format_count(len(others), 'other call')}:"
    )
    return [Section(told, [make_items(lines, _MOST_CALLS)])]
