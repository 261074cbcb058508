"""SIGINT is ignored."""

# jaxscope: f(f32[3])
import signal


def f(x):
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    print("looping")
    while True:
        pass
