"""200 MB in one line."""

# jaxscope: f(f32[3])
import sys


def f(x):
    sys.stdout.write("y" * 200_000_000)
    return x
