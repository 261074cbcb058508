"""`jaxscope capture FILE [CALL] -o OUT`: inspect without a window.

Of a failed capture the stages that worked are written, with why the others are missing.
"""

from __future__ import annotations

import dataclasses
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jaxscope.cli.output import check_place, print_document, print_text, write_data
from jaxscope.cli.parser import Options, PictureOptions
from jaxscope.cli.runs import Watcher, named_file, request_of, show_progress
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import EnvironmentProblem, JaxscopeError
from jaxscope.model import Capture, Cost, Stage, Unavailable, is_available
from jaxscope.model.capture import leave_source_out
from jaxscope.model.file_kinds import CAPTURE_ENDINGS
from jaxscope.model.stages import COMPILED_STAGES, stage_kind
from jaxscope.model.timing import Timing
from jaxscope.report.document import Items, Section, write_markdown

if TYPE_CHECKING:
    from jaxscope.export.order import ExportOrder

# What a failed capture leaves behind: the stages that worked, and why the others are missing.


_FORMATS_WITH_REASONS = frozenset({"jaxscope", "json", "html"})
"""Formats that show all stages, and so have a place for the reasons."""


def complete(partial: Capture | None, error: JaxscopeError) -> Capture | None:
    """A capture that says of every stage what came of it; None if no stage came to be.

    Args:
        partial: What had arrived when the run failed.
        error: Why it failed.
    """
    if partial is None or not any(is_available(stage.text) for stage in partial.stages):
        return None
    reason = error.explanation.what
    known = {stage.name for stage in partial.stages}
    missing = [
        _missing_stage(name, stage_kind(name).title, reason)
        for name in COMPILED_STAGES
        if name not in known
    ]
    return dataclasses.replace(
        partial,
        stages=(*(_with_reason(stage, reason) for stage in partial.stages), *missing),
        messages=(*partial.messages, f"This capture is incomplete: {reason}"),
    )


def last_shown_stage(capture: Capture) -> str:
    """Name of the last stage that has a text."""
    return next(stage.name for stage in reversed(capture.stages) if is_available(stage.text))


def _with_reason(stage: Stage, reason: str) -> Stage:
    """A stage whose graph arrived and whose text did not waits for nothing any more."""
    if stage.unavailable is not None or is_available(stage.text):
        return stage
    return dataclasses.replace(stage, text=Unavailable(reason, stage.name))


def _missing_stage(name: str, title: str, reason: str) -> Stage:
    why = Unavailable(reason, name)
    seconds = Unavailable("The time of this stage was not measured.", name)
    return Stage(name, title, why, why, Cost(), seconds, unavailable=why)


# The formats of `capture -o`, by the ending of the file.


def write_capture(
    capture: Capture,
    path: Path,
    ending: str,
    stage: str,
    look: PictureOptions,
    lab: Sequence[object] = (),
) -> tuple[list[Path], list[str]]:
    """Write a capture, with progress on a terminal; returns the files, and what is not as it was
    asked for.

    Args:
        capture: What to write.
        path: Where. Of several files each gets the name of its stage before the ending.
        ending: One of the parser's `FORMATS`.
        stage: The stage that a picture or text shows, or `all`.
        look: How pictures look.
        lab: What was measured, which `.jaxscope` files hold.

    Raises:
        UsageError: There is no such stage.
        EnvironmentProblem: It is not available, or a file cannot be written.
    """
    if ending == "jaxscope":
        from jaxscope.schema.archive import save_capture  # only when one is saved

        save_capture(capture, path, None, lab)  # itself whole or not at all
        return [path], []
    from jaxscope.export.order import ExportOrder, split_order  # brings what pictures are made of

    order = ExportOrder(
        capture, stage, ending, look.theme, look.scale, look.width_px, look.expand, look.direction
    )
    places: list[Path] = []
    notes: list[str] = []
    with show_progress() as show:
        for suffix, part in split_order(order):
            place = path.with_name(f"{path.stem}{suffix}{path.suffix}")
            notes += _write(
                part, place, lambda doing, share: show(f"{doing} … {share:.0%} (Ctrl-C stops it)")
            )
            places.append(place)
    return places, notes


def _write(
    order: ExportOrder, path: Path, on_step: Callable[[str, float], None]
) -> tuple[str, ...]:
    from jaxscope.export.render import render_order  # brings the layout of graphs

    rendered = render_order(order, on_step)
    write_data(path, rendered.data)
    return rendered.notes


