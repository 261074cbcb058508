"""An exception with a text of 100 MB."""

# jaxscope: f(f32[3])


def f(x):
    raise ValueError("z" * 100_000_000)
