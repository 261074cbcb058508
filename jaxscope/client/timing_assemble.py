"""Put a `Timing` together from a worker's messages; several processes into a rigorous one.

What arrives was written by a process that ran user code, so all of it is checked. Statistics are
made here, from the raw durations.
"""

from __future__ import annotations

import dataclasses
import math
import re
import statistics
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.statistics import (
    find_median_interval,
    find_noise,
    find_ratio_interval,
    judge,
    thin_samples,
)
from jaxscope.model.capture import Environment
from jaxscope.model.timing import Measurement, Ratio, Timing
from jaxscope.wire.messages import Message

_NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
_MAX_NAMES = 200
_MAX_WARNINGS = 200
_SLOWED = (
    "{name}: recorded calls kept the device at work longer than whole calls take unrecorded. "
    "Recording, or a busier machine, slowed them: that time is too long."
)
_NO_ENVIRONMENT = Environment("", "", "", "", "")


class MalformedTiming(ValueError):
    """A message that no working worker sends."""


class TimingAssembler:
    """Collects the messages of one `time` run. A later message replaces one of the same name."""

    def __init__(self, call: str = "") -> None:
        """Start empty; `call` stands until the worker names the call that it took."""
        self._call = call
        self._environment = _NO_ENVIRONMENT
        self._measurements: dict[str, Measurement] = {}
        self._ratios: dict[str, Ratio] = {}
        self._warnings: list[str] = []

    def feed(self, message: Message) -> bool:
        """Take a message in.

        Returns:
            Whether it was one of a timing; others are left to whoever knows them.

        Raises:
            MalformedTiming: It is one, but not well formed.
        """
        match message.type:
            case "timed":
                self._call = read_text(message, "call")
                self._environment = read_environment(message.fields.get("environment"))
            case "measurement":
                measurement = _read_measurement(message)
                self._put(self._measurements, measurement.name, measurement)
            case "device_time":
                self._add_device_time(message)
            case "ratio":
                ratio = _read_ratio(message)
                self._put(self._ratios, ratio.name, ratio)
            case "warning":
                if len(self._warnings) < _MAX_WARNINGS:
                    self._warnings.append(read_text(message, "text"))
            case _:
                return False
        return True

    def timing(self) -> Timing:
        """What was measured so far; complete once the run is done, useful before."""
        slowed = filter(_is_slowed_by_recorder, self._measurements.values())
        warnings = [*self._warnings, *(_SLOWED.format(name=m.name) for m in slowed)]
        return Timing(
            call=self._call,
            environment=self._environment,
            measurements=tuple(self._measurements.values()),
            ratios=tuple(self._ratios.values()),
            warnings=tuple(dict.fromkeys(warnings)),
        )

    def _add_device_time(self, message: Message) -> None:
        """Keep it beside the measurement of that name, in fields of its own."""
        name = read_text(message, "name")
        seconds = read_column(message, "seconds", np.float64)
        known = self._measurements.get(name)
        if known is None or not len(seconds):
            raise MalformedTiming(f"a device time of {name}, which was not measured")
        if not (np.all(np.isfinite(seconds)) and np.all(seconds >= 0)):
            raise MalformedTiming(f"a device time of {name} is impossible")
        interval = find_median_interval(seconds)
        self._measurements[name] = dataclasses.replace(
            known,
            device_seconds=interval.median,
            device_low=interval.low,
            device_high=interval.high,
        )

    @staticmethod
    def _put(table: dict[str, Any], name: str, value: Any) -> None:
        if name not in table and len(table) >= _MAX_NAMES:
            raise MalformedTiming(f"a timing has more than {_MAX_NAMES} entries")
        table[name] = value


def _is_slowed_by_recorder(measurement: Measurement) -> bool:
    """Whether the device worked longer in a recorded call than a whole call takes: impossible.

    Recording costs some time for each step, which a program of thousands of tiny ones is full of.
    """
    return measurement.device_low > 1.25 * measurement.median


