"""Hundreds of `jit` inside each other: XLA overflows the stack of the process."""

# jaxscope: f(f32[3])
import sys

import jax


def nest(depth):
    if depth == 0:
        return lambda x: x + 1
    inner = nest(depth - 1)
    return jax.jit(lambda x: inner(x) * 2)


# Three hundred are compiled with Python 3.13, which lets calls nest deeper.
f = nest(800 if sys.version_info >= (3, 13) else 240)
