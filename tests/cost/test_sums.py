"""What one run of a random program does, against a plain recursion over its groups."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Cost, Graph, GraphBuilder, GroupKind, Node, NodeKind
from jaxscope.program.cost.work import find_work

AMOUNTS = (0.0, 1.0, 3.0, 1024.0, math.nan)
PLAIN = ("add", "custom-call", "fusion", "cumsum", "reduce-window")
AROUND = {
    NodeKind.EQUATION: ("scan", "cond", "jit"),
    NodeKind.INSTRUCTION: ("while", "conditional", "call"),
}
EITHER, LOOPS = {"cond", "conditional"}, {"scan", "while"}
WINDOWS = ("size=4 pad=3_0", "size=2 pad=0_0")
PRODUCT = {
    "custom_call_target": "__cublas$gemm",
    "backend_config": '{"lhs_contracting_dimensions":["1"]}',
}
PRODUCT_COST = (2.0 * 4 * 4 * 8, 4.0 * (4 * 8 + 8 * 4 + 4 * 4), 0.0)


@st.composite
def programs(draw: st.DrawFn) -> Graph:
    """A jaxpr or a module: groups in groups, of loops, calls, branches and kernels."""
    kind = draw(st.sampled_from(tuple(AROUND)))
    builder = GraphBuilder()
    homes = [NONE]
    for number in range(draw(st.integers(0, 12))):
        home, name = draw(st.sampled_from(homes)), str(number)
        operation = draw(st.sampled_from((*PLAIN, *AROUND[kind], "product", "input")))
        attributes: dict[str, str] = {}
        if operation in LOOPS and draw(st.booleans()):
            rounds = str(draw(st.integers(0, 3)))
            attributes = {"length": rounds, "known_trip_count": rounds}  # of a scan, of a while
        elif operation == "reduce-window":
            attributes = {"window": draw(st.sampled_from(WINDOWS))}
        elif operation == "product":
            attributes = PRODUCT
        node = builder.add_node(
            name,
            NodeKind.INPUT if operation == "input" else kind,
            "custom-call" if operation == "product" else operation,
            group=home,
            types=["f32[4,4]"],
            attributes=attributes,
            cost=(math.nan,) * 3
            if operation == "product"
            else tuple(draw(st.sampled_from(AMOUNTS)) for _ in range(3)),
        )
        if operation == "product":
            for place, type in enumerate(("f32[4,8]", "f32[8,4]")):
                operand = builder.add_node(f"{name}.{place}", NodeKind.INPUT, "p", types=[type])
                builder.add_edge(operand, node, operand=place)
        elif operation in (*AROUND[kind], "fusion"):
            for place in range(draw(st.integers(1, 2))):
                homes.append(
                    builder.add_group(
                        f"{name}/{place}", GroupKind.JAXPR, "body", owner=node, parent=home
                    )
                )
    return builder.build()


def sum_group(graph: Graph, group: int, ran: set[int]) -> tuple[list[float], list[float]]:
    """The least and the most of one run of a group; nodes that count themselves are collected."""
    low, high = [0.0] * 3, [0.0] * 3
    for number in np.flatnonzero(graph.nodes.group == group).tolist():
        node = graph.node(number)
        if node.kind is NodeKind.INPUT:
            continue
        if node.operation not in AROUND[node.kind]:
            ran.add(number)
            least = most = [0.0 if math.isnan(each) else each for each in cost_of(node)]
        else:
            parts = []
            for place, inside in enumerate(np.flatnonzero(graph.groups.owner == number).tolist()):
                times = rounds_of(node, place)
                part = sum_group(graph, inside, ran if times else set())
                parts.append([[each * times for each in side] for side in part])
            is_either = node.operation in EITHER
            least = [
                (min if is_either else sum)(each)
                for each in zip(*(p[0] for p in parts), strict=True)
            ]
            most = [
                (max if is_either else sum)(each)
                for each in zip(*(p[1] for p in parts), strict=True)
            ]
        low = [a + b for a, b in zip(low, least, strict=True)]
        high = [a + b for a, b in zip(high, most, strict=True)]
    return low, high


def cost_of(node: Node) -> tuple[float, ...]:
    return PRODUCT_COST if "backend_config" in node.attributes else dataclasses.astuple(node.cost)


def rounds_of(node: Node, place: int) -> int:
    """How often a part of a loop runs: what XLA names second is the condition, once more."""
    if node.operation not in LOOPS or "length" not in node.attributes:
        return 1
    return int(node.attributes["length"]) + (node.operation == "while" and place == 1)


@settings(max_examples=150)
@given(programs())
@pytest.mark.slow
def test_a_program_does_what_its_groups_do(graph: Graph) -> None:
    ran: set[int] = set()
    low, high = sum_group(graph, NONE, ran)
    nodes = [graph.node(number) for number in ran]
    work = find_work(graph)
    assert (work.low, work.high) == (Cost(*low), Cost(*high))
    assert work.num_unknown == sum(any(map(math.isnan, cost_of(node))) for node in nodes)
    assert work.has_cumulative == any(
        node.operation == "cumsum" or node.attributes.get("window") == WINDOWS[0] for node in nodes
    )
