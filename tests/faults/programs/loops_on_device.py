"""A loop of the compiled program that never ends: signals do not reach it."""

# jaxscope: f(f32[3])
import jax

print("looping")
END = jax.lax.while_loop(lambda x: x >= 0, lambda x: (x * 1.0001) % 7, 1.0)


def f(x):
    return x * END
