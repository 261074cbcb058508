"""Names, protocols and messages of measurements: raw durations and ratios, sent as they become
known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

import numpy as np

from jaxscope.model.said import said, say, say_joined, template
from jaxscope.worker.channel import Channel
from jaxscope.worker.timing.stopwatch import LEAST_ROUNDS, CallDurations, Rounds, Subject

# What the parts of a timing are called, and how they were measured, in words.


def name_form(prefix: str) -> str:
    """What a prefix of names stands for, such as `gradient`."""
    return said(prefix.removesuffix("_").replace("_", " ")) if prefix else say("program")


def format_duration(seconds: float) -> str:
    """Such as `40 s` or `12 min`."""
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


def dispatch_name(name: str) -> str:
    """Of `jit` it is `dispatch`; of `gradient_eager` it is `gradient_eager_dispatch`."""
    return "dispatch" if name == "jit" else f"{name}_dispatch"


def wait_name(name: str) -> str:
    """Of `jit` it is `wait`; of `gradient_eager` it is `gradient_eager_wait`."""
    return "wait" if name == "jit" else f"{name}_wait"


DISPATCH = say(
    "Until the call returned, its result not awaited: no measure of how long the work takes."
)
WAIT = say("From the return of the call until its result was ready.")
KEPT_PROTOCOL = say(
    "The same calls one after another, once the C library was told to keep freed memory (mallopt), "
    "so that the system does not have to give and clear pages anew."
)
SO_FAR_ONCE = say("So far: the second call after compiling.")
WARM_UP = template(
    "Partial: the {count} calls of the warm-up, one after another and before it need be steady; "
    "no pairs were timed after it."
)


def describe_failed_form(call_number: int, *, has_only_warm_up: bool = False) -> str:
    """What became of a form of which this call failed; the first call leaves nothing to keep.

    Args:
        has_only_warm_up: Whether only calls of its warm-up are left of it.
    """
    if has_only_warm_up:
        return say(
            "failed at call {number}, so only calls of its warm-up are left: partial",
            number=call_number,
        )
    if call_number > 1:
        return say(
            "failed at call {number}, so its durations are partial or missing", number=call_number
        )
    return say("could not be measured")


def describe_turns(side: CallDurations, rounds: Rounds) -> str:
    """What the calls of a side stood in, such as `random pairs of chunks of 20`."""
    own, *others = (_unit(each) for each in sorted(rounds.sides, key=lambda each: each is not side))
    if not others:
        return own
    if others == [own]:
        return say("random pairs of {units}", units=own)
    return say(
        "random pairs, {units} of this form and {others} of the other", units=own, others=others[0]
    )


def _unit(side: CallDurations) -> str:
    if side.num_per_chunk > 1:
        return say("chunks of {num}", num=side.num_per_chunk)
    return say("single calls")


def describe_protocol(
    subject: Subject, side: CallDurations, rounds: Rounds, budget_s: float
) -> str:
    """How steady calls were measured, in two or three sentences.

    Args:
        budget_s: Seconds that the pairs could take.
    """
    spent_s = sum(sum(recording.total_s) for recording in rounds.sides)
    is_stretched = spent_s > 1.5 * budget_s and len(rounds.log_values) == LEAST_ROUNDS
    ends = {
        "precise": say("Ended when the pairs agreed."),
        "budget": say(
            "Ended by the budget of {seconds:.2g} s, stretched until there were {num} rounds.",
            seconds=budget_s,
            num=LEAST_ROUNDS,
        )
        if is_stretched
        else say("Ended by the budget of {seconds:.2g} s.", seconds=budget_s),
    }
    each = (
        say("Calls so fast that {num} were timed together", num=subject.num_inner)
        if subject.num_inner > 1
        else say("Each call timed by itself")
    )
    told = say(
        "{each} until its result was ready, in {turns}{left_out}, garbage collector off.",
        each=each,
        turns=describe_turns(side, rounds),
        left_out=say(", the first calls of each left out") if side.num_dropped else "",
    )
    return say_joined((told, ends.get(rounds.stopped, "")))


# Sends what was measured as it becomes known: raw durations, and when they were taken.


Span = tuple[float, float]
"""Beginning and end, in seconds on the stopwatch's clock."""


