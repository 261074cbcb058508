"""The data behind the HTML page: each stage's lines, nodes and links as plain lists.

The script of the page answers "what belongs to this?" by the rule of `jaxscope.analysis.links`,
from the same columns.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence
from typing import Any

from jaxscope.analysis.bookmark_words import MarkedPlace, find_marked_places
from jaxscope.analysis.export.safe_text import make_safe, make_safe_line
from jaxscope.analysis.fusion.notes import add_fusion_notes
from jaxscope.analysis.fusion.report import report_fusions
from jaxscope.analysis.legible_constants import shorten_constants
from jaxscope.analysis.link_columns import StageColumns, build_all_columns
from jaxscope.analysis.links import LATE_STAGES
from jaxscope.analysis.program_size import tell_size
from jaxscope.analysis.quantities import (
    format_bytes,
    format_flops,
    format_seconds,
)
from jaxscope.model import (
    NONE,
    Capture,
    Cost,
    Graph,
    NodeKind,
    Ragged,
    Stage,
    StageText,
    Unavailable,
    is_available,
)

MAX_DETAILED_NODES = 20_000
"""Above so many nodes a stage's inspector entries are left out; they would double the file."""

MAX_LINES = 20_000
"""Of a text so many lines are shown: more elements make browsers stall."""

_NO_LINKS: dict[str, list[int]] = {
    name: []
    for name in (
        *("originRow", "originKey", "derivedRow", "derivedKey", "sourceRow", "file", "line"),
        *("fusionOwner", "inputs", "group", "groupParent", "groupOwner", "direction"),
        *("argumentRow", "argumentKey", "shownGroup"),
    )
}


def build_page_data(capture: Capture, right_stage: str) -> dict[str, Any]:
    """Everything the script needs, fit for JSON.

    Args:
        right_stage: Name of the stage that the right pane opens with.
    """
    paths = {file.path: index for index, file in enumerate(capture.files)}
    names = [stage.name for stage in capture.stages]
    own = [name for name in names if name not in LATE_STAGES and _graph_of(capture, name)]
    lowered = own[-1] if own else ""
    graphs = {s.name: s.graph for s in capture.stages if is_available(s.graph)}
    every = build_all_columns(graphs, "jaxpr", lowered, paths)
    columns = every.of_stage
    told = _with_fusions(capture)
    stages = [_stage(stage, columns.get(stage.name)) for stage in told]
    definition = f"{paths.get(capture.source.file, 0)}:{capture.source.line}"
    return {
        "files": [
            {"path": make_safe_line(file.path), "lines": make_safe(file.text).split("\n")}
            for file in capture.files
        ],
        "definition": definition,
        "arguments": [make_safe_line(path) for path in every.arguments],
        "maxLines": MAX_LINES,
        "kinds": [kind.name.lower() for kind in NodeKind],
        "stages": stages,
        "bookmarks": [_bookmark(place) for place in find_marked_places(capture)],
        "first": _first_stages(names, lowered, right_stage),
    }


def _bookmark(place: MarkedPlace) -> dict[str, Any]:
    return {
        "where": make_safe_line(place.where),
        "what": make_safe_line(place.what),
        "note": make_safe(place.bookmark.note),
        "stage": place.stage,
        "node": place.node,
        "line": f"{place.file}:{place.line}" if place.file != NONE else "",
    }


def list_omissions(stage: Stage) -> list[str]:
    """Sentences on what the page leaves out of a large stage."""
    title, said = make_safe_line(stage.title or stage.name), []
    if is_available(stage.graph) and len(stage.graph.nodes) > MAX_DETAILED_NODES:
        said.append(
            f"The page has no inspector entries for {title}: it has "
            f"{len(stage.graph.nodes):,} nodes, more than {MAX_DETAILED_NODES:,}."
        )
    if is_available(stage.text):
        num_lines = stage.text.num_lines
        if num_lines > MAX_LINES:
            said.append(f"The page shows {MAX_LINES:,} of the {num_lines:,} lines of {title}.")
    return said


