"""Raises the recursion limit and recurses through C code until the C stack is full."""

# jaxscope: f(f32[3])
import sys

sys.setrecursionlimit(1_000_000_000)


def f(x):
    return max([x], key=f)
