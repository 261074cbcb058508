"""An object whose destructor ends the process."""

# jaxscope: f(f32[3])
import os


class Evil:
    def __del__(self, end=os._exit):
        end(9)


def f(x):
    Evil()
    return x
