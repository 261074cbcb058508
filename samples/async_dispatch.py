"""Asynchronous dispatch: the call returns before the work is done.

Look at: `product`, a large matrix product.

Predict: time one call without waiting for its result, and once more with `block_until_ready`.
How far apart are the two numbers?

Then see: the timing page lists dispatch and completion apart. Dispatch is the time until Python
has its answer back, an array that is only a promise; completion is the time until the numbers
are there. For a large product the first is a small fraction of the second, so it measures
nothing about the product. The copy of the arguments to the device is a row of its own.
"""

# jaxscope: product(f32[1000, 1000], f32[1000, 1000])
# jaxscope: product(f32[16, 16], f32[16, 16])


def product(a, b):
    """The matrix product."""
    return a @ b
