"""Answer a `calibrate` request: what this machine reaches in arithmetic and in memory traffic.

Nothing of the user's runs. A matrix product of single precision and a sum of two arrays too large
for caches are timed; the client takes the best of the single times.
"""

from __future__ import annotations

from time import perf_counter
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.said import say
from jaxscope.worker.channel import Channel
from jaxscope.worker.targets.environment import describe_environment
from jaxscope.worker.timing.conditions import Conditions, find_warnings

_SIDE = 1024
_NUM_ELEMENTS = 1 << 24
"""64 MiB an array in single precision: more than the caches of most machines."""
_BUDGET_S = 1.2
_block: Any = jax.block_until_ready
_MIN_RUNS, _MAX_RUNS = 5, 400


def handle_calibrate(_request: dict[str, Any], channel: Channel) -> None:
    """Measure both ceilings and send them as they are known, then how busy the machine was."""
    conditions = Conditions()
    channel.send("timed", {"call": "calibration", "environment": describe_environment()})
    for warning in find_warnings():
        channel.send("warning", {"text": warning})
    channel.progress("matmul", say("Multiplying matrices of {side} by {side}", side=_SIDE))
    square = jnp.full((_SIDE, _SIDE), 0.5, jnp.float32)
    _send(
        channel,
        "matmul",
        "FLOP",
        2.0 * _SIDE**3,
        say(
            "A product of two {side} by {side} matrices in f32, jitted, timed until it was ready.",
            side=_SIDE,
        ),
        _time(jax.jit(jnp.matmul), square, square),
    )
    del square
    channel.progress("stream", say("Adding arrays that no cache holds"))
    array = jnp.full((_NUM_ELEMENTS,), 0.5, jnp.float32)
    other = array + 1.0
    _send(
        channel,
        "stream",
        "bytes",
        3.0 * array.nbytes,
        say(
            "a + b of {size} MiB each in f32, jitted: two arrays read, one written.",
            size=array.nbytes >> 20,
        ),
        _time(jax.jit(jnp.add), array, other),
    )
    channel.send("conditions", conditions.numbers())


def _time(function: Any, *arguments: Any) -> list[float]:
    """Seconds of single calls; those that compile and warm up are left out."""
    for _ in range(2):
        _block(function(*arguments))
    seconds: list[float] = []
    end = perf_counter() + _BUDGET_S
    while len(seconds) < _MAX_RUNS and (perf_counter() < end or len(seconds) < _MIN_RUNS):
        start = perf_counter()
        _block(function(*arguments))
        seconds.append(perf_counter() - start)
    return seconds


def _send(
    channel: Channel, name: str, unit: str, work: float, protocol: str, seconds: list[float]
) -> None:
    fields = {"name": name, "unit": unit, "work": work, "protocol": protocol}
    channel.send("ceiling", fields, {"seconds": np.array(seconds, np.float64)})
