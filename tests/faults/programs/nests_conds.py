"""Sixty `cond` inside each other: few equations, and a huge text."""

# jaxscope: f(f32[3])
import jax


def nest(depth):
    if depth == 0:
        return lambda x: x + 1
    inner = nest(depth - 1)
    return lambda x: jax.lax.cond(x.sum() > depth, inner, lambda y: y * 2, x)


f = nest(60)
