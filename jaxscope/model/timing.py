"""Measured durations, with their spread and how they were taken."""

from __future__ import annotations

import dataclasses
import math

from jaxscope.model.capture import Environment


@dataclasses.dataclass(frozen=True, slots=True)
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
        reasons: Why it is called noisy, a sentence each.
        detail: A word or two that the name lacks, such as `cache hit`; may be empty.
        began: Seconds from the start of the run to the start of these readings; NaN where unknown.
        ended: The same to their end.
        device_seconds: Median seconds that a call kept the device at work, by its own recorder:
            never part of the other figures. NaN where it was not recorded.
        device_low: Lower end of the interval of that median.
        device_high: Upper end.
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
    reasons: tuple[str, ...] = ()
    detail: str = ""
    began: float = math.nan
    ended: float = math.nan
    device_seconds: float = math.nan
    device_low: float = math.nan
    device_high: float = math.nan


@dataclasses.dataclass(frozen=True, slots=True)
class Ratio:
    """A paired ratio of two measured quantities.

    Attributes:
        name: Such as `eager/jit`.
        median: `exp` of the median of the chunks' log-ratios.
        low: Lower end of its interval, or the smallest that was observed where none was earned.
        high: Upper end, or the largest.
        verdict: `faster`, `slower`, `same` or `unclear`, said of the second against the first.
        confidence: As that of a measurement.
        pairs: How many pairs of chunks, or of processes, it is from; 0 where that is not known.
        why_not: Why no verdict makes sense: the two do different work, a program computes nothing,
            or no numbers. Empty where one does.
        is_noisy: Whether one of the two is noisy.
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

    @property
    def is_judged(self) -> bool:
        """Whether a verdict makes sense."""
        return not self.why_not


@dataclasses.dataclass(frozen=True, slots=True)
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
