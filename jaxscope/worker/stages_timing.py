"""What happens once per program: trace, lower, compile, first calls; each is timed once.

A compiler's run cannot be repeated cheaply, so these numbers are single readings and carry no
interval. JAX's caches are emptied first, else a trace made while preparing would make the next
one look free.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.worker import compat
from jaxscope.worker.conditions import read_setting
from jaxscope.worker.readings import Span
from jaxscope.worker.stopwatch import Stopwatch, Subject
from jaxscope.worker.subjects import is_host_array

_COMPILATION_EVENTS = frozenset(
    {"/jax/core/compile/jaxpr_trace_duration", "/jax/core/compile/backend_compile_duration"}
)
_CACHE_HIT = "/jax/compilation_cache/cache_hits"


class CompilationCounter:
    """Counts what JAX traces and compiles in this process, through its monitoring events.

    Attributes:
        num_compilations: Traces and compilations so far. A call that runs from the cache is none.
        num_cache_hits: Programs that came from the persistent compilation cache.
    """

    def __init__(self) -> None:
        self.num_compilations = 0
        self.num_cache_hits = 0
        jax.monitoring.register_event_duration_secs_listener(self._on_duration)
        jax.monitoring.register_event_listener(self._on_event)

    def __call__(self) -> int:
        return self.num_compilations

    def _on_duration(self, event: str, duration_secs: float, **_details: Any) -> None:
        del duration_secs  # JAX passes it by position or by this name
        self.num_compilations += event in _COMPILATION_EVENTS

    def _on_event(self, event: str, **_details: Any) -> None:
        self.num_cache_hits += event == _CACHE_HIT


@dataclasses.dataclass(frozen=True, slots=True)
class StageTime:
    """One reading.

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


START_PROTOCOL = (
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
    yield StageTime("trace", traced_s - start_s, "Once, with JAX's caches emptied.", start_s)
    yield traced
    start_s = stopwatch.now_s()
    lowered = traced.lower()
    seconds = stopwatch.now_s() - start_s
    yield StageTime("lower", seconds, "Once, from jaxpr to StableHLO.", start_s)
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
    """The same arguments for each call."""
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
        said = "Once; read from the persistent compilation cache, so nothing was compiled."
        return "cache hit", said
    if read_setting("jax_compilation_cache_dir"):
        return "cache miss", "Once; not in the persistent compilation cache."
    return "no cache", "Once, by XLA; no persistent compilation cache is in use."
