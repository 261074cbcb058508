"""Pure and impure functions: what tracing sees and what it forgets.

Look at: `logging_norm` and `pure_norm`, two norms that differ by one line, and two ways to use a
bias.

Predict: `logging_norm` appends to a list on every call. After compiling it and calling it ten
times, how long is the list? And if you change the global `bias` after compiling, does
`add_captured_bias` notice?

Then see: the check names the list and the line that changed it, and the jaxpr has no trace of the
append, because JAX records only operations on arrays. The append ran while tracing and never
again. `add_captured_bias` has one argument and one baked-in constant: the array as it was when
it was traced. `stale_bias` runs the experiment, and its result still uses the old bias.
`add_bias` takes the bias as an argument, so a new bias needs no new trace.
"""

import jax
import jax.numpy as jnp

# jaxscope: logging_norm(f32[8])
# jaxscope: pure_norm(f32[8])
# jaxscope: add_captured_bias(f32[3])
# jaxscope: add_bias(f32[3], f32[3])

seen = []
bias = jnp.array([1.0, 2.0, 3.0])


def logging_norm(x):
    """Impure: the Euclidean norm, and a note of what was asked."""
    seen.append(x)
    return jnp.sqrt(jnp.sum(x * x))


def pure_norm(x):
    """The Euclidean norm and nothing else."""
    return jnp.sqrt(jnp.sum(x * x))


def add_captured_bias(x):
    """Impure: reads a global array, which becomes a constant of the trace."""
    return x + bias


def add_bias(x, bias):
    """Pure: everything the result depends on is an argument."""
    return x + bias


def stale_bias(x):
    """Changes the global between two calls of one compiled function; both results are equal."""
    global bias
    compiled = jax.jit(add_captured_bias)
    before = compiled(x)
    kept = bias
    try:
        bias = bias + 100.0
        after = compiled(x)
    finally:
        bias = kept
    return before, after
