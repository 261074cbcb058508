"""What is likely to be a mistake in a call: what its capture found, and what its values show.

A call that cannot be traced is a finding, too: the error, at its line, with its remedy.
"""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING

from jaxscope.client.events import Event, Finished, HeadArrived, Output
from jaxscope.client.requests import CaptureRequest, ValuesRequest
from jaxscope.errors import JaxscopeError, Stopped, TraceError, WorkerLost
from jaxscope.model import Capture, Check
from jaxscope.model.capture import Checked, Severity
from jaxscope.model.said import say
from jaxscope.model.targets import is_absent
from jaxscope.model.values import NonfiniteOrigin, Values

if TYPE_CHECKING:
    from jaxscope.client.live_run import Run
    from jaxscope.client.multi_process_runs import CompositeRun
    from jaxscope.client.one_shot import OnEvent

LESSONS = {
    "branch-on-tracer": "samples/control_flow.py",
    "concrete-value-of-tracer": "samples/control_flow.py",
    "integer-of-tracer": "samples/control_flow.py",
    "dynamic-shape": "samples/dynamic_shapes.py",
    "in-place-assignment": "samples/immutable_update.py",
    "leaked-tracer": "samples/pure_and_impure.py",
}
"""The program that teaches what a rule about errors is about."""

_RESULT, _GRADIENT = "non-finite-result", "non-finite-gradient"
_RULES = {
    "TracerBoolConversionError": "branch-on-tracer",
    "ConcretizationTypeError": "concrete-value-of-tracer",
    "TracerIntegerConversionError": "integer-of-tracer",
    "TracerArrayConversionError": "numpy-on-tracer",
    "NonConcreteBooleanIndexError": "dynamic-shape",
    "UnexpectedTracerError": "leaked-tracer",
}
"""Rules by the kind of an error of JAX's."""
_IMMUTABLE = "JAX arrays are immutable"
_ORIGIN_REMEDIES = {
    _RESULT: say(
        "Keep what the equation reads in its domain: clip it, or add a small number to it."
    ),
    _GRADIENT: (
        say(
            "Keep what is differentiated away from where its derivative is infinite, as "
            "by a small number that is added. A branch counts even where jnp.where drops "
            "its value: give it a safe operand, as in jnp.sqrt(jnp.where(x > 0, x, 1.0))."
        )
    ),
}


def check_call(request: CaptureRequest, on_event: OnEvent | None = None) -> Checked:
    """Capture a call, run it equation by equation, and say what is likely to be a mistake.

    Raises:
        JaxscopeError: The file or the call is wrong, or something is missing.
    """
    from jaxscope.client.one_shot import ask  # the window has a session of its own

    capture: Capture | None = None
    head = _Part(on_event, Finished)
    try:
        capture = ask(request, Capture, head)
    except TraceError as error:
        return Checked(head.call or request.call or "", (_of_error(error, request.file or ""),))
    checks, skipped = list(capture.checks), ""
    values = dataclasses.replace(
        ValuesRequest(request.file, capture.call, request.target, request.x64),
        python=request.python,
        timeout_s=request.timeout_s,
        memory_bytes=request.memory_bytes,
    )
    again = _Part(on_event, Output)  # it printed while it was captured
    if is_absent(request.target):
        skipped = say(
            "Values were not looked at: nothing runs on {target} here.", target=request.target
        )
    else:
        try:
            checks = with_origins(checks, ask(values, Values, again))
        except Stopped:
            raise
        except (TraceError, WorkerLost) as error:
            skipped = f"Values were not looked at: {error.explanation.what}"
    checks.sort(key=lambda check: list(Severity).index(check.severity))
    return Checked(capture.call, tuple(checks), (skipped,) if skipped else ())


class _Part:
    """Passes on the events of one of the two runs, and keeps the text of the call that it runs."""

    def __init__(self, on_event: OnEvent | None, *left_out: type[Event]) -> None:
        self._on_event = on_event
        self._left_out = left_out
        self.call = ""

    def follow(self, run: Run | CompositeRun) -> None:
        """Let the caller's `follower` send messages to this run."""
        from jaxscope.client.one_shot import Follower

        if isinstance(self._on_event, Follower):
            self._on_event.follow(run)

    def __call__(self, event: Event) -> None:
        if isinstance(event, HeadArrived):
            self.call = event.capture.call
        if self._on_event is not None and not isinstance(event, self._left_out):
            self._on_event(event)


def _of_error(error: JaxscopeError, user_file: str) -> Check:
    """A finding that says why a call cannot be traced."""
    explanation = error.explanation
    file, _, line = explanation.where.rpartition(":")
    is_placed = line.isdecimal() and bool(file)
    if file == os.path.basename(user_file):  # explanations name the user's file by its name
        file = os.path.abspath(user_file)
    rule = _RULES.get(explanation.kind, "does-not-trace")
    if _IMMUTABLE in explanation.why:
        rule = "in-place-assignment"
    return Check(
        rule,
        Severity.ERROR,
        " ".join(part for part in (explanation.what, explanation.why) if part),
        explanation.remedy,
        LESSONS.get(rule, ""),
        file=file if is_placed else explanation.where,
        line=int(line) if is_placed else 0,
    )


def with_origins(checks: list[Check], values: Values) -> list[Check]:
    """The findings, with the equation that makes results or their gradient NaN or Inf."""
    is_odd = any(each.num_nan or each.num_inf for each in values.results)
    for origin in values.origins:
        rule = _GRADIENT if origin.stage == "gradient" else _RESULT
        if rule == _RESULT and not is_odd:
            continue  # NaN or Inf that no result has: a mask, say
        checks = [check for check in checks if check.rule != rule]
        checks.append(_of_origin(rule, origin))
    return checks


def _of_origin(rule: str, origin: NonfiniteOrigin) -> Check:
    kind = "NaN" if origin.kind == "nan" else "Inf"
    is_gradient = rule == _GRADIENT
    odd = say("The gradient is not finite") if is_gradient else say("Results are not finite")
    stage: str = origin.stage
    for number in origin.iterations:
        stage = say("{stage}, iteration {number:,}", stage=stage, number=number)
    return Check(
        rule,
        Severity.WARNING,
        say(
            "{odd}. The first equation that makes {kind} is {equation} "
            "({operation}) of the stage {stage}: {because}",
            odd=odd,
            kind=kind,
            equation=origin.equation,
            operation=origin.operation,
            stage=stage,
            because=origin.because,
        ),
        _ORIGIN_REMEDIES[rule],
        "",
        origin.equation,
        origin.file,
        origin.line,
    )
