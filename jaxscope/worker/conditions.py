"""What disturbs a measurement: other programs, settings, the user's own threads."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax

from jaxscope.worker.environment import describe_environment

_bound_clocks = (time.perf_counter_ns, time.perf_counter)
_MAX_PRESSURE_PERCENT = 10.0
_LEAST_CPU_SHARE = 0.5
_MAX_NAMED = 5
_PRESSURE = Path("/proc/pressure/cpu")
_POWER = Path("/sys/class/power_supply")


class Conditions:
    """Watches the machine from its creation on."""

    def __init__(self) -> None:
        self._start = _read_counters()

    def find_disturbances(self, *, own_share: bool = True) -> list[str]:
        """Reasons to distrust what was measured since the start, a sentence each.

        Args:
            own_share: Whether to look at this process's share of a processor, which says nothing
                of one that waited for its turn.
        """
        wall_s, cpu_s = (
            now - then for now, then in zip(_read_counters(), self._start, strict=True)
        )
        wall_s = max(wall_s, 1e-9)
        reasons = []
        if own_share and jax.default_backend() == "cpu" and cpu_s / wall_s < _LEAST_CPU_SHARE:
            reasons.append(f"The process had a processor for {cpu_s / wall_s:.0%} of the time.")
        return reasons + _find_load()


def describe_machine() -> dict[str, str]:
    """Where something is measured: as `describe_environment`, with the number of devices."""
    fields = describe_environment()
    count = jax.local_device_count()
    if count > 1:
        simulated = "simulated " if fields["platform"] == "cpu" else ""
        fields["device"] += f", {count} {simulated}devices"
    return fields


def find_warnings() -> list[str]:
    """What about this process makes durations mean something else, a sentence each."""
    warnings = []
    threads = [thread.name for thread in threading.enumerate() if _is_users(thread)]
    if threads:
        names = list(dict.fromkeys(threads))
        more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
        named = ", ".join(names[:_MAX_NAMED])
        warnings.append(f"Threads of the code run beside the measurement: {named}{more}.")
    if (time.perf_counter_ns, time.perf_counter) != _bound_clocks:
        warnings.append("The code replaced Python's clock; the real one was used to measure.")
    if read_setting("jax_debug_nans") or read_setting("jax_debug_infs"):
        warnings.append("jax_debug_nans or jax_debug_infs is on: each result is checked, slowly.")
    if read_setting("jax_disable_jit"):
        warnings.append("jax_disable_jit is on: nothing is compiled, so only eager runs count.")
    if read_setting("jax_enable_x64"):
        warnings.append("jax_enable_x64 is on: Python numbers become 64 bits wide.")
    if os.environ.get("XLA_FLAGS"):
        warnings.append(f"XLA_FLAGS is set: {os.environ['XLA_FLAGS'][:300]}")
    if read_setting("jax_compilation_cache_dir"):
        warnings.append("A compilation cache is on: a hit makes compiling look fast.")
    return warnings


class ProcessWarnings:
    """Tells what `find_warnings` finds, each once."""

    def __init__(self, warn: Callable[[str], None]) -> None:
        self._warn = warn
        self._known: set[str] = set()

    def tell_new(self) -> None:
        """Look again: what was measured may have started threads or set clocks."""
        for text in find_warnings():
            if text not in self._known:
                self._known.add(text)
                self._warn(text)


def read_setting(name: str) -> Any:
    """A setting of JAX's, or None where this release has none of that name."""
    return getattr(jax.config, name, None)


def _is_users(thread: threading.Thread) -> bool:
    """Threads that Python did not start are XLA's, seen when one of them called Python."""
    return (
        thread is not threading.main_thread()
        and not thread.name.startswith("jaxscope")
        and not isinstance(thread, threading._DummyThread)  # Python has no public name for it
    )


def _read_counters() -> tuple[float, float]:
    """Wall seconds, and processor seconds of all threads.

    Context switches are not looked at: handing work to XLA's threads makes thousands of them.
    """
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return _bound_clocks[1](), usage.ru_utime + usage.ru_stime


def _find_load() -> list[str]:
    reasons = []
    load, num_cores = os.getloadavg()[0], os.cpu_count() or 1
    if load > num_cores:
        reasons.append(f"The machine is busy: load {load:.1f} on {num_cores} cores.")
    pressure = _read_pressure()
    if pressure > _MAX_PRESSURE_PERCENT:
        reasons.append(f"Programs waited for a processor {pressure:.0f} % of the last 10 s.")
    if _is_on_battery():
        reasons.append("The machine runs on battery, which may lower its clock.")
    return reasons


def _read_pressure() -> float:
    """Share of the last 10 s in which something waited for a processor; 0 where unknown."""
    try:
        first_line = _PRESSURE.read_text("ascii").splitlines()[0]
        return float(first_line.split("avg10=")[1].split()[0])
    except (OSError, IndexError, ValueError):
        return 0.0


def _is_on_battery() -> bool:
    try:
        states = [path.read_text("ascii").strip() for path in _POWER.glob("BAT*/status")]
    except (OSError, ValueError):
        return False
    return "Discharging" in states
