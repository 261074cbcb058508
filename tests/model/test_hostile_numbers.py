"""Attributes that should be numbers and are none, or have digits without end."""

from __future__ import annotations

import pytest

from jaxscope.model import (
    NONE,
    Direction,
    Graph,
    GraphBuilder,
    GroupKind,
    NodeKind,
    Unavailable,
)
from jaxscope.model.types import read_count
from jaxscope.program.cost.equations import cost_equations
from jaxscope.program.cost.trip_counts import count_executions
from jaxscope.program.dataflow import find_boundaries
from jaxscope.program.fates.equations import Equations, find_live
from jaxscope.program.fates.instructions import Instructions
from jaxscope.program.links import build_columns
from jaxscope.program.search import QueryError, parse_query
from jaxscope.program.sharding.collectives import find_collectives

ENDLESS = "9" * 5000
"""More digits than `int` reads."""

NUMBERS = ("", "-1", "²", "x", "1.5", ENDLESS, "9" * 18)
KEYS = (
    *("argument", "operand", "result", "parameter_number", "tuple_index", "known_trip_count"),
    *("length", "num_consts", "cond_nconsts", "body_nconsts", "unroll", "estimated_cycles"),
)


@pytest.mark.parametrize(
    ("text", "number"),
    [("0", 0), ("18", 18), ("9" * 18, 10**18 - 1), ("9" * 19, None), ("", None), ("²", None)],
)
def test_a_count_has_at_most_18_digits(text: str, number: int | None) -> None:
    assert read_count(text) == number


def make_graph(value: str) -> Graph:
    builder = GraphBuilder()
    attributes = {**dict.fromkeys(KEYS, value), f"in[{value}]": "1:i32[]", "in[99999999]": "f32[]"}
    kinds = [NodeKind.INPUT, NodeKind.EQUATION, NodeKind.INSTRUCTION, NodeKind.OUTPUT]
    owner = -1
    for operation in ("scan", "while", "add", "get-tuple-element", "parameter", "all-reduce"):
        for kind in kinds:
            group = (
                NONE
                if owner < 0
                else builder.add_group(
                    f"g{owner}.{operation}.{kind}", GroupKind.FUSION, "inside", owner=owner
                )
            )
            node = builder.add_node(
                f"{operation}.{kind}", kind, operation, name="x", group=group, types=["f32[8]"],
                attributes=attributes, direction=Direction.FORWARD,
            )  # fmt: skip
            if owner >= 0:
                builder.add_edge(owner, node, operand=0, type="f32[8]")
            if operation in ("scan", "while") and kind == NodeKind.EQUATION:
                owner = node
    return builder.build()


@pytest.mark.parametrize("value", NUMBERS)
def test_no_question_fails_for_an_attribute_that_is_no_number(value: str) -> None:
    graph = make_graph(value)
    _, cost = cost_equations(graph)
    assert cost is not None
    assert len(count_executions(graph).of_group) == len(graph.groups)
    assert find_boundaries(graph) is not None
    equations = Equations(graph)
    assert len(find_live(equations)) == len(graph.nodes)
    assert len(Instructions.read(graph).opcodes) == len(graph.nodes)
    assert find_collectives(graph, Unavailable("None."))
    assert build_columns(graph, {}, {}, {}, own_origins=True, own_derived=True) is not None


def test_a_line_with_endless_digits_is_an_error_of_the_query() -> None:
    with pytest.raises(QueryError, match="line:12"):
        parse_query(f"line:{ENDLESS}")
