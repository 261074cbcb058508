"""`jaxscope check FILE [CALL]`: what is likely to be a mistake in a call."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import DIFFERENT, Options
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.check import check_call
from jaxscope.client.requests import CaptureRequest
from jaxscope.report.checks import checks_to_document, checks_to_json


def run(options: Options) -> int:
    """Capture the call, run it, and print what was found; 5 where a warning or an error was.

    Raises:
        JaxscopeError: The file or the call is wrong, or something is missing.
    """
    request = request_of(CaptureRequest, options)
    with show_progress() as show:
        found = check_call(request, Watcher(show))
    print_found(options, lambda: checks_to_json(found), lambda: checks_to_document(found))
    return DIFFERENT if found.has_found else 0
