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
from jaxscope.cli.runs import (
    Watcher,
    named_program,
    run_options,
    show_progress,
    target_options,
    watching,
)
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import (
    AgreementRequest,
    CaptureRequest,
    ComparisonRequest,
    ProfileRequest,
    RecompilationRequest,
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


# `jaxscope time --scale`: time, compile time, work and memory against size.


def run_scaling(options: Options) -> Scaling:
    """Measure, and write the file that was asked for.

    Raises:
        JaxscopeError: The call cannot be measured, or the file not be written.
    """
    time = options.time
    if time.output is not None:
        check_place(time.output)
    request = ScalingRequest(
        named_program(options),
        options.call,
        vary=time.vary,
        sizes=time.sizes,
        skip_eager=time.skip_eager,
        preset=time.preset,
        **target_options(options),
        **run_options(options),
    )
    with watching(scaling_to_document, scaling_to_json, is_json=options.is_json) as watch:
        scaling = ask(request, Scaling, watch)
    if time.output is not None:
        write_data(time.output, _render(scaling, time.output.suffix))
    return scaling


def _render(scaling: Scaling, suffix: str) -> bytes:
    """The file's bytes, in the form that its ending names."""
    if suffix == ".csv":
        return scaling_to_csv(scaling).encode()
    if suffix == ".json":
        return json.dumps(scaling_to_json(scaling), indent=2, allow_nan=False).encode()
    if suffix == ".png":
        return chart_to_png(scaling_chart(scaling))
    return scaling_to_svg(scaling).encode()


# `jaxscope time --recompilations`: what compiled again, why, and what would avoid it.


def run_recompilation(options: Options) -> Recompilation:
    """Run the calls.

    Raises:
        JaxscopeError: The file or a call is wrong.
    """
    calls = ([options.call] if options.call else []) + list(options.time.others)
    request = RecompilationRequest(
        named_program(options), tuple(calls), **target_options(options), **run_options(options)
    )
    with watching(
        recompilation_to_document, recompilation_to_json, is_json=options.is_json
    ) as watch:
        return ask(request, Recompilation, watch)


# `jaxscope time --per-node`: times of instructions, equations and source lines.


def run_profile(options: Options) -> ProfileOverlay:
    """Capture the call, then profile it.

    Raises:
        JaxscopeError: It cannot be captured or run.
    """
    output = options.time.output
    if output is not None:
        check_place(output)
    file = named_program(options)
    shared = {**target_options(options), **run_options(options)}
    with show_progress() as show:
        capture = ask(CaptureRequest(file, options.call, **shared), Capture, Watcher(show))

    def to_document(found: Profile) -> Document:
        return profile_to_document(ProfileOverlay(found, capture))

    def to_json(found: Profile) -> dict[str, Any]:
        return profile_to_json(ProfileOverlay(found, capture))

    with watching(to_document, to_json, is_json=options.is_json) as watch:
        request = ProfileRequest(file, capture.call, skip_eager=options.time.skip_eager, **shared)
        profile = ask(request, Profile, watch)
    if output is not None:
        write_run_figure(profile, output)
    return ProfileOverlay(profile, capture)


# `jaxscope time --against` and `--agreement`: two programs, and how well results agree.


def run_comparison(options: Options) -> ProgramComparison:
    """Measure both calls.

    Raises:
        JaxscopeError: One of them cannot be compiled or run.
    """
    time = options.time
    request = ComparisonRequest(
        named_program(options),
        options.call,
        other_file=str(time.against_file) if time.against_file else None,
        other_call=time.against,
        rigorous=options.is_rigorous,
        **time.made_with,
        **target_options(options),
        **run_options(options),
    )
    with watching(programs_to_document, comparison_to_json, is_json=options.is_json) as watch:
        return ask(request, ProgramComparison, watch)


def run_agreement(options: Options) -> Agreement:
    """Run the call in all ways.

    Raises:
        JaxscopeError: It cannot be run.
    """
    request = AgreementRequest(
        named_program(options), options.call, **target_options(options), **run_options(options)
    )
    with watching(agreement_to_document, agreement_to_json, is_json=options.is_json) as watch:
        return ask(request, Agreement, watch)


Experiment = tuple[
    Callable[[Options], Any], Callable[[Any], Document], Callable[[Any], dict[str, Any]]
]
"""Run it; what was found as a report; the same as JSON."""

EXPERIMENTS: dict[str, Experiment] = {
    "nodes": (run_profile, profile_to_document, profile_to_json),
    "recompilations": (run_recompilation, recompilation_to_document, recompilation_to_json),
    "comparison": (run_comparison, programs_to_document, comparison_to_json),
    "agreement": (run_agreement, agreement_to_document, agreement_to_json),
    "scaling": (run_scaling, scaling_to_document, scaling_to_json),
}


def run_experiment(options: Options) -> int:
    """Make the experiment that the options name, and print it."""
    make, to_document, to_json = EXPERIMENTS[options.time.experiment]
    found = make(options)
    print_found(options, lambda: to_json(found), lambda: to_document(found))
    return 0
