"""Statistics of durations: medians with distribution-free intervals, verdicts, noise.

Durations have long tails and several modes, so nothing here assumes a normal distribution. The
interval of a median lies between two order statistics; its coverage is that of the sign test, exact
for any continuous distribution as long as the values are independent.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Environment
from jaxscope.model.timing import Measurement, Noise, Timing

MARGIN = 0.02
"""Two programs count as the same within this factor. Without a margin a true ratio of 1.00 was
called different in 12 % of all runs; with it in 0 of 160."""
NOISY_MARGIN = 0.10
"""The same where the machine was busy or the calls of a side spread widely: what one process shows
then has been seen to be off by several percent."""
LEAST_PROCESSES = 6
"""As many processes as an interval of 95 % takes; see `find_median_interval`."""
CHUNK = 20
"""Calls that one of a pair makes before it is the other's turn."""
SLOW_CALL_S = 0.010
"""Slower calls take turns one by one."""
MUCH_FASTER = 4
"""One that is so many times faster than a slow one gets a chunk of its own size. Two that are alike
get the same: a median of 20 calls against single ones would tell them apart on a busy machine."""
FIRST_LOOK = 12
LEAST_S = 0.5
_WIDENED = 0.75
LEAST_SHARE = 0.8
"""Of a processor. With less, durations are partly those of other programs."""
_MOST_BUSY = 0.25
"""Of the machine's processors, for other programs; more of them share caches and clock rate."""
_NOISY_TAIL = 2.0
_DRIFT = 0.25
"""A larger change from the first third to the last is reported; the clock rate alone makes some."""
_LEAST_FOR_DRIFT = 10
_NOISY_SPREAD = 0.10


@dataclass(frozen=True, slots=True)
class Interval:
    """A median and the interval that covers it.

    Attributes:
        median: Of the values; NaN if there are none.
        low: Lower end.
        high: Upper end.
        confidence: Coverage that the interval has for sure; 0 for a single value.
    """

    median: float
    low: float
    high: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Outliers:
    """How many values lie outside of Tukey's fences. They are counted, never dropped.

    Attributes:
        mild: Beyond 1.5 interquartile ranges from the quartiles, but within 3.
        severe: Beyond 3.
    """

    mild: int
    severe: int


def find_median_interval(
    values: Sequence[float] | npt.NDArray[np.float64], confidence: float = 0.95
) -> Interval:
    """The median and the narrowest symmetric pair of order statistics that covers it.

    Args:
        values: Independent values of one quantity.
        confidence: The coverage wanted. Fewer than 6 values cannot reach 95 %: then the interval
            is from the smallest to the largest, and its `confidence` says what that is worth.

    Returns:
        The interval; `confidence` is the wanted one where it is reached.
    """
    ordered = np.sort(np.asarray(values, np.float64))
    count = len(ordered)
    if count == 0:
        return Interval(math.nan, math.nan, math.nan, 0.0)
    median = float(np.median(ordered))
    widest = 1.0 - 2.0 ** -(count - 1)
    if widest < confidence:
        return Interval(median, float(ordered[0]), float(ordered[-1]), widest)
    trim = num_trimmed(count, confidence)
    return Interval(median, float(ordered[trim]), float(ordered[count - 1 - trim]), confidence)


