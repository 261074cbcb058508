"""An exit hook that never ends, and works."""

# jaxscope: f(f32[3])
import atexit
import time

atexit.register(time.sleep, 3600)


def f(x):
    return x + 1
