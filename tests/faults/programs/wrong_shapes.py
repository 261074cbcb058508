"""Shapes that do not fit."""

# jaxscope: f(f32[3], f32[4])


def f(x, y):
    return x + y
