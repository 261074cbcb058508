"""`sys.exit` in the traced function."""

# jaxscope: f(f32[3])
import sys


def f(x):
    sys.exit("no luck")
