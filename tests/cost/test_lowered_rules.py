"""Randomness, special functions, linear algebra and collectives, against XLA's own analysis.

Lowered for a TPU, where JAX writes out what it leaves to loops and libraries on a CPU; nothing is
compiled. XLA counts -1 for a custom call; those here only mark how an array is sharded.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import PartitionSpec as P

from jaxscope.model import Cost, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.op_name import TagTable
from jaxscope.program.cost.equations import cost_equations
from jaxscope.worker import compat
from jaxscope.worker.stages.jaxpr import convert_jaxpr

RELEASE = jax.__version_info__[:2]
MARKERS = {"Sharding", "xla.sdy.GlobalToLocalShape", "xla.sdy.LocalToGlobalShape"}
KEY = jax.eval_shape(lambda: jax.random.key(0))
KEYS = jax.eval_shape(lambda: jax.random.split(jax.random.key(0), 3))
RBG = jax.eval_shape(lambda: jax.random.key(0, impl="rbg"))

Program = tuple[Callable[..., Any], tuple[Any, ...]]


def array(*shape: int, dtype: Any = jnp.float32) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(shape, dtype)


def bits(shape: tuple[int, ...], dtype: Any = jnp.uint32) -> Callable[[Any], Any]:
    return lambda key: jax.random.bits(key, shape, dtype)


PROGRAMS: dict[str, Program] = {
    **{f"bits {shape}": (bits(shape), (KEY,)) for shape in ((), (1,), (7,), (6, 1), (2, 3, 4))},
    "8 bits": (bits((5, 7), jnp.uint8), (KEY,)),
    "16 bits": (bits((5, 7), jnp.uint16), (KEY,)),
    "bits of several keys": (jax.vmap(bits((4, 5))), (KEYS,)),
    "bits of XLA's generator": (bits((9,)), (RBG,)),
    "split": (jax.random.split, (KEY,)),
    "split into a grid": (lambda key: jax.random.split(key, (2, 3)), (KEY,)),
    "fold in": (jax.random.fold_in, (KEY, array(dtype=jnp.uint32))),
    "fold many into one": (
        jax.vmap(jax.random.fold_in, (None, 0)),
        (KEY, array(4, dtype=jnp.int32)),
    ),
    "seed": (jax.random.key, (array(dtype=jnp.int32),)),
    "uniform": (lambda key: jax.random.uniform(key, (10,)), (KEY,)),
    "normal": (lambda key: jax.random.normal(key, (10, 3)), (KEY,)),
    "dropout": (
        lambda key, x: jnp.where(jax.random.bernoulli(key, 0.5, x.shape), x, 0.0),
        (KEY, array(8, 8)),
    ),
    "generator": (
        lambda state: lax.rng_bit_generator(state, (10, 10)),
        (array(4, dtype=jnp.uint32),),
    ),
    "top k": (lambda x: lax.top_k(x, 3), (array(4, 16),)),
    "top of sorted": (lambda x: lax.top_k(jnp.sort(x), 2), (array(64),)),
    "cholesky": (lax.linalg.cholesky_p.bind, (array(5, 9, 9),)),
    "triangular solve": (
        functools.partial(lax.linalg.triangular_solve, left_side=True, lower=True),
        (array(2, 9, 9), array(2, 9, 4)),
    ),
    "positive definite solve": (
        lambda a, b: jax.scipy.linalg.cho_solve((a, True), b),
        (array(6, 6), array(6, 2)),
    ),
    **{
        f"{name} of {dtype}": (getattr(lax, name), (array(10, dtype=dtype),))
        for name in (
            *("acos", "acosh", "asin", "asinh", "atanh", "bessel_i0e", "bessel_i1e", "cosh"),
            *("digamma", "erf_inv", "erfc", "lgamma", "sinh"),
        )
        for dtype in ("float32", "bfloat16")
    },
    "nextafter": (lax.nextafter, (array(10), array(10))),
}


if RELEASE >= (0, 10):  # before, the key was prepared for nothing
    PROGRAMS["no bits"] = (bits((0, 3)), (KEY,))


def graph_and_cost(function: Callable[..., Any], *arguments: Any) -> tuple[Graph, Cost]:
    converted = convert_jaxpr(
        jax.make_jaxpr(function)(*arguments), tags=TagTable(), is_base=True, is_derived=False
    )
    return cost_equations(converted.graph, RELEASE)


def xla_cost(function: Callable[..., Any], *arguments: Any) -> tuple[float, float, float]:
    lowered = jax.jit(function).trace(*arguments).lower(lowering_platforms=("tpu",))
    module = lowered.compiler_ir("hlo").as_hlo_module()
    assert set(re.findall(r'custom_call_target="([^"]*)"', module.to_string())) <= MARKERS
    counted = compat.hlo_cost_properties(compat.cpu_client(), module)
    num_markers = max(-counted.get("optimal_seconds", 0.0), 0.0)
    return (
        counted.get("flops", 0.0) + num_markers,
        counted.get("bytes accessed", 0.0) + num_markers,
        counted.get("transcendentals", 0.0),
    )


@pytest.mark.sweep(25)
@pytest.mark.parametrize("name", PROGRAMS)
def test_flops_and_transcendentals_are_xlas(name: str) -> None:
    function, arguments = PROGRAMS[name]
    _, cost = graph_and_cost(function, *arguments)
    flops, accessed, transcendentals = xla_cost(function, *arguments)
    assert (cost.flops, cost.transcendentals) == (flops, transcendentals)
    if RELEASE >= (0, 10):  # older XLA does not count results that are parts of tuples
        assert cost.bytes_accessed <= accessed


@pytest.mark.parametrize("name", ["cholesky", "triangular solve"])
def test_bytes_are_xlas_where_an_equation_is_one_instruction(name: str) -> None:
    function, arguments = PROGRAMS[name]
    assert (
        graph_and_cost(function, *arguments)[1].bytes_accessed == xla_cost(function, *arguments)[1]
    )


def test_what_releases_lower_differently_is_unknown_for_others() -> None:
    converted = convert_jaxpr(
        jax.make_jaxpr(lax.lgamma)(array(3)), tags=TagTable(), is_base=True, is_derived=False
    )
    for release in ((0, 0), (0, 11), (1, 0)):
        graph, cost = cost_equations(converted.graph, release)
        assert not cost.is_known
        assert "releases of JAX lower lgamma differently" in note(graph, "lgamma")


def note(graph: Graph, operation: str) -> str:
    """What the first equation of a kind says of its cost."""
    nodes = [graph.node(i) for i in range(len(graph.nodes))]
    index = next(i for i, node in enumerate(nodes) if node.operation == operation)
    return graph.attributes(index).get("cost_note", "")


@pytest.mark.parametrize(
    ("function", "operation", "reason"),
    [
        (lambda x: jnp.linalg.qr(x), "qr", "linear algebra library"),
        (lambda x: jnp.linalg.eigvalsh(x), "eigh", "linear algebra library"),
        (lambda x: lax.igamma(x, x), "igamma", "until it converges"),
        (lambda x: lax.while_loop(lambda c: c.sum() < 1, lambda c: c + 1, x), "while", "how often"),
        (lambda x: lax.asin(x.astype(complex)), "asin", "f32, f16 and bf16 only"),
        (
            lambda x: jax.pure_callback(np.sin, jax.ShapeDtypeStruct(x.shape, x.dtype), x),
            "pure_callback",
            "Python code",
        ),
    ],
    ids=["qr", "eigh", "igamma", "while", "complex", "callback"],
)
def test_what_is_unknown_says_why(
    function: Callable[..., Any], operation: str, reason: str
) -> None:
    graph, cost = graph_and_cost(function, array(4, 4))
    assert not cost.is_known
    told = note(graph, operation)
    assert told.startswith("unknown: ")
    assert reason in told


def test_what_holds_the_unknown_says_so() -> None:
    graph, cost = graph_and_cost(jax.jit(lambda x: jnp.linalg.qr(x)[1] + 1.0), array(4, 4))
    assert not cost.is_known
    assert note(graph, "jit") == "unknown: so is something inside"
    assert note(graph, "add") == ""


def test_a_kernel_costs_its_body_at_every_point_of_its_grid() -> None:
    from jax.experimental import pallas as pl

    def kernel(x_ref: Any, out_ref: Any) -> None:
        out_ref[...] = jnp.sin(x_ref[...]) + 1.0

    block = pl.BlockSpec((2, 4), lambda i: (i, 0))
    call = pl.pallas_call(
        kernel,
        out_shape=array(8, 4),
        grid=(4,),
        in_specs=[block],
        out_specs=block,
        interpret=True,
    )
    graph, cost = graph_and_cost(call, array(8, 4))
    assert (cost.flops, cost.transcendentals) == (32.0, 32.0)
    assert np.isnan(cost.bytes_accessed)
    assert note(graph, "pallas_call").startswith("kernel × 4")


COLLECTIVES: dict[str, tuple[Callable[[Any], Any], Any]] = {
    "psum": (lambda x: lax.psum(x, "i"), P(None, "j")),
    "psum of two axes": (lambda x: lax.psum(x, ("i", "j")), P()),
    "pmean": (lambda x: lax.pmean(jnp.sin(x), "i"), P(None, "j")),
    "pmax": (lambda x: lax.pmax(x, "i"), P(None, "j")),
    "all gather": (lambda x: lax.all_gather(x, "i", tiled=True), P("i", "j")),
    "reduce scatter": (lambda x: lax.psum_scatter(x, "i", tiled=True), P("i", "j")),
    "all to all": (lambda x: lax.all_to_all(x, "i", 0, 0, tiled=True), P("i", "j")),
    "permute": (lambda x: lax.ppermute(x, "i", [(0, 1), (1, 0)]), P("i", "j")),
    "axis index": (lambda x: x + lax.axis_index("j"), P("i", "j")),
    "several": (
        lambda x: lax.psum_scatter(jnp.sin(lax.all_gather(x, "i", tiled=True)), "i", tiled=True),
        P("i", "j"),
    ),
}


@pytest.mark.parametrize("name", COLLECTIVES)
def test_collectives_count_for_one_device(name: str) -> None:
    body, out = COLLECTIVES[name]
    mesh = jax.sharding.AbstractMesh(
        (2, 2), ("i", "j"), axis_types=(jax.sharding.AxisType.Auto,) * 2
    )
    function = jax.shard_map(body, mesh=mesh, in_specs=P("i", "j"), out_specs=out, check_vma=False)
    graph, cost = graph_and_cost(function, array(8, 8))
    flops, accessed, transcendentals = xla_cost(function, array(8, 8))
    assert (cost.flops, cost.transcendentals) == (flops, transcendentals)
    assert 0.0 < cost.bytes_accessed <= accessed
    assert note(graph, "shard_map") == "of one device"


@pytest.mark.parametrize(
    ("operation", "attributes"),
    [
        ("scan", {"length": "9" * 5000}),
        ("scan", {"length": "-1"}),
        ("pallas_call", {"grid": "9" * 5000}),
        ("pallas_call", {"grid": "Dynamic,4"}),
        ("pallas_call", {}),
    ],
)
def test_how_often_a_body_runs_may_be_nonsense(operation: str, attributes: dict[str, str]) -> None:
    builder = GraphBuilder()
    owner = builder.add_node("0", NodeKind.EQUATION, operation, attributes=attributes)
    body = builder.add_group("0/jaxpr", GroupKind.JAXPR, "", owner=owner)
    builder.add_node("0/jaxpr/0", NodeKind.EQUATION, "sin", types=("f32[2]",), group=body)
    graph, cost = cost_equations(builder.build())
    assert not cost.is_known
    assert note(graph, operation).startswith("unknown: ")
