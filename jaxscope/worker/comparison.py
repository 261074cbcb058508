"""Answer a `compare` request: two programs, measured in random pairs, and their results."""

from __future__ import annotations

from typing import Any

import numpy as np

from jaxscope.worker.agreement import send_results
from jaxscope.worker.channel import Channel
from jaxscope.worker.comparison_side import (
    Prepared,
    costs_of,
    equalize_arguments,
    find_no_verdict,
    load_sides,
    prepare_side,
    send_durations,
)
from jaxscope.worker.explain import guard
from jaxscope.worker.measuring import (
    Laboratory,
    measure_together,
    open_laboratory,
    refuse_absent_target,
    warm_up,
)
from jaxscope.worker.stopwatch import SubjectFailed
from jaxscope.worker.timing_words import WARM_UP

DEFAULT_BUDGET_S = 3.0
PROTOCOL = (
    "Compiled; each call timed by itself until its result was ready, in random pairs of "
    "{unit}, the first calls of each left out, garbage collector off.{end}"
)
_ENDS = {
    "precise": " Ended when the pairs agreed.",
    "budget": " Ended at the budget of {budget_s:g} s.",
}


def handle_compare(request: dict[str, Any], channel: Channel) -> None:
    """Compile both programs, measure them against each other, and compare what they return.

    Raises:
        JaxscopeError: A file or a call is wrong, or one of the two does not run.
    """
    refuse_absent_target(request)
    first, second = load_sides(request, channel)
    budget_s = float(request.get("budget_s") or DEFAULT_BUDGET_S)
    with open_laboratory(channel, first.call.text, (first.path, second.path)) as laboratory:
        names = {"first": first.describe(second.path), "second": second.describe(first.path)}
        channel.send("sides", names)
        sides = [prepare_side(laboratory, side) for side in (first, second)]
        costs = {item.side.name: costs_of(item) for item in sides}
        channel.send(
            "costs",
            {name: found.numbers for name, found in costs.items()},
            {
                f"{name}.{column}": array
                for name, found in costs.items()
                for column, array in found.columns.items()
            },
        )
        send_results(channel, "first", "second", *(item.outcome for item in sides))
        equalize_arguments(sides)
        for item in sides:
            with guard("run", {first.path, second.path}):
                _warm_up(laboratory, item, budget_s / 8)
        channel.progress("pairs", "Measuring both in random pairs")
        _measure(laboratory, sides, budget_s)


def _warm_up(laboratory: Laboratory, item: Prepared, budget_s: float) -> None:
    """Raises: SubjectFailed: A call failed; those before it are sent."""
    subject = item.compiled.subject
    try:
        warm_up(laboratory, subject, budget_s)
    except SubjectFailed:
        durations = subject.warm_up_s
        protocol = WARM_UP.format(count=len(durations))
        name = f"{subject.name}_warm_up"
        send_durations(laboratory, name, durations, protocol)
        raise


def _measure(laboratory: Laboratory, sides: list[Prepared], budget_s: float) -> None:
    subjects = [item.compiled.subject for item in sides]
    rounds, failure = measure_together(laboratory, subjects, budget_s)
    unit = f"chunks of {rounds.num_per_chunk}" if rounds.num_per_chunk > 1 else "single calls"
    for subject, recording in zip(subjects, rounds.sides, strict=True):
        end = _ENDS.get(rounds.stopped, "").format(budget_s=budget_s)
        protocol = PROTOCOL.format(unit=unit, end=end)
        send_durations(laboratory, subject.name, recording.total_s, protocol)
        if recording.num_compilations:
            laboratory.warn(f"{subject.name} compiled again while it was measured.")
    no_verdict = [text for text in map(find_no_verdict, sides) if text]
    for text in no_verdict:
        laboratory.warn(text)
    if rounds.log_values:
        laboratory.channel.send(
            "ratio",
            {"name": "first/second", "why_not": " ".join(no_verdict)},
            {"log_ratios": np.asarray(rounds.log_values, np.float64)},
        )
    if failure is not None:
        laboratory.warn(f"Measuring ended early: {laboratory.describe(failure)}")
