"""Paths that lead into nested programs and out of them, in every kind of stage."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import pytest

from jaxscope.model import Graph
from jaxscope.program.dataflow import count_boundary_edges, find_path
from view.programs import compile_module, lower, trace


def program(w: jax.Array, x: jax.Array) -> jax.Array:
    def body(carry: jax.Array, step: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.tanh(carry * step), jnp.cos(carry)

    last, all_ = jax.lax.scan(body, w, jnp.sin(x))
    joined = jax.jit(lambda a, b: jnp.exp(a) - b)(last, w)
    return jnp.log(joined) + jnp.sqrt(all_)


def walk(graph: Graph, begin: str, end: str) -> list[str]:
    """Operations on the path between the first nodes of two operations."""
    operations = [graph.string(graph.nodes.operation, n) for n in range(len(graph.nodes))]
    names = [name.rpartition(".")[2] for name in operations]
    path = find_path(graph, names.index(begin), names.index(end))
    return [names[node] for node in path]


@pytest.fixture(scope="module")
def traced() -> Graph:
    return trace(program, jnp.float32(0.5), jnp.ones(4))


def test_a_path_leads_through_the_body_of_a_scan(traced: Graph) -> None:
    inward = walk(traced, "sin", "tanh")
    assert inward == ["sin", "input", "mul", "tanh"]
    assert walk(traced, "tanh", "exp") == ["tanh", "output", "input", "exp"]
    assert walk(traced, "cos", "sqrt") == ["cos", "output", "sqrt"]
    assert walk(traced, "tanh", "sub") == ["tanh", "output", "input", "exp", "sub"]
    assert walk(traced, "tanh", "log") == ["tanh", "output", "jit", "log"], "past the jit"


def test_the_shortest_way_past_a_loop_stays_outside(traced: Graph) -> None:
    assert walk(traced, "sin", "log") == ["sin", "scan", "jit", "log"]


def test_an_owner_leads_to_what_it_owns(traced: Graph) -> None:
    assert walk(traced, "scan", "tanh") == ["scan", "input", "mul", "tanh"]
    assert walk(traced, "exp", "jit") == ["exp", "sub", "output", "jit"]


def test_only_what_a_result_gives_is_followed(traced: Graph) -> None:
    """`cos` gives the stacked result, which `exp` does not use: no values flow between them."""
    path = walk(traced, "cos", "exp")
    assert path[0] == "cos" and path[-1] == "exp"
    assert "mul" in path or "input" in path, "they share the carry that both come from"


def test_borders_are_counted(traced: Graph) -> None:
    ids = traced.index_by_id
    sine = next(n for n in range(len(traced.nodes)) if traced.node(n).operation == "sin")
    tanh = next(n for n in range(len(traced.nodes)) if traced.node(n).operation == "tanh")
    assert count_boundary_edges(traced, find_path(traced, sine, tanh)) == 1
    assert count_boundary_edges(traced, (ids["in:0"],)) == 0


def test_stablehlo_leads_through_regions_and_functions() -> None:
    graph = lower(program, jnp.float32(0.5), jnp.ones(4))
    path = walk(graph, "sine", "tanh")
    assert path[0] == "sine" and path[-1] == "tanh"
    assert "while" not in path
    assert walk(graph, "tanh", "exponential")[-1] == "exponential"


def test_a_program_that_two_calls_share_is_left_as_it_was_entered() -> None:
    inner = jax.jit(lambda a: jnp.tanh(a) + 1.0)

    def twice(x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        return jnp.exp(inner(jnp.sin(x))), jnp.log(inner(jnp.cos(y)))

    graph = lower(twice, jnp.ones(3), jnp.ones(3))
    assert walk(graph, "cosine", "tanh") == ["cosine", "input", "tanh"]
    assert walk(graph, "tanh", "log") == ["tanh", "add", "output", "log"]
    assert walk(graph, "cosine", "log") == ["cosine", "call", "log"]
    names = walk(graph, "sine", "log")
    assert names[:2] != ["sine", "input"] or "log" not in names[:5]


def test_optimized_modules_lead_into_fusions() -> None:
    graph = compile_module(lambda x: jnp.sin(x).sum() * jnp.exp(x), jnp.ones(64))
    path = walk(graph, "sine", "exponential")
    assert path[0] == "sine" and path[-1] == "exponential"
    groups = {int(graph.nodes.group[n]) for n in range(len(graph.nodes))}
    assert len(groups) > 1, "XLA has made fusions of it"
