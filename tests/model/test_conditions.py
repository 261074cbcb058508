"""Which group of a graph is the condition of a loop."""

from __future__ import annotations

import pytest

from jaxscope.model import GraphBuilder, GroupKind, NodeKind
from jaxscope.program.dataflow import find_boundaries


@pytest.mark.parametrize(("operation", "is_condition"), [("while", True), ("jit", False)])
def test_only_a_loop_has_a_condition_whatever_a_function_is_called(
    operation: str, is_condition: bool
) -> None:
    builder = GraphBuilder()
    owner = builder.add_node("0", NodeKind.EQUATION, operation, name="y", types=["f32[8]"])
    group = builder.add_group("0/jaxpr", GroupKind.JAXPR, "condition_inputs", owner=owner)
    inner = builder.add_node(
        "0/jaxpr/out", NodeKind.OUTPUT, "output", name="a", group=group, attributes={"result": "0"}
    )
    graph = builder.build()

    assert graph.is_condition(group) == is_condition
    assert find_boundaries(graph).leaving == ({} if is_condition else {(owner, 0): [inner]})
