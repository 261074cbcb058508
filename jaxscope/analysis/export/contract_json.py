"""The JSON of captures, timings and errors that scripts may rely on.

Key order and extra keys are free; the keys here and their meanings are fixed. NaN is `null`:
unknown, never zero.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Iterable
from typing import Any

from jaxscope.analysis.cost.work import Work, find_stage_works, work_to_json
from jaxscope.analysis.export.contract_edges import edges_to_json
from jaxscope.analysis.export.text_columns import TextColumns
from jaxscope.analysis.fates import FateTable
from jaxscope.analysis.fusion.decisions import read_fusion_log
from jaxscope.analysis.fusion.report import fusion_to_json, report_fusions
from jaxscope.analysis.links import LATE_STAGES
from jaxscope.analysis.passes.listing import COUNTED, why_no_peak
from jaxscope.analysis.sharding.job import job_to_json
from jaxscope.analysis.sharding.report import PlacementReport, placement_to_json
from jaxscope.errors import JaxscopeError
from jaxscope.model import (
    NONE,
    Capture,
    Check,
    Cost,
    Direction,
    Environment,
    Fate,
    Graph,
    GroupKind,
    Leaf,
    Measurement,
    NodeKind,
    Proof,
    Ragged,
    Stage,
    Timing,
    Unavailable,
    is_available,
)
from jaxscope.model.memory import MemoryPlan

Json = dict[str, Any]

CAPTURE_FORMAT = "jaxscope.capture"
CAPTURE_VERSION = 1

_DIRECTIONS: tuple[str | None, ...] = tuple(
    None if direction is Direction.NONE else direction.name.lower() for direction in Direction
)
_NODE_KINDS = tuple(kind.name.lower() for kind in NodeKind)
_GROUP_KINDS = tuple(kind.name.lower() for kind in GroupKind)


def capture_to_json(capture: Capture) -> Json:
    """A capture as the contract has it, ready for `json.dumps(…, allow_nan=False)`."""
    columns = TextColumns(capture.files)
    works = find_stage_works(capture.stages)
    return {
        "format": CAPTURE_FORMAT,
        "version": CAPTURE_VERSION,
        "call": capture.call,
        "base": capture.base,
        "transforms": list(capture.transforms),
        "source": {
            "file": capture.source.file,
            "line": capture.source.line,
            "text": capture.source.text,
            "place": capture.source.place or None,
        },
        "files": [dataclasses.asdict(file) for file in capture.files],
        "environment": environment_to_json(capture.environment),
        "target": capture.target,
        "arguments": [_leaf(leaf) for leaf in capture.arguments],
        "results": [_leaf(leaf) for leaf in capture.results],
        "stages": [
            _passes_stage(stage, columns, capture, works.get(stage.name))
            if stage.name == "passes"
            else _stage(stage, columns, works.get(stage.name))
            for stage in capture.stages
        ],
        "fates": {id: fate_to_json(fate) for id, fate in capture.fates.items()},
        "derived_fates": _derived_fates(capture),
        "checks": [check_to_json(check) for check in capture.checks],
        "messages": list(capture.messages),
        "seconds": number_to_json(capture.wall_seconds),
        "memory": memory_to_json(capture.memory),
        "placement": placement_to_json(PlacementReport(capture)),
        "job": job_to_json(capture.job),
        "fusion": _fusion(capture),
        "bookmarks": [dataclasses.asdict(bookmark) for bookmark in capture.bookmarks],
    }


def timing_to_json(timing: Timing) -> Json:
    """Measurements of one call as the contract has them."""
    return {
        "call": timing.call,
        "environment": environment_to_json(timing.environment),
        "measurements": [_measurement(measurement) for measurement in timing.measurements],
        "ratios": [
            {
                "name": ratio.name,
                "median": number_to_json(ratio.median),
                "low": number_to_json(ratio.low),
                "high": number_to_json(ratio.high),
                "verdict": ratio.verdict,
                "confidence": number_to_json(ratio.confidence),
                "pairs": ratio.pairs or None,
                "noisy": ratio.is_noisy,
                "why_not": ratio.why_not or None,
            }
            for ratio in timing.ratios
        ],
        "warnings": list(timing.warnings),
    }


def error_to_json(error: JaxscopeError) -> Json:
    """A failure: what failed, where, why and what to try, with the exit status it leads to."""
    explanation = error.explanation
    return {
        "format": "jaxscope.error",
        "version": CAPTURE_VERSION,
        "error": type(error).__name__,
        "exit_status": error.exit_status,
        "what": explanation.what,
        "where": explanation.where or None,
        "why": explanation.why or None,
        "remedy": explanation.remedy or None,
        "kind": explanation.kind or None,
        "traceback": explanation.traceback or None,
    }


def memory_to_json(plan: MemoryPlan | Unavailable) -> Json:
    """XLA's memory plan in bytes per device; null for what is unknown, with the reason."""
    if isinstance(plan, Unavailable):
        return {"unavailable": plan.reason}
    return {
        "unavailable": None,
        "argument_bytes": number_to_json(plan.argument_bytes),
        "result_bytes": number_to_json(plan.result_bytes),
        "temporary_bytes": number_to_json(plan.temporary_bytes),
        "aliased_bytes": number_to_json(plan.aliased_bytes),
        "code_bytes": number_to_json(plan.code_bytes),
        "peak_bytes": number_to_json(plan.peak_bytes),
        "total_bytes": number_to_json(plan.total_bytes),
        "donated": list(plan.donated),
        "kept": list(plan.kept),
    }


