"""A leaked traced value inside another traced function: JAX traces and compiles it all the same."""

# jaxscope: f(f32[3])
import jax

KEPT = []


def keep(x):
    KEPT.append(x)
    return x


jax.jit(keep)(1.0)


def f(x):
    return x + KEPT[0]
