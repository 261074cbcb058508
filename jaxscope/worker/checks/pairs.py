"""Casts and transposes in pairs that XLA does not remove.

Most pairs cost nothing: XLA removes a cast to more bits and straight back, and a transpose that
undoes another, also with elementwise operations between them. `docs/design/checks.md` has the
experiment. What is left of them: on a TPU a sort in more bits than its data has, and on a CPU a
softmax of a transposed array.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from jaxscope.model.capture import Check, Severity
from jaxscope.model.said import say
from jaxscope.model.targets import parse_target
from jaxscope.worker.checks.dataflow import Site, TracedValue
from jaxscope.worker.checks.subject import CheckedCall, nodes_at

CASTS, TRANSPOSES = "casts-around-sort", "transposes-around-softmax"
MIN_BYTES = 1 << 20
_MOST_BETWEEN = 64
_ONLY_MOVE = frozenset(
    {"sort", "rev", "transpose", "reshape", "squeeze", "expand_dims", "slice", "copy"}
)
"""What gives only elements that it was given, so the type that they are in makes no difference."""

_OF_SOFTMAX = frozenset(
    {"exp", "reduce_sum", "reduce_max", "max", "sub", "div", "mul", "broadcast_in_dim", "reshape"}
    | {"stop_gradient", "neg", "add", "convert_element_type"}
)
_TRANSPOSING = {"T", "mT", "transpose", "swapaxes", "moveaxis", "matrix_transpose", "permute_dims"}


def find_pairs(subject: CheckedCall) -> Iterator[Check]:
    """Pairs of the user's own lines, of arrays of `MIN_BYTES` or more."""
    kind = parse_target(subject.target).kind
    for site in subject.base.sites:
        if site.name == "convert_element_type" and kind == "tpu":
            yield from _find_casts(subject, site)
        elif site.name == "transpose" and kind == "cpu":
            yield from _find_transposes(subject, site)


def _find_casts(subject: CheckedCall, last: Site) -> Iterator[Check]:
    narrow = last.outputs[0]
    between = _between(last.inputs[0], _ONLY_MOVE, "convert_element_type")
    if between is None:
        return
    first, sites = between
    wide, place = first.outputs[0], subject.place(last)
    if (
        first.inputs[0].dtype != narrow.dtype
        or narrow.dtype is None
        or wide.dtype is None
        or not np.can_cast(narrow.dtype, wide.dtype)
        or not any(site.name == "sort" and len(site.outputs) == 1 for site in sites)
        or wide.size * wide.dtype.itemsize < MIN_BYTES
        or place is None
        or subject.place(first) is None
    ):
        return
    yield Check(
        CASTS,
        Severity.INFO,
        say(
            "The array is cast from {narrow} to {wide}, sorted and cast back. A sort only moves "
            "elements, so the result is the same without, and XLA keeps the casts on a TPU: it "
            "sorts {bytes:,} bytes in place of {fewer:,}.",
            narrow=narrow.dtype.name,
            wide=wide.dtype.name,
            bytes=wide.size * wide.dtype.itemsize,
            fewer=wide.size * narrow.dtype.itemsize,
        ),
        say("jnp.sort(x), of the array as it is."),
        "",
        last.id,
        *place[:2],
    )


def _find_transposes(subject: CheckedCall, last: Site) -> Iterator[Check]:
    between = _between(last.inputs[0], _OF_SOFTMAX, "transpose")
    if between is None:
        return
    first, sites = between
    whole, dtype = last.outputs[0], last.outputs[0].dtype
    order = [first.equation.params["permutation"][n] for n in last.equation.params["permutation"]]
    place = subject.place(last)
    if (
        order != sorted(order)
        or dtype is None
        or whole.size * dtype.itemsize < MIN_BYTES
        or not _is_softmax(sites, last.inputs[0])
        or place is None
        or not (_is_written(subject, first) and _is_written(subject, last))
    ):
        return
    yield Check(
        TRANSPOSES,
        Severity.INFO,
        say(
            "The array is transposed, a softmax is taken, and it is transposed back. On a CPU XLA "
            "keeps both transposes, with {bytes:,} bytes read and written anew for each; "
            "along its own axis the softmax needs none.",
            bytes=whole.size * dtype.itemsize,
        ),
        say("jax.nn.softmax(x, axis={axis}), with no transposes.", axis=_axis(first, sites)),
        "",
        last.id,
        *place[:2],
    )


def _between(
    value: TracedValue, allowed: frozenset[str], name: str
) -> tuple[Site, list[Site]] | None:
    """The one equation of a name that all of a value comes from, and those between.

    None where anything else but numbers goes into them, or what is between is used elsewhere.
    """
    sites: list[Site] = []
    seen: set[int] = set()
    first: Site | None = None
    waiting = [value]
    while waiting:
        each = waiting.pop()
        maker = each.maker
        if id(each) in seen or each.number() is not None:
            continue
        seen.add(id(each))
        if maker is None or len(seen) > _MOST_BETWEEN:
            return None
        if maker.name == name and (first is None or first is maker):
            first = maker
        elif maker.name in allowed:
            sites.append(maker)
            waiting.extend(maker.inputs)
        else:
            return None
    if first is None or not sites:
        return None
    inside = {id(site) for site in sites}
    ends = [first.outputs[0], *(output for site in sites for output in site.outputs)]
    users = [u for end in ends if end is not value for u in end.users]
    is_alone = all(id(user) in inside for user in users) and len(value.users) == 1
    return (first, sites) if is_alone and not value.is_result else None


def _is_softmax(sites: list[Site], result: TracedValue) -> bool:
    """Whether the result is a division by a sum of exponentials."""
    maker = result.maker
    if maker is None or maker.name != "div":
        return False
    total = maker.inputs[1].source().maker
    if total is None or total.name != "reduce_sum":
        return False
    exponentials = total.inputs[0].source()
    return (
        exponentials.maker is not None
        and exponentials.maker.name == "exp"
        and len(total.equation.params["axes"]) == 1
        and exponentials.shape == result.shape
        and sum(site.name == "exp" for site in sites) == 1
    )


def _axis(first: Site, sites: list[Site]) -> int:
    """The axis of the array as it was, along which the exponentials are summed."""
    (axis,) = next(s.equation.params["axes"] for s in sites if s.name == "reduce_sum")
    return int(first.equation.params["permutation"][axis])


def _is_written(subject: CheckedCall, site: Site) -> bool:
    """Whether the line of an equation of the user's own asks for a transpose."""
    place = subject.place(site)
    if place is None:
        return False
    for node in nodes_at(*place):
        called = node.func if isinstance(node, ast.Call) else node
        if isinstance(called, ast.Attribute) and called.attr in _TRANSPOSING:
            return True
    return False
