"""Capture a function of the running process: what `jaxscope.capture(f, *args)` does.

The pipeline is the worker's own, and what it says is put together as the client would. Nothing is
isolated here: the function is the caller's and already loaded.
"""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable, Mapping
from typing import Any

import jax

from jaxscope.client.assemble import CaptureAssembler
from jaxscope.errors import UsageError
from jaxscope.model import Capture
from jaxscope.wire.messages import Message
from jaxscope.worker.call import Call
from jaxscope.worker.capture import send_capture
from jaxscope.worker.channel import Channel
from jaxscope.worker.program import is_traceable
from jaxscope.worker.source import SourceSnapshot
from jaxscope.worker.user_source import describe_function
from jaxscope.worker.values import value_text

_MAX_ARGUMENT_CHARS = 60
_NO_SOURCE = SourceSnapshot(path="", text="", sha256="")


def capture_function(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Capture:
    """Every stage of one call of a function, on JAX's default device.

    Raises:
        UsageError: The function cannot be called.
        UserCodeError: The function failed; carries the explanation.
    """
    if not callable(function):
        raise UsageError(f"A {type(function).__name__} is no function: it cannot be called.")
    name = getattr(function, "__name__", None) or type(function).__name__
    words = [_describe(value) for value in args]
    words += [f"{key}={_describe(value)}" for key, value in kwargs.items()]
    call = Call(
        text=f"{name}({', '.join(words)})",
        base_text=name,
        base=function,
        levels=(),
        args=args,
        kwargs=dict(kwargs),
    )
    assembler = CaptureAssembler()
    source = _source_of(function)
    send_capture({"target": jax.default_backend()}, _Ear(assembler), source, call)
    return assembler.capture()


class _Ear(Channel):
    """A channel that ends in an assembler instead of in another process."""

    def __init__(self, assembler: CaptureAssembler) -> None:
        super().__init__(-1)
        self._assembler = assembler

    def send(
        self, type: str, fields: Mapping[str, Any], arrays: Mapping[str, Any] | None = None
    ) -> None:
        self._assembler.feed(Message(type, {"run": "", **fields}, dict(arrays or {})))


def _describe(value: Any) -> str:
    """An argument in the text of a call: an array's type, a small thing's value, else its class."""
    if is_traceable(value, scalars=False):
        return value_text(value)
    has_arrays = any(is_traceable(leaf, scalars=False) for leaf in jax.tree.leaves(value))
    text = "" if has_arrays else repr(value)
    if text and len(text) <= _MAX_ARGUMENT_CHARS and "\n" not in text:
        return text
    return f"{type(value).__name__}(…)"


def _source_of(function: Callable[..., Any]) -> SourceSnapshot:
    """The file of the function; notebooks keep the text of their cells where `linecache` looks."""
    path = describe_function(function, _NO_SOURCE)["file"]
    text = "".join(linecache.getlines(path)) if path else ""
    return SourceSnapshot(path or "<function>", text, hashlib.sha256(text.encode()).hexdigest())
