"""What searches find, and what they refuse."""

from __future__ import annotations

import dataclasses
import math
import re

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import Direction, GraphBuilder, NodeKind
from jaxscope.model.types import matches_type
from jaxscope.program import search
from jaxscope.program.search import (
    ChainStep,
    Query,
    QueryError,
    QueryTerm,
    SearchIndex,
    TermKind,
    find_needed,
    parse_query,
)

from .programs import build, found

TYPES = {"a": "f32[8,128]", "b": "bf16[128]", "c": "i32[]", "d": "tensor<8x128xf32>"}


@pytest.fixture(scope="module")
def graph():
    return build("a:add b:dot_general c:max d:reduce_max", types=TYPES)


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", []),
        ("add", ["a"]),
        ("MAX", ["c", "d"]),
        ("op:max", ["c"]),
        ("%b", ["b"]),
        ("id:c", ["c"]),
        ("name:%d", ["d"]),
        ("f32[*,128]", ["a", "d"]),
        ("f32[...]", ["a", "d"]),
        ("[*]", ["b"]),
        ("*[...,128]", ["a", "b", "d"]),
        ("i32[]", ["c"]),
        ("type:f32[8,...]", ["a", "d"]),
        ("type:bf16", ["b"]),
        ("/^(add|max)$/", ["a", "c"]),
        ("max -op:max", ["d"]),
        ("!max", ["a", "b"]),
        ('"reduce_"', ["d"]),
        ("nothing_like_it", []),
    ],
)
def test_single_nodes(graph, query: str, ids: list[str]) -> None:
    assert found(graph, query) == ids


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("dot_general -> add", ["d", "e"]),
        ("dot_general -> add -> max", ["d", "e", "m"]),
        ("add -> max", ["e", "m"]),
        ("dot_general -> max", []),
        ("dot_general -> ... -> max", ["d", "m"]),
        ("exp -> ... -> max", []),
        ("dot_general→add", ["d", "e"]),
        ("exponential -> exp", []),
    ],
)
def test_chains_of_connected_operations(query: str, ids: list[str]) -> None:
    graph = build("x:input d:dot_general<x e:add<d,x m:max<e f:add<x z:exp<f")
    assert found(graph, query) == ids


def test_operations_are_known_by_the_names_of_jax_and_of_xla() -> None:
    module = build("d:dot a:add<d m:maximum<a n:custom-call<m")
    assert found(module, "dot_general -> add -> max") == ["d", "a", "m"]
    assert found(module, "op:custom_call") == ["n"]
    assert found(build("m:stablehlo.multiply"), "op:mul") == ["m"]


def test_numbers_that_stand_on_boxes_are_found() -> None:
    builder = GraphBuilder()
    for name, kind, attributes in (
        ("c", NodeKind.CONSTANT, {"value": "0.666666687"}),
        ("m", NodeKind.EQUATION, {"in[1]": "2.5:f32[]", "axes": "(0.666,)"}),
    ):
        builder.add_node(name, kind, "op", attributes=attributes)
    graph = builder.build()
    assert [found(graph, query) for query in ("0.666", "2.5", "7.5")] == [["c"], ["m"], []]


def test_source_lines_scopes_costs_kinds_and_directions() -> None:
    builder = GraphBuilder()
    builder.add_node("x", NodeKind.INPUT, "input")
    builder.add_node(
        "y", NodeKind.EQUATION, "dot", scope=["layer_0", "attention"],
        source=[("/home/u/model.py", 12, 4, "f")], cost=(2e6, 4096.0, 0.0),
        direction=Direction.BACKWARD,
    )  # fmt: skip
    builder.add_node("z", NodeKind.EQUATION, "add", source=[("/home/u/other.py", 12, 0, "g")],
                     cost=(10.0, math.nan, 0.0))  # fmt: skip
    graph = builder.build()
    assert found(graph, "line:12") == ["y", "z"]
    assert found(graph, "model.py:12") == ["y"]
    assert found(graph, "model.py:13") == []
    assert found(graph, "scope:attention") == ["y"]
    assert found(graph, "flops>1M") == ["y"]
    assert found(graph, "flops<=10") == ["z"]
    assert found(graph, "bytes>=4k") == ["y"], "what is not known is not compared"
    assert found(graph, "kind:input") == ["x"]
    assert found(graph, "direction:backward") == ["y"]


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("/(/", "broken"),
        ("add ->", "both sides"),
        ("-> add", "both sides"),
        ("... -> add", "before and after"),
        ("a -> ... b -> c", "stands alone"),
        ("op:", "after op:"),
        ("line:twelve", "number"),
        ("flops>many", "no number"),
    ],
)
def test_what_is_not_understood_says_why(query: str, word: str) -> None:
    with pytest.raises(QueryError, match=word):
        parse_query(query)


