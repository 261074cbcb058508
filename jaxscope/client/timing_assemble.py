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
    LEAST_PROCESSES,
    Interval,
    find_disturbances,
    find_noise,
    find_process_interval,
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
        self._ratios: dict[str, tuple[npt.NDArray[np.float64], str]] = {}
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
            case "conditions":
                self._environment = read_conditions(message, self._environment)
            case "measurement":
                measurement = _read_measurement(message)
                self._put(self._measurements, measurement.name, measurement)
            case "device_time":
                self._add_device_time(message)
            case "ratio":
                name, why_not = read_text(message, "name"), read_text(message, "why_not")
                log_ratios = read_column(message, "log_ratios", np.float64)
                make_ratio(name, log_ratios)  # which refuses impossible ones
                self._put(self._ratios, name, (log_ratios, why_not))
            case "warning":
                if len(self._warnings) < _MAX_WARNINGS:
                    self._warnings.append(read_text(message, "text"))
            case _:
                return False
        return True

    def timing(self) -> Timing:
        """What was measured so far; complete once the run is done, useful before."""
        measurements = tuple(
            disturb(measurement, self._environment) for measurement in self._measurements.values()
        )
        noisy = {measurement.name for measurement in measurements if measurement.is_noisy}
        ratios = (
            make_ratio(name, values, why_not, is_noisy=bool(noisy & set(name.split("/"))))
            for name, (values, why_not) in self._ratios.items()
        )
        slowed = filter(_is_slowed_by_recorder, measurements)
        warnings = [*self._warnings, *(_SLOWED.format(name=m.name) for m in slowed)]
        return Timing(
            call=self._call,
            environment=self._environment,
            measurements=measurements,
            ratios=tuple(ratios),
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
        self._measurements[name] = dataclasses.replace(
            known,
            device_seconds=float(np.median(seconds)),
            device_low=float(seconds.min()),
            device_high=float(seconds.max()),
        )

    @staticmethod
    def _put(table: dict[str, Any], name: str, value: Any) -> None:
        if name not in table and len(table) >= _MAX_NAMES:
            raise MalformedTiming(f"a timing has more than {_MAX_NAMES} entries")
        table.pop(name, None)  # what is told anew comes last
        table[name] = value


def _is_slowed_by_recorder(measurement: Measurement) -> bool:
    """Whether the device worked longer in a recorded call than a whole call takes: impossible.

    Recording costs some time for each step, which a program of thousands of tiny ones is full of.
    """
    return measurement.device_low > 1.25 * measurement.median


def combine_processes(timings: Sequence[Timing]) -> Timing:
    """Combine the timings of one call in several fresh processes: the rigorous measurement.

    Within a process, placement in memory and the like are drawn once; only another process draws
    again. So each process counts as one value: its median. Six of them on a machine that was not
    busy earn an interval; else what was observed stands in its place, from smallest to largest.

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
    environment = combine_environments([timing.environment for timing in timings])
    return Timing(
        call=timings[0].call,
        environment=environment,
        measurements=tuple(_combine_measurement(name, timings, environment) for name in names),
        ratios=tuple(_combine_ratio(name, timings, environment) for name in ratios),
        warnings=tuple(warnings),
    )


def combine_environments(found: Sequence[Environment]) -> Environment:
    """The first of several, with the worst that was seen of the machine in any of them."""
    shares = [e.processor_share for e in found if e.processor_share is not None]
    loads = [e.load for e in found if e.load is not None]
    others = [e.busy_processors for e in found if e.busy_processors is not None]
    return dataclasses.replace(
        found[0],
        load=max(loads, default=None),
        processors=next((e.processors for e in found if e.processors is not None), None),
        processor_share=min(shares, default=None),
        busy_processors=max(others, default=None),
    )


def _combine_measurement(
    name: str, timings: Sequence[Timing], environment: Environment
) -> Measurement:
    found = [m for timing in timings if (m := timing.measurement(name)) is not None]
    medians = [m.median for m in found]
    on_device = [m.device_seconds for m in found if not math.isnan(m.device_seconds)]
    disturbances = find_disturbances(environment)
    spread = worst_reasons([m.reasons for m in found])
    is_noisy = bool(disturbances)  # how calls of one process spread is part of its median
    interval = _interval_of(medians, is_noisy=is_noisy)
    return Measurement(
        name=name,
        median=statistics.median(medians),
        low=interval.low,
        high=interval.high,
        confidence=interval.confidence,
        runs=len(found),
        samples=tuple(medians),
        is_noisy=is_noisy,
        protocol=f"Medians of {len(found)} fresh processes. In each: {found[-1].protocol}",
        reasons=tuple(dict.fromkeys((*spread, *disturbances))) if is_noisy else (),
        detail=", ".join(dict.fromkeys(m.detail for m in found if m.detail)),
        began=found[0].began,
        ended=found[0].ended,
        device_seconds=statistics.median(on_device or [math.nan]),
        device_low=min(on_device, default=math.nan),
        device_high=max(on_device, default=math.nan),
    )


def _interval_of(medians: Sequence[float], *, is_noisy: bool) -> Interval:
    """The interval that these processes earned, or what was observed, without a confidence."""
    if len(medians) >= LEAST_PROCESSES and not is_noisy:
        return find_process_interval(medians)
    return Interval(statistics.median(medians), min(medians), max(medians), math.nan)


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


def _combine_ratio(name: str, timings: Sequence[Timing], environment: Environment) -> Ratio:
    found = [r for timing in timings for r in timing.ratios if r.name == name]
    medians = [ratio.median for ratio in found]
    is_noisy = bool(find_disturbances(environment))
    interval = _interval_of(medians, is_noisy=is_noisy)
    judged = (
        find_ratio_interval([math.log(value) for value in medians])
        if math.isnan(interval.confidence)
        else interval
    )
    why_not = next((ratio.why_not for ratio in found if ratio.why_not), "")
    return Ratio(
        name,
        interval.median,
        interval.low,
        interval.high,
        "unclear" if why_not else judge(judged, is_noisy=is_noisy),
        interval.confidence,
        len(found),
        why_not,
        is_noisy,
    )


def _read_measurement(message: Message) -> Measurement:
    measurement = make_measurement(
        read_text(message, "name"),
        read_column(message, "seconds", np.float64),
        read_text(message, "protocol"),
    )
    began, ended = (
        math.nan if message.fields.get(end) is None else read_seconds(message, end)
        for end in ("began", "ended")
    )
    if ended < began:
        raise MalformedTiming(f"{measurement.name} ended before it began")
    detail = str(message.fields.get("detail") or "")[:200]
    return dataclasses.replace(measurement, began=began, ended=ended, detail=detail)


def make_measurement(name: str, seconds: npt.NDArray[np.float64], protocol: str) -> Measurement:
    """A measurement from the durations of single calls in one process, which earn no interval.

    Raises:
        MalformedTiming: The durations cannot be.
    """
    if len(seconds) == 0:
        raise MalformedTiming(f"the samples of {name} are malformed")
    if not (np.all(np.isfinite(seconds)) and np.all(seconds >= 0)):
        raise MalformedTiming(f"a duration of {name} is impossible")
    reasons = find_noise(seconds)
    return Measurement(
        name=name,
        median=float(np.median(seconds)),
        low=float(seconds.min()),
        high=float(seconds.max()),
        confidence=math.nan,
        runs=len(seconds),
        samples=thin_samples(seconds),
        is_noisy=bool(reasons),
        protocol=protocol,
        reasons=reasons,
    )


def disturb(measurement: Measurement, environment: Environment) -> Measurement:
    """The same measurement, noisy if the machine was busy meanwhile."""
    told = [t for t in find_disturbances(environment) if t not in measurement.reasons]
    if not told:
        return measurement
    return dataclasses.replace(
        measurement,
        is_noisy=True,
        confidence=math.nan,
        reasons=(*measurement.reasons, *told),
    )


def make_ratio(
    name: str,
    log_ratios: npt.NDArray[np.float64],
    why_not: str = "",
    *,
    is_noisy: bool = False,
) -> Ratio:
    """A ratio from the log-ratios of pairs of chunks in one process.

    The verdict rests on the sign test's interval. What is told beside it is what was observed: in
    another process the ratio may be another.

    Args:
        why_not: Why no verdict makes sense.
        is_noisy: Whether one of the two is noisy.

    Raises:
        MalformedTiming: They cannot be.
    """
    if len(log_ratios) == 0 or not np.all(np.abs(log_ratios) < 100.0):
        raise MalformedTiming(f"the ratios of {name} are impossible")
    interval = find_ratio_interval(log_ratios)
    return Ratio(
        name,
        interval.median,
        math.exp(float(log_ratios.min())),
        math.exp(float(log_ratios.max())),
        "unclear" if why_not else judge(interval, is_noisy=is_noisy),
        math.nan,
        len(log_ratios),
        why_not,
        is_noisy,
    )


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
    jax, jaxlib, python, platform, device, host, when = (
        str(fields.get(name, ""))[:500] for name in names
    )
    return Environment(jax, jaxlib, python, platform, device, host, when)


def read_conditions(message: Message, environment: Environment) -> Environment:
    """The same environment, with how busy the machine was.

    Raises:
        MalformedTiming: A number is none.
    """
    processors = message.fields.get("processors")
    if isinstance(processors, bool) or not isinstance(processors, int) or processors < 1:
        raise MalformedTiming("conditions without processors")
    load, share, others = (
        None if message.fields.get(name) is None else read_seconds(message, name)
        for name in ("load", "processor_share", "busy_processors")
    )
    return dataclasses.replace(
        environment,
        load=load,
        processors=processors,
        processor_share=share,
        busy_processors=others,
    )
