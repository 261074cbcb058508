"""More programs whose fates are easy to get wrong: shared functions in loops, merges, splits."""

import jax
import jax.numpy as jnp
from jax import lax
from jax.experimental import pallas

# jaxscope: kernels_of_one_step(f32[64], f32[64])
# jaxscope: two_loops(f32[6, 6], f32[6], f32[4, 6])
# jaxscope: shared_in_loop(f32[8], f32[5, 8])
# jaxscope: grad(shared_in_loop_sum)(f32[8], f32[5, 8])
# jaxscope: vmap(clipped_twice)(f32[3, 16])
# jaxscope: vmap(grad(clipped_sum))(f32[3, 16])
# jaxscope: long_sum(f32[8], f32[4096, 8], f32[4096])
# jaxscope: normalize(f32[4, 33], f32[()])
# jaxscope: neutral(f32[16], i32[16])
# jaxscope: no_argument(f32[24])
# jaxscope: grad(ruled_sum)(f32[12])
# jaxscope: branches(f32[8], i32[()])
# jaxscope: grad(branches_sum)(f32[8], 1)
# jaxscope: invariant(f32[8, 8], f32[8])
# jaxscope: pieces(f32[4, 6], f32[4, 6], i32[()])
# jaxscope: grad(chain_of_products)(f32[3, 3])
# jaxscope: grad(largest_of_windows)(f32[6, 6])
# jaxscope: several_sorted(f32[20], i32[20])
# jaxscope: noise(key(0), f32[10])
# jaxscope: grad(remat_scan)(f32[6, 6], f32[5, 6])
# jaxscope: equal_after(f32[16])
# jaxscope: vmap(turned_twice)(f32[5, 3, 4, 2])
# jaxscope: summed_twice(f32[2, 3, 4])
# jaxscope: product_of_a_call(f32[3, 3], f32[3, 3])
# jaxscope: product_for_a_call(f32[4, 4], f32[3, 4], f32[3])
# jaxscope: running_sum_of_one_number(f32[3])
# jaxscope: hessian(ruled_sum)(f32[5])
# jaxscope: nested_while(f32[8])
# jaxscope: changed(f32[100])
# jaxscope: split(i32[128, 128])
# jaxscope: largest(f32[8], f32[8])
# jaxscope: chosen(f32[16], i32[()])
# jaxscope: made_of_nothing(f32[3])
# jaxscope: solved(f32[3, 3], f32[3])
# jaxscope: weighed(f32[4, 5], f32[3, 5], f32[3, 4])
# jaxscope: vmap(approached, in_axes=(None, 0))(f32[5, 5], f32[2, 5])


def two_loops(w, c, xs):
    """Two loops of one jitted step: XLA outlines both, and stamps the names of both."""

    def step(c, x):
        c = jnp.tanh(w @ c + x)
        return c, jnp.sum(c)

    c, a = lax.scan(step, c, xs)
    c, b = lax.scan(step, c * 0.5, xs[::-1])
    return c, a + b


@jax.jit
def squash(v):
    return jnp.where(v > 0, v, jnp.expm1(v)) * 1.0


def shared_in_loop(c, xs):
    """One jitted function inside a loop, before it and after it."""
    c = squash(c)

    def step(c, x):
        c = squash(c + x)
        return squash(c) - x, c

    c, ys = lax.scan(step, c, xs)
    return squash(c), ys


def shared_in_loop_sum(c, xs):
    c, ys = shared_in_loop(c, xs)
    return c.sum() + ys.sum()


def clipped_twice(x):
    """`clip` and `where` of the same values, one call of which is dead."""
    a = jnp.clip(x, -1.0, 1.0)
    b = jnp.clip(a, -1.0, 1.0)
    jnp.clip(x, -2.0, 2.0)
    return jnp.where(a > 0, a, b) + jnp.where(x > 0, x, 0.0)


def clipped_sum(x):
    return clipped_twice(x).sum()


def long_sum(w, x, y):
    """Products with a long sum, forward and transposed, as XLA splits them."""
    r = x @ w - y
    return x.T @ r, jnp.dot(r, r), jnp.einsum("ij,ik->jk", x, x)


def normalize(x, scale):
    """Divisions by scalars and by rows: reciprocals with the division's name."""
    y = x / scale
    z = y / jnp.sum(y, axis=1, keepdims=True)
    return z / 7.0, 1.0 / scale, x / (scale * scale)


