"""Differences of costs, times and memory, with what each means and whether it can be compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from jaxscope.model import Capture, Leaf, Measurement, Stage, Timing, Unavailable, is_available
from jaxscope.model.capture import MemoryPlan
from jaxscope.model.units import (
    format_bytes,
    format_count,
    format_flops,
    format_seconds,
    format_share,
    three_digits,
)
from jaxscope.program.cost.work import BRANCHES, Work

Format = Callable[[float], str]

PEAK = "needed while it runs"
"""The quantity of memory that has to fit."""


@dataclasses.dataclass(frozen=True, slots=True)
class QuantityDifference:
    """One quantity on both sides.

    Attributes:
        name: What is compared, such as `FLOPs`.
        unit: `FLOP`, `bytes`, `calls` or `s`.
        before: On the first side; NaN where unknown.
        after: On the second side; NaN where unknown.
        meaning: One sentence: what the difference is, or why there is none.
        is_comparable: Whether both numbers are known and mean the same thing.
        is_countable: Whether the number is a property of the program, so that a difference makes
            the two unequal; times and their likes are not.
    """

    name: str
    unit: str
    before: float
    after: float
    meaning: str
    is_comparable: bool
    is_countable: bool = True

    @property
    def differs(self) -> bool:
        """Whether the programs differ in it."""
        return self.is_comparable and self.is_countable and self.before != self.after


def format_quantity(value: float, unit: str) -> str:
    """A number with its unit; `unknown` for NaN."""
    return _FORMATS[unit](value)


def compare_costs(
    first: Work, second: Work, reason: Unavailable | None
) -> tuple[QuantityDifference, ...]:
    """FLOPs, bytes accessed and transcendentals of one run of a stage, with the dearest branches.

    Args:
        first: Of the first side.
        second: Of the second side.
        reason: Why the two costs do not mean the same, or None.
    """
    before, after = first.high, second.high
    counting = _tell_counting(first, second)
    reason = reason or _find_unlike(first, second)
    return tuple(
        _with_counting(_compare(name, unit, ours, theirs, noun, reason), counting)
        for name, unit, ours, theirs, noun in (
            ("FLOPs", "FLOP", before.flops, after.flops, "arithmetic"),
            (
                "bytes accessed",
                "bytes",
                before.bytes_accessed,
                after.bytes_accessed,
                "memory traffic, by XLA's rules",
            ),
            (
                "transcendentals",
                "calls",
                before.transcendentals,
                after.transcendentals,
                "calls of functions such as exp and tanh",
            ),
        )
    )


def _find_unlike(first: Work, second: Work) -> Unavailable | None:
    """Why figures that leave out another part each do not compare, or None."""
    sides = [(w.num_unbounded, w.num_unknown, w.is_of_rounds) for w in (first, second)]
    if sides[0] == sides[1]:
        return None
    return Unavailable(f"They leave out what is not known. {_tell_counting(first, second)}")


def _tell_counting(first: Work, second: Work) -> str:
    """How the figures were counted, in sentences; which side a note is of, where it is of one."""
    told = []
    for note in dict.fromkeys((*first.notes, *second.notes)):
        if note == BRANCHES:
            told.append("Of a condition's branches the dearest counts.")
        elif note in first.notes and note in second.notes:
            told.append(note)
        else:
            told.append(f"On the {'first' if note in first.notes else 'second'} side: {note}")
    return " ".join(told)


def _with_counting(found: QuantityDifference, counting: str) -> QuantityDifference:
    if not (counting and found.is_comparable):
        return found
    return dataclasses.replace(found, meaning=f"{found.meaning} {counting}")


def find_cost_reason(first: Capture, second: Capture, stage: str) -> Unavailable | None:
    """Why the costs of a stage do not mean the same on both sides, or None.

    Equations are counted by the same rules everywhere. What a compiler made for another kind of
    device, or for another number of them, is counted by its own program.
    """
    if stage not in ("hlo", "optimized", "passes", "machine"):
        return None
    ours, theirs = first.target or "cpu", second.target or "cpu"
    if first.environment.platform != second.environment.platform:
        ours, theirs = first.environment.platform, second.environment.platform
    elif stage != "hlo" and first.num_devices != second.num_devices:
        ours, theirs = (format_count(capture.num_devices, "device") for capture in (first, second))
        return Unavailable(
            f"One runs on {ours}, the other on {theirs}: the costs are of one device's part each.",
            stage,
        )
    elif ours == theirs:
        return None
    return Unavailable(
        f"The costs are of programs for different targets ({ours} and {theirs}): each counts "
        "its own instructions, per device, and leaves out what its own libraries do.",
        stage,
    )


def compare_stage_seconds(
    first: Capture, second: Capture, before: Stage, after: Stage
) -> QuantityDifference:
    """How long JAX or XLA took to make a stage: one run each, so only shown, never judged."""
    seconds = [
        stage.seconds if is_available(stage.seconds) else math.nan for stage in (before, after)
    ]
    missing = next(
        (s.seconds.reason for s in (before, after) if isinstance(s.seconds, Unavailable)), ""
    )
    if missing:
        meaning = f"Not compared: {missing}"
    elif first.environment.host != second.environment.host:
        meaning = "Not compared: the two were made on different machines."
    else:
        meaning = "Took to make; one run each, so this tells no difference for sure."
    return QuantityDifference("time to make", "s", seconds[0], seconds[1], meaning, False, False)


def compare_memory(first: Capture, second: Capture) -> tuple[QuantityDifference, ...]:
    """Bytes of the arguments and of the results, and what XLA planned for the run."""
    whole = max(first.num_devices, second.num_devices) > 1
    of = " as whole arrays; of temporaries and what is needed it is one device's part" * whole
    return (
        *(
            _compare(name, "bytes", _total(ours), _total(theirs), f"{noun}{of}", None)
            for name, noun, ours, theirs in (
                ("arguments", "what goes in", first.arguments, second.arguments),
                ("results", "what comes out", first.results, second.results),
            )
        ),
        *_compare_plans(first, second),
    )


def _compare_plans(first: Capture, second: Capture) -> Iterator[QuantityDifference]:
    """XLA's two memory plans; those for different targets are only shown."""
    reason = find_cost_reason(first, second, "optimized")
    plans = []
    for side, capture in (("first", first), ("second", second)):
        plan = capture.memory
        if isinstance(plan, Unavailable):
            reason = reason or Unavailable(f"on the {side} side: {plan.reason}")
            plan = MemoryPlan()
        plans.append(plan)
    ours, theirs = plans
    for name, noun, before, after in (
        (
            "temporaries",
            "what XLA allocates for each run besides arguments and results",
            ours.temporary_bytes,
            theirs.temporary_bytes,
        ),
        (
            "reused by donation",
            "results that lie where donated arguments were",
            ours.aliased_bytes,
            theirs.aliased_bytes,
        ),
        (
            PEAK,
            "arguments, results and temporaries by XLA's plan, what is aliased once",
            ours.total_bytes,
            theirs.total_bytes,
        ),
    ):
        yield _compare(name, "bytes", before, after, noun, reason)


