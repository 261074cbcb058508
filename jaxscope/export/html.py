"""A capture as one self-contained HTML page: linked source, text and graph of every stage.

The script of the page answers "what belongs to this?" by the rule of `program.links`, from the same
columns, which are written here as plain lists.
"""

from __future__ import annotations

import base64
import dataclasses
import itertools
import json
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np

from jaxscope.export.order import (
    DisplayedGraph,
    OnProgress,
    find_stage,
    ignore_progress,
    part_of_progress,
)
from jaxscope.export.page import (
    MAX_SEEN_BOXES,
    THEME_BUTTON,
    code_rules,
    draw_graph,
    frame_page,
    read_part,
    style_rules,
    theme_script,
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
from jaxscope.model.said import say
from jaxscope.model.stages import can_ask_for, lowered_name, stage_kind
from jaxscope.model.units import format_bytes, format_flops, format_seconds
from jaxscope.picture.syntax import PythonColouring, program_pattern
from jaxscope.program.fusion.summary import report_fusions
from jaxscope.program.kernel_grid import PLACES
from jaxscope.program.links import StageColumns, build_all_columns
from jaxscope.program.size import describe_size
from jaxscope.report.bookmarks import MarkedPlace, find_marked_places
from jaxscope.report.fusion import add_fusion_notes
from jaxscope.report.mlir_constants import shorten_constants
from jaxscope.schema.safe_text import escape_html, make_safe, make_safe_line

MAX_DETAILED_NODES = 20_000
"""Above so many nodes a stage's inspector entries are left out; they would double the file."""

MAX_LINES = 20_000
"""Of a text so many lines are shown: more elements make browsers stall."""

_NO_LINKS: dict[str, list[int]] = {
    name: []
    for name in (
        *("originRow", "originKey", "derivedRow", "derivedKey", "sourceRow", "file", "line"),
        *("fusionOwner", "inputs", "group", "groupParent", "groupOwner", "direction"),
        *("argumentRow", "argumentKey", "shownNode", "shownGroup", "sharedGroups"),
    )
}


def build_page_data(capture: Capture, stage_name: str) -> dict[str, Any]:
    """Everything the script needs, fit for JSON.

    Args:
        stage_name: As `write_page` takes it.
    """
    paths = {file.path: index for index, file in enumerate(capture.files)}
    names = [stage.name for stage in capture.stages]
    lowered = lowered_name(names)
    graphs = {s.name: s.graph for s in capture.stages if is_available(s.graph)}
    every = build_all_columns(graphs, "jaxpr", lowered, paths)
    columns = every.of_stage
    told = _with_fusions(capture)
    stages = [_stage(stage, columns.get(stage.name)) for stage in told]
    definition = f"{paths.get(capture.source.file, 0)}:{capture.source.line}"
    return {
        "files": [_file(make_safe_line(file.path), make_safe(file.text)) for file in capture.files],
        "programWords": program_pattern(),
        "definition": definition,
        "arguments": [make_safe_line(path) for path in every.arguments],
        "callKeys": np.flatnonzero(every.of_one_call | every.is_call).tolist(),
        "maxLines": MAX_LINES,
        "kinds": [kind.name.lower() for kind in NodeKind],
        "stages": stages,
        "bookmarks": [_bookmark(place) for place in find_marked_places(capture)],
        "first": _first_stages(names, lowered, stage_name),
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
    report = report_fusions(capture.stages, num_devices=capture.num_devices)
    if report is None:
        return capture.stages
    return tuple(
        dataclasses.replace(stage, graph=add_fusion_notes(report))
        if stage.graph is report.module.graph
        else stage
        for stage in capture.stages
    )


def _file(path: str, text: str) -> dict[str, Any]:
    """A source file; of each line that has coloured words their starts, lengths and roles."""
    lines, colouring = text.split("\n"), PythonColouring(text)
    words = {number: colouring.spans(number) for number in range(len(lines))}
    return {
        "path": path,
        "lines": lines,
        "words": {n: spans for n, spans in words.items() if spans},
    }


def _first_stages(names: Sequence[str], lowered: str, stage_name: str) -> list[int]:
    """The stage that the page opens with, and the one beside it where there is room."""
    program = names.index(lowered) if lowered in names else 0
    asked = names.index(stage_name) if stage_name in names else len(names) - 1
    return [program, asked] if stage_name == "optimized" else [asked, program]


def _stage(stage: Stage, columns: StageColumns | None) -> dict[str, Any]:
    graph = stage.graph if is_available(stage.graph) else None
    data: dict[str, Any] = {
        "title": make_safe_line(stage.title or stage.name),
        "short": make_safe_line(stage_kind(stage.name).title),
        "note": _note(stage, graph),
        "isOnTheWay": stage_kind(stage.name).is_on_the_way,
        "isOffered": not can_ask_for(stage),
        "isMissing": stage.unavailable is not None,
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
        parts.append(describe_size(graph))
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
        "shownNode": columns.shown.node.tolist(),
        "shownGroup": columns.shown.group.tolist(),
        "sharedGroups": columns.shared_groups.tolist(),
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
        "attributes": _shown_attributes(graph),
        "scope": _rows(nodes.scope),
        "cost": [_format_cost(Cost(*row)) for row in nodes.cost.tolist()],
    }


def _shown_attributes(graph: Graph) -> list[list[int]]:
    """Of each node keys and values in turn, without those that are not to be read."""
    hidden = {code for code, text in enumerate(graph.strings) if text.startswith(PLACES)}
    rows = _rows(graph.nodes.attributes)
    return [[c for n, c in enumerate(row) if row[n - n % 2] not in hidden] for row in rows]


def _rows(ragged: Ragged) -> list[list[int]]:
    values, offsets = ragged.values.tolist(), ragged.offsets.tolist()
    return [values[a:b] for a, b in itertools.pairwise(offsets)]


def _format_cost(cost: Cost) -> str:
    if not cost.is_known:
        return ""
    return f"{format_flops(cost.flops)}, {format_bytes(cost.bytes_accessed)} accessed"


_TOP = """\
<header>
<h1 class="call" title="{call}">{call}</h1>
<p title="{environment}">{environment}</p>
<search>
<output id="found" for="search"></output>
<input id="search" type="search" placeholder="Search  /" aria-label="Search all stages"
title="Words that must all occur, or /a regular expression/; Enter goes on, Shift+Enter back">
</search>
{theme_button}
</header>
<nav id="strip" aria-label="Stages"></nav>
<main>
<section id="source" aria-label="Source"><div class="body"></div></section>
<section id="inspector" aria-label="Inspector" aria-live="polite"><div class="body"></div></section>
<section id="program" aria-label="A stage"><div class="bar"></div><div class="body"></div></section>
<section id="beside" aria-label="Another stage" hidden>
<div class="bar"></div><div class="body"></div></section>
</main>
<noscript>This page links its parts by a script inside it; allow scripts to use it.</noscript>
"""


_GZIP = 31
"""What zlib calls the format of gzip, with the largest window."""

_LINKED, _DRAWN = 0.2, 0.7
"""Shares of the time after which stages are linked, and drawn."""

PACKED_FROM = 1_000_000
"""Characters of drawings and texts from which all content is compressed. Smaller pages stay plain,
so that they can be read and searched as text."""

_ROWS_AT_ONCE = 1_000
"""Of a column: so many are written within a few milliseconds."""

_HERE = Path(__file__).parent
_SCRIPTS = (
    *("page_links.js", "page_rows.js", "page_place.js", "page_fold.js", "page_search.js"),
    *("page_notes.js", "page_walk.js", "page.js"),
)
"""The last one starts the page, so it comes after what it uses."""


def capture_to_html(
    capture: Capture,
    stage_name: str = "optimized",
    *,
    seen: Mapping[str, DisplayedGraph] = MappingProxyType({}),
    notes: list[str] | None = None,
    on_step: OnProgress = ignore_progress,
) -> str:
    """The page; see `write_page` for what the arguments mean."""
    parts = write_page(capture, stage_name, seen=seen, notes=notes, on_step=on_step)
    return "".join(parts)


def write_page(
    capture: Capture,
    stage_name: str = "optimized",
    *,
    seen: Mapping[str, DisplayedGraph] = MappingProxyType({}),
    notes: list[str] | None = None,
    on_step: OnProgress = ignore_progress,
    is_folded: bool = False,
) -> Iterator[str]:
    """The page, part by part.

    To put fifteen million letters into one string takes a quarter of a second on a busy machine,
    in which no other thread of Python moves: whoever has a window passes the parts on one by one.

    Args:
        capture: What to show.
        stage_name: The stage that the page opens with; for `optimized` it opens with the program
            of the call, as the window does, and has this one beside it where there is room.
        seen: Pictures of stages as they are on a screen, to begin with.
        notes: Takes a sentence for everything that is left out.
        on_step: Told how far it is.
        is_folded: Whether closed groups cannot be opened, in a page that is made sooner: of the
            gradient of 12 layers in 1.4 s in place of 4.9 s.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: That stage is not available; carries the reason.
    """
    find_stage(capture, stage_name)
    on_step(say("Linking stages"), 0.0)
    data = build_page_data(capture, stage_name)
    drawings: list[str] = []
    for index, stage in enumerate(capture.stages):
        on_step(
            f"Drawing {make_safe_line(stage.title)}", _LINKED + 0.5 * index / len(capture.stages)
        )
        if not is_available(stage.graph):
            continue
        drawing = draw_graph(stage.graph, seen.get(stage.name), is_folded=is_folded)
        if isinstance(drawing, Unavailable):
            data["stages"][index]["noGraph"] = drawing.reason
        else:
            drawings.append(f'<template id="drawing-{index}">{drawing.first}</template>')
            if drawing.unfolded:
                unfolded = drawing.unfolded
                drawings.append(f'<template id="unfolded-{index}">{unfolded}</template>')
        if notes is not None:
            notes += list_omissions(stage)
            if stage.name in seen and len(seen[stage.name].scene.items) > MAX_SEEN_BOXES:
                notes.append(
                    f"The page opens fewer groups of {make_safe_line(stage.title)} than are seen: "
                    f"browsers stall at more than {MAX_SEEN_BOXES:,} boxes."
                )
    before, after = frame_page(f"{capture.call} — jaxscope", *style_and_script())
    content = itertools.chain(
        drawings,
        ['\n<script type="application/json" id="data">'],
        _embed(data, part_of_progress(on_step, _DRAWN, 1.0)),
        ["</script>"],
    )
    texts = sum(len(s.text.text) for s in capture.stages if is_available(s.text))
    yield before
    yield _TOP.format(
        call=escape_html(capture.call),
        environment=escape_html(_describe(capture)),
        theme_button=THEME_BUTTON,
    )
    is_large = sum(map(len, drawings)) + texts > PACKED_FROM
    yield from _pack(content) if is_large else content
    yield after


def style_and_script() -> tuple[str, str]:
    """The style sheet and the script of every page."""
    style = read_part(_HERE, "page.css") + style_rules() + code_rules()
    return style, theme_script() + "".join(read_part(_HERE, name) for name in _SCRIPTS)


def _pack(content: Iterable[str]) -> Iterator[str]:
    """The content compressed, in an element that the page's script unpacks."""
    yield '\n<script type="text/plain" id="packed">'
    packer, rest = zlib.compressobj(6, zlib.DEFLATED, wbits=_GZIP), b""
    for piece in itertools.chain(content, [None]):
        rest += packer.flush() if piece is None else packer.compress(piece.encode())
        whole = len(rest) if piece is None else len(rest) // 3 * 3
        yield base64.b64encode(rest[:whole]).decode()
        rest = rest[whole:]
    yield "</script>"


def _describe(capture: Capture) -> str:
    environment = capture.environment
    return (
        f"JAX {environment.jax}, Python {environment.python}, target {capture.target}, "
        f"{environment.place}" + (f", {environment.recorded_at}" if environment.recorded_at else "")
    )


def _embed(data: Mapping[str, Any], on_step: OnProgress) -> Iterator[str]:
    """JSON that no text inside can end: `</script>` and `<!--` need a `<`.

    Piece by piece: the whole of a large program takes longer than a window may be silent.
    """
    rest = ((name, _spell(value)) for name, value in data.items() if name != "stages")
    stages = ("stages", _spell_stages(data["stages"], on_step))
    return _spell_object(itertools.chain(rest, [stages]))


def _spell_stages(stages: Sequence[Mapping[str, Any]], on_step: OnProgress) -> Iterator[str]:
    sign = "["
    for number, stage in enumerate(stages):
        yield sign
        for piece in _spell_object((name, _spell(column)) for name, column in stage.items()):
            on_step(say("Writing"), number / len(stages))
            yield piece
        sign = ","
    yield "]" if stages else "[]"


def _spell_object(members: Iterable[tuple[str, Iterator[str]]]) -> Iterator[str]:
    sign = "{"
    for name, pieces in members:
        yield f'{sign}"{name}":'
        yield from pieces
        sign = ","
    yield "}"


def _spell(value: object) -> Iterator[str]:
    """A value, a long list in several pieces."""
    if not isinstance(value, list) or len(value) <= _ROWS_AT_ONCE:
        yield _escape_json(value)
        return
    sign = "["
    for begin in range(0, len(value), _ROWS_AT_ONCE):
        yield sign + _escape_json(value[begin : begin + _ROWS_AT_ONCE])[1:-1]
        sign = ","
    yield "]"


def _escape_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
