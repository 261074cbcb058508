"""Leaves a thread that never ends, and works."""

# jaxscope: f(f32[3])
import threading

threading.Thread(target=threading.Event().wait).start()


def f(x):
    return x + 1
