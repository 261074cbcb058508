"""Functions that make NaN or Inf: the guilty line of each says `# here`.

`CASES` has a call for each, what is made, and the iterations of the loops around it.
"""

import jax
import jax.numpy as jnp
from jax import lax


def log_of_negative(x):
    y = x - 3.0
    return jnp.log(y).sum()  # here


def log_of_zero(x):
    return jnp.log(x * 0.0)  # here


def sqrt_of_negative(x):
    return jnp.sqrt(x - 2.0) + 1.0  # here


def zero_by_zero(x):
    y = x - x
    return y / y  # here


def one_by_zero(x):
    return 1.0 / (x - x)  # here


def inf_minus_inf(x):
    big = x * jnp.inf
    return big - big  # here


def zero_times_inf(x):
    big = jnp.exp(x * 1000.0)
    return big * 0.0  # here


def overflow(x):
    return jnp.exp(x * 100.0)  # here


def power_of_negative(x):
    return jnp.power(-x, 0.5)  # here


def arccos_of_two(x):
    return lax.acos(x + 1.0)  # here


def arcsin_of_two(x):
    return lax.asin(x + 1.0)  # here


def log1p_of_minus_two(x):
    return jnp.log1p(-2.0 * x)  # here


def rsqrt_of_zero(x):
    return lax.rsqrt(x - x)  # here


def naive_softmax(x):
    e = jnp.exp(x * 200.0)
    return e / e.sum()  # here


def naive_logsumexp(x):
    return jnp.log(jnp.exp(x * 200.0).sum())  # here


def norm(x):
    return jnp.linalg.norm(x)  # here


def safe_by_where(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0).sum()  # here


def log_by_where(x):
    return jnp.where(x > 0, x * jnp.log(x), 0.0).sum()  # here


def root(x):
    return jnp.sqrt(x).sum()  # here


def scanned(x):
    def step(carry, v):
        left = carry - v
        return left, jnp.log(left)  # here

    return lax.scan(step, 7.5, x)


def scanned_backwards(x):
    def step(carry, v):
        return carry, 1.0 / (v - 2.0)  # here

    return lax.scan(step, 0.0, x, reverse=True)


def looped(x):
    return lax.fori_loop(0, 9, lambda i, v: jnp.sqrt(v - i), x)  # here


def while_looped(x):
    def body(state):
        i, v = state
        return i + 1, jnp.log(v)  # here

    return lax.while_loop(lambda state: state[0] < 5, body, (0, x))


def nested_scans(x):
    def inner(carry, v):
        return carry, jnp.arccosh(v + 1.0)  # here

    def outer(carry, row):
        return carry, lax.scan(inner, 0.0, row)[1]

    return lax.scan(outer, 0.0, x)


def branched(x):
    return lax.cond(x > 2, lambda v: v, lambda v: jnp.log(-v), x)  # here


def mapped(x):
    return jax.vmap(lambda row: jnp.log(row).sum())(x)  # here


@jax.custom_vjp
def own_root(x):
    return jnp.sqrt(x)


def own_forward(x):
    return jnp.sqrt(x), x


def own_backward(x, g):
    return (g / (x - x),)


own_root.defvjp(own_forward, own_backward)


def own_gradient(x):
    return own_root(x).sum()  # here: JAX places a backward rule where the function is called


def in_jit(x):
    return jax.jit(lambda v: v / (v - v))(x)  # here


def in_composite(x):
    def logarithm(v):
        return jnp.log(v - 3.0)  # here

    return lax.composite(logarithm, name="test.logarithm")(x) * 2.0


def mean_of_nothing(x):
    return jnp.mean(x[:0])  # here


def standardized(x):
    return (x - x.mean()) / x.std()  # here


def running_product(x):
    return jnp.cumprod(x * 1e20)  # here


def product(x):
    huge = x * 3e38
    return huge @ jnp.array([[1.0, -1.0], [1.0, -1.0]])  # here


def half_precision(x):
    return x.astype(jnp.float16) * 60000.0  # here


