"""Quick start: five equations, one kernel.

Look at: `simple_graph`, four lines of ordinary array code.

Predict: how many equations does JAX record for it, and how many kernels does the compiled program
launch? Run eagerly, every equation is a kernel of its own.

Then see: the jaxpr holds exactly `add`, `integer_pow`, `add`, `reduce_sum` and `div`. The
gradient has nine equations on JAX 0.10.2. One of them is a `div` whose result is named `_`: the
mean itself, which the gradient never needs, and XLA removes it. In the optimized module all that
is left sits in one fusion, so five launches became one. On the timing page, measure the call on
1,000 numbers eagerly and jitted, for the value and for the gradient: the ratio is your own
machine's, not a number from a lecture.
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
