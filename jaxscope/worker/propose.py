"""Propose a call of a function that traces, for a person who gave none.

Candidates are traced until one succeeds; no value is ever run through the function.
"""

from __future__ import annotations

import collections
import dataclasses
import inspect
import itertools
import time
from collections.abc import Sequence
from typing import Any

import jax

from jaxscope.errors import Explanation, JaxscopeError, TraceError
from jaxscope.worker.call import call_namespace, list_functions, parse_call
from jaxscope.worker.candidates import candidate_calls
from jaxscope.worker.channel import Channel
from jaxscope.worker.explain import explain_exception, guard
from jaxscope.worker.program import trace_call
from jaxscope.worker.source import SourceSnapshot, read_source
from jaxscope.worker.user_module import execute_file

BUDGET_S = 8.0
MAX_ATTEMPTS = 400
_OF_TRACING = (
    jax.errors.JAXTypeError,
    jax.errors.JAXIndexError,
    jax.errors.UnexpectedTracerError,
)
"""What JAX raises where a function does what tracing does not allow, whatever its arguments."""


def handle_propose(request: dict[str, Any], channel: Channel) -> None:
    """Answer a `propose` request.

    Raises:
        JaxscopeError: The file raised, or no call of the function was found that traces.
    """
    source = read_source(request["file"])
    channel.progress("import", "Importing the file")
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
    channel.progress("propose", "Looking for arguments that trace")
    function = str(request["function"])
    names = call_namespace(vars(module))
    text, refusal = propose_call(source, names, function=function)
    if text is None:
        raise TraceError(
            Explanation(
                what=f"No arguments were found with which {function} traces.",
                where=refusal.where or source.path,
                why=refusal.why,
                remedy=refusal.remedy or _describe_form(function, names),
                kind="NoProposal",
            )
        )
    channel.send("proposal", {"call": text})


@dataclasses.dataclass(frozen=True, slots=True)
class Refusal:
    """Why no call was found.

    Attributes:
        why: What one of the attempts ended with, the one that tells most.
        remedy: What to change in the function, where that is known.
        where: Where that attempt failed, such as `file.py:12`.
    """

    why: str
    remedy: str = ""
    where: str = ""


def _describe_form(function: str, names: dict[str, Any]) -> str:
    """What to type, with the function's own parameters and what the file makes for them."""
    form = next(candidate_calls(function, names), f"{function}()")
    owner, _, method = function.rpartition(".")
    subject = getattr(names.get(owner), method, None) if owner else names.get(function)
    try:
        parameters = inspect.signature(subject).parameters if callable(subject) else {}
    except (TypeError, ValueError):
        parameters = {}
    listed = ", ".join(name for name in parameters if not (owner and name == "self"))
    tried = f"Its form is {form}; just these arguments were tried in vain."
    if not listed:
        return f"Type a call of {function} that its code accepts. {tried}"
    return f"Type a call with arguments that its code accepts for {listed}. {tried}"


def propose_call(
    source: SourceSnapshot, names: dict[str, Any], *, function: str | None
) -> tuple[str | None, Refusal]:
    """Find a call that traces.

    Args:
        source: The user's file.
        names: Its namespace, as `call_namespace` makes it.
        function: Its name, or None to take the first function of the file that has a call.

    Returns:
        The call, or None and why there is none.
    """
    candidates = [function] if function is not None else list_functions(names)
    deadline = time.monotonic() + BUDGET_S
    attempts: list[tuple[str, Exception]] = []
    for name in candidates:
        for text in itertools.islice(candidate_calls(name, names), MAX_ATTEMPTS):
            if time.monotonic() > deadline:
                break
            try:
                trace_call(parse_call(text, names, file=source.path))
            except Exception as error:
                attempts.append((text, error))
            else:
                return text, Refusal("")
    if not candidates:
        return None, Refusal("The file defines no functions.")
    return None, _refuse(attempts, source)


def _refuse(attempts: Sequence[tuple[str, Exception]], source: SourceSnapshot) -> Refusal:
    """What the attempts ended with: not the last and strangest of them, but what most of them say.

    That a function cannot be traced at all says more than that arguments do not fit.
    """
    if not attempts:
        return Refusal("Tracing took too long.")
    kinds = collections.Counter(type(error) for _, error in attempts)

    def weight(attempt: tuple[str, Exception]) -> tuple[bool, int, bool]:
        text, error = attempt
        is_of_tracing = isinstance(error, _OF_TRACING)
        return is_of_tracing, kinds[type(error)], "f32[8" in text

    text, error = max(attempts, key=weight)  # the first of those that weigh most
    if isinstance(error, JaxscopeError):
        explanation = error.explanation
    else:
        _, explanation = explain_exception(error, {source.path}, stage="trace")
    told = f"With {text}: {explanation.what}"
    why = f"{told}\n{explanation.why}" if explanation.why else told
    remedy = explanation.remedy if isinstance(error, _OF_TRACING) else ""
    return Refusal(why, remedy, explanation.where)
