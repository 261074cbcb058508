"""`jaxscope roofline FILE [CALL]`: work and traffic of kernels, under what the machine reaches."""

from __future__ import annotations

import json

from jaxscope.analysis.export.contract_json import environment_to_json
from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.analysis.roofline import find_roofline
from jaxscope.analysis.roofline_report import roofline_to_json, roofline_to_text
from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.progress import show_progress
from jaxscope.cli.runs import Watcher, run_options, target_options
from jaxscope.client.ceilings_collector import store_ceilings, stored_ceilings
from jaxscope.client.requests import CalibrationRequest
from jaxscope.client.run import ask
from jaxscope.model.roofline import Ceilings


def run(options: Options) -> int:
    """Capture the call or reopen a capture, calibrate if asked to, and print.

    Raises:
        JaxscopeError: The call failed, or the machine cannot be measured.
    """
    with show_progress() as show:
        watcher = Watcher(show)
        capture = obtain_capture(options, watcher)
        if options.calibrate:
            request = CalibrationRequest(**target_options(options), **run_options(options))
            measured = ask(request, Ceilings, watcher)
            store_ceilings(measured)
    ceilings = measured if options.calibrate else stored_ceilings(capture.environment)
    found = find_roofline(capture.stage("optimized"))
    if options.is_json:
        report = {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            **roofline_to_json(found, ceilings),
        }
        print_text(json.dumps(report, indent=2, allow_nan=False))
    else:
        print_text(make_safe(roofline_to_text(capture, found, ceilings)))
    return 0
