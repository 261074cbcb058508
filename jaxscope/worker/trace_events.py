"""What a recorded trace says about the instructions of a program; pure functions of events.

Each execution of an instruction is one event on one thread's line. Loops, calls and conditionals
are events that enclose those of their bodies; other events of different threads may overlap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, slots=True)
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


@dataclasses.dataclass(frozen=True, eq=False)
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
