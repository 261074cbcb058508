"""Prints for ever."""

# jaxscope: f(f32[3])


def f(x):
    while True:
        print("all work and no play " * 20)
