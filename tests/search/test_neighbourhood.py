"""What is near a node and how nodes lead to each other, compared with plain walking."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.program.dataflow import find_neighbourhood, find_path

from .programs import build


def ids(graph: Graph, nodes: Iterable[int]) -> list[str]:
    return [graph.string(graph.nodes.id, int(node)) for node in nodes]


DIAMOND = build("a:x b:x<a c:x<a d:x<b,c e:x<d f:x")


def test_each_step_reaches_one_edge_further_both_ways() -> None:
    assert ids(DIAMOND, find_neighbourhood(DIAMOND, [3], 0)) == ["d"]
    assert ids(DIAMOND, find_neighbourhood(DIAMOND, [3], 1)) == ["b", "c", "d", "e"]
    assert ids(DIAMOND, find_neighbourhood(DIAMOND, [3], 9)) == ["a", "b", "c", "d", "e"]
    assert ids(DIAMOND, find_neighbourhood(DIAMOND, [99, -1], 2)) == []


def test_paths_follow_values_and_are_told_in_their_order() -> None:
    assert ids(DIAMOND, find_path(DIAMOND, 0, 4)) == ["a", "b", "d", "e"]
    assert ids(DIAMOND, find_path(DIAMOND, 4, 0)) == ["a", "b", "d", "e"]
    assert ids(DIAMOND, find_path(DIAMOND, 2, 2)) == ["c"]
    assert find_path(DIAMOND, 0, 5) == ()
    assert find_path(DIAMOND, 0, 99) == ()


def test_users_of_one_value_are_joined_by_it() -> None:
    graph = build("a:x b:x<a c:x<a")
    assert ids(graph, find_path(graph, 1, 2)) == ["b", "a", "c"]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    builder = GraphBuilder()
    count = draw(st.integers(2, 10))
    for node in range(count):
        builder.add_node(str(node), NodeKind.EQUATION, "op")
    pairs = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    for source, target in draw(st.lists(pairs, max_size=20)):
        if source < target:
            builder.add_edge(source, target, operand=0, type="f32[]")
    return builder.build()


@given(graphs(), st.data())
def test_a_path_is_a_walk_and_there_is_one_wherever_nodes_are_near(
    graph: Graph, data: st.DataObject
) -> None:
    last = len(graph.nodes) - 1
    begin, end = data.draw(st.integers(0, last)), data.draw(st.integers(0, last))
    path = find_path(graph, begin, end)
    edges = set(zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True))
    edges |= {(b, a) for a, b in edges}
    assert all(pair in edges for pair in itertools.pairwise(path))
    is_near = end in find_neighbourhood(graph, [begin], len(graph.nodes)).tolist()
    assert bool(path) is is_near
    if path:
        assert {path[0], path[-1]} == {begin, end}
