"""Every stage says where its program ends: modules of HLO have boxes of results, as jaxprs have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from jaxscope.model import NONE, Direction, NodeKind
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.view.build import PASSES, build_view
from jaxscope.picture.view.labels import text_of
from jaxscope.picture.view.open_groups import shrink_view
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.program.size import count_program

from .programs import compile_module, lower, trace
from .test_halves import assert_no_cycles

X = jnp.ones(8)


def several(x: jax.Array) -> list[jax.Array]:
    return [jnp.sin(x) * number for number in range(5)]


def loop(x: jax.Array) -> Any:
    return jax.lax.while_loop(lambda c: c[0] < 5, lambda c: (c[0] + 1, c[1] * 2), (0, x))


PROGRAMS: dict[str, tuple[Callable[[jax.Array], Any], list[str]]] = {
    "one fusion": (lambda x: jnp.sin(x) * 2, ["f32[8]"]),
    "an argument": (lambda x: x, ["f32[8]"]),
    "two": (lambda x: (jnp.sin(x), x @ x), ["f32[8]", "f32[]"]),
    "five": (several, ["f32[8]"] * 5),
    "a loop": (loop, ["i32[]", "f32[8]"]),
    "a loop with one result": (lambda x: loop(x)[1], ["f32[8]"]),
    "a branch": (lambda x: jax.lax.cond(x[0] > 0, jnp.sin, jnp.cos, x), ["f32[8]"]),
}


def list_results(view: View) -> list[str]:
    """The types of all single results, in order."""
    boxes = [box for box in view.boxes if not box.children and box.node != NONE]
    told = [text_of(view, box) for box in boxes]
    return [text.detail for text in told if text.style is Style.OUTPUT]


@pytest.mark.parametrize("without", [(), tuple(each.name for each in PASSES)])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_module_ends_in_what_the_call_returns(name: str, without: tuple[str, ...]) -> None:
    function, returned = PROGRAMS[name]
    for graph in (trace(function, X), lower(function, X), compile_module(function, X)):
        view = build_view(graph, without)
        assert [type_.replace("s32", "i32") for type_ in list_results(view)] == returned
        assert view.graph is graph and len(view.box_of_node) == len(graph.nodes)
        assert view.boxes[ROOT].num_counted == count_program(graph), "results count as nothing"
        if not without:
            assert_no_cycles(view)
        targets = {edge.target for edge in view.edges}
        ends = [at for at, box in enumerate(view.boxes) if box.type]
        assert set(ends) <= targets, "a line leads to each"


def test_a_tuple_of_many_is_the_box_of_them() -> None:
    graph = compile_module(several, X)
    view = build_view(graph)
    (box,) = (box for box in view.boxes if text_of(view, box).title == "result" and box.children)
    assert text_of(view, box).detail == "5 arrays"
    assert graph.operation(box.node) == "tuple" and "root" in graph.attributes(box.node)
    assert view.boxes[int(view.box_of_node[box.node])] == box


def test_a_group_of_results_says_how_many_values_they_are_where_lines_give_fewer() -> None:
    """The lines to the box tell of values, of which one may be several results."""

    def program(x: jax.Array) -> list[jax.Array]:
        y, z = jnp.sin(x), jnp.cos(x) @ x
        return [y, z, y, x, x, x + 1]

    for graph in (trace(program, X), lower(program, X)):
        view = build_view(graph)
        (at,) = (n for n, box in enumerate(view.boxes) if box.kind is BranchKind.RESULTS)
        assert text_of(view, view.boxes[at]).detail == "6 arrays, 4 values"
        small = shrink_view(view, frozenset())
        assert "6 arrays, 4 values" in build_scene(small, frozenset()).items.details
        scene = build_scene(view, frozenset())
        given = set()
        for line in range(len(scene.lines)):
            if scene.items.box[scene.lines.target[line]] == at:
                given.update(scene.lines.flows[line])
        assert len(given) == 4
    each = build_view(trace(several, X))
    (box,) = (box for box in each.boxes if box.kind is BranchKind.RESULTS)
    assert text_of(each, box).detail == "5 arrays", "each is a value of its own"


def test_a_result_selects_what_gives_it() -> None:
    graph = compile_module(lambda x: (jnp.sin(x), jnp.cos(x) @ x), X)
    view = build_view(graph)
    for number, box in enumerate(box for box in view.boxes if box.type):
        assert graph.types(box.node) == (("f32[8]",), ("f32[]",))[number]


@pytest.mark.parametrize(
    ("num_others", "told"),
    [
        (0, [("result no. 1", "f32[3]"), ("results from backward", "6 of 7 arrays")]),
        (2, [("other results", "3 of 9 arrays"), ("results from backward", "6 of 9 arrays")]),
    ],
)
def test_gradients_that_are_copied_at_the_end_stay_with_the_others(
    num_others: int, told: list[tuple[str, str]]
) -> None:
    """A loss that comes out of the forward part has a box of its own beside theirs.

    An HLO module does not name its results: the boxes say which they are.
    """
    builder = GraphBuilder()

    def add(name: str, operation: str, sources: list[int], direction: Direction) -> int:
        node = builder.add_node(
            name,
            NodeKind.INSTRUCTION,
            operation,
            types=["f32[3]"],
            direction=direction,
            attributes={"root": "true"} if operation == "tuple" else {},
        )
        for operand, source in enumerate(sources):
            builder.add_edge(source, node, operand=operand, type="f32[3]")
        return node

    none, forward, backward = Direction.NONE, Direction.FORWARD, Direction.BACKWARD
    x = add("x", "parameter", [], none)
    inner = add("inner", "sine", [x], forward)
    loss = add("loss", "negate", [inner], forward)
    others = [add(f"o{number}", "cosine", [inner], forward) for number in range(num_others)]
    first = add("first", "cosine", [inner], backward)
    gradients = [add(f"d{number}", "multiply", [first], backward) for number in range(6)]
    moved = [add(f"copy{number}", "copy", [each], none) for number, each in enumerate(gradients)]
    add("out", "tuple", [loss, *others, *gradients[:3], *moved[3:]], none)
    view = build_view(builder.build())
    outer = [view.boxes[child] for child in view.boxes[ROOT].children]
    results = [box for box in outer if box.type or box.kind is BranchKind.RESULTS]
    texts = [text_of(view, box) for box in results]
    assert [(text.title, text.detail) for text in texts] == told


def test_a_result_of_a_branch_comes_from_every_arm() -> None:
    graph = compile_module(lambda i, x: jax.lax.switch(i, [jnp.sin, jnp.cos, jnp.tanh], x), 1, X)
    view = build_view(graph)
    (result,) = (at for at, box in enumerate(view.boxes) if box.type)
    arms = [view.boxes[edge.source].parent for edge in view.edges if edge.target == result]
    assert len(arms) == 3
    assert {view.boxes[arm].kind for arm in arms} == {BranchKind.ARM}


def test_a_name_of_an_instruction_cannot_clash_with_a_result() -> None:
    builder = GraphBuilder()
    builder.add_node(
        "out:0", NodeKind.INSTRUCTION, "iota", types=("f32[3]",), attributes={"root": "true"}
    )
    view = build_view(builder.build())
    assert [text_of(view, box).title for box in view.boxes[1:]] == ["iota", "result"]
