"""What a run has changed in its process, told to the reader once it is over.

A worker runs one thing and is gone, so nothing of this reaches the next run; but whoever compares
two captures should know that one file had turned `jax_disable_jit` on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from typing import Any

from jaxscope.worker.tracebacks import safe_text

_OUR_OWN = frozenset({"jax_default_device", "jax_platforms", "jax_num_cpu_devices"})
"""Settings that the target decides."""
_MAX_SHOWN = 20


class RunNotes:
    """The state of the process before user code, to be compared with the state after it."""

    def __init__(self) -> None:
        self._clocks = _clock_identity()
        self._settings = _read_settings()
        self._num_devices = _read_num_devices()

    def messages(self) -> Iterator[str]:
        """A sentence for everything that has changed."""
        if _clock_identity() != self._clocks:
            yield "The code replaced time functions of Python: its own timings may be off."
        changes = [
            f"{name} = {safe_text(value, 100)} (was {safe_text(self._settings[name], 100)})"
            for name, value in sorted(_read_settings().items())
            if name in self._settings and not _is_same(value, self._settings[name])
        ]
        if changes:
            yield f"The code changed JAX's configuration: {', '.join(changes[:_MAX_SHOWN])}."
        num_devices = _read_num_devices()
        if 0 < self._num_devices != num_devices > 0:
            yield (
                f"The code set jax_num_cpu_devices to {num_devices}: the program is not for the "
                f"{self._num_devices} of the target."
            )
        for wanted, given in _read_narrowed().items():
            yield f"{wanted} became {given}: JAX uses 64-bit types only with --x64."


def _read_settings() -> Mapping[str, Any]:
    """JAX's settings; none where the code has put something else in their place."""
    try:
        import jax

        values: Mapping[str, Any] = jax.config.values
        return {name: value for name, value in values.items() if name not in _OUR_OWN}
    except Exception:
        return {}


def _read_num_devices() -> int:
    """How many CPU devices JAX was told to simulate; 0 where nobody told it."""
    try:
        import jax

        return max(int(jax.config.values["jax_num_cpu_devices"]), 0)
    except Exception:
        return 0


def _read_narrowed() -> Mapping[str, str]:
    values = sys.modules.get("jaxscope.worker.values")  # a run that evaluates no call loads none
    return {} if values is None else values.narrowed_dtypes()


def _is_same(first: object, second: object) -> bool:
    try:
        return bool(first is second or first == second)
    except Exception:  # values are the user's, and may compare as they like
        return False


def _clock_identity() -> tuple[int, ...]:
    return tuple(map(id, (time.perf_counter, time.time, time.monotonic, time.sleep)))
