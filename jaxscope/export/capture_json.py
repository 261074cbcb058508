"""A whole capture as the JSON of the contract, with what `program` finds in it: fates, fusions,
work, placement.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxscope.heap import paused_gc
from jaxscope.model import Capture, Stage, Unavailable, is_available
from jaxscope.model.stages import can_ask_for, lowered_name
from jaxscope.program.cost.work import Work, find_stage_works, work_to_json
from jaxscope.program.fates.table import find_fate_table
from jaxscope.program.fusion.decisions import read_fusion_log
from jaxscope.program.fusion.summary import report_fusions
from jaxscope.program.passes.recorder import COUNTED, explain_missing_peak
from jaxscope.program.sharding.placement import PlacementReport
from jaxscope.program.shared_calls import list_callers
from jaxscope.report.fusion import fusion_to_json
from jaxscope.report.sharding import job_to_json, placement_to_json
from jaxscope.schema.contract import (
    CAPTURE_FORMAT,
    CAPTURE_VERSION,
    CONTRACT,
    TextColumns,
    environment_to_json,
    graph_to_json,
    line_nodes_to_json,
    memory_to_json,
    number_to_json,
)
from jaxscope.schema.json_text import write_json

if TYPE_CHECKING:
    from jaxscope.schema.contract import Json


# The JSON of captures, timings and errors that scripts may rely on.
#
# Key order and extra keys are free; the keys here and their meanings are fixed. NaN is `null`:
# unknown, never zero.


def capture_to_json(capture: Capture) -> Json:
    """A capture as the contract has it, without NaN."""
    columns = TextColumns(capture.files)
    works = find_stage_works(capture.stages)
    found: Json = {
        "format": CAPTURE_FORMAT,
        "version": CAPTURE_VERSION,
        "call": capture.call,
        "base": capture.base,
        "transforms": list(capture.transforms),
        "source": {**CONTRACT.write(capture.source), "place": capture.source.place or None},
        "files": [CONTRACT.write(file) for file in capture.files],
        "environment": environment_to_json(capture.environment),
        "target": capture.target,
        "arguments": [CONTRACT.write(leaf) for leaf in capture.arguments],
        "results": [CONTRACT.write(leaf) for leaf in capture.results],
        "stages": [
            _passes_stage(stage, columns, capture, works.get(stage.name))
            if stage.name == "passes"
            else _stage(stage, columns, works.get(stage.name))
            for stage in capture.stages
        ],
        "fates": {id: CONTRACT.write(fate) for id, fate in capture.fates.items()},
        "derived_fates": _derived_fates(capture),
        "checks": [CONTRACT.write(check) for check in capture.checks],
        "messages": list(capture.messages),
        "seconds": number_to_json(capture.wall_seconds),
        "memory": memory_to_json(capture.memory),
        "placement": placement_to_json(PlacementReport(capture)),
        "job": job_to_json(capture.job),
        "fusion": _fusion(capture),
        "bookmarks": [CONTRACT.write(bookmark) for bookmark in capture.bookmarks],
    }
    _name_callers(capture.stages, found["stages"])
    return found


def _name_callers(stages: Sequence[Stage], written: Sequence[Json]) -> None:
    """Add the calling equations to the equations of instructions of shared functions.

    The function's own equations have one id for all its calls.
    """
    for node, calls in list_callers(stages).items():
        (optimized,) = (stage for stage in written if stage["name"] == "optimized")
        row = optimized["graph"]["nodes"][node]
        origins = itertools.chain.from_iterable(calls.values())
        row["calls"] = {
            key: [id for id in dict.fromkeys(ids) if id not in row[key]]
            for key, ids in (("origins", origins), ("derived", calls))
        }
        for key, ids in row["calls"].items():
            row[key] += ids


def _stage(stage: Stage, columns: TextColumns, work: Work | None = None) -> Json:
    reasons = {
        part: value.reason
        for part, value in (("text", stage.text), ("graph", stage.graph))
        if isinstance(value, Unavailable)
    }
    missing = stage.unavailable
    if missing is None and len(reasons) == 2 and isinstance(stage.text, Unavailable):
        missing = stage.text
    if stage.fetched_seconds is not None and isinstance(stage.seconds, Unavailable):
        reasons["seconds"] = stage.seconds.reason
    return {
        "name": stage.name,
        "title": stage.title,
        "text": stage.text.text if is_available(stage.text) else "",
        "lines": line_nodes_to_json(stage),
        "graph": graph_to_json(stage.graph, columns) if is_available(stage.graph) else None,
        "unavailable": None if missing is None else missing.reason,
        **({"on_request": True} if can_ask_for(stage) else {}),
        "reasons": reasons,
        "cost": CONTRACT.write(stage.cost),
        "work": work_to_json(work),
        "seconds": number_to_json(stage.seconds)
        if is_available(stage.seconds)
        else stage.fetched_seconds,
        **({} if stage.kernels is None else {"kernels": list(stage.kernels)}),
    }


def _fusion(capture: Capture) -> Json | None:
    report = report_fusions(capture.stages, read_fusion_log(capture), capture.num_devices)
    return None if report is None else fusion_to_json(report)


def _passes_stage(stage: Stage, columns: TextColumns, capture: Capture, work: Work | None) -> Json:
    passes = [
        {
            **CONTRACT.write(record),
            "changed": bool(record.change),
            "change": record.change or None,
            "peak_reason": explain_missing_peak(record) or None,
        }
        for record in capture.passes
    ]
    return {**_stage(stage, columns, work), "counting": COUNTED, "passes": passes}


def _derived_fates(capture: Capture) -> Json | None:
    """Fates of the equations of the last jaxpr-level stage; null if that is the base function."""
    lowered = lowered_name(stage.name for stage in capture.stages)
    if lowered in ("", "jaxpr"):
        return None
    table = find_fate_table(capture)
    found = {id: CONTRACT.write(fate) for id, fate in table.derived.items()}
    return {"stage": lowered, "fates": found}


def format_json(capture: Capture) -> str:
    """The JSON of the contract."""
    with paused_gc():  # millions of small lists and no cycle: a third of the time
        return write_json(capture_to_json(capture))
