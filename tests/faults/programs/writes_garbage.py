"""Writes to every file descriptor it can find."""

# jaxscope: f(f32[3])
import contextlib
import os
import time


def f(x):
    for descriptor in range(200, 220):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"\xff" * 64)
    time.sleep(3600)