class MeasurementSender:
    """Sends the measurements of one run.

    Attributes:
        names: Of what was sent so far.
    """

    def __init__(self, channel: Channel, zero_s: float) -> None:
        """Send to a channel.

        Args:
            zero_s: The start of the run on the stopwatch's clock; spans are sent relative to it.
        """
        self.names: set[str] = set()
        self._channel = channel
        self._zero_s = zero_s

    def send(
        self,
        name: str,
        durations: Sequence[float],
        protocol: str,
        *,
        span: Span | None = None,
        detail: str = "",
        steady_from: int = 0,
        page_faults: float = math.nan,
        compilations: float = 0.0,
    ) -> None:
        """Send the durations of calls, if there are any.

        Args:
            steady_from: Number of the call from which on calls were steady; 0 where none is known.
            page_faults: Median of a call; NaN where they were not counted.
            compilations: Traces and compilations in a call.
        """
        if not durations:
            return
        self.names.add(name)
        began, ended = (None, None) if span is None else (end - self._zero_s for end in span)
        self._channel.send(
            "measurement",
            {
                "name": name,
                "protocol": protocol,
                "detail": detail,
                "began": began,
                "ended": ended,
                "steady_from": steady_from,
                "page_faults": None if math.isnan(page_faults) else page_faults,
                "compilations": compilations,
            },
            {"seconds": np.asarray(durations, np.float64)},
        )

    def send_device(self, name: str, busy_s: Sequence[float]) -> None:
        """Send for how long each of some calls kept the device at work, if there were any."""
        if len(busy_s):
            self._channel.send(
                "device_time", {"name": name}, {"seconds": np.asarray(busy_s, np.float64)}
            )


# Send what pairs of chunks gave: whole calls, dispatch and wait apart, and their ratio.


_LAST_CALLS = 20


def send_rounds(
    readings: MeasurementSender,
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
        protocol = describe_protocol(subject, recording, rounds, budget_s)
        # The two calls before the warm-up count as well, and people count from one.
        steady_from = 0 if subject.steady_call is None else subject.steady_call + 3
        waits_s = [
            max(total_s - dispatch_s, 0.0)
            for dispatch_s, total_s in zip(recording.dispatch_s, recording.total_s, strict=True)
        ]
        for name, durations, meaning in (
            (subject.name, recording.total_s, ""),
            (dispatch_name(subject.name), recording.dispatch_s, DISPATCH),
            (wait_name(subject.name), waits_s, WAIT),
        ):
            is_whole = name == subject.name
            readings.send(
                name,
                durations,
                say_joined((meaning, protocol)),
                span=span,
                steady_from=steady_from,
                detail=subject.detail if is_whole else "",
                page_faults=median(recording.page_faults or [math.nan]) if is_whole else math.nan,
                compilations=recording.num_compilations / max(len(durations), 1) if is_whole else 0,
            )


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


def send_so_far(readings: MeasurementSender, subject: Subject) -> None:
    """Send what is known of a warm form before it is measured: a first eager call may take long."""
    durations = subject.warm_up_s[-_LAST_CALLS:]
    protocol = SO_FAR_ONCE
    if durations:
        protocol = say(
            "So far: the last {count} calls of the warm-up, one after another.",
            count=len(durations),
        )
    durations = durations or [subject.typical_s]  # slow calls are warm without a warm-up
    readings.send(subject.name, durations, protocol, detail="so far")


def send_warm_up(readings: MeasurementSender, subject: Subject) -> None:
    """Send the calls of a warm-up where nothing followed: all that is known of that form."""
    durations = subject.warm_up_s
    if subject.name not in readings.names:
        protocol = say(WARM_UP, count=len(durations))
        readings.send(f"{subject.name}_warm_up", durations, protocol, detail="partial")
