"""The JSON of the timing lab: the contract's keys of a timing, and one key per experiment."""

from __future__ import annotations

from collections.abc import Sequence

from jaxscope.analysis.export.contract_json import Json, environment_to_json, number_to_json
from jaxscope.analysis.node_times import Overlay, sum_lines
from jaxscope.model.capture import Environment
from jaxscope.model.lab import NodeTimes
from jaxscope.model.timeline import Timeline
from jaxscope.model.unavailable import Unavailable


def lab_head_to_json(call: str, environment: Environment, warnings: Sequence[str]) -> Json:
    """What every timing has; an experiment without plain measurements has none."""
    return {
        "call": call,
        "environment": environment_to_json(environment),
        "measurements": [],
        "ratios": [],
        "warnings": list(warnings),
    }


def node_times_to_json(side: NodeTimes | Unavailable, overlay: Overlay | None) -> Json:
    """Times of the nodes of one stage, and of source lines where the nodes are known."""
    if isinstance(side, Unavailable):
        return {"unavailable": side.reason}
    return {
        "stage": side.stage,
        "runs": side.runs,
        "protocol": side.protocol,
        "wall": number_to_json(side.wall),
        "wall_unrecorded": number_to_json(side.plain_wall),
        "covered": number_to_json(side.covered),
        "coverage": number_to_json(side.coverage),
        "dispatch_and_gaps": number_to_json(side.gaps),
        "nodes": [
            {
                "name": time.name,
                "count": time.count,
                "inclusive": time.seconds,
                "low": time.low,
                "high": time.high,
                "exclusive": time.exclusive,
            }
            for time in side.times
        ],
        "lines": [
            {
                "file": line.file or None,
                "line": line.line or None,
                "exclusive": line.seconds,
                "inclusive": line.total,
            }
            for line in (sum_lines(overlay) if overlay is not None else ())
        ],
    }


def timeline_to_json(timeline: Timeline | Unavailable) -> Json:
    """One run of the optimized program; an event is name, lane, began, seconds."""
    if isinstance(timeline, Unavailable):
        return {"unavailable": timeline.reason}
    return {
        "wall": timeline.wall,
        "returned": timeline.returned,
        "covered": timeline.covered,
        "coverage": timeline.coverage,
        "left_out": timeline.num_left_out,
        "lanes": list(timeline.lanes),
        "events": [
            [timeline.names[name], lane, began, seconds]
            for name, lane, began, seconds in zip(
                timeline.name.tolist(),
                timeline.lane.tolist(),
                timeline.began.tolist(),
                timeline.seconds.tolist(),
                strict=True,
            )
        ],
    }
