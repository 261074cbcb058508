"""Record XLA's passes: a second compilation that writes the module after each, sent as it comes.

XLA writes one file per pass that changed something. Each is sent and removed as soon as the next
one is there, so neither the disk nor this process ever holds more than a few of them. Whatever
goes wrong here costs the passes and nothing else.
"""

from __future__ import annotations

import contextlib
import dataclasses
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from jaxscope.wire.scratch import make_scratch, remove_stale_scratch
from jaxscope.worker import compat
from jaxscope.worker.background import Background
from jaxscope.worker.channel import Channel
from jaxscope.worker.hlo_cost import UNKNOWN, Costs, module_cost
from jaxscope.worker.machine_code import compile_with
from jaxscope.worker.pass_times import PassWatch, Step
from jaxscope.worker.wire_format import BYTES, read_fields

MAX_PASSES = 2000
MAX_TOTAL_BYTES = 1 << 30
"""Modules of one compilation together; what comes after is left out, and said to be."""

_MAX_MODULE_BYTES = 256 << 20
_COST_BUDGET_S = 5.0
_POLL_S = 0.02
_FILE = re.compile(
    r"module_(?P<module>\d+)\..*?\.(?P<number>\d{4,})\.(?P<pipeline>.+?)"
    r"\.after_(?P<name>.+?)(?:\.before_(?P<next>.+))?\.hlo\.pb"
)
_FIRST = re.compile(r"module_(?P<module>\d+)\..*\.before_optimizations\.hlo\.pb")
_LAST = re.compile(r"module_(?P<module>\d+)\..*after_optimizations\.hlo\.pb")
_HLO_MODULE = 1  # field of xla.HloProto
_BEFORE = -1
"""Stands for the number of the module as XLA received it."""
_AFTER = 1 << 40
"""Stands for the number of the module as XLA compiled it: the one whose order is fixed."""
AFTER_NAME = "after_optimizations"


@dataclasses.dataclass(frozen=True, slots=True)
class PassFile:
    """A file of XLA's, by what its name says."""

    number: int
    pipeline: str
    name: str
    path: str
    next: str = ""


def send_passes(
    lowered: Any,
    channel: Channel,
    wanted: Mapping[str, str] | None = None,
    watch: PassWatch | None = None,
) -> None:
    """Compile a lowered program again and send every pass; ends with a message `passes_end`.

    Args:
        lowered: What to compile.
        channel: Where to.
        wanted: Options of XLA's that the person asked for.
        watch: What was recorded of the compilation of the same program before.
    """
    channel.progress("passes", "Compiling once more, to record XLA's passes")
    start = time.perf_counter()
    reason = None
    watch = watch or PassWatch(is_wanted=False)
    with _scratch() as folder:
        recorder = _Recorder(folder, channel)
        compilation = Background(lambda: compile_with(lowered, _options(folder), wanted))
        try:
            while not compilation.wait(_POLL_S):
                recorder.send_complete()
            compilation.result()
            recorder.send_complete(is_over=True)
            reason = recorder.reason
        except Exception as error:  # jaxlib's own error classes differ by release
            text = " ".join(str(error).split())[:300]
            reason = f"Compiling to record the passes failed: {type(error).__name__}: {text}"
    fields = {"seconds": time.perf_counter() - start, "reason": reason}
    times = watch.seconds_of(recorder.steps)
    fields["no_times"] = watch.reason or None
    channel.send("passes_end", fields, {"pass_seconds": np.array(times, np.float64)})


def name_passes(compile: Callable[[Mapping[str, Any]], Any]) -> list[str]:
    """Names of the passes that change a program, in order.

    Args:
        compile: Compiles it with options of XLA's.

    Raises:
        Exception: Whatever compiling raises.
    """
    with _scratch() as folder:
        compile(_options(folder))
        files = [match for name in os.listdir(folder) if (match := _FILE.fullmatch(name))]
    names = [file["name"] for file in sorted(files, key=lambda file: int(file["number"]))]
    return [name for name in names if name not in ("pipeline-start", "pipeline-end")]


