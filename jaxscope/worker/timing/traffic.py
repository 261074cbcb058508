"""What a program moves between host and device while it runs, and the memory that it takes there.

JAX's transfer guard can log what is moved, but not from which line, and for a function that is
compiled already not even how much. So arguments are looked at before each call of a jitted
function, and arrays when their values are read.
"""

from __future__ import annotations

import math
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from types import FrameType
from typing import Any, NamedTuple

import jax
import numpy as np

from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.model.said import say
from jaxscope.model.types import type_bytes
from jaxscope.worker import compat
from jaxscope.worker.host.values import aval_text

MAX_ROWS = 1_000
MAX_SAMPLES = 1_000
_PACKAGES = tuple(f"{folder}/" for folder in (PACKAGE_FOLDER, *jax.__path__))
_LIBRARIES = "site-packages"
_HOST_TYPES = (np.ndarray, np.generic, bool, int, float, complex)
_LEAST_PAUSE_S = 0.05
PAUSE_PER_COST = 200.0
"""What is done now and then takes at most 0.5 % of the time."""

UNSEEN = say(
    "Host values that are handed to single operations of jax.numpy, or to "
    "functions that were jitted before the watch began, are not seen."
)
NO_READS = say(
    "Reading results moves nothing on a CPU, where host and device share the "
    "memory: JAX's transfer guard counts nothing there either."
)
SHARED = say(
    "A CPU shares the memory with the host: such a value may be taken over without a copy."
)


class Transfer(NamedTuple):
    """Values that one line of the program moves again and again.

    Attributes:
        direction: `to_device` or `from_device`.
        function: The jitted function that they are handed to; empty for what is read.
        argument: Path of the argument; empty for what is read.
    """

    direction: str
    file: str
    line: int
    function: str
    argument: str
    type: str


