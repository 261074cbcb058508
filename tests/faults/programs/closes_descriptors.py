"""Closes every file descriptor, as daemons do."""

# jaxscope: f(f32[3])
import os
import time


def f(x):
    os.closerange(3, 4096)
    time.sleep(3600)
