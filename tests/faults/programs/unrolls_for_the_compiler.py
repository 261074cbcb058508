"""Thousands of unrolled operations: quick to trace, slow to compile."""

# jaxscope: f(i32[64])
import jax
import jax.numpy as jnp


def f(x):
    print("looping")
    x = x.astype(jnp.float32)
    for _ in range(3000):
        x = jax.lax.sin(x) * x
    return x
