"""Where the base function is defined, and snapshots of the files that positions point into."""

from __future__ import annotations

import functools
import inspect
import os
import sysconfig
from collections.abc import Iterable
from typing import Any

import numpy as np

from jaxscope.errors import JaxscopeError
from jaxscope.model.graph import Graph
from jaxscope.worker.call import CALL_FILE
from jaxscope.worker.carried import is_carried
from jaxscope.worker.channel import Channel
from jaxscope.worker.source import SourceSnapshot, read_source

MAX_FILES = 20


def describe_function(function: Any, snapshot: SourceSnapshot, typed: str = "") -> dict[str, Any]:
    """File, 1-based line and text of a function's definition; empty where Python knows none.

    Args:
        function: May be wrapped.
        snapshot: The user's file.
        typed: How the call spells the function: its text where it is defined there.
    """
    code = getattr(innermost_function(function), "__code__", None)
    if code is None:
        return {"file": "", "line": 0, "text": ""}
    file, line = code.co_filename, code.co_firstlineno
    if file == CALL_FILE:
        return {"file": "", "line": 0, "text": typed}
    text = ""
    if file == snapshot.path:
        lines = snapshot.text.splitlines(keepends=True)
        text = "".join(inspect.getblock(lines[line - 1 :])).rstrip() if line <= len(lines) else ""
    else:
        try:
            text = inspect.getsource(code).rstrip()
        except (OSError, TypeError):
            file, line = ("", 0) if file.startswith("<") else (file, line)
    return {"file": file, "line": line, "text": text}


def place_of(function: Any) -> str:
    """Where a function is defined, such as `file.py:12`; empty where no file has it."""
    code = getattr(innermost_function(function), "__code__", None)
    if code is None or code.co_filename.startswith("<"):
        return ""
    return f"{os.path.basename(code.co_filename)}:{code.co_firstlineno}"


def innermost_function(function: Any) -> Any:
    """The plain function inside partials, methods, wrappers and callable objects."""
    for _ in range(32):
        if isinstance(function, functools.partial):
            function = function.func
        elif hasattr(function, "__wrapped__"):
            function = function.__wrapped__
        elif inspect.ismethod(function):
            function = function.__func__
        elif hasattr(function, "__code__") or isinstance(function, type):
            return function
        elif callable(function):
            function = type(function).__call__
        else:
            break
    return function


def source_files(graphs: Iterable[Graph]) -> list[str]:
    """Files that the nodes of the graphs point into, most used first."""
    counts: dict[str, int] = {}
    for graph in graphs:
        numbers, uses = np.unique(graph.nodes.source.values[0::4], return_counts=True)
        for number, count in zip(numbers.tolist(), uses.tolist(), strict=True):
            name = graph.strings[number]
            counts[name] = counts.get(name, 0) + count
    return sorted(counts, key=lambda name: (-counts[name], name))


def send_files(channel: Channel, main: SourceSnapshot, others: Iterable[str]) -> None:
    """Send the user's file and, of those that positions point into, the ones not installed."""
    _send(channel, main)
    installed = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
    sent = {main.path}
    for path in others:
        if len(sent) >= MAX_FILES:
            break
        if path in sent or path.startswith(installed):
            continue
        if not is_carried(path) and not os.path.isfile(path):
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
