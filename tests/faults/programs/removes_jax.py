"""Takes JAX out of `sys.modules`, which no process recovers from."""

# jaxscope: f(f32[3])
import sys

for name in [name for name in sys.modules if name.partition(".")[0] in ("jax", "jaxlib")]:
    del sys.modules[name]


def f(x):
    return x + 1
