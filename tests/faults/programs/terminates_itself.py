"""SIGTERM, as job schedulers send it."""

# jaxscope: f(f32[3])
import os
import signal


def f(x):
    os.kill(os.getpid(), signal.SIGTERM)
    signal.pause()
