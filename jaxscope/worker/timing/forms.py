"""The forms in which a call is measured: eager and jitted, and those of its gradient, with settings
and donation.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.late_dataclass import dataclass
from jaxscope.model.outline import DERIVATIVES
from jaxscope.worker import compat
from jaxscope.worker.host.arguments import (
    box_statics,
    is_traceable,
    keep_arrays,
    split_leaves,
    unbox_statics,
)
from jaxscope.worker.host.call import Call
from jaxscope.worker.host.values import is_float
from jaxscope.worker.timing.same_work import refuse_unrun

Function = Callable[..., Any]
ArgumentPair = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True, eq=False)
class Forms:
    """One program in two forms.

    Attributes:
        eager: Runs equation by equation.
        jitted: The same, compiled; has `trace`.
        eager_arguments: What `eager` is called with.
        jitted_arguments: What `jitted` is called with: static leaves are boxed there.
        is_unwrapped: Whether `eager` was taken out of a jit of the program's own.
        is_transformed: Whether `eager` applies transforms, such as `grad`, in each call.
    """

    eager: Function
    jitted: Any
    eager_arguments: ArgumentPair
    jitted_arguments: ArgumentPair
    is_unwrapped: bool = False
    is_transformed: bool = False


_ANEW = DERIVATIVES | {"vmap"}
"""Transforms that trace the function in each call of their eager form; `checkpoint` does not."""


def find_forms(call: Call) -> Forms:
    """The two forms of a call.

    The eager one is the call without its `jit`s: of a function that is already jitted, the
    function inside. A function that is jitted by the user is jitted in the user's way.

    Raises:
        Exception: Whatever a transform raises when applied.
    """
    base = _without_jit(call.base)
    eager = base
    for level in call.levels:
        if level.name != "jit":
            eager = level.apply(eager)
    arguments = (call.args, call.kwargs)
    is_of = base is not call.base, not _ANEW.isdisjoint(call.transforms)
    composed = call.compose(call.base)
    on_device = put_arrays(arguments)
    if compat.is_jitted(composed):
        return Forms(eager, composed, arguments, on_device, *is_of)
    return Forms(eager, _jit_boxed(composed), arguments, _box(on_device), *is_of)


def put_arrays(arguments: ArgumentPair) -> ArgumentPair:
    """The arguments with NumPy's arrays on the device: copying them is not part of a call.

    A jitted call would copy them each time, which more than doubles what a short one takes.
    """
    put: ArgumentPair = jax.tree.map(
        lambda leaf: jnp.asarray(leaf) if is_host_array(leaf) else leaf, arguments
    )
    jax.block_until_ready(put)  # type: ignore[no-untyped-call] # JAX does not annotate it
    return put


def is_host_array(leaf: Any) -> bool:
    """Whether a leaf is an array of NumPy's that JAX takes."""
    return isinstance(leaf, np.ndarray) and bool(
        jnp.issubdtype(leaf.dtype, np.number) or leaf.dtype == np.bool_
    )


def find_gradient_forms(forms: Forms, *, with_value: bool = False) -> Forms | None:
    """Both forms of the gradient with respect to every floating-point array of the arguments.

    Outputs that are not one number are summed. None if there is nothing to differentiate.

    Args:
        with_value: Whether the value is returned as well, as training steps want it.
    """
    leaves = jax.tree.leaves(forms.eager_arguments)
    places = [place for place, leaf in enumerate(leaves) if is_float(leaf)]
    if not places:
        return None
    eager, floats, rest = split_leaves(forms.eager, forms.eager_arguments, places)

    def total(floats: list[Any], rest: list[Any]) -> Any:
        return _sum_floats(eager(floats, rest))

    gradient = jax.value_and_grad(total) if with_value else jax.grad(total)
    arguments: ArgumentPair = ((floats, rest), {})
    boxed = _box(arguments)
    return Forms(gradient, _jit_boxed(gradient), arguments, boxed, forms.is_unwrapped, True)


def has_python_scalars(forms: Forms) -> bool:
    """Whether a Python number is among the arguments, which could be static instead."""
    leaves = jax.tree.leaves(forms.jitted_arguments)
    return any(is_traceable(leaf) and not is_traceable(leaf, scalars=False) for leaf in leaves)


def with_static_scalars(forms: Forms) -> Forms:
    """The same forms with Python numbers boxed as well, for functions that need their values."""
    return dataclasses.replace(
        forms, jitted_arguments=_box(forms.jitted_arguments, scalars_are_static=True)
    )


def with_settings(forms: Forms, precision: str, options: dict[str, str]) -> Forms:
    """The same forms, jitted with a precision of matrix products and with options of XLA's.

    The jit goes around the user's own, whose donated arguments are then not consumed.
    """
    return dataclasses.replace(
        forms,
        jitted=_jit_boxed(
            _with_precision(forms.jitted, precision), compiler_options=_read_options(options)
        ),
        jitted_arguments=_box(forms.eager_arguments),
    )


def with_donation(
    forms: Forms, places: Sequence[int], precision: str = "", options: dict[str, str] | None = None
) -> Forms:
    """The same forms, jitted so that a call consumes some leaves of its arguments.

    Args:
        places: Of the donated ones among all leaves.
        precision: As in `with_settings`.
        options: As in `with_settings`.
    """
    inner = _with_precision(forms.jitted, precision)
    merged, donated, rest = split_leaves(inner, forms.eager_arguments, places)
    jitted = _jit_boxed(merged, compiler_options=_read_options(options or {}), donate_argnums=0)
    return dataclasses.replace(forms, jitted=jitted, jitted_arguments=_box(((donated, rest), {})))


def _with_precision(function: Function, precision: str) -> Function:
    def configured(*args: Any, **kwargs: Any) -> Any:
        if not precision:
            return function(*args, **kwargs)
        with jax.default_matmul_precision(precision):
            return function(*args, **kwargs)

    return configured


def _read_options(options: dict[str, str]) -> dict[str, str | bool] | None:
    """XLA takes truth values as such and everything else as text; None without options."""
    truths = {"true": True, "false": False}
    return {name: truths.get(text.lower(), text) for name, text in options.items()} or None


def _jit_boxed(function: Function, **options: Any) -> Any:
    @functools.wraps(function, updated=())
    def unboxed(*args: Any, **kwargs: Any) -> Any:
        args, kwargs = unbox_statics(args, kwargs)
        return keep_arrays(refuse_unrun(function(*args, **kwargs), function))

    return jax.jit(unboxed, **options)


def _box(arguments: ArgumentPair, *, scalars_are_static: bool = False) -> ArgumentPair:
    return box_statics(*arguments, scalars=not scalars_are_static)


def _without_jit(function: Function) -> Function:
    while _is_some_jit(function) and hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    return function


def _is_some_jit(function: Function) -> bool:
    """Whether it is JAX's jit or an object of a library's that lowers, as Equinox's `filter_jit`.

    What `pmap` gives lowers, too, and is a function: its axis has a name inside of it only.
    """
    lowers = hasattr(function, "lower") and not inspect.isfunction(function)
    return compat.is_jitted(function) or lowers


def _sum_floats(result: Any) -> Any:
    """One number to differentiate: the result itself, or the sum of all that are floats."""
    leaves = [jnp.asarray(leaf) for leaf in jax.tree.leaves(keep_arrays(result))]
    floats = [leaf for leaf in leaves if is_float(leaf)]
    if not floats:
        raise TypeError("The function returns no floating-point number to differentiate.")
    if len(floats) == 1 and not floats[0].shape:
        return floats[0]
    return sum(jnp.sum(leaf) for leaf in floats)
