"""A loop that catches `KeyboardInterrupt` and goes on."""

# jaxscope: f(f32[3])


def f(x):
    print("looping")
    while True:
        try:
            while True:
                pass
        except KeyboardInterrupt:
            pass