@pytest.mark.parametrize(
    ("type_", "element", "sizes", "is_match"),
    [
        ("pred[8]", "bool", ("8",), True),
        ("tensor<8xi1>", "pred", ("*",), True),
        ("s32[4]{0}", "i32", ("4",), True),
        ("tensor<4xui8>", "u8", ("4",), True),
        ("f32[8,128]", "*", ("128",), False),
        ("f32[]", "f32", ("...",), True),
        ("f32[1,2,3]", "f32", ("1", "...", "3"), True),
        ("(f32[1], f32[2])", "f32", ("1",), False),
    ],
)
def test_types(type_: str, element: str, sizes: tuple[str, ...], is_match: bool) -> None:
    assert matches_type(type_, element, sizes) is is_match


@given(
    st.lists(st.text("aAbßſİ.\n", max_size=5), min_size=60, max_size=200),
    st.text("aAbß.", min_size=1, max_size=3),
)
@settings(max_examples=60)
@pytest.mark.slow
def test_a_text_is_found_in_every_name_that_holds_it(names: list[str], wanted: str) -> None:
    builder = GraphBuilder()
    for number, name in enumerate(names):
        builder.add_node(str(number), NodeKind.EQUATION, "=", name=name)
    found = SearchIndex(builder.build()).find(f"name:{wanted}").tolist()
    assert found == [n for n, name in enumerate(names) if wanted.casefold() in name.casefold()]


ODD = "aAbsSiIkßſİıK.-|*\n\0 "


def find_names(names: list[str], aspect: TermKind, text: str) -> list[int]:
    builder = GraphBuilder()
    for number, name in enumerate(names):
        builder.add_node(f"{number}%", NodeKind.EQUATION, "=", name=name)
    graph = builder.build()  # which makes control characters visible; other strings may have them
    strings = list(graph.strings)
    for number, name in zip(graph.nodes.name.tolist(), names, strict=True):
        strings[number] = name
    query = Query((ChainStep((QueryTerm(aspect, text),)),))
    return SearchIndex(dataclasses.replace(graph, strings=tuple(strings))).find(query).tolist()


@given(
    st.lists(st.text(ODD, max_size=6), max_size=12, unique=True),
    st.text(ODD, min_size=1, max_size=2),
)
@settings(max_examples=150)
def test_no_letter_hides_a_text(names: list[str], wanted: str) -> None:
    told = [n for n, name in enumerate(names) if wanted.casefold() in name.casefold()]
    assert find_names(names, TermKind.NAME, wanted) == told


@given(
    st.lists(st.text(ODD, max_size=6), max_size=12, unique=True),
    st.text("absiIkſıK.*+?|^$()[]\\", min_size=1, max_size=6),
)
@settings(max_examples=300)
def test_expressions_pass_over_no_string(names: list[str], expression: str) -> None:
    """Only strings that hold what an expression needs are looked into."""
    try:
        find = regex.compile(expression, regex.IGNORECASE).search
    except (regex.error, FutureWarning):  # of a set in a set
        return
    told = [n for n, each in enumerate(names) if find(each) or find(f"{n}%") or find("=")]
    assert find_names(names, TermKind.REGEX, expression) == told


@pytest.mark.parametrize(
    ("expression", "needed"),
    [
        ("dot.*7", ["dot"]),
        ("add|MUL", ["add", "mul"]),
        ("ab+c", ["ab"]),
        ("colou?rs", ["colo"]),
        ("^x$", ["x"]),
        ("a|b*", []),
        ("(add|mul)", []),
        ("a{2}", []),
        ("\\d", []),
        ("ß", []),
    ],
)
def test_what_an_expression_needs(expression: str, needed: list[str]) -> None:
    assert find_needed(expression) == needed


def test_a_first_search_looks_at_the_keys_of_attributes_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Looking at every string for keys took more than half of the first search."""
    asked: list[str] = []

    class Counted:
        def match(self, text: str) -> object:
            asked.append(text)
            return re.match("value$", text)

    builder = GraphBuilder()
    for number in range(100):
        builder.add_node(f"n{number}", NodeKind.EQUATION, "=", attributes={"value": "7.5"})
    monkeypatch.setattr(search, "_LITERAL_KEY", Counted())
    assert len(SearchIndex(builder.build()).find("7.5")) == 100
    assert asked == ["value"]


def test_a_regular_expression_that_would_take_for_ever_is_stopped() -> None:
    """Python's own takes a time that doubles with each letter, and cannot be interrupted."""
    builder = GraphBuilder()
    builder.add_node("0", NodeKind.EQUATION, "add", name="a" * 200 + "b")
    graph = builder.build()
    with pytest.raises(QueryError, match="takes too long"):
        SearchIndex(graph).find("/(a|aa)+$/")
    assert len(SearchIndex(graph).find("/(a|aa)+b$/")) == 1
