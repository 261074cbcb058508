"""Names of a large module are made when they are looked at, and are those that all get at once."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jaxscope.model import Graph
from jaxscope.model.graph import graph_to_arrays
from jaxscope.model.graph_builder import LateStrings, add_strings, may_hold
from jaxscope.model.op_name import TagTable
from jaxscope.picture.scene.first_picture import Arranger, Viewport
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.results import add_results
from jaxscope.program.cost.work import find_work
from jaxscope.program.hlo import graph as hlo_graph
from jaxscope.program.hlo.columns import SplitTexts
from jaxscope.program.hlo.graph import convert_hlo
from jaxscope.program.hlo.proto import module_class
from tests.hlo.programs import optimized

GOOD = optimized("scan")[0]
NAMES = ("add", "parameter", "op_name", "true", "f.py", "x", "root", "", "jit", "x~2", "n" * 300)
OP_NAMES = (
    *("", "add", "/add", "x", "jit(f)/add", "jit(f)/x", "f.py", "dir/f.py", "//", "a/", "copy"),
    *("jit(f)/while/body/add", "jit(f)/a;jit(g)/b", "(add;mul)", "jit(f)/jxsd1~add", "root", "x~2"),
)
UNSEEN = ("größe", "a/b", "a\x07b", "a\u200bb")


def convert(data: bytes, monkeypatch: pytest.MonkeyPatch, *, is_late: bool) -> Graph:
    monkeypatch.setattr(hlo_graph, "_MANY_NAMES", 0 if is_late else 1 << 30)
    return convert_hlo(data, TagTable(("a", "b"), ("x", "y")), None, None, "hlo")


def renamed(data: st.DataObject, names: tuple[str, ...], op_names: tuple[str, ...]) -> bytes:
    module = module_class().FromString(GOOD)
    rows = [row for each in module.computations for row in each.instructions]
    places = st.integers(0, len(rows) - 1)
    for row in map(rows.__getitem__, data.draw(st.lists(places, max_size=8))):
        row.name = data.draw(st.sampled_from(names))
    for row in map(rows.__getitem__, data.draw(st.lists(places, max_size=20))):
        row.metadata.op_name = data.draw(st.sampled_from(op_names))
        row.metadata.source_file = data.draw(st.sampled_from(("", "dir/f.py", "x", "f.py", "x~2")))
    found: bytes = module.SerializeToString()
    return found


def assert_alike(found: Graph, expected: Graph) -> None:
    mine, others = graph_to_arrays(found), graph_to_arrays(expected)
    assert mine.keys() == others.keys()
    for name, column in mine.items():
        assert np.array_equal(column, others[name], equal_nan=column.dtype.kind == "f"), name


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_strings_are_the_same_and_in_the_same_order(
    data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever of them are equal to each other, to a type, a file, or a word of our own."""
    more = data.draw(st.sampled_from(((), UNSEEN)))
    module = renamed(data, (*NAMES, *more), (*OP_NAMES, *more))
    expected = convert(module, monkeypatch, is_late=False)
    assert isinstance(expected.strings, tuple)
    assert_alike(convert(module, monkeypatch, is_late=True), expected)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_what_is_asked_of_them_is_what_a_tuple_answers(
    data: st.DataObject, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = renamed(data, ("f.py", "seldom.1", "x"), OP_NAMES)

    expected = convert(module, monkeypatch, is_late=False).strings
    strings = convert(module, monkeypatch, is_late=True).strings
    assert isinstance(strings, LateStrings)

    def late() -> LateStrings:
        """The same, before one was looked for."""
        return copy.copy(strings)

    assert len(strings) == len(expected)
    assert [strings[at] for at in range(len(expected))] == [*expected] and not strings.is_made
    for text in (*OP_NAMES, *NAMES, "jit(f)/no such", "seldom", "(4, 8)"):
        assert (text in late()) == (text in expected), text
        assert may_hold(late(), text) or not any(text in each for each in expected)
        assert text not in expected or late().index(text) == expected.index(text)
    with pytest.raises(ValueError):
        late().index("nowhere")
    assert late()[-1] == expected[-1] and late()[:3] == expected[:3] and late() == expected
    assert (*late(),) == expected
    more = ("add", "", "new")
    for before in (strings, late(), expected):
        longer = add_strings(before, more)
        assert len(longer) == len(expected) + 3 and (*longer,) == (*expected, *more)
        assert longer[len(expected) + 2] == "new" and "new" in longer
    strings = add_strings(late(), more)
    assert strings.index("add") == (*expected, *more).index("add")
    assert strings.index("new") == (*expected, *more).index("new")


def test_results_of_a_large_module_get_names_that_nothing_has(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    module = module_class().FromString(GOOD)
    for name, own in (("plain", ()), ("taken", ("out:0",))):
        for row, text in zip(module.computations[0].instructions, own, strict=False):
            row.name = text
        data = module.SerializeToString()
        late, whole = (convert(data, monkeypatch, is_late=each) for each in (True, False))
        found = add_results(late)
        assert isinstance(late.strings, LateStrings)
        assert late.strings.is_made == bool(own), name
        assert_alike(found, add_results(whole))


def test_a_first_picture_makes_none_of_them(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = convert(GOOD, monkeypatch, is_late=True)
    view = build_view(graph)
    Arranger(view, Viewport(900.0, 700.0), DOWN, {}, lambda: False).choose()
    assert find_work(graph).num_unknown
    costs = np.zeros((len(graph.nodes), 3))
    assert view.with_graph(graph.replace_nodes(cost=costs)) is not None
    assert isinstance(graph.strings, LateStrings) and not graph.strings.is_made


@given(st.lists(st.sampled_from(OP_NAMES), unique=True))
def test_split_texts_are_found(texts: list[str]) -> None:
    cut = [text.rpartition("/") for text in texts]
    heads = [*dict.fromkeys(head for head, _, _ in cut)]
    tails = [*dict.fromkeys(slash + own for _, slash, own in cut)]
    head = np.array([heads.index(each) for each, _, _ in cut], np.int32)
    tail = np.array([tails.index(slash + own) for _, slash, own in cut], np.int32)
    split = SplitTexts(heads, tails, head, tail)
    assert [*split] == texts == [split[at] for at in range(len(split))]
    for number, text in itertools.zip_longest(range(len(texts)), OP_NAMES):
        known = texts.index(text) if text in texts else None
        assert split.find(text) == known, number
