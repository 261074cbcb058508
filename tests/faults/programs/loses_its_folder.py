"""Deletes the current folder, and works."""

# jaxscope: f(f32[3])
import os
import tempfile

FOLDER = tempfile.mkdtemp()
os.chdir(FOLDER)
os.rmdir(FOLDER)


def f(x):
    return x + 1
