"""Recursion without an end."""

# jaxscope: f(f32[3])


def f(x):
    return f(x + 1)
