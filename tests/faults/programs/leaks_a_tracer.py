"""A traced value is kept in a global and used later."""

# jaxscope: f(f32[3])
import jax

KEPT = []


def keep(x):
    KEPT.append(x)
    return x


jax.jit(keep)(1.0)
DOUBLE = KEPT[0] * 2


def f(x):
    return x + DOUBLE
