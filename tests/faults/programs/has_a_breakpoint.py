"""A forgotten `breakpoint()`, while the garbage collector runs as often as it can."""

# jaxscope: f(f32[3])
import gc

gc.set_threshold(1, 1, 1)


def f(x):
    breakpoint()  # pdb would stop in JAX's hook of the collector instead
    return x
