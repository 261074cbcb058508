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
    ConvertedModule,
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


def convert_text(text: str) -> ConvertedModule:
    return convert_stablehlo(compat.parse_stablehlo(text.encode()), TagTable(), {})


def operations_of(converted: ConvertedModule) -> list[str]:
    graph = converted.graph
    return [graph.node(index).operation for index in range(len(graph.nodes))]


def function(name: str, body: str, visibility: str = "") -> str:
    return (
        f"func.func {visibility} @{name}(%a: tensor<3xf32>) -> tensor<3xf32> {{\n"
        f"  {body} : (tensor<3xf32>) -> tensor<3xf32>\n  return %0 : tensor<3xf32>\n}}\n"
    )


SINE, COSINE = '%0 = "stablehlo.sine"(%a)', '%0 = "stablehlo.cosine"(%a)'


def test_a_module_without_main_shows_the_function_that_no_other_calls() -> None:
    """Only JAX names it `main`; a module of another tool was drawn empty, without a reason."""
    call = '%0 = "func.call"(%a) {callee = @inner}'
    converted = convert_text(function("inner", SINE) + function("forward", call))
    assert (
        operations_of(converted)
        == ["input", "func.call", "input", "stablehlo.sine"] + ["output"] * 2
    )
    assert list(converted.notes) == []
    text = print_module(compat.parse_stablehlo((function("forward", COSINE)).encode()))
    linked = link_stablehlo_lines(text, convert_text(function("forward", COSINE)))
    assert (linked >= 0).sum() == 1


def test_functions_that_are_not_drawn_are_told() -> None:
    text = function("f", SINE) + function("g", COSINE) + function("main", COSINE)
    converted = convert_text(text)
    assert operations_of(converted) == ["input", "stablehlo.cosine", "output"]
    (note,) = converted.notes
    assert "The function main is drawn" in note and note.endswith("f, g.")
    private = function("f", SINE, "private") + function("g", COSINE)
    assert operations_of(convert_text(private))[1] == "stablehlo.cosine"
    assert list(convert_text(private).notes) == []


def test_a_module_without_what_could_be_drawn_says_so() -> None:
    declared = "func.func private @f(tensor<3xf32>) -> tensor<3xf32>\n"
    converted = convert_text(declared)
    assert len(converted.graph.nodes) == 0
    assert list(converted.notes) == ["The module has no function with a body: nothing is drawn."]
    call = '%0 = "func.call"(%a) {callee = @f}'
    assert operations_of(convert_text(declared + function("g", call)))[1] == "func.call"
    inside = f"module @a {{\n{function('f', SINE)}}}\nmodule @b {{\n{function('g', SINE)}}}\n"
    (note,) = convert_text(inside).notes
    assert note.startswith("It holds 2 modules inside")


def test_blocks_and_dialects_that_are_not_known_are_told() -> None:
    jumps = (
        "func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {\n  cf.br ^b(%a : tensor<3xf32>)\n"
        "^b(%x: tensor<3xf32>):\n  return %x : tensor<3xf32>\n}\n"
    )
    (note,) = convert_text(jumps).notes
    assert "jumps between 2 blocks" in note
    foreign = function("f", '%0 = "ttir.relu"(%a) {ttcore.kind = #ttcore.kind<x>}')
    converted = convert_text(foreign)
    assert operations_of(converted) == ["input", "ttir.relu", "output"]
    (note,) = converted.notes
    assert note.startswith("1 of its 3 operations are of no dialect") and note.endswith("ttir.")