class Traffic:
    """Counts implicit transfers by line. Used from several threads.

    Attributes:
        found: How often each was made.
        unknown: Functions of whose arguments it is not known which ones are moved.
        num_left_out: Transfers of which no row is kept: there are too many different ones.
    """

    def __init__(self) -> None:
        self.found: Counter[Transfer] = Counter()
        self.unknown: set[str] = set()
        self.num_left_out = 0
        self._lock = threading.Lock()
        self._is_host_type: dict[type, bool] = {}

    def host_values(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> tuple[Any, ...]:
        """Place, kind and shape of each argument that is a value of the host.

        Every call asks, and few have any: then only the types of the arguments are read.
        """
        leaves = jax.tree.leaves((args, kwargs))
        known = self._is_host_type
        kinds = {*map(type, leaves)}
        for kind in kinds - known.keys():
            known[kind] = issubclass(kind, _HOST_TYPES)
        if not any(known[kind] for kind in kinds):
            return ()
        return tuple(
            (number, type(leaf), getattr(leaf, "shape", ()), getattr(leaf, "dtype", None))
            for number, leaf in enumerate(leaves)
            if known[type(leaf)]
        )

    def note_call(self, function: str, moved: Sequence[tuple[str, str]] | None) -> None:
        """A jitted function was called with values of the host, as `find_moved` found them."""
        if moved is None:
            self.unknown.add(function)
            return
        file, line = find_line()
        for argument, kind in moved:
            self._add(Transfer("to_device", file, line, function, argument, kind))

    def note_read(self, array: Any) -> None:
        """JAX copies an array to the host."""
        if is_in_host_memory(array):
            return
        self._add(Transfer("from_device", *find_line(), "", "", aval_text(array.aval)))

    def _add(self, transfer: Transfer) -> None:
        with self._lock:
            if transfer in self.found or len(self.found) < MAX_ROWS:
                self.found[transfer] += 1
            else:
                self.num_left_out += 1

    def to_json(self) -> list[dict[str, Any]]:
        """The transfers, the most bytes first."""
        with self._lock:
            found = list(self.found.items())
        rows = []
        for each, count in found:
            size = type_bytes(each.type)
            num_bytes = None if math.isnan(size) else int(size) * count
            file = each.file or None
            named = {
                "direction": each.direction,
                "file": file,
                "line": each.line if file else None,
                "function": each.function or None,
                "argument": each.argument or None,
                "type": each.type,
            }
            rows.append({**named, "count": count, "bytes": num_bytes})
        return sorted(rows, key=lambda row: -(row["bytes"] or 0))

    def notes(self) -> list[str]:
        """What is not counted, and what a count does not mean; JAX has started."""
        notes: list[str] = [UNSEEN]
        if jax.default_backend() == "cpu":
            notes += [SHARED, NO_READS] if self.found else [NO_READS]
        if self.unknown:
            names = ", ".join(sorted(self.unknown))
            notes.append(say("Which arguments are moved is not known of: {names}.", names=names))
        if self.num_left_out:
            notes.append(
                say(
                    "{num_left_out:,} transfers more were of other lines or types.",
                    num_left_out=self.num_left_out,
                )
            )
        return notes


def is_in_host_memory(array: Any) -> bool:
    """Whether an array lies where the host reads it without a copy."""
    return all(device.platform == "cpu" for device in array.sharding.device_set)


def find_line() -> tuple[str, int]:
    """The line that runs: of the program's own if one is at work, else of a library."""
    frame: FrameType | None = sys._getframe(1)
    library = ("", 0)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith((*_PACKAGES, "<")):
            if _LIBRARIES not in file:
                return file, frame.f_lineno
            library = library if library[0] else (file, frame.f_lineno)
        frame = frame.f_back
    return library


def find_moved(
    jitted: Any, options: Mapping[str, Any], leaves: Mapping[str, Any], args: Any, kwargs: Any
) -> list[tuple[str, str]] | None:
    """Paths and types of those arguments of a call that JAX moves to the device.

    What a program does not use is left where it is. None if it cannot be told what that is.

    Args:
        leaves: The `LeafKey` of each array argument, by path.
    """
    used: Sequence[bool] = [True] * len(leaves)
    if not options.get("keep_unused"):
        try:
            used = compat.used_inputs(compat.trace_jitted(jitted, args, kwargs))
        except Exception:  # the user's function, JAX's own changes
            return None
        if len(used) < len(leaves):
            return None
        used = used[len(used) - len(leaves) :]
    rows = zip(leaves.items(), used, strict=True)
    return [(path, leaf.type) for (path, leaf), is_used in rows if is_used and leaf.is_on_host]


class MemoryLog:
    """The memory of the fullest device over time, looked at between calls now and then."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._next = 0.0
        self._every = _LEAST_PAUSE_S
        self._samples: list[tuple[float, int]] = []
        self._peak: int | None = None
        self._device = ""
        self._is_allocator = False

    def look(self, *, is_last: bool = False) -> bool:
        """Take a sample, unless one was taken a moment ago; whether one was taken."""
        now = time.perf_counter()
        if now < self._next and not is_last:
            return False
        self._samples.append((now - self._began, self._read()))
        if len(self._samples) > MAX_SAMPLES:
            del self._samples[1:-1:2]
            self._every *= 2
        # The first one is slow, since it starts what the others find.
        cost = time.perf_counter() - now if len(self._samples) > 1 else 0.0
        self._next = now + max(self._every, cost * PAUSE_PER_COST)
        return True

    def _read(self) -> int:
        devices = jax.local_devices()
        told = [device.memory_stats() for device in devices]
        known = [stats or {} for stats in told]
        if all("bytes_in_use" in stats for stats in known):
            self._is_allocator = True
            fullest = max(range(len(known)), key=lambda number: known[number]["bytes_in_use"])
            self._peak = max(
                (stats["peak_bytes_in_use"] for stats in known if "peak_bytes_in_use" in stats),
                default=None,
            )
            self._device = str(devices[fullest])
            return int(known[fullest]["bytes_in_use"])
        used: Counter[Any] = Counter({devices[0]: 0})
        for array in jax.live_arrays():  # type: ignore[no-untyped-call] # JAX does not annotate it
            if not array.is_deleted():
                shape = array.sharding.shard_shape(array.shape)
                for device in array.sharding.addressable_devices:
                    used[device] += math.prod(shape) * array.dtype.itemsize
        device, num_bytes = used.most_common(1)[0]
        self._device = str(device)
        return num_bytes

    def to_json(self) -> dict[str, Any] | None:
        """The samples; None if there are none, since nothing was called."""
        if not self._samples:
            return None
        seconds, sizes = zip(*self._samples, strict=True)
        note = (
            say("What the device's allocator says, between calls; its peak is that of the process.")
            if self._is_allocator
            else say(
                "The arrays that were alive between calls: {partition} devices do not tell "
                "what programs take while they run.",
                partition=self._device.partition(":")[0],
            )
        )
        return {
            "device": self._device,
            "source": "memory_stats" if self._is_allocator else "live_arrays",
            "seconds": list(seconds),
            "bytes": list(sizes),
            "peak_bytes": self._peak,
            "note": note,
        }
