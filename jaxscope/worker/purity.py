"""Notice what tracing changed outside the function.

JAX records operations on arrays and nothing else: an append to a global list or a change of an
attribute happens once, while tracing, and never when the compiled program runs. Watched are the
globals that the base function sees (rebinding, and the contents of lists, dictionaries, sets and
of objects of the file's own classes) and the object that a method belongs to.
"""

from __future__ import annotations

import ast
import dataclasses
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

from jaxscope.worker import compat
from jaxscope.worker.source import SourceSnapshot
from jaxscope.worker.user_source import innermost_function

MAX_ELEMENTS = 10_000
"""Larger containers are not watched: comparing them would take longer than tracing."""

_MUTATORS = frozenset(
    {"append", "appendleft", "add", "clear", "discard", "extend", "extendleft", "insert", "pop"}
    | {"popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update", "write"}
)


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """A `check` message: `rule` is `impure-global`, `impure-attribute` or `captured-constant`.

    Attributes:
        line: 0 where it is not known.
        file: Of the line; empty for the file that was run.
    """

    rule: str
    severity: str
    message: str
    remedy: str
    line: int = 0
    file: str = ""


class PurityWatch:
    """The state around a function before it is traced, to compare with the state after."""

    def __init__(self, base: Any, source: SourceSnapshot) -> None:
        function = innermost_function(base)
        self._globals: Mapping[str, Any] = getattr(function, "__globals__", {})
        self._module = str(self._globals.get("__name__", ""))
        self._owner = _owner_of(base)
        self._source = source
        self._first_line = getattr(getattr(function, "__code__", None), "co_firstlineno", 0)
        self._names = dict(self._watched_globals())
        self._contents = {name: _contents(value) for name, value in self._names.items()}
        self._attributes = _attributes(self._owner)
        self._inside = {name: _contents(value) for name, value in self._attributes.items()}

    def find_changes(self) -> list[Finding]:
        """What is different now."""
        places = _Places(self._source.text, self._first_line)
        findings = []
        for name, before in self._names.items():
            now = self._globals.get(name)
            if now is not before:
                findings.append(_impure_global(name, "was assigned anew", places))
            elif (change := _describe_change(self._contents[name], _contents(now))) is not None:
                findings.append(_impure_global(name, change, places))
        after = _attributes(self._owner)
        for name in sorted({*self._attributes, *after}):
            if after.get(name) is not self._attributes.get(name):
                findings.append(_impure_attribute(self._owner, name, "was assigned", places))
            elif (
                change := _describe_change(self._inside.get(name), _contents(after.get(name)))
            ) is not None:
                findings.append(_impure_attribute(self._owner, name, change, places))
        return findings

    def _watched_globals(self) -> Iterator[tuple[str, Any]]:
        for name, value in self._globals.items():
            is_own = type(value).__module__ == self._module and not isinstance(value, type)
            if not name.startswith("__") and (
                is_own or isinstance(value, list | dict | set | deque | int | float | str | tuple)
            ):
                yield name, value


def _owner_of(base: Any) -> Any:
    """The object whose method the base is; None for a plain function."""
    owner = getattr(base, "__self__", None)
    if owner is None and not hasattr(base, "__code__") and not hasattr(base, "__wrapped__"):
        owner = base
    return None if isinstance(owner, type) or owner is None else owner


def _attributes(owner: Any) -> dict[str, Any]:
    try:
        return dict(vars(owner))
    except TypeError:
        return {}


def _contents(value: Any) -> list[Any] | None:
    """The elements of a container, keys before values, or an object's attributes."""
    if isinstance(value, list | set | deque) and len(value) <= MAX_ELEMENTS:
        return list(value)
    if isinstance(value, dict) and len(value) <= MAX_ELEMENTS:
        return [*value.keys(), *value.values()]
    if hasattr(value, "__dict__") and not callable(value):
        attributes = _attributes(value)
        return [*attributes.keys(), *attributes.values()]
    return None


def _describe_change(before: list[Any] | None, after: list[Any] | None) -> str | None:
    if before is None or after is None:
        return None
    if len(before) == len(after) and all(
        old is new for old, new in zip(before, after, strict=True)
    ):
        return None
    known = {id(element) for element in before}
    holds_tracer = any(
        isinstance(element, compat.Tracer) for element in after if id(element) not in known
    )
    return (
        "was changed (it now holds a tracer, which nothing may use later)"
        if holds_tracer
        else ("was changed")
    )


def _impure_global(name: str, change: str, places: _Places) -> Finding:
    return Finding(
        rule="impure-global",
        severity="warning",
        message=f"The global `{name}` {change} while JAX traced the function. This happens once, "
        "at tracing, and never when the compiled program runs.",
        remedy="Take what the function needs as an argument and return what it makes.",
        line=places.find_name(name),
    )


def _impure_attribute(owner: Any, name: str, change: str, places: _Places) -> Finding:
    return Finding(
        rule="impure-attribute",
        severity="warning",
        message=f"The attribute `{name}` of {type(owner).__name__} {change} while JAX traced the "
        "method. This happens once, at tracing, and never when the compiled program runs.",
        remedy="Take the state as an argument and return the next state.",
        line=places.find_attribute(name),
    )


class _Places:
    """Finds the line that changes a name, first in the function traced, then in the file."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line

    def find_name(self, name: str) -> int:
        """Line of the first statement that changes or rebinds a global, or 0."""
        return self._find(lambda node: isinstance(node, ast.Name) and node.id == name)

    def find_attribute(self, name: str) -> int:
        """Line of the first statement that sets or changes an attribute, or 0."""
        return self._find(lambda node: isinstance(node, ast.Attribute) and node.attr == name)

    def _find(self, is_target: Any) -> int:
        try:
            tree = ast.parse(self._text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 0
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        functions.sort(key=lambda node: (node.lineno != self._first_line, node.lineno))
        for function in functions:
            for node in ast.walk(function):
                if _changes(node, is_target):
                    return int(node.lineno)  # type: ignore[attr-defined] # statements have lines
        return 0


def _changes(node: ast.AST, is_target: Any) -> bool:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.attr in _MUTATORS and is_target(node.func.value)
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign | ast.Delete):
        targets = node.targets
    elif isinstance(node, ast.AugAssign | ast.AnnAssign):
        targets = [node.target]
    return any(
        is_target(target)
        or (isinstance(target, ast.Subscript | ast.Attribute) and is_target(target.value))
        for target in targets
    )
