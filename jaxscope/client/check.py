"""What is likely to be a mistake in a call: what its capture found, and what its values show.

A call that cannot be traced is a finding, too: the error, at its line, with its remedy.
"""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jaxscope.client.events import Event, Finished, HeadArrived, Output
from jaxscope.client.requests import CaptureRequest, ValuesRequest
from jaxscope.errors import JaxscopeError, Stopped, TraceError, WorkerLost
from jaxscope.model import Capture, Check, Graph, Stage
from jaxscope.model.capture import NONFINITE_RESULT, Checked, Severity
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

_GRADIENT = "non-finite-gradient"
_MOST_OF_WHY = 400
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
_OF_ROOT = say(
    "Give the root an operand above 0, where its derivative is finite: jnp.sqrt(x + 1e-12), or "
    "safe = jnp.where(x > 0, x, 1.0); jnp.where(x > 0, jnp.sqrt(safe), 0.0)."
)
_OF_LOG = say(
    "Give the logarithm an operand above 0: jnp.log(jnp.maximum(x, 1e-12)), or "
    "safe = jnp.where(x > 0, x, 1.0); jnp.where(x > 0, jnp.log(safe), 0.0)."
)
_OF_DIVISION = say(
    "Divide by what is not 0: safe = jnp.where(y != 0, y, 1.0); jnp.where(y != 0, x / safe, 0.0). "
    "Where y is a root, as a norm is, do so under the root, whose derivative at 0 is infinite: "
    "safe = jnp.where(s > 0, s, 1.0); jnp.where(s > 0, x / jnp.sqrt(safe), 0.0)."
)
_OF_OVERFLOW = say(
    "Keep it from overflowing: bound the exponent, as by jnp.minimum(x, 80.0), or subtract the "
    "largest first, as jax.nn.softmax and jax.nn.logsumexp do."
)
_OF_MASK = say(
    "Inf minus Inf is NaN, as in the softmax of a row that is masked as a whole: mask with the "
    "least finite number, jnp.finfo(x.dtype).min, in place of -jnp.inf."
)
_BY_OPERATION = {
    "sub": _OF_MASK,
    **dict.fromkeys(("sqrt", "rsqrt"), _OF_ROOT),
    **dict.fromkeys(("log", "log1p"), _OF_LOG),
    **dict.fromkeys(("div", "integer_pow"), _OF_DIVISION),
    **dict.fromkeys(("exp", "exp2", "expm1"), _OF_OVERFLOW),
}
_ORIGIN_REMEDIES = {
    NONFINITE_RESULT: say(
        "Keep what the equation reads where it has a finite result and derivative."
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
            checks = with_origins(checks, ask(values, Values, again), capture.stages)
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
        " ".join(filter(None, (explanation.what, _begin(explanation.why)))),
        explanation.remedy,
        LESSONS.get(rule, ""),
        file=file if is_placed else explanation.where,
        line=int(line) if is_placed else 0,
    )


def _begin(why: str) -> str:
    """What an error says, to the end of a sentence or word: JAX may list all that is allowed."""
    if len(why) <= _MOST_OF_WHY:
        return why
    text = " ".join(why.split())
    end = text.rfind(". ", _MOST_OF_WHY // 4, _MOST_OF_WHY) + 1 or text.rfind(" ", 0, _MOST_OF_WHY)
    return f"{text[: end if end > 0 else _MOST_OF_WHY]} …"


def with_origins(checks: list[Check], values: Values, stages: Sequence[Stage]) -> list[Check]:
    """The findings, with the equation that makes results or their gradient NaN or Inf."""
    is_odd = any(each.num_nan or each.num_inf for each in values.results)
    found: dict[str, NonfiniteOrigin] = {}
    for origin in values.origins:
        rule = _GRADIENT if origin.stage == "gradient" else NONFINITE_RESULT
        if rule == NONFINITE_RESULT and not is_odd:
            continue  # NaN or Inf that no result has: a mask, say
        if origin.is_hidden:
            continue
        if rule not in found or origin.kind == "nan":
            found[rule] = origin
    checks = [check for check in checks if check.rule not in found]
    for rule, origin in found.items():
        remedy = _BY_OPERATION.get(_operation_of(origin, stages), _ORIGIN_REMEDIES[rule])
        has_hidden = any(
            each.is_hidden and (each.stage, each.kind) == (origin.stage, origin.kind)
            for each in values.origins
        )
        checks.append(_of_origin(rule, origin, remedy, has_hidden=has_hidden))
    return checks


def _operation_of(origin: NonfiniteOrigin, stages: Sequence[Stage]) -> str:
    """What the user's program computes where the Inf was made that a NaN is made of; else where
    the NaN was: of an equation of a derivative, of what it is."""
    graphs = {stage.name: stage.graph for stage in stages}
    graph, base = graphs.get(origin.stage), graphs.get("jaxpr")
    if not isinstance(graph, Graph) or not isinstance(base, Graph):
        return origin.operation
    node = graph.index_by_id.get(origin.cause or origin.equation)
    if node is None:
        return origin.operation
    if graph is base:
        return graph.operation(node)
    sources = graph.origins(node)
    found = {base.operation(base.index_by_id[each]) for each in sources if each in base.index_by_id}
    return found.pop() if len(found) == 1 else graph.operation(node)


def _of_origin(rule: str, origin: NonfiniteOrigin, remedy: str, *, has_hidden: bool) -> Check:
    """A finding.

    Args:
        has_hidden: Whether an earlier equation makes such a value that comes into no result.
    """
    kind = "NaN" if origin.kind == "nan" else "Inf"
    is_gradient = rule == _GRADIENT
    first = say("The first equation that makes {kind}", kind=kind)
    if has_hidden:
        first = say("The first equation that makes {kind} which may come into them", kind=kind)
    odd = say("The gradient is not finite") if is_gradient else say("Results are not finite")
    stage: str = origin.stage
    for number in origin.iterations:
        stage = say("{stage}, round {number:,} (from 0)", stage=stage, number=number)
    return Check(
        rule,
        Severity.WARNING,
        say(
            "{odd}. {first} is {equation} ({operation}) of the stage {stage}: {because}",
            odd=odd,
            first=first,
            equation=origin.equation,
            operation=origin.operation,
            stage=stage,
            because=origin.because,
        ),
        remedy,
        "",
        origin.equation,
        origin.file,
        origin.line,
    )
