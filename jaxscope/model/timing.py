"""Measured durations of one call: samples with their interval, one profiled run instruction by
instruction, times per node and line, growth with size. Times in seconds.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment
from jaxscope.model.said import CLAUSES, Said, say, say_joined
from jaxscope.model.unavailable import Unavailable
from jaxscope.model.units import format_seconds, round_within, three_digits

# Measured durations, with their spread and how they were taken.


_NOISE = {
    "tail": ("One call in ten took more than ", "{:.1f}", " times the median."),
    "spread": ("The middle half of the calls spreads over ", "{:.0%}", " of the median."),
    "later": ("Later calls took ", "{:.1f}", " times as long as earlier ones."),
    "earlier": ("Earlier calls took ", "{:.1f}", " times as long as later ones."),
    "share": ("This process had a processor for ", "{:.0%}", " of the time it wanted one."),
    "others": (
        *("The machine is busy: other programs used ", "{:.1f}", " of {processors} processors."),
    ),
    "load": ("The machine is busy: load ", "{:.1f}", " on {processors} processors."),
}
"""Kind of a reason -> its sentence: what stands before the number, the number, what comes after."""
NOISES = tuple(f"{before}{{value}}{after}" for before, _, after in _NOISE.values())


@dataclass(frozen=True, slots=True)
class Noise:
    """Why durations are called noisy; as `str`, a sentence.

    Attributes:
        kind: `tail`, `spread`, `later` or `earlier` of the durations themselves; `share`, `others`
            or `load` of the machine that they were measured on.
        value: The number in the sentence: a factor, a share, or a count of processors.
        processors: Of the machine; 0 where the sentence has none.
    """

    kind: str
    value: float
    processors: int = 0

    def parts(self) -> tuple[str, str, str]:
        """The sentence around its number."""
        before, form, after = _NOISE[self.kind]
        return before, form.format(self.value), after.format(processors=self.processors)

    def __str__(self) -> str:
        return "".join(self.parts())

    def sentence(self) -> Said:
        """The same, to be said in another language."""
        before, form, after = _NOISE[self.kind]
        value = form.format(self.value)
        return say(f"{before}{{value}}{after}", value=value, processors=self.processors)

    def __post_init__(self) -> None:
        if self.kind not in _NOISE:
            raise ValueError(f"there is no noise of kind {self.kind!r}")


WITHOUT_JIT = "without its jit"
"""Detail of the eager form of a function that is jitted itself."""
TRANSFORMED = "transforms applied in each call"
"""Detail of the eager form of a call with transforms besides `jit`: Python runs them each time."""
KEPT = "_memory_kept"
"""How the names of measurements end that were taken with freed memory kept."""
_FEW_PAGE_FAULTS = 64
_PAGE_FAULT_S = 0.5e-6
"""To find, map and clear 4 KiB; more in virtual machines, where 2 µs were measured."""
_LEAST_SHARE = 0.02


def are_many_page_faults(page_faults: float, seconds: float) -> bool:
    """Whether a call of so many page faults and seconds would take notably less without them."""
    return page_faults >= _FEW_PAGE_FAULTS and page_faults * _PAGE_FAULT_S >= _LEAST_SHARE * seconds


def tell_page_faults(measurements: Sequence[Measurement]) -> list[str]:
    """A sentence on each form that gets its memory anew, with what it takes otherwise."""
    found = {measurement.name: measurement for measurement in measurements}
    told: list[str] = []
    for each in measurements:
        if not are_many_page_faults(each.page_faults, each.median):
            continue
        kept = found.get(f"{each.name}{KEPT}")
        found_anew = say(
            "{name}: memory was fetched anew, {faults:,.0f} page faults a call: what one call "
            "frees goes back to the system, and the next one gets it page by page.",
            name=each.name,
            faults=each.page_faults,
        )
        instead = (
            ""
            if kept is None
            else say(
                "With freed memory kept a call takes {kept} in place of {median}.",
                kept=format_seconds(kept.median),
                median=format_seconds(each.median),
            )
        )
        depends = say("Whether that happens depends on sizes, and for some on the process.")
        told.append(say_joined((found_anew, instead, depends)))
    return told


@dataclass(frozen=True, slots=True)
class Measurement:
    """One measured quantity.

    Attributes:
        name: Such as `eager`, `jit`, `trace`, `lower`, `compile`, `first_call`, `dispatch`.
        unit: Always `s`, seconds.
        median: Of the samples.
        low: Lower end of the interval that covers the median, or smallest of the samples where
            none was earned.
        high: Upper end, or largest of the samples.
        confidence: Coverage of the interval. NaN where none was earned: in one process, and on a
            busy machine.
        runs: Number of samples, or of processes where each sample is a process.
        samples: At most 1,000 of them, in the order taken.
        is_noisy: Whether the machine was busy, or the spread passes the thresholds of the protocol.
        protocol: One sentence: how it was measured.
        reasons: Why it is called noisy; sentences in captures that earlier releases saved.
        detail: A word or two that the name lacks, such as `cache hit`; may be empty.
        began: Seconds from the start of the run to the start of these readings; NaN where unknown.
        ended: The same to their end.
        device_seconds: Median seconds that a call kept the device at work, by its own recorder:
            never part of the other figures. NaN where it was not recorded.
        device_low: Lower end of the interval of that median.
        device_high: Upper end.
        steady_from: Number of the call from which on calls were steady; 0 where it is not known.
        page_faults: How many pages of memory the system gave to a call, in the median; NaN where
            they were not counted.
        compilations: Traces and compilations in a call; 0 of a warm one.
        num_processes: How many processes it was measured in.
    """

    name: str
    median: float
    low: float
    high: float
    confidence: float
    runs: int
    samples: tuple[float, ...]
    is_noisy: bool
    unit: str = "s"
    protocol: str = ""
    reasons: tuple[Noise | str, ...] = ()
    detail: str = ""
    began: float = math.nan
    ended: float = math.nan
    device_seconds: float = math.nan
    device_low: float = math.nan
    device_high: float = math.nan
    steady_from: int = 0
    page_faults: float = math.nan
    compilations: float = 0.0
    num_processes: int = 1

    def describe_protocol(self) -> str:
        """The protocol, with the call from which on calls were steady."""
        steady = say("Steady from call {number} on.", number=self.steady_from)
        return say_joined((self.protocol, steady if self.steady_from else ""))


WIDE = 10.0
"""Where the ends of a ratio's range are so many times apart, its median alone would mislead."""