def compare_timings(
    first: Capture, second: Capture, before: Timing | None, after: Timing | None
) -> tuple[QuantityDifference, ...]:
    """Measured times; empty where neither side was measured."""
    if before is None and after is None:
        return ()
    names = [m.name for timing in (before, after) if timing for m in timing.measurements]
    reason = _timing_reason(first, second, before, after)
    return tuple(
        _compare_times(
            name,
            None if before is None else before.measurement(name),
            None if after is None else after.measurement(name),
            reason,
        )
        for name in dict.fromkeys(names)
    )


def describe_paired_times(timing: Timing) -> tuple[QuantityDifference, ...]:
    """What two programs took that were measured in turns; empty where they were not.

    Args:
        timing: With the measurements `first` and `second`, and the ratio of the two.
    """
    before, after = timing.measurement("first"), timing.measurement("second")
    ratio = next((ratio for ratio in timing.ratios if ratio.name == "first/second"), None)
    if before is None or after is None or ratio is None:
        return ()
    said = {
        "faster": f"The second takes less time{ratio.describe_agreement()}",
        "slower": f"The second takes longer{ratio.describe_agreement()}",
        "same": "The median ratio is within 2 % of 1",
    }.get(ratio.verdict, "No difference that is sure")
    meaning = (
        f"{said}: the first's time is {ratio.describe_factor()} times the second's. "
        "Compiled, measured in random turns."
    )
    return (QuantityDifference("a call", "s", before.median, after.median, meaning, True, False),)


