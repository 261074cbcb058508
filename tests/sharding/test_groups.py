"""Groups of devices in every form, and the axes that they run along."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NodeKind, Unavailable
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.model.types import packed_type_bytes
from jaxscope.program.hlo.instruction_text import read_attributes
from jaxscope.program.hlo.proto import module_class
from jaxscope.program.sharding.collectives import (
    find_collectives,
    groups_along,
    name_axes,
    parse_groups,
    parse_pairs,
)

AXES = (("x", 2), ("y", 3), ("z", 2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ((0, 1, 2, 3),)),
        ("{}", ((0, 1, 2, 3),)),
        ("{{0,1},{2,3}}", ((0, 1), (2, 3))),
        ("[2,2]<=[4]", ((0, 1), (2, 3))),
        ("[2,2]<=[2,2]T(1,0)", ((0, 2), (1, 3))),
        ("dense<[[0, 1], [2, 3]]> : tensor<2x2xi64>", ((0, 1), (2, 3))),
        ("dense<[[0, 1, 2], [3, -1, -1]]> : tensor<2x3xi64>", ((0, 1, 2), (3,))),
        ("dense<0> : tensor<1x1xi64>", ((0,),)),
        ("mesh=(axes={(name=a, size=2),(name=b, size=2)}), axes={()}", ((0, 2), (1, 3))),
        (
            "mesh=(axes={(name=a, size=2),(name=b, size=2)}), axes={(mesh_axis_index=1)}",
            ((0, 1), (2, 3)),
        ),
    ],
)
def test_each_form_is_read(text: str, expected: tuple[tuple[int, ...], ...]) -> None:
    assert parse_groups(text, 4) == expected


@pytest.mark.parametrize(
    "text",
    [
        *("sideways", "[2,3]<=[4]", "[0,0]<=[0]", "dense<[[0]]> : tensor<2x2xi64>"),
        *("mesh=(axes={(name=a, size=2)}), axes={(mesh_axis_index=1)}", "mesh=(), axes={}"),
    ],
)
def test_what_are_no_groups_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_groups(text, 4)


def test_a_range_is_read_where_jaxlib_0_8_wrote_it() -> None:
    instruction = module_class()().computations.add().instructions.add(opcode="all-reduce")
    ranges = instruction.iota_collective_device_list
    ranges.num_replica_groups, ranges.num_devices_per_group = 2, 2
    ranges.iota_reshape_dims.extend((2, 2))
    ranges.iota_transpose_perm.extend((1, 0))
    written = ranges.SerializeToString()
    instruction.ClearField("iota_collective_device_list")
    instruction.collective_device_list.MergeFromString(b"\x12" + bytes([len(written)]) + written)
    assert read_attributes(instruction)["replica_groups"] == "[2,2]<=[2,2]T(1,0)"
    instruction.collective_device_list.Clear()
    instruction.collective_device_list.MergeFromString(b"\x12\x01\xff")
    assert read_attributes(instruction)["replica_groups"] == "unreadable"


def test_pairs_of_a_permute_are_read() -> None:
    assert parse_pairs("{{0,1},{1,0}}") == ((0, 1), (1, 0))
    assert parse_pairs("dense<[[0, 1]]> : tensor<1x2xi64>") == ((0, 1),)
    assert parse_pairs("") == ()
    with pytest.raises(ValueError):
        parse_pairs("{{0,1,2}}")


@settings(max_examples=60)
@given(st.sets(st.integers(0, 2)))
def test_groups_along_axes_are_named_by_them(chosen: set[int]) -> None:
    sizes = [size for _, size in AXES]
    groups = groups_along(sizes, sorted(chosen))
    assert sorted(itertools.chain(*groups)) == list(range(math.prod(sizes)))
    assert name_axes(groups, AXES) == tuple(AXES[k][0] for k in sorted(chosen))


def test_other_groups_have_no_axes() -> None:
    assert name_axes(((0, 1, 2), (3,)), (("x", 2), ("y", 2))) is None
    assert name_axes(((0, 1), (0, 1)), (("x", 2), ("y", 2))) is None
    assert name_axes(((0, 3), (1, 2)), (("x", 2), ("y", 2))) is None
    assert name_axes(((0,),), ()) is None


@pytest.mark.parametrize(
    ("operation", "operands", "types", "result"),
    [
        ("collective-permute", ["f32[4,2]"], ["f32[4,2]"], 32),
        # As the compilers for TPUs and GPUs write them.
        ("collective-permute-start", ["f32[4,2]"], ["f32[4,2]", "f32[4,2]", "u32[]", "u32[]"], 32),
        ("all-gather-start", ["f32[4,2]"], ["f32[4,2]", "f32[8,2]"], 64),
        (
            "all-gather-start",
            ["f32[4,2]", "bf16[4]"],
            ["f32[4,2]", "bf16[4]", "f32[8,2]", "bf16[8]"],
            80,
        ),
        ("all-reduce-start", ["f32[4,2]", "bf16[4]"], ["f32[4,2]", "bf16[4]"], 40),
    ],
)
def test_what_comes_out_of_one_that_is_started_is_the_result_alone(
    operation: str, operands: list[str], types: list[str], result: int
) -> None:
    builder = GraphBuilder()
    made = builder.add_node("p", NodeKind.INPUT, "parameter", types=operands)
    node = builder.add_node("c", NodeKind.INSTRUCTION, operation, types=types)
    for number, type in enumerate(operands):
        builder.add_edge(made, node, output=number, operand=number, type=type)
    (found,) = find_collectives(builder.build(), Unavailable("None."))
    assert found.result_bytes == result
    assert found.operand_bytes == sum(map(packed_type_bytes, operands))
