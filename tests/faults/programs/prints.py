"""Prints by every way there is, and works."""

# jaxscope: f(f32[3])
import ctypes
import os
import sys


def f(x):
    print("by print")
    print("to stderr \x1b[31min red\x1b[0m", file=sys.stderr)
    os.write(1, b"by os.write\n")
    ctypes.CDLL(None).printf(b"by printf\n")
    return x + 1