def combine_processes(timings: Sequence[Timing]) -> Timing:
    """Combine the timings of one call in several fresh processes: the rigorous measurement.

    Within a process, placement in memory and the like are drawn once; only another process draws
    again. So each process counts as one value: its median. The interval is from the smallest to
    the largest, which covers the median with 1 − 2^(1 − n): 96.9 % for six processes.

    Raises:
        ValueError: There is no timing.
    """
    if not timings:
        raise ValueError("nothing was measured")
    if len(timings) == 1:
        return timings[0]
    names = dict.fromkeys(m.name for timing in timings for m in timing.measurements)
    ratios = dict.fromkeys(r.name for timing in timings for r in timing.ratios)
    warnings = dict.fromkeys(w for timing in timings for w in timing.warnings)
    return Timing(
        call=timings[0].call,
        environment=timings[0].environment,
        measurements=tuple(_combine_measurement(name, timings) for name in names),
        ratios=tuple(_combine_ratio(name, timings) for name in ratios),
        warnings=tuple(warnings),
    )


def _combine_measurement(name: str, timings: Sequence[Timing]) -> Measurement:
    found = [m for timing in timings if (m := timing.measurement(name)) is not None]
    medians = [m.median for m in found]
    low, high, confidence = _whole_range(medians)
    on_device = [m.device_seconds for m in found if not math.isnan(m.device_seconds)]
    device_low, device_high, _ = _whole_range(on_device or [math.nan])
    return Measurement(
        name=name,
        median=statistics.median(medians),
        low=low,
        high=high,
        confidence=confidence,
        runs=len(found),
        samples=tuple(medians),
        is_noisy=any(m.is_noisy for m in found),
        protocol=f"Medians of {len(found)} fresh processes. In each: {found[-1].protocol}",
        reasons=worst_reasons([m.reasons for m in found]),
        detail=", ".join(dict.fromkeys(m.detail for m in found if m.detail)),
        began=found[0].began,
        ended=found[0].ended,
        device_seconds=statistics.median(on_device or [math.nan]),
        device_low=device_low,
        device_high=device_high,
    )


def worst_reasons(found: Sequence[Sequence[str]]) -> tuple[str, ...]:
    """Reasons for noise in several processes: each once, with the largest of its numbers."""
    worst: dict[str, tuple[float, str]] = {}
    for reason in (reason for reasons in found for reason in reasons):
        match = _NUMBER.search(reason)
        number = float(match[0].replace(",", "")) if match else 0.0
        kind = _NUMBER.sub("", reason)
        if kind not in worst or number > worst[kind][0]:
            worst[kind] = (number, reason)
    return tuple(reason for _, reason in worst.values())


def _combine_ratio(name: str, timings: Sequence[Timing]) -> Ratio:
    found = [r for timing in timings for r in timing.ratios if r.name == name]
    medians = [ratio.median for ratio in found]
    interval = find_ratio_interval([math.log(value) for value in medians])
    low, high, confidence = _whole_range(medians)
    is_judged = all(ratio.is_judged for ratio in found)
    return Ratio(
        name,
        statistics.median(medians),
        low,
        high,
        judge(interval) if is_judged else "unclear",
        confidence,
        len(found),
        is_judged,
    )


def _whole_range(values: Sequence[float]) -> tuple[float, float, float]:
    """Smallest, largest, and how surely they enclose the median."""
    return min(values), max(values), 1.0 - 2.0 ** (1 - len(values))


def _read_measurement(message: Message) -> Measurement:
    told = message.fields.get("reasons")
    measurement = make_measurement(
        read_text(message, "name"),
        read_column(message, "seconds", np.float64),
        read_column(message, "chunks", np.int32),
        read_text(message, "protocol"),
        [str(reason)[:500] for reason in told[:20]] if isinstance(told, list) else [],
    )
    began, ended = (
        math.nan if message.fields.get(end) is None else read_seconds(message, end)
        for end in ("began", "ended")
    )
    if ended < began:
        raise MalformedTiming(f"{measurement.name} ended before it began")
    detail = str(message.fields.get("detail") or "")[:200]
    return dataclasses.replace(measurement, began=began, ended=ended, detail=detail)


