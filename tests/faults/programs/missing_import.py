"""An import of a module that is not installed."""

# jaxscope: f(f32[3])
import a_module_that_nobody_has


def f(x):
    return a_module_that_nobody_has.g(x)
