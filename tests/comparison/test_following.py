"""A program is found again after a small edit: its nodes, and the groups that they are in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence

import jax
import jax.numpy as jnp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph, GraphBuilder, NodeKind
from jaxscope.picture.view.box_tracker import BoxFollower
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.view import ROOT
from jaxscope.program.diff.matching import follow_nodes
from view.programs import compile_module, layers, trace

OPERATIONS = ("sin", "add", "mul", "dot_general", "reduce_sum", "exp", "transpose")
WITHOUT = ("box-repeats",)

Step = tuple[int, str]
"""A layer, and an operation in it."""


def program(steps: Sequence[Step]) -> Graph:
    """A chain through layers."""
    builder = GraphBuilder()
    before = builder.add_node("in:0", NodeKind.INPUT, "input", types=["f32[8]"])
    for number, (layer, operation) in enumerate(steps):
        node = builder.add_node(
            str(number), NodeKind.EQUATION, operation, name=f"v{number}", types=["f32[8]"],
            scope=[f"layer_{layer}"],
        )  # fmt: skip
        builder.add_edge(before, node)
        before = node
    return builder.build()


@st.composite
def edits(draw: st.DrawFn) -> tuple[list[Step], int, Step]:
    """A program, and an equation more at some place."""
    steps = [
        (layer, draw(st.sampled_from(OPERATIONS)))
        for layer in range(draw(st.integers(2, 5)))
        for _ in range(draw(st.integers(3, 9)))
    ]
    place = draw(st.integers(1, len(steps) - 1))
    return steps, place, (steps[place][0], draw(st.sampled_from(OPERATIONS)))


@settings(max_examples=60)
@given(edits())
def test_every_node_is_found_after_an_equation_more(edit: tuple[list[Step], int, Step]) -> None:
    steps, place, more = edit
    old, new = program(steps), program([*steps[:place], more, *steps[place:]])
    found = follow_nodes(old, new).tolist()
    assert NONE not in found
    assert all(one < other for one, other in itertools.pairwise(found))
    for node, partner in enumerate(found):
        assert old.string(old.nodes.operation, node) == new.string(new.nodes.operation, partner)
        assert old.row(old.nodes.scope, node) == new.row(new.nodes.scope, partner)


@settings(max_examples=60)
@given(edits())
def test_every_group_is_found_after_an_equation_more_or_less(
    edit: tuple[list[Step], int, Step],
) -> None:
    steps, place, more = edit
    graphs = program(steps), program([*steps[:place], more, *steps[place:]])
    for one, other in (graphs, graphs[::-1]):
        old, new = build_view(one, WITHOUT), build_view(other, WITHOUT)
        groups = [number for number, box in enumerate(old.boxes) if number and box.children]
        found = BoxFollower(old, new).find_groups(groups)
        assert {old.boxes[a].label for a in found} == {old.boxes[a].label for a in groups}
        assert all(old.boxes[a].label == new.boxes[b].label for a, b in found.items())


@pytest.mark.parametrize("make", [trace, compile_module])
def test_a_program_is_itself(make: Callable[..., Graph]) -> None:
    function, arguments = layers(3)
    graph = make(jax.grad(function), *arguments)
    assert follow_nodes(graph, graph).tolist() == list(range(len(graph.nodes)))
    old, new = build_view(graph), build_view(graph)
    groups = [number for number, box in enumerate(old.boxes) if number and box.children]
    assert BoxFollower(old, new).find_groups(groups) == {group: group for group in groups}


def test_what_is_called_as_before_is_found_though_its_arrays_have_other_sizes() -> None:
    def run(x: jax.Array) -> jax.Array:
        return jnp.exp(jnp.sin(x) @ jnp.cos(x))

    old, new = (trace(run, jnp.ones((size, size))) for size in (3, 4))
    assert follow_nodes(old, new).tolist() == list(range(len(old.nodes)))


def test_what_moved_is_found_by_its_looks() -> None:
    steps = [(0, "sin"), (0, "exp"), (0, "add"), (0, "mul")]
    old, new = program(steps), program([*steps[1:], steps[0]])
    found = follow_nodes(old, new).tolist()
    assert found == [0, 4, 1, 2, 3]


def test_what_is_gone_has_no_partner() -> None:
    steps = [(layer, "sin") for layer in (0, 0, 0, 1, 1, 1)]
    old, new = program(steps), program(steps[:-1])
    view = build_view(old, WITHOUT)
    follower = BoxFollower(view, build_view(new, WITHOUT))
    boxes = [int(box) for box in view.box_of_node]
    gone = [box for box in boxes if follower.find_node(box) == ROOT]
    assert [view.boxes[box].id for box in gone] == ["5"]


def test_programs_that_share_nothing_are_not_mistaken_for_each_other() -> None:
    old, new = (program([(layer, name)] * 20) for layer, name in ((0, "sin"), (1, "exp")))
    found = follow_nodes(old, new)
    assert found.tolist() == [0, *[NONE] * 20], "but for the argument"
