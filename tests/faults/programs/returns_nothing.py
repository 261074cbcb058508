"""A function that returns None: there is no equation, and that is no error."""

# jaxscope: f(f32[3])


def f(x):
    return None
