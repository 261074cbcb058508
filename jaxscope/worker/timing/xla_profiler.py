"""Record calls with XLA's own profiler, and find what belongs to each call and to each instruction.

The profiler has a clock of its own; marks whose times on the stopwatch's clock are known say how
far the two are apart. Each execution of an instruction is one event on one thread's line; loops,
calls and conditionals enclose the events of their bodies.
"""

from __future__ import annotations

import bisect
import dataclasses
from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model.op_name import instruction_name
from jaxscope.worker import compat
from jaxscope.worker.timing.stopwatch import Stopwatch, Subject

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TraceEvent:
    """One execution of one instruction.

    Attributes:
        run: Which run of the program it belongs to.
        line: The thread.
        name: The instruction.
        start_ns: On the trace's clock.
        duration_ns: Until it ended.
    """

    run: int
    line: int
    name: str
    start_ns: float
    duration_ns: float


@dataclass(frozen=True, eq=False)
class RunTimes:
    """Seconds of the instructions in each run; R runs, N instructions.

    Attributes:
        names: N, in the order of their first execution.
        inclusive: Of shape (R, N), with what ran inside.
        exclusive: Of shape (R, N), without.
        counts: N, executions in the first run.
        covered: R, seconds in which at least one instruction was at work.
    """

    names: tuple[str, ...]
    inclusive: Floats
    exclusive: Floats
    counts: npt.NDArray[np.int32]
    covered: Floats


def sum_events(events: Iterable[TraceEvent]) -> RunTimes:
    """Sum the events of each instruction in each run."""
    by_run: dict[int, list[TraceEvent]] = {}
    for event in sorted(events, key=lambda event: (event.start_ns, -event.duration_ns)):
        by_run.setdefault(event.run, []).append(event)
    names = {name: i for i, name in enumerate(dict.fromkeys(_names(by_run.values())))}
    shape = (len(by_run), len(names))
    inclusive, exclusive = np.zeros(shape), np.zeros(shape)
    counts = np.zeros(len(names), np.int32)
    covered = np.zeros(len(by_run))
    for run, in_run in enumerate(by_run.values()):
        inner_ns = _enclosed_ns(in_run)
        for event, inside_ns in zip(in_run, inner_ns, strict=True):
            column = names[event.name]
            inclusive[run, column] += event.duration_ns * 1e-9
            exclusive[run, column] += max(event.duration_ns - inside_ns, 0.0) * 1e-9
            counts[column] += run == 0
        covered[run] = union_ns((e.start_ns, e.start_ns + e.duration_ns) for e in in_run) * 1e-9
    return RunTimes(tuple(names), inclusive, exclusive, counts, covered)


def union_ns(intervals: Iterable[tuple[float, float]]) -> float:
    """Length of the union of intervals that are sorted by their starts."""
    total, end = 0.0, -np.inf
    for start, stop in intervals:
        total += max(stop - max(start, end), 0.0)
        end = max(end, stop)
    return float(total)


def _names(runs: Iterable[Sequence[TraceEvent]]) -> Iterable[str]:
    return (event.name for run in runs for event in run)


def _enclosed_ns(events: Sequence[TraceEvent]) -> list[float]:
    """For each event, how much of it events directly inside of it on the same line take."""
    inside = [0.0] * len(events)
    open_by_line: dict[int, list[int]] = {}
    for index, event in enumerate(events):
        around = open_by_line.setdefault(event.line, [])
        while around and _end(events[around[-1]]) < _end(event):
            around.pop()
        while around and _end(events[around[-1]]) <= event.start_ns:
            around.pop()
        if around:
            inside[around[-1]] += event.duration_ns
        around.append(index)
    return inside


def _end(event: TraceEvent) -> float:
    return event.start_ns + event.duration_ns


_NUM_MARKS = 3
"""The first mark of a recording takes longer; the one whose time is known best counts."""


@dataclass(frozen=True, slots=True)
class RecordedCall:
    """One call, on the recorder's clock.

    Attributes:
        began_ns: When it was entered.
        returned_s: Seconds until it came back to Python.
        total_s: Seconds until its result was ready.
    """

    began_ns: float
    returned_s: float
    total_s: float


