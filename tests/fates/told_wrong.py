"""Programs whose fates are easy to get wrong: what XLA renames, merges, splits and shares."""

from __future__ import annotations

import jax
import jax.numpy as jnp
from jax import lax


def small_loop(w, c, xs):
    """XLA makes the product anew without a name, and stamps the loop's name on it."""

    def step(c, x):
        c = jnp.tanh(c @ w + x)
        return c, c

    return lax.scan(step, c, xs)


def summed_loop(w, c, xs):
    return small_loop(w, c, xs)[1].sum()


def power(a, v):
    def body(i, v):
        v = a @ v
        return v / jnp.linalg.norm(v)

    return lax.fori_loop(0, 10, body, v)


def same_sum_twice(x):
    """Both sums are `x`; of the two only the second is used."""
    zeros = jnp.zeros(64)
    jnp.sin(x + zeros)
    return jnp.cos(x + zeros)


def three_relus(w1, w2, w3, x):
    """One function of jax.nn's, called three times, each time fused elsewhere."""
    a = jax.nn.relu(x @ w1)
    b = jax.nn.relu(a @ w2)
    return jax.nn.relu(b @ w3)


@jax.jit
def act(v):
    return jnp.sin(v) * v


def one_function_three_times(x):
    """The call in the middle is folded into a constant, the others are not."""
    a = act(x)
    b = act(jnp.ones(64))
    c = act(x + 1.0)
    return a + b, jnp.sort(c)


def two_triangles(x):
    """The masks of both calls are merged and computed when the program runs."""
    a = jnp.tril(x)
    b = jnp.triu(x)
    return a @ b + jnp.tril(x * 2.0)


def solve_and_determinant(a, b):
    """Two factorizations of one matrix are one."""
    return jnp.sum(jnp.linalg.solve(a, b)) * jnp.linalg.det(a)


def two_softmaxes(x):
    """Divisions become products with a reciprocal that bears the division's name."""
    return -jnp.sum(jax.nn.softmax(x) * jax.nn.log_softmax(x))


def dropped(x, key):
    mask = jax.random.bernoulli(key, 0.5, x.shape)
    return jnp.sum(jnp.where(mask, x, 0.0) ** 2)


def counted(x):
    """Two rows of numbers that depend on no argument: one is left, and a kernel makes it."""
    i, j = jnp.arange(64), jnp.arange(64)
    return jnp.where(i > 3, x, 0.0) + jnp.where(j < 60, x * x, 1.0)


def rise(v):
    return jnp.sin(v) * 2.0


def fall(v):
    return jnp.cos(v) - 1.0


def shared_branches(x):
    """Three branches of the same two functions: one dead, one decided, one in another order."""
    lax.cond(x[0] > 0, rise, fall, x)
    known = lax.cond(True, rise, fall, x)
    return known + lax.cond(x[0] > 1, fall, rise, x)


def shared_bodies(x, n):
    """One body in two loops whose conditions have other constants; of the first nothing is used."""

    def body(state):
        i, v, w = state
        return i + 1, jnp.sin(v) + w, w * 0.5

    lax.while_loop(lambda s: s[0] < 5, body, (0, x, x * 3.0))
    return lax.while_loop(lambda s: s[0] < n, body, (0, x, x * 2.0))[1]


def carried_in_vain(w, x, n):
    """Two carried values feed only each other: XLA keeps them, and makes their product anew."""

    def body(state):
        i, v, a, b = state
        return i + 1, jnp.tanh(v @ w), b @ w, jnp.sin(a)

    return lax.while_loop(lambda s: s[0] < n, body, (0, x, x * 2.0, x * 3.0))[1]


def stacked_products(w, x):
    """The products of the gradient are made in the order of their transposes, in a loop."""

    def body(c, w):
        return jnp.tanh(c @ w), None

    return lax.scan(body, x, w)[0].sum()


def two_solves(a, b):
    """One factorization is used twice, and of two equal sorts of its rows one runs."""
    p = jnp.linalg.solve(a, b)
    return jnp.sum(p + jnp.linalg.solve(a, b * 2.0))


def several_scatters(x, i):
    """XLA makes four loops without names of them, makes their bodies anew, and unrolls them."""
    y = x.at[i].add(2.0)
    z = y.at[1:3].set(jnp.sin(y[0:2]))
    w = z.at[0].multiply(5.0)
    return w.at[-1].max(0.5)


def cumulative(x):
    """Two windows that XLA makes anew without names, and that differ in how they combine alone."""
    return jnp.cumsum(x) + lax.cummax(x)


def running(x):
    """Two windows without names that read one constant, which has the name of the first alone."""
    return lax.cummax(x), lax.cumlogsumexp(x)


def combined(x):
    """A window and a reduction that combine elements by the user's own functions."""
    rows = lax.reduce_window(x, 0.0, lambda a, b: a + b * 2.0, (4,), (2,), "VALID")
    return rows, lax.reduce(x, 0.0, lambda a, b: jnp.maximum(a, b) + 0.0, (0,))


def one_round(c, xs):
    """A loop of one round, which a pass removes, in which other passes then simplify."""

    def step(c, x):
        c = jnp.tanh(c + x)
        return c, c * 2.0

    return lax.scan(step, c, xs)


def truncated(key):
    """Calls whose inside has instructions without names, which later passes fold."""
    return jax.random.truncated_normal(key, -2.0, 2.0, (5, 3))


def branch_in_an_unused_branch(x, p):
    """One pass of XLA's takes both conditions out, and leaves the inner one unused for a while."""
    yes = jnp.arange(3).sum() > 2
    y = lax.cond(yes, lambda x: lax.cond(p, jnp.sin, jnp.cos, x) * 2, lambda x: x - 3, x)
    return lax.cond(yes, lambda y: x * 2, lambda y: y + 1, y)


def conjugate_gradients(b):
    """Only the solve of the derivative runs; its rule has the ids of the one that is dead."""

    def matrix(v):
        return 4.0 * v + jnp.roll(v, 1) + jnp.roll(v, -1)

    return jax.scipy.sparse.linalg.cg(matrix, b, maxiter=5)[0].sum()


def zeros_of_two_types(x, key):
    """XLA computes bf16 as f32 on CPUs, so that zeros of both types are the same value there."""
    scores = jnp.where(jnp.tril(jnp.ones((8, 8), bool)), x, -jnp.inf)
    shares = jax.nn.softmax(scores.astype(jnp.float32)).astype(x.dtype)
    return jnp.where(jax.random.bernoulli(key, 0.9, shares.shape), shares / 0.9, 0) @ x
