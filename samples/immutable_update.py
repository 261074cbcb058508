"""Arrays do not change: how to update one all the same, without paying for a copy.

Look at: `functional_update`, which asks for a new array that differs in one place, and `assign`,
which writes `x[0] = 1` as in NumPy.

Predict: does the functional version copy the whole array each time?

Then see: `assign` fails at its line, with `.at[].set()` as the remedy. `functional_update` traces
to one `scatter`. Compiled on its own it must copy, because its input belongs to the caller;
`donated_update` gives its input away, and in the optimized module the output is aliased to the
input: the update happens in place. In `fill` the buffer belongs to the loop, and so every one of
its thousand updates is in place as well.
"""

import jax
import jax.numpy as jnp

# jaxscope: functional_update(f32[1000])
# jaxscope: jit(donated_update, donate_argnums=0)(f32[1000])
# jaxscope: fill(f32[1000])
# jaxscope: assign(f32[1000])


def assign(x):
    """Fails: JAX arrays cannot be written to."""
    x[0] = 1
    return x


def functional_update(x):
    """A new array, equal to `x` but for its first element."""
    return x.at[0].set(1)


def donated_update(x):
    """The same update, to be compiled with its argument donated."""
    return x.at[0].set(1)


def fill(x):
    """One update for each element, in a loop."""
    return jax.lax.fori_loop(0, x.shape[0], lambda i, y: y.at[i].set(jnp.sqrt(1.0 * i)), x)
