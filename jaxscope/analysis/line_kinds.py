"""Why a line of a Python file has no equation, where the line itself tells that."""

from __future__ import annotations

import ast
import functools

_Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


def tell_idle_line(text: str, line: int) -> str:
    """A sentence on a line from which no equation can come; empty where one could.

    Args:
        text: Of the whole file.
        line: 1-based.
    """
    lines = text.split("\n")
    if not 0 < line <= len(lines):
        return ""
    own = lines[line - 1].strip()
    found = _lines_of(text)
    if line in found.texts:
        return "This line is part of a text, such as a docstring: it computes nothing."
    if not own:
        return "This line is empty."
    if own.startswith("#"):
        return "This line is a comment."
    if line in found.imports:
        return "This line imports a module: it computes nothing."
    if line in found.definitions:
        return (
            f"This line begins {found.definitions[line]}: what it computes is in the lines below."
        )
    if found.functions is not None and line not in found.functions:
        return (
            "This line is in no function: it ran when the file was imported, before tracing, and "
            "is no part of the traced program."
        )
    return ""


class _Lines:
    """Lines of a file by what they are, 1-based; `functions` is None where Python cannot tell."""

    def __init__(self) -> None:
        self.texts: set[int] = set()
        self.imports: set[int] = set()
        self.definitions: dict[int, str] = {}
        self.functions: set[int] | None = None


@functools.lru_cache(maxsize=8)
def _lines_of(text: str) -> _Lines:
    found = _Lines()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return found
    functions: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and _is_text(node.value):
            found.texts.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, ast.Import | ast.ImportFrom):
            found.imports.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, _Definition):
            kind = "a class" if isinstance(node, ast.ClassDef) else "a function"
            last = max(node.body[0].lineno - 1, node.lineno)
            if node.body[0].lineno > node.lineno:
                for number in _span(node.lineno, last):
                    found.definitions.setdefault(number, f"{kind}, {node.name}")
            if not isinstance(node, ast.ClassDef):
                functions.update(_span(node.lineno, node.end_lineno))
        elif isinstance(node, ast.Lambda):
            functions.update(_span(node.lineno, node.end_lineno))
    found.functions = functions
    return found


def _is_text(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _span(first: int, last: int | None) -> range:
    return range(first, (last or first) + 1)
