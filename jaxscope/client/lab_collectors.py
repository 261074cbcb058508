"""Collect the answers of the timing lab's experiments; all of it was written by a worker.

Statistics are made here, from the raw durations; a worker that was stopped leaves what it sent.
"""

from __future__ import annotations

import abc
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.scaling import find_crossovers, fit_slopes
from jaxscope.client.events import Event, ResultGrew
from jaxscope.client.results import Result
from jaxscope.client.timing_assemble import (
    MalformedTiming,
    disturb,
    make_measurement,
    make_ratio,
    read_column,
    read_conditions,
    read_environment,
    read_seconds,
    read_text,
)
from jaxscope.client.work_reading import read_cost
from jaxscope.model.capture import Environment
from jaxscope.model.lab import NodeTime, NodeTimes, Profile, ScalePoint, Scaling
from jaxscope.model.timeline import Timeline
from jaxscope.model.timing import Measurement
from jaxscope.model.unavailable import Unavailable, is_available
from jaxscope.wire.messages import Message

MAX_ENTRIES = 100_000
SCALE_PROTOCOL = (
    "Each call timed by itself until its result was ready, in random pairs of chunks of 20, or of "
    "single calls where they take over 10 ms."
)
_MAX_POINTS = 1_000
_MAX_WARNINGS = 200
_NO_ENVIRONMENT = Environment("", "", "", "", "")


class LabCollector(abc.ABC):
    """What all experiments send: what is measured, where, and what to mind."""

    def __init__(self, call: str = "") -> None:
        self.call = call
        self.environment = _NO_ENVIRONMENT
        self.warnings: list[str] = []

    def feed(self, message: Message) -> Iterator[Event]:
        """Take a message in.

        Raises:
            ValueError: It is malformed.
        """
        if message.type == "timed":
            self.call = read_text(message, "call")
            self.environment = read_environment(message.fields.get("environment"))
        elif message.type == "conditions":
            self.environment = read_conditions(message, self.environment)
        elif message.type == "warning":
            text = read_text(message, "text")
            if len(self.warnings) < _MAX_WARNINGS and text not in self.warnings:
                self.warnings.append(text)
        else:
            self.take(message)
        return iter(())

    @abc.abstractmethod
    def take(self, message: Message) -> None:
        """Take a message of this experiment's own in.

        Raises:
            ValueError: It is malformed.
        """

    @abc.abstractmethod
    def result(self) -> Result:
        """What was found so far."""

    @abc.abstractmethod
    def is_empty(self) -> bool:
        """Whether nothing was found yet."""

    def partial(self) -> Result | None:
        """What was found before the run ended early."""
        if self.is_empty():
            return None
        self.warnings.append("The run ended early: these results are partial.")
        return self.result()


