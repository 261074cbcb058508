"""StableHLO as a graph: every operation once, provenance through calls, lines that link."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.model.graph import NodeKind
from jaxscope.model.op_name import DERIVED_TAG, TagTable
from jaxscope.model.types import short_type
from jaxscope.worker import compat
from jaxscope.worker.provenance.tagging import Tagger
from jaxscope.worker.stages.jaxpr import convert_jaxpr
from jaxscope.worker.stages.stablehlo import (
    convert_stablehlo,
    link_stablehlo_lines,
    print_module,
)


def lower(function: Any, *args: Any) -> tuple[Any, TagTable, Any]:
    traced = jax.jit(function).trace(*args)
    tagger = Tagger(DERIVED_TAG)
    tagged = tagger.tag(compat.traced_jaxpr(traced))
    tags = TagTable((), tuple(tagger.ids))
    derived = convert_jaxpr(tagged, tags=tags, is_base=True, is_derived=True)
    lowered = compat.retrace_with(traced, tagged).lower()
    return compat.parse_module(compat.module_bytecode(lowered)), tags, derived


def program(x: Any) -> Any:
    def body(carry: Any, _: Any) -> Any:
        return jax.nn.relu(jnp.sort(carry)) * 2, carry.sum()

    carry, sums = jax.lax.scan(body, x, None, length=4)
    return jax.lax.cond(sums[0] > 0, jnp.sin, jnp.cos, carry)


@pytest.fixture(scope="module")
def lowered() -> tuple[Any, TagTable, Any]:
    return lower(program, jnp.ones(8))


def test_every_printed_operation_links_to_a_node_of_that_name(lowered: Any) -> None:
    module, tags, derived = lowered
    converted = convert_stablehlo(module, tags, derived.provenances)
    text = print_module(module)
    lines = link_stablehlo_lines(text, converted)

    for line, node in zip(text.split("\n"), lines.tolist(), strict=True):
        match = re.match(r'^\s*%[^=]*= "?([a-z_]+\.?[a-z_]*)', line)
        if match:
            name = match.group(1)
            operation = converted.graph.node(node).operation
            assert operation in (name, f"func.{name}"), line


def test_no_tag_is_left_in_the_text(lowered: Any) -> None:
    assert "jxs" not in print_module(lowered[0])


def test_operations_inside_a_call_know_the_equation_they_come_from(lowered: Any) -> None:
    module, tags, derived = lowered
    graph = convert_stablehlo(module, tags, derived.provenances).graph

    rows = [graph.node(i) for i in range(len(graph.nodes))]
    linked = {row.operation: row.derived for row in rows if row.derived}
    names = {
        derived.graph.node(derived.graph.index_by_id[linked[op][0]]).operation for op in linked
    }
    assert {"sort", "scan", "cond", "sin", "cos"} <= names
    assert all(row.derived for row in rows if row.operation == "stablehlo.maximum")


def test_values_flow_along_edges(lowered: Any) -> None:
    module, tags, derived = lowered
    graph = convert_stablehlo(module, tags, derived.provenances).graph

    for i in range(len(graph.nodes)):
        node = graph.node(i)
        if node.operation == "stablehlo.multiply":
            assert (graph.edges.target == i).sum() == 2
    kinds = {graph.node(i).kind for i in range(len(graph.nodes))}
    assert kinds == {NodeKind.INPUT, NodeKind.OPERATION, NodeKind.OUTPUT}


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("tensor<2x4xf32>", "f32[2,4]"),
        ("tensor<f32>", "f32[]"),
        ("tensor<3xi1>", "bool[3]"),
        ("tensor<2xui32>", "u32[2]"),
        ("tensor<?x4xbf16>", "bf16[?,4]"),
        ("tensor<4xcomplex<f32>>", "c64[4]"),
        ("!stablehlo.token", "!stablehlo.token"),
    ],
)
def test_types_are_written_as_jax_does(text: str, short: str) -> None:
    assert short_type(text) == short


def test_complex_constants_cost_their_value_only() -> None:
    module, tags, derived = lower(lambda x: x * (1.0 + 2.0j), jnp.ones(2, jnp.complex64))

    graph = convert_stablehlo(module, tags, derived.provenances).graph

    constants = [
        graph.attributes(i)["value"]
        for i in range(len(graph.nodes))
        if graph.node(i).operation == "stablehlo.constant"
    ]
    assert constants == ["complex numbers"]
