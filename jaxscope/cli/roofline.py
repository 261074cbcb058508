"""`jaxscope roofline FILE [CALL]`: work and traffic of kernels, under what the machine reaches."""

from __future__ import annotations

from jaxscope.cli.capture import obtain_timed
from jaxscope.cli.output import print_found
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CalibrationRequest
from jaxscope.errors import UsageError
from jaxscope.model import Capture
from jaxscope.model.hardware import Ceilings, Chip, chip_names, chip_of_target, find_chip
from jaxscope.model.targets import is_absent
from jaxscope.model.units import join_words
from jaxscope.program.cost.attribution import RowKind, find_cost_change
from jaxscope.program.cost.trip_counts import find_trip_counts
from jaxscope.program.fates.table import link_products
from jaxscope.program.roofline import find_roofline
from jaxscope.report.diff import cost_change_to_json, cost_change_to_section, notes_of
from jaxscope.report.document import Document, Section
from jaxscope.report.roofline import roofline_to_document, roofline_to_json
from jaxscope.schema.ceilings_file import store_ceilings, stored_ceilings
from jaxscope.schema.contract import Json, environment_to_json


def run(options: Options) -> int:
    """Capture the call or reopen a capture, calibrate if asked to, and print.

    Raises:
        JaxscopeError: The call failed, or the machine cannot be measured.
    """
    _named_chip(options.chip)  # a wrong name is said before anything runs
    with show_progress() as show:
        watcher = Watcher(show)
        capture, timing = obtain_timed(options, watcher)
        if options.calibrate:
            measured = store_ceilings(
                ask(request_of(CalibrationRequest, options), Ceilings, watcher)
            )
    if options.calibrate:
        ceilings: Ceilings | None = measured
    else:
        ceilings = find_ceilings(options, capture)
    trips = find_trip_counts(capture)
    found = find_roofline(link_products(capture), trips, capture.stage("machine"))
    changes = {by: find_cost_change(capture, by) for by in RowKind}

    def to_json() -> Json:
        before = find_roofline(capture.stage("hlo"), trips)
        return {
            "call": capture.call,
            "environment": environment_to_json(capture.environment),
            **roofline_to_json(found, ceilings, capture.target, timing),
            "before_optimization": roofline_to_json(before, ceilings, capture.target),
            "cost": {by.value: cost_change_to_json(change) for by, change in changes.items()},
        }

    def to_document() -> Document:
        return [
            *roofline_to_document(capture, found, ceilings, _calibration(options), timing),
            *(
                cost_change_to_section(change, f"before and after optimization, by {by.value}")
                for by, change in changes.items()
            ),
            Section(blocks=notes_of(changes.values())),
        ]

    print_found(options, to_json, to_document)
    return 0


def find_ceilings(options: Options, capture: Capture) -> Ceilings | None:
    """What the named chip can do, or that of the target, or what was measured on this machine.

    Raises:
        UsageError: No such chip is described here.
    """
    chip = _named_chip(options.chip) or chip_of_target(capture.target)
    return chip.ceilings() if chip else stored_ceilings(capture.environment)


def _calibration(options: Options) -> str:
    """The command that measures what the machine reaches; none for a chip that is not there."""
    if is_absent(options.target):
        return ""
    words = ["jaxscope", "roofline", str(options.file)]
    words += [options.call] if options.call else []
    words += ["--target", options.target] if options.target != "cpu" else []
    words += ["--python", str(options.python)] if options.python else []
    words += ["--x64"] if options.x64 else []
    return join_words([*words, "--calibrate"])


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
            f"Nothing is kept here about a chip {name[:60]!r}.",
            remedy=f"Chips are {', '.join(chip_names())}.",
        )
    return chip
