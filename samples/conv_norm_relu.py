"""Convolution, layer norm, leaky ReLU: what fuses and what does not. Needs flax: pip install
'jaxscope[samples]'.

Look at: `forward`, a block of three layers on one image of 32×32 pixels in three colours.

Predict: three layers: how many passes over memory after compiling?

Then see: a group for each layer. The convolution stays an instruction of its own or becomes a
library call; the element-by-element part of the norm and the ReLU after it share fusions, and only
the norm's means, which need all numbers of a pixel first, stand between them.
"""

import jax
from flax import linen as nn

# jaxscope: forward(init(), f32[1, 32, 32, 3])
# jaxscope: grad(loss)(init(), f32[1, 32, 32, 3])


class Block(nn.Module):
    """Convolution, norm and activation."""

    @nn.compact
    def __call__(self, x):
        """From 3 colours to 8 features."""
        x = nn.Conv(8, (3, 3))(x)
        x = nn.LayerNorm()(x)
        return nn.leaky_relu(x)


block = Block()


def init():
    """Parameters of the block."""
    return block.init(jax.random.key(0), jax.numpy.zeros((1, 32, 32, 3)))


def forward(params, image):
    """The block applied to an image."""
    return block.apply(params, image)


def loss(params, image):
    """The sum of squares of the result."""
    return (forward(params, image) ** 2).sum()