def make_measurement(
    name: str,
    seconds: npt.NDArray[np.float64],
    chunks: npt.NDArray[np.int32],
    protocol: str,
    told: Sequence[str] = (),
) -> Measurement:
    """A measurement from the durations of single calls.

    Args:
        chunks: Number of the chunk of each call; chunks are independent, calls within are not.
        told: Reasons for noise that the worker saw.

    Raises:
        MalformedTiming: The durations cannot be.
    """
    if len(chunks) != len(seconds) or len(seconds) == 0:
        raise MalformedTiming(f"the samples of {name} are malformed")
    if not (np.all(np.isfinite(seconds)) and np.all(seconds >= 0)):
        raise MalformedTiming(f"a duration of {name} is impossible")
    interval = find_median_interval(_chunk_medians(seconds, chunks))
    median = float(np.median(seconds))
    reasons = find_noise(seconds)
    return Measurement(
        name=name,
        median=median,
        low=min(interval.low, median),
        high=max(interval.high, median),
        confidence=interval.confidence,
        runs=len(seconds),
        samples=thin_samples(seconds),
        is_noisy=bool(reasons or told),
        protocol=protocol,
        reasons=(*reasons, *told),
    )


def _read_ratio(message: Message) -> Ratio:
    name = read_text(message, "name")
    is_judged = message.fields.get("is_judged", True) is not False
    return make_ratio(name, read_column(message, "log_ratios", np.float64), is_judged=is_judged)


def make_ratio(name: str, log_ratios: npt.NDArray[np.float64], *, is_judged: bool = True) -> Ratio:
    """A ratio from the log-ratios of pairs of chunks.

    Args:
        is_judged: Whether a verdict makes sense; without one it is `unclear`.

    Raises:
        MalformedTiming: They cannot be.
    """
    if len(log_ratios) == 0 or not np.all(np.abs(log_ratios) < 100.0):
        raise MalformedTiming(f"the ratios of {name} are impossible")
    interval = find_ratio_interval(log_ratios)
    verdict = judge(interval) if is_judged else "unclear"
    return Ratio(
        name,
        interval.median,
        interval.low,
        interval.high,
        verdict,
        interval.confidence,
        len(log_ratios),
        is_judged,
    )


def _chunk_medians(
    seconds: npt.NDArray[np.float64], chunks: npt.NDArray[np.int32]
) -> npt.NDArray[np.float64]:
    """The median of each chunk: calls within one are no independent values."""
    starts = np.flatnonzero(np.diff(chunks, prepend=chunks[0] - 1))
    return np.array([np.median(part) for part in np.split(seconds, starts[1:])], np.float64)


def read_column(message: Message, name: str, dtype: type[Any]) -> npt.NDArray[Any]:
    """A vector of the message.

    Raises:
        MalformedTiming: It is missing or has another type.
    """
    array = message.arrays.get(name)
    if array is None or array.ndim != 1 or array.dtype != dtype:
        raise MalformedTiming(f"{message.type} has no column {name}")
    return array


def read_seconds(message: Message, name: str) -> float:
    """A field that is a number, not negative.

    Raises:
        MalformedTiming: It is none.
    """
    value = message.fields.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise MalformedTiming(f"{message.type} has no number {name}")
    return float(value)


def read_text(message: Message, name: str) -> str:
    """A field that is a text.

    Raises:
        MalformedTiming: It is none, or too long.
    """
    value = message.fields.get(name)
    if not isinstance(value, str) or len(value) > 10_000:
        raise MalformedTiming(f"{message.type} has no text {name}")
    return value


def read_environment(fields: Any) -> Environment:
    """Where something was measured.

    Raises:
        MalformedTiming: The fields are none.
    """
    if not isinstance(fields, dict):
        raise MalformedTiming("timed has no environment")
    names = ("jax", "jaxlib", "python", "platform", "device", "host", "recorded_at")
    return Environment(**{name: str(fields.get(name, ""))[:500] for name in names})
