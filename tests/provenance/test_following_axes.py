"""Where an axis of an operand is in a result, held against what the result depends on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.extend.core import jaxpr_as_fun

from jaxscope.worker.provenance.following_axes import _axis_after

SHAPE = (2, 3, 4)

# Name -> function of one operation, shapes of its operands.
OPERATIONS: dict[str, tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]] = {
    "elementwise": (lax.add, (SHAPE, SHAPE)),
    "sine": (lax.sin, (SHAPE,)),
    "transpose": (lambda x: lax.transpose(x, (2, 0, 1)), (SHAPE,)),
    "broadcast": (lambda x: lax.broadcast_in_dim(x, (5, *SHAPE, 6), (1, 2, 3)), (SHAPE,)),
    "spread": (lambda x: lax.broadcast_in_dim(x, (2, 5, 3), (0, 2)), ((2, 3),)),
    "squeeze": (lambda x: lax.squeeze(x, (1, 3)), ((2, 1, 3, 1, 4),)),
    "squeeze before": (lambda x: lax.squeeze(x, (0,)), ((1, 3, 4),)),
    "sums on the way": (lambda x: lax.cumsum(x, 1), (SHAPE,)),
    "largest on the way": (lambda x: lax.cummax(x, 2), (SHAPE,)),
    "reversed": (lambda x: lax.rev(x, (0, 2)), (SHAPE,)),
    "concatenate": (lambda x, y: lax.concatenate((x, y), 1), (SHAPE, (2, 5, 4))),
    "slice": (lambda x: lax.slice(x, (0, 1, 0), (2, 3, 4)), (SHAPE,)),
    "dynamic slice": (lambda x: lax.dynamic_slice(x, (0, 1, 0), (2, 2, 4)), (SHAPE,)),
    "pad": (lambda x: lax.pad(x, 0.0, ((0, 0, 0), (1, 0, 0), (0, 0, 1))), (SHAPE,)),
    "pad behind": (lambda x: lax.pad(x, 0.0, ((0, 2, 0), (0, 0, 0), (0, 0, 0))), (SHAPE,)),
    "reshape": (lambda x: lax.reshape(x, (2, 12)), (SHAPE,)),
    "reshape of the last": (lambda x: lax.reshape(x, (2, 3, 2, 2)), (SHAPE,)),
    "sum": (lambda x: lax.reduce_sum_p.bind(x, axes=(0,), out_sharding=None), (SHAPE,)),
    "largest": (lambda x: lax.reduce_max_p.bind(x, axes=(1,), out_sharding=None), (SHAPE,)),
    "place of the largest": (lambda x: lax.argmax(x, 1, jnp.int32), ((2, 5, 4),)),
    "product": (
        lambda x, y: lax.dot_general(x, y, (((2,), (0,)), ((), ()))),
        (SHAPE, (4, 5, 6)),
    ),
    "product of batches": (
        lambda x, y: lax.dot_general(x, y, (((2,), (1,)), ((0, 1), (2, 0)))),
        ((2, 3, 4, 5), (3, 4, 2, 6, 7)),
    ),
    "product of two sums": (
        lambda x, y: lax.dot_general(x, y, (((0, 2), (2, 1)), ((1,), (0,)))),
        ((2, 3, 4, 5), (3, 4, 2, 6)),
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_an_axis_is_where_the_result_depends_on_it_alone(name: str) -> None:
    """Part `i` of the result along its axis changes only with part `i` of the operand along its."""
    function, shapes = OPERATIONS[name]
    random = np.random.default_rng(0)
    operands = [random.normal(size=shape).astype(np.float32) for shape in shapes]
    closed = jax.make_jaxpr(function)(*operands)
    equation = closed.jaxpr.eqns[-1]
    assert len(closed.jaxpr.eqns) == 1 or name.startswith("dynamic")
    for number, operand in enumerate(operands):
        at = equation.invars.index(closed.jaxpr.invars[number])
        for axis in range(operand.ndim):
            told = _axis_after(equation, at, axis)
            possible = find_axes(jaxpr_as_fun(closed), operands, number, axis, random)
            assert told in possible if told is not None else not possible, (number, axis, possible)


def find_axes(
    function: Callable[..., Any],
    operands: list[Any],
    number: int,
    axis: int,
    random: np.random.Generator,
) -> list[int]:
    """Axes of the result of which each part stays as it is while all other parts change."""
    (before,) = map(np.asarray, function(*operands))
    size = operands[number].shape[axis]
    found = [at for at, other in enumerate(before.shape) if other == size]
    for part in range(size):
        changed = random.normal(size=(5, *operands[number].shape)).astype(np.float32)
        for draw in changed:
            np.moveaxis(draw, axis, 0)[part] = np.moveaxis(operands[number], axis, 0)[part]
            given = [*operands[:number], draw, *operands[number + 1 :]]
            (after,) = map(np.asarray, function(*given))
            found = [
                at
                for at in found
                if np.array_equal(after.take(part, at), before.take(part, at), equal_nan=True)
            ]
    return found
