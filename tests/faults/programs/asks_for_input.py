"""`input()`, with nobody to type."""

# jaxscope: f(f32[3])


def f(x):
    return x * float(input("scale? "))