@dataclass(frozen=True, slots=True)
class Ratio:
    """A paired ratio of two measured quantities.

    Attributes:
        name: Such as `eager/jit`.
        median: `exp` of the median of the chunks' log-ratios.
        low: Lower end of its interval, or the smallest that was observed where none was earned.
        high: Upper end, or the largest.
        verdict: `faster`, `slower`, `same` or `unclear`, said of the second against the first. What
            is not borne out by what stands beside it becomes `unclear`: an order where the range
            from `low` to `high` holds 1 and no number of agreeing pairs is known, and `same` where
            that range is too wide to quote.
        confidence: As that of a measurement.
        pairs: How many pairs of chunks, or of processes, it is from; 0 where that is not known.
        agreeing: How many of these have the order of the median; 0 where that is not known.
        why_not: Why no verdict makes sense, without a full stop: the two do different work, a
            program computes nothing, or no numbers. Empty where one does.
        is_noisy: Whether one of the two is noisy.
        remark: What to know of the two before the ratio is quoted; may be empty.
    """

    name: str
    median: float
    low: float
    high: float
    verdict: str = "unclear"
    confidence: float = math.nan
    pairs: int = 0
    why_not: str = ""
    is_noisy: bool = False
    remark: str = ""
    agreeing: int = 0

    def __post_init__(self) -> None:
        is_counted = self.agreeing > 0
        is_borne_out = {
            "faster": self.low > 1.0 or (is_counted and self.median > 1.0),
            "slower": self.high < 1.0 or (is_counted and self.median < 1.0),
            "same": not self.is_wide,
        }
        if not is_borne_out.get(self.verdict, True):
            object.__setattr__(self, "verdict", "unclear")

    @property
    def is_judged(self) -> bool:
        """Whether a verdict makes sense."""
        return not self.why_not

    @property
    def holds_one(self) -> bool:
        """Whether some of what was observed has the other order, or may have it."""
        return self.low <= 1.0 <= self.high

    @property
    def is_wide(self) -> bool:
        """Whether its ends are so far apart that no single factor stands for it."""
        return self.high > WIDE * self.low

    def describe_factor(self) -> str:
        """Such as `12 (11.0 to 13.0, 95%)`; the ends alone where no single factor stands."""
        if self.is_wide:
            low, high = three_digits(self.low), three_digits(self.high)
            return say("between {low} and {high}", low=low, high=high)
        median, interval = self.describe_median(), self.describe_paired()
        return say("{told} ({interval})", told=median, interval=interval)

    def describe_median(self) -> str:
        """Its median, by as many digits as the range beside it supports."""
        return round_within(self.median, self.low, self.high)

    def describe_agreement(self) -> str:
        """Such as ` in 41 of 42 pairs`, where not all of them have the order of the median."""
        told = say(" in {agreeing} of {pairs} pairs", agreeing=self.agreeing, pairs=self.pairs)
        return told if self.holds_one else ""

    def describe_paired(self) -> Said:
        """The range, and that it is of pairs: the two times need not divide to the median."""
        return say("paired, {range}", range=self.describe_range())

    def describe_range(self) -> Said:
        """Between what it lies: an interval where one was earned, else what was observed."""
        if self.pairs == 1:
            return say("observed {seen}", seen=three_digits(self.median))
        ends = say("{low} to {high}", low=three_digits(self.low), high=three_digits(self.high))
        if self.confidence > 0:
            return say("{ends}, {confidence}", ends=ends, confidence=f"{self.confidence:.0%}")
        return say("observed {seen}", seen=ends)


