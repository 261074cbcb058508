"""`jaxscope roofline FILE [CALL]`: work and traffic of kernels, under what the machine reaches."""

from __future__ import annotations

import json
import shlex

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import print_text
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, run_options, show_progress, target_options
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CalibrationRequest
from jaxscope.errors import Explanation, UsageError
from jaxscope.model.hardware import Ceilings, Chip, chip_names, chip_of_target, find_chip
from jaxscope.program.cost.attribution import RowKind, find_cost_change
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.fates.table import link_products
from jaxscope.program.roofline import find_roofline
from jaxscope.report.cost_changes import cost_change_to_json, cost_change_to_text, notes_of
from jaxscope.report.roofline import roofline_to_json, roofline_to_text
from jaxscope.schema.ceilings_file import store_ceilings, stored_ceilings
from jaxscope.schema.contract import environment_to_json
from jaxscope.schema.safe_text import make_safe


def run(options: Options) -> int:
    """Capture the call or reopen a capture, calibrate if asked to, and print.

    Raises:
        JaxscopeError: The call failed, or the machine cannot be measured.
    """
    chip = _named_chip(options.chip)
    with show_progress() as show:
        watcher = Watcher(show)
        capture = obtain_capture(options, watcher)
        if options.calibrate:
            request = CalibrationRequest(**target_options(options), **run_options(options))
            measured = ask(request, Ceilings, watcher)
            store_ceilings(measured)
    if options.calibrate:
        ceilings: Ceilings | None = measured
    else:
        chip = chip or chip_of_target(capture.target)
        ceilings = chip.ceilings() if chip else stored_ceilings(capture.environment)
    trips = find_trip_counts(capture)
    found = find_roofline(link_products(capture), trips, capture.stage("machine"))
    changes = {by: find_cost_change(capture, by) for by in RowKind}
    if options.is_json:
        before = find_roofline(capture.stage("hlo"), trips)
        report = {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            **roofline_to_json(found, ceilings, capture.target),
            "before_optimization": roofline_to_json(before, ceilings, capture.target),
            "cost": {by.value: cost_change_to_json(change) for by, change in changes.items()},
        }
        print_text(json.dumps(report, indent=2, allow_nan=False))
    else:
        text = [roofline_to_text(capture, found, ceilings, _calibration(options))]
        for by, change in changes.items():
            text += cost_change_to_text(change, f"before and after optimization, by {by.value}")
        text += ["", *notes_of(changes.values())]
        print_text(make_safe("\n".join(text)))
    return 0


def _calibration(options: Options) -> str:
    """The command that measures what the machine reaches; none for a chip that is not there."""
    if options.target.startswith("aot:"):
        return ""
    words = ["jaxscope", "roofline", str(options.file)]
    words += [options.call] if options.call else []
    words += ["--target", options.target] if options.target != "cpu" else []
    words += ["--python", str(options.python)] if options.python else []
    words += ["--x64"] if options.x64 else []
    return shlex.join([*words, "--calibrate"])


def _named_chip(name: str | None) -> Chip | None:
    """The chip whose published limits were asked for.

    Raises:
        UsageError: No such chip is described here.
    """
    if name is None:
        return None
    chip = find_chip(name)
    if chip is None:
        raise UsageError(
            Explanation(
                what=f"Nothing is kept here about a chip {name[:60]!r}.",
                remedy=f"Chips are {', '.join(chip_names())}.",
            )
        )
    return chip
