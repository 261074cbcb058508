"""A mask as an index: the shape would depend on values."""

# jaxscope: f(f32[3])


def f(x):
    return x[x > 0]
