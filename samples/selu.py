"""SELU: three small operations, one loop over memory; and names may be Greek.

Look at: `selu`, the scaled exponential linear unit, with its two constants λ and α as defaults.

Predict: eagerly, each of its operations reads and writes the whole array. How many passes over
memory are left after compiling?

Then see: one. Comparison, exponential, multiplications and the selection sit in a single fusion.
The parameter names λ and α are the same in the source, the jaxpr, the graph and every export.
"""

import jax.numpy as jnp

# jaxscope: selu(f32[1000])
# jaxscope: selu(f32[1000], λ=1.0, α=1.0)
# jaxscope: vmap(grad(selu))(f32[1000])


def selu(x, α=1.67, λ=1.05):
    """λx for positive x, and λα(eˣ − 1) for the others."""
    return λ * jnp.where(x > 0, x, α * jnp.exp(x) - α)
