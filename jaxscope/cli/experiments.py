"""The experiments of `jaxscope time` and its figures: ask, then print a table or JSON, or write a
file. Loaded only when one is asked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from jaxscope.cli.output import check_place, print_found, write_data
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, request_of, show_progress, watching
from jaxscope.client.events import Result
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import (
    AgreementRequest,
    CaptureRequest,
    ComparisonRequest,
    ProfileRequest,
    RecompilationRequest,
    Request,
    ScalingRequest,
)
from jaxscope.errors import EnvironmentProblem
from jaxscope.export.chart import chart_to_png
from jaxscope.export.figures import (
    Figure,
    make_histogram,
    timeline_chart,
    waterfall_chart,
    write_figure,
)
from jaxscope.export.measurement_files import (
    agreement_to_json,
    comparison_to_json,
    profile_to_json,
    recompilation_to_json,
    scaling_chart,
    scaling_to_csv,
    scaling_to_json,
    scaling_to_svg,
)
from jaxscope.model import Capture, Environment, Timing, Unavailable
from jaxscope.model.experiments import Agreement, ProgramComparison, Recompilation
from jaxscope.model.timing import STEADY, Profile, Scaling
from jaxscope.report.document import Document
from jaxscope.report.measurement_documents import (
    ProfileOverlay,
    agreement_to_document,
    profile_to_document,
    programs_to_document,
    recompilation_to_document,
    scaling_to_document,
)

# `jaxscope time -o OUT`: what was measured, as a picture or as its table.


def write_timing_figure(timing: Timing, name: str, path: Path) -> None:
    """Write the `distributions` or the `stages` of a timing; the ending picks the form.

    Raises:
        EnvironmentProblem: There is nothing to draw, or the disk refuses.
    """
    figure: Figure | None
    if name == "stages":
        figure = waterfall_chart(timing.call, timing.measurements)
    else:
        figure = make_histogram(timing.call, [m for m in timing.measurements if m.name in STEADY])
    if figure is None:
        raise _nothing(path, "Too few calls were measured.")
    _write(figure, path, timing.environment)


def write_run_figure(profile: Profile, path: Path) -> None:
    """Write the timeline of one run of a profile; the ending picks the form.

    Raises:
        EnvironmentProblem: There is no such run, or the disk refuses.
    """
    if isinstance(profile.timeline, Unavailable):
        raise _nothing(path, profile.timeline.reason)
    _write(timeline_chart(profile.call, profile.timeline), path, profile.environment)


def _write(figure: Figure, path: Path, environment: Environment) -> None:
    write_data(path, write_figure(figure, path.suffix, environment=environment))


def _nothing(path: Path, why: str) -> EnvironmentProblem:
    return EnvironmentProblem(f"{path} was not written: there is nothing to draw.", why=why)


def _render(scaling: Scaling, suffix: str) -> bytes:
    """The file's bytes, in the form that its ending names."""
    if suffix == ".csv":
        return scaling_to_csv(scaling).encode()
    if suffix == ".json":
        return json.dumps(scaling_to_json(scaling), indent=2, allow_nan=False).encode()
    if suffix == ".png":
        return chart_to_png(scaling_chart(scaling))
    return scaling_to_svg(scaling).encode()


Experiment = tuple[
    Request, type[Result], Callable[[Any], Document], Callable[[Any], dict[str, Any]]
]
"""What is asked, what answers it, and that as a report and as JSON."""


def _find_experiment(options: Options) -> Experiment:
    """Raises: JaxscopeError: The call cannot be captured, which times of nodes need."""
    time = options.time
    match time.experiment:
        case "nodes":
            with show_progress() as show:
                capture = ask(request_of(CaptureRequest, options), Capture, Watcher(show))
            return (
                request_of(ProfileRequest, options, call=capture.call, skip_eager=time.skip_eager),
                Profile,
                lambda found: profile_to_document(ProfileOverlay(found, capture)),
                lambda found: profile_to_json(ProfileOverlay(found, capture)),
            )
        case "scaling":
            asked = {
                name: getattr(time, name) for name in ("vary", "sizes", "skip_eager", "preset")
            }
            request: Request = request_of(ScalingRequest, options, **asked)
            return request, Scaling, scaling_to_document, scaling_to_json
        case "recompilations":
            calls = (*([options.call] if options.call else []), *time.others)
            request = request_of(RecompilationRequest, options, calls=calls)
            return request, Recompilation, recompilation_to_document, recompilation_to_json
        case "comparison":
            request = request_of(
                ComparisonRequest,
                options,
                other_file=str(time.against_file) if time.against_file else None,
                other_call=time.against,
                rigorous=options.is_rigorous,
                **time.made_with,
            )
            return request, ProgramComparison, programs_to_document, comparison_to_json
    request = request_of(AgreementRequest, options)
    return request, Agreement, agreement_to_document, agreement_to_json


def run_experiment(options: Options) -> int:
    """Make the experiment that the options name, print it, and write the file that was asked for.

    Raises:
        JaxscopeError: The call cannot be run or measured, or the file not be written.
    """
    output = options.time.output
    if output is not None:
        check_place(output)
    request, kind, to_document, to_json = _find_experiment(options)
    with watching(to_document, to_json, is_json=options.is_json) as watch:
        found = ask(request, kind, watch)
    if output is not None and isinstance(found, Scaling):
        write_data(output, _render(found, output.suffix))
    elif output is not None and isinstance(found, Profile):
        write_run_figure(found, output)
    print_found(options, lambda: to_json(found), lambda: to_document(found))
    return 0
