"""What is timed beside steady calls: trace, lower, compile and first calls, once each; copies of
arguments and results; throughput; time on the device.

A compiler's run cannot be repeated cheaply, so stage times are single readings without an interval.
JAX's caches are emptied first, else a trace made while preparing would make the next one look free.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.late_dataclass import dataclass
from jaxscope.model.said import say, template
from jaxscope.worker import compat
from jaxscope.worker.timing.conditions import read_setting
from jaxscope.worker.timing.forms import is_host_array
from jaxscope.worker.timing.measurement_sender import MeasurementSender, Span
from jaxscope.worker.timing.stopwatch import Stopwatch, Subject
from jaxscope.worker.timing.xla_profiler import busy_seconds

_COMPILATION_EVENTS = frozenset(
    {"/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/backend_compile_duration"}
)
_AFTER_TRACE = frozenset(
    {
        "/jax/core/compile/jaxpr_to_mlir_module_duration",
        "/jax/core/compile/backend_compile_duration",
    }
)
"""None of these holds another, so their durations add up; a trace may hold all of them."""
CACHE_HIT = "/jax/compilation_cache/cache_hits"


class CompilationCounter:
    """Counts what JAX traces and compiles in this process, through its monitoring events.

    Attributes:
        num_compilations: Traces and compilations so far. A call that runs from the cache is none.
        num_cache_hits: Programs that came from the persistent compilation cache.
        compiled_s: Seconds that JAX took to lower and compile so far, as it says.
    """

    def __init__(self) -> None:
        self.num_compilations = 0
        self.num_cache_hits = 0
        self.compiled_s = 0.0
        jax.monitoring.register_event_duration_secs_listener(self._on_duration)
        jax.monitoring.register_event_listener(self._on_event)

    def __call__(self) -> int:
        return self.num_compilations

    def _on_duration(self, event: str, duration_secs: float, **_details: Any) -> None:
        # JAX passes the duration by position or by this name
        self.compiled_s += duration_secs if event in _AFTER_TRACE else 0.0
        self.num_compilations += event in _COMPILATION_EVENTS

    def _on_event(self, event: str, **_details: Any) -> None:
        self.num_cache_hits += event == CACHE_HIT


@dataclass(frozen=True, slots=True)
class StageTime:
    """Seconds of one stage, measured once.

    Attributes:
        name: `trace`, `lower` or `compile`.
        seconds: On the wall.
        protocol: One sentence: what was measured.
        began_s: When it began, on the stopwatch's clock.
        detail: Of compiling: `cache hit`, `cache miss`, or `no cache`.
    """

    name: str
    seconds: float
    protocol: str
    began_s: float = 0.0
    detail: str = ""

    @property
    def span(self) -> tuple[float, float]:
        """Beginning and end on the stopwatch's clock."""
        return self.began_s, self.began_s + self.seconds


START_PROTOCOL = say(
    "Once: JAX's own start. A throw-away function was traced, lowered and compiled, so that what "
    "JAX does in a process only the first time is no part of the rows that follow."
)


def start_jax(stopwatch: Stopwatch) -> Span:
    """Let a throw-away function go through all stages; from when to when that took."""
    start_s = stopwatch.now_s()
    jax.jit(lambda x: jnp.sum(x * 3.0)).trace(jnp.ones(4)).lower().compile()
    return start_s, stopwatch.now_s()


def time_stages(
    jitted: Any,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    stopwatch: Stopwatch,
    counter: CompilationCounter,
) -> Iterator[StageTime | Any]:
    """Trace, lower and compile once, yielding each time as it is known.

    After the trace's comes the `Traced`, after the compilation's the `Compiled`, and last of all
    the `Lowered`.

    Raises:
        Exception: Whatever the user's code or the compiler raises.
    """
    jax.clear_caches()  # type: ignore[no-untyped-call] # JAX does not annotate it
    start_s = stopwatch.now_s()
    traced = compat.trace_jitted(jitted, args, kwargs)
    traced_s = stopwatch.now_s()
    yield StageTime("trace", traced_s - start_s, say("Once, with JAX's caches emptied."), start_s)
    yield traced
    start_s = stopwatch.now_s()
    lowered = compat.lower(traced)
    seconds = stopwatch.now_s() - start_s
    yield StageTime("lower", seconds, say("Once, from jaxpr to StableHLO."), start_s)
    hits = counter.num_cache_hits
    start_s = stopwatch.now_s()
    compiled = lowered.compile()
    seconds = stopwatch.now_s() - start_s
    detail, protocol = _describe_cache(counter.num_cache_hits - hits)
    yield StageTime("compile", seconds, protocol, start_s, detail)
    yield compiled
    yield lowered


