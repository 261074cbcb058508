"""Writes to file descriptor 2 for ever."""

# jaxscope: f(f32[3])
import os


def f(x):
    while True:
        os.write(2, b"x" * 65536)
