"""A capture as one self-contained HTML page: linked source, text and graph of every stage."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from jaxscope.analysis.export.order import Seen
from jaxscope.analysis.export.page_data import build_page_data, list_omissions
from jaxscope.analysis.export.page_drawing import MAX_SEEN_BOXES, draw_graph, style_rules
from jaxscope.analysis.export.page_frame import (
    THEME_BUTTON,
    escape,
    frame_page,
    read_part,
    theme_script,
)
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.stage_choice import find_stage
from jaxscope.analysis.export.steps import OnStep, ignore_steps, part_of_steps
from jaxscope.model import Capture, Unavailable, is_available

_TOP = """\
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
"""


_LINKED, _DRAWN = 0.2, 0.7
"""Shares of the time after which stages are linked, and drawn."""

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
    seen: Mapping[str, Seen] = MappingProxyType({}),
    notes: list[str] | None = None,
    on_step: OnStep = ignore_steps,
) -> str:
    """The page; see `write_page` for what the arguments mean."""
    parts = write_page(capture, stage_name, seen=seen, notes=notes, on_step=on_step)
    return "".join(parts)


def write_page(
    capture: Capture,
    stage_name: str = "optimized",
    *,
    seen: Mapping[str, Seen] = MappingProxyType({}),
    notes: list[str] | None = None,
    on_step: OnStep = ignore_steps,
) -> Iterator[str]:
    """The page, part by part.

    To put fifteen million letters into one string takes a quarter of a second on a busy machine,
    in which no other thread of Python moves: whoever has a window passes the parts on one by one.

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
    style = read_part(_HERE, "page.css") + style_rules()
    script = theme_script() + "".join(read_part(_HERE, name) for name in _SCRIPTS)
    before, after = frame_page(f"{capture.call} — jaxscope", style, script)
    yield before
    yield _TOP.format(
        call=escape(capture.call),
        environment=escape(_describe(capture)),
        theme_button=THEME_BUTTON,
    )
    yield from drawings
    yield '\n<script type="application/json" id="data">'
    yield from _embed(data, part_of_steps(on_step, _DRAWN, 1.0))
    yield "</script>"
    yield after


def _describe(capture: Capture) -> str:
    environment = capture.environment
    return (
        f"JAX {environment.jax}, Python {environment.python}, target {capture.target}, "
        f"{environment.place}" + (f", {environment.recorded_at}" if environment.recorded_at else "")
    )


def _embed(data: Mapping[str, Any], on_step: OnStep) -> Iterator[str]:
    """JSON that no text inside can end: `</script>` and `<!--` need a `<`.

    Piece by piece: the whole of a large program takes longer than a window may be silent.
    """
    rest = ((name, _spell(value)) for name, value in data.items() if name != "stages")
    stages = ("stages", _spell_stages(data["stages"], on_step))
    return _spell_object(itertools.chain(rest, [stages]))


def _spell_stages(stages: Sequence[Mapping[str, Any]], on_step: OnStep) -> Iterator[str]:
    sign = "["
    for number, stage in enumerate(stages):
        yield sign
        for piece in _spell_object((name, _spell(column)) for name, column in stage.items()):
            on_step("Writing", number / len(stages))
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
