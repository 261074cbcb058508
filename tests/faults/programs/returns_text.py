"""A function that returns a string."""

# jaxscope: f(f32[3])


def f(x):
    return "three"
