"""A file of functions that compile again, each for a reason of its own."""

PROGRAMS = """
import functools
from functools import partial

import jax
import jax.numpy as jnp
from jax import jit

@jax.jit
def double(x):
    return x * 2

@partial(jit, static_argnames="n")
def power(x, n):
    return x ** n

@jit
def total(tree):
    return sum(jax.tree.leaves(tree))

def lengths(first, last):
    for n in range(first, last):
        double(jnp.ones(n))

def same(times):
    for _ in range(times):
        double(jnp.ones(3))

def jits_in_a_loop():
    for _ in range(3):
        jax.jit(lambda x: x + 1)(jnp.ones(2))

def scans_in_a_loop():
    for _ in range(3):
        jax.lax.scan(lambda c, x: (c + x, c), 0.0, jnp.ones(4))

def scans_one_body():
    def body(c, x):
        return c + x, c
    for _ in range(3):
        jax.lax.scan(body, 0.0, jnp.ones(4))

def wide_and_back():
    double(jnp.ones(5))
    with jax.enable_x64(True):
        double(jnp.ones(5))
    double(jnp.ones(5))

def weak():
    double(jnp.float32(1.0))
    double(1.0)

def weak_arrays():
    double(jnp.ones(()))
    double(jnp.asarray(1.0))

def exponents():
    for n in (2, 3, 4):
        power(jnp.ones(2), n=n)

def structures():
    total({"a": 1.0, "b": 2.0})
    total([1.0, 2.0])

def dtypes():
    double(jnp.ones(2))
    double(jnp.ones(2, jnp.int32))

def precisions():
    double(jnp.ones(2))
    with jax.default_matmul_precision("highest"):
        double(jnp.ones(2))

def nested(x):
    return double(double(x)) + total([x, x])

class Scaler:
    @jax.jit
    def scale(self):
        return jnp.ones(2)

def plain(x):
    return x + 1

def scanned(x):
    return jax.lax.scan(lambda c, v: (jnp.tanh(c + v), c), 0.0, x)[0]

def squares(x):
    return (x * x).sum()

def transformed(x):
    rows = jnp.ones((2, 2))
    jax.jit(squares)(x)
    jax.jit(jax.grad(squares))(x)
    jax.jit(jax.vmap(squares))(rows)
    jax.jit(jax.vmap(squares, in_axes=1))(rows)
    jax.jit(jax.hessian(squares))(x)
    jax.jit(jax.nn.gelu)(x)

def fails(x):
    double(x)
    raise ValueError("no more data")

class Settings:
    pass

class Same:
    def __eq__(self, other):
        return isinstance(other, Same)
    def __hash__(self):
        return 1
    def __repr__(self):
        return f"<Same at {id(self):#x}>"

def objects(kind):
    for _ in range(3):
        power_of(jnp.ones(2), Settings() if kind == "other" else Same())

@partial(jit, static_argnums=1)
def power_of(x, settings):
    return x

def types():
    for n in (1, 1.0, True):
        power_of(jnp.ones(2), n)

def unhashable():
    power_of(jnp.ones(2), [1])

def partials():
    for k in range(2):
        jit(partial(lambda x, k: x * k, k=k))(jnp.ones(2))

def cleared():
    double(jnp.ones(2))
    jax.clear_caches()
    double(jnp.ones(2))

def wide():
    double(jnp.ones(2))
    with jax.enable_x64(True):
        double(jnp.ones(2, jnp.float32))

@partial(jit, donate_argnums=0)
def consume(x):
    return x + 1

def donated():
    x = jnp.ones(3)
    for _ in range(3):
        x = consume(x)

def by_name():
    power_of(jnp.ones(2), 3)
    power_of(x=jnp.ones(2), settings=3)

def mapped():
    for n in (2, 3):
        jax.vmap(double)(jnp.ones(n))

def checks():
    double(jnp.ones(2))
    with jax.debug_nans(True):
        double(jnp.ones(2))
    with jax.disable_jit():
        double(jnp.ones(2))

import dataclasses, enum, logging

class Kind(enum.IntEnum):
    PLAIN = 0
    ROUND = 1

@dataclasses.dataclass(frozen=True)
class How:
    rates: tuple
    kind: Kind = Kind.PLAIN

@partial(jit, static_argnums=0)
def applied(rule, x):
    return rule(x)


def two_rules():
    double = lambda x: 2 * x
    square = lambda x: x * x
    for _ in range(3):
        applied(double, jnp.ones(3))
        applied(square, jnp.ones(3))


def new_rules():
    for _ in range(3):
        applied(lambda x: 2 * x, jnp.ones(3))


@partial(jit, static_argnames="how")
def made(x, how):
    return x * how.rates[1] + how.kind

def parts():
    made(jnp.ones(2), how=How((1, 0.1)))
    made(jnp.ones(2), how=How((1, 0.2)))
    made(jnp.ones(2), how=How((1, 0.2), Kind.ROUND))

@partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["name"])
@dataclasses.dataclass
class Node:
    x: object
    name: str

def deep():
    one = 1.0
    total({"layer": {"w": one, "b": one}, "z": one})
    total({"layer": {"w": one, "c": one}, "z": one})
    total({"layer": {"w": [one, one], "c": one}, "z": one})

def carried():
    total(Node(1.0, "first"))
    total(Node(1.0, "second"))

def wrap(function):
    @jit
    def inner(*args):
        return function(*args)
    inner.__name__ = inner.__wrapped__.__name__ = function.__name__
    return inner

def one(x):
    return x + 1

def two(x):
    return x + 2

def unset():
    with jax.default_matmul_precision("float32"):
        total(jnp.ones(2))
    total(jnp.ones(2))
    with jax.debug_nans(True):  # finds the program of the call before
        total(jnp.ones(2))

def random_keys():
    for kind in ("threefry2x32", "rbg"):
        drawn(jax.random.key(0, impl=kind))

@jit
def drawn(key):
    return jax.random.normal(key, (3,))

def wrapped():
    first, second = wrap(one), wrap(two)
    first(jnp.ones(2))
    second(jnp.ones(2))
    second(jnp.ones(3))

def explained_at_length():
    logging.basicConfig()  # what JAX logs goes to the root's handlers, too
    many = {f"key {n}": {"name " * 50 + str(n): 1.0} for n in range(100)}
    total(many)
    total({"other " + name: value for name, value in many.items()})

def placed():
    from jax.sharding import NamedSharding, PartitionSpec
    mesh = jax.sharding.Mesh(jax.devices(), ("d",))
    x = jnp.ones((4, 4))
    double(x)
    double(jax.device_put(x, NamedSharding(mesh, PartitionSpec("d"))))
    with mesh:
        double(x)

def spread():
    from jax.sharding import AxisType, NamedSharding, PartitionSpec
    mesh = jax.make_mesh((4,), ("d",), axis_types=(AxisType.Explicit,))
    double(jnp.ones(8))
    double(jax.device_put(jnp.ones(8), NamedSharding(mesh, PartitionSpec("d"))))

@jax.jit
def scaled(x, factor=2.0):
    return x * factor
"""
