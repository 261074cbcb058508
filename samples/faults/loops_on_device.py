"""A loop of the compiled program that never ends: signals do not reach it."""

# jaxscope: f(f32[3])
import jax

END = jax.jit(lambda x: jax.lax.while_loop(lambda y: y >= 0, lambda y: (y * 1.0001) % 7, x))(1.0)
print("looping")
END.block_until_ready()


def f(x):
    return x * END
