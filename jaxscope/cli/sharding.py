"""`jaxscope sharding FILE [CALL]`: how a call is spread over devices."""

from __future__ import annotations

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, show_progress
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.report.sharding import placement_to_document, placement_to_json
from jaxscope.schema.contract import Json, environment_to_json


def run(options: Options) -> int:
    """Capture the call, or reopen a capture, and print how its arrays are cut and what is sent.

    Raises:
        JaxscopeError: The call failed.
    """
    with show_progress() as show:
        capture = obtain_capture(options, Watcher(show))
    report = PlacementReport(capture)

    def to_json() -> Json:
        return {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            "target": capture.target,
            "placement": placement_to_json(report),
        }

    print_found(options, to_json, lambda: placement_to_document(report))
    return 0
