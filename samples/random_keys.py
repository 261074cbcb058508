"""Random keys: one key, one use.

Look at: `reused` draws twice with the same key; `split_in_two` makes a fresh key for each draw.

Predict: are the two draws of `reused` different? Do eager, jitted and vmapped code agree on the
numbers that a key yields?

Then see: the two draws are identical, and the key-reuse check points at both uses. The split
version is clean: in its graph each draw hangs from its own branch of `random_split`. A key is a
value, not a hidden state, so the same key means the same numbers eagerly, jitted and vmapped.
"""

import jax
import jax.numpy as jnp

# jaxscope: reused(key(0))
# jaxscope: split_in_two(key(0))
# jaxscope: split_in_three(key(0))
# jaxscope: init_two_layers(key(0))


def reused(key):
    """Two draws with one key: the mistake."""
    first = jax.random.normal(key, (4,))
    second = jax.random.normal(key, (4,))
    return first, second


def split_in_two(key):
    """Two draws, each with a key of its own."""
    first_key, second_key = jax.random.split(key)
    return jax.random.normal(first_key, (4,)), jax.random.normal(second_key, (4,))


def split_in_three(key):
    """Three keys at once: a normal, a uniform and a coin."""
    normal_key, uniform_key, coin_key = jax.random.split(key, 3)
    return (
        jax.random.normal(normal_key, (4,)),
        jax.random.uniform(uniform_key, (4,)),
        jax.random.bernoulli(coin_key, 0.5, (4,)),
    )


def init_two_layers(key):
    """Weights of two dense layers, 3 → 5 → 2, with zero biases."""
    hidden_key, output_key = jax.random.split(key)
    return {
        "hidden": {"w": jax.random.normal(hidden_key, (3, 5)) / jnp.sqrt(3), "b": jnp.zeros(5)},
        "output": {"w": jax.random.normal(output_key, (5, 2)) / jnp.sqrt(5), "b": jnp.zeros(2)},
    }
