"""A loop in C that never lets go of the interpreter's lock."""

# jaxscope: f(f32[3])
from collections import deque
from itertools import count


def f(x):
    print("looping")
    deque(count(), maxlen=0)
    return x
