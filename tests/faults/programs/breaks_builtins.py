"""Replaces Python's built-in functions."""

# jaxscope: f(f32[3])
import builtins


def f(x):
    for name in ("len", "isinstance", "print", "open", "getattr", "str", "type"):
        setattr(builtins, name, None)
    return x + 1
