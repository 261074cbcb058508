"""Tells JAX to use a platform that nothing provides; JAX asserts without a word."""

# jaxscope: f(f32[3])
import jax
import jax.numpy as jnp

jax.config.update("jax_platforms", "cuda")
TABLE = jnp.ones(3)


def f(x):
    return x + TABLE
