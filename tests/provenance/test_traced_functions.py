"""Functions of arms and of bodies of loops in StableHLO and HLO, held against what they compute."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.in_process import capture_function
from jaxscope.model import NONE, Graph, is_available

COMPUTES = {"swing": "sine", "swung": "cosine", "squash": "tanh", "grow": "exponential"}
"""What the instruction of each function below is called in StableHLO and in HLO."""


def swing(x: jax.Array) -> jax.Array:
    return jnp.sin(x)


def swung(x: jax.Array) -> jax.Array:
    return jnp.cos(x)


def squash(x: jax.Array) -> Any:
    def grow(_: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.exp(y) * 0.1

    return jax.lax.fori_loop(0, 3, grow, jnp.tanh(x))


def pick(index: jax.Array, x: jax.Array) -> Any:
    return jax.lax.switch(index, [swung, squash, swing], x)


def _operations(graph: Graph, group: int) -> set[str]:
    """Operations in a group, also in fusions, but not in loops and branches inside of it."""
    groups = graph.groups
    found = set[str]()
    for node in range(len(graph.nodes)):
        at = int(graph.nodes.group[node])
        while at not in (NONE, group) and groups.part[at] == NONE:
            owner = int(groups.owner[at])
            at = int(graph.nodes.group[owner]) if owner != NONE else int(groups.parent[at])
        if at == group:
            found.add(graph.operation(node).rpartition(".")[2])
    return found


@pytest.mark.parametrize("stage_name", ["stablehlo", "hlo", "optimized"])
def test_arms_and_bodies_have_the_names_of_their_functions(stage_name: str) -> None:
    """There an arm was `branch 0`, and only the jaxpr said which function that is."""
    stage = capture_function(pick, (jnp.int32(1), jnp.ones(4)), {}).stage(stage_name)
    assert stage is not None and is_available(stage.graph)
    graph, names = stage.graph, set[str]()
    for group in range(len(graph.groups)):
        name = graph.string(graph.groups.function, group)
        if name:
            names.add(name)
            assert _operations(graph, group) & set(COMPUTES.values()) == {COMPUTES[name]}, name
    assert {"swing", "swung", "squash"} <= names <= COMPUTES.keys()
