"""The function under transforms is the one that JAX traces alone, and what is inside of a
`jax.shard_map` comes from what is inside of it there."""

from __future__ import annotations

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P
from test_tagging import walk

from jaxscope.model.op_name import TagTable, read_origin
from jaxscope.worker import compat, compat_recorder
from jaxscope.worker.host.call import call_namespace, parse_call
from jaxscope.worker.provenance.traced_program import TracedProgram, trace_call

MESH = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("x",))
on_mesh = functools.partial(jax.shard_map, mesh=MESH)


@functools.partial(on_mesh, in_specs=(P(None, "x"), P("x")), out_specs=P())
def product(a: Any, b: Any) -> Any:
    return lax.psum(jnp.sin(a) @ b, "x")


@functools.partial(on_mesh, in_specs=P("x"), out_specs=(P("x"), P()))
def ring(a: Any) -> Any:
    def turn(carry: Any, _: Any) -> Any:
        return lax.ppermute(jnp.tanh(carry), "x", [(0, 0)]), None

    turned = lax.scan(turn, a, None, length=3)[0]
    return turned, lax.psum(turned.sum(), "x")


def loss(a: Any, b: Any) -> Any:
    return jnp.mean(jnp.tanh(product(a, b)) ** 2)


def ring_loss(a: Any) -> Any:
    turned, total = ring(a)
    return jnp.sum(turned**2) * total


def stopped(a: Any) -> Any:
    return (a * lax.stop_gradient(jnp.sin(a)) + jax.nn.softmax(a)).sum()


ARGUMENTS = {
    loss: (jnp.ones((4, 3)), jnp.ones((3, 2))),
    ring_loss: (jnp.ones(4),),
    stopped: (jnp.ones(4),),
}
MAPPED = (
    ("grad(loss)(f32[4, 3], f32[3, 2])", loss),
    ("jit(grad(loss, argnums=1))(f32[4, 3], f32[3, 2])", loss),
    ("vmap(loss, in_axes=(0, None))(f32[5, 4, 3], f32[3, 2])", loss),
    ("vmap(grad(loss), in_axes=(0, None))(f32[5, 4, 3], f32[3, 2])", loss),
    ("jvp(loss, (f32[4, 3], f32[3, 2]), (f32[4, 3], f32[3, 2]))", loss),
    ("grad(ring_loss)(f32[4])", ring_loss),
    ("hessian(ring_loss)(f32[4])", ring_loss),
)
CALLS = (
    *MAPPED,
    ("jvp(stopped, (f32[4],), (f32[4],))", stopped),
    ("jacfwd(grad(stopped))(f32[4])", stopped),
    ("grad(stopped)(f32[4])", stopped),
    ("vmap(jacfwd(jacfwd(stopped)))(f32[2, 4])", stopped),
)


def trace(text: str) -> TracedProgram:
    jax.clear_caches()  # type: ignore[no-untyped-call] # JAX keeps functions that it traced
    return trace_call(parse_call(text, call_namespace(globals()), file=__file__))


@pytest.mark.parametrize(("text", "base"), CALLS)
def test_the_base_is_what_jax_makes_of_the_function_alone(text: str, base: Any) -> None:
    """What followed a `shard_map`, or `stop_gradient` in `jvp`, began with a captured array."""
    assert str(trace(text).base.jaxpr) == str(jax.make_jaxpr(base)(*ARGUMENTS[base]))


@pytest.mark.parametrize(("text", "base"), MAPPED)
def test_what_is_inside_comes_from_what_is_inside(text: str, base: Any) -> None:
    program = trace(text)
    table = TagTable(program.base_ids, ())
    primitives = {id: equation.primitive.name for id, equation in walk(program.base.jaxpr)}
    (mapped,) = (id for id, name in primitives.items() if name == "shard_map")
    found = set()
    for id, equation in walk(program.derived.jaxpr):
        origin = read_origin(compat.read_tags(equation.source_info.name_stack), table)
        is_inside = any(
            id.startswith(f"{outer}/")
            for outer, each in walk(program.derived.jaxpr)
            if each.primitive.name == "shard_map"
        )
        assert origin.startswith(f"{mapped}/") <= is_inside, id
        if is_inside and origin.startswith(f"{mapped}/"):
            found.add(origin)
    working = {id for id in primitives if id.startswith(f"{mapped}/")}
    assert {primitives[id] for id in working - found} <= {"pvary", "pcast"}


def test_what_cannot_be_followed_is_traced_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """A result in a form that is not known is no constant of the function."""
    monkeypatch.setattr(compat_recorder, "_listed", lambda values: (object(),))
    program = trace(CALLS[0][0])
    assert str(program.base.jaxpr) == str(jax.make_jaxpr(loss)(*ARGUMENTS[loss]))
    assert program.is_linked_by_place
