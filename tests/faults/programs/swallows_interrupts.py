"""A loop that catches `KeyboardInterrupt` and goes on."""

# jaxscope: f(f32[3])
import time


def f(x):
    while True:
        try:
            print("looping")
            while True:
                time.sleep(0.01)
        except KeyboardInterrupt:
            pass
