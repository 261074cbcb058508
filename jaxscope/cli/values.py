"""`jaxscope values FILE [CALL]`: what each equation computes, and where NaN or Inf begins; with
`--at` the numbers at one place, with `--tracing` what Python does while JAX traces, with `-o` a
page or a hand-out that goes through the call.
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from jaxscope.cli.capture import obtain_capture
from jaxscope.cli.output import check_place, print_found, write_data
from jaxscope.cli.parser import Options
from jaxscope.cli.runs import Watcher, named_program, request_of, show_progress
from jaxscope.client.one_shot import ask
from jaxscope.client.requests import StepRequest, TraceLinesRequest, ValuesRequest
from jaxscope.client.stepping import SteppingClient
from jaxscope.errors import CallError, UsageError, UserCodeError
from jaxscope.model.lessons import LESSON_ENDING, TextLesson, read_lesson, read_text_lesson
from jaxscope.model.tracing import Tracing
from jaxscope.model.values import ArrayView, Step, Stepping, Values, parse_condition, parse_place
from jaxscope.report.stepping import step_to_document, step_to_json
from jaxscope.report.tracing import tracing_to_document, tracing_to_json
from jaxscope.report.values import values_to_document, values_to_json

_GOALS = {"start": "start", "end": "end", "nonfinite": "origin"}


def run(options: Options) -> int:
    """Run the call equation by equation, and print what was computed.

    Raises:
        JaxscopeError: The call failed, the target is not here, or the run does not come to the
            place that is asked for.
    """
    lesson = None
    if str(options.file).endswith(LESSON_ENDING):
        lesson = read_text_lesson(Path(str(options.file)))
        first = lesson.parts[0].shown
        options = dataclasses.replace(
            options, file=Path(first.file), call=options.call or first.call
        )
    if options.step.is_tracing:
        return _trace_lines(options)
    loaded = options.step.loaded
    stepped = request_of(StepRequest, options, loaded=loaded, stage=options.step.stage)
    if options.output is not None:
        return _write_page(options, options.output, stepped, lesson)
    if options.step.steps:
        with show_progress() as show:
            found = _go(stepped, options, Watcher(show))
        print_found(options, lambda: step_to_json(*found), lambda: step_to_document(*found))
        return 0
    ulps, against = options.step.ulps, options.step.against
    request = request_of(ValuesRequest, options, loaded=loaded, against=against, ulps=ulps)
    with show_progress() as show:
        values = ask(request, Values, Watcher(show))
    print_found(
        options, lambda: values_to_json(values, ulps), lambda: values_to_document(values, ulps)
    )
    return 0


def _trace_lines(options: Options) -> int:
    """Tell what Python does while JAX traces, as far as that went."""
    with show_progress() as show:
        found = ask(request_of(TraceLinesRequest, options), Tracing, Watcher(show))
    print_found(options, lambda: tracing_to_json(found), lambda: tracing_to_document(found))
    return UserCodeError.exit_status if found.failure else 0


def _write_page(
    options: Options, out: Path, request: StepRequest, lesson: TextLesson | None
) -> int:
    """Write what `-o` names; without a lesson of its own it tells that of the docstring."""
    wanted = options.step
    if wanted.at or wanted.until or wanted.against:
        raise UsageError(
            "-o goes through the whole call, as eager JAX runs it.",
            remedy="Leave --at, --until and --against out.",
        )
    check_place(out)
    file = named_program(options)
    from jaxscope.export.render import render_steps  # brings what draws
    from jaxscope.export.steps import MOST_STEPS

    with show_progress() as show:
        watcher = Watcher(show)
        capture = obtain_capture(options, watcher)
        with SteppingClient(request, watcher) as stepper:
            steps = stepper.record(MOST_STEPS)
            told = lesson or read_lesson(Path(file))
            data = render_steps(out.suffix, stepper.stepping, steps, capture, told)
    write_data(out, data)
    if not options.is_json:
        print(f"{stepper.stepping.call} -> {out}", file=sys.stderr)
    return 0


def _go(
    request: StepRequest, options: Options, watcher: Watcher
) -> tuple[Stepping, Step, ArrayView | None]:
    wanted = options.step
    try:
        equation, iterations = parse_place(wanted.at) if wanted.at else ("start", ())
        if wanted.until:
            parse_condition(wanted.until)
    except ValueError as error:
        raise UsageError(str(error)) from None
    with SteppingClient(request, watcher) as stepper:
        goal = _GOALS.get(equation, "place")
        step = stepper.move(goal, equation=equation, iterations=iterations)
        if (goal == "place" and not step.equation) or step.is_unmoved:
            raise CallError(f"There is nothing at {wanted.at}.", why=step.note)
        if wanted.until:
            step = stepper.move("condition", condition=wanted.until)
        kinds = [value.kind for value in step.values]
        kind, index = wanted.value
        if wanted.value == ("result", 0) and "result" not in kinds:
            kind = "argument" if not step.equation else "operand"
        forms = {"": [], "jit": ["jit", "trials"]}.get(wanted.against, [wanted.against])
        view = stepper.look(kind, index, wanted.slice, forms=forms) if kind in kinds else None
        if view is not None and view.problem:
            raise UsageError(f"{kind} {index} cannot be shown.", why=view.problem)
        return stepper.stepping, step, view
