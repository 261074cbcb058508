"""An array of 8 TB."""

# jaxscope: f(f32[3])
import jax.numpy as jnp

TABLE = jnp.ones((1_000_000, 2_000_000))


def f(x):
    return x * TABLE[0, 0]
