"""Small programs whose equations have a fate that follows from what XLA promises."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jaxscope.in_process import capture_function
from jaxscope.model import Capture, Fate, Graph

X = jnp.ones((8, 8))
W = jnp.full((8, 8), 2.0)


def fates_by_operation(capture: Capture) -> list[tuple[str, Fate]]:
    """JAX's name of each equation of the base function, and its fate, in program order."""
    stage = capture.stage("jaxpr")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph = stage.graph
    return [
        (graph.string(graph.nodes.operation, graph.index_by_id[id]), fate)
        for id, fate in capture.fates.items()
    ]


def fate_of(capture: Capture, operation: str) -> Fate:
    """The fate of the only equation with this operation."""
    (fate,) = [fate for name, fate in fates_by_operation(capture) if name == operation]
    return fate


def capture_plain(function: Callable[..., Any], *args: Any) -> Capture:
    return capture_function(function, args, {})


def capture_passes(function: Callable[..., Any], *args: Any) -> Capture:
    return capture_function(function, args, {}, passes=True)


def add_nothing(x: jax.Array) -> jax.Array:
    return jnp.sin(x + 0) * 2


def compute_in_vain(x: jax.Array) -> jax.Array:
    jnp.cos(x)
    return jnp.sin(x)


def call_back_in_vain(x: jax.Array) -> jax.Array:
    jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return jnp.sin(x)


def carry_in_vain(x: jax.Array) -> jax.Array:
    """The third carried value feeds nothing but itself."""
    start = (0, x, x)
    return lax.while_loop(
        lambda c: c[0] < 5, lambda c: (c[0] + 1, jnp.sin(c[1]), jnp.cos(c[2])), start
    )[1]


def step_through_numbers(x: Any) -> Any:
    """A long row of operations on a constant: 23 instructions each."""
    step = jnp.float32(1.0)
    for _ in range(25):
        step = lax.nextafter(step, jnp.float32(2.0))
    return x * step


def carry_unseen(x: jax.Array) -> jax.Array:
    """The third carried value is for a choice that is never made: JAX itself leaves it in."""
    start = (0, x, x)
    return lax.while_loop(
        lambda c: c[0] < 5,
        lambda c: (c[0] + 1, jnp.where(False, c[2], jnp.sin(c[1])), jnp.cos(c[2])),
        start,
    )[1]


def never_branch(x: jax.Array) -> jax.Array:
    return lax.cond(True, lambda x: jnp.sin(x) * 2, lambda x: jnp.cos(x) - 1, x)


def choose_always(x: jax.Array) -> jax.Array:
    return jnp.where(True, jnp.sin(x), jnp.cos(x))


def use_constant(x: jax.Array) -> jax.Array:
    return x + lax.exp(jnp.float32(1.5))


def repeat(x: jax.Array) -> jax.Array:
    return jnp.sin(x + 1) * jnp.sin(x + 1)


def multiply_transposed(x: jax.Array, w: jax.Array) -> jax.Array:
    return lax.dot(lax.transpose(x, (1, 0)), w)


def multiply_matrices(x: jax.Array, w: jax.Array) -> jax.Array:
    return x @ w


def divide(x: jax.Array) -> jax.Array:
    return (x + 1) / 3


def flatten(x: jax.Array) -> jax.Array:
    return x.reshape(-1)


def undo_twice(x: Any) -> Any:
    return lax.neg(lax.neg(x)), 1.0 / (1.0 / x)


def negate_twice(x: jax.Array) -> jax.Array:
    return lax.neg(lax.neg(jnp.sin(x)))


def scan_rows(x: jax.Array) -> jax.Array:
    return lax.scan(lambda carry, row: (carry + jnp.sin(row), None), jnp.zeros(8), x)[0]


def branch(x: jax.Array) -> jax.Array:
    return lax.cond(x[0, 0] > 0, lambda x: jnp.sin(x), lambda x: jnp.cos(x), x)


def branch_each(x: jax.Array) -> jax.Array:
    """Under `vmap` a branch becomes a choice between the results of both sides."""
    return lax.cond(x > 0, jnp.sin, jnp.cos, x)


def alone(x: jax.Array) -> jax.Array:
    return jnp.tanh(x)


def chain(x: jax.Array) -> jax.Array:
    return jnp.tanh(jnp.sin(x) * 2.5 + 1.5)


def factorize(x: jax.Array) -> jax.Array:
    return jnp.linalg.cholesky(x, symmetrize_input=False)


TABLE = np.array([3, -1, 2])


def begin_with_known_values(x: jax.Array) -> tuple[tuple[jax.Array, jax.Array], None]:
    """What the loop begins with is known; arrays are filled with it when the program runs."""
    begin = (-jnp.ones((200, 1)), jnp.full(x.shape[1:], 2.0) > 1.0)
    return jax.lax.scan(
        lambda carry, row: ((carry[0] * row.sum(), carry[1] & (row > 0.5)), None), begin, x
    )


def look_up(x: jax.Array) -> jax.Array:
    """The captured table is a constant of the module, and so is what is computed of it alone."""
    return x + jnp.where(jnp.asarray(TABLE) < 0, 1.0, 2.0).sum()


def solve(x: jax.Array) -> jax.Array:
    """Of the four programs that a linear solve carries, one runs."""
    return jax.scipy.sparse.linalg.cg(lambda v: 2 * v, x, maxiter=3)[0]


def sum_of_one(x: jax.Array) -> jax.Array:
    """A sum over an axis of length one; its addition outlives it in XLA's module for a while."""
    return jnp.sin(jnp.sum(x.reshape(1, 8, 8), axis=0))


def add_at_and_sum_one_row(x: Any, at: Any, added: Any) -> Any:
    """XLA checks the places of the scatter by a reduction of its own, which has no name."""

    def put(row: Any, i: Any, value: Any) -> Any:
        return row.at[i].add(value)

    return jnp.sum(jax.vmap(jax.vmap(put))(x, at, added), axis=1)[:, 1:5]


def add_in_place_and_sum_one_row(x: Any, at: Any, added: Any) -> Any:
    return jnp.sum(x.at[0, 0, at].add(added), axis=1)[:, 1:5]
