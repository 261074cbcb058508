"""`jaxscope memory FILE [CALL]`: what a call needs of memory."""

from __future__ import annotations

import json

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, run_options, show_progress, target_options
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import RematRequest
from jaxscope.model import Capture
from jaxscope.model.experiments import RematPolicies
from jaxscope.report.memory import MemoryReport, memory_report_to_json, memory_to_text
from jaxscope.report.remat import remat_to_json, remat_to_text
from jaxscope.schema.contract import environment_to_json, memory_to_json
from jaxscope.schema.safe_text import make_safe


def run(options: Options) -> int:
    """Capture the call, or reopen a capture, and print its memory; with remat policies if asked.

    Raises:
        JaxscopeError: The call failed, or has no gradient to compare policies for.
    """
    with show_progress() as show:
        watcher = Watcher(show)
        capture = obtain_capture(options, watcher)
        remat = _compare_policies(options, capture, watcher) if options.remat else None
    report = MemoryReport(capture)
    if options.is_json:
        found = {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            "memory": memory_to_json(capture.memory),
            **memory_report_to_json(report),
            "remat": None if remat is None else remat_to_json(remat),
        }
        print_text(json.dumps(found, indent=2, allow_nan=False))
    else:
        told = () if remat is None else remat_to_text(remat)
        print_text(make_safe("\n".join([memory_to_text(report), *told])))
    return 0


def _compare_policies(options: Options, capture: Capture, watcher: Watcher) -> RematPolicies:
    request = RematRequest(
        named_program(options), capture.call, **target_options(options), **run_options(options)
    )
    return ask(request, RematPolicies, watcher)
