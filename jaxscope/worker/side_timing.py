"""What else there is to time: the arguments' way there, the results' way back, and throughput."""

from __future__ import annotations

import math
from typing import Any

import jax

from jaxscope.worker.readings import Readings
from jaxscope.worker.recorder import busy_seconds
from jaxscope.worker.stages_timing import transfer_subject
from jaxscope.worker.stopwatch import Stopwatch, Subject

TRANSFER_PROTOCOL = (
    "The arguments, handed from the host to the device. A CPU may share the memory and not copy."
)
FETCH_PROTOCOL = (
    "The results, copied from the device to the host, ready before. A CPU may share the memory."
)
THROUGHPUT_PROTOCOL = (
    "{batch} calls, one after another without waiting for results, then one wait; divided by "
    "{batch}. Latency is what waits after each call."
)
_SINGLE_PROTOCOL = (
    "Single calls, each with a wait for its result: one takes so long that several without waiting "
    "in between are not tried."
)
_LEAST_BATCH_S = 0.002
_MAX_BATCH = 200
_MAX_READINGS = 30
_DEVICE_CALLS = 30
_SLOWEST_ON_DEVICE = 5
"""A call that takes so many budgets is not made twice more for its time on the device."""


def send_transfer(
    stopwatch: Stopwatch,
    readings: Readings,
    arguments: tuple[tuple[Any, ...], dict[str, Any]],
    budget_s: float,
) -> None:
    """Time copying the arguments to the device, if an array is among them."""
    subject = transfer_subject(*arguments)
    if subject is None:
        return
    start_s = stopwatch.now_s()
    durations = stopwatch.warm_up(subject, 20, budget_s)
    span = (start_s, stopwatch.now_s())
    readings.send("transfer", durations[1:] or durations, TRANSFER_PROTOCOL, span=span)


def send_fetch(stopwatch: Stopwatch, readings: Readings, subject: Subject, budget_s: float) -> None:
    """Time copying the results of calls to the host.

    Raises:
        SubjectFailed: A call raised.
    """
    start_s = stopwatch.now_s()
    copy = fetch_subject(subject)
    try:
        stopwatch.warm_up(copy, 20, budget_s)
    finally:
        span = (start_s, stopwatch.now_s())
        durations = copy.warm_up_s
        readings.send("fetch", durations[1:] or durations, FETCH_PROTOCOL, span=span)


def send_throughput(
    stopwatch: Stopwatch, readings: Readings, subject: Subject, budget_s: float
) -> None:
    """Time calls that do not wait for one another.

    Raises:
        SubjectFailed: A call raised.
    """
    start_s = stopwatch.now_s()
    batch = find_batch(subject.typical_s)
    whole = batch_subject(subject, batch)
    try:
        stopwatch.warm_up(whole, _MAX_READINGS, budget_s)
    finally:
        durations = [seconds / batch for seconds in whole.warm_up_s[1:] or whole.warm_up_s]
        span = (start_s, stopwatch.now_s())
        protocol = _SINGLE_PROTOCOL if batch == 1 else THROUGHPUT_PROTOCOL.format(batch=batch)
        readings.send("throughput", durations, protocol, span=span)


def send_device_time(
    stopwatch: Stopwatch, readings: Readings, subject: Subject, budget_s: float
) -> str:
    """Record for how long calls keep the device at work; a slow one is not called for this.

    Returns:
        Why it is not known, a sentence, or nothing.
    """
    if subject.typical_s > budget_s * _SLOWEST_ON_DEVICE:
        return ""
    fitting = int(budget_s / max(subject.typical_s, 1e-6))
    try:
        busy_s = busy_seconds(stopwatch, subject, max(1, min(_DEVICE_CALLS, fitting)))
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        return f"The device's time of {subject.name} could not be recorded: {said}"
    readings.send_device(subject.name, busy_s)
    return ""


def fetch_subject(subject: Subject) -> Subject:
    """Copies results to the host: each time those of a new call, since a copy is kept."""

    def prepare() -> tuple[tuple[Any, ...], dict[str, Any]]:
        args, kwargs = subject.prepare()
        result = subject.function(*args, **kwargs)
        ready = jax.block_until_ready(result)  # type: ignore[no-untyped-call] # JAX's
        return (ready,), {}

    return Subject("fetch", jax.device_get, prepare)


def find_batch(typical_s: float) -> int:
    """How many calls are made without waiting in between."""
    return max(1, min(_MAX_BATCH, math.ceil(_LEAST_BATCH_S / max(typical_s, 1e-7))))


def batch_subject(subject: Subject, batch: int) -> Subject:
    """Calls so often, and waits for the last result only."""
    prepared: list[tuple[tuple[Any, ...], dict[str, Any]]] = []

    def call_all(*_args: Any) -> list[Any]:
        results = [subject.function(*args, **kwargs) for args, kwargs in prepared]
        return results[-1:]

    def prepare() -> tuple[tuple[()], dict[str, Any]]:
        prepared[:] = [subject.prepare() for _ in range(batch)]
        return (), {}

    return Subject("throughput", call_all, prepare)
