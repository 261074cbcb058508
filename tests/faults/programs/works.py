"""Nothing is wrong here: what is run after every fault."""

# jaxscope: f(f32[3])


def f(x):
    return x * 2 + 1
