"""`jaxscope bisect FILE [CALL] --over AXIS`: where a property of a call changes."""

from __future__ import annotations

from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.bisect import bisect_call
from jaxscope.client.requests import CallRequest
from jaxscope.report.bisect import bisection_to_document, bisection_to_json


def run(options: Options) -> int:
    """Search, and print where it changes.

    Raises:
        JaxscopeError: What the axis needs is missing, or the call cannot be tried at all.
    """
    request = request_of(CallRequest, options)
    wanted = options.bisect
    with show_progress() as show:
        found = bisect_call(
            request,
            wanted.over,
            wanted.measure,
            pythons=wanted.pythons,
            versions=wanted.versions,
            flags=options.xla,
            good=wanted.good,
            bad=wanted.bad,
            launcher=wanted.launcher,
            targets=options.targets,
            at_once=wanted.at_once,
            on_event=Watcher(lambda _text: None),
            on_step=lambda text: show(f"{text} … (Ctrl-C stops it)"),
        )
    print_found(options, lambda: bisection_to_json(found), lambda: bisection_to_document(found))
    return 0
