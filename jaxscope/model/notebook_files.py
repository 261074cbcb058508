"""A Jupyter notebook as the Python module that its code cells make."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Sequence
from typing import Any

from jaxscope.model.said import say

_OTHER_CELLS = frozenset(
    {
        *("bash", "cmd", "perl", "pypy", "python", "python2", "python3", "R", "ruby", "script"),
        *("cython", "file", "html", "HTML", "javascript", "js", "latex", "markdown", "sh", "sql"),
        *("svg", "SVG", "system", "sx", "writefile"),
    }
)
"""Magics before a whole cell that make something else of it than code of this module."""
_FUTURE = re.compile(r"from __future__ import ([\w, ]+?)\s*(?:#.*)?", re.ASCII)
_CELL_MAGIC = re.compile(r"\s*%%(\w+)")
_TIMED = re.compile(r"(\s*)%(?:time|timeit|prun)\s+(?:-\w+\s*(?:\d+\s+)?)*(.*)")
_ASSIGNED = re.compile(r"(\s*)([A-Za-z_][\w, ]*=)\s*[%!].*")
_COMMAND = re.compile(r"(\s*)(?:[%!?].*|[\w.]+\?{1,2}\s*)$")


def notebook_to_python(data: bytes) -> str:
    """The code of all cells, one after the other, each behind a comment with its number.

    What only IPython understands, such as `%matplotlib inline` and `!pip install`, becomes a
    comment; a statement that a magic times is run once. An import from `__future__`, which Python
    takes at the beginning only, stands before the first comment.

    Raises:
        ValueError: It is no notebook with Python code.
    """
    try:
        notebook = json.loads(data)
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        texts = ["".join(cell["source"]) for cell in cells]
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ValueError(say("It is not written as Jupyter writes notebooks since 2015.")) from None
    language = _find_language(notebook)
    if language != "python":
        raise ValueError(say("Its language is {language}.", language=language))
    parts = [
        f"# Cell {number}\n{_to_python(text)}\n"
        for number, text in enumerate(texts, start=1)
        if text.strip()
    ]
    return _with_future_first("\n".join(parts))


def _with_future_first(text: str) -> str:
    if "__future__" not in text:
        return text
    lines, names = text.split("\n"), []
    for number, line in enumerate(lines):
        if found := _FUTURE.fullmatch(line):
            names.append(found[1])
            lines[number] = f"# {line}"
    if names:
        lines[0] = f"from __future__ import {', '.join(names)}  {lines[0]}"
    return "\n".join(lines)


def _find_language(notebook: Any) -> str:
    known = notebook.get("metadata") or {}
    name = (known.get("language_info") or {}).get("name")
    return str(name or (known.get("kernelspec") or {}).get("language") or "python").lower()


def _to_python(text: str) -> str:
    text = text.replace("\r\n", "\n").rstrip()
    if _is_python(text):
        return text
    lines = text.split("\n")
    first = next(number for number, line in enumerate(lines) if line.strip())
    magic = _CELL_MAGIC.match(lines[first])
    if magic:
        if magic[1] in _OTHER_CELLS:
            return _all_comments(lines)
        lines[first] = f"# {lines[first]}"
    is_command = False
    for number, line in enumerate(lines):
        before = lines[number - 1] if number else ""
        if is_command and before.endswith("\\"):
            lines[number] = f"# {line}"
            continue
        changed = _line_to_python(line)
        is_command = changed != line
        lines[number] = changed
    changed = "\n".join(lines)
    return _all_comments(text.split("\n")) if magic and not _is_python(changed) else changed


def _all_comments(lines: Sequence[str]) -> str:
    return "\n".join(f"# {line}" for line in lines)


def _line_to_python(line: str) -> str:
    timed = _TIMED.match(line)
    if timed and _is_python(timed[2]):
        return f"{timed[1]}{timed[2]}"
    if assigned := _ASSIGNED.match(line):
        return f"{assigned[1]}{assigned[2]} None  # {line.strip()}"
    if command := _COMMAND.match(line):
        return f"{command[1]}pass  # {line.strip()}"
    return line


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
