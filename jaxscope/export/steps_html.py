"""A call with its numbers as one self-contained HTML page: what each equation reads, then, when it
is asked for, what it makes of it; beside the source and the drawing of the program.

For students who have installed nothing. Without the script, and on paper, all steps are shown one
after the other, with their results.
"""

from __future__ import annotations

import html
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from jaxscope.export.page import (
    THEME_BUTTON,
    code_rules,
    colour_python,
    draw_scene,
    make_page,
    read_part,
    style_rules,
    theme_script,
)
from jaxscope.export.steps import (
    choose_source,
    describe_end,
    describe_run,
    find_graph,
    list_blocks,
    split_blocks,
    split_values,
    step_title,
)
from jaxscope.model import Capture, Graph
from jaxscope.model.lessons import Lesson, Shown, TextLesson
from jaxscope.model.values import Step, Stepping, StepValue
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view
from jaxscope.report.document import Section, write_html
from jaxscope.schema.safe_text import escape_html, make_safe

_MOST_NODES = 5_000
"""A larger drawing makes the page slow."""
_HERE = Path(__file__).parent

_TOP = """\
<header>
{theme_button}
<h1 class="call">{call}</h1>
<p>{environment}</p>
</header>
<main>
<section id="source" aria-label="Source"><h2>{file}</h2>
<pre data-first="{first}">{source}</pre></section>
<section id="drawing" aria-label="Program">{drawing}</section>
<section id="steps" aria-live="polite">
"""
_END = """\
</section>
</main>
<nav aria-label="Steps">
<button id="back" type="button" title="←">Back</button>
<output id="place"></output>
<button id="next" type="button" title="Space, →">Next</button>
</nav>
"""


def steps_to_html(
    stepping: Stepping, steps: Sequence[Step], capture: Capture, lesson: Lesson | TextLesson
) -> str:
    """The steps as a self-contained HTML page.

    Args:
        stepping: What was stepped through.
        steps: As `SteppingClient.record` gives them.
        capture: Of the same call: its source and the graph of the stage.
        lesson: Its parts come before and after the equations, those of a file of its own before;
            what is empty is left out.
    """
    scene, graph = _find_scene(capture, stepping.stage)
    text, first = choose_source(capture)
    lines = colour_python(make_safe(text))
    if isinstance(lesson, TextLesson):
        before, after = list(_write_parts(lesson)), ""
    else:
        told = ("Look at", lesson.look), ("Predict", lesson.predict)
        before = [_write_text(*part) for part in told]
        after = _write_text("Then see", lesson.see)
    parts = [
        _TOP.format(
            theme_button=THEME_BUTTON,
            call=escape_html(stepping.call),
            environment=escape_html(describe_run(stepping)),
            file=escape_html(os.path.basename(capture.source.file)),
            first=first,
            source="".join(f"<span>{line}\n</span>" for line in lines[first - 1 :]),
            drawing=draw_scene(scene) if scene is not None else "",
        ),
        *before,
    ]
    for step in steps:
        line = step.line if step.file == capture.source.file else 0
        parts.append(_write_step(stepping, step, line, _find_place(step, scene, graph)))
    parts += [_write_text("And so on", describe_end(steps)), after, _END]
    style = read_part(_HERE, "steps.css") + style_rules() + code_rules()
    script = theme_script() + read_part(_HERE, "steps.js")
    return make_page(f"{stepping.call} — jaxscope", "".join(parts), style, script)


def _find_scene(capture: Capture, stage: str) -> tuple[Scene | None, Graph | None]:
    """The drawing of a stage; none of a program that is too large."""
    graph = find_graph(capture, stage)
    if graph is None or len(graph.nodes) > _MOST_NODES:
        return None, None
    scene = build_scene(build_view(graph))
    return (scene, graph) if len(scene.items) else (None, None)


def _find_place(step: Step, scene: Scene | None, graph: Graph | None) -> str:
    """Where the box of an equation is in the drawing: x, y, width and height; or empty."""
    node = graph.index_by_id.get(step.equation) if graph is not None else None
    if scene is None or node is None:
        return ""
    return " ".join(f"{each:.1f}" for each in scene.items.rect[scene.item_of_node[node]].tolist())


def _write_parts(lesson: TextLesson) -> Iterator[str]:
    """The parts of a lesson; what one reveals stands in an element that can be hidden."""
    call = ""
    for part in lesson.parts:
        head, call = _write_call(part.shown, call), part.shown.call
        answer, call = _write_call(part.revealed, call), part.revealed.call
        answer += _write_blocks(part.reveal)
        yield (
            f"<article><h3>{escape_html(part.heading)}</h3>{head}{_write_blocks(part.text)}"
            + (f'<div class="answer">{answer}</div>' if part.reveal else "")
            + "</article>\n"
        )


def _write_call(shown: Shown, before: str) -> str:
    """What a lesson shows from here on; nothing where it goes on with that."""
    return f"<p>Look at: {escape_html(shown.call)}</p>" if shown.call != before else ""


def _write_blocks(markdown: str) -> str:
    """Paragraphs; what is laid out in lines, such as a list or code, as it stands."""
    written = []
    for is_laid_out, block in split_blocks(markdown):
        safe = html.escape(make_safe(block))
        written.append(f"<pre>{safe}</pre>" if is_laid_out else f"<p>{safe.replace('`', '')}</p>")
    return "".join(written)


def _write_text(title: str, text: str) -> str:
    """A step that is said; nothing without a text."""
    if not text:
        return ""
    return f"<article><h3>{title}</h3><p>{escape_html(text.replace('`', ''))}</p></article>\n"


def _write_step(stepping: Stepping, step: Step, line: int, place: str) -> str:
    """Where the run stands; what an equation makes stands in an element that can be hidden."""
    title = step_title(stepping, step)
    read, made = split_values(step)
    if not step.equation:
        return f"<article>{_write_values(title, step, read)}</article>\n"
    answer = write_html([Section("", [step.failure])]) if step.failure else ""
    answer += _write_values("", step, made) if made else ""
    return (
        f'<article data-line="{line}" data-place="{place}">{_write_values(title, step, read)}'
        f'<div class="answer">{answer}</div></article>\n'
    )


def _write_values(title: str, step: Step, values: Sequence[StepValue]) -> str:
    return write_html([Section(title, list(list_blocks(step, values)))])
