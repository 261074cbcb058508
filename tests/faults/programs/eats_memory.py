"""Takes memory without an end."""

# jaxscope: f(f32[3])

TAKEN = []


def f(x):
    while True:
        TAKEN.append(bytearray(b"m") * 1_000_000)
