"""Recompilation: a new shape is a new program.

Look at: `normalize`, called with 10, 11, 12 … numbers, and `normalize_padded`, which first pads
its input to 32, 64 or 128.

Predict: `lengths_traced` calls both with the lengths 10 to 40. How often is each traced?

Then see: `normalize` is traced, lowered and compiled 31 times, once for each length; the padded
version twice, once for each bucket. `weak_types` shows a quieter cause: `scale(x, 2.0)` and
`scale(x, jnp.float32(2.0))` are different signatures, since a Python number has a weak type.
`power` takes its exponent as a static argument: each new exponent is a new program as well.
"""

import jax
import jax.numpy as jnp
import numpy as np

# jaxscope: normalize(f32[10])
# jaxscope: normalize_masked(f32[32], i32[()])
# jaxscope: scale(f32[8], 2.0)
# jaxscope: jit(power, static_argnames="n")(f32[8], n=3)

BUCKETS = (32, 64, 128)


def normalize(x):
    """Subtract the mean and divide by the standard deviation."""
    return (x - jnp.mean(x)) / (jnp.std(x) + 1e-6)


def normalize_masked(x, length):
    """The same over the first `length` elements; the others come out as zero."""
    used = jnp.arange(x.shape[0]) < length
    mean = jnp.sum(jnp.where(used, x, 0.0)) / length
    variance = jnp.sum(jnp.where(used, (x - mean) ** 2, 0.0)) / length
    return jnp.where(used, (x - mean) / (jnp.sqrt(variance) + 1e-6), 0.0)


def normalize_padded(x, normalize_bucket=normalize_masked):
    """Pad to the next bucket, normalize there, and cut back. Runs outside of jit."""
    length = len(x)
    bucket = next(size for size in BUCKETS if size >= length)
    padded = np.zeros(bucket, np.float32)
    padded[:length] = x
    return normalize_bucket(padded, length)[:length]


def scale(x, factor):
    """Multiply; the factor may be a Python number or an array."""
    return x * factor


def power(x, n):
    """Repeated multiplication, unrolled while tracing: `n` must be static."""
    result = jnp.ones_like(x)
    for _ in range(n):
        result = result * x
    return result


def counted(function):
    """The function, and a list that grows by one for each trace of it."""
    traces = []

    def traced(*args):
        traces.append(len(traces))
        return function(*args)

    return traced, traces


def lengths_traced(lengths=range(10, 41)):
    """How often both versions are traced for these lengths: plain, padded."""
    plain, plain_traces = counted(normalize)
    masked, masked_traces = counted(normalize_masked)
    plain, masked = jax.jit(plain), jax.jit(masked)
    for length in lengths:
        x = np.arange(length, dtype=np.float32)
        plain(x)
        normalize_padded(x, masked)
    return len(plain_traces), len(masked_traces)


def weak_types():
    """How often `scale` is traced for a Python number and for an array scalar: twice."""
    traced, traces = counted(scale)
    jitted = jax.jit(traced)
    jitted(jnp.ones(8), 2.0)
    jitted(jnp.ones(8), jnp.float32(2.0))
    return len(traces)
