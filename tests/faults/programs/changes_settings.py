"""Turns settings of JAX's on, and works."""

# jaxscope: f(f32[3])
import jax

jax.config.update("jax_default_matmul_precision", "float32")
jax.config.update("jax_disable_most_optimizations", True)


def f(x):
    return x @ x
