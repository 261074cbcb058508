"""Propose a call of a function that traces, for a person who gave none.

Candidates are traced until one succeeds; no value is ever run through the function.
"""

from __future__ import annotations

import inspect
import itertools
import time
from typing import Any

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.call import call_namespace, list_functions, parse_call
from jaxscope.worker.candidates import candidate_calls
from jaxscope.worker.channel import Channel
from jaxscope.worker.explain import guard
from jaxscope.worker.program import trace_call
from jaxscope.worker.source import SourceSnapshot, read_source
from jaxscope.worker.user_module import execute_file

BUDGET_S = 8.0
MAX_ATTEMPTS = 400


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
    text, why = propose_call(source, names, function=function)
    if text is None:
        raise CallError(
            Explanation(
                what=f"No arguments were found with which {function} traces.",
                where=source.path,
                why=why,
                remedy=_describe_form(function, names),
                kind="NoProposal",
            )
        )
    channel.send("proposal", {"call": text})


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
    if not listed:
        return f"Type the call, such as {form}."
    return f"Type the call, such as {form}, with arguments that fit its parameters: {listed}."


def propose_call(
    source: SourceSnapshot, names: dict[str, Any], *, function: str | None
) -> tuple[str | None, str]:
    """Find a call that traces.

    Args:
        source: The user's file.
        names: Its namespace, as `call_namespace` makes it.
        function: Its name, or None to take the first function of the file that has a call.

    Returns:
        The call, or None and the last reason why an attempt failed.
    """
    candidates = [function] if function is not None else list_functions(names)
    deadline = time.monotonic() + BUDGET_S
    why = "The file defines no functions." if not candidates else ""
    for name in candidates:
        for text in itertools.islice(candidate_calls(name, names), MAX_ATTEMPTS):
            if time.monotonic() > deadline:
                return None, why or "Tracing took too long."
            try:
                trace_call(parse_call(text, names, file=source.path))
            except CallError as error:
                why = error.explanation.what
            except Exception as error:
                why = f"{text}: {type(error).__name__}: {str(error)[:300]}"
            else:
                return text, ""
    return None, why
