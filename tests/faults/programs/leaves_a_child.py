"""Leaves a child process, and works."""

# jaxscope: f(f32[3])
import subprocess

subprocess.Popen(["sleep", "3600"])


def f(x):
    return x + 1
