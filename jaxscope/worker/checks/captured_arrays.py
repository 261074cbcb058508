"""Arrays that a trace holds as constants, where that costs something or is a mistake.

Told are large ones, of which the program has a copy and XLA's constant folding may work on, and
those that the file changes where a compiled function goes on with the old value: a global that a
function assigns anew, or a variable that is changed between two calls of the jitted function.
A table that never changes is as good as a constant; and an array that is no variable of the
function or attribute of its object is mostly a table that a function below it has made, often one
of a library.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import EITHER, Said, join_first, say, say_joined
from jaxscope.worker import compat
from jaxscope.worker.checks.new_functions import names_of_jit, nodes_in_same_call
from jaxscope.worker.checks.subject import CheckedCall, parse_file
from jaxscope.worker.host.function_source import innermost_function
from jaxscope.worker.host.values import aval_bytes, aval_text
from jaxscope.worker.provenance.tagging import nested_jaxprs

LARGE_CONSTANT_BYTES = 1 << 20
_MOST_TOLD = 20
_MOST_READERS = 3


@dataclass(frozen=True, eq=False)
class _Constant:
    """A constant of a jaxpr or of one inside, with the ids and equations that read it."""

    value: Any
    readers: list[tuple[str, Any]]


def find_captured(subject: CheckedCall) -> Iterator[Check]:
    """Large constants, and those that the file changes although what is compiled keeps them."""
    constants: dict[int, _Constant] = {}
    _collect(subject.program.base.jaxpr, "", constants)
    function = innermost_function(subject.call.base)
    cells = getattr(function, "__closure__", None) or ()
    free = getattr(getattr(function, "__code__", None), "co_freevars", ())
    names = [*_array_contents(zip(free, cells, strict=False)), *_globals_of(function).items()]
    attributes = getattr(getattr(subject.call.base, "__self__", None), "__dict__", {})
    names += [(f"self.{name}", value) for name, value in attributes.items()]
    count = 0
    for constant in constants.values():
        found = _names_of(constant.value, names)
        is_large = aval_bytes(constant.value) >= LARGE_CONSTANT_BYTES
        changes = (_line_of_change(subject, function, name) for name in found)
        changed = 0 if is_large else next(filter(None, changes), 0)
        if found and (is_large or changed) and count < _MOST_TOLD:
            count += 1
            yield _describe(found, constant, changed)


def _collect(jaxpr: Any, prefix: str, constants: dict[int, _Constant]) -> None:
    inner = compat.open_jaxpr(jaxpr)
    own: dict[Any, _Constant] = {}
    for variable, value in zip(inner.constvars, compat.consts_of(jaxpr), strict=False):
        if hasattr(value, "shape"):
            own[variable] = constants.setdefault(id(value), _Constant(value, []))
    for number, equation in enumerate(inner.eqns):
        id_ = f"{prefix}{number}"
        read = {atom for atom in equation.invars if not compat.is_literal(atom) and atom in own}
        for variable in read:
            own[variable].readers.append((id_, equation))
        for name, called in nested_jaxprs(equation.params):
            _collect(called, f"{id_}/{name}/", constants)


def _array_contents(cells: Any) -> Iterator[tuple[str, Any]]:
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def _globals_of(function: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(function, "__globals__", {})
    return found


def _names_of(constant: Any, names: Sequence[tuple[str, Any]]) -> list[str]:
    """Those of one; nothing where it has none. JAX holds arrays of its own, copies of NumPy's."""
    for name, value in names:
        if value is constant:
            return [name]
    return list(dict.fromkeys(name for name, value in names if _is_copied(value, constant)))


def _is_copied(value: Any, constant: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.shape == constant.shape
        and jax.dtypes.canonicalize_dtype(value.dtype) == constant.dtype
        and np.array_equal(value.astype(constant.dtype), np.asarray(constant), equal_nan=True)
    )


def _line_of_change(subject: CheckedCall, function: Any, name: str) -> int:
    """Where its file changes a captured array that a jitted function goes on to use; or 0."""
    code = getattr(function, "__code__", None)
    tree = parse_file(code.co_filename) if code is not None else None
    if code is None or tree is None:
        return 0
    readers = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and getattr(node, "name", "<lambda>") == code.co_name
        and min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        == code.co_firstlineno
    ]
    aliases = _jitted_names(tree, code.co_name)
    if len(readers) != 1 or not (aliases or "jit" in subject.call.transforms):
        return 0
    aliases.add(code.co_name)
    if name not in code.co_freevars and _is_array_at_first(tree, name):
        for setter in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            lines = [] if setter is readers[0] else _lines_that_set(setter, name)
            if lines:
                return min(lines)
    scope = _scope_of(tree, readers[0]) if name in code.co_freevars else tree.body
    return _changed_between_calls(scope, name, aliases, readers[0].end_lineno or 0)