def neutral(x, n):
    """Neutral elements of every kind, some of which are neutral for integers alone."""
    a = x + jnp.zeros_like(x)
    b = a * jnp.ones(16)
    c = jnp.maximum(b, -jnp.inf) - 0.0
    m = (n | 0) & -1
    m = m ^ jnp.zeros_like(m)
    return jnp.cos(c) ** 1 + jnp.where(m > 2, 0.0, c), jnp.negative(-m), n * 0


def no_argument(x):
    """Values that no argument reaches: small ones folded, large ones made when it runs."""
    grid = jnp.linspace(0.0, 1.0, 24)
    large = jnp.sin(jnp.arange(100_000.0))
    mask = jnp.tri(24)
    key = jax.random.key(3)
    return mask @ (x * grid), large.sum() + x[0], jax.random.uniform(key, (24,)) + x


@jax.custom_jvp
def steep(x):
    return jnp.log1p(jnp.exp(x))


@steep.defjvp
def _steep_jvp(primals, tangents):
    (x,), (t,) = primals, tangents
    return steep(x), jax.nn.sigmoid(x) * t


def ruled_sum(x):
    """Custom rules called several times, one in the other; twice differentiable by the second."""
    y = steep(x) + steep(2.0 * x)
    return jnp.sum(steep(y) * steep(x))


def branches(x, i):
    """Branches that share work with each other and with what is outside."""
    s = jnp.sin(x)
    return lax.switch(
        i,
        [lambda v: jnp.sin(v) * 2.0 + s, lambda v: jnp.sin(v) * 3.0 - s, lambda v: v + 0.0],
        x,
    ) + lax.cond(i > 0, lambda v: jnp.exp(v), lambda v: jnp.exp(v) * 1.0, x)


def branches_sum(x, i):
    return branches(x, i).sum()


def invariant(w, v):
    """A loop with invariant products, a counter nobody reads, and a carry that never changes."""

    def body(state):
        i, v, fixed, unread = state
        scale = jnp.linalg.norm(w @ w.T)
        return i + 1, w @ v / scale + jnp.cos(fixed), fixed, unread + jnp.exp(v)

    _, v, fixed, _ = lax.while_loop(lambda s: s[0] < 7, body, (0, v, v * 2.0, v))
    return v + fixed


def pieces(x, y, i):
    """Concatenations whose pieces are cut out again, and slices at places known late."""
    both = jnp.concatenate([jnp.sin(x), jnp.cos(y)], axis=0)
    first, second = both[:4], both[4:]
    row = lax.dynamic_slice(both, (i, 0), (2, 6))
    known = lax.dynamic_slice(both, (1, 0), (2, 6))
    changed = lax.dynamic_update_slice(second, row, (0, 0))
    return first * 2.0, changed, jnp.stack([known, row]), jnp.pad(x, 1)[1:-1, 1:-1]


def several_sorted(x, n):
    """Sorts of several operands, of which one result is dead, and order statistics."""
    a, b, _ = lax.sort((n, x, jnp.arange(20)), num_keys=2)
    order = jnp.argsort(x)
    values, places = lax.top_k(x, 4)
    return a, b, x[order], values, places, jnp.sort(x)[::-1]


def noise(key, x):
    """Random numbers of one key used twice, and of its children."""
    a, b = jax.random.split(key)
    n = jax.random.normal(a, (10,))
    same = jax.random.normal(a, (10,))
    u = jax.random.uniform(b, (10,), minval=-1.0, maxval=1.0)
    return x + n - same, jnp.where(u > 0, x, 0.0), jax.random.randint(key, (3,), 0, 9)


def remat_scan(w, xs):
    """A rematerialized body in a loop: its forward equations come twice."""

    @jax.checkpoint
    def block(h, x):
        return jnp.tanh(w @ h) + jax.nn.relu(x)

    h, _ = lax.scan(lambda h, x: (block(h, x), None), jnp.zeros(6), xs)
    return jnp.sum(h**2)


def equal_after(x):
    """Equal only after a pass made them so, and equal in another order of operands."""
    a = (x * 2.0) / 4.0
    b = x * 0.5
    c = jnp.exp(x) + x
    d = x + jnp.exp(x)
    return a * b, c - d, jnp.abs(jnp.abs(x)), x.reshape(4, 4).T.T.reshape(16) + (x - x)


