"""Where a function is defined, and the files that positions of a program point into."""

from __future__ import annotations

import hashlib
import inspect
import linecache
import os
import sysconfig
from collections.abc import Callable, Collection, Iterable
from typing import Any

import jax
import numpy as np

from jaxscope.errors import JaxscopeError
from jaxscope.model.capture import CALL_FILE
from jaxscope.model.graph import Graph
from jaxscope.model.outline import find_offered_calls
from jaxscope.model.units import format_place
from jaxscope.worker.channel import Channel
from jaxscope.worker.faults.tracebacks import is_installed, is_user_frame
from jaxscope.worker.host.source import SourceSnapshot, is_uploaded, read_source

# Where the base function is defined, and snapshots of the files that positions point into.


MAX_FILES = 20
OF_JAX = os.path.dirname(jax.__file__) + os.sep
"""How the paths of JAX's own files begin."""
OF_PARTIALS = ("func", "args", "keywords")
"""What `functools.partial` and the partials of libraries have, Equinox's own among them."""


def describe_function(
    function: Any, snapshot: SourceSnapshot, typed: str = "", line_of_call: int = 0
) -> dict[str, Any]:
    """File, 1-based line and text of a function's definition.

    What is typed in the call, and what no file defines, is of the user's file: the call stands
    there, or is about it.

    Args:
        function: May be wrapped.
        snapshot: The user's file.
        typed: How the call spells the function: its text where it is defined there.
        line_of_call: Line of the comment that offers the call; 0 where there is none.
    """
    own = "" if snapshot.path.startswith("<") else snapshot.path
    code = getattr(innermost_function(function), "__code__", None)
    if code is None:
        return {"file": own, "line": line_of_call, "text": ""}
    file, line = code.co_filename, code.co_firstlineno
    if file == CALL_FILE:
        return {"file": own, "line": line_of_call, "text": typed}
    text = ""
    if file == snapshot.path:
        lines = snapshot.text.splitlines(keepends=True)
        text = "".join(inspect.getblock(lines[line - 1 :])).rstrip() if line <= len(lines) else ""
    else:
        try:
            text = inspect.getsource(code).rstrip()
        except (OSError, TypeError):
            file, line = (own, line_of_call) if file.startswith("<") else (file, line)
    return {"file": file, "line": line, "text": text}


def find_call_place(snapshot: SourceSnapshot, text: str) -> tuple[int, int]:
    """1-based line and 0-based column, in bytes, at which a comment of a file offers a call.

    Zeros where none does: the call was typed elsewhere.
    """
    line = next((o.line for o in find_offered_calls(snapshot.text) if o.call == text), 0)
    if not line:
        return 0, 0
    before, _, _ = snapshot.text.split("\n")[line - 1].partition(text)
    return line, len(before.encode("utf-8", "replace"))


def place_of(function: Any, user_files: Collection[str] = ()) -> str:
    """Where a function is defined, such as `file.py:12`; empty where no file has it.

    Args:
        function: Any callable.
        user_files: Where there are some, a function of a library's has no place.
    """
    code = getattr(innermost_function(function), "__code__", None)
    if code is None or code.co_filename.startswith("<"):
        return ""
    if user_files and not is_user_frame(code.co_filename, user_files):
        return ""
    return format_place(code.co_filename, code.co_firstlineno)


def innermost_function(function: Any) -> Any:
    """The plain function inside partials, methods, wrappers and callable objects."""
    for _ in range(32):
        if all(hasattr(function, name) for name in OF_PARTIALS):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif hasattr(function, "__func__"):  # a method; libraries have classes of their own for it
            function = function.__func__
        elif hasattr(function, "__code__") or isinstance(function, type):
            return function
        elif type(function).__module__.partition(".")[0] in ("jax", "jaxlib", "numpy"):
            break  # how an object of theirs is called, such as a ufunc, says nothing of it
        elif callable(function):
            function = type(function).__call__
        else:
            break
    return function


_MOST_PARTS = 10_000


