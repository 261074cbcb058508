"""A perceptron of two hidden layers: its loss, its gradient, and one gradient per example."""

import jax
import jax.numpy as jnp

# jaxscope: grad(loss)(init(key(0)), f32[64, 8], f32[64])
# jaxscope: vmap(grad(loss), in_axes=(None, 0, 0))(init(key(0)), f32[64, 1, 8], f32[64, 1])

WIDTHS = (8, 32, 32, 1)


def init(key):
    keys = jax.random.split(key, len(WIDTHS) - 1)
    return [
        {"weights": jax.random.normal(k, (m, n)) / m**0.5, "bias": jnp.zeros(n)}
        for k, m, n in zip(keys, WIDTHS[:-1], WIDTHS[1:], strict=True)
    ]


def predict(layers, x):
    for number, layer in enumerate(layers[:-1]):
        with jax.named_scope(f"layer_{number}"):
            x = jnp.tanh(x @ layer["weights"] + layer["bias"])
    with jax.named_scope("output"):
        return (x @ layers[-1]["weights"] + layers[-1]["bias"])[:, 0]


def loss(layers, x, y):
    return jnp.mean((predict(layers, x) - y) ** 2)
