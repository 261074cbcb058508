"""Prints how many devices there are; run by `test_session.py`."""

# jaxscope: f(f64[3])
import jax

print("devices:", len(jax.devices()))


def f(x):
    return x + 1
