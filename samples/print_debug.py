"""Printing: once when tracing, or each time it runs.

Look at: `with_print` and `with_debug_print`, which print their argument with `print` and with
`jax.debug.print`.

Predict: jit both and call each three times. How many lines does each print, and what is in them?

Then see: `print` runs while JAX traces the function: one line, and in it no number but a tracer,
the stand-in for an array of that shape. The jaxpr has no equation for it. `jax.debug.print` is an
equation, so it is part of the program: three lines with three numbers.
"""

import jax
import jax.numpy as jnp

# jaxscope: with_print(f32[4])
# jaxscope: with_debug_print(f32[4])


def with_print(x):
    """Python's print: fires while tracing."""
    total = jnp.sum(x)
    print("with_print: the total is", total)
    return total


def with_debug_print(x):
    """JAX's print: fires on every run."""
    total = jnp.sum(x)
    jax.debug.print("with_debug_print: the total is {}", total)
    return total
