"""A sleep of an hour."""

# jaxscope: f(f32[3])
import time


def f(x):
    print("sleeping")
    time.sleep(3600)
    return x
