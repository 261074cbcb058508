"""An endless loop in the traced function."""

# jaxscope: f(f32[3])


def f(x):
    print("looping")
    while True:
        x = x.T
