"""One run as rows of bars: what is inside of what, and where nothing is at work."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.export.figures import (
    GAP_ROW,
    Bar,
    LaneChart,
    describe_coverage,
    find_gaps,
    timeline_chart,
)
from jaxscope.model.timing import Timeline


def timeline(*events: tuple[str, int, float, float], wall: float, returned: float) -> Timeline:
    """Events are name, lane, beginning and end; how much they cover is computed here."""
    names = tuple(dict.fromkeys(event[0] for event in events))
    lanes = max((event[1] for event in events), default=-1) + 1
    steps = np.linspace(0, wall, 10_001)[:-1]
    covered = sum(any(b <= step < e for _, _, b, e in events) for step in steps) / 10_000 * wall
    return Timeline(
        names,
        tuple(f"device 0 · thread {lane + 1}" for lane in range(lanes)),
        np.array([names.index(event[0]) for event in events], np.int32),
        np.array([event[1] for event in events], np.int32),
        np.array([event[2] for event in events]),
        np.array([event[3] - event[2] for event in events]),
        returned,
        wall,
        covered,
    )


RUN = timeline(
    ("while", 0, 1.0, 5.0),
    ("dot", 0, 1.5, 2.5),
    ("dot", 0, 3.0, 4.5),
    ("add", 1, 4.0, 6.0),
    wall=8.0,
    returned=0.5,
)


def bars_of(chart: LaneChart, row: str) -> list[Bar]:
    rows = [i for i, name in enumerate(chart.full_row_names()) if name == row]
    return [bar for bar in chart.bars if bar.row in rows]


def test_dispatch_and_waiting_fill_pythons_row() -> None:
    python = bars_of(timeline_chart("f(x)", RUN), "Python")
    assert [(bar.label, bar.began, bar.ended) for bar in python] == [
        ("dispatch", 0.0, 0.5),
        ("wait", 0.5, 8.0),
    ]


def test_what_is_inside_of_a_loop_has_a_row_below_it() -> None:
    chart = timeline_chart("f(x)", RUN)
    first = bars_of(chart, "device 0 · thread 1")
    assert [(bar.label, bar.row) for bar in first] == [("while", 1), ("dot", 2), ("dot", 2)]
    assert [chart.kinds[bar.kind] for bar in first] == [
        "with others inside",
        "instruction",
        "instruction",
    ]
    assert [bar.row for bar in bars_of(chart, "device 0 · thread 2")] == [3]


def test_gaps_are_where_no_instruction_is_at_work_on_any_thread() -> None:
    assert find_gaps(RUN) == [(0.0, 1.0), (6.0, 8.0)]
    gaps = bars_of(timeline_chart("f(x)", RUN), GAP_ROW)
    assert sum(bar.seconds for bar in gaps) == pytest.approx(RUN.wall - RUN.covered, abs=1e-2)


def test_a_run_without_events_is_one_gap() -> None:
    assert find_gaps(timeline(wall=2.0, returned=1.0)) == [(0.0, 2.0)]


def test_coverage_is_stated_with_what_it_leaves() -> None:
    assert describe_coverage(RUN).startswith(
        "62% of 8.00 s with an instruction at work, 3.00 s dispatch and gaps"
    )


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("name", [9, 0, 0, 0]),
        ("lane", [-1, 0, 0, 0]),
        ("began", [np.nan, 1, 1, 1]),
        ("seconds", [1]),
    ],
)
def test_columns_that_do_not_belong_together_are_refused(column: str, value: list[float]) -> None:
    columns = {name: getattr(RUN, name) for name in ("name", "lane", "began", "seconds")}
    columns[column] = np.array(value, columns[column].dtype)
    with pytest.raises(ValueError, match="timeline"):
        Timeline(RUN.names, RUN.lanes, **columns, returned=0.5, wall=8.0, covered=5.0)
