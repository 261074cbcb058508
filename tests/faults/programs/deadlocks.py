"""A lock that is taken twice."""

# jaxscope: f(f32[3])
import threading

LOCK = threading.Lock()


def f(x):
    print("looping")
    with LOCK, LOCK:
        return x