def with_remark(ratio: Ratio, measurements: Sequence[Measurement]) -> Ratio:
    """The ratio with what to know of its two sides before it is taken for that of computations."""
    names = ratio.name.split("/")
    found = [(each.name.replace("_", " "), each) for each in measurements if each.name in names]
    told = [
        say("{name} without its own jit", name=name)
        for name, each in found
        if WITHOUT_JIT in each.detail
    ]
    told += [
        say("{name} applies the transforms anew in each call", name=name)
        for name, each in found
        if TRANSFORMED in each.detail
    ]
    for name, each in found:
        if each.compilations > 0:
            often = say("each call") if each.compilations >= 1 else say("some calls")
            told.append(say("{name} traces or compiles anew in {often}", name=name, often=often))
    faults = [
        f"{name} {each.page_faults:,.0f}"
        for name, each in found
        if are_many_page_faults(each.page_faults, each.median)
    ]
    if faults:
        names_and_faults = ", ".join(faults)
        told.append(
            say("memory fetched anew (page faults a call: {faults})", faults=names_and_faults)
        )
    return dataclasses.replace(ratio, remark=say_joined(told, CLAUSES))


STEADY = ("eager", "jit", "gradient_eager", "gradient_jit")
"""Names of the measurements of steady calls."""


@dataclass(frozen=True, slots=True)
class Timing:
    """All measurements of one call."""

    call: str
    environment: Environment
    measurements: tuple[Measurement, ...]
    ratios: tuple[Ratio, ...]
    warnings: tuple[str, ...]

    def measurement(self, name: str) -> Measurement | None:
        """The measurement of that name, or None."""
        return next((m for m in self.measurements if m.name == name), None)