class ProfileCollector(LabCollector):
    """Answers to `profile`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        missing = Unavailable("It was not measured.")
        self._compiled: NodeTimes | Unavailable = missing
        self._eager: NodeTimes | Unavailable = missing
        self._timeline: Timeline | Unavailable = missing

    def take(self, message: Message) -> None:
        found: NodeTimes | Unavailable
        if message.type == "timeline":
            self._timeline = read_timeline(message)
            return
        if message.type == "node_times":
            found = _read_node_times(message)
        elif message.type == "node_times_missing":
            found = Unavailable(read_text(message, "reason"), read_text(message, "stage"))
        else:
            return
        if message.fields["stage"] == "optimized":
            self._compiled = found
        else:
            self._eager = found

    def result(self) -> Profile:
        timeline = self._timeline
        if isinstance(timeline, Unavailable) and isinstance(self._compiled, Unavailable):
            timeline = self._compiled  # for the same reason
        return Profile(
            self.call,
            self.environment,
            self._compiled,
            self._eager,
            tuple(self.warnings),
            timeline,
        )

    def is_empty(self) -> bool:
        return not (is_available(self._compiled) or is_available(self._eager))


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
    if array.size and not (np.all(np.isfinite(array)) and np.all(array >= 0)):
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


def _read_node_times(message: Message) -> NodeTimes:
    names = read_names(message, "names")
    runs = len(message.arrays.get("covered", ()))
    if not names or not 0 < runs <= 10_000:
        raise MalformedTiming("node_times has no runs")
    inclusive = read_matrix(message, "inclusive", (runs, len(names)))
    exclusive = np.median(read_matrix(message, "exclusive", (runs, len(names))), axis=0)
    counts = read_matrix(message, "counts", (len(names),), np.int32)
    walls, plain = (
        read_matrix(message, key, (len(message.arrays.get(key, ())),)) for key in ("walls", "plain")
    )
    times = []
    for index, name in enumerate(names):
        column = inclusive[:, index]
        times.append(
            NodeTime(
                name,
                int(counts[index]),
                float(np.median(column)),
                float(column.min()),
                float(column.max()),
                float(exclusive[index]),
            )
        )
    return NodeTimes(
        stage=read_text(message, "stage"),
        times=tuple(times),
        runs=runs,
        wall=float(np.median(walls)) if len(walls) else 0.0,
        plain_wall=float(np.median(plain)) if len(plain) else 0.0,
        covered=float(np.median(read_matrix(message, "covered", (runs,)))),
        protocol=read_text(message, "protocol"),
    )


class ScalingCollector(LabCollector):
    """Answers to `scale`."""

    def __init__(self, call: str = "") -> None:
        super().__init__(call)
        self._vary = ""
        self._points: dict[int, Message] = {}
        self._forms = ("eager", "jit")

    def feed(self, message: Message) -> Iterator[Event]:
        yield from super().feed(message)
        if message.type == "scale_point":
            yield ResultGrew(self.result())

    def take(self, message: Message) -> None:
        if message.type == "scale":
            self._vary = read_text(message, "vary")
            first, second = read_names(message, "forms")
            self._forms = (first, second)
        elif message.type == "scale_point":
            point = _read_point(message, self.environment)
            if len(self._points) >= _MAX_POINTS:
                raise MalformedTiming("there are too many sizes")
            self._points[point.size] = message

    def result(self) -> Scaling:
        # How busy the machine was is known in the end only.
        points = tuple(
            _read_point(self._points[size], self.environment) for size in sorted(self._points)
        )
        return Scaling(
            self.call,
            self.environment,
            self._vary,
            points,
            fit_slopes(points),
            find_crossovers(points, self._forms),
            tuple(self.warnings),
            self._forms,
        )

    def is_empty(self) -> bool:
        return not self._points


def _read_point(message: Message, environment: Environment) -> ScalePoint:
    size = message.fields.get("size")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 < size <= 2**53:
        raise MalformedTiming("a size is none")
    eager, jit = (_read_side(message, name, environment) for name in ("eager", "jit"))
    reason = read_text(message, "reason")
    ratio = None
    if "log_ratios" in message.arrays and len(message.arrays["log_ratios"]):
        ratio = make_ratio(
            "eager/jit",
            read_column(message, "log_ratios", np.float64),
            "" if message.fields.get("is_judged") is not False else reason or "no verdict",
            is_noisy=any(side is not None and side.is_noisy for side in (eager, jit)),
        )
    names = ("trace", "lower", "compile", "first_compile")
    cost = read_cost(message, dict(message.fields))
    return ScalePoint(
        size,
        eager,
        jit,
        ratio,
        **{name: read_number(message, name) for name in names},
        flops=cost.flops,
        bytes_accessed=cost.bytes_accessed,
        memory=cost.memory,
        reason=reason,
        counting=cost.counting,
    )


def _read_side(message: Message, name: str, environment: Environment) -> Measurement | None:
    if not len(message.arrays.get(f"{name}.seconds", ())):
        return None
    seconds = read_column(message, f"{name}.seconds", np.float64)
    return disturb(make_measurement(name, seconds, SCALE_PROTOCOL), environment)


def read_number(message: Message, name: str) -> float:
    """A number that is not negative; NaN where the worker knows none.

    Raises:
        MalformedTiming: It is something else.
    """
    value = message.fields.get(name)
    if value is None:
        return math.nan
    if not isinstance(value, int | float) or isinstance(value, bool) or not value >= 0:
        raise MalformedTiming(f"{message.type} has an impossible {name}")
    return float(value)
