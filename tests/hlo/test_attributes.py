"""Attributes of instructions read as in HLO's own text."""

from __future__ import annotations

import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from tests.hlo.programs import convert, proto_of

ONE_LINERS = {
    "f32[2,5]{1,0} dot(%a, %b), lhs_contracting_dims={1}, rhs_contracting_dims={0}": (
        "f32[2,3]",
        "f32[3,5]",
        {"dot_dimension_numbers": "lhs_contracting={1}, rhs_contracting={0}"},
    ),
    "f32[1,4,4,2]{3,2,1,0} convolution(%a, %b), window={size=3x3 pad=1_1x1_1},"
    " dim_labels=b01f_01io->b01f": (
        "f32[1,4,4,3]",
        "f32[3,3,3,2]",
        {"window": "size=3x3 pad=1_1x1_1", "convolution_dimension_numbers": "b01f_01io->b01f"},
    ),
    "f32[3,2]{1,0} transpose(%a), dimensions={1,0}": (
        "f32[2,3]",
        "f32[]",
        {"dimensions": "{1,0}"},
    ),
    "f32[1,2]{1,0} slice(%a), slice={[0:1], [1:3]}": (
        "f32[2,3]",
        "f32[]",
        {"slice_dimensions": "{[0:1:1],[1:3:1]}"},
    ),
    "f32[4,3]{1,0} pad(%a, %b), padding=1_1x0_0": (
        "f32[2,3]",
        "f32[]",
        {"padding_config": "1_1x0_0"},
    ),
    'f32[2]{0} custom-call(%a), custom_call_target="Foo", sharding={replicated}': (
        "f32[2]",
        "f32[]",
        {"custom_call_target": "Foo", "sharding": "{replicated}"},
    ),
    "f32[2]{0} copy(%a), sharding={devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}": (
        "f32[2]",
        "f32[]",
        {"sharding": "{devices=[1,2,2]<=[4] last_tile_dims={manual, replicated}}"},
    ),
    "f32[2]{0} copy(%a), sharding={devices=[4]<=[4]}": (
        "f32[2]",
        "f32[]",
        {"sharding": "{devices=[4]<=[4]}"},
    ),
    "f32[2]{0} collective-permute(%a), source_target_pairs={{0,1},{1,0}}": (
        "f32[2]",
        "f32[]",
        {"source_target_pairs": "{{0,1},{1,0}}"},
    ),
    "f32[8]{0} all-gather(%a), replica_groups=[1,4]<=[4], dimensions={0}": (
        "f32[2]",
        "f32[]",
        {"replica_groups": "[1,4]<=[4]", "dimensions": "{0}"},
    ),
    "f32[4]{0} all-gather(%a), replica_groups={{0,1},{2,3}}, dimensions={0}": (
        "f32[2]",
        "f32[]",
        {"replica_groups": "{{0,1},{2,3}}"},
    ),
    'f32[2]{0} copy(%a), backend_config={"estimated_cycles":"1234"}': (
        "f32[2]",
        "f32[]",
        {"estimated_cycles": "1234"},
    ),
}


@pytest.mark.parametrize("line", ONE_LINERS)
def test_attributes_read_as_in_the_text(line: str) -> None:
    first, second, wanted = ONE_LINERS[line]
    graph = convert(
        proto_of(
            f"HloModule m\nENTRY %e (a: {first}, b: {second}) -> {line.split('{')[0]} {{\n"
            f"  %a = {first} parameter(0)\n  %b = {second} parameter(1)\n  ROOT %r = {line}\n}}\n"
        )
    )
    attributes = graph.attributes(graph.index_by_id["r"])
    assert {key: attributes.get(key) for key in wanted} == wanted


@pytest.mark.parametrize(
    ("constant", "text"),
    [
        ("f32[] constant(2.5)", "2.5"),
        ("pred[] constant(true)", "true"),
        ("s32[3] constant({1, -2, 3})", "{1, -2, 3}"),
        ("bf16[2] constant({1, -0.5})", "{1, -0.5}"),
        ("f16[] constant(0.5)", "0.5"),
        ("u8[2] constant({1, 255})", "{1, 255}"),
        ("c64[] constant((1, -2))", "(1, -2)"),
        ("f32[0] constant({})", "{}"),
    ],
)
def test_constants_show_their_values(constant: str, text: str) -> None:
    type = constant.split(" ")[0]
    graph = convert(
        proto_of(f"HloModule m\nENTRY %e () -> {type} {{\n  ROOT %c = {constant}\n}}\n")
    )
    assert graph.attributes(0)["literal"] == text
    assert graph.node(0).types == (type,)


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16", "complex64"])
def test_numbers_are_written_as_xla_writes_them(dtype: str) -> None:
    """With so many digits that a number is no other of its type: -1.99999988 is not -2."""
    values = [-1.9999999, 0.1, 1 / 3, 1e10, 16777215.0, 123456789.0, 1e-5, 1e-40, -0.5, 3.25]
    values += [math.pi * 10.0**power for power in range(-12, 13)] + [math.inf, -math.inf, math.nan]
    with jax.enable_x64(True), np.errstate(all="ignore"):
        arrays = [jnp.asarray(value, dtype) for value in values]
        lowered = jax.jit(lambda: [jax.lax.optimization_barrier(a) for a in arrays]).lower()
    module = lowered.compiler_ir("hlo")
    graph = convert(module.as_serialized_hlo_module_proto())
    written = re.findall(r"(constant[.\d]*) = \S+ constant\((.*)\)", module.as_hlo_text())
    assert len(written) > 20
    for name, value in written:
        assert graph.attributes(graph.index_by_id[name])["literal"] == value


def test_large_constants_are_cut_short() -> None:
    values = ", ".join(str(number) for number in range(100))
    graph = convert(
        proto_of(
            "HloModule m\nENTRY %e () -> s32[100] {\n"
            f"  ROOT %c = s32[100] constant({{{values}}})\n}}\n"
        )
    )
    assert graph.attributes(0)["literal"] == "{0, 1, 2, 3, 4, 5, 6, 7, …} (100 values)"


def test_positions_are_lines_and_columns_of_the_users_code() -> None:
    def user_function(x: jax.Array) -> jax.Array:
        return jnp.exp(x)

    first_line = user_function.__code__.co_firstlineno
    compiled = jax.jit(user_function).lower(jax.ShapeDtypeStruct((3,), jnp.float32)).compile()
    module = compiled.runtime_executable().hlo_modules()[0]
    graph = convert(module.as_serialized_hlo_module_proto())
    (node,) = (
        node
        for node in map(graph.node, range(len(graph.nodes)))
        if node.operation == "exponential" or node.attributes.get("op_name", "").endswith("/exp")
        if node.operation != "fusion"
    )
    place = node.source[0]
    assert place.file == __file__
    assert place.line == first_line + 1
    assert place.column == len("        return ")
    assert place.function.endswith("user_function")
    assert not any("/jax/_src/" in frame.file for frame in node.source)
