"""The gradient of the base function, shown where a call applies no transform of its own."""

from __future__ import annotations

import os
import time
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from jaxscope.model.graph import Direction, Graph, NodeKind
from jaxscope.worker import compat
from jaxscope.worker.stand_in import StageJaxpr


class NoGradient(Exception):
    """There is nothing to differentiate; the text says why."""


_MAX_EQUATIONS = 5000
_MAX_TRACE_S = 5.0
_ASKED = "--gradient asks for it, in the window “Run with the gradient”."


def why_not_unasked(graph: Graph, trace_seconds: float) -> str:
    """Why a program's gradient is made only for those who ask for it; empty if it is made.

    Args:
        graph: Of the program's jaxpr.
        trace_seconds: What tracing the program took: differentiating takes a few times that.
    """
    nodes = graph.nodes
    is_equation = nodes.kind == NodeKind.EQUATION
    own = np.flatnonzero(is_equation & (nodes.direction == Direction.BACKWARD))
    if not len(own):
        own = np.flatnonzero(is_equation & (nodes.direction != Direction.NONE))
    if len(own):
        places = graph.source(int(own[0]))
        where = f", {os.path.basename(places[0].file)}:{places[0].line}" if places else ""
        return (
            "The program holds its own derivative: equation "
            f"{graph.string(nodes.id, int(own[0]))} ({graph.string(nodes.operation, int(own[0]))}"
            f"{where}) is part of one. The derivative of all of it is not made. {_ASKED}"
        )
    count = int(is_equation.sum())
    if count > _MAX_EQUATIONS or trace_seconds > _MAX_TRACE_S:
        return (
            f"Making it would take long: the program has {count:,} equations, and tracing them "
            f"took {trace_seconds:.1f} s. {_ASKED}"
        )
    return ""


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
