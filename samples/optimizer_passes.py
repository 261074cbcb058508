"""What the optimizer does: merge, remove, fold, fuse, reuse.

Look at: `repeated` and four more functions, each with one thing that a compiler can improve.

Predict: for each, what is left after XLA?

Then see: `repeated` computes `a * b` twice, and one multiplication remains. `unused` computes a
sine that nobody asks for: gone. The factor in `constant_part` is known beforehand: one constant
stands in the place of three operations. The eight operations of `chain` become one fusion, which
reads and writes memory once. `donated` may overwrite its argument: output and input share a
buffer. The passes stage names the pass that did each of these, and what it saved.
"""

import jax.numpy as jnp

# jaxscope: repeated(f32[1000], f32[1000])
# jaxscope: unused(f32[1000])
# jaxscope: constant_part(f32[1000])
# jaxscope: chain(f32[1000])
# jaxscope: jit(donated, donate_argnums=0)(f32[1000], f32[1000])


def repeated(a, b):
    """The same product, written twice."""
    return jnp.sin(a * b) + jnp.cos(a * b)


def unused(x):
    """The sine is computed and forgotten."""
    jnp.sin(x)
    return x * 2.0


def constant_part(x):
    """The factor depends on no argument."""
    factor = jnp.exp(jnp.float32(0.5)) + jnp.sin(jnp.float32(2.0))
    return x * factor


def chain(x):
    """Eight operations, one after another, element by element."""
    x = x + 1.0
    x = x * 2.0
    x = jnp.tanh(x)
    x = x - 0.5
    x = jnp.abs(x)
    x = jnp.sqrt(x + 3.0)
    return jnp.maximum(x, 1.0)


def donated(state, step):
    """The new state takes the place of the old one."""
    return state + 0.1 * step
