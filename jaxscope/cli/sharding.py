"""`jaxscope sharding FILE [CALL]`: how a call is spread over devices."""

from __future__ import annotations

import json

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, show_progress
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.sharding import placement_to_json, placement_to_text
from jaxscope.schema.contract import environment_to_json
from jaxscope.schema.safe_text import make_safe


def run(options: Options) -> int:
    """Capture the call, or reopen a capture, and print how its arrays are cut and what is sent.

    Raises:
        JaxscopeError: The call failed.
    """
    with show_progress() as show:
        capture = obtain_capture(options, Watcher(show))
    report = PlacementReport(capture)
    if options.is_json:
        found = {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            "target": capture.target,
            "placement": placement_to_json(report),
        }
        print_text(json.dumps(found, indent=2, allow_nan=False))
    else:
        print_text(make_safe(placement_to_text(report)))
    return 0
