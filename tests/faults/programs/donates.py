"""Gives its argument away: what is passed twice is gone the second time."""

# jaxscope: f(f32[3])
from functools import partial

import jax


@partial(jax.jit, donate_argnums=0)
def f(x):
    return x + 1
