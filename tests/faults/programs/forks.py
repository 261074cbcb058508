"""Forks, and lets the child go on as if it were the worker."""

# jaxscope: f(f32[3])
import os

os.fork()


def f(x):
    return x + 1
