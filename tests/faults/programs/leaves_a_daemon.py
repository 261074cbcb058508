"""Leaves a grandchild in a session of its own, and works."""

# jaxscope: f(f32[3])
import subprocess

subprocess.run(["setsid", "--fork", "sleep", "3600"], check=True)


def f(x):
    return x + 1
