"""Load the user's file and the requested call of it."""

from __future__ import annotations

from typing import Any

from jaxscope.errors import CallError, Explanation
from jaxscope.worker.call import Call, call_namespace, parse_call
from jaxscope.worker.channel import Channel
from jaxscope.worker.environment import use_target
from jaxscope.worker.explain import guard
from jaxscope.worker.outline import find_offered_calls
from jaxscope.worker.propose import propose_call
from jaxscope.worker.source import SourceSnapshot, read_source
from jaxscope.worker.user_module import execute_file


def load_call(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, Call]:
    """Read and execute the user's file, and take the requested call apart.

    Raises:
        JaxscopeError: The file cannot be read, it or an argument of the call raised, or the target
            is not available.
    """
    source, names = load_names(request, channel)
    text = request.get("call") or first_call(source, names, channel)
    channel.progress("call", "Evaluating the arguments")
    with guard("call", {source.path}):
        return source, parse_call(text, names, file=source.path)


def load_names(request: dict[str, Any], channel: Channel) -> tuple[SourceSnapshot, dict[str, Any]]:
    """Read and execute the user's file; returns it and the names that a call may use.

    Raises:
        JaxscopeError: The file cannot be read, it raised, or the target is not available.
    """
    if not request.get("file"):
        raise CallError(
            Explanation(
                what="There is no file to take the call from.",
                remedy="Name a Python file; it may be empty but for its imports.",
                kind="NoFile",
            )
        )
    source = read_source(request["file"])
    channel.progress("import", f"Importing {source.path.rpartition('/')[2]}")
    with guard("import", {source.path}):
        module = execute_file(source.path, source.text)
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
        raise CallError(
            Explanation(
                what=f"{source.path.rpartition('/')[2]} offers no call, and none could be found.",
                where=source.path,
                why=refusal.why,
                remedy="Type a call, or add a comment line such as # jaxscope: loss(f32[8]).",
                kind="NoCall",
            )
        )
    channel.message(f"The file offers no call; jaxscope proposed {text}.")
    return text
