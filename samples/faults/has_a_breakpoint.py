"""A forgotten `breakpoint()`."""

# jaxscope: f(f32[3])


def f(x):
    breakpoint()
    return x
