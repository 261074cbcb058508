"""A result that is not a number, and that is no error."""

# jaxscope: f(f32[3])
import jax.numpy as jnp


def f(x):
    return jnp.log(-1.0 - x**2)
