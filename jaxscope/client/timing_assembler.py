"""Collects the messages of one `time` run into a `Timing`.

What arrives is checked by `schema.timing_messages`.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from jaxscope.model.timing import Measurement, Timing
from jaxscope.schema.timing_messages import (
    MalformedTiming,
    MeasuredSubject,
    disturb,
    make_ratio,
    read_column,
    read_measurement,
    read_text,
)
from jaxscope.wire.messages import Message

_MAX_NAMES = 200
_SLOWED = (
    "{name}: recorded calls kept the device at work longer than whole calls take unrecorded. "
    "Recording, or a busier machine, slowed them: that time is too long."
)


class TimingAssembler:
    """Collects the messages of one `time` run. A later message replaces one of the same name."""

    def __init__(self, call: str = "") -> None:
        """Start empty; `call` stands until the worker names the call that it took."""
        self._subject = MeasuredSubject(call)
        self._measurements: dict[str, Measurement] = {}
        self._ratios: dict[str, tuple[npt.NDArray[np.float64], str]] = {}

    def feed(self, message: Message) -> bool:
        """Take a message in.

        Returns:
            Whether it was one of a timing; others are left to whoever knows them.

        Raises:
            MalformedTiming: It is one, but not well formed.
        """
        if self._subject.feed(message):
            return True
        match message.type:
            case "measurement":
                measurement = read_measurement(message)
                self._put(self._measurements, measurement.name, measurement)
            case "device_time":
                self._add_device_time(message)
            case "ratio":
                name, why_not = read_text(message, "name"), read_text(message, "why_not")
                log_ratios = read_column(message, "log_ratios", np.float64)
                make_ratio(name, log_ratios)  # which refuses impossible ones
                self._put(self._ratios, name, (log_ratios, why_not))
            case _:
                return False
        return True

    def timing(self) -> Timing:
        """What was measured so far; complete once the run is done, useful before."""
        environment = self._subject.environment
        measurements = tuple(disturb(each, environment) for each in self._measurements.values())
        noisy = {measurement.name for measurement in measurements if measurement.is_noisy}
        ratios = (
            make_ratio(name, values, why_not, is_noisy=bool(noisy & set(name.split("/"))))
            for name, (values, why_not) in self._ratios.items()
        )
        slowed = filter(_is_slowed_by_recorder, measurements)
        warnings = [*self._subject.warnings, *(_SLOWED.format(name=m.name) for m in slowed)]
        return Timing(
            call=self._subject.call,
            environment=environment,
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
        table.pop(name, None)  # what is reported again comes last
        table[name] = value


def _is_slowed_by_recorder(measurement: Measurement) -> bool:
    """Whether the device worked longer in a recorded call than a whole call takes: impossible.

    Recording costs some time for each step, which a program of thousands of tiny ones is full of.
    """
    return measurement.device_low > 1.25 * measurement.median
