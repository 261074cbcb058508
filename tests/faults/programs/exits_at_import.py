"""`sys.exit` at import, as scripts without a main guard do."""

# jaxscope: f(f32[3])
import sys


def f(x):
    return x


sys.exit(3)
