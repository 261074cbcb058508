"""`jaxscope memory FILE [CALL]`: what a call needs of memory."""

from __future__ import annotations

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import RematRequest
from jaxscope.model.experiments import RematPolicies
from jaxscope.report.document import Document
from jaxscope.report.memory import (
    MemoryReport,
    memory_report_to_json,
    memory_to_document,
    remat_to_document,
    remat_to_json,
)
from jaxscope.schema.contract import Json, environment_to_json, memory_to_json


def run(options: Options) -> int:
    """Capture the call, or reopen a capture, and print its memory; with remat policies if asked.

    Raises:
        JaxscopeError: The call failed, or has no gradient to compare policies for.
    """
    with show_progress() as show:
        watcher = Watcher(show)
        capture = obtain_capture(options, watcher)
        remat = None
        if options.remat:
            request = request_of(RematRequest, options, call=capture.call)
            remat = ask(request, RematPolicies, watcher)
    report = MemoryReport(capture)

    def to_json() -> Json:
        return {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            "memory": memory_to_json(capture.memory),
            **memory_report_to_json(report),
            "remat": None if remat is None else remat_to_json(remat),
        }

    def to_document() -> Document:
        return [*memory_to_document(report), *([] if remat is None else remat_to_document(remat))]

    print_found(options, to_json, to_document)
    return 0