def _options(folder: str) -> dict[str, Any]:
    return {
        "xla_dump_to": folder,
        "xla_dump_hlo_pass_re": ".*",
        "xla_dump_hlo_as_proto": True,
        "xla_dump_hlo_as_text": False,
    }


@contextlib.contextmanager
def _scratch() -> Iterator[str]:
    remove_stale_scratch()
    folder = make_scratch()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class _Recorder:
    """Sends what XLA has written so far, in the order of the passes.

    Attributes:
        reason: Why some passes are missing, or None.
        steps: What was sent, in order.
    """

    def __init__(self, folder: str, channel: Channel) -> None:
        self.steps: list[Step] = []
        self._folder = folder
        self._channel = channel
        self._module: str | None = None
        self._sent = 0
        self._total_bytes = 0
        self._cost_deadline_s = _COST_BUDGET_S
        self.reason: str | None = None

    def send_complete(self, *, is_over: bool = False) -> None:
        """Send the files that are complete: all but the last, or all once XLA is done."""
        files = sorted(self._list(), key=lambda file: file.number)
        for file in files if is_over else files[:-1]:
            self._send(file)

    def _list(self) -> Iterator[PassFile]:
        """The passes' files; every other one is removed as it is met."""
        with os.scandir(self._folder) as entries:
            names = sorted(entry.name for entry in entries)
        for name in names:
            path = os.path.join(self._folder, name)
            first, later = _FIRST.fullmatch(name), _FILE.fullmatch(name)
            match = first or later or _LAST.fullmatch(name)
            if match is None:
                _remove(path)
                continue
            # A GPU compiles small modules beside the program, to choose among kernels.
            self._module = self._module or match["module"]
            if match["module"] != self._module:
                _remove(path)
            elif later is not None:
                pipeline, after = later["pipeline"], later["name"]
                yield PassFile(int(later["number"]), pipeline, after, path, later["next"] or "")
            elif first is not None:
                yield PassFile(_BEFORE, "", "", path)
            else:
                yield PassFile(_AFTER, "", AFTER_NAME, path)

    def _send(self, file: PassFile) -> None:
        try:
            size = os.path.getsize(file.path)
            if self._is_too_much(size):
                return
            with open(file.path, "rb") as opened:
                data = opened.read()
        except OSError as error:
            self.reason = f"A pass could not be read: {error.strerror or error}."
            return
        finally:
            _remove(file.path)
        try:
            proto = module_of(data)
        except ValueError:
            self.reason = "XLA wrote a module that cannot be read."
            return
        self._sent += 1
        self.steps.append(Step(file.pipeline, file.name, file.next))
        self._total_bytes += size
        fields = {
            "pipeline": file.pipeline,
            "name": file.name,
            "cost": list(self._cost(proto)),
            "number": file.number if 0 <= file.number < _AFTER else None,
        }
        self._channel.send("pass", fields, {"proto": np.frombuffer(proto, np.uint8)})

    def _is_too_much(self, size: int) -> bool:
        if self._sent >= MAX_PASSES:
            self.reason = f"Only the first {MAX_PASSES} passes were recorded."
        elif size > _MAX_MODULE_BYTES or self._total_bytes + size > MAX_TOTAL_BYTES:
            self.reason = f"The modules are too large; {self._sent} passes were recorded."
        else:
            return False
        return True

    def _cost(self, proto: bytes) -> Costs:
        if self._cost_deadline_s <= 0:
            return UNKNOWN
        start = time.thread_time()
        cost = module_cost(compat.cpu_client(), proto)
        self._cost_deadline_s -= time.thread_time() - start
        return cost


def module_of(hlo_proto: bytes) -> bytes:
    """The `HloModuleProto` in a serialized `HloProto`.

    Raises:
        ValueError: There is none.
    """
    for number, key_start, value_start, end, _ in read_fields(hlo_proto):
        if number == _HLO_MODULE and hlo_proto[key_start] & 7 == BYTES:
            return hlo_proto[value_start:end]
    raise ValueError("no module")


def _remove(path: str) -> None:
    with contextlib.suppress(OSError):
        os.remove(path)