@dataclass(frozen=True, eq=False)
class Recorded:
    """Several calls and what ran in them.

    Attributes:
        calls: In the order made.
        events: Their `run` is the place of their call, their `line` that of their lane.
        lanes: Names of threads of devices.
    """

    calls: tuple[RecordedCall, ...]
    events: tuple[TraceEvent, ...]
    lanes: tuple[str, ...]

    def without_first(self) -> Recorded:
        """The same without the first call, which bears the cost of the recorder's start."""
        kept = (dataclasses.replace(e, run=e.run - 1) for e in self.events if e.run > 0)
        return Recorded(self.calls[1:], tuple(kept), self.lanes)

    def busy_s(self) -> list[float]:
        """For each call, seconds in which at least one instruction was at work."""
        spans: list[list[tuple[float, float]]] = [[] for _ in self.calls]
        for event in self.events:
            spans[event.run].append((event.start_ns, event.start_ns + event.duration_ns))
        return [union_ns(sorted(of_call)) * 1e-9 for of_call in spans]


def record_calls(
    stopwatch: Stopwatch, subject: Subject, num_calls: int, module: str = ""
) -> Recorded:
    """Call so often under the recorder.

    Args:
        module: Name of the only program whose instructions count; empty for all that run.

    Raises:
        Exception: Whatever the recorder or the program raises.
    """
    recording = compat.start_recording()
    calls: list[tuple[float, float, float]] = []
    try:
        marks = [_mark(stopwatch) for _ in range(_NUM_MARKS)]
        for _ in range(num_calls):
            returned_s, total_s = stopwatch.time_call(subject)
            calls.append((stopwatch.last_start_s, returned_s, total_s))
    finally:
        trace = recording.stop()
    found = list(compat.recorded_events(trace))
    offset_ns = _find_offset_ns(marks, [start for _, start, _, details in found if not details])
    made = tuple(RecordedCall(start * 1e9 + offset_ns, *rest) for start, *rest in calls)
    lanes = _Lanes()
    events = tuple(_read_events(found, made, module, lanes))
    return Recorded(made, events, tuple(lanes.names))


def _mark(stopwatch: Stopwatch) -> tuple[float, float]:
    before_s = stopwatch.now_s()
    compat.mark_recording()
    return before_s, stopwatch.now_s()


def _find_offset_ns(marks: Sequence[tuple[float, float]], starts_ns: Sequence[float]) -> float:
    """What to add to a time on the stopwatch's clock to have it on the recorder's."""
    if len(starts_ns) != len(marks):
        raise ValueError("the recorder lost the marks that were set in its recording")
    pairs = zip(marks, sorted(starts_ns), strict=True)
    (before_s, after_s), start_ns = min(pairs, key=lambda pair: pair[0][1] - pair[0][0])
    return start_ns - (before_s + after_s) / 2 * 1e9


def _read_events(
    found: Sequence[tuple[str, float, float, dict[str, object]]],
    calls: Sequence[RecordedCall],
    module: str,
    lanes: _Lanes,
) -> Iterator[TraceEvent]:
    starts = [call.began_ns for call in calls]
    for line, start_ns, duration_ns, details in sorted(found, key=lambda event: event[1]):
        if not details or (module and str(details.get("hlo_module", "")) != module):
            continue
        call = bisect.bisect_right(starts, start_ns) - 1
        if call >= 0:
            yield TraceEvent(
                run=call,
                line=lanes.number(line, details),
                name=instruction_name(str(details["hlo_op"])),
                start_ns=start_ns,
                duration_ns=duration_ns,
            )


class _Lanes:
    """Threads in the order in which they appear, each with the device that it works for."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._numbers: dict[tuple[str, object], int] = {}
        self._threads: dict[object, int] = {}

    def number(self, line: str, details: dict[str, object]) -> int:
        device = details.get("device_ordinal", 0)
        if (line, device) not in self._numbers:
            self._numbers[line, device] = len(self.names)
            self.names.append(self._name(line, device))
        return self._numbers[line, device]

    def _name(self, line: str, device: object) -> str:
        plane, _, thread = line.rpartition("/")
        if plane.startswith("/device:"):  # a real device has queues, which have names
            return f"{plane.removeprefix('/device:')} · {thread}"
        if thread == "python":
            return f"device {device} · calling thread"
        self._threads[device] = self._threads.get(device, 0) + 1
        return f"device {device} · thread {self._threads[device]}"


def busy_seconds(stopwatch: Stopwatch, subject: Subject, num_calls: int) -> list[float]:
    """For how long each of some calls keeps the device at work; empty if no work was seen.

    Raises:
        Exception: Whatever the recorder or the program raises.
    """
    recorded = record_calls(stopwatch, subject, num_calls + 1).without_first()
    return recorded.busy_s() if recorded.events else []
