"""One run of the compiled program: which instruction ran when, on which thread."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.figures.figure import Column
from jaxscope.analysis.figures.lanes import Bar, LaneChart
from jaxscope.analysis.quantities import format_seconds
from jaxscope.model.timeline import Timeline

KINDS = (
    "instruction",
    "with others inside",
    "until the call returned",
    "until its result was ready",
    "gap",
)
_LEAF, _AROUND, _DISPATCH, _WAIT, _GAP = range(5)
GAP_ROW = "dispatch and gaps"
_COLUMNS = (
    Column("what"),
    Column("where"),
    Column("began", "s"),
    Column("ended", "s"),
    Column("duration", "s"),
    Column("what it is"),
)


def timeline_chart(call: str, timeline: Timeline) -> LaneChart:
    """Rows: Python, the threads with what runs inside of what, and where nothing is at work."""
    depths, is_around = _find_depths(timeline)
    rows, names = _make_rows(timeline, depths)
    python = (
        Bar(0, 0.0, timeline.returned, _DISPATCH, "dispatch",
            f"dispatch: {format_seconds(timeline.returned)} until the call came back to Python"),
        Bar(0, timeline.returned, max(timeline.wall - timeline.returned, 0.0), _WAIT, "wait",
            f"wait: {format_seconds(timeline.wall - timeline.returned)} until the result was "
            "ready"),
    )  # fmt: skip
    events = tuple(
        Bar(
            rows[lane, depth],
            began,
            seconds,
            _AROUND if around else _LEAF,
            timeline.names[name],
            f"{timeline.names[name]}: {format_seconds(seconds)}\nfrom {format_seconds(began)} to "
            f"{format_seconds(began + seconds)}, {timeline.lanes[lane]}",
            name=timeline.names[name],
        )
        for name, lane, began, seconds, depth, around in zip(
            timeline.name.tolist(),
            timeline.lane.tolist(),
            timeline.began.tolist(),
            timeline.seconds.tolist(),
            depths.tolist(),
            is_around.tolist(),
            strict=True,
        )
    )
    gaps = tuple(
        Bar(len(names), began, ended - began, _GAP, "gap",
            f"nothing at work for {format_seconds(ended - began)}")
        for began, ended in find_gaps(timeline)
    )  # fmt: skip
    return LaneChart(
        f"One run of {call}",
        describe_coverage(timeline),
        (*names, GAP_ROW),
        (*python, *events, *gaps),
        KINDS,
        max(timeline.wall, max((bar.ended for bar in events), default=0.0)),
        columns=_COLUMNS,
    )


def describe_coverage(timeline: Timeline) -> str:
    """How much of the run instructions explain, and what is left."""
    gaps_s = max(timeline.wall - timeline.covered, 0.0)
    left_out = (
        f" {timeline.num_left_out:,} of the shortest events are not drawn."
        if timeline.num_left_out
        else ""
    )
    return (
        f"{timeline.coverage:.0%} of {format_seconds(timeline.wall)} with an instruction at work, "
        f"{format_seconds(gaps_s)} dispatch and gaps; recorded, the run of median length."
        f"{left_out}"
    )


def find_gaps(timeline: Timeline) -> list[tuple[float, float]]:
    """Beginnings and ends of the times of the run in which no instruction was at work."""
    order = np.argsort(timeline.began, kind="stable")
    began = timeline.began[order]
    reached = np.maximum.accumulate((timeline.began + timeline.seconds)[order])
    starts = np.concatenate([[0.0], reached])
    ends = np.concatenate([began, [timeline.wall]])
    starts, ends = np.clip(starts, 0.0, timeline.wall), np.clip(ends, 0.0, timeline.wall)
    is_gap = ends > starts
    return list(zip(starts[is_gap].tolist(), ends[is_gap].tolist(), strict=True))


def _find_depths(
    timeline: Timeline,
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.bool_]]:
    """For each event, how many of its lane it is inside of, and whether any are inside of it."""
    count = len(timeline.began)
    depths, is_around = np.zeros(count, np.int32), np.zeros(count, np.bool_)
    ended = timeline.began + timeline.seconds
    open_by_lane: dict[int, list[int]] = {}
    for event in np.lexsort((-timeline.seconds, timeline.began)).tolist():
        around = open_by_lane.setdefault(int(timeline.lane[event]), [])
        while around and ended[around[-1]] <= timeline.began[event]:
            around.pop()
        depths[event] = len(around)
        if around:
            is_around[around[-1]] = True
        around.append(event)
    return depths, is_around


def _make_rows(
    timeline: Timeline, depths: npt.NDArray[np.int32]
) -> tuple[dict[tuple[int, int], int], Sequence[str]]:
    """Number of the row of each lane and depth, and the names of the rows."""
    rows: dict[tuple[int, int], int] = {}
    names = ["Python"]
    for lane, name in enumerate(timeline.lanes):
        of_lane = depths[timeline.lane == lane]
        for depth in range(int(of_lane.max()) + 1 if len(of_lane) else 0):
            rows[lane, depth] = len(names)
            names.append(name if depth == 0 else "")
    return rows, names
