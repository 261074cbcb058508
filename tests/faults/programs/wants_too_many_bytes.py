"""A petabyte of Python's own."""

# jaxscope: f(f32[3])

TABLE = bytearray(10**15)


def f(x):
    return x
