"""A call of a function that is already loaded: the form that the pipeline takes, without a file."""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Callable, Mapping
from typing import Any

import jax

from jaxscope.worker.arguments import is_traceable
from jaxscope.worker.call import Call
from jaxscope.worker.source import SourceSnapshot
from jaxscope.worker.user_source import describe_function
from jaxscope.worker.values import value_text

_MAX_ARGUMENT_CHARS = 60
_NO_SOURCE = SourceSnapshot(path="", text="", sha256="")


def describe_live_call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Call:
    """The call `function(*args, **kwargs)`, with a text that shows types and small values."""
    name = getattr(function, "__name__", None) or type(function).__name__
    words = [_describe(value) for value in args]
    words += [f"{key}={_describe(value)}" for key, value in kwargs.items()]
    return Call(
        text=f"{name}({', '.join(words)})",
        base_text=name,
        base=function,
        levels=(),
        args=args,
        kwargs=dict(kwargs),
    )


def find_live_source(function: Callable[..., Any]) -> SourceSnapshot:
    """The file of a function; notebooks keep the text of their cells where `linecache` looks."""
    path = describe_function(function, _NO_SOURCE)["file"]
    text = "".join(linecache.getlines(path)) if path else ""
    return SourceSnapshot(path or "<function>", text, hashlib.sha256(text.encode()).hexdigest())


def default_target() -> str:
    """The kind of device that JAX takes by itself in this process."""
    return str(jax.default_backend())


def _describe(value: Any) -> str:
    """An argument in the text of a call: an array's type, a small thing's value, else its class."""
    if is_traceable(value, scalars=False):
        return value_text(value)
    has_arrays = any(is_traceable(leaf, scalars=False) for leaf in jax.tree.leaves(value))
    text = "" if has_arrays else repr(value)
    if text and len(text) <= _MAX_ARGUMENT_CHARS and "\n" not in text:
        return text
    return f"{type(value).__name__}(…)"
