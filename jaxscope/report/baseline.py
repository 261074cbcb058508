"""A timing against one that was saved before: what has become slower, and what that rests on.

The two were measured in other processes, often days apart, and not in pairs that took turns. So
what changed on the machine meanwhile is in the factor between them, and little is said:

- Where both earned intervals (six fresh processes each, `--rigorous`), `slower` and `faster` take
  intervals that lie apart by more than `MARGIN`.
- Where not, they take middle halves of the samples that lie apart, and medians that differ by
  `ONE_PROCESS_FACTOR`: fresh processes of one program on a busy machine were seen to differ by a
  tenth in their middle half, and by more at the ends.
- Everything else is `unclear`. The cost is that of sorting the samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxscope.errors import UsageError
from jaxscope.late_dataclass import dataclass
from jaxscope.model.statistics import MARGIN
from jaxscope.model.timing import Measurement, Timing
from jaxscope.model.units import format_seconds, three_digits
from jaxscope.report.document import Section
from jaxscope.report.measurements import describe_spread
from jaxscope.schema.contract import Json, number_to_json

ONE_PROCESS_FACTOR = 1.5


@dataclass(frozen=True, slots=True)
class TimingChange:
    """The time of one steady call in a baseline and now.

    Attributes:
        now: As it was measured now.
        before: As the baseline has it.
        verdict: `slower`, `faster` or `unclear`, said of now.
    """

    now: Measurement
    before: Measurement
    verdict: str

    @property
    def factor(self) -> float:
        """How many times as long it takes now."""
        return self.now.median / self.before.median


def find_changes(now: Timing, before: Timing) -> list[TimingChange]:
    """Compare the compiled calls that both timings have.

    Raises:
        UsageError: The baseline is of another call or another device, or has none of them.
    """
    for what, first, second in (
        ("call", before.call, now.call),
        ("device", before.environment.device, now.environment.device),
    ):
        if first != second:
            raise UsageError(
                f"The baseline is of another {what}: {first}, not {second}.",
                why="Durations of the two say nothing about each other.",
                remedy="Save a baseline of this one with --save FILE.",
            )
    steady = {each.name: each for each in before.measurements if _is_steady(each)}
    changes = [
        TimingChange(each, steady[each.name], judge_change(each, steady[each.name]))
        for each in now.measurements
        if _is_steady(each) and each.name in steady
    ]
    if not changes:
        raise UsageError("The baseline and this timing have no compiled call in common.")
    return changes


def _is_steady(measurement: Measurement) -> bool:
    name = measurement.name
    return name.endswith("jit") and measurement.runs > 1 and measurement.median > 0.0


def judge_change(now: Measurement, before: Measurement) -> str:
    """`slower` or `faster` where the two are surely apart, else `unclear`."""
    is_earned = now.confidence > 0 and before.confidence > 0
    least = 1.0 + MARGIN if is_earned else ONE_PROCESS_FACTOR
    (low, high), (low_before, high_before) = (
        (each.low, each.high) if is_earned else _find_middle(each.samples) for each in (now, before)
    )
    factor = now.median / before.median
    if factor > least and low > high_before * (1.0 + MARGIN if is_earned else 1.0):
        return "slower"
    if factor < 1.0 / least and high * (1.0 + MARGIN if is_earned else 1.0) < low_before:
        return "faster"
    return "unclear"


def _find_middle(samples: Sequence[float]) -> tuple[float, float]:
    """Between what the middle half of the samples lies."""
    low, high = np.quantile(np.asarray(samples, float), (0.25, 0.75)) if samples else (0.0, 0.0)
    return float(low), float(high)


def is_slower(changes: Sequence[TimingChange]) -> bool:
    """Whether any of the calls is."""
    return any(change.verdict == "slower" for change in changes)


def baseline_to_section(changes: Sequence[TimingChange], before: Timing) -> Section:
    """The answer first, then each call with its range, then what the verdicts rest on."""
    title = (
        "Slower than the baseline."
        if is_slower(changes)
        else "No call is surely slower than the baseline."
    )
    when = before.environment.recorded_at
    place = f"The baseline is of {when or 'an unknown time'}, JAX {before.environment.jax}"
    host = f", on {before.environment.host}." if before.environment.host else "."
    earned = all(change.now.confidence > 0 and change.before.confidence > 0 for change in changes)
    rule = (
        f"Slower and faster are said where the intervals lie apart by more than {MARGIN:.0%}."
        if earned
        else "Both must come from --rigorous to tell small differences: of single processes slower "
        f"is said from {ONE_PROCESS_FACTOR} times on, where the middle halves lie apart."
    )
    return Section(title, [*map(_describe, changes), place + host, rule])


def _describe(change: TimingChange) -> str:
    now, before = (
        f"{format_seconds(each.median)} ({describe_spread(each)})"
        for each in (change.now, change.before)
    )
    told = change.verdict if change.verdict != "unclear" else "no difference that is sure"
    name = change.now.name.replace("_", " ")
    return f"{name}: {now}, before {before}: {three_digits(change.factor)} times, {told}"


def baseline_to_json(changes: Sequence[TimingChange], before: Timing) -> Json:
    """What `jaxscope time --baseline --json` adds under `baseline`."""
    return {
        "recorded_at": before.environment.recorded_at or None,
        "slower": is_slower(changes),
        "changes": [
            {
                "name": change.now.name,
                "median": number_to_json(change.now.median),
                "before": number_to_json(change.before.median),
                "factor": number_to_json(change.factor),
                "verdict": change.verdict,
            }
            for change in changes
        ],
    }
