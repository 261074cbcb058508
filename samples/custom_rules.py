"""Custom rules: derivatives by hand, and what the backward pass remembers.

Look at: `softplus`, which has a derivative of its own, a clipped gradient, and one network with
three answers to the question what to keep.

Predict: which version keeps most bytes between forward and backward pass, and which one computes
most?

Then see: `softplus` has a `custom_jvp` equation whose rule is used by `grad`; `clip_gradient` is
the identity forward and a clip backward, by `custom_vjp`. For the network, `deep` keeps its
activations; `deep_recomputed` keeps only the layers' inputs and computes the rest again
(`remat`: look for the repeated `tanh` and `dot_general` in the backward part); `deep_dots_kept`
keeps the results of the matrix products and recomputes only the cheap operations.
"""

import jax
import jax.numpy as jnp

# jaxscope: grad(softplus)(f32[()])
# jaxscope: grad(clipped_square)(f32[()])
# jaxscope: grad(deep)(f32[4, 64, 64], f32[64])
# jaxscope: grad(deep_recomputed)(f32[4, 64, 64], f32[64])
# jaxscope: grad(deep_dots_kept)(f32[4, 64, 64], f32[64])


@jax.custom_jvp
def softplus(x):
    """log(1 + eˣ), whose own derivative would overflow for large x."""
    return jnp.log1p(jnp.exp(x))


@softplus.defjvp
def softplus_jvp(primals, tangents):
    """The derivative is the logistic function, which never overflows."""
    (x,), (x_dot,) = primals, tangents
    return softplus(x), jax.nn.sigmoid(x) * x_dot


@jax.custom_vjp
def clip_gradient(x):
    """The identity; its gradient is clipped to −1 … 1."""
    return x


def clip_gradient_forward(x):
    """Nothing needs to be remembered."""
    return x, None


def clip_gradient_backward(_residuals, cotangent):
    """Clip what comes from behind."""
    return (jnp.clip(cotangent, -1.0, 1.0),)


clip_gradient.defvjp(clip_gradient_forward, clip_gradient_backward)


def clipped_square(x):
    """100x², whose gradient never exceeds 1 in size."""
    return 100.0 * clip_gradient(x) ** 2


def block(weights, x):
    """One layer: product, tanh, sine."""
    return jnp.sin(jnp.tanh(weights @ x))


def deep(weights, x):
    """Four layers; the backward pass finds all it needs in memory."""
    for matrix in weights:
        x = block(matrix, x)
    return jnp.sum(x)


def deep_recomputed(weights, x):
    """Four layers; inside a layer nothing is kept."""
    for matrix in weights:
        x = jax.checkpoint(block)(matrix, x)
    return jnp.sum(x)


def deep_dots_kept(weights, x):
    """Four layers; of each only the product is kept."""
    keep_dots = jax.checkpoint(block, policy=jax.checkpoint_policies.dots_saveable)
    for matrix in weights:
        x = keep_dots(matrix, x)
    return jnp.sum(x)
