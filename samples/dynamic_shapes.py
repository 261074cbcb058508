"""Shapes are known before values are: what may not depend on a value.

Look at: `zero_small`, which keeps its shape; then `keep_large`, which selects elements by a
condition, and `absolute_if`, which branches on a value.

Predict: which of the functions below can be traced? While tracing, JAX knows that `x` is eight
32-bit floats, and nothing about the numbers in it.

Then see: `keep_large` fails, as the length of its result would depend on the numbers;
`absolute_if` fails, as Python must choose a branch and has no number to choose by. Each error is
explained at its line. The remedies trace: `zero_small` keeps the shape and replaces what is
unwanted, `absolute_where` computes both branches and selects, and `absolute_cond` puts both into
the program and chooses when it runs.
"""

import jax
import jax.numpy as jnp

# jaxscope: zero_small(f32[8])
# jaxscope: absolute_where(f32[()])
# jaxscope: absolute_cond(f32[()])
# jaxscope: keep_large(f32[8])
# jaxscope: absolute_if(f32[()])


def keep_large(x):
    """Fails: how many elements exceed 3 depends on their values."""
    return x[x > 3]


def zero_small(x):
    """The shape stays; what would be left out becomes zero."""
    return jnp.where(x > 3, x, 0.0)


def absolute_if(x):
    """Fails: Python's `if` needs a value that tracing does not have."""
    if x < 0:
        return -x
    return x


def absolute_where(x):
    """Both branches are computed, and one result is selected."""
    return jnp.where(x < 0, -x, x)


def absolute_cond(x):
    """Both branches are in the program; one of them runs."""
    return jax.lax.cond(x < 0, lambda y: -y, lambda y: y, x)
