"""What the kernel does to a process when memory runs out."""

# jaxscope: f(f32[3])
import os
import signal
import time


def f(x):
    time.sleep(0.2)  # long enough for the memory to be measured
    os.kill(os.getpid(), signal.SIGKILL)