def _jitted_names(tree: ast.Module, function: str) -> set[str]:
    """What a function is called once it is jitted, by a decorator or by `jit(f)`."""
    spelled = names_of_jit(tree)
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function:
            of = (n for each in node.decorator_list for n in ast.walk(each))
            if any(isinstance(n, ast.expr) and ast.unparse(n) in spelled for n in of):
                found.add(function)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            is_jit = ast.unparse(node.value.func) in spelled
            if is_jit and any(
                isinstance(n, ast.Name) and n.id == function for n in node.value.args
            ):
                found |= {n.id for n in node.targets if isinstance(n, ast.Name)}
    return found


def _lines_that_set(function: ast.FunctionDef, name: str) -> list[int]:
    """Where a function assigns a global, or elements of it."""
    body = list(nodes_in_same_call(function.body))
    stores = [node for node in body if _stores(node, name)]
    is_global = any(isinstance(n, ast.Global) and name in n.names for n in body)
    names = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
    is_own = any(isinstance(n.ctx, ast.Store) for n in names) or any(
        each.arg == name for each in ast.walk(function.args) if isinstance(each, ast.arg)
    )
    return [_line(node) for node in stores] if is_global or not is_own else []


def _stores(node: ast.AST, name: str) -> bool:
    """Whether a statement assigns a name, or elements of it."""
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.AugAssign):
        targets = [node.target]
    while targets:
        target = targets.pop()
        if isinstance(target, ast.Tuple | ast.List):
            targets += target.elts
        inner = target.value if isinstance(target, ast.Subscript) else target
        if isinstance(inner, ast.Name) and inner.id == name:
            return True
    return False


def _is_array_at_first(tree: ast.Module, name: str) -> bool:
    """Whether the file itself gives a global a value: else a function only sets it up."""
    return any(
        isinstance(node, ast.Assign) and _stores(node, name) and not _is_none(node.value)
        for node in tree.body
    )


def _is_none(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _scope_of(tree: ast.Module, reader: ast.AST) -> list[ast.stmt]:
    """The statements of the function that a function is defined in."""
    around = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and node is not reader
        and any(each is reader for each in ast.walk(node))
    ]
    return max(around, key=_line).body if around else []


def _line(node: ast.AST) -> int:
    return int(getattr(node, "lineno", 0))


def _changed_between_calls(
    scope: Sequence[ast.stmt], name: str, readers: set[str], end: int
) -> int:
    """The line that changes a name after one call of a function and before another; or 0."""
    nodes = list(nodes_in_same_call(scope))
    calls = [
        node.lineno
        for node in nodes
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in readers
        and node.lineno > end
    ]
    changes = [n.lineno for n in nodes if isinstance(n, ast.stmt) and _stores(n, name)]
    for line in (each for each in changes if each > end):
        if any(call <= line for call in calls) and any(call > line for call in calls):
            return line
        for loop in (n for n in nodes if isinstance(n, ast.For | ast.While)):
            inside = range(loop.lineno, (loop.end_lineno or 0) + 1)
            if line in inside and any(call in inside for call in calls):
                return line
    return 0


def _describe(names: Sequence[str], constant: _Constant, changed: int) -> Check:
    size = aval_bytes(constant.value)
    id, first = constant.readers[0] if constant.readers else ("", None)
    file, line = (first is not None and compat.user_place(first)) or ("", 0)
    type = aval_text(jax.typeof(constant.value))
    why = (
        say(
            "line {line} changes it, and what was compiled before keeps the old value", line=changed
        )
        if changed
        else say("the program has a copy of it, and a later change of it changes nothing")
    )
    return Check(
        rule="captured-constant",
        severity=Severity.WARNING,
        message=say(
            "The array {name} ({type}, {size:,} bytes) was captured: it is a constant of the "
            "program; {why}. {readers}",
            name=say_joined((f"`{name}`" for name in names), EITHER),
            why=why,
            type=type,
            size=size,
            readers=_tell_readers(constant.readers),
        ),
        remedy=say("Pass it as an argument, so that a new value needs no new trace."),
        lesson="samples/pure_and_impure.py",
        equation=id,
        line=line,
        file=file,
    )


def _tell_readers(readers: Sequence[tuple[str, Any]]) -> Said:
    if not readers:
        return say("No equation reads it.")
    told = []
    for id_, equation in readers:
        place = compat.user_place(equation)
        where = f", {os.path.basename(place[0])}:{place[1]}" if place else ""
        told.append(f"{id_} ({equation.primitive.name}{where})")
    return say("Read by {readers}.", readers=join_first(told, _MOST_READERS))
