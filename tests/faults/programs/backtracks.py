"""A regular expression that takes longer than the universe has."""

# jaxscope: f(f32[3])
import re


def f(x):
    print("looping")
    re.match("(a+)+$", "a" * 60 + "b")
    return x
