"""The file of a user's on which the promises are checked, and the calls made on it."""

from __future__ import annotations

PROGRAM = '''\
"""Functions of every kind that a call may name."""
from functools import partial

import jax
import jax.numpy as jnp

# jaxscope: loss(init(key(0)), f32[4, 3])
NOTE = "# jaxscope: not_a_call(f32[1])"
DOC = """
# jaxscope: not_a_call_either(f32[1])
"""


def init(seed):
    return {"w": jax.random.normal(seed, (3, 2)), "b": jnp.zeros(2)}


def loss(params, x):
    """The sum of squares."""
    with jax.named_scope("layer"):
        y = x @ params["w"] + params["b"]
    ä = "äöü"; z = jnp.tanh(y); del ä  # noqa
    return jnp.sum(z**2)


def power(x, n):
    return x**n


@partial(jax.jit, static_argnames="n", donate_argnums=0)
def jitted_power(x, n):
    return x**n


def nested(x):
    def body(carry, _):
        carry = jax.lax.cond(carry.sum() > 0, jnp.sin, lambda y: jnp.cos(y) * 2, carry)
        return jax.lax.while_loop(lambda v: v.sum() < 10, lambda v: v + 1.0, carry), carry

    return jax.lax.scan(body, x, None, length=3)


class Model:
    """Callable, with a method."""

    scale = 2.0

    def apply(self, x):
        return x * self.scale

    def __call__(self, x):
        return jnp.sin(x) * self.scale


model = Model()
scaled = partial(lambda scale, x: scale * x, 3.0)


def chosen(x, *, flag=True, name="plain"):
    return (x, {"more": x + 1}) if flag else -x


def total(*values, **named):
    return sum(values) + sum(named.values())


def both(first, second):
    return first, second


def identity(x):
    return x


def draw(seed):
    return jax.random.uniform(seed, (3,))


def f64(x):
    """The file's own name wins over a shorthand."""
    return x


def masked(x):
    return x[x > 3]
'''

LOSS = "loss(init(key(0)), f32[4, 3])"
GRAD = "grad(loss)(init(key(0)), f32[4, 3])"
PER_EXAMPLE = "vmap(grad(loss), in_axes=(None, 0))(init(key(0)), f32[8, 4, 3])"
NESTED = "nested(f32[2])"
GRAD_NESTED = "jax.jvp(nested, (f32[2],), (f32[2],))"

# Call → (base, transforms from innermost to outermost, names of the stages of its transforms).
CALLS: dict[str, tuple[str, list[str], list[str]]] = {
    LOSS: ("loss", [], ["gradient"]),
    GRAD: ("loss", ["grad"], ["grad"]),
    PER_EXAMPLE: ("loss", ["grad", "vmap"], ["grad", "vmap(grad)"]),
    "value_and_grad(loss)(init(key(0)), f32[4, 3])": (
        "loss",
        ["value_and_grad"],
        ["value_and_grad"],
    ),
    "jit(power, static_argnames='n', donate_argnums=0)(f32[3], n=4)": (
        "power",
        ["jit"],
        ["gradient"],
    ),
    "jit(grad(loss))(init(key(0)), f32[4, 3])": ("loss", ["grad", "jit"], ["grad"]),
    "jitted_power(f32[3], n=4)": ("jitted_power", [], ["gradient"]),
    GRAD_NESTED: ("nested", ["jvp"], ["jvp"]),
    "vjp(loss, init(key(0)), f32[4, 3])": ("loss", ["vjp"], ["vjp"]),
    "linearize(model, f32[3])": ("model", ["linearize"], ["linearize"]),
    "jax.hessian(lambda x: jnp.sum(x**3))(f32[3])": (
        "lambda x: jnp.sum(x ** 3)",
        ["hessian"],
        ["hessian"],
    ),
    "checkpoint(model)(f32[3])": ("model", ["checkpoint"], ["checkpoint"]),
    NESTED: ("nested", [], ["gradient"]),
    "model.apply(f32[3])": ("model.apply", [], ["gradient"]),
    "scaled(f32[3])": ("scaled", [], ["gradient"]),
    "chosen(f32[3], flag=False, name='other')": ("chosen", [], ["gradient"]),
    "total(f32[2], 2.0, third=i32[2])": ("total", [], ["gradient"]),
}
