"""Readers of what a worker sends of measurements: columns of durations, texts, numbers, where and
under which conditions; and the `Measurement` or `Ratio` made of them.

What arrives was written by a process that ran user code: what does not fit raises
`MalformedTiming`.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.model.capture import NO_ENVIRONMENT, Environment
from jaxscope.model.statistics import (
    count_agreeing,
    find_disturbances,
    find_noise,
    find_ratio_interval,
    judge,
    thin_samples,
)
from jaxscope.model.timing import Measurement, Ratio, Timeline
from jaxscope.schema.capture_messages import WIRE
from jaxscope.wire.messages import Message


class MalformedTiming(ValueError):
    """A message that no working worker sends."""


def read_measurement(message: Message) -> Measurement:
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
    has_steady = message.fields.get("steady_from") is not None
    steady_from = int(read_seconds(message, "steady_from")) if has_steady else 0
    return dataclasses.replace(
        measurement,
        began=began,
        ended=ended,
        detail=_read_detail(message.fields.get("detail")),
        steady_from=steady_from,
        page_faults=read_number(message, "page_faults"),
        compilations=_or_zero(read_number(message, "compilations")),
    )


def _read_detail(value: object) -> str:
    return value if isinstance(value, str) and len(value) <= 200 else str(value or "")[:200]


def _or_zero(number: float) -> float:
    return 0.0 if math.isnan(number) else number


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
        measurement, is_noisy=True, confidence=math.nan, reasons=(*measurement.reasons, *told)
    )


def make_ratio(
    name: str, log_ratios: npt.NDArray[np.float64], why_not: str = "", *, is_noisy: bool = False
) -> Ratio:
    """A ratio from the log-ratios of pairs of chunks in one process.

    The verdict rests on the sign test's interval. What is shown beside it is what was observed, and
    how many pairs have that order: in another process the ratio may be another.

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
        agreeing=count_agreeing(log_ratios),
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
    """Versions and machine that a measurement was taken with.

    Raises:
        MalformedTiming: The fields are none.
    """
    try:
        return WIRE.read(Environment, fields)
    except ValueError as error:
        raise MalformedTiming(f"timed has no environment: {error}") from None


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
        environment, load=load, processors=processors, processor_share=share, busy_processors=others
    )


class MeasuredSubject:
    """What every measurement says first: of which call, where, how busy it was there; warnings.

    Attributes:
        call: As the worker named it; before that, as it was asked for.
        environment: With how busy the machine was, once that is known.
        warnings: Each once, at most 200; with what is said of every run, such as that a 64-bit
            type became one of 32 bits.
    """

    def __init__(self, call: str = "") -> None:
        self.call = call
        self.environment = NO_ENVIRONMENT
        self.warnings: list[str] = []

    def feed(self, message: Message) -> bool:
        """Take a message in; whether it was one of these.

        Raises:
            MalformedTiming: It is one, but not well formed.
        """
        if message.type == "timed":
            self.call = read_text(message, "call")
            self.environment = read_environment(message.fields.get("environment"))
        elif message.type == "conditions":
            self.environment = read_conditions(message, self.environment)
        elif message.type in ("warning", "message"):
            text = read_text(message, "text")
            if len(self.warnings) < _MAX_WARNINGS and text not in self.warnings:
                self.warnings.append(text)
        else:
            return False
        return True


MAX_ENTRIES = 100_000
_MAX_WARNINGS = 200


def read_matrix(
    message: Message, name: str, shape: tuple[int, ...], dtype: type[Any] = np.float64
) -> npt.NDArray[Any]:
    """An array of durations or counts.

    Raises:
        MalformedTiming: It is missing, has another shape, or holds what cannot be.
    """
    array = message.arrays.get(name)
    if array is None or array.dtype != dtype or array.shape != shape:
        raise MalformedTiming(f"{message.type} has no array {name} of shape {shape}")
    if not (np.all(np.isfinite(array)) and np.all(array >= 0)):
        raise MalformedTiming(f"{message.type} has impossible values in {name}")
    return array


def read_names(message: Message, name: str) -> list[str]:
    """A list of short texts.

    Raises:
        MalformedTiming: It is none.
    """
    names = message.fields.get(name)
    if (
        not isinstance(names, list)
        or len(names) > MAX_ENTRIES
        or not all(isinstance(text, str) and len(text) <= 10_000 for text in names)
    ):
        raise MalformedTiming(f"{message.type} has no list {name}")
    return names


def read_timeline(message: Message) -> Timeline:
    """The events of one run.

    Raises:
        ValueError: They are none.
    """
    names, lanes = read_names(message, "names"), read_names(message, "lanes")
    places = {column: read_column(message, column, np.int32) for column in ("name", "lane")}
    began = read_column(message, "began", np.float64)
    seconds = read_column(message, "seconds", np.float64)
    return Timeline(
        tuple(names),
        tuple(lanes),
        places["name"],
        places["lane"],
        began,
        seconds,
        returned=read_seconds(message, "returned"),
        wall=read_seconds(message, "wall"),
        covered=read_seconds(message, "covered"),
        num_left_out=int(read_seconds(message, "num_left_out")),
    )


def read_number(message: Message, name: str) -> float:
    """A number that is not negative; NaN where the worker has none.

    Raises:
        MalformedTiming: It is something else.
    """
    value = message.fields.get(name)
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        raise MalformedTiming(f"{message.type} has an impossible {name}")
    return float(value)