def num_trimmed(count: int, confidence: float = 0.95) -> int:
    """How many of the smallest, and of the largest, of `count` values lie outside of the interval.

    The largest `t` with 2·P(Binomial(count, ½) ≤ t) ≤ 1 − confidence, summed as logarithms so
    that many values do not underflow; 0 where no `t` has it.
    """
    allowed = math.log((1.0 - confidence) / 2.0)
    log_total = -math.inf
    log_term = -count * math.log(2.0)
    for trim in range(count // 2):
        larger = max(log_total, log_term)
        log_total = larger + math.log1p(math.exp(min(log_total, log_term) - larger))
        if log_total > allowed:
            return max(trim - 1, 0)
        log_term += math.log((count - trim) / (trim + 1))
    return max(count // 2 - 1, 0)


def half_width(values: Sequence[float]) -> float:
    """Half the width of the sign test's 95 % interval of the median; infinite below 6 values."""
    if len(values) < LEAST_PROCESSES:
        return math.inf
    interval = find_median_interval(values)
    return (interval.high - interval.low) / 2.0


class PrecisionLooks:
    """When pairs are precise enough, looked at only after 12, 24, 48, 96 … of them.

    Looking after each would stop at lucky moments and make the interval a lie.
    """

    def __init__(self) -> None:
        self._next = FIRST_LOOK

    def is_precise(
        self, log_ratios: Sequence[float], spent_s: float, precision: float = MARGIN
    ) -> bool:
        """Look, if it is time to.

        Args:
            log_ratios: Of all pairs so far.
            spent_s: Seconds since the first.
            precision: Half-width of the interval that is precise enough.
        """
        if len(log_ratios) < self._next:
            return False
        self._next *= 2
        return spent_s >= LEAST_S and half_width(log_ratios) <= precision


def find_ratio_interval(log_ratios: Sequence[float] | npt.NDArray[np.float64]) -> Interval:
    """The interval of a ratio from the log-ratios of independent pairs."""
    interval = find_median_interval(log_ratios)
    return Interval(
        math.exp(interval.median),
        math.exp(interval.low),
        math.exp(interval.high),
        interval.confidence,
    )


def count_agreeing(log_ratios: Sequence[float] | npt.NDArray[np.float64]) -> int:
    """How many pairs have the order of their median: the same one of the two is faster."""
    values = np.asarray(log_ratios, np.float64)
    return int(np.count_nonzero(np.sign(values) == np.sign(np.median(values))))


def find_process_interval(medians: Sequence[float]) -> Interval:
    """The interval that at least six processes earn: from the smallest to the largest, widened.

    The range alone covers the median of processes like these with 1 − 2^(1 − n), 96.9 % for six.
    But processes that follow one another share what changes over minutes, such as the clock rate.
    So each end is moved outwards by three quarters of the range, as a factor: where what they share
    varies as much as they differ, that covers 97 %, and the range alone 71 %.
    """
    low, high = min(medians), max(medians)
    factor = (high / low) ** _WIDENED if low > 0.0 else 1.0
    return Interval(float(np.median(medians)), low / factor, high * factor, 0.95)


def judge(ratio: Interval, *, is_noisy: bool = False) -> str:
    """Say how the second of a pair does against the first; `ratio` is first over second.

    Args:
        is_noisy: A difference must be larger then to be reported.

    Returns:
        `faster`, `slower` or `same` where the whole interval says so and covers 95 %, else
        `unclear`.
    """
    low, high = ratio.low, ratio.high
    if not (low > 0.0 and math.isfinite(high)) or ratio.confidence < 0.95:
        return "unclear"
    margin = NOISY_MARGIN if is_noisy else MARGIN
    if low > 1.0 + margin:
        return "faster"
    if high < 1.0 / (1.0 + margin):
        return "slower"
    if low >= 1.0 / (1.0 + MARGIN) and high <= 1.0 + MARGIN:
        return "same"
    return "unclear"


def count_outliers(values: Sequence[float] | npt.NDArray[np.float64]) -> Outliers:
    """Count values outside of Tukey's fences; fewer than 4 values have none."""
    if len(values) < 4:
        return Outliers(0, 0)
    array = np.asarray(values, np.float64)
    lower, upper = np.percentile(array, [25, 75])
    spread = upper - lower
    distance = np.maximum(lower - array, array - upper)
    severe = int(np.count_nonzero(distance > 3.0 * spread))
    return Outliers(int(np.count_nonzero(distance > 1.5 * spread)) - severe, severe)


def find_disturbances(environment: Environment) -> tuple[Noise, ...]:
    """What disturbed everything that was measured there; nothing if nothing did.

    Load counts what is measured as well, so it only decides where nothing better is known.
    """
    reasons = []
    processors = environment.processors or 1
    share, others = environment.processor_share, environment.busy_processors
    if share is not None and share < LEAST_SHARE:
        reasons.append(Noise("share", share))
    if others is not None and others > _MOST_BUSY * processors:
        reasons.append(Noise("others", others, processors))
    if others is None and environment.load is not None and environment.load > processors:
        reasons.append(Noise("load", environment.load, processors))
    return tuple(reasons)


def drop_unsupported_intervals(timing: Timing) -> Timing:
    """The same timing without intervals that an earlier release claimed of a single process.

    Files of that release do not say how busy the machine was.
    """
    if timing.environment.processors is not None:
        return timing
    return dataclasses.replace(
        timing,
        measurements=tuple(map(without_interval, timing.measurements)),
        ratios=tuple(dataclasses.replace(r, confidence=math.nan) for r in timing.ratios),
    )


def without_interval(measurement: Measurement) -> Measurement:
    """The same measurement with the range of its samples, and no interval."""
    if math.isnan(measurement.confidence):
        return measurement
    known = [sample for sample in measurement.samples if math.isfinite(sample)]
    return dataclasses.replace(
        measurement,
        low=min(known, default=measurement.low),
        high=max(known, default=measurement.high),
        confidence=math.nan,
    )


def find_noise(values: Sequence[float] | npt.NDArray[np.float64]) -> tuple[Noise, ...]:
    """Reasons to call durations noisy; empty if there are none."""
    if len(values) < 4:
        return ()
    p25, p50, p75, p90 = (float(p) for p in np.percentile(values, [25, 50, 75, 90]))
    reasons = []
    if p90 > _NOISY_TAIL * p50:
        reasons.append(Noise("tail", p90 / p50))
    if p75 - p25 > _NOISY_SPREAD * p50:
        reasons.append(Noise("spread", (p75 - p25) / p50))
    return (*reasons, *_find_drift(np.asarray(values, np.float64)))


def _find_drift(values: npt.NDArray[np.float64]) -> tuple[Noise, ...]:
    """Whether durations go one way: the middle half of the first third beside that of the last."""
    third = len(values) // 3
    if third < _LEAST_FOR_DRIFT:
        return ()
    early = np.percentile(values[:third], [25, 50, 75])
    late = np.percentile(values[-third:], [25, 50, 75])
    change = float(late[1] / max(early[1], 1e-12))
    if late[0] > early[2] and change > 1.0 + _DRIFT:
        return (Noise("later", change),)
    if late[2] < early[0] and change < 1.0 / (1.0 + _DRIFT):
        return (Noise("earlier", 1.0 / max(change, 1e-12)),)
    return ()


def thin_samples(values: npt.NDArray[np.float64], limit: int = 1000) -> tuple[float, ...]:
    """At most `limit` of the values, evenly taken over time, in the order taken."""
    if len(values) > limit:
        values = values[np.linspace(0, len(values) - 1, limit).round().astype(np.int64)]
    return tuple(float(value) for value in values)