def remainder(x):
    return lax.rem(x, x - x)  # here


def hessian_of_norm(x):
    return jnp.sqrt((x * x).sum())  # here


def arctanh_of_one(x):
    return jnp.arctanh(x)  # here


def summed_past_the_largest(x):
    total = jax.new_ref(x)
    jax.ref.addupdate(total, 1, 3e38)
    jax.ref.addupdate(total, 1, x[0] * 3e38)  # here
    return total[...]


def summed_inf_minus_inf(x):
    total = jax.new_ref(jnp.zeros(4))

    def step(i, state):
        jax.ref.addupdate(total, 2, x * jnp.array([jnp.inf, -jnp.inf])[i])  # here
        return state

    lax.fori_loop(0, 2, step, 0)
    return total[...] * 1.0


def summed_backwards(x):
    total = jax.new_ref(x * 3e38)
    jax.ref.addupdate(total, jnp.array([2, 1, 0]), jnp.array([3e38, 0.0, 0.0]))  # here
    return total[...]


CASES = (
    ("log_of_negative(jnp.ones(3))", "nan", ()),
    ("log_of_zero(jnp.ones(3))", "inf", ()),
    ("sqrt_of_negative(jnp.ones(3))", "nan", ()),
    ("zero_by_zero(jnp.ones(3))", "nan", ()),
    ("one_by_zero(jnp.ones(3))", "inf", ()),
    ("inf_minus_inf(jnp.ones(3))", "nan", ()),
    ("zero_times_inf(jnp.ones(3))", "nan", ()),
    ("overflow(jnp.ones(3))", "inf", ()),
    ("power_of_negative(jnp.ones(3))", "nan", ()),
    ("arccos_of_two(jnp.ones(3))", "nan", ()),
    ("arcsin_of_two(jnp.ones(3))", "nan", ()),
    ("log1p_of_minus_two(jnp.ones(3))", "nan", ()),
    ("rsqrt_of_zero(jnp.ones(3))", "inf", ()),
    ("naive_softmax(jnp.ones(3))", "nan", ()),
    ("naive_logsumexp(jnp.ones(3))", "inf", ()),
    ("grad(norm)(jnp.zeros(3))", "nan", ()),
    ("grad(safe_by_where)(jnp.array([1.0, 0.0]))", "nan", ()),
    ("grad(log_by_where)(jnp.array([1.0, 0.0]))", "nan", ()),
    ("grad(root)(jnp.zeros(2))", "inf", ()),
    ("scanned(jnp.ones(12))", "nan", (7,)),
    ("scanned_backwards(jnp.arange(5.0))", "inf", (2,)),
    ("looped(5.0)", "nan", (2,)),
    ("while_looped(2.0)", "nan", (2,)),
    ("nested_scans(jnp.array([[1.0, 2.0], [3.0, -4.0]]))", "nan", (1, 1)),
    ("branched(1.0)", "nan", ()),
    ("mapped(jnp.array([[1.0, 2.0], [3.0, -4.0]]))", "nan", ()),
    ("grad(own_gradient)(jnp.ones(3))", "inf", ()),
    ("in_jit(2.0)", "inf", ()),
    ("in_composite(2.0)", "nan", ()),
    ("mean_of_nothing(jnp.ones(3))", "nan", ()),
    ("standardized(jnp.ones(3))", "nan", ()),
    ("running_product(jnp.ones(3))", "inf", ()),
    ("product(jnp.ones((1, 2)))", "inf", ()),
    ("half_precision(jnp.ones(3) * 2)", "inf", ()),
    ("remainder(jnp.ones(3))", "nan", ()),
    ("hessian(hessian_of_norm)(jnp.zeros(2))", "nan", ()),
    ("arctanh_of_one(jnp.ones(2))", "inf", ()),
    *(
        ("summed_past_the_largest(jnp.ones(3))", "inf", ()),
        ("summed_inf_minus_inf(1.0)", "nan", (1,)),
    )
    * hasattr(jax, "ref"),
)
