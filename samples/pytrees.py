"""Pytrees: parameters in any shape that suits you.

Look at: `loss`, whose parameters `init_model` makes: a dictionary that holds a list, a tuple, a
named tuple and a registered dataclass.

Predict: what does the gradient with respect to all of that look like?

Then see: exactly like the parameters. The argument list shows one line for each leaf, with its
path, type and bytes; the gradient has the same paths with the same types. `sgd` updates all
leaves with one line of `jax.tree.map`.
"""

import dataclasses
from typing import NamedTuple

import jax
import jax.numpy as jnp

# jaxscope: loss(init_model(), f32[3])
# jaxscope: grad(loss)(init_model(), f32[3])
# jaxscope: sgd(init_model(), init_model())


class Affine(NamedTuple):
    """A named tuple is a pytree by itself."""

    weights: jax.Array
    bias: jax.Array


@jax.tree_util.register_dataclass
@dataclasses.dataclass
class Scale:
    """A dataclass is a pytree once it is registered."""

    factor: jax.Array
    offset: jax.Array


def init_model():
    """Parameters in every kind of container."""
    return {
        "layers": [
            Affine(jnp.ones((4, 3)), jnp.zeros(4)),
            Affine(jnp.ones((2, 4)), jnp.zeros(2)),
        ],
        "window": (jnp.float32(-1.0), jnp.float32(1.0)),
        "scale": Scale(jnp.float32(0.5), jnp.zeros(2)),
    }


def loss(model, x):
    """Two affine layers, a soft clip and a scale; then the sum of squares."""
    for affine in model["layers"]:
        x = affine.weights @ x + affine.bias
    low, high = model["window"]
    x = low + (high - low) * jax.nn.sigmoid(x)
    return jnp.sum((model["scale"].factor * x + model["scale"].offset) ** 2)


def sgd(model, gradient):
    """One step of gradient descent on every leaf."""
    return jax.tree.map(lambda value, slope: value - 0.1 * slope, model, gradient)
