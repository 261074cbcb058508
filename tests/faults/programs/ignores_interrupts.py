"""SIGINT is ignored."""

# jaxscope: f(f32[3])
import signal
import time


def f(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("looping")
    while True:
        time.sleep(0.01)
