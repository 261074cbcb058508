"""Differences of costs, times and memory, with what each means and whether it can be compared."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator

from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Leaf, Measurement, Stage, Timing, Unavailable, is_available
from jaxscope.model.capture import MemoryPlan
from jaxscope.model.said import say, say_count, say_joined, template
from jaxscope.model.units import (
    format_bytes,
    format_flops,
    format_seconds,
    format_share,
    three_digits,
)
from jaxscope.program.cost.work import BRANCHES, Work

Format = Callable[[float], str]

FIRST, SECOND = say("first"), say("second")
"""The sides."""

PEAK = say("allocated for a run")
"""The quantity of memory that has to fit: all of XLA's plan."""

_NOT_COMPARED = template("Not compared: {why}")


@dataclass(frozen=True, slots=True)
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
            ("FLOPs", "FLOP", before.flops, after.flops, say("arithmetic")),
            (
                say("bytes accessed"),
                "bytes",
                before.bytes_accessed,
                after.bytes_accessed,
                say("memory traffic, by XLA's rules"),
            ),
            (
                say("transcendentals"),
                "calls",
                before.transcendentals,
                after.transcendentals,
                say("calls of functions such as exp and tanh"),
            ),
        )
    )


def _find_unlike(first: Work, second: Work) -> Unavailable | None:
    """Why figures that leave out another part each do not compare, or None."""
    sides = [(w.num_unbounded, w.num_unknown, w.is_of_rounds) for w in (first, second)]
    if sides[0] == sides[1]:
        return None
    leaves = say("They leave out what is not known.")
    return Unavailable(say_joined((leaves, _tell_counting(first, second))))


def _tell_counting(first: Work, second: Work) -> str:
    """How the figures were counted, in sentences; which side a note is of, where it is of one."""
    told: list[str] = []
    for note in dict.fromkeys((*first.notes, *second.notes)):
        if note == BRANCHES:
            told.append(say("Of a condition's branches the dearest counts."))
        elif note in first.notes and note in second.notes:
            told.append(note)
        else:
            side = FIRST if note in first.notes else SECOND
            told.append(say("On the {side} side: {note}", side=side, note=note))
    return say_joined(told)