@dataclass(frozen=True, eq=False)
class Timeline:
    """What ran when in one call of the program; N events on L threads.

    All times are seconds since the call was entered, on the wall.

    Attributes:
        names: Instructions that ran, each once.
        lanes: L, threads of devices, such as `device 0, thread 1`.
        name: int32 (N,): place in `names` of each event.
        lane: int32 (N,): place in `lanes`.
        began: float64 (N,), rising.
        seconds: float64 (N,): until the event ended.
        returned: When the call came back to Python: dispatch was over.
        wall: When the result was ready.
        covered: Seconds in which at least one instruction was at work.
        num_left_out: Events too short to be kept where there were very many.

    Raises:
        ValueError: The columns do not belong together, or a time cannot be.
    """

    names: tuple[str, ...]
    lanes: tuple[str, ...]
    name: npt.NDArray[np.int32]
    lane: npt.NDArray[np.int32]
    began: npt.NDArray[np.float64]
    seconds: npt.NDArray[np.float64]
    returned: float
    wall: float
    covered: float
    num_left_out: int = 0

    def __post_init__(self) -> None:
        columns = (self.name, self.lane, self.began, self.seconds)
        if len({len(column) for column in columns}) != 1:
            raise ValueError("the columns of a timeline differ in length")
        for column, known in ((self.name, self.names), (self.lane, self.lanes)):
            if np.any(column < 0) or np.any(column >= len(known)):
                raise ValueError("an event of a timeline has a name or a lane that is not there")
        times = np.concatenate([self.began, self.seconds, [self.returned, self.wall]])
        if not np.all(np.isfinite(times)) or np.any(self.seconds < 0) or self.wall < 0:
            raise ValueError("an event of a timeline has no possible time")

    @property
    def coverage(self) -> float:
        """Share of the wall seconds in which an instruction was at work."""
        return min(self.covered / self.wall, 1.0) if self.wall > 0 else 0.0


# What the timing lab finds about one call: where its time goes, how it grows with size.


NO_TIMELINE = Unavailable(say("No single run was kept."))


@dataclass(frozen=True, slots=True)
class NodeTime:
    """Time of one instruction or equation in one run of the program.

    Attributes:
        name: The instruction's name, or the equation's id.
        count: How often it was executed in one run; in a loop more than once.
        seconds: Median over the runs, with everything that ran inside of it.
        low: Smallest of these.
        high: Largest.
        exclusive: Median over the runs, without what ran inside of it.
    """

    name: str
    count: int
    seconds: float
    low: float
    high: float
    exclusive: float


@dataclass(frozen=True, eq=False)
class NodeTimes:
    """Times of the parts of one program.

    Attributes:
        stage: Name of the stage whose nodes these are.
        times: In the order of their first execution; of a job's own recording the costliest first,
            and means in place of medians.
        runs: How often the program was run.
        wall: Median wall seconds of a run, while it was recorded; NaN where it is not known.
        plain_wall: The same without recording; how much recording costs is the difference.
        covered: Median seconds of a run in which at least one of the parts was at work; NaN where
            it is not known.
        protocol: One sentence: how it was measured.
    """

    stage: str
    times: tuple[NodeTime, ...]
    runs: int
    wall: float
    plain_wall: float
    covered: float
    protocol: str

    @property
    def coverage(self) -> float:
        """Share of the wall seconds that the parts explain."""
        if math.isnan(self.wall):
            return math.nan
        return min(self.covered / self.wall, 1.0) if self.wall > 0 else 0.0

    @property
    def gaps(self) -> float:
        """Wall seconds in which none of the parts was at work: dispatch and gaps."""
        return max(self.wall - self.covered, 0.0)


