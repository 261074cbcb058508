"""Chains on random graphs, compared with a search that tries every walk."""

from __future__ import annotations

import itertools

from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.program.search import Query, SearchIndex, parse_query

OPERATIONS = ("add", "mul", "exp")


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    builder = GraphBuilder()
    count = draw(st.integers(1, 9))
    for node in range(count):
        builder.add_node(str(node), NodeKind.EQUATION, draw(st.sampled_from(OPERATIONS)))
    for source, target in itertools.combinations(range(count), 2):
        if draw(st.booleans()) and draw(st.booleans()):
            builder.add_edge(source, target, operand=0, type="f32[]")
    return builder.build()


def find_by_walking(graph: Graph, operations: list[str], is_far: list[bool]) -> set[int]:
    """Nodes of all walks that meet the operations in order."""
    edges = set(zip(graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True))
    nodes = range(len(graph.nodes))
    far = set(edges)
    for middle, begin, end in itertools.product(nodes, repeat=3):
        if (begin, middle) in far and (middle, end) in far:
            far.add((begin, end))
    found: set[int] = set()
    for walk in itertools.product(nodes, repeat=len(operations)):
        fits = all(graph.node(n).operation == op for n, op in zip(walk, operations, strict=True))
        joined = all(
            pair in (far if gap else edges)
            for pair, gap in zip(itertools.pairwise(walk), is_far, strict=True)
        )
        if fits and joined:
            found |= set(walk)
    return found


@settings(max_examples=60)
@given(graphs(), st.lists(st.sampled_from(OPERATIONS), min_size=2, max_size=3), st.data())
def test_a_chain_finds_what_every_walk_finds(
    graph: Graph, operations: list[str], data: st.DataObject
) -> None:
    is_far = [data.draw(st.booleans()) for _ in operations[1:]]
    text = operations[0]
    for operation, gap in zip(operations[1:], is_far, strict=True):
        text += f" -> {'... -> ' if gap else ''}{operation}"
    found = set(SearchIndex(graph).find(text).tolist())
    assert found == find_by_walking(graph, operations, is_far)


@given(st.text(max_size=40))
def test_any_text_is_understood_or_refused_in_words(text: str) -> None:
    from jaxscope.program.search import QueryError

    try:
        query = parse_query(text)
    except QueryError as error:
        assert len(str(error)) > 10
    else:
        assert isinstance(query, Query)
