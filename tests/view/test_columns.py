"""What a view keeps as columns, against the same worked out one by one."""

from __future__ import annotations

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NONE, Graph, NodeKind, Ragged
from jaxscope.model.graph_builder import GraphBuilder
from jaxscope.picture.scene.first_picture import Arranger, Viewport
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.tree import Input, find_cuts, grow_tree, nodes_of, start_draft
from jaxscope.picture.view.view import ROOT, Box, BoxEdge, Boxes, View, is_first_of_equal

from .programs import compile_module, trace


def _looped(x: jax.Array) -> jax.Array:
    def body(x: jax.Array, _: None) -> tuple[jax.Array, jax.Array]:
        y = jnp.sin(x) * x
        return y + jnp.cos(y), y.sum()

    with jax.named_scope("outer"):
        x, sums = jax.lax.scan(body, x, None, 5)
    return x.sum() + sums[0]


_GRAPHS = {
    "jaxpr": lambda: trace(jax.grad(_looped), jnp.ones(3)),
    "module": lambda: compile_module(jax.grad(_looped), jnp.ones(3)),
}


@pytest.fixture(params=_GRAPHS)
def graph(request: pytest.FixtureRequest) -> Graph:
    return _GRAPHS[request.param]()


def _list_inputs(graph: Graph) -> list[tuple[Input, ...]]:
    edges, rows = graph.edges, [list[Input]() for _ in range(len(graph.nodes))]
    for (source, output, target, operand), type_ in zip(
        edges.ends(), edges.type.tolist(), strict=True
    ):
        rows[target].append(Input(source, output, operand, type_))
    return [tuple(sorted(row, key=lambda each: each.operand)) for row in rows]


def test_inputs_are_those_of_the_edges_and_some_can_be_replaced(graph: Graph) -> None:
    inputs, wanted = start_draft(graph).inputs, _list_inputs(graph)
    assert [inputs[node] for node in range(len(inputs))] == wanted
    changed = {2: (Input(0, 0, 0, 1), Input(1, 0, 1, 1)), 0: (), len(wanted) - 1: wanted[2]}
    for node, row in changed.items():
        wanted[node] = tuple(row)
    after = inputs.with_rows(changed)
    assert [after[node] for node in range(len(after))] == wanted
    assert after.counts.tolist() == list(map(len, wanted))
    assert [after.sources(node) for node in range(len(after))] == [
        [each.source for each in row] for row in wanted
    ]


def test_users_are_the_other_ends_of_inputs(graph: Graph) -> None:
    draft = start_draft(graph)
    users_of = draft.users()
    wanted: list[list[int]] = [[] for _ in range(len(graph.nodes))]
    for node, row in enumerate(_list_inputs(graph)):
        for each in row:
            wanted[each.source].append(node)
    assert list(map(users_of, range(len(wanted)))) == wanted


def test_cuts_are_counted_as_border_by_border(graph: Graph) -> None:
    """Against a look at each value and each border."""
    draft = start_draft(graph)
    children = grow_tree(draft).children
    places = {node: at for at, child in enumerate(children) for node in nodes_of(child)}
    values: dict[tuple[int, int], int] = {}
    for node, row in enumerate(_list_inputs(graph)):
        for each in row:
            if node in places and each.source in places:
                value = each.source, each.output
                values[value] = max(values.get(value, places[each.source]), places[node])
    crossing = [
        sum(places[source] < border <= last for (source, _), last in values.items())
        for border in range(len(children) + 2)
    ]
    assert find_cuts(draft, children) == crossing and any(crossing)


def test_rows_are_numbered_as_by_a_dictionary() -> None:
    chance = random.Random(0)
    rows = [tuple(chance.choices(range(3), k=chance.randrange(3))) for _ in range(300)]
    numbers, distinct = Ragged.from_rows(rows).number_rows()
    assert [distinct[number] for number in numbers.tolist()] == rows
    assert len(set(distinct)) == len(distinct) == len(set(rows))
    assert Ragged.empty(0).number_rows()[1] == [] and Ragged.empty(2).number_rows()[1] == [()]


def test_keys_of_attributes_are_those_that_nodes_have(graph: Graph) -> None:
    used = {key for node in range(len(graph.nodes)) for key in graph.attributes(node)}
    assert graph.attribute_keys == {key: graph.strings.index(key) for key in used} and used


def test_of_equal_rows_the_first_stays() -> None:
    chance = random.Random(1)
    rows = [tuple(chance.choices(range(3), k=5)) for _ in range(400)]
    columns = np.array(rows, np.int32).T
    wanted = [row not in rows[:at] for at, row in enumerate(rows)]
    assert is_first_of_equal(tuple(columns)).tolist() == wanted
    assert is_first_of_equal(tuple(columns[:, :0])).tolist() == []


def test_boxes_of_nodes_are_made_when_they_are_looked_at(graph: Graph) -> None:
    view = build_view(graph)
    boxes = view.boxes
    leaves = [number for number in range(len(boxes)) if number not in boxes.kept]
    assert len(leaves) > len(boxes.groups) and ROOT in boxes.groups
    for number in leaves:
        box = boxes[number]
        assert box.node != NONE
        assert (box.id, box.children, box.num_leaves) == (graph.id(box.node), (), 1)
        assert number in boxes[box.parent].children
    assert [number for number, box in enumerate(boxes) if box.children] == boxes.groups
    assert boxes.parent.tolist() == [box.parent for box in boxes]
    assert boxes.num_counted.tolist() == [box.num_counted for box in boxes]
    assert list(boxes[3:8:2]) == [boxes[3], boxes[5], boxes[7]]


def test_a_picture_of_a_few_groups_looks_at_few_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each box that is looked at is made for it: of half a million, that takes a second."""
    builder = GraphBuilder()
    for number in range(5_000):
        scope = (f"layer_{number // 50}",)
        builder.add_node(f"n{number}", NodeKind.OPERATION, "add", types=["f32[4]"], scope=scope)
        if number:
            builder.add_edge(number - 1, number, type="f32[4]")
    looked_at: set[int] = set()
    look = Boxes.__getitem__

    def count(boxes: Boxes, at: int) -> Box:
        if at not in boxes.kept:
            looked_at.add(at)
        found = look(boxes, at)
        assert isinstance(found, Box)
        return found

    monkeypatch.setattr(Boxes, "__getitem__", count)
    view = build_view(builder.build())
    Arranger(view, Viewport(900.0, 700.0), DOWN).choose()
    assert view.without_box(ROOT) == []
    assert len(view.boxes) > 5_000 and len(looked_at) < 200


def test_a_box_is_found_by_its_id(graph: Graph) -> None:
    view = build_view(graph)
    first: dict[str, int] = {}
    for number, box in enumerate(view.boxes):
        first.setdefault(box.id, number)
    assert {id: view.index_of(id) for id in first} == first
    assert view.index_of("nothing is called so") is None


def test_edges_between_boxes_are_each_there_once(graph: Graph) -> None:
    view = _without_passes(graph)
    wanted: dict[BoxEdge, None] = {}
    for node, row in enumerate(_list_inputs(graph)):
        for each in row:
            ends = view.box_of_node[[each.source, node]].tolist()
            wanted[BoxEdge(*ends, each.source, each.output, each.type)] = None
    drawn = [edge for edge in view.edges if edge.target in set(view.box_of_node.tolist())]
    assert drawn == list(wanted)


def _without_passes(graph: Graph) -> View:
    from jaxscope.picture.view.build import PASSES

    return build_view(graph, [each.name for each in PASSES])
