"""An exception while the file is imported, two calls deep."""

# jaxscope: f(f32[3])


def load(path):
    raise ValueError(f"{path} has no weights")


WEIGHTS = load("model.bin")


def f(x):
    return x * WEIGHTS