def _timing_reason(
    first: Capture, second: Capture, before: Timing | None, after: Timing | None
) -> str:
    if before is None or after is None:
        side = "first" if before is None else "second"
        return f"Not compared: the {side} side was not measured."
    if before.environment.host != after.environment.host:
        return "Not compared: the two were measured on different machines."
    if first.target != second.target or before.environment.device != after.environment.device:
        return "Not compared: the two were measured on different devices."
    return ""


def _compare_times(
    name: str, before: Measurement | None, after: Measurement | None, reason: str
) -> QuantityDifference:
    medians = [math.nan if m is None else m.median for m in (before, after)]
    if not reason and (before is None or after is None):
        reason = f"Not compared: {name} was measured on one side only."
    if reason or before is None or after is None:
        return QuantityDifference(name, "s", medians[0], medians[1], reason, False, False)
    if not (before.confidence > 0 and after.confidence > 0):
        meaning = f"No difference that is sure: {_describe_sample(before, after)}."
    elif after.low > before.high or after.high < before.low:
        ours, theirs = _interval(before), _interval(after)
        word = "longer" if after.low > before.high else "less time"
        times = max(medians) / min(medians) if min(medians) > 0 else math.nan
        meaning = (
            f"The second takes {word}: {theirs} instead of {ours}; "
            f"the longer time is {three_digits(times)} times the shorter. Measured one after "
            "the other, not in pairs."
        )
    else:
        meaning = f"No difference that is sure: {_interval(before)} and {_interval(after)} overlap."
    return QuantityDifference(name, "s", medians[0], medians[1], meaning, True, False)


def _interval(measurement: Measurement) -> str:
    return f"{format_seconds(measurement.low)} to {format_seconds(measurement.high)}"


def _describe_sample(before: Measurement, after: Measurement) -> str:
    """Why two measurements have no intervals to compare."""
    if before.runs == after.runs == 1:
        return "one run each"
    return "one process shows no interval, and a busy machine none either"


def _compare(
    name: str, unit: str, before: float, after: float, noun: str, reason: Unavailable | None
) -> QuantityDifference:
    if reason is not None:
        meaning, is_comparable = f"Not compared: {reason.reason}", False
    elif math.isnan(before) or math.isnan(after):
        sides = [side for side, v in (("first", before), ("second", after)) if math.isnan(v)]
        where = "either side" if len(sides) == 2 else f"the {sides[0]} side"
        meaning, is_comparable = f"Not compared: it is not known on {where}.", False
    else:
        meaning, is_comparable = _meaning(before, after, unit, noun), True
    return QuantityDifference(name, unit, before, after, meaning, is_comparable)


def _meaning(before: float, after: float, unit: str, noun: str) -> str:
    if before == after:
        return f"The same on both sides: {noun}."
    difference = format_quantity(abs(after - before), unit)
    word = "more" if after > before else "less"
    share = ""
    if before > 0 and after >= 2 * before:
        share = f", {three_digits(after / before)} times as much"
    elif before > 0 and after > 0:
        sign = "+" if after > before else "−"
        share = f" ({sign}{format_share(abs(after - before) / before, 1)})"
    return f"The second has {difference} {word}{share}: {noun}."


def _total(leaves: tuple[Leaf, ...]) -> float:
    return float(sum(leaf.num_bytes for leaf in leaves if not leaf.is_static))


def _format_calls(value: float) -> str:
    return "unknown" if math.isnan(value) else f"{value:,.0f}"


_FORMATS: dict[str, Format] = {
    "FLOP": format_flops,
    "bytes": format_bytes,
    "calls": _format_calls,
    "s": format_seconds,
}
