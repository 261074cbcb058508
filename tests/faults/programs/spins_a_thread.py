"""A thread that never rests takes turns with everything that Python does."""

# jaxscope: f(f32[3])
import threading


def spin():
    while True:
        pass


threading.Thread(target=spin, name="busy", daemon=True).start()


def f(x):
    return x + 1
