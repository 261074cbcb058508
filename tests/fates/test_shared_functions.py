"""Equations that call one jitted function have instructions and fates of their own."""

from __future__ import annotations

import numpy as np
import pytest

from jaxscope.in_process import capture_function
from jaxscope.model import Capture, Graph
from jaxscope.model.op_name import TagTable, is_in_call, read_op_name
from jaxscope.program.links import LinkIndex, NodeSelection
from tests.fates import told_wrong


@pytest.fixture(scope="module", params=[False, True], ids=["alone", "recorded"])
def relus(request: pytest.FixtureRequest) -> Capture:
    square = np.ones((64, 64), np.float32)
    return capture_function(told_wrong.three_relus, (square,) * 4, {}, passes=request.param)


def test_each_call_has_instructions_of_its_own(relus: Capture) -> None:
    held = [set(relus.fates[id].instructions) for id in ("1", "3", "5")]
    assert all(held)
    assert not held[0] & held[1] and not held[1] & held[2] and not held[0] & held[2]


def test_they_are_those_that_work_from_the_products_between(relus: Capture) -> None:
    """Checked by the optimized module itself: what each relu's fusion reads, and who reads it."""
    stage = relus.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    graph = stage.graph
    dots = [set(relus.fates[id].instructions) for id in ("0", "2", "4")]
    for number, id in enumerate(("1", "3", "5")):
        (fusion,) = {
            name
            for name in relus.fates[id].instructions
            if name.endswith("fusion") or "fusion." in name
        }
        place = graph.index_by_id[fusion]
        reads = {
            graph.string(graph.nodes.id, source)
            for source, target in zip(
                graph.edges.source.tolist(), graph.edges.target.tolist(), strict=True
            )
            if target == place
        }
        assert [bool(dot & reads) for dot in dots] == [number == n for n in range(3)]


def test_selecting_a_call_lights_its_instructions_only(relus: Capture) -> None:
    stages = {stage.name: stage.graph for stage in relus.stages}
    jaxpr, optimized = stages["jaxpr"], stages["optimized"]
    assert isinstance(jaxpr, Graph) and isinstance(optimized, Graph)
    index = LinkIndex(relus.stages)
    lit = []  # the broadcast zero, of which XLA keeps one, goes by the name of the first call
    work = {n for n in range(len(optimized.nodes)) if optimized.node(n).operation == "maximum"}
    for id in ("1", "3", "5"):
        links = index.find_links(NodeSelection("jaxpr", (jaxpr.index_by_id[id],)))
        linked = links.stages["optimized"]
        lit.append(set(linked.forward.tolist()) & work)
        named = {optimized.index_by_id[name] for name in relus.fates[id].instructions}
        assert named & work == lit[-1] != set()
    assert not lit[0] & lit[1] and not lit[1] & lit[2]


def test_a_call_folded_into_a_constant_is_told_apart_from_the_others() -> None:
    capture = capture_function(
        told_wrong.one_function_three_times, (np.ones(64, np.float32),), {}, passes=True
    )
    assert [capture.fates[id].fate for id in ("0", "2", "4")] == ["fused", "folded", "fused"]


def test_names_tell_the_call() -> None:
    table = TagTable((), ("0", "0/jaxpr/0", "2", "2/jaxpr/0"))
    own = read_op_name("jit(f)/jxsd0/jit(relu)/jxsd1/max", table)
    assert (own.derived, own.calls) == (("0/jaxpr/0",), ((),))
    other = read_op_name("jit(f)/jxsd2/jit(relu)/jxsd1/max", table)
    assert (other.derived, other.calls) == (("0/jaxpr/0",), (("2",),))


@pytest.mark.parametrize(
    ("tag", "call", "expected"),
    [
        ("1/jaxpr/0", "1", True),
        ("1/jaxpr/0@3", "1", False),
        ("1/jaxpr/0@3", "3", True),
        ("10/jaxpr/0", "1", False),
        ("1/jaxpr/0@3/jaxpr/2", "3", True),
        ("4", "4", True),
    ],
)
def test_an_equation_is_inside_of_one_call(tag: str, call: str, expected: bool) -> None:
    assert is_in_call(tag, call) is expected
