"""A capture as one self-contained HTML page: linked source, text and graph of every stage."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jaxscope.analysis.export.order import Seen
from jaxscope.analysis.export.page_data import build_page_data, list_omissions
from jaxscope.analysis.export.page_drawing import MAX_SEEN_BOXES, draw_graph, style_rules
from jaxscope.analysis.export.page_frame import (
    THEME_BUTTON,
    escape,
    make_page,
    read_part,
    theme_script,
)
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.stage_choice import find_stage
from jaxscope.analysis.export.steps import OnStep, ignore_steps, part_of_steps
from jaxscope.model import Capture, Unavailable, is_available

_BODY = """\
<header>
<h1 class="call">{call}</h1>
<p>{environment}</p>
<search>
<input id="search" type="search" placeholder="Search  /" aria-label="Search all stages"
title="Words that must all occur, or /a regular expression/; Enter goes on, Shift+Enter back">
<output id="found" for="search"></output>
</search>
{theme_button}
</header>
<nav id="strip" aria-label="Stages">
<span id="legend">
<span><i class="found-sign"></i>found</span>
<span><i class="chosen-sign"></i>chosen</span>
<span><i class="forward-sign"></i>linked</span>
<span><i class="backward-sign"></i>linked, backward</span>
</span>
</nav>
<main>
<section id="source" aria-label="Source"><h2>Source</h2><div class="body"></div></section>
<section id="left" aria-label="Left pane">
<div class="bar"></div><div class="body"></div></section>
<section id="right" aria-label="Right pane">
<div class="bar"></div><div class="body"></div></section>
<section id="inspector" aria-label="Inspector" aria-live="polite">
<h2>Inspector</h2><div class="body"></div></section>
</main>
<noscript>This page links its parts by a script inside it; allow scripts to use it.</noscript>
{drawings}
<script type="application/json" id="data">{data}</script>"""


_LINKED, _DRAWN = 0.2, 0.7
"""Shares of the time after which stages are linked, and drawn."""

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
    seen: Mapping[str, Seen] = MappingProxyType({}),
    notes: list[str] | None = None,
    on_step: OnStep = ignore_steps,
) -> str:
    """The page.

    Args:
        capture: What to show.
        stage_name: The stage that the right pane opens with.
        seen: Pictures of stages as they are on a screen, to begin with.
        notes: Takes a sentence for everything that is left out.
        on_step: Told how far it is.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: That stage is not available; carries the reason.
    """
    find_stage(capture, stage_name)
    on_step("Linking stages", 0.0)
    data = build_page_data(capture, stage_name)
    drawings = []
    for index, stage in enumerate(capture.stages):
        on_step(
            f"Drawing {make_safe_line(stage.title)}", _LINKED + 0.5 * index / len(capture.stages)
        )
        if not is_available(stage.graph):
            continue
        drawing = draw_graph(stage.graph, seen.get(stage.name))
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
    body = _BODY.format(
        call=escape(capture.call),
        environment=escape(_describe(capture)),
        theme_button=THEME_BUTTON,
        drawings="\n".join(drawings),
        data=_embed(data, part_of_steps(on_step, _DRAWN, 1.0)),
    )
    style = read_part(_HERE, "page.css") + style_rules()
    script = theme_script() + "".join(read_part(_HERE, name) for name in _SCRIPTS)
    return make_page(f"{capture.call} — jaxscope", body, style, script)


def _describe(capture: Capture) -> str:
    environment = capture.environment
    return (
        f"JAX {environment.jax}, Python {environment.python}, target {capture.target}, "
        f"{environment.place}" + (f", {environment.recorded_at}" if environment.recorded_at else "")
    )


def _embed(data: Mapping[str, Any], on_step: OnStep) -> str:
    """JSON that no text inside can end: `</script>` and `<!--` need a `<`.

    Column by column: the whole of a large program takes longer than a window may be silent.
    """
    stages = []
    for number, stage in enumerate(data["stages"]):
        on_step("Writing", number / len(data["stages"]))
        stages.append(_join((name, _escape_json(column)) for name, column in stage.items()))
    rest = [(name, _escape_json(value)) for name, value in data.items() if name != "stages"]
    return _join([*rest, ("stages", f"[{','.join(stages)}]")])


def _join(members: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f'"{name}":{value}' for name, value in members) + "}"


def _escape_json(value: object) -> str:
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
