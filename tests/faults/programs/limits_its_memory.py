"""More memory than the process may have by a limit of the system's."""

# jaxscope: f(f32[3])
import resource

import jax.numpy as jnp

jnp.ones(3).block_until_ready()  # the backend starts before the limit
resource.setrlimit(resource.RLIMIT_DATA, (2_000_000_000, 2_000_000_000))
TABLE = jnp.ones((40_000, 40_000)).block_until_ready()


def f(x):
    return x * TABLE[0, 0]