@dataclass(frozen=True, eq=False)
class Profile:
    """The time of one call by instruction and by equation.

    Attributes:
        compiled: Of the instructions of the optimized program.
        eager: Of the equations of the last jaxpr-level stage, run one by one.
        timeline: Of one run of the optimized program, the one of median length.
        recording: Path of the recording that a job left, which the times are from; empty where
            jaxscope ran the call itself.
    """

    call: str
    environment: Environment
    compiled: NodeTimes | Unavailable
    eager: NodeTimes | Unavailable
    warnings: tuple[str, ...] = ()
    timeline: Timeline | Unavailable = NO_TIMELINE
    recording: str = ""


@dataclass(frozen=True, slots=True)
class LineTime:
    """Time that a line of the user's code is charged with.

    Attributes:
        file: Path.
        line: 1-based; 0 for what no line is known for.
        seconds: Of what the line itself calls for.
        total: The same, with what functions called from the line call for.
    """

    file: str
    line: int
    seconds: float
    total: float


@dataclass(frozen=True, eq=False)
class ScalePoint:
    """What was measured at one size; NaN is unknown.

    Attributes:
        size: Of what is varied.
        eager: Steady calls of the first form: run equation by equation, or what `Scaling.forms`
            says; None where there are none.
        jit: Steady calls of the second: the compiled program.
        ratio: Of the two, paired.
        trace: Seconds of tracing once.
        lower: Seconds of lowering once.
        compile: Seconds of compiling once.
        flops: Of the compiled program, by XLA's rules.
        bytes_accessed: The same of bytes read and written.
        memory: Bytes of arguments, results and temporaries.
        reason: Why something is missing, or empty.
        first_compile: Seconds from Python to program of the first form, where it is compiled, too.
        counting: How loops count in `flops` and `bytes_accessed`, or why these are unknown: a
            sentence, or nothing.
    """

    size: int
    eager: Measurement | None = None
    jit: Measurement | None = None
    ratio: Ratio | None = None
    trace: float = math.nan
    lower: float = math.nan
    compile: float = math.nan
    flops: float = math.nan
    bytes_accessed: float = math.nan
    memory: float = math.nan
    reason: str = ""
    first_compile: float = math.nan
    counting: str = ""

    @property
    def compile_time(self) -> float:
        """Seconds from Python to program: trace, lower and compile."""
        return self.trace + self.lower + self.compile


@dataclass(frozen=True, slots=True)
class Slope:
    """How a quantity grows: it goes like size to the power of the slope.

    Attributes:
        quantity: `eager`, `jit`, `compile_time`, `first_compile`, `flops`, `bytes_accessed` or
            `memory`.
        slope: Median of the slopes between all pairs of points, both axes logarithmic.
        low: Lower end of where the middle of these slopes lies.
        high: Upper end.
        num_points: How many points it is from.
        first_size: The smallest size that it is from.
    """

    quantity: str
    slope: float
    low: float
    high: float
    num_points: int
    first_size: int


@dataclass(frozen=True, slots=True)
class Crossover:
    """Between which two sizes the order of two programs changes.

    Attributes:
        low: The last size of the old order.
        high: The first size of the new one.
        size: Where the curves cross, by interpolation.
        before: Which of the two forms is faster up to there.
        after: Which is faster from there on.
    """

    low: int
    high: int
    size: float
    before: str
    after: str


@dataclass(frozen=True, eq=False)
class Scaling:
    """A call at several sizes.

    Attributes:
        vary: What was varied, as typed.
        points: In rising order of size; those that were not reached are missing.
        slopes: Over all sizes, then over the larger half, where fixed costs weigh less.
        crossovers: Usually none or one.
        forms: Names of the two forms: `eager` and `jit`, `loop` and `vmap`, `unrolled` and `scan`.
    """

    call: str
    environment: Environment
    vary: str
    points: tuple[ScalePoint, ...]
    slopes: tuple[Slope, ...] = ()
    crossovers: tuple[Crossover, ...] = ()
    warnings: tuple[str, ...] = ()
    forms: tuple[str, str] = ("eager", "jit")