def _with_fusions(capture: Capture) -> tuple[Stage, ...]:
    """The stages, with what is known about fusions on the nodes of the optimized one."""
    report = report_fusions(capture.stages)
    if report is None:
        return capture.stages
    return tuple(
        dataclasses.replace(stage, graph=add_fusion_notes(report))
        if stage.graph is report.module.graph
        else stage
        for stage in capture.stages
    )


def _graph_of(capture: Capture, name: str) -> Graph | None:
    stage = capture.stage(name)
    return stage.graph if stage is not None and is_available(stage.graph) else None


def _first_stages(names: Sequence[str], lowered: str, right_stage: str) -> list[int]:
    left = names.index(lowered) if lowered in names else 0
    right = names.index(right_stage) if right_stage in names else len(names) - 1
    return [left, right]


def _stage(stage: Stage, columns: StageColumns | None) -> dict[str, Any]:
    graph = stage.graph if is_available(stage.graph) else None
    data: dict[str, Any] = {
        "title": make_safe_line(stage.title or stage.name),
        "note": _note(stage, graph),
        "isBase": stage.name == "jaxpr" and graph is not None,
        "hasGraph": graph is not None,
        "noGraph": _reason(stage, stage.graph),
        "noText": _reason(stage, stage.text),
        **_lines(stage.text),
        **_NO_LINKS,
    }
    if graph is not None and columns is not None:
        data |= _links(graph, columns) | _details(graph)
    return data


def _note(stage: Stage, graph: Graph | None) -> str:
    if stage.unavailable is not None:
        return "not available"
    parts = []
    if graph is not None:
        parts.append(tell_size(graph))
    if isinstance(stage.seconds, float):
        parts.append(format_seconds(stage.seconds))
    return ", ".join(parts)


def _reason(stage: Stage, form: object) -> str:
    missing = stage.unavailable or form
    return make_safe(missing.reason) if isinstance(missing, Unavailable) else ""


def _lines(text: StageText | Unavailable) -> dict[str, Any]:
    if isinstance(text, Unavailable):
        return {"lines": [], "lineNodes": []}
    lines = [shorten_constants(line) for line in make_safe(text.text).split("\n")]
    return {"lines": lines, "lineNodes": text.line_nodes.tolist()}


def _links(graph: Graph, columns: StageColumns) -> dict[str, list[int]]:
    return {
        "originRow": columns.origin_row.tolist(),
        "originKey": columns.origin_key.tolist(),
        "derivedRow": columns.derived_row.tolist(),
        "derivedKey": columns.derived_key.tolist(),
        "sourceRow": columns.source_row.tolist(),
        "file": columns.file.tolist(),
        "line": columns.line.tolist(),
        "fusionOwner": columns.fusion_owner.tolist(),
        "inputs": columns.inputs.tolist(),
        "argumentRow": columns.argument_row.tolist(),
        "argumentKey": columns.argument_key.tolist(),
        "shownGroup": columns.shown_group.tolist(),
        "group": graph.nodes.group.tolist(),
        "groupParent": graph.groups.parent.tolist(),
        "groupOwner": graph.groups.owner.tolist(),
        "direction": graph.nodes.direction.tolist(),
    }


def _details(graph: Graph) -> dict[str, Any]:
    """What the inspector shows of each node."""
    nodes = graph.nodes
    if len(nodes) > MAX_DETAILED_NODES:
        return {"hasDetails": False}
    return {
        "hasDetails": True,
        "strings": [make_safe_line(string) for string in graph.strings],
        "id": nodes.id.tolist(),
        "name": nodes.name.tolist(),
        "kind": nodes.kind.tolist(),
        "operation": nodes.operation.tolist(),
        "types": _rows(nodes.types),
        "attributes": _rows(nodes.attributes),
        "scope": _rows(nodes.scope),
        "cost": [_format_cost(Cost(*row)) for row in nodes.cost.tolist()],
    }


def _rows(ragged: Ragged) -> list[list[int]]:
    values, offsets = ragged.values.tolist(), ragged.offsets.tolist()
    return [values[a:b] for a, b in itertools.pairwise(offsets)]


def _format_cost(cost: Cost) -> str:
    if not cost.is_known:
        return ""
    return f"{format_flops(cost.flops)}, {format_bytes(cost.bytes_accessed)} accessed"
