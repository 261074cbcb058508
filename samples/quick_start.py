"""Quick start: five equations, one kernel.

Look at: `simple_graph`, four lines of ordinary array code.

Predict: which of its equations does the gradient not need, and what has the forward pass to keep
for the backward pass?

Then see: open its gradient. The forward pass keeps one array as long as `x`, which a new `mul`
makes: 2 (x + 2). There are nine equations on JAX 0.10.2. The square, `add` 3, `reduce_sum` and
the `div` whose result is named `_` only make the mean, which the gradient never needs: XLA
removes them. What is left sits in one fusion, as do the five equations of the value: one
launch each. On the timing page, measure the call on 1,000 numbers eagerly and jitted, for the
value and for the gradient: the ratio is your own machine's, not a number from a lecture.
"""

import jax.numpy as jnp

# jaxscope: simple_graph(f32[3])
# jaxscope: simple_graph(f32[1000])
# jaxscope: grad(simple_graph)(f32[3])
# jaxscope: grad(simple_graph)(f32[1000])


def simple_graph(x):
    """The mean of (x + 2)² + 3."""
    x = x + 2
    x = x**2
    x = x + 3
    return jnp.mean(x)
