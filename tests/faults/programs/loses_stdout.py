"""Replaces and closes the standard streams, and works."""

# jaxscope: f(f32[3])
import sys

sys.stdout.close()
sys.stdout = None
sys.stderr = None


def f(x):
    return x + 1
