"""A power with 370 million digits, computed inside Python."""

# jaxscope: f(f32[3])

print("looping", flush=True)
NUMBER = 9**9**9


def f(x):
    return x
