"""Value and gradient together: the forward pass is shared.

Look at: `loss`, the mean squared error of a small network, and three calls of it.

Predict: computing the gradient takes a forward and a backward pass. What does it cost to get the
loss as well?

Then see: next to nothing. Put the three calls side by side: the FLOPs of `value_and_grad(loss)`
are those of `grad(loss)` and a handful more for the last line, far below the sum of the value's
and the gradient's. In its graph the forward equations feed the loss and the backward ones alike.
"""

import jax
import jax.numpy as jnp

# jaxscope: loss(init(key(0)), f32[64, 16], f32[64, 1])
# jaxscope: grad(loss)(init(key(0)), f32[64, 16], f32[64, 1])
# jaxscope: value_and_grad(loss)(init(key(0)), f32[64, 16], f32[64, 1])


def init(key):
    """Weights of a network 16 → 32 → 1."""
    hidden_key, output_key = jax.random.split(key)
    return {
        "hidden": jax.random.normal(hidden_key, (16, 32)) / 4.0,
        "output": jax.random.normal(output_key, (32, 1)) / jnp.sqrt(32.0),
    }


def predict(params, x):
    """One hidden layer with tanh."""
    return jnp.tanh(x @ params["hidden"]) @ params["output"]


def loss(params, x, y):
    """Mean squared error."""
    return jnp.mean((predict(params, x) - y) ** 2)