def _with_counting(found: QuantityDifference, counting: str) -> QuantityDifference:
    if not (counting and found.is_comparable):
        return found
    return dataclasses.replace(found, meaning=say_joined((found.meaning, counting)))


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
        devices = (say_count(capture.num_devices, "device") for capture in (first, second))
        return Unavailable(
            say(
                "One runs on {ours}, the other on {theirs}: the costs are of one device's part "
                "each.",
                ours=next(devices),
                theirs=next(devices),
            ),
            stage,
        )
    elif ours == theirs:
        return None
    return Unavailable(
        say(
            "The costs are of programs for different targets ({ours} and {theirs}): each counts "
            "its own instructions, per device, and leaves out what its own libraries do.",
            ours=ours,
            theirs=theirs,
        ),
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
        meaning = say(_NOT_COMPARED, why=missing)
    elif first.environment.host != second.environment.host:
        meaning = say("Not compared: the two were made on different machines.")
    else:
        meaning = say(
            "How long it took to make; one run each, so this tells no difference for sure."
        )
    return QuantityDifference(
        say("time to make"), "s", seconds[0], seconds[1], meaning, False, False
    )


def compare_memory(first: Capture, second: Capture) -> tuple[QuantityDifference, ...]:
    """Bytes of the arguments and of the results, and what XLA planned for the run.

    Of a program of several devices all is one device's part, by XLA's plan.
    """
    if max(first.num_devices, second.num_devices) > 1:
        return tuple(_compare_plans(first, second, with_arrays=True))
    results = say("what comes out")
    if max(len(first.results), len(second.results)) > 1:  # XLA's plan has a tuple of them
        results = say("what comes out, without the addresses of the arrays in a tuple")
    return (
        *(
            _compare(name, "bytes", _total(ours), _total(theirs), noun, None)
            for name, noun, ours, theirs in (
                (say("arguments"), say("what goes in"), first.arguments, second.arguments),
                (say("results"), results, first.results, second.results),
            )
        ),
        *_compare_plans(first, second),
    )


def _compare_plans(
    first: Capture, second: Capture, *, with_arrays: bool = False
) -> Iterator[QuantityDifference]:
    """XLA's two memory plans; those for different targets are only shown.

    Args:
        with_arrays: Whether arguments and results come first.
    """
    reason = find_cost_reason(first, second, "optimized")
    plans = []
    for side, capture in ((FIRST, first), (SECOND, second)):
        plan = capture.memory
        if isinstance(plan, Unavailable):
            why = say("on the {side} side: {why}", side=side, why=plan.reason)
            reason = reason or Unavailable(why)
            plan = MemoryPlan()
        plans.append(plan)
    ours, theirs = plans
    if with_arrays:
        for name, noun, before, after in (
            (
                say("arguments"),
                say("what goes in, on one device"),
                ours.argument_bytes,
                theirs.argument_bytes,
            ),
            (
                say("results"),
                say("what comes out, on one device"),
                ours.result_bytes,
                theirs.result_bytes,
            ),
        ):
            yield _compare(name, "bytes", before, after, noun, reason)
    for name, noun, before, after in (
        (
            say("temporaries"),
            say("what XLA allocates for each run besides arguments and results"),
            ours.temporary_bytes,
            theirs.temporary_bytes,
        ),
        (
            say("reused by donation"),
            say("results that lie where donated arguments were"),
            ours.aliased_bytes,
            theirs.aliased_bytes,
        ),
        (
            PEAK,
            say("arguments, results and temporaries by XLA's plan, what is aliased once"),
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
    pairs = ratio.describe_agreement()
    told = {
        "faster": say("The second takes less time{pairs}", pairs=pairs),
        "slower": say("The second takes longer{pairs}", pairs=pairs),
        "same": say("The median ratio is within 2 % of 1"),
    }.get(ratio.verdict, say("No difference that is sure"))
    meaning = say(
        "{told}: the first's time is {factor} times the second's. Compiled, measured in random "
        "turns.",
        told=told,
        factor=ratio.describe_factor(),
    )
    return (
        QuantityDifference(say("a call"), "s", before.median, after.median, meaning, True, False),
    )


def _timing_reason(
    first: Capture, second: Capture, before: Timing | None, after: Timing | None
) -> str:
    if before is None or after is None:
        side = FIRST if before is None else SECOND
        return say("Not compared: the {side} side was not measured.", side=side)
    if before.environment.host != after.environment.host:
        return say("Not compared: the two were measured on different machines.")
    if first.target != second.target or before.environment.device != after.environment.device:
        return say("Not compared: the two were measured on different devices.")
    return ""


def _compare_times(
    name: str, before: Measurement | None, after: Measurement | None, reason: str
) -> QuantityDifference:
    medians = [math.nan if m is None else m.median for m in (before, after)]
    if not reason and (before is None or after is None):
        reason = say("Not compared: {name} was measured on one side only.", name=name)
    if reason or before is None or after is None:
        return QuantityDifference(name, "s", medians[0], medians[1], reason, False, False)
    if not (before.confidence > 0 and after.confidence > 0):
        meaning = say("No difference that is sure: {why}.", why=_describe_sample(before, after))
    elif after.low > before.high or after.high < before.low:
        ours, theirs = _interval(before), _interval(after)
        word = say("longer") if after.low > before.high else say("less time")
        times = max(medians) / min(medians) if min(medians) > 0 else math.nan
        meaning = say(
            "The second takes {word}: {theirs} instead of {ours}; the longer time is {times} times "
            "the shorter. Measured one after the other, not in pairs.",
            word=word,
            theirs=theirs,
            ours=ours,
            times=three_digits(times),
        )
    else:
        meaning = say(
            "No difference that is sure: {before} and {after} overlap.",
            before=_interval(before),
            after=_interval(after),
        )
    return QuantityDifference(name, "s", medians[0], medians[1], meaning, True, False)


def _interval(measurement: Measurement) -> str:
    low, high = format_seconds(measurement.low), format_seconds(measurement.high)
    return say("{low} to {high}", low=low, high=high)


def _describe_sample(before: Measurement, after: Measurement) -> str:
    """Why two measurements have no intervals to compare."""
    if before.runs == after.runs == 1:
        return say("one run each")
    return say("one process shows no interval, and a busy machine none either")


def _compare(
    name: str, unit: str, before: float, after: float, noun: str, reason: Unavailable | None
) -> QuantityDifference:
    meaning: str
    if reason is not None:
        meaning, is_comparable = say(_NOT_COMPARED, why=reason.reason), False
    elif math.isnan(before) or math.isnan(after):
        sides = [side for side, v in ((FIRST, before), (SECOND, after)) if math.isnan(v)]
        where = say("either side") if len(sides) == 2 else say("the {side} side", side=sides[0])
        meaning = say("Not compared: it is not known on {where}.", where=where)
        is_comparable = False
    else:
        meaning, is_comparable = _meaning(before, after, unit, noun), True
    return QuantityDifference(name, unit, before, after, meaning, is_comparable)


def _meaning(before: float, after: float, unit: str, noun: str) -> str:
    if before == after:
        return say("The same on both sides: {noun}.", noun=noun)
    difference = format_quantity(abs(after - before), unit)
    word = say("more") if after > before else say("less")
    share = ""
    if before > 0 and after >= 2 * before:
        share = say(", {times} times as much", times=three_digits(after / before))
    elif before > 0 and after > 0:
        sign = "+" if after > before else "−"
        share = f" ({sign}{format_share(abs(after - before) / before, 1)})"
    return say(
        "The second has {difference} {word}{share}: {noun}.",
        difference=difference,
        word=word,
        share=share,
        noun=noun,
    )


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
