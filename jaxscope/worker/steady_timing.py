"""Send what pairs of chunks gave: whole calls, dispatch and wait apart, and their ratio."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxscope.worker.channel import Channel
from jaxscope.worker.readings import Readings
from jaxscope.worker.stopwatch import Rounds, Subject
from jaxscope.worker.timing_words import (
    DISPATCH,
    SO_FAR,
    WAIT,
    WARM_UP,
    describe_protocol,
    dispatch_name,
    wait_name,
)

_LAST_CALLS = 20


def send_rounds(
    readings: Readings,
    subjects: Sequence[Subject],
    rounds: Rounds,
    budget_s: float,
    now_s: float,
) -> None:
    """Send the durations of one subject alone or of two that took turns.

    Args:
        budget_s: Seconds that the pairs could take.
        now_s: On the stopwatch's clock.
    """
    span = (rounds.began_s, now_s)
    for subject, recording in zip(subjects, rounds.sides, strict=True):
        protocol = describe_protocol(subject, rounds, budget_s, paired=len(subjects) > 1)
        waits_s = [
            max(total_s - dispatch_s, 0.0)
            for dispatch_s, total_s in zip(recording.dispatch_s, recording.total_s, strict=True)
        ]
        for name, durations, meaning in (
            (subject.name, recording.total_s, ""),
            (dispatch_name(subject.name), recording.dispatch_s, DISPATCH),
            (wait_name(subject.name), waits_s, WAIT),
        ):
            readings.send(name, durations, meaning + protocol, span=span)


def send_ratio(
    channel: Channel, subjects: Sequence[Subject], rounds: Rounds, why_not: str = ""
) -> None:
    """Send the log-ratios of two subjects that took turns.

    Args:
        why_not: Why no verdict makes sense; empty where one does.
    """
    if len(subjects) == 2 and rounds.log_values:
        name = f"{subjects[0].name}/{subjects[1].name}"
        ratios = np.asarray(rounds.log_values, np.float64)
        fields = {"name": name, "why_not": why_not}
        channel.send("ratio", fields, {"log_ratios": ratios})


def send_so_far(readings: Readings, subject: Subject) -> None:
    """Send what is known of a warm form before it is measured: a first eager call may take long."""
    durations = subject.warm_up_s[-_LAST_CALLS:]
    protocol = SO_FAR.format(count=len(durations))
    readings.send(subject.name, durations, protocol, detail="so far")


def send_warm_up(readings: Readings, subject: Subject) -> None:
    """Send the calls of a warm-up where nothing followed: all that is known of that form."""
    durations = subject.warm_up_s
    if subject.name not in readings.names:
        protocol = WARM_UP.format(count=len(durations))
        readings.send(f"{subject.name}_warm_up", durations, protocol, detail="partial")
