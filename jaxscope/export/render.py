"""Renders an export order into the bytes of a file, in any format; plain text is written here.

Renderers import what they need when they run: PDF and PNG bring libraries that text does not need.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jaxscope.errors import UsageError
from jaxscope.export.choices import ALL_STAGES, EVERYTHING, FIRST, NOTHING
from jaxscope.export.order import (
    DisplayedGraph,
    ExportOrder,
    OnProgress,
    find_stage,
    find_stage_graph,
    find_stage_text,
    ignore_progress,
)
from jaxscope.heap import paused_gc
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, is_available
from jaxscope.model.lessons import Lesson, TextLesson
from jaxscope.model.said import say
from jaxscope.model.values import Step, Stepping
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.open_groups import open_largest
from jaxscope.picture.view.view import View
from jaxscope.schema.json_text import list_pieces
from jaxscope.schema.safe_text import make_safe, make_safe_line


def capture_to_text(capture: Capture, stage_name: str) -> str:
    """The program of one stage as JAX or XLA prints it, with a newline at the end.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: It has no text.
    """
    return make_safe(find_stage_text(capture, stage_name).text).rstrip("\n") + "\n"


def stages_to_text(capture: Capture, stage_names: Sequence[str]) -> str:
    """Several stages one after the other, each under a line that names it.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: One has no text.
    """
    parts = []
    for name in stage_names:
        stage = find_stage(capture, name)
        title = make_safe_line(stage.title or name)
        parts.append(f"=== {title} ===\n\n{capture_to_text(capture, name)}")
    return "\n".join(parts)


MAX_DRAWN_BOXES = 60_000
"""A picture of more boxes opens fewer groups: at so many, its file has tens of megabytes."""


_JSON_PIECES = 2_000
_MANY_PIECES = 1_000_000
"""Of the JSON of a large program; how many there are is known when they are written."""
_LONG_LIST = 1_000
"""Entries from which freeing a list takes long enough to be done one by one."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """The content of a file.

    Attributes:
        data: Its bytes.
        notes: Sentences on what is not as it was asked for.
    """

    data: bytes
    notes: tuple[str, ...] = ()


def render_order(order: ExportOrder, on_step: OnProgress = ignore_progress) -> Rendered:
    """The content of one file.

    Args:
        order: What to render.
        on_step: Told how far it is; what it raises ends the export.

    Raises:
        UsageError: There is no such format or stage, or a number is none.
        EnvironmentProblem: What is to be shown is not available; carries the reason.
    """
    render = _RENDERERS.get(order.ending)
    if render is None:
        known = ", ".join(_RENDERERS)
        raise UsageError(
            say("There is no format .{ending}.", ending=order.ending),
            remedy=say("Formats are {known}.", known=known),
        )
    course = ExportProgress(on_step)
    with paused_gc():  # it would go through millions of pieces, holding up a window
        data = render(order, course)
    whole = data if isinstance(data, bytes) else data.encode("utf-8")
    return Rendered(whole, tuple(course.notes))


@dataclass(frozen=True, slots=True)
class ExportProgress:
    """How one export goes.

    Attributes:
        on_step: Told how far it is.
        notes: Sentences on what is not as it was asked for; grows.
    """

    on_step: OnProgress
    notes: list[str] = dataclasses.field(default_factory=list)

    def go_on(self) -> bool:
        """For a layout, which asks whether it should stop: reported as a step, it never does."""
        self.on_step(say("Laying out"), 0.0)
        return False


def _show(order: ExportOrder, stage: str, course: ExportProgress) -> DisplayedGraph:
    """The picture of a stage, as it is seen or made."""
    if stage in order.seen:
        return order.seen[stage]
    view = build_view(find_stage_graph(order.capture, stage))
    opened = _choose_open(view, order.expand)
    kept = opened
    if opened is not None and len(opened) and len(view.boxes) > MAX_DRAWN_BOXES:
        kept = open_largest(view, opened, MAX_DRAWN_BOXES, each_alone=True)
    scene = build_scene(
        view, kept, direction=order.direction, should_stop=course.go_on
    )  # fmt: skip
    if opened is not None and kept is not None and len(kept) < len(opened):
        course.notes.append(
            f"The picture of {stage} leaves {len(opened) - len(kept):,} groups closed: "
            f"opened, it would have more than {MAX_DRAWN_BOXES:,} boxes."
        )
    return DisplayedGraph(scene)


def _choose_open(view: View, expand: str) -> frozenset[str] | None:
    """Ids of the groups to open; None for those that are open at first."""
    if expand == FIRST:
        return None
    if expand == EVERYTHING:
        return view.all_groups()
    if expand == NOTHING:
        return frozenset()
    if not expand.isascii() or not expand.isdigit() or len(expand) > 9:
        words = f"{FIRST}, {EVERYTHING}, {NOTHING} or a number of boxes"
        raise UsageError(
            say("Groups cannot be opened by {words}.", words=repr(expand[:40])),
            remedy=say("Say {words}.", words=words),
        )
    return open_largest(view, view.all_groups(), int(expand), each_alone=True)


def _render_svg(order: ExportOrder, course: ExportProgress) -> bytes:
    from jaxscope.export.svg import scene_to_svg_parts

    seen = _show(order, order.stage, course)
    parts = scene_to_svg_parts(
        seen.scene, order.theme, order.capture.call, seen.look, on_step=course.on_step
    )
    return b"".join(part.encode() for part in parts)


def _render_png(order: ExportOrder, course: ExportProgress) -> bytes:
    from jaxscope.export.picture import make_picture
    from jaxscope.export.png import fit_scale, is_legible, scene_to_png

    seen = _show(order, order.stage, course)
    picture = make_picture(seen.scene, order.theme, seen.look)
    scale = order.scale
    if order.width_px is not None:
        scale = order.width_px / picture.width
    if not 0 < scale < float("inf"):
        raise UsageError(say("A picture must be wider than nothing."))
    possible = fit_scale(picture.width, picture.height, scale)
    if possible < scale * 0.999:
        made, asked = (
            f"{picture.width * each:,.0f} × {picture.height * each:,.0f}"
            for each in (possible, scale)
        )
        course.notes.append(
            f"The picture of {order.stage} is {made} pixels, not {asked}: few programs open larger "
            "ones. SVG has no limit."
        )
    if not is_legible(possible):
        course.notes.append(
            f"Texts are left out of the picture of {order.stage}: they would be too small to read."
        )
    return scene_to_png(seen.scene, order.theme, scale, seen.look, on_step=course.on_step)


def _render_pdf(order: ExportOrder, course: ExportProgress) -> bytes:
    from jaxscope.export.pdf import page_scale, pictures_to_pdf
    from jaxscope.export.picture import make_picture

    pages = []
    for stage in order.stages:
        seen = _show(order, stage.name, course)
        picture = make_picture(seen.scene, order.theme, seen.look)
        if (scale := page_scale(picture)) < 1:
            course.notes.append(
                f"The page of {stage.name} is shrunk to {scale:.1%}: PDF allows sides of 5 m."
            )
        pages.append((stage.title or stage.name, picture))
    return pictures_to_pdf(pages, order.capture.call, on_step=course.on_step)


def _render_dot(order: ExportOrder, course: ExportProgress) -> str:
    from jaxscope.export.dot import graph_to_dot, scene_to_dot

    if order.stage in order.seen or order.expand != FIRST:
        return scene_to_dot(_show(order, order.stage, course).scene, order.theme)
    return graph_to_dot(find_stage_graph(order.capture, order.stage), order.theme)


def _render_html(order: ExportOrder, course: ExportProgress) -> bytes:
    from jaxscope.export.html import write_page

    capture, stage = order.capture, order.stage
    if stage == ALL_STAGES:
        stage = _last_available(capture)
    parts = write_page(capture, stage, seen=order.seen, notes=course.notes, on_step=course.on_step)
    return b"".join([part.encode("utf-8") for part in parts])


def _last_available(capture: Capture) -> str:
    names = [stage.name for stage in capture.stages if stage.unavailable is None]
    if "optimized" in names or not names:
        return "optimized"
    graphs = [stage.name for stage in capture.stages if is_available(stage.graph)]
    return (graphs or names)[-1]


def _render_markdown(order: ExportOrder, _course: ExportProgress) -> str:
    from jaxscope.export.markdown import capture_to_markdown

    return capture_to_markdown(order.capture, *(stage.name for stage in order.stages))


def _render_text(order: ExportOrder, _course: ExportProgress) -> str:

    if order.stage != ALL_STAGES:
        return capture_to_text(order.capture, order.stage)
    return stages_to_text(order.capture, [stage.name for stage in order.stages])


def _render_json(order: ExportOrder, course: ExportProgress) -> bytes:
    from jaxscope.export.capture_json import capture_to_json

    course.on_step(say("Gathering"), 0.0)
    document = capture_to_json(order.capture)
    pieces = list_pieces(document)
    parts: list[bytes] = []
    while text := "".join(itertools.islice(pieces, _JSON_PIECES)):
        course.on_step(say("Writing"), min(0.99, len(parts) * _JSON_PIECES / _MANY_PIECES))
        parts.append(text.encode())
    _free(document)
    return b"".join([*parts, b"\n"])


def _free(document: Any) -> None:
    """Free a document's long lists entry by entry: at once, a large one holds other threads up."""
    for part in document.values() if isinstance(document, dict) else document:
        if isinstance(part, list) and len(part) > _LONG_LIST:
            while part:
                part.pop()
        elif isinstance(part, dict | list):
            _free(part)


_RENDERERS: Mapping[str, Callable[[ExportOrder, ExportProgress], str | bytes]] = {
    "svg": _render_svg,
    "png": _render_png,
    "pdf": _render_pdf,
    "dot": _render_dot,
    "html": _render_html,
    "md": _render_markdown,
    "txt": _render_text,
    "json": _render_json,
}


def render_steps(
    ending: str,
    stepping: Stepping,
    steps: Sequence[Step],
    capture: Capture,
    lesson: Lesson | TextLesson,
) -> bytes:
    """A call with its numbers.

    Args:
        ending: `.pdf` for a hand-out, any other for a page.
        stepping: What was stepped through.
        steps: As `SteppingClient.record` gives them.
        capture: Of the same call.
        lesson: What is told around the steps.
    """
    if ending.lower() == ".pdf":
        from jaxscope.export.steps_pdf import steps_to_pdf

        return steps_to_pdf(stepping, steps, capture, lesson)
    from jaxscope.export.steps_html import steps_to_html

    return steps_to_html(stepping, steps, capture, lesson).encode()
