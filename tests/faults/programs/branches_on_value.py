"""Python's `if` on a traced value."""

# jaxscope: f(f32[3])


def f(x):
    if x.sum() > 0:
        return x
    return -x
