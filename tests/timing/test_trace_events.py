"""What a recorded trace says: times with and without what runs inside, and their union."""

from __future__ import annotations

import pytest

from jaxscope.worker.timing.xla_profiler import RunTimes, TraceEvent, sum_events


def events(*rows: tuple[str, float, float], run: int = 1, line: int = 0) -> list[TraceEvent]:
    """Rows of name, start and end in nanoseconds."""
    return [TraceEvent(run, line, name, start, end - start) for name, start, end in rows]


def in_ns(times: RunTimes, column: str) -> dict[str, float]:
    """A column of the first run, by name."""
    values = getattr(times, column)[0] * 1e9
    return {name: round(value, 3) for name, value in zip(times.names, values, strict=True)}


def test_a_loop_includes_its_body_and_is_exclusive_of_it() -> None:
    times = sum_events(events(("while", 0, 100), ("dot", 10, 40), ("add", 40, 90)))
    assert in_ns(times, "inclusive") == {"while": 100, "dot": 30, "add": 50}
    assert in_ns(times, "exclusive") == {"while": 20, "dot": 30, "add": 50}
    assert times.covered[0] == pytest.approx(100e-9)


def test_only_what_is_directly_inside_is_taken_away() -> None:
    times = sum_events(events(("while", 0, 100), ("call", 10, 90), ("add", 20, 30)))
    assert in_ns(times, "exclusive") == {"while": 20, "call": 70, "add": 10}


def test_each_execution_counts_and_adds_up() -> None:
    times = sum_events(events(("add", 0, 10), ("mul", 10, 20), ("add", 20, 35)))
    assert in_ns(times, "inclusive") == {"add": 25, "mul": 10}
    assert dict(zip(times.names, times.counts.tolist(), strict=True)) == {"add": 2, "mul": 1}


def test_threads_overlap_and_the_union_counts_once() -> None:
    both = [*events(("add", 0, 60)), *events(("mul", 40, 100), line=1)]
    times = sum_events(both)
    assert in_ns(times, "exclusive") == {"add": 60, "mul": 60}
    assert times.covered[0] == pytest.approx(100e-9)


def test_runs_are_told_apart_and_gaps_are_not_covered() -> None:
    both = [*events(("add", 0, 10), ("mul", 30, 40)), *events(("add", 90, 95), run=2)]
    times = sum_events(both)
    assert times.inclusive.shape == (2, 2)
    assert [round(value * 1e9) for value in times.covered] == [20, 5]


def test_instructions_that_only_touch_are_not_inside_of_each_other() -> None:
    times = sum_events(events(("add", 0, 10), ("mul", 10, 10), ("sub", 10, 20)))
    assert in_ns(times, "exclusive") == {"add": 10, "mul": 0, "sub": 10}


def test_nothing_recorded_is_nothing() -> None:
    times = sum_events([])
    assert times.names == ()
    assert times.inclusive.shape == (0, 0)
