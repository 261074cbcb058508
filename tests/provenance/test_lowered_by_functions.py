"""Equations that JAX lowers by tracing a function of its own: each operation is of the equation."""

from __future__ import annotations

import collections
import re

import jax

import jaxscope


def test_random_bits_are_all_operations_that_jax_alone_lowers_them_to() -> None:
    """Within a function that is called they were those of the whole function before."""

    @jax.jit
    def noise(key: jax.Array) -> jax.Array:
        return jax.random.uniform(key, (8, 16))

    key = jax.random.key(0)
    alone = jax.jit(lambda key: jax.random.bits(key, (8, 16), "uint32")).lower(key).as_text()
    main = re.split("func.func ", alone)[1]
    names = re.findall(r"%\S+ = (?:stablehlo\.|func\.)?([\w.]+)", main)
    expected = collections.Counter(name for name in names if not name.startswith("sdy."))
    graph = jaxscope.capture(noise, key).stage("stablehlo").graph
    nodes = [graph.node(row) for row in range(len(graph.nodes))]
    (call,) = [node for node in nodes if node.attributes.get("callee") == "threefry2x32"]
    found = collections.Counter(
        node.operation.rpartition(".")[2]
        for node in nodes
        if node.derived == call.derived and node.group == call.group
    )
    assert found == expected
    assert found["slice"] == 2
