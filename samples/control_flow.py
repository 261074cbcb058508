"""Control flow: loops and branches are equations with programs inside.

Look at: `running_total`, which is a scan, and one function for each other of JAX's loops and
branches.

Predict: a `scan` over 1,000 numbers: how many equations? What becomes of a `cond` under `vmap`?

Then see: each loop is one equation, drawn as a box with its body inside; `scan` states how often
it runs, `while_loop` cannot know. `cond` and `switch` hold one body for each branch. Under `vmap`
with a batch of conditions, `cond` becomes `select`: both branches run for every element and the
wanted result is picked. `associative_scan` is no loop: it unrolls into a tree of log n levels.
"""

import jax
import jax.numpy as jnp

# jaxscope: running_total(f32[1000])
# jaxscope: newton_sqrt(2.0)
# jaxscope: power_of_two(f32[()])
# jaxscope: leaky(f32[()])
# jaxscope: vmap(leaky)(f32[8])
# jaxscope: pick(1, f32[4])
# jaxscope: prefix_products(f32[16])
# jaxscope: nested(f32[5, 7])
# jaxscope: grad(nested)(f32[5, 7])


def running_total(x):
    """scan: carries a total and stacks what it was at each step."""

    def step(total, value):
        total = total + value
        return total, total

    return jax.lax.scan(step, jnp.float32(0), x)[1]


def newton_sqrt(a):
    """while_loop: Newton's method until the error is small."""
    return jax.lax.while_loop(
        lambda x: jnp.abs(x * x - a) > 1e-4, lambda x: 0.5 * (x + a / x), jnp.maximum(a, 1.0)
    )


def power_of_two(x):
    """fori_loop with known bounds: ten doublings."""
    return jax.lax.fori_loop(0, 10, lambda _, y: y * 2.0, x)


def leaky(x):
    """cond: one of two branches."""
    return jax.lax.cond(x > 0, lambda y: y, lambda y: 0.01 * jnp.sin(y), x)


def pick(index, x):
    """switch: one of three branches."""
    return jax.lax.switch(index, [jnp.sin, jnp.cos, jnp.tanh], x)


def prefix_products(x):
    """associative_scan: all the products of the first n numbers, in a tree."""
    return jax.lax.associative_scan(jnp.multiply, x)


def nested(x):
    """A scan over rows; in its body a loop over columns; in that one's body a branch."""
    num_columns = x.shape[1]

    def row(total, values):
        def column(i, partial):
            value = values[i]
            return partial + jax.lax.cond(value > 0, jnp.sqrt, lambda v: 0.5 * v, value)

        return jax.lax.fori_loop(0, num_columns, column, total), None

    return jax.lax.scan(row, jnp.float32(0), x)[0]
