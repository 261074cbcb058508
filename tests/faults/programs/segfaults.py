"""Native code reads address 0."""

# jaxscope: f(f32[3])
import ctypes


def f(x):
    return ctypes.string_at(0) and x
