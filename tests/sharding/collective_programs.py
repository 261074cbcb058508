"""Programs with one kind of collective each, and some that XLA combines."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

mesh = jax.make_mesh((8,), ("i",), axis_types=(AxisType.Auto,))
grid = jax.make_mesh((2, 4), ("x", "y"), axis_types=(AxisType.Auto,) * 2)


def put(x, *spec):
    return jax.device_put(x, NamedSharding(grid, P(*spec)))


def to(x, *spec):
    return jax.lax.with_sharding_constraint(x, NamedSharding(grid, P(*spec)))


def manual(body, a, inside="i", outside="i"):
    return jax.shard_map(
        body, mesh=mesh, in_specs=P(inside), out_specs=P(outside), check_vma=False
    )(a)


def two_sums(a):
    def body(b):
        first = jax.lax.psum(jnp.sin(b), "i")
        second = jax.lax.psum(jnp.cos(b), "i")
        return first, second

    return manual(body, a, outside=None)


def scattered(a):
    def body(b):
        return jax.lax.psum_scatter(jnp.sin(b), "i", tiled=True)

    return manual(body, a, inside=None)


def gathered(a):
    def body(b):
        return jax.lax.all_gather(jnp.sin(b), "i", tiled=True)

    return manual(body, a, outside=None)


def exchanged(a):
    def body(b):
        return jax.lax.all_to_all(jnp.sin(b), "i", split_axis=1, concat_axis=0, tiled=True)

    return manual(body, a)


def rotated(a):
    def body(b):
        return jax.lax.ppermute(jnp.sin(b), "i", [(k, (k + 1) % 8) for k in range(8)])

    return manual(body, a)


def put_together(a):
    b = jnp.sin(a)
    return to(b, None, None)


def contracted(a, b):
    c = a @ b
    return to(c, None, None)


def reduce_scattered(a, b):
    c = a @ b
    return to(c, "y", None)


def resharded(a):
    b = jnp.sin(a)
    return to(b, None, "y")


def scanned(h, ws):
    def step(h, w):
        h = jnp.tanh(h @ w)
        return to(h, None, "y"), None

    return jax.lax.scan(step, h, ws)[0]


def total(a):
    b = jnp.cos(a)
    return jnp.sum(b)


def several(a):
    first = jnp.sum(jnp.sin(a))
    second = jnp.max(jnp.cos(a))
    third = jnp.sum(a * a, axis=0)
    fourth = jnp.sum(jnp.exp(a))
    return first, second, third, fourth


def named(a):
    def body(b):
        with jax.named_scope("u"):
            first = jax.lax.psum(jnp.sin(b), "i")
        with jax.named_scope("v"):
            second = jax.lax.psum(jnp.cos(b), "i")
        return first, second

    return manual(body, a, outside=None)