def is_wrapper_of_library(function: Any) -> bool:
    """Whether its code is JAX's own, or a library's that gives one wrapper other functions' names.

    Equinox's `filter_jit` does so: where the wrapper stands says nothing of the function.
    """
    inner = innermost_function(function)
    code = getattr(inner, "__code__", None)
    if code is None or not is_installed(code.co_filename):
        return False
    is_of_jax = code.co_filename.startswith(OF_JAX)
    return bool(is_of_jax or code.co_name != getattr(inner, "__name__", code.co_name))


def find_wrapped(function: Any, args: Any, kwargs: Any) -> Any:
    """The function of the user's that a library's wrapper is given, beside its arguments.

    Args:
        function: The function that is called; returned where it is no such wrapper, or where no
            argument is a function of its name.
        args: What it is called with.
        kwargs: By name.
    """
    if not is_wrapper_of_library(function):
        return function
    name, waiting = getattr(innermost_function(function), "__name__", ""), [args, kwargs]
    for _ in range(_MOST_PARTS):
        if not waiting:
            break
        part = waiting.pop()
        if isinstance(part, tuple | list):
            waiting += part
        elif isinstance(part, dict):
            waiting += part.values()
        elif callable(part) and _is_users(part, name):
            return part
    return function


def _is_users(function: Any, name: str) -> bool:
    """Whether a function of that name is no library's; an object may fail when it is asked."""
    try:
        code = getattr(innermost_function(function), "__code__", None)
        is_named = getattr(function, "__name__", None) == name
        return bool(is_named and code is not None and not is_installed(code.co_filename))
    except Exception:
        return False


def source_files(graphs: Iterable[Graph]) -> list[str]:
    """Files that the nodes of the graphs point into, most used first."""
    counts: dict[str, int] = {}
    for graph in graphs:
        numbers, uses = np.unique(graph.nodes.source.values[0::4], return_counts=True)
        for number, count in zip(numbers.tolist(), uses.tolist(), strict=True):
            name = graph.strings[number]
            counts[name] = counts.get(name, 0) + count
    return sorted(counts, key=lambda name: (-counts[name], name))


def send_files(
    channel: Channel, main: SourceSnapshot, others: Iterable[str], function: Any = None
) -> None:
    """Send the user's file and, of those that positions point into, the ones not installed.

    Args:
        channel: Where to.
        main: The user's file.
        others: Files that positions point into.
        function: The base function: its file is sent wherever it is, but for JAX's own.
    """
    _send(channel, main)
    installed = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
    code = getattr(innermost_function(function), "__code__", None)
    base = code.co_filename if code is not None else ""
    if base.startswith(OF_JAX):
        base = ""
    sent = {main.path}
    for path in (base, *others):
        if len(sent) >= MAX_FILES:
            break
        if path in sent or (path != base and path.startswith(installed)):
            continue
        if not is_uploaded(path) and not os.path.isfile(path):
            continue
        try:
            snapshot = read_source(path)
        except JaxscopeError:
            continue  # positions in it still name it; only its text cannot be shown
        sent.add(path)
        _send(channel, snapshot)


def _send(channel: Channel, snapshot: SourceSnapshot) -> None:
    data = np.frombuffer(snapshot.text.encode("utf-8", "surrogatepass"), np.uint8)
    channel.send("file", {"path": snapshot.path, "sha256": snapshot.sha256}, {"utf8": data})


_NO_SOURCE = SourceSnapshot(path="", text="", sha256="")


def find_live_source(function: Callable[..., Any]) -> SourceSnapshot:
    """The file of a function; notebooks keep the text of their cells where `linecache` looks."""
    path = describe_function(function, _NO_SOURCE)["file"]
    text = "".join(linecache.getlines(path)) if path else ""
    return SourceSnapshot(path or "<function>", text, hashlib.sha256(text.encode()).hexdigest())


def default_target() -> str:
    """The kind of device that JAX takes by itself in this process."""
    return str(jax.default_backend())
