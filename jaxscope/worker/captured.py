"""The arrays that a trace holds as constants: their names, and the equations that read them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxscope.worker import compat
from jaxscope.worker.purity import Finding
from jaxscope.worker.tagging import nested_jaxprs
from jaxscope.worker.user_source import innermost_function
from jaxscope.worker.values import aval_bytes, aval_text

LARGE_CONSTANT_BYTES = 1 << 20
_MOST_TOLD = 20
_MOST_READERS = 3


@dataclasses.dataclass(frozen=True, eq=False)
class _Constant:
    """A constant of a jaxpr or of one inside, with the ids and equations that read it."""

    value: Any
    readers: list[tuple[str, Any]]


def find_captured(jaxpr: Any, base: Any) -> list[Finding]:
    """The arrays that a trace holds as constants: those with a name, and large ones.

    Args:
        jaxpr: The closed jaxpr of the base function.
        base: The function, whose globals and closure have the names.
    """
    constants: dict[int, _Constant] = {}
    _collect(jaxpr, "", constants)
    names = _names_of(base)
    findings: list[Finding] = []
    for constant in constants.values():
        name = _name_of(constant.value, names)
        is_large = aval_bytes(constant.value) >= LARGE_CONSTANT_BYTES
        if (name or is_large) and len(findings) < _MOST_TOLD:
            findings.append(_describe(name, constant))
    return findings


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


def _names_of(base: Any) -> list[tuple[str, Any]]:
    function = innermost_function(base)
    cells = getattr(function, "__closure__", None) or ()
    free = getattr(getattr(function, "__code__", None), "co_freevars", ())
    return [*_contents(zip(free, cells, strict=False)), *_globals_of(function).items()]


def _contents(cells: Any) -> Iterator[tuple[str, Any]]:
    for name, cell in cells:
        try:
            yield name, cell.cell_contents
        except ValueError:  # not assigned yet
            continue


def _globals_of(function: Any) -> Mapping[str, Any]:
    found: Mapping[str, Any] = getattr(function, "__globals__", {})
    return found


def _name_of(constant: Any, names: Sequence[tuple[str, Any]]) -> str:
    """In backticks; empty where it has none. JAX holds arrays of its own, and copies of NumPy's."""
    for name, value in names:
        if value is constant:
            return f"`{name}`"
    alike = [name for name, value in names if _is_copied(value, constant)]
    return " or ".join(f"`{name}`" for name in dict.fromkeys(alike))


def _is_copied(value: Any, constant: Any) -> bool:
    return (
        isinstance(value, np.ndarray)
        and value.shape == constant.shape
        and jax.dtypes.canonicalize_dtype(value.dtype) == constant.dtype
        and np.array_equal(value.astype(constant.dtype), np.asarray(constant), equal_nan=True)
    )


def _describe(name: str, constant: _Constant) -> Finding:
    size = aval_bytes(constant.value)
    what = f"The array {name}" if name else "An array without a name"
    places = [_place(equation) for _, equation in constant.readers]
    file, line = places[0] if places else ("", 0)
    type = aval_text(jax.typeof(constant.value))
    return Finding(
        rule="captured-constant",
        severity="warning" if size >= LARGE_CONSTANT_BYTES else "info",
        message=f"{what} ({type}, {size:,} bytes) was captured: it "
        "is a constant of the program, and a later change of it changes nothing. "
        + _tell_readers(constant.readers),
        remedy="Pass it as an argument, so that a new value needs no new trace.",
        line=line,
        file=file,
    )


def _tell_readers(readers: Sequence[tuple[str, Any]]) -> str:
    if not readers:
        return "No equation reads it."
    told = []
    for id_, equation in readers[:_MOST_READERS]:
        file, line = _place(equation)
        where = f", {os.path.basename(file)}:{line}" if file else ""
        told.append(f"{id_} ({equation.primitive.name}{where})")
    more = len(readers) - len(told)
    return f"Read by {', '.join(told)}{f' and {more:,} more' if more else ''}."


def _place(equation: Any) -> tuple[str, int]:
    frame = next(iter(compat.user_frames(equation.source_info)), None)
    return (frame[0], frame[1]) if frame is not None else ("", 0)
