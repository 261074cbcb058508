"""Linear regression: a whole training loop in forty lines.

Look at: `update`, one step of gradient descent on a line through noisy points.

Predict: the points lie near y = 2x − 1. After 1,000 steps, what are weight and bias? How often is
`update` compiled?

Then see: weight near 2, bias near −1, and one compilation for all the steps, as the types never
change. In the graph of `update` the forward and the backward equations have different colours:
the backward half was written by `value_and_grad`. Residuals, the values that the forward pass
keeps for the backward one, are the edges that cross between the colours.
"""

from typing import NamedTuple

import jax
import jax.numpy as jnp

# jaxscope: update(init(key(0)), *make_data(key(1)))
# jaxscope: loss(init(key(0)), *make_data(key(1)))
# jaxscope: grad(loss)(init(key(0)), *make_data(key(1)))

LEARNING_RATE = 0.05


class Params(NamedTuple):
    """The line's weight and bias, each f32[1]."""

    weight: jax.Array
    bias: jax.Array


def init(key):
    """Small random weight and bias."""
    weight_key, bias_key = jax.random.split(key)
    return Params(jax.random.normal(weight_key, (1,)), jax.random.normal(bias_key, (1,)))


def make_data(key, num_points=128):
    """Points on y = 2x − 1 with a little noise: x and y, each f32[num_points, 1]."""
    x_key, noise_key = jax.random.split(key)
    x = jax.random.normal(x_key, (num_points, 1))
    return x, 2.0 * x - 1.0 + 0.1 * jax.random.normal(noise_key, (num_points, 1))


def loss(params, x, y):
    """Mean squared error of the line."""
    return jnp.mean((params.weight * x + params.bias - y) ** 2)


@jax.jit
def update(params, x, y):
    """One step of gradient descent: the new parameters and the loss before the step."""
    value, gradient = jax.value_and_grad(loss)(params, x, y)
    step = jax.tree.map(lambda value, slope: value - LEARNING_RATE * slope, params, gradient)
    return step, value


def train(num_steps=1000):
    """Fit the line: the parameters after so many steps, and the last loss."""
    params = init(jax.random.key(0))
    x, y = make_data(jax.random.key(1))
    value = jnp.inf
    for _ in range(num_steps):
        params, value = update(params, x, y)
    return params, value
