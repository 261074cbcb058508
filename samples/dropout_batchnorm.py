"""Dropout and batch norm: a key that goes in, statistics that come out. Needs flax: pip install
'jaxscope[samples]'.

Look at: `train_dropout`, a layer with dropout, which needs randomness, and `train_batchnorm`, one
with batch norm, which needs memory.

Predict: neither hidden randomness nor hidden state exists in JAX. Where do they go?

Then see: into the arguments and the results. The key enters as an argument, and its path through
the graph ends at the mask; in `predict_dropout` the mask is gone, and with it the use of the key.
`train_batchnorm` returns the new running statistics as a second output, which the caller must keep.
"""

import jax
import jax.numpy as jnp
from flax import linen as nn

# jaxscope: train_dropout(init_dropout(), f32[8, 4], key(1))
# jaxscope: predict_dropout(init_dropout(), f32[8, 4])
# jaxscope: train_batchnorm(init_batchnorm(), f32[8, 4])
# jaxscope: predict_batchnorm(init_batchnorm(), f32[8, 4])


class Dropout(nn.Module):
    """A dense layer, half of whose results are dropped in training."""

    @nn.compact
    def __call__(self, x, is_training):
        """The switch is a Python value: two programs, not a branch."""
        return nn.Dropout(0.5, deterministic=not is_training)(nn.Dense(16)(x))


class Normed(nn.Module):
    """A dense layer with batch norm."""

    @nn.compact
    def __call__(self, x, is_training):
        """In training the batch's own statistics are used, and remembered."""
        return nn.BatchNorm(use_running_average=not is_training)(nn.Dense(16)(x))


def init_dropout():
    """Parameters of the layer with dropout."""
    return Dropout().init(jax.random.key(0), jnp.zeros((1, 4)), False)


def train_dropout(params, x, key):
    """Needs a key."""
    return Dropout().apply(params, x, True, rngs={"dropout": key})


def predict_dropout(params, x):
    """Needs none."""
    return Dropout().apply(params, x, False)


def init_batchnorm():
    """Parameters and running statistics of the layer with batch norm."""
    return Normed().init(jax.random.key(0), jnp.zeros((1, 4)), False)


def train_batchnorm(variables, x):
    """The results, and the statistics as they are after this batch."""
    return Normed().apply(variables, x, True, mutable=["batch_stats"])


def predict_batchnorm(variables, x):
    """The results by the statistics remembered."""
    return Normed().apply(variables, x, False)
