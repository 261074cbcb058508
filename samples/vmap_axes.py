"""vmap: write it for one example, run it for a batch.

Look at: `layer` handles one example. `layer_loop` calls it in a Python loop and stacks the
results; `vmap` adds the batch axis to the equations themselves.

Predict: for 4, 16 and 64 examples, how many equations does each version have?

Then see: the loop is unrolled while tracing, so its jaxpr grows with the batch, and so do the
times of tracing and compiling. The vmapped jaxpr has the same few equations for every batch size:
the vector product became a matrix product. `in_axes=(0, None, None)` says that only the examples
have a batch axis and that all of them share weights and bias. All versions agree on the numbers.
"""

import jax.numpy as jnp

# jaxscope: layer(f32[8], f32[4, 8], f32[4])
# jaxscope: vmap(layer, in_axes=(0, None, None))(f32[16, 8], f32[4, 8], f32[4])
# jaxscope: layer_loop(f32[4, 8], f32[4, 8], f32[4])
# jaxscope: layer_loop(f32[16, 8], f32[4, 8], f32[4])
# jaxscope: vmap(layer)(f32[16, 8], f32[16, 4, 8], f32[16, 4])


def layer(x, weights, bias):
    """A linear layer for one example."""
    return weights @ x + bias


def layer_loop(batch, weights, bias):
    """The same for a batch: one call for each example."""
    return jnp.stack([layer(x, weights, bias) for x in batch])