def run(options: Options) -> int:
    """Capture a call, or reopen a capture, and write it.

    Raises:
        JaxscopeError: The call failed; a format that has room for reasons has been written with
            the stages before the failure.
    """
    if options.output is not None:
        check_place(options.output)
    with show_progress() as show:
        watcher = Watcher(show)
        try:
            capture = obtain_capture(options, watcher)
        except JaxscopeError as error:
            _write_partial(watcher.partial, error, options)
            raise
    if options.without_source:
        capture = leave_source_out(capture)
    if options.is_markdown and not options.is_json:
        print_text(write_markdown([_sum_up(capture)]))
        if options.output is None:
            return 0
    if options.output is None and not options.is_json:
        print_document(options, [_sum_up(capture), Section(blocks=[_NOT_WRITTEN])])
        return 0
    if options.output is None:
        from jaxscope.export.capture_json import format_json

        print_text(format_json(capture))
        return 0
    place = _own_place(options.output, capture)
    places, notes = write_capture(
        capture, place, options.output_format, options.stage, options.picture
    )
    tell(capture, places, notes, options)
    return 0


_NOT_WRITTEN = "Nothing was written. To keep it: -o out.html (or .jaxscope, .json, .svg, …)."
_TOLD = ("size", "kernels", "memory")
"""Questions whose answers are what a capture comes to."""


def _sum_up(capture: Capture) -> Section:
    from jaxscope.program.cost.attribution import RowKind, find_cost_change
    from jaxscope.report.answers import Evidence, answer_question, find_question
    from jaxscope.report.diff import describe_cost_change

    place = f"JAX {capture.environment.jax}, target {capture.target}"
    questions = (find_question(name)[0] for name in _TOLD)
    told = [answer_question(each, Evidence(capture)).text for each in questions]
    change = find_cost_change(capture, RowKind.LINE)
    told += [] if isinstance(change, Unavailable) else [describe_cost_change(change)]
    return Section(capture.call, [Items([*told, place])])


def _own_place(path: Path, capture: Capture) -> Path:
    """Where to write: each process of several has a file of its own, `out.process1.json`."""
    if capture.job is None:
        return path
    return path.with_name(f"{path.stem}.process{capture.job.process}{path.suffix}")


def obtain_capture(options: Options, watcher: Watcher) -> Capture:
    """The capture of the named call, or the one saved in the named file.

    Raises:
        UsageError: The file holds another call.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    return obtain_timed(options, watcher)[0]


def obtain_timed(options: Options, watcher: Watcher) -> tuple[Capture, Timing | None]:
    """The same, with what the file says was measured of the call.

    Raises:
        UsageError: The file holds another call.
        JaxscopeError: The call failed, or the file cannot be read.
    """
    file = named_file(options)
    if file.endswith(CAPTURE_ENDINGS):
        from jaxscope.client.subjects import load_saved

        return load_saved(file, options.call)
    made_with = {"passes": options.passes, "gradient": options.gradient, "options": options.xla}
    return ask(request_of(CaptureRequest, options, **made_with), Capture, watcher), None


def _write_partial(partial: Capture | None, error: JaxscopeError, options: Options) -> None:
    """Keep the stages before a failure, where they were to be written."""
    capture = complete(partial, error)
    if capture is not None and options.without_source:
        capture = leave_source_out(capture)
    if partial is not None and not options.is_json:
        for message in partial.messages:
            print(f"note: {message}", file=sys.stderr)
    if (
        capture is None
        or options.output is None
        or options.output_format not in _FORMATS_WITH_REASONS
    ):
        return
    try:
        stage = last_shown_stage(capture)
        write_capture(capture, options.output, options.output_format, stage, options.picture)
    except EnvironmentProblem as problem:  # what the reader must know first is why the call failed
        print(f"jaxscope: {problem}", file=sys.stderr)
        return
    if not options.is_json:
        names = ", ".join(stage.name for stage in capture.stages if is_available(stage.text))
        print(f"{options.output} holds what came before the failure: {names}", file=sys.stderr)


def tell(capture: Capture, places: Sequence[Path], notes: Sequence[str], options: Options) -> None:
    """Say what was written and what the reader should know of it."""
    if options.is_json:
        return
    sources = [os.path.basename(file.path) for file in capture.files if file.text]
    is_held = (
        bool(sources) and options.output_format in _FORMATS_WITH_REASONS
    )  # said, for captures are shared
    holds = f" (with the text of {', '.join(sources)})" if is_held else ""
    print(f"{capture.call} -> {', '.join(map(str, places))}{holds}", file=sys.stderr)
    for message in (*capture.messages, *notes):
        print(f"note: {message}", file=sys.stderr)
