"""Which inside of a loop or a branch a group is."""

from __future__ import annotations

import re
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.graph import (
    BODY,
    CONDITION,
    NONE,
)
from jaxscope.program.dataflow import find_boundaries
from view.programs import compile_module, lower, trace


@pytest.mark.parametrize(
    ("operation", "label", "part", "is_condition"),
    [
        ("while", "anything", CONDITION, True),
        ("while", "condition", BODY, False),
        ("jit", "condition_inputs", NONE, False),
        ("cond", "branch 0", 0, False),
    ],
)
def test_only_a_loop_has_a_condition_whatever_a_group_is_called(
    operation: str, label: str, part: int, is_condition: bool
) -> None:
    builder = GraphBuilder()
    owner = builder.add_node("0", NodeKind.EQUATION, operation, name="y", types=["f32[8]"])
    group = builder.add_group("0/jaxpr", GroupKind.JAXPR, label, owner=owner, part=part)
    inner = builder.add_node(
        "0/jaxpr/out", NodeKind.OUTPUT, "output", name="a", group=group, attributes={"result": "0"}
    )
    graph = builder.build()

    assert graph.is_condition(group) == is_condition
    assert find_boundaries(graph).leaving == ({} if is_condition else {(owner, 0): [inner]})


def told_by_label(operation: str, label: str) -> tuple[int, str]:
    """The part and the function that the label of a group tells."""
    if operation in ("while", "stablehlo.while"):
        return (CONDITION if label.startswith("condition") else BODY), ""
    arm = re.match(r"branch (\d+)(?:: (.*))?", label)
    return (NONE, "") if arm is None else (int(arm[1]), arm[2] or "")


@pytest.mark.parametrize("make", [trace, lower, compile_module])
def test_each_stage_has_the_parts_that_its_labels_tell(make: Callable[..., Graph]) -> None:
    def grow(x: jax.Array) -> jax.Array:
        return x * 2.0

    def program(x: jax.Array, which: jax.Array) -> jax.Array:
        x = jax.lax.while_loop(lambda v: v[0] < 9.0, lambda v: v + jnp.sin(v), x)
        return jax.lax.switch(which, [jnp.cos, grow, lambda v: v - 1.0], x)

    graph = make(program, np.ones(4, np.float32), np.int32(1))
    groups = graph.groups
    for group, owner in enumerate(groups.owner.tolist()):
        operation = "" if owner == NONE else graph.operation(owner)
        told = told_by_label(operation, graph.string(groups.label, group))
        assert (groups.part[group], graph.string(groups.function, group)) == told
    owners = graph.owned_groups().items()
    parts = {graph.operation(o): graph.groups.part[groups].tolist() for o, groups in owners}
    assert sorted(sorted(numbers) for numbers in parts.values() if len(numbers) > 1) == [
        [CONDITION, BODY],
        [0, 1, 2],
    ]
