"""Which inside of a loop or a branch a group is."""

from __future__ import annotations

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
    graph_from_arrays,
    graph_to_arrays,
    older_part,
)
from jaxscope.program.dataflow import find_boundaries
from view.programs import compile_module, lower, trace

_PARTS = ("group.part", "group.function")


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


@pytest.mark.parametrize(
    ("operation", "label", "part", "function"),
    [
        ("while", "condition of while.3", CONDITION, ""),
        ("while", "body of while.3 ×10", BODY, ""),
        ("stablehlo.while", "body", BODY, ""),
        ("cond", "branch 1: step: twice", 1, "step: twice"),
        ("conditional", "branch 12 of conditional.1", 12, ""),
        ("jit", "condition_inputs", NONE, ""),
        (None, "main", NONE, ""),
    ],
)
def test_files_of_earlier_releases_are_read_by_their_labels(
    operation: str | None, label: str, part: int, function: str
) -> None:
    builder = GraphBuilder()
    owner = NONE
    if operation is not None:
        owner = builder.add_node("0", NodeKind.EQUATION, operation)
    builder.add_group("0/jaxpr", GroupKind.JAXPR, label, owner=owner)
    arrays = graph_to_arrays(builder.build())
    earlier = {
        name: arrays[name] for name in arrays if name not in ("group.part", "group.function")
    }

    graph = graph_from_arrays(earlier)

    assert older_part(label, operation) == (part, function)
    assert graph.groups.part.tolist() == [part]
    assert graph.string(graph.groups.function, 0) == function


@pytest.mark.parametrize("make", [trace, lower, compile_module])
def test_each_stage_has_the_parts_that_its_labels_tell(make: Callable[..., Graph]) -> None:
    def grow(x: jax.Array) -> jax.Array:
        return x * 2.0

    def program(x: jax.Array, which: jax.Array) -> jax.Array:
        x = jax.lax.while_loop(lambda v: v[0] < 9.0, lambda v: v + jnp.sin(v), x)
        return jax.lax.switch(which, [jnp.cos, grow, lambda v: v - 1.0], x)

    graph = make(program, np.ones(4, np.float32), np.int32(1))
    arrays = graph_to_arrays(graph)
    earlier = {name: arrays[name] for name in arrays if name not in _PARTS}
    again = graph_from_arrays(earlier)

    assert again.groups.part.tolist() == graph.groups.part.tolist()
    assert [again.string(again.groups.function, n) for n in range(len(again.groups))] == [
        graph.string(graph.groups.function, n) for n in range(len(graph.groups))
    ]
    owners = graph.owned_groups().items()
    parts = {graph.operation(o): graph.groups.part[groups].tolist() for o, groups in owners}
    assert sorted(sorted(numbers) for numbers in parts.values() if len(numbers) > 1) == [
        [CONDITION, BODY],
        [0, 1, 2],
    ]
