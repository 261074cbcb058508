"""A callback that the compiled program waits for, for an hour."""

# jaxscope: f(f32[3])
import time

import jax


def wait(x):
    print("sleeping", flush=True)
    time.sleep(3600)
    return x


def f(x):
    return jax.pure_callback(wait, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
