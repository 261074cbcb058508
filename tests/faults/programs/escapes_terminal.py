"""An exception and a print that try to drive the terminal."""

# jaxscope: f(f32[3])


def f(x):
    print("\x1b]0;owned\x07\x1b[2Jcleared")
    raise ValueError("\x1b[31mred\x1b[0m \u202etxet")
