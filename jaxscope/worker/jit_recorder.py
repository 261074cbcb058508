"""Watch every jitted function of the user's: which keys it is called with, what that compiles.

`jax.jit` is replaced before the user's file runs, so decorators, `from jax import jit` and jits
made inside of functions are seen alike. A call from within another's trace is passed through.
"""

from __future__ import annotations

import contextlib
import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import jax

from jaxscope.worker.conditions import read_setting
from jaxscope.worker.jit_keys import CallKey, find_key, has_tracers

_EVENTS = {
    "/jax/core/compile/jaxpr_trace_duration": "trace",
    "/jax/core/compile/jaxpr_to_mlir_module_duration": "lower",
    "/jax/core/compile/backend_compile_duration": "compile",
}
_CACHE_HIT = "/jax/compilation_cache/cache_hits"

OnCompiled = Callable[["RecordedJit", CallKey, dict[str, float], bool, str], None]
OnCalled = Callable[["RecordedJit", CallKey], None]


class JitRecorder:
    """Replaces `jax.jit`; tells of every call of a jitted function.

    Attributes:
        num_calls: Of jitted functions, from outside of any trace.
        num_within: Calls of jitted functions within transforms and traces: what they compile by
            themselves belongs to no key.
        outside: Programs compiled outside of calls of jitted functions: number and seconds by the
            name that JAX gives them. Single operations, and jitted functions within transforms.
        is_user_code: Whether what is compiled now is the user's doing.
        original: JAX's own `jit`.
    """

    def __init__(self, on_called: OnCalled, on_compiled: OnCompiled) -> None:
        self.num_calls = 0
        self.num_within = 0
        self.outside: dict[str, tuple[int, float]] = {}
        self.is_user_code = False
        self.original = jax.jit
        self._on_called = on_called
        self._on_compiled = on_compiled
        self._is_inside = False
        # A function that is gone leaves its identity to the next one, which would look the same.
        self._alive: dict[int, Any] = {}
        self._durations: dict[str, list[float]] = {}
        self._cache_hits = 0
        self._explanations: list[str] = []

    def install(self) -> None:
        """Take `jax.jit`'s place, listen to what JAX measures, and make it explain its misses."""
        jax.jit = self.jit
        jax.monitoring.register_event_duration_secs_listener(self._on_duration)
        jax.monitoring.register_event_listener(self._on_event)
        with contextlib.suppress(AttributeError):  # a release without the setting explains nothing
            # JAX does not annotate it
            jax.config.update("jax_explain_cache_misses", True)  # type: ignore[no-untyped-call]
        # Before any handler: libraries let what JAX logs go to handlers of their own.
        for name in [*logging.root.manager.loggerDict]:
            if name == "jax" or name.startswith("jax."):
                logging.getLogger(name).addFilter(self._keep_explanation)

    def jit(self, function: Any = None, /, **options: Any) -> Any:
        """As `jax.jit`."""
        if function is None:
            function = options.pop("fun", None)
        if function is None:
            return functools.partial(self.jit, **options)
        return RecordedJit(self.original(function, **options), function, options, self)

    def call(self, jitted: RecordedJit, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Call a jitted function, and tell what it compiled."""
        if self._is_inside or read_setting("jax_disable_jit"):
            return jitted.inner(*args, **kwargs)
        if has_tracers(args, kwargs):
            self.num_within += 1
            return jitted.inner(*args, **kwargs)
        self._alive[id(jitted.function)] = jitted.function
        key = find_key(jitted.function, jitted.options, args, kwargs)
        self.num_calls += 1
        with self._watching():
            result = jitted.inner(*args, **kwargs)
        # A trace without a compilation found its program by what was traced.
        if not self._durations:
            self._on_called(jitted, key)
        else:
            seconds = {
                # A jit inside of a jit is traced and lowered inside of the outer one's time.
                name: sum(values) if name == "compile" else max(values)
                for name, values in self._durations.items()
            }
            explanation = "\n".join(self._explanations)
            self._on_compiled(jitted, key, seconds, self._cache_hits > 0, explanation)
        return result

    def _keep_explanation(self, record: logging.LogRecord) -> bool:
        """Keep JAX's explanations of cache misses; everything else goes on as it would."""
        text = record.getMessage()
        if "CACHE MISS" not in text:
            return True
        self._explanations.append(text[:4000])
        return False

    @contextlib.contextmanager
    def _watching(self) -> Iterator[None]:
        self._durations.clear()
        self._explanations.clear()
        self._cache_hits = 0
        self._is_inside = True
        try:
            yield
        finally:
            self._is_inside = False

    def _on_duration(self, event: str, duration_secs: float, **details: Any) -> None:
        if event not in _EVENTS:
            return
        if self._is_inside:
            self._durations.setdefault(_EVENTS[event], []).append(duration_secs)
        elif self.is_user_code:
            name = str(details.get("fun_name") or "unnamed")
            name = name.removeprefix("jit(").removesuffix(")") if name.startswith("jit(") else name
            count, seconds = self.outside.get(name, (0, 0.0))
            is_program = _EVENTS[event] == "compile"
            self.outside[name] = (count + is_program, seconds + duration_secs)

    def _on_event(self, event: str, **_details: Any) -> None:
        self._cache_hits += self._is_inside and event == _CACHE_HIT


class RecordedJit:
    """A jitted function whose calls are told of; otherwise like the one inside."""

    def __init__(
        self, inner: Any, function: Any, options: dict[str, Any], recorder: JitRecorder
    ) -> None:
        self.inner = inner
        self.function = function
        self.options = options
        self._recorder = recorder
        with contextlib.suppress(AttributeError, TypeError):
            functools.update_wrapper(self, function, updated=())
        self.__wrapped__ = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._recorder.call(self, args, kwargs)

    def __get__(self, instance: Any, owner: Any = None) -> Any:
        """As a method: JAX's jitted functions bind like Python's."""
        return self if instance is None else functools.partial(self, instance)

    def __getattr__(self, name: str) -> Any:
        if name == "inner":  # while it is being made or copied
            raise AttributeError(name)
        return getattr(self.inner, name)
