"""A loop that catches `KeyboardInterrupt` and goes on."""

# jaxscope: f(f32[3])
import time


def f(x):
    print("looping")
    while True:
        try:
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            pass
