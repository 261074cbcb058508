"""What tracing changed outside the function.

JAX records operations on arrays and nothing else: an append to a global list or a change of an
attribute happens once, while tracing, and never when the compiled program runs. Watched are the
globals that the base function sees (rebinding, and the contents of lists, dictionaries, sets and of
objects of the file's own classes), the object that a method belongs to, and containers that are
defaults of arguments.
"""

from __future__ import annotations

import ast
import contextlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from types import FunctionType
from typing import Any

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker import compat
from jaxscope.worker.host.function_source import innermost_function
from jaxscope.worker.host.source import SourceSnapshot

MAX_ELEMENTS = 10_000
"""Larger containers are not watched: comparing them would take longer than tracing."""

_MUTATORS = frozenset(
    {"append", "appendleft", "add", "clear", "discard", "extend", "extendleft", "insert", "pop"}
    | {"popitem", "popleft", "remove", "reverse", "setdefault", "sort", "update", "write"}
)
_CONSTRUCTORS = ("__init__", "__post_init__")


class PurityWatch:
    """The state around a function before it is traced, to compare with the state after."""

    def __init__(self, base: Any, source: SourceSnapshot) -> None:
        function = innermost_function(base)
        self._globals: Mapping[str, Any] = getattr(function, "__globals__", {})
        self._module = str(self._globals.get("__name__", ""))
        self._owner = _owner_of(base)
        self._source = source
        self._first_line = getattr(getattr(function, "__code__", None), "co_firstlineno", 0)
        self._cells = _cells_of(function)
        self._names = {**dict(self._watched_globals()), **_filled(self._cells)}
        self._defaults = dict(self._watched_defaults(function))
        self._before = {key: _contents(value) for key, value in self._defaults.items()}
        self._contents = {name: _contents(value) for name, value in self._names.items()}
        self._attributes = _attributes(self._owner)
        self._inside = {name: _contents(value) for name, value in self._attributes.items()}

    def find_changes(self) -> list[StateChange]:
        """State outside of the function that changed since the watch began."""
        places = _MutationFinder(self._source.text, self._first_line)
        findings = []
        for name, before in self._names.items():
            cell = self._cells.get(name)
            now = self._globals.get(name) if cell is None else _filled({name: cell}).get(name)
            change: str | None = say("was assigned anew")
            if now is before and now is self._owner:
                continue  # its attributes are told
            if now is before:
                change = _describe_change(self._contents[name], _contents(now))
            if change is not None:
                findings.append(_impure_name(name, change, places, is_global=cell is None))
        for (function, name), default in self._defaults.items():
            change = _describe_change(self._before[function, name], _contents(default))
            if change is not None:
                findings.append(_impure_default(function, name, change, places))
        after = _attributes(self._owner)
        for name in sorted({*self._attributes, *after}):
            if after.get(name) is not self._attributes.get(name):
                findings.append(_impure_attribute(self._owner, name, say("was assigned"), places))
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

    def _watched_defaults(self, base: Any) -> Iterator[tuple[tuple[str, str], Any]]:
        """Containers that are defaults of arguments: of the function, and of those of its file."""
        for function in (base, *self._globals.values()):
            if isinstance(function, FunctionType) and function.__module__ == self._module:
                for name, default in _defaults_of(function):
                    if isinstance(default, list | dict | set | deque):
                        yield (function.__name__, name), default


def _defaults_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    defaults = function.__defaults__ or ()
    yield from zip(names[len(names) - len(defaults) :], defaults, strict=True)
    yield from (function.__kwdefaults__ or {}).items()


def _owner_of(base: Any) -> Any:
    """The object whose method the base is; None for a plain function."""
    owner = getattr(base, "__self__", None)
    if owner is None and not hasattr(base, "__code__") and not hasattr(base, "__wrapped__"):
        owner = base
    return None if isinstance(owner, type) or owner is None else owner


def _cells_of(function: Any) -> dict[str, Any]:
    """The variables of enclosing functions that a function reads, by name."""
    free = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return dict(zip(free, getattr(function, "__closure__", None) or (), strict=False))


def _filled(cells: Mapping[str, Any]) -> dict[str, Any]:
    """What such variables are, those left out that nothing was assigned to yet."""
    found = {}
    for name, cell in cells.items():
        with contextlib.suppress(ValueError):
            found[name] = cell.cell_contents
    return {
        name: value
        for name, value in found.items()
        if isinstance(value, list | dict | set | deque | int | float | str | tuple)
    }


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


