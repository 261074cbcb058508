"""Capture a function of the running process: what `jaxscope.capture(f, *args)` and the magic
of a notebook do.

The pipeline is the worker's own, and what it says is put together as the client would. Nothing is
isolated here: the function is the caller's and already loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

from jaxscope.client.capture_assembler import CaptureAssembler
from jaxscope.errors import UsageError
from jaxscope.model import Capture
from jaxscope.wire.messages import Message
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.explain import guard
from jaxscope.worker.host.call import Call, call_namespace, parse_call
from jaxscope.worker.host.function_source import (
    default_target,
    find_live_source,
    find_wrapped,
)
from jaxscope.worker.host.job import exchange_programs
from jaxscope.worker.host.live_call import describe_live_call
from jaxscope.worker.stages.capture import send_capture


def capture_function(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    *,
    passes: bool = False,
) -> Capture:
    """Every stage of one call of a function, on JAX's default device.

    Args:
        function: Of this process.
        args: Its positional arguments.
        kwargs: Its keyword arguments.
        passes: Whether to compile once more and record what each XLA pass changed.

    Raises:
        UsageError: The function cannot be called.
        UserCodeError: The function failed; carries the explanation.
    """
    if not callable(function):
        raise UsageError(f"A {type(function).__name__} is no function: it cannot be called.")
    return _capture(describe_live_call(function, args, kwargs), passes=passes)


def capture_text(text: str, names: Mapping[str, Any]) -> Capture:
    """Every stage of a call that is written as in a file, on JAX's default device.

    Args:
        text: Such as `grad(loss)(w, f32[8, 2])`.
        names: What it may name, beside the shorthands and transforms.

    Raises:
        CallError: The text is no call, or names what is not there.
        UserCodeError: An argument or the function failed; carries the explanation.
    """
    with guard("call", call=text):
        call = parse_call(text, call_namespace(names), file="")
    return _capture(call, passes=False)


def _capture(call: Call, *, passes: bool) -> Capture:
    assembler, start = CaptureAssembler(), time.perf_counter()
    source = find_live_source(find_wrapped(call.base, call.args, call.kwargs))
    request = {"target": default_target(), "passes": passes}
    ear = InProcessChannel(assembler)
    send_capture(request, ear, source, call)
    exchange_programs(ear)
    ear.send("done", {"wall_seconds": time.perf_counter() - start})
    return assembler.capture()


class InProcessChannel(Channel):
    """A channel that ends in an assembler instead of in another process."""

    def __init__(self, assembler: CaptureAssembler) -> None:
        super().__init__(-1)
        self._assembler = assembler

    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        self._assembler.feed(Message(type, {"run": "", **fields}, dict(arrays or {})))
