"""Graphs from files that nobody promises anything of: circles, numbers that are none, depths."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import GraphBuilder, GroupKind, NodeKind
from jaxscope.model.types import type_bytes
from jaxscope.program.fusion.duplicates import find_duplicates
from jaxscope.program.fusion.fusions import Module, find_fusions
from jaxscope.program.fusion.separation import explain_separation
from jaxscope.program.fusion.summary import FusionReport, count_fused, count_one_by_one
from jaxscope.report.fusion import fusion_to_json

OPERATIONS = (
    *("fusion", "parameter", "bitcast", "tuple", "get-tuple-element", "while", "call", "add"),
    *("conditional", "reduce", "dynamic-update-slice", "scan", "cond", "jit"),
)
TYPES = ("f32[8]", "f32[", "(f32[2], s32[])", "", "f32[99999999999999999999,9999999999999999]")
VALUES = ("", "0", "1", "²", "-1", "x", "9" * 5000, "g0", "g1, g0", "true")
KEYS = ("calls", "operand", "tuple_index", "root", "known_trip_count", "length", "called_by")


@settings(max_examples=150)
@given(data=st.data())
@pytest.mark.slow
def test_whatever_a_graph_says_the_answers_come_to_an_end(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 8))
    builder = GraphBuilder()
    owners = [data.draw(st.integers(-1, size - 1)) for _ in range(2)]
    for number, owner in enumerate(owners):
        kind = data.draw(st.sampled_from(list(GroupKind)))
        builder.add_group(f"g{number}", kind, f"g{number}", owner=owner)
    for number in range(size):
        keys = data.draw(st.lists(st.sampled_from(KEYS), unique=True, max_size=4))
        builder.add_node(
            f"n{number}",
            data.draw(st.sampled_from([NodeKind.INSTRUCTION, NodeKind.EQUATION])),
            data.draw(st.sampled_from(OPERATIONS)),
            name=f"n{number}",
            group=data.draw(st.integers(-1, 1)),
            types=data.draw(st.lists(st.sampled_from(TYPES), max_size=2)),
            attributes={key: data.draw(st.sampled_from(VALUES)) for key in keys},
        )
    for _ in range(data.draw(st.integers(0, 10))):
        ends = [data.draw(st.integers(0, size - 1)) for _ in range(2)]
        builder.add_edge(*ends, operand=data.draw(st.integers(0, 3)), type="f32[8]")
    module = Module(builder.build())
    report = FusionReport(
        module,
        find_fusions(module),
        find_duplicates(module),
        count_one_by_one(module),
        count_fused(module),
    )
    assert {"fusions", "duplicates", "one_by_one", "fused"} < set(fusion_to_json(report))
    for first in range(size):
        for second in range(size):
            assert explain_separation(module, first, second).text


def test_sizes_beyond_all_measure_are_no_error() -> None:
    huge = f"f32[{','.join(['9' * 200] * 3)}]"
    assert math.isnan(type_bytes(huge))
    assert type_bytes(f"f32[{','.join(['9' * 18] * 300)}]") == math.inf
    assert math.isnan(type_bytes("(" * 5000 + ")" * 5000))
