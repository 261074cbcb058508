"""What disturbs a measurement: other programs, settings, the user's own threads."""

from __future__ import annotations

import ctypes
import os
import platform
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax

from jaxscope.model.said import join_first, say
from jaxscope.worker.targets.environment import describe_environment

_bound_clocks = (time.perf_counter_ns, time.perf_counter)
_thread_time, _process_time = time.thread_time, time.process_time
_perf_counter = time.perf_counter
_PROBE_S = 0.01
_LONGEST_PROBE_S = 0.2
_LEAST_WATCHED_S = 0.2
"""The system counts hundredths of a second: less would say nothing."""
_MAX_NAMED = 5
_STATISTICS = Path("/proc/stat")
_POWER = Path("/sys/class/power_supply")


def count_page_faults() -> int:
    """How many pages of memory the system gave to this process so far, without reading a disk."""
    if sys.platform == "win32":
        kernel = ctypes.WinDLL("kernel32")
        counters = (ctypes.c_uint32 * 18)()  # PROCESS_MEMORY_COUNTERS: its size, then the faults
        size = ctypes.sizeof(counters)
        kernel.GetCurrentProcess.restype = ctypes.c_void_p
        process = ctypes.c_void_p(kernel.GetCurrentProcess())
        if not kernel.K32GetProcessMemoryInfo(process, ctypes.byref(counters), size):
            raise ctypes.WinError()
        return int(counters[1])
    import resource  # Windows has none

    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt


_M_TRIM_THRESHOLD, _M_MMAP_MAX = -1, -4
_ALL = 2**31 - 1


def keep_freed_memory() -> bool:
    """Let the C library keep what is freed, for good: whether it can be told to.

    glibc gives large blocks back to the system at once, and others by what lies at the end of its
    heap, which is drawn once for each process. The next call then gets every page anew.
    """
    if platform.libc_ver()[0] != "glibc":
        return False
    library = ctypes.CDLL(None)
    return bool(library.mallopt(_M_MMAP_MAX, 0) and library.mallopt(_M_TRIM_THRESHOLD, _ALL))


class _Counters(NamedTuple):
    """Seconds: on the wall, of processors for this process, of processors for all (if known)."""

    wall_s: float
    own_s: float
    machine_s: float | None


class Conditions:
    """Watches the machine from its creation on."""

    def __init__(self) -> None:
        self._cpu_s = self._wall_s = 0.0
        self._since: _Counters | None = _read_counters()
        self._own_s = self._watched_s = self._machine_s = 0.0
        self._knows_machine = self._since.machine_s is not None

    def pause(self) -> None:
        """Do not watch until `resume`: another process is having its turn."""
        if self._since is None:
            return
        now, then, self._since = _read_counters(), self._since, None
        self._watched_s += now.wall_s - then.wall_s
        self._own_s += now.own_s - then.own_s
        self._machine_s += (now.machine_s or 0.0) - (then.machine_s or 0.0)

    def resume(self) -> None:
        """Observe from now on, unless that is done already."""
        if self._since is None:
            self._since = _read_counters()

    def probe(self) -> None:
        """Find out how much of a processor this process gets now, by counting for a moment.

        The processor time of what is measured would not show it: a program may wait on its own.
        """
        wall_s, cpu_s = _perf_counter(), _thread_time()
        while True:
            spent_s, counted_s = _perf_counter() - wall_s, _thread_time() - cpu_s
            if counted_s >= _PROBE_S or spent_s >= _LONGEST_PROBE_S:
                break
        self._cpu_s += counted_s
        self._wall_s += spent_s

    def numbers(self) -> dict[str, float | None]:
        """How busy the machine was since the start: the fields of a `conditions` message."""
        self.probe()
        return {
            "load": _read_load(),
            "processors": os.cpu_count() or 1,
            "processor_share": min(self._cpu_s / max(self._wall_s, 1e-9), 1.0),
            "busy_processors": self._busy_processors(),
        }

    def _busy_processors(self) -> float | None:
        """How many processors others kept busy; None where that is not known."""
        was_paused = self._since is None
        self.pause()
        if not was_paused:
            self.resume()
        if not self._knows_machine or self._watched_s < _LEAST_WATCHED_S:
            return None
        return max(self._machine_s - self._own_s, 0.0) / self._watched_s


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
    warnings: list[str] = []
    threads = [thread.name for thread in threading.enumerate() if _is_users(thread)]
    if threads:
        named = join_first(dict.fromkeys(threads), _MAX_NAMED)
        warnings.append(
            say("Threads of the code run beside the measurement: {threads}.", threads=named)
        )
    if (time.perf_counter_ns, time.perf_counter) != _bound_clocks:
        warnings.append(say("The code replaced Python's clock; the real one was used to measure."))
    if read_setting("jax_debug_nans") or read_setting("jax_debug_infs"):
        warnings.append(
            say("jax_debug_nans or jax_debug_infs is on: each result is checked, slowly.")
        )
    if read_setting("jax_disable_jit"):
        warnings.append(
            say("jax_disable_jit is on: nothing is compiled, so only eager runs count.")
        )
    if read_setting("jax_enable_x64"):
        warnings.append(say("jax_enable_x64 is on: Python numbers become 64 bits wide."))
    if battery := find_power_problem():
        warnings.append(battery)
    if os.environ.get("XLA_FLAGS"):
        flags = os.environ["XLA_FLAGS"][:300]
        warnings.append(say("XLA_FLAGS is set: {flags}", flags=flags))
    if read_setting("jax_compilation_cache_dir"):
        warnings.append(say("A compilation cache is on: a hit makes compiling look fast."))
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


def find_power_problem() -> str:
    """A sentence where the machine runs on battery."""
    try:
        is_on_battery = _is_on_battery()
    except (OSError, ValueError):
        return ""
    if is_on_battery:
        return say("The machine runs on battery, which may lower its clock.")
    return ""


def _is_on_battery() -> bool:
    if sys.platform == "win32":
        status = (ctypes.c_uint8 * 12)()  # SYSTEM_POWER_STATUS: its first byte is the line's
        is_known = ctypes.WinDLL("kernel32").GetSystemPowerStatus(ctypes.byref(status))
        return bool(is_known and status[0] == 0)
    return "Discharging" in [path.read_text("ascii").strip() for path in _POWER.glob("BAT*/status")]


def _read_load() -> float | None:
    try:
        return os.getloadavg()[0]
    except (OSError, AttributeError):  # Windows knows no load
        return None


def _read_counters() -> _Counters:
    return _Counters(_perf_counter(), _process_time(), _read_machine())


def _read_machine() -> float | None:
    """Seconds for which the machine's processors worked, or another system's had them."""
    if sys.platform == "win32":
        idle, kernel, user = (ctypes.c_uint64() for _ in range(3))  # in units of 100 ns
        times = map(ctypes.byref, (idle, kernel, user))
        if not ctypes.WinDLL("kernel32").GetSystemTimes(*times):
            return None
        return (kernel.value - idle.value + user.value) / 1e7  # `kernel` has the idle time in it
    try:
        fields = _STATISTICS.read_text("ascii").splitlines()[0].split()[1:9]
        user, nice, system, _idle, _waiting, *interrupts = map(int, fields)
        return (user + nice + system + sum(interrupts)) / os.sysconf("SC_CLK_TCK")
    except (OSError, IndexError, ValueError):
        return None