@dataclass(frozen=True, slots=True)
class StateChange:
    """Something outside of a function that is not what it was before the function ran.

    Attributes:
        name: Of the variable or attribute, such as `steps`.
        what: It, and how it changed, such as "global `steps` was changed".
        check: The finding, where a trace changed it.
    """

    name: str
    what: str
    check: Check


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
    if holds_tracer:
        return say("was changed (it now holds a tracer, which nothing may use later)")
    return say("was changed")


def _impure_name(
    name: str, change: str, places: _MutationFinder, *, is_global: bool
) -> StateChange:
    if is_global:
        what = say("global `{name}` {change}", name=name, change=change)
    else:
        what = say("variable of an enclosing function `{name}` {change}", name=name, change=change)
    check = Check(
        rule="impure-global" if is_global else "impure-closure",
        severity=Severity.WARNING,
        message=say(_TRACED_FUNCTION, what=what),
        remedy=say("Take what the function needs as an argument and return what it makes."),
        lesson="samples/pure_and_impure.py",
        line=places.find_name(name),
    )
    return StateChange(name, what, check)


def _impure_default(function: str, name: str, change: str, places: _MutationFinder) -> StateChange:
    what = say(
        "default of argument `{name}` of {function}, one object for all calls, {change}",
        name=name,
        function=function,
        change=change,
    )
    check = Check(
        rule="impure-default",
        severity=Severity.WARNING,
        message=say(_TRACED_FUNCTION, what=what),
        remedy=say(
            "Make it in the call: `def {function}(…, {name}=None)` and `{name} = … if {name} is "
            "None else {name}`; or return what the function makes.",
            function=function,
            name=name,
        ),
        lesson="samples/pure_and_impure.py",
        line=places.find_argument(function, name),
    )
    return StateChange(name, what, check)


def _impure_attribute(owner: Any, name: str, change: str, places: _MutationFinder) -> StateChange:
    what = say(
        "attribute `{name}` of {owner} {change}",
        name=name,
        owner=type(owner).__name__,
        change=change,
    )
    check = Check(
        rule="impure-attribute",
        severity=Severity.WARNING,
        message=say(_TRACED_METHOD, what=what),
        remedy=say("Take the state as an argument and return the next state."),
        lesson="samples/counter.py",
        line=places.find_attribute(name),
    )
    return StateChange(name, what, check)


_TRACED_FUNCTION = (
    "The {what} while JAX traced the function. This happens once, at tracing, and never when the "
    "compiled program runs."
)
_TRACED_METHOD = (
    "The {what} while JAX traced the method. This happens once, at tracing, and never when the "
    "compiled program runs."
)


class _MutationFinder:
    """Finds the line that changes a name, first in the function traced, then in the file."""

    def __init__(self, text: str, first_line: int) -> None:
        self._text = text
        self._first_line = first_line

    def find_name(self, name: str) -> int:
        """Line of the first statement that changes or rebinds a variable from outside, or 0."""
        return self._find(
            lambda node: isinstance(node, ast.Name) and node.id == name,
            lambda function: name not in _local_names(function),
        )

    def find_argument(self, function: str, name: str) -> int:
        """Line of the first statement of a function that changes an argument, or 0."""
        return self._find(
            lambda node: isinstance(node, ast.Name) and node.id == name,
            lambda each: each.name == function,
        )

    def find_attribute(self, name: str) -> int:
        """Line of the first statement that sets or changes an attribute, or 0."""
        return self._find(
            lambda node: isinstance(node, ast.Attribute) and node.attr == name,
            lambda function: function.name not in _CONSTRUCTORS,  # the object was there before
        )

    def _find(self, is_target: Any, may_change: Callable[[ast.FunctionDef], bool]) -> int:
        try:
            tree = ast.parse(self._text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return 0
        functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
        functions.sort(key=lambda node: (_first_line(node) != self._first_line, node.lineno))
        for function in filter(may_change, functions):
            for node in _own_nodes(function):
                if _changes(node, is_target):
                    return int(node.lineno)  # type: ignore[attr-defined] # statements have lines
        return 0


def _first_line(function: ast.FunctionDef) -> int:
    """As its code object has it: that of the first decorator."""
    return min([function.lineno, *(each.lineno for each in function.decorator_list)])


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """The nodes of its body, without functions that are defined in it."""
    waiting: deque[ast.AST] = deque(function.body)
    while waiting:
        node = waiting.popleft()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting.extend(ast.iter_child_nodes(node))


def _local_names(function: ast.FunctionDef) -> set[str]:
    """Arguments, and what it assigns and does not declare to be from outside."""
    found = {each.arg for each in ast.walk(function.args) if isinstance(each, ast.arg)}
    outside: set[str] = set()
    for node in _own_nodes(function):
        if isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(node.names)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found - outside


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