def is_one_jit(traced: Any) -> bool:
    """Whether a `Traced` is of a program that only calls one jitted function."""
    equations: Sequence[Any] = getattr(getattr(traced, "jaxpr", None), "eqns", ())
    return len(equations) == 1 and equations[0].primitive.name in {"jit", "pjit"}


def is_empty(traced: Any) -> bool:
    """Whether a `Traced` is of a program without an equation; false for everything else."""
    equations: Sequence[Any] | None = getattr(getattr(traced, "jaxpr", None), "eqns", None)
    return equations is not None and not len(equations)


def is_donating(lowered: Any) -> bool:
    """Whether a call consumes some of its arguments."""
    leaves = jax.tree.leaves(lowered.args_info, is_leaf=lambda leaf: hasattr(leaf, "donated"))
    return any(getattr(leaf, "donated", False) for leaf in leaves)


def same_arguments(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]:
    """Arguments that are the same arrays for each call."""
    return lambda: (args, kwargs)


def fresh_arguments(
    args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[[], tuple[tuple[Any, ...], dict[str, Any]]]:
    """A ready copy of the arguments for each call: the function consumes them."""

    def prepare() -> tuple[tuple[Any, ...], dict[str, Any]]:
        copies: tuple[tuple[Any, ...], dict[str, Any]] = jax.tree.map(_copy, (args, kwargs))
        jax.block_until_ready(copies)  # type: ignore[no-untyped-call] # JAX does not annotate it
        return copies

    return prepare


def transfer_subject(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Subject | None:
    """Copies the arguments from the host to the device; None if no array is among them."""
    arrays = [leaf for leaf in jax.tree.leaves((args, kwargs)) if _is_plain_array(leaf)]
    if not arrays:
        return None
    on_host = jax.device_get(arrays)
    return Subject("transfer", jax.device_put, same_arguments((on_host,), {}))


def _copy(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, jax.Array) else leaf


def _is_plain_array(leaf: Any) -> bool:
    if is_host_array(leaf):
        return True
    return isinstance(leaf, jax.Array) and not jnp.issubdtype(leaf.dtype, jax.dtypes.extended)


def _describe_cache(num_hits: int) -> tuple[str, str]:
    """Whether the persistent cache had the program, in two words and in a sentence."""
    if num_hits:
        told = say("Once; read from the persistent compilation cache, so nothing was compiled.")
        return say("cache hit"), told
    if read_setting("jax_compilation_cache_dir"):
        return say("cache miss"), say("Once; not in the persistent compilation cache.")
    return say("no cache"), say("Once, by XLA; no persistent compilation cache is in use.")


# What else there is to time: the arguments' way there, the results' way back, and throughput.


TRANSFER_PROTOCOL = say(
    "The arguments, handed from the host to the device. A CPU may share the memory and not copy."
)
FETCH_PROTOCOL = say(
    "The results, copied from the device to the host, ready before. A CPU may share the memory."
)
THROUGHPUT_PROTOCOL = template(
    "{batch} calls, one after another without waiting for results, then one wait; divided by "
    "{batch}. Latency is what waits after each call."
)
_SINGLE_PROTOCOL = say(
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
    readings: MeasurementSender,
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


def send_fetch(
    stopwatch: Stopwatch, readings: MeasurementSender, subject: Subject, budget_s: float
) -> None:
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
    stopwatch: Stopwatch, readings: MeasurementSender, subject: Subject, budget_s: float
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
        protocol = _SINGLE_PROTOCOL if batch == 1 else say(THROUGHPUT_PROTOCOL, batch=batch)
        readings.send("throughput", durations, protocol, span=span)


def send_device_time(
    stopwatch: Stopwatch, readings: MeasurementSender, subject: Subject, budget_s: float
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
        why = " ".join(str(error).split())[:200]
        return say(
            "The device's time of {name} could not be recorded: {why}", name=subject.name, why=why
        )
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
