"""Gathers whose indices are known while tracing and lie in a row: a slice would do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.checks.subject import CheckedCall, code_at

RULE = "gather-for-slice"
_MOST_INDICES = 100_000
_MOST_VALUES = 200
"""Of indices that are made of more values, those are not computed."""
_COMPUTED = frozenset(
    {"iota", "broadcast_in_dim", "reshape", "squeeze", "convert_element_type"}
    | {"add", "sub", "mul", "lt", "select_n"}
)


def find_gathers(subject: CheckedCall) -> Iterator[Check]:
    """Subscripts and `take` of the user's own that read elements with a fixed step."""
    for site in subject.base.sites:
        place = subject.caller_place(site) if site.name == "gather" else None
        if place is None:
            continue
        axis, indices = _indices(site)
        step = _step(indices)
        if step is None or not _is_indexing(place):
            continue
        first, last = int(indices[0]), int(indices[-1])
        end = last + (1 if step > 0 else -1)
        text = f"{first}:{end if end >= 0 else ''}" + (f":{step}" if step != 1 else "")
        yield Check(
            RULE,
            Severity.INFO,
            say(
                "A gather reads {num:,} elements of axis {axis} whose indices are known and lie in "
                "a row ({first} to {last} by {step}). XLA does not make a slice of it, and its "
                "derivative is a scatter.",
                num=len(indices),
                axis=axis,
                first=first,
                last=last,
                step=step,
            ),
            say(
                "x[{subscript}], or jax.lax.slice_in_dim: a slice is free to fuse.",
                subscript=f"{':, ' * axis}{text}",
            ),
            "",
            site.id,
            *place[:2],
        )


def _is_indexing(place: tuple[str, int, int]) -> bool:
    """Whether the indices are written where they are used: others may be a table's, by chance."""
    found = code_at(*place, (ast.Subscript, ast.Call))
    if isinstance(found, ast.Call):
        is_take = isinstance(found.func, ast.Attribute) and found.func.attr == "take"
        written: list[ast.AST] = list(found.args[1:]) if is_take else []
    else:
        written = [] if found is None else [found.slice]
    calls = (n for each in written for n in ast.walk(each) if isinstance(n, ast.Call))
    return any(map(_writes_indices, calls))


def _writes_indices(call: ast.Call) -> bool:
    """Whether it is `arange`, or `array` of a list that is written there."""
    name = getattr(call.func, "attr", "")
    is_written = bool(call.args) and isinstance(call.args[0], ast.List | ast.Tuple)
    return name == "arange" or (name in ("array", "asarray") and is_written)


def _indices(site: Site) -> tuple[int, Any]:
    """The one axis that is indexed, and the indices; none where they are not known."""
    nothing = np.zeros(0, np.int64)
    numbers = site.equation.params["dimension_numbers"]
    sizes, shape = site.equation.params["slice_sizes"], site.inputs[0].shape
    if len(numbers.start_index_map) != 1 or len(site.inputs[1].shape) != 2:
        return 0, nothing
    (axis,) = numbers.start_index_map
    is_whole = all(size == shape[n] for n, size in enumerate(sizes) if n != axis)
    if not is_whole or sizes[axis] != 1 or site.inputs[1].size > _MOST_INDICES:
        return axis, nothing
    known = known_integers(site.inputs[1])
    return axis, nothing if known is None else known.reshape(-1)


def _step(indices: Any) -> int | None:
    """The distance from each index to the next, where it is one and not 0."""
    steps = np.unique(np.diff(indices))
    return int(steps[0]) if len(indices) > 1 and len(steps) == 1 and steps[0] else None


def known_integers(value: TracedValue) -> Any:
    """An array of integers that does not depend on arguments, or None.

    What it is made of is computed once each, however many ways lead to it.
    """
    known: dict[int, Any] = {}
    waiting = [value]
    while waiting:
        each = waiting[-1]
        site, found = each.maker, None
        if each.constant is not None:
            found = np.asarray(each.constant)
            found = found if found.dtype.kind in "iub" else None
        elif site is not None and site.name in _COMPUTED and each.size <= _MOST_INDICES:
            missing = [part for part in site.inputs if id(part) not in known]
            if missing and len(known) + len(waiting) < _MOST_VALUES:
                waiting += missing
                continue
            if not missing:
                found = _compute(site, each, [known[id(part)] for part in site.inputs])
        if found is None:
            return None
        known[id(waiting.pop())] = found
    return known[id(value)]


def _compute(site: Site, value: TracedValue, inputs: list[Any]) -> Any:
    """What an equation makes of known integers; None where it is of another kind."""
    parameters = site.equation.params
    match site.name:
        case "iota":
            along = np.arange(value.shape[parameters["dimension"]])
            axes = [n for n in range(len(value.shape)) if n != parameters["dimension"]]
            return np.broadcast_to(np.expand_dims(along, axes), value.shape)
        case "broadcast_in_dim":
            shape = [1] * len(value.shape)
            for n, axis in enumerate(parameters["broadcast_dimensions"]):
                shape[axis] = inputs[0].shape[n]
            return np.broadcast_to(inputs[0].reshape(shape), value.shape)
        case "reshape" | "squeeze":
            return inputs[0].reshape(value.shape)
        case "convert_element_type":
            return inputs[0].astype(value.dtype)
        case "add":
            return inputs[0] + inputs[1]
        case "sub":
            return inputs[0] - inputs[1]
        case "mul":
            return inputs[0] * inputs[1]
        case "lt":
            return inputs[0] < inputs[1]
        case "select_n" if len(inputs) == 3:
            return np.where(inputs[0], inputs[2], inputs[1])
    return None
