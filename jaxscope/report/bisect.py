"""Where a property of a program changes, as a document and as JSON."""

from __future__ import annotations

from jaxscope.model.experiments import Bisection, BisectTrial
from jaxscope.report.document import Items, Listing, Section, Table
from jaxscope.schema.contract import Json, number_to_json


def describe_bisection(found: Bisection) -> str:
    """The answer in a sentence or two."""
    if found.good is None or found.bad is None:
        return found.reason
    told = (
        f"First bad: {found.bad.name} ({found.bad.text}). "
        f"The last good one is {found.good.name} ({found.good.text})."
    )
    if found.num_untold:
        told += f" {found.num_untold:,} between them could not be tried, so it may be one of these."
    return told


def bisection_to_document(found: Bisection) -> list[Section]:
    """The answer, what differs there, how to see it, and what was tried."""
    words = {True: "bad", False: "good", None: "not told"}
    tried = sorted(found.trials, key=lambda trial: trial.number)
    rows = [(str(t.number), words[t.is_bad], t.name, t.text) for t in tried]
    return [
        Section(blocks=[describe_bisection(found)]),
        Section("What differs between the two", [Items(found.difference)])
        if found.difference
        else Section(),
        Section("To see it again", [Listing(found.script)]) if found.script else Section(),
        Section(
            f"{found.measure} over {found.over}: {len(tried):,} of {found.num_points:,} tried",
            [Table(("", "", "point", found.measure), rows)],
        ),
    ]


def bisection_to_json(found: Bisection) -> Json:
    """All that was found; null for what is not known."""
    return {
        "call": found.call,
        "over": found.over,
        "for": found.measure,
        "points": found.num_points,
        "first_bad": _trial(found.bad),
        "last_good": _trial(found.good),
        "untold_between": found.num_untold,
        "difference": list(found.difference),
        "script": found.script or None,
        "reason": found.reason or None,
        "trials": [_trial(trial) for trial in found.trials],
    }


def _trial(trial: BisectTrial | None) -> Json | None:
    if trial is None:
        return None
    return {
        "number": trial.number,
        "name": trial.name,
        "value": number_to_json(trial.value),
        "text": trial.text,
        "bad": trial.is_bad,
    }
