"""Sends what was measured as it becomes known: raw durations, and when they were taken."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from jaxscope.worker.channel import Channel

Span = tuple[float, float]
"""Beginning and end, in seconds on the stopwatch's clock."""


class Readings:
    """Readings of one run.

    Attributes:
        names: Of what was sent so far.
    """

    def __init__(self, channel: Channel, zero_s: float) -> None:
        """Send to a channel.

        Args:
            zero_s: The start of the run on the stopwatch's clock; spans are sent relative to it.
        """
        self.names: set[str] = set()
        self._channel = channel
        self._zero_s = zero_s

    def send(
        self,
        name: str,
        durations: Sequence[float],
        protocol: str,
        *,
        span: Span | None = None,
        detail: str = "",
    ) -> None:
        """Send the durations of calls, if there are any."""
        if not durations:
            return
        self.names.add(name)
        began, ended = (None, None) if span is None else (end - self._zero_s for end in span)
        self._channel.send(
            "measurement",
            {
                "name": name,
                "protocol": protocol,
                "detail": detail,
                "began": began,
                "ended": ended,
            },
            {"seconds": np.asarray(durations, np.float64)},
        )

    def send_device(self, name: str, busy_s: Sequence[float]) -> None:
        """Send for how long each of some calls kept the device at work, if there were any."""
        if len(busy_s):
            self._channel.send(
                "device_time", {"name": name}, {"seconds": np.asarray(busy_s, np.float64)}
            )
