"""Load the user's file and the requested call of it."""

from __future__ import annotations

from typing import Any

from jaxscope.errors import CallError
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.said import say
from jaxscope.model.units import file_name
from jaxscope.worker import compat
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.host.executable_cache import keeping_executables
from jaxscope.worker.host.source import SourceSnapshot, read_source
from jaxscope.worker.host.user_module import execute_file
from jaxscope.worker.stages.proposals import explain_no_call, propose_call
from jaxscope.worker.targets.environment import allow_transfers, use_target


def load_call(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, Call]:
    """Read and execute the user's file, and take the requested call apart.

    Raises:
        JaxscopeError: The file cannot be read, it or an argument of the call raised, or the target
            is not available.
    """
    source, names = load_names(request, channel)
    return source, evaluate_call(
        source, names, choose_call(request, source, names, channel), channel
    )


def choose_call(
    request: dict[str, Any], source: SourceSnapshot, names: dict[str, Any], channel: Channel
) -> str:
    """The text of the requested call, or of the first that the file offers."""
    return str(request.get("call") or "") or first_call(source, names, channel)


def evaluate_call(
    source: SourceSnapshot, names: dict[str, Any], text: str, channel: Channel
) -> Call:
    """Take a call apart and evaluate its arguments.

    Raises:
        JaxscopeError: It is no call, or an argument raised.
    """
    channel.progress("call", say("Evaluating the arguments"))
    with guard("call", {source.path}, call=text), keeping_executables():
        return parse_call(text, names, file=source.path)


def load_names(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, dict[str, Any]]:
    """Read and execute the user's file; returns it and the names that a call may use.

    Raises:
        JaxscopeError: The file cannot be read, it raised, or the target is not available.
    """
    if not request.get("file"):
        raise CallError(
            say("There is no file to take the call from."),
            remedy=say("Name a Python file; it may be empty but for its imports."),
            kind="NoFile",
        )
    source = read_source(request["file"])
    channel.progress("import", say("Importing {name}", name=file_name(source.path)))
    compat.trace_times()  # before the code traces what the call would trace otherwise
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
    if guarding := allow_transfers():
        channel.message(
            say(
                "{guarding} is set aside: looking at a program takes transfers, too.",
                guarding=guarding,
            )
        )
    use_target(str(request.get("target") or "cpu"))
    return source, call_namespace(vars(module))


def first_call(source: SourceSnapshot, names: dict[str, Any], channel: Channel) -> str:
    """The first call that the file offers, or one that is found for it.

    Raises:
        CallError: There is none.
    """
    offered = find_offered_calls(source.text)
    if offered:
        return offered[0].call
    text, refusal = propose_call(source, names, function=None)
    if text is None:
        raise explain_no_call(source, refusal)
    channel.message(say("The file offers no call; jaxscope proposed {text}.", text=text))
    return text
