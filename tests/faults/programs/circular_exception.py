"""Two exceptions that are each other's cause."""

# jaxscope: f(f32[3])


def f(x):
    first, second = ValueError("first"), KeyError("second")
    first.__cause__ = second
    second.__cause__ = first
    raise first
