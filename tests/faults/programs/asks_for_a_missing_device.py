"""Asks for a device that the machine lacks."""

# jaxscope: f(f32[3])
import jax

DEVICE = jax.devices("metal")[0]


def f(x):
    return jax.device_put(x, DEVICE)
