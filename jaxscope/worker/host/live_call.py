"""The text of the call of a function that is already loaded: `jit(step)(Net(…), f32[8, 4])`."""

from __future__ import annotations

import contextlib
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import jax

from jaxscope.worker.compat import is_jitted
from jaxscope.worker.host.arguments import is_traceable
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.function_source import OF_JAX, OF_PARTIALS, innermost_function
from jaxscope.worker.host.user_arguments import Module, find_user_arguments
from jaxscope.worker.host.values import value_text

_MAX_ARGUMENT_CHARS = 60
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+>")
"""How Python shows what has no text of its own: another one in each process."""


def describe_live_call(
    function: Callable[..., Any], args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> Call:
    """The call `function(*args, **kwargs)`, with a text that shows types and small values."""
    name, users = name_function(function), find_user_arguments(function, args, kwargs)
    words = _describe_arguments(*((args, kwargs) if users is None else (users.args, users.kwargs)))
    return Call(
        text=f"{name}({', '.join(words)})",
        base_text=name,
        base=function,
        levels=(),
        args=args,
        kwargs=dict(kwargs),
    )


def name_function(function: Any, depth: int = 16) -> str:
    """How a call spells a function: `grad(loss, argnums=1)`, `jit(partial(f, 2))`, `loss`.

    JAX gives what a transform returns the name of the function that went in. Which transform it was
    says the code that runs; its parameters are among the variables of that code. A function that is
    what its own module calls by its name, decorated ones too, has that name.

    Args:
        function: Any callable.
        depth: How many wrappers are looked into.
    """
    name = getattr(function, "__name__", None)
    if not isinstance(name, str) or not name:
        name = type(function).__name__
    is_global = getattr(innermost_function(function), "__globals__", {}).get(name) is function
    inner = getattr(function, "__wrapped__", None)
    if depth and all(hasattr(function, part) for part in OF_PARTIALS):
        bound = _describe_arguments(function.args, function.keywords)
        return f"partial({', '.join([name_function(function.func, depth - 1), *bound])})"
    if not depth or inner is None or is_global:
        return name
    transform = _name_transform(function)
    if not transform:
        return name
    parameters = _describe_arguments((), _find_parameters(function))
    return f"{transform}({', '.join([name_function(inner, depth - 1), *parameters])})"


_DEFAULTS: Mapping[str, Any] = {
    "argnums": 0, "has_aux": False, "holomorphic": False, "in_axes": 0, "out_axes": 0
}  # fmt: skip
"""Parameters of transforms with their defaults; a name holds those with other values."""


def _name_transform(function: Any) -> str:
    """Which of JAX's transforms returned a function; empty for everything else."""
    if is_jitted(function):
        own = getattr(innermost_function(function), "__code__", None)
        return "" if own is not None and own.co_filename.startswith(OF_JAX) else "jit"
    code = getattr(_within_boundary(function), "__code__", None)
    if code is None or not code.co_filename.startswith(OF_JAX):
        return ""
    outer, _, inside = code.co_qualname.partition(".<locals>.")
    return outer if inside else ""


def _within_boundary(function: Any) -> Any:
    """The code of a transform within what JAX puts around it to shorten tracebacks."""
    code = getattr(function, "__code__", None)
    if code is not None and code.co_qualname.startswith("api_boundary.<locals>."):
        return dict(_variables(function)).get("fun", function)
    return function


def _variables(function: Any) -> Iterator[tuple[str, Any]]:
    """Names and values of the variables around a function that its code uses."""
    names = getattr(getattr(function, "__code__", None), "co_freevars", ())
    for name, cell in zip(names, getattr(function, "__closure__", None) or (), strict=False):
        with contextlib.suppress(ValueError):  # it has none yet
            yield name, cell.cell_contents


def _find_parameters(function: Any) -> dict[str, Any]:
    """Those of `_DEFAULTS` that differ, from the variables of a transform's code.

    `grad` keeps them in a function that `value_and_grad` returned.
    """
    found: dict[str, Any] = {}
    for name, value in _variables(_within_boundary(function)):
        if name in _DEFAULTS:
            found |= {name: value} if repr(value) != repr(_DEFAULTS[name]) else {}
        elif getattr(value, "__wrapped__", None) is function.__wrapped__:
            found |= _find_parameters(value)
    return found


def _describe_arguments(args: Iterable[Any], kwargs: Mapping[str, Any]) -> list[str]:
    words = [_describe(value) for value in args]
    return words + [f"{key}={_describe(value)}" for key, value in kwargs.items()]


def _describe(value: Any) -> str:
    """An argument in the text of a call: an array's type, a small thing's value, else its class."""
    if is_traceable(value, scalars=False):
        return value_text(value)
    if isinstance(value, Module):
        return f"{value.name}(…)"
    has_arrays = any(is_traceable(leaf, scalars=False) for leaf in jax.tree.leaves(value))
    text = "" if has_arrays else repr(value)
    if _ADDRESS.search(text):
        return value.__name__ if inspect.isroutine(value) else f"{type(value).__name__}(…)"
    if text and len(text) <= _MAX_ARGUMENT_CHARS and "\n" not in text:
        return text
    return f"{type(value).__name__}(…)"
