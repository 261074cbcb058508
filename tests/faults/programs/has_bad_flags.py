"""A flag that XLA does not know, set before its backend starts: XLA ends the process."""

# jaxscope: f(f32[3])
import os

os.environ["XLA_FLAGS"] = "--xla_no_such_flag=1"


def f(x):
    return x * 2
