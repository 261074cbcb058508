"""An exception whose text cannot be had."""

# jaxscope: f(f32[3])


class EvilError(Exception):
    def __str__(self):
        raise SystemExit(4)


def f(x):
    raise EvilError
