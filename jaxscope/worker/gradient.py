"""The gradient of the base function, shown where a call applies no transform of its own."""

from __future__ import annotations

import time
from typing import Any

import jax
import jax.numpy as jnp

from jaxscope.worker import compat
from jaxscope.worker.stand_in import StageJaxpr


class NoGradient(Exception):
    """There is nothing to differentiate; the text says why."""


def trace_gradient(base: StageJaxpr) -> tuple[StageJaxpr, bool]:
    """Differentiate a tagged jaxpr with respect to every float input.

    Outputs that are not one float scalar are summed, those that are no floats left out.

    Returns:
        The stage `gradient`, and whether outputs were summed.

    Raises:
        NoGradient: No input, or no output, is a float.
        Exception: Whatever JAX raises, such as for a reversed `while_loop`.
    """
    inner = compat.open_jaxpr(base.jaxpr)
    inputs = [variable.aval for variable in inner.invars]
    wanted = [i for i, aval in enumerate(inputs) if _is_float(aval)]
    floats = [i for i, atom in enumerate(inner.outvars) if _is_float(atom.aval)]
    if not wanted:
        raise NoGradient("None of its arguments is a float.")
    if not floats:
        raise NoGradient("None of its results is a float.")
    is_scalar = len(floats) == len(inner.outvars) == 1 and not inner.outvars[0].aval.shape

    def scalar(*values: Any) -> Any:
        outputs = compat.evaluate_jaxpr(base.jaxpr, values)
        if is_scalar:
            return outputs[0]
        return sum(jnp.sum(outputs[i].astype(_sum_dtype(outputs[i]))) for i in floats)

    names = base.argument_paths
    start = time.perf_counter()
    jaxpr = jax.make_jaxpr(jax.grad(scalar, argnums=tuple(wanted)))(
        *(_like(aval) for aval in inputs)
    )
    seconds = time.perf_counter() - start
    paths = tuple(f"gradient of {names[i]}" if i < len(names) else f"gradient {i}" for i in wanted)
    return StageJaxpr("gradient", jaxpr, names, paths, seconds), not is_scalar


def _like(aval: Any) -> Any:
    return jax.ShapeDtypeStruct(aval.shape, aval.dtype)  # type: ignore[no-untyped-call] # JAX's


def _is_float(aval: Any) -> bool:
    dtype = getattr(aval, "dtype", None)
    return dtype is not None and bool(jnp.issubdtype(dtype, jnp.floating))


def _sum_dtype(value: Any) -> Any:
    """Small floats are summed in float32: outputs of different types must add up."""
    return jnp.promote_types(value.dtype, jnp.float32)
