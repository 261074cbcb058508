"""`jaxscope figure NAME FILE [CALL] -o OUT`: one picture for a paper or a slide."""

from __future__ import annotations

import sys
from pathlib import Path

from jaxscope.cli.capture import complete, obtain_capture, write_capture
from jaxscope.cli.experiments import write_timing_figure
from jaxscope.cli.output import check_place, write_data
from jaxscope.cli.parser import Options
from jaxscope.cli.roofline import find_ceilings
from jaxscope.cli.runs import Watcher, request_of, show_progress
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import CompileTimeRequest, TimeRequest
from jaxscope.errors import EnvironmentProblem, JaxscopeError, UsageError
from jaxscope.export.figures import ENDINGS, compile_chart, write_figure
from jaxscope.export.program_figures import make_program_figure
from jaxscope.model import Timing, Unavailable
from jaxscope.model.experiments import CompileTime
from jaxscope.model.stages import lowered_name

TIMING_FIGURES = ("distributions", "stages")
PICTURES = ("program", "optimized")
"""Graphs: of what is lowered, and of what XLA made of it."""
_MOVING = ("communication", "collective", "pallas")
_PICTURE_ENDINGS = (".svg", ".png", ".pdf", ".dot")


def run(options: Options) -> int:
    """Capture or measure the call, or reopen a capture, and write the figure.

    Raises:
        UsageError: There is no figure of that name, or no such form of it.
        EnvironmentProblem: The call has nothing to draw.
        JaxscopeError: The call failed.
    """
    name, out = options.figure, options.output
    endings = _PICTURE_ENDINGS if name in PICTURES else ENDINGS
    if out is None or out.suffix.lower() not in endings:
        raise UsageError(
            f"The figure {name} is written to a file that ends with one of {', '.join(endings)}.",
            remedy=f"Such as: -o {name}.svg",
        )
    if options.is_animated and (name not in _MOVING or out.suffix.lower() != ".svg"):
        raise UsageError(
            f"Only the figures {', '.join(_MOVING)} move, and only as SVG.",
            remedy="Leave --animated out, or: jaxscope figure collective … -o steps.svg",
        )
    check_place(out)
    with show_progress() as show:
        watcher = Watcher(show)
        if name in TIMING_FIGURES:
            timing = ask(request_of(TimeRequest, options), Timing, watcher)
            write_timing_figure(timing, name, out)
            return _tell(options, out)
        if name == "compile-time":
            compiled = ask(request_of(CompileTimeRequest, options), CompileTime, watcher)
            theme, environment = options.picture.theme, compiled.environment
            write_data(out, write_figure(compile_chart(compiled), out.suffix, theme, environment))
            return _tell(options, out, list(compiled.advice))
        notes: list[str] = []
        try:
            capture = obtain_capture(options, watcher)
        except JaxscopeError as error:
            # The jaxpr says it all of a kernel that cannot be compiled for this machine.
            partial = complete(watcher.partial, error) if name == "pallas" else None
            if partial is None:
                raise
            capture, notes = partial, [f"It shows the jaxpr. {error.explanation.what}"]
    if name in PICTURES:
        stage = lowered_name(s.name for s in capture.stages) if name == "program" else name
        if not stage:
            raise EnvironmentProblem(
                f"{out} was not written: there is nothing to draw.",
                why="The capture has no jaxpr.",
                remedy="The figure optimized shows what XLA made of it.",
            )
        _, left_out = write_capture(capture, out, out.suffix[1:].lower(), stage, options.picture)
        return _tell(options, out, left_out)
    ceilings = find_ceilings(options, capture) if name == "roofline" else None
    figure = make_program_figure(name, capture, ceilings, is_animated=options.is_animated)
    if isinstance(figure, Unavailable):
        raise EnvironmentProblem(
            f"{out} was not written: there is nothing to draw.", why=figure.reason
        )
    theme = options.picture.theme
    write_data(out, write_figure(figure, out.suffix, theme))
    return _tell(options, out, notes)


def _tell(options: Options, out: Path, notes: list[str] | None = None) -> int:
    if not options.is_json:
        for line in (f"{options.figure} -> {out}", *(f"note: {note}" for note in notes or ())):
            print(line, file=sys.stderr)
    return 0
