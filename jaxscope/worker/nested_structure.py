"""What the parameters of equations say about nested jaxprs: owners, uses, labels, operands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from jaxscope.worker import compat
from jaxscope.worker.tagging import nested_jaxprs

_UNMAPPED = frozenset(
    {"reduce", "reduce_window", "sort", "select_and_scatter", "select_and_gather"}
)
"""Primitives whose nested jaxpr combines elements and does not receive the operands as such."""


NestedOf = Callable[[Any], list[tuple[str, Any]]]
"""The nested jaxprs of an equation: path and jaxpr, open or closed."""


def remember_nested() -> NestedOf:
    """A function that finds an equation's nested jaxprs, and searches each equation once only.

    The equations must live as long as the function: they are known by their identity.
    """
    known: dict[int, list[tuple[str, Any]]] = {}

    def nested_of(equation: Any) -> list[tuple[str, Any]]:
        found = known.get(id(equation))
        if found is None:
            found = known[id(equation)] = nested_jaxprs(equation.params)
        return found

    return nested_of


class Owner(NamedTuple):
    """An equation with a nested jaxpr.

    Attributes:
        path: The equation's id.
        equation: The equation.
        around: The open jaxpr that has it.
    """

    path: str
    equation: Any
    around: Any


def find_owners(root: Any, nested_of: NestedOf) -> dict[int, list[Owner]]:
    """All owners of each nested jaxpr, by the open jaxpr's identity."""
    owners: dict[int, list[Owner]] = {}

    def visit(inner: Any, prefix: str) -> None:
        for number, equation in enumerate(inner.eqns):
            for name, jaxpr in nested_of(equation):
                nested = compat.open_jaxpr(jaxpr)
                is_new = id(nested) not in owners
                owner = Owner(f"{prefix}{number}", equation, inner)
                owners.setdefault(id(nested), []).append(owner)
                if is_new:
                    visit(nested, f"{prefix}{number}/{name}/")

    visit(root, "")
    return owners


def find_used(root: Any, nested_of: NestedOf) -> set[int]:
    """Identities of all variables that an equation or a result uses."""
    used: set[int] = set()
    done: set[int] = set()
    waiting = [root]
    while waiting:
        inner = waiting.pop()
        if id(inner) in done:
            continue
        done.add(id(inner))
        used.update(id(atom) for atom in inner.outvars)
        for equation in inner.eqns:
            used.update(id(atom) for atom in equation.invars)
            waiting += (compat.open_jaxpr(j) for _, j in nested_of(equation))
    return used


_NAMELESS = "<lambda>"


def variable_name(number: int) -> str:
    """JAX's names: a, b, …, z, ba, bb, …"""
    letters = ""
    while True:
        number, digit = divmod(number, 26)
        letters = chr(ord("a") + digit) + letters
        if number == 0:
            return letters


def is_worth_showing(name: str, value: Any) -> bool:
    """Whether a parameter says something; empty defaults and nested jaxprs do not."""
    if value is None or compat.is_jaxpr(value) or name.endswith("_thunk"):
        return False
    if isinstance(value, tuple):
        if all(item is None for item in value):
            return False
        if name == "donated_invars" and not any(value):
            return False
        if any(compat.is_jaxpr(item) for item in value):
            return False
    if name in {"ctx_mesh", "keep_unused", "inline", "compiler_options_kvs", "debug_info"}:
        return bool(value) and bool(getattr(value, "shape_tuple", value))
    return not type(value).__name__.startswith("Unspecified") and not (
        isinstance(value, tuple) and all("Unspecified" in type(item).__name__ for item in value)
    )


def nested_label(equation: Any, parameter: str) -> str:
    """What to call the inside of an equation."""
    name = str(equation.params.get("name") or "")
    primitive = equation.primitive.name
    if primitive == "scan":
        return f"{name or 'scan'} ×{equation.params.get('length')}"
    if primitive == "while":
        return "condition" if parameter.startswith("cond") else "body"
    function, place = _traced_function(equation, parameter)
    if primitive == "cond":
        number = parameter.rpartition(".")[2]
        is_named = function not in ("", _NAMELESS)
        return f"branch {number}: {function}" if is_named else f"branch {number}"
    if name == _NAMELESS:
        return f"lambda at {place}" if place else "lambda"
    return name or primitive


def _traced_function(equation: Any, parameter: str) -> tuple[str, str]:
    """Name and place, such as `model.py:12`, of the function that a nested jaxpr was traced from;
    empty where JAX does not know them.
    """
    key, _, number = parameter.partition(".")
    value = equation.params.get(key)
    if number.isdecimal() and isinstance(value, tuple):
        value = value[int(number)]
    info = getattr(compat.open_jaxpr(value), "debug_info", None) if value is not None else None
    function, _, place = str(getattr(info, "func_src_info", "") or "").rpartition(" at ")
    return function.rpartition(".")[2], place.rpartition("/")[2]


def owner_operands(equation: Any, parameter: str, inner: Any) -> Sequence[int] | None:
    """Which operand of the equation each input of its nested jaxpr receives, if that is known."""
    primitive = equation.primitive.name
    num_inputs, num_operands = len(inner.invars), len(equation.invars)
    if primitive == "while":
        cond_consts = int(equation.params["cond_nconsts"])
        body_consts = int(equation.params["body_nconsts"])
        carried = range(cond_consts + body_consts, num_operands)
        if parameter.startswith("cond"):
            return [*range(cond_consts), *carried]
        return [*range(cond_consts, cond_consts + body_consts), *carried]
    if primitive == "cond":
        return range(1, num_operands) if num_inputs == num_operands - 1 else None
    if primitive in _UNMAPPED or primitive.startswith("scatter") or num_inputs != num_operands:
        return None
    return range(num_operands)
