"""A Python loop that traces a million equations."""

# jaxscope: f(f32[3])


def f(x):
    print("looping")
    for _ in range(1_000_000):
        x = x * 1.5 + 1
    return x
