"""`jax_debug_nans` is on, and the file computes a NaN at import."""

# jaxscope: f(f32[3])
import jax
import jax.numpy as jnp

jax.config.update("jax_debug_nans", True)
SCALE = jnp.log(jnp.float32(-1.0))


def f(x):
    return x * SCALE
