"""Uses an array after giving it away."""

# jaxscope: f(f32[3])
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, donate_argnums=0)
def take(x):
    return x + 1


given = jnp.ones(3)
take(given)


def f(x):
    return x + given
