"""Sixty `jit` inside each other: deeper than Python's own recursion limit lets JAX go."""

# jaxscope: f(f32[3])
import jax


def nest(depth):
    if depth == 0:
        return lambda x: x + 1
    inner = nest(depth - 1)
    return jax.jit(lambda x: inner(x) * 2)


f = nest(60)
