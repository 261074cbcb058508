"""Derivatives of derivatives: transforms compose.

Look at: `parabola`, x + ½x², then a wide function and a tall one.

Predict: `grad(grad(parabola))` of any number is 1. How many equations does JAX need for that? For
a function from 3 numbers to 100, is `jacfwd` or `jacrev` cheaper?

Then see: the pipeline shows one stage for each transform. The jaxpr grows with each order, though
the mathematics gets simpler, and XLA then folds the second derivative into a constant. `jacfwd`
pushes one tangent for each input, `jacrev` pulls one cotangent for each output: for 3 inputs and
100 outputs compare the FLOPs of the two and see forward mode win; for 100 inputs and 3 outputs,
reverse mode. `hessian` is `jacfwd` of `jacrev`.
"""

import jax.numpy as jnp

# jaxscope: parabola(f32[()])
# jaxscope: grad(parabola)(f32[()])
# jaxscope: grad(grad(parabola))(f32[()])
# jaxscope: hessian(bowl)(f32[4])
# jaxscope: jacfwd(tall)(f32[3])
# jaxscope: jacrev(tall)(f32[3])
# jaxscope: jacfwd(wide)(f32[100])
# jaxscope: jacrev(wide)(f32[100])


def parabola(x):
    """Its slope is 1 + x, and the slope of that is 1."""
    return x + 0.5 * x**2


def bowl(x):
    """A scalar function of a vector, with a dense Hessian."""
    return jnp.sum(jnp.sin(x)) ** 2


def tall(x):
    """From 3 numbers to 100."""
    steps = jnp.arange(100.0)
    return jnp.sin(x[0] * steps) + jnp.cos(x[1] * steps) * x[2]


def wide(x):
    """From 100 numbers to 3."""
    return jnp.stack([jnp.sum(jnp.sin(x)), jnp.sum(x**2), jnp.sum(jnp.exp(-x))])