def nested_while(x):
    """A loop in a loop, the inner one of which runs once."""

    def outer(i, v):
        inner = lax.fori_loop(0, 1, lambda j, u: squash(u) + j, v)
        return lax.fori_loop(0, i, lambda j, u: jnp.sin(u) * 0.5, inner)

    return lax.fori_loop(0, 3, outer, x)


def changed(x):
    """XLA makes a loop of a scatter, runs it once, and names nothing of what is left."""
    return x.at[0].set(1.0).at[7].add(x[3])


def split(x):
    """XLA reduces parts of 32 by 32 first; only what reduces those has a name."""
    return jnp.sum(x), jnp.prod(x.astype(jnp.float32).T)


@jax.jit
def pick(x):
    """The index of the largest element."""
    return jnp.argmax(x)


def largest(x, y):
    """How two elements are compared stands in one place for all calls, of which one is dead."""
    pick(x)
    return pick(y * 2.0), pick(y * 3.0)


def chosen(x, n):
    """XLA sorts by a library, and says how by comparisons that no equation has."""
    return jnp.where(n - n == 0, lax.top_k(x, 2)[0], 0.0)


def made_of_nothing(c):
    """Products of matrices that depend on no argument, and that XLA makes all the same."""
    column = 2 * jnp.eye(3) @ jnp.ones((1, 3)).T
    return jnp.vdot(c, c) * (jnp.tril(jnp.ones((3, 3))) @ column)


@jax.jit
def solve(a, b):
    """A solver with rules of its own."""

    def rule(_, right):
        return jnp.linalg.solve(a, right)

    return lax.custom_linear_solve(lambda v: a @ v, b, rule, symmetric=True)


def solved(a, b):
    """Of two calls of a solver one is in a branch that is never taken."""

    def step(c, i):
        return lax.cond(i < 0, lambda c: solve(a, c), lambda c: c * 2.0, c), None

    first = lax.cond(jnp.array(False), lambda c: solve(a, c), lambda c: c + 1.0, b)
    return lax.scan(step, first, jnp.arange(4))[0]


def weighed(w, x, u):
    """A product that XLA makes in the order of its transpose, and with the name of that one."""
    return lax.dot_general((w @ x.T).T, u, (((), ()), ((0, 1), (0, 1))))


def approached(w, x):
    """Such products in a loop, which XLA makes anew."""

    def go_on(c):
        return jnp.sum(jnp.abs(w @ c - x)) > 1.0

    return lax.while_loop(go_on, lambda c: c - 0.1 * (w @ c - x), x)


def chain_of_products(x):
    """Its derivative multiplies by one, and XLA takes the product before that for the transpose."""
    return jnp.einsum("ij,jk,kl,li->", x, x, x, x)


def largest_of_windows(x):
    """XLA makes a scatter of its derivative, and windows of which only elements are read."""
    return lax.reduce_window(x, -jnp.inf, lax.max, (2, 2), (2, 2), "VALID").sum()


@jax.jit
def turned_twice(x):
    turned = jnp.sin(x).transpose(1, 2, 0)  # MLIR makes one transpose of the two
    again = turned.transpose(2, 1, 0)
    return jnp.cumsum(again, 0)


def summed_twice(x):
    return x.sum(0, keepdims=True).sum(2, keepdims=True)  # XLA reduces once along both


@jax.jit
def two_results(a):
    made = jnp.sin(a)
    return made.T, jnp.cos(made)


def product_of_a_call(a, b):
    turned, other = two_results(a)  # XLA makes the product anew as it takes the call's tuple away
    product = lax.dot_general(b @ other, turned, (((0,), (0,)), ((), ())))
    return product.T / 2


@jax.jit
def scaled_rows(g, made):
    return lax.dot_general(g, made, (((), ()), ((0,), (1,))))


def product_for_a_call(a, b, g):
    """XLA makes the product in another order, and gives it the name of the call that reads it."""
    return scaled_rows(jnp.sin(g), lax.dot_general(jnp.cos(a), b, (((1,), (1,)), ((), ()))))


def running_sum_of_one_number(x):
    return x / jnp.cumsum(jnp.full(3, 0.25))  # XLA counts up, which has no name


def kernels_of_one_step(x, y):
    """JAX's interpreter makes a loop of one round of each, the second of which multiplies by 1."""

    def multiply(x, y):
        def kernel(x_ref, y_ref, out_ref):
            out_ref[...] = x_ref[...] * y_ref[...]

        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return pallas.pallas_call(kernel, out_shape=shape, interpret=True)(x, y)

    return multiply(multiply(x, y), jnp.ones_like(x))