def number_to_json(value: float) -> float | None:
    """The number, or None where it is unknown."""
    return value if math.isfinite(value) else None


def cost_to_json(cost: Cost) -> Json:
    """A cost with null for what is unknown."""
    return _cost((cost.flops, cost.bytes_accessed, cost.transcendentals))


def environment_to_json(environment: Environment) -> Json:
    """Where a capture or a timing was made; of a timing, how busy the machine was, too."""
    found: Json = {
        "jax": environment.jax,
        "jaxlib": environment.jaxlib,
        "python": environment.python,
        "platform": environment.platform,
        "device": environment.device,
        "host": environment.host,
        "recorded_at": environment.recorded_at,
    }
    if environment.processors is not None:
        found |= {
            "load": environment.load,
            "processors": environment.processors,
            "processor_share": environment.processor_share,
            "busy_processors": environment.busy_processors,
        }
    return found


def check_to_json(check: Check) -> Json:
    """One finding of the lint."""
    return {
        "rule": check.rule,
        "severity": check.severity.value,
        "message": check.message,
        "remedy": check.remedy,
        "file": check.file or None,
        "line": check.line or None,
    }


def _graph(graph: Graph, columns: TextColumns) -> Json:
    """Nodes, edges and groups; reads whole columns at once, so 50,000 nodes stay quick."""
    ids = [graph.strings[s] for s in graph.nodes.id.tolist()]
    group_ids = [graph.strings[s] for s in graph.groups.id.tolist()]
    return {
        "nodes": _nodes(graph, ids, group_ids, columns),
        "edges": edges_to_json(graph, ids, _text_rows(graph, graph.nodes.types)),
        "groups": [
            {
                "id": id,
                "parent": None if parent == NONE else group_ids[parent],
                "kind": _GROUP_KINDS[kind],
                "label": graph.strings[label],
                "owner": None if owner == NONE else ids[owner],
            }
            for id, parent, kind, label, owner in zip(
                group_ids,
                graph.groups.parent.tolist(),
                graph.groups.kind.tolist(),
                graph.groups.label.tolist(),
                graph.groups.owner.tolist(),
                strict=True,
            )
        ],
    }


def _nodes(graph: Graph, ids: list[str], group_ids: list[str], columns: TextColumns) -> list[Json]:
    strings, nodes = graph.strings, graph.nodes
    types, scopes = _text_rows(graph, nodes.types), _text_rows(graph, nodes.scope)
    origins, derived = _text_rows(graph, nodes.origins), _text_rows(graph, nodes.derived)
    attributes = _text_rows(graph, nodes.attributes)
    return [
        {
            "id": id,
            "name": strings[name],
            "kind": _NODE_KINDS[kind],
            "operation": strings[operation],
            "group": None if group == NONE else group_ids[group],
            "types": types[index],
            "attributes": dict(zip(attributes[index][0::2], attributes[index][1::2], strict=True)),
            "scope": scopes[index],
            "origins": origins[index],
            "derived": derived[index],
            "direction": _DIRECTIONS[direction],
            "source": [
                {
                    "file": place.file,
                    "line": place.line,
                    "column": columns.in_characters(place.file, place.line, place.column),
                    "function": place.function,
                }
                for place in graph.source(index)
            ],
            "cost": _node_cost(cost),
            "seconds": number_to_json(seconds),
        }
        for index, (id, name, kind, operation, group, direction, cost, seconds) in enumerate(
            zip(
                ids,
                nodes.name.tolist(),
                nodes.kind.tolist(),
                nodes.operation.tolist(),
                nodes.group.tolist(),
                nodes.direction.tolist(),
                nodes.cost.tolist(),
                nodes.seconds.tolist(),
                strict=True,
            )
        )
    ]


def _text_rows(graph: Graph, column: Ragged) -> list[list[str]]:
    """The strings of every row: a slice of an array per row would take three times as long."""
    texts = [graph.strings[s] for s in column.values.tolist()]
    bounds = column.offsets.tolist()
    return [texts[start:stop] for start, stop in itertools.pairwise(bounds)]


def _node_cost(row: list[float]) -> Json | None:
    return None if all(math.isnan(value) for value in row) else _cost(row)


