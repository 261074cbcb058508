"""Indices that are known while tracing and lie outside of the array: JAX raises no error."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import Said, say, say_joined
from jaxscope.worker import compat
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.checks.gathers import known_integers
from jaxscope.worker.checks.subject import CheckedCall, code_at

RULE = "index-out-of-bounds"
_FILLS = "FILL_OR_DROP"
_CHECKIFY = "jax/_src/checkify.py"


def find_indices_out_of_bounds(subject: CheckedCall) -> Iterator[Check]:
    """`x[10]` of 8 elements reads the last one; an update there is dropped or moved.

    Passed over: arms of conditions, which may be there to guard the index; a `mode` that is
    written, since it says what shall happen; and tables of indices that are made elsewhere.
    """
    is_checked: bool | None = None
    for site in subject.base.sites:
        told = _FINDERS.get(site.name, _nothing)(site)
        place = subject.caller_place(site) if told else None
        if place is None or site.body.branches() or _says_mode(place):
            continue
        if site.name.startswith(("gather", "scatter")) and not _is_written(site, place):
            continue
        if is_checked is None:  # in whichever function: JAX may have traced this one before
            equations = (site.equation for site in subject.base.sites)
            is_checked = any(compat.is_made_in(each, _CHECKIFY) for each in equations)
        if is_checked:
            end = say("JAX raises no error; checkify finds it if it checks indices.")
        else:
            end = say("No error is raised.")
        yield Check(
            RULE,
            Severity.WARNING,
            say_joined((told, end)),
            _remedy(site),
            "",
            site.id,
            *place[:2],
        )


def _remedy(site: Site) -> Said:
    """Of a slice what reads or writes as many elements, wherever it begins."""
    if site.name == "dynamic_slice" and max(site.equation.params["slice_sizes"], default=1) > 1:
        return say(
            "Begin where the slice fits. Where leaving the array is meant, fill what is outside: "
            'x.at[start + jnp.arange(size)].get(mode="fill", fill_value=0).'
        )
    if site.name == "dynamic_update_slice" and max(site.inputs[1].shape, default=1) > 1:
        return say(
            "Begin where the update fits. Where leaving the array is meant, drop what is outside: "
            'x.at[start + jnp.arange(size)].set(y, mode="drop").'
        )
    return say(
        "Use an index within the array. Where leaving it is meant, say what shall happen: "
        'x.at[i].get(mode="fill", fill_value=0), x.at[i].set(y, mode="drop").'
    )


def _says_mode(place: tuple[str, int, int]) -> bool:
    call = code_at(*place, ast.Call)
    return call is not None and any(
        keyword.arg == "mode"
        for part in ast.walk(call)
        if isinstance(part, ast.Call)
        for keyword in part.keywords
    )


def _is_written(site: Site, place: tuple[str, int, int]) -> bool:
    """Whether the index is a number, or numbers that stand where they are used."""
    if site.inputs[1].size <= max(site.inputs[1].shape[-1:], default=1):
        return True
    code = code_at(*place, (ast.Subscript, ast.Call))
    return code is not None and any(
        isinstance(part, ast.List | ast.Tuple) and len(part.elts) > 1 for part in ast.walk(code)
    )


def _nothing(_site: Site) -> str:
    return ""


def _of_slice(site: Site) -> str:
    """A slice that does not fit is moved until it does."""
    is_update = site.name == "dynamic_update_slice"
    starts = site.inputs[2 if is_update else 1 :]
    sizes = site.inputs[1].shape if is_update else site.equation.params["slice_sizes"]
    axes = zip(site.inputs[0].shape, sizes, starts, strict=False)
    for axis, (length, size, value) in enumerate(axes):
        start = _single(value)
        if start is None or 0 <= start <= length - size:
            continue
        moved = min(max(start, 0), length - size)
        if size == 1:
            if is_update:
                told = say("JAX writes element {moved} instead.", moved=moved)
            else:
                told = say("JAX reads element {moved} instead.", moved=moved)
            return say_joined((_name(start, axis, length), told))
        outside = say(
            "{size:,} elements from {start} on do not fit into axis {axis}, which has {length:,}",
            size=size,
            start=_as_typed(start, length),
            axis=axis,
            length=length,
        )
        if is_update:
            return say(_MOVED_UPDATE, outside=outside, moved=moved)
        return say(_MOVED_SLICE, outside=outside, moved=moved)
    return ""


def _of_gather(site: Site) -> str:
    numbers = site.equation.params["dimension_numbers"]
    sizes = site.equation.params["slice_sizes"]
    window = [sizes[axis] for axis in numbers.start_index_map]
    outside = _find_outside(site, numbers.start_index_map, window)
    if not outside:
        return ""
    mode = str(site.equation.params["mode"])
    if _FILLS in mode:
        fill = site.equation.params["fill_value"]
        if fill is None:
            told = say("What is read there is a number that stands for none.")
        else:
            told = say("What is read there is {fill}.", fill=str(fill).replace("nan", "NaN"))
    elif "PROMISE" in mode:
        told = say("JAX promises XLA that all are within: what is read there is undefined.")
    else:
        told = say("What is read there is of the nearest index within.")
    return say_joined((outside, told))


def _of_scatter(site: Site) -> str:
    numbers = site.equation.params["dimension_numbers"]
    operand, update = site.inputs[0].shape, site.inputs[2].shape
    gone = {*numbers.inserted_window_dims, *numbers.operand_batching_dims}
    kept = [axis for axis in range(len(operand)) if axis not in gone]
    lengths = dict(zip(kept, (update[n] for n in numbers.update_window_dims), strict=True))
    axes = numbers.scatter_dims_to_operand_dims
    outside = _find_outside(site, axes, [lengths.get(axis, 1) for axis in axes])
    if outside and _FILLS in str(site.equation.params["mode"]):
        return say_joined((outside, say("The update is dropped there.")))
    return ""


def _find_outside(site: Site, axes: Sequence[int], window: Sequence[int]) -> str:
    """The first index that does not fit, in a sentence."""
    found = known_integers(site.inputs[1])
    if found is None or not axes or found.shape[-1:] != (len(axes),):
        return ""
    rows = found.reshape(-1, len(axes))
    for column, (axis, size) in enumerate(zip(axes, window, strict=True)):
        length = site.inputs[0].shape[axis]
        wrong = rows[(rows[:, column] < 0) | (rows[:, column] > length - size), column]
        if len(wrong):
            return _name(int(wrong[0]), axis, length)
    return ""


def _name(start: int, axis: int, length: int) -> Said:
    return say(
        "Index {start} is out of bounds: axis {axis} has {length:,} elements.",
        start=_as_typed(start, length),
        axis=axis,
        length=length,
    )


def _as_typed(start: int, length: int) -> int:
    """A negative index was counted from the end."""
    return start - length if start < 0 else start


def _single(value: TracedValue) -> int | None:
    found = known_integers(value)
    return None if found is None or np.size(found) != 1 else int(np.reshape(found, ()))


_MOVED_SLICE = "{outside}: the slice is moved, and reads from {moved} on."
_MOVED_UPDATE = "{outside}: the slice is moved, and writes from {moved} on."
_SCATTERS = ("scatter", "scatter-add", "scatter-mul", "scatter-min", "scatter-max")
_FINDERS = {
    "dynamic_slice": _of_slice,
    "dynamic_update_slice": _of_slice,
    "gather": _of_gather,
    **dict.fromkeys(_SCATTERS, _of_scatter),
}
