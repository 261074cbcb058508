"""A kernel of one's own: Pallas, interpreted on the CPU.

Look at: `scale_and_shift`, whose kernel works on references: it reads a block, computes, writes a
block.

Predict: what does the jaxpr show of the kernel, and how often does it run?

Then see: one `pallas_call` equation with the kernel's own jaxpr inside, where reading and writing
are equations, too: `get` and `swap`. Its grid says that it runs four times, once for each block of
32 rows. On a CPU the kernel is interpreted, which becomes a loop over the grid in the optimized
module; for a TPU, compiled ahead of time, it stays one custom call.

`jaxscope figure pallas samples/pallas_kernel.py 'product(f32[64, 64], f32[64, 64])' -o blocks.svg`
draws which block of each array every step of the grid takes.
"""

import jax
import jax.numpy as jnp
from jax.experimental import pallas as pl

# jaxscope: scale_and_shift(f32[128, 128], f32[128, 128])
# jaxscope: plain(f32[128, 128], f32[128, 128])
# jaxscope: product(f32[64, 64], f32[64, 64])

NUM_ROWS = 32


def scale_and_shift_kernel(x_ref, y_ref, out_ref):
    """One block: reads two references and writes a third."""
    out_ref[...] = 2.0 * jnp.tanh(x_ref[...]) + y_ref[...]


def scale_and_shift(x, y):
    """The kernel over all blocks of 32 rows."""
    block = pl.BlockSpec((NUM_ROWS, x.shape[1]), lambda row: (row, 0))
    return pl.pallas_call(
        scale_and_shift_kernel,
        out_shape=jax.ShapeDtypeStruct(x.shape, x.dtype),
        grid=(x.shape[0] // NUM_ROWS,),
        in_specs=[block, block],
        out_specs=block,
        interpret=True,
    )(x, y)


def plain(x, y):
    """The same without a kernel of one's own."""
    return 2.0 * jnp.tanh(x) + y


def product_kernel(x_ref, y_ref, out_ref):
    """A block of rows times a block of columns is a block of the result."""
    out_ref[...] = x_ref[...] @ y_ref[...]


def product(x, y):
    """A matrix product: each block of rows is read once for each block of columns."""
    return pl.pallas_call(
        product_kernel,
        out_shape=jax.ShapeDtypeStruct((x.shape[0], y.shape[1]), x.dtype),
        grid=(x.shape[0] // 16, y.shape[1] // 16),
        in_specs=[
            pl.BlockSpec((16, x.shape[1]), lambda i, j: (i, 0)),
            pl.BlockSpec((y.shape[0], 16), lambda i, j: (0, j)),
        ],
        out_specs=pl.BlockSpec((16, 16), lambda i, j: (i, j)),
        interpret=True,
    )(x, y)
