"""Thousands of unrolled operations: quick to trace, slow to compile."""

# jaxscope: f(f32[64])
import jax


def f(x):
    print("tracing", flush=True)
    for _ in range(3000):
        x = jax.lax.sin(x) * x
    return x
