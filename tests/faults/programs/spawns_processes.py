"""Starts processes of its own through `multiprocessing`, and works."""

# jaxscope: f(f32[3])
import multiprocessing

with multiprocessing.get_context("spawn").Pool(1) as pool:
    SCALE, SHIFT = pool.map(abs, [-2, -1])


def f(x):
    return x * SCALE + SHIFT