def _cost(row: Iterable[float]) -> Json:
    flops, bytes_accessed, transcendentals = (number_to_json(value) for value in row)
    return {
        "flops": flops,
        "bytes_accessed": bytes_accessed,
        "transcendentals": transcendentals,
    }


def _stage(stage: Stage, columns: TextColumns, work: Work | None = None) -> Json:
    reasons = {
        part: value.reason
        for part, value in (("text", stage.text), ("graph", stage.graph))
        if isinstance(value, Unavailable)
    }
    missing = stage.unavailable
    if missing is None and len(reasons) == 2 and isinstance(stage.text, Unavailable):
        missing = stage.text
    return {
        "name": stage.name,
        "title": stage.title,
        "text": stage.text.text if is_available(stage.text) else "",
        "lines": _lines(stage),
        "graph": _graph(stage.graph, columns) if is_available(stage.graph) else None,
        "unavailable": None if missing is None else missing.reason,
        "reasons": reasons,
        "cost": cost_to_json(stage.cost),
        "work": work_to_json(work),
        "seconds": number_to_json(stage.seconds) if is_available(stage.seconds) else None,
    }


def _lines(stage: Stage) -> list[str | None]:
    """The id of the node that each line of the text defines; empty where no line has one."""
    if not is_available(stage.text) or not is_available(stage.graph):
        return []
    graph, line_nodes = stage.graph, stage.text.line_nodes.tolist()
    ids = [graph.strings[s] for s in graph.nodes.id.tolist()]
    lines = [None if node == NONE else ids[node] for node in line_nodes]
    return lines if any(lines) else []


def _fusion(capture: Capture) -> Json | None:
    report = report_fusions(capture.stages, read_fusion_log(capture))
    return None if report is None else fusion_to_json(report)


def _leaf(leaf: Leaf) -> Json:
    return {
        "path": leaf.path,
        "type": leaf.type,
        "bytes": leaf.num_bytes,
        "static": leaf.is_static,
    }


def _passes_stage(stage: Stage, columns: TextColumns, capture: Capture, work: Work | None) -> Json:
    passes = [
        {
            "number": record.number,
            "name": record.name,
            "pipeline": record.pipeline,
            "changed": record.has_changed,
            "instructions": record.num_instructions,
            "fusions": record.num_fusions,
            "added": record.num_added,
            "removed": record.num_removed,
            "rewritten": record.num_changed,
            "cost": cost_to_json(record.cost),
            "seconds": _known(record.seconds),
            "peak_bytes": _known(record.peak_bytes),
            "estimated_peak_bytes": _known(record.estimated_peak_bytes),
            "peak_reason": why_no_peak(record) or None,
            "before": record.before,
            "text": record.text,
            "ended": list(record.ended),
        }
        for record in capture.passes
    ]
    return {**_stage(stage, columns, work), "counting": COUNTED, "passes": passes}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _derived_fates(capture: Capture) -> Json | None:
    """Fates of the equations of the last jaxpr-level stage; null if that is the base function."""
    names = [stage.name for stage in capture.stages if stage.name not in LATE_STAGES]
    if not names or names[-1] == "jaxpr":
        return None
    fates = capture.fates
    table = fates if isinstance(fates, FateTable) else FateTable(capture.stages)
    found = {id: fate_to_json(fate) for id, fate in table.derived.items()}
    return {"stage": names[-1], "fates": found}


def fate_to_json(fate: Fate) -> Json:
    """A fate as the contract has it."""
    return {
        "fate": fate.fate,
        "pass": fate.pass_name,
        "instructions": list(fate.instructions),
        "with": list(fate.merged_with),
        "text": fate.text,
        "certainty": fate.certainty or None,
        "proof": None if fate.proof is None else _proof(fate.proof),
    }


def _proof(proof: Proof) -> Json:
    return {
        "pass_number": proof.pass_number,
        "pass": proof.pass_name,
        "before": list(proof.before),
        "after": list(proof.after),
    }


def _measurement(measurement: Measurement) -> Json:
    return {
        "name": measurement.name,
        "unit": measurement.unit,
        "median": number_to_json(measurement.median),
        "low": number_to_json(measurement.low),
        "high": number_to_json(measurement.high),
        "confidence": number_to_json(measurement.confidence),
        "runs": measurement.runs,
        "samples": [number_to_json(sample) for sample in measurement.samples],
        "noisy": measurement.is_noisy,
        "protocol": measurement.protocol,
        "reasons": list(measurement.reasons),
        "detail": measurement.detail or None,
        "began": number_to_json(measurement.began),
        "ended": number_to_json(measurement.ended),
        "device": None
        if math.isnan(measurement.device_seconds)
        else {
            "median": number_to_json(measurement.device_seconds),
            "low": number_to_json(measurement.device_low),
            "high": number_to_json(measurement.device_high),
        },
    }
