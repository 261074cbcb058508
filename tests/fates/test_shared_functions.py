"""Equations that call one jitted function have instructions and fates of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.export.capture_json import capture_to_json
from jaxscope.in_process import capture_function
from jaxscope.model import Capture, Graph, GraphBuilder, GroupKind, NodeKind
from jaxscope.model.op_name import TagTable, read_op_name
from jaxscope.program.links import Linked, LinkIndex, NodeSelection
from jaxscope.program.shared_calls import SharedCalls
from jaxscope.schema.contract import load_contract
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


def test_a_tag_tells_the_calls_around_it() -> None:
    """`f` is called by 0 and 3, and calls `g`, which 5 calls as well."""
    builder = GraphBuilder()
    for id, shares in (("0", ""), ("0/jaxpr/1", ""), ("3", "0/jaxpr"), ("5", "0/jaxpr/1/jaxpr")):
        attributes = {"shares": shares} if shares else {}
        builder.add_node(id, NodeKind.EQUATION, "jit", attributes=attributes)
    builder.add_group("0/jaxpr", GroupKind.JAXPR, "", owner=0)
    builder.add_group("0/jaxpr/1/jaxpr", GroupKind.JAXPR, "", parent=0, owner=1)
    calls = SharedCalls(builder.build())
    assert calls.find_calls("0/jaxpr/0") == ("0",)
    assert calls.find_calls("0/jaxpr/0@3") == ("3",)
    assert calls.find_calls("0/jaxpr/1/jaxpr/0") == ("0", "0/jaxpr/1")
    assert calls.find_calls("0/jaxpr/1/jaxpr/0@3") == ("3", "0/jaxpr/1")
    assert calls.find_calls("0/jaxpr/1/jaxpr/0@5") == ("5",)
    assert calls.find_calls("4/jaxpr/0") == ()


CALLS = {"1": "1/call_jaxpr/0", "3": "3/call_jaxpr/0", "5": "5/call_jaxpr/0"}
"""The equations of `relu` and, in each, the equation that calls the shared function."""


def test_selecting_an_instruction_lights_its_call_only(relus: Capture) -> None:
    graphs = {stage.name: stage.graph for stage in relus.stages}
    index = LinkIndex(relus.stages)
    optimized = graphs["optimized"]
    assert isinstance(optimized, Graph)
    for id, call in CALLS.items():
        (work,) = (
            name
            for name in relus.fates[id].instructions
            if optimized.node(optimized.index_by_id[name]).operation == "maximum"
        )
        selection = NodeSelection("optimized", (optimized.index_by_id[work],))
        _check_lit(graphs, index.find_links(selection).stages, call)


def test_selecting_a_call_before_optimization_lights_that_call_only(relus: Capture) -> None:
    graphs = {stage.name: stage.graph for stage in relus.stages}
    index = LinkIndex(relus.stages)
    for stage in ("stablehlo", "hlo"):
        graph = graphs[stage]
        assert isinstance(graph, Graph)
        nodes = [n for n in range(len(graph.nodes)) if "call" in graph.node(n).operation]
        assert len(nodes) == len(CALLS)
        for node in nodes:
            links = index.find_links(NodeSelection(stage, (node,)))
            _check_lit(graphs, links.stages, graph.derived(node)[0])
            assert len({at for at in links.lines if at[0] == told_wrong.__file__}) == 1


def three_wheres(
    a: jax.Array, b: jax.Array, c: jax.Array
) -> tuple[jax.Array, jax.Array, jax.Array]:
    """`jnp.where` is a jitted function of JAX's, one for all."""
    with jax.named_scope("first"):
        x = jnp.where(a > 0, jnp.sin(a), 0.0)
    with jax.named_scope("second"):
        y = jnp.where(b > 0, jnp.cos(b), 0.0)
    with jax.named_scope("third"):
        return x, y, jnp.where(c > 0, jnp.tanh(c), 0.0)


@pytest.mark.parametrize("scope", ["first", "second", "third"])
def test_selecting_a_group_with_a_call_in_it_lights_that_call_only(scope: str) -> None:
    """Also of the first, where the function is drawn that the others call, too."""
    capture = capture_function(three_wheres, (np.ones(8, np.float32),) * 3, {})
    graphs = {each.name: each.graph for each in capture.stages if isinstance(each.graph, Graph)}
    jaxpr = graphs["jaxpr"]
    calls = [n for n in range(len(jaxpr.nodes)) if "shared_by" in jaxpr.attributes(n)]
    assert len(calls) == 3
    group = [n for n in range(len(jaxpr.nodes)) if jaxpr.node(n).scope[:1] == (scope,)]
    lit = LinkIndex(capture.stages).find_links(NodeSelection("jaxpr", tuple(group))).stages
    assert not lit["jaxpr"].forward.size, "other calls of the function are none of the group"
    for stage in ("stablehlo", "hlo", "optimized"):
        nodes = [graphs[stage].node(n) for n in lit[stage].forward.tolist()]
        if stage != "optimized":  # what all call is lit by all
            nodes = [node for node in nodes if "call" in node.operation]
        assert {node.scope[0] for node in nodes if node.scope} == {scope}, stage


def _check_lit(graphs: Mapping[str, object], lit: Mapping[str, Linked], call: str) -> None:
    """Nothing of another call is lit, in any stage; the function that all call is."""
    for stage in ("jaxpr", "stablehlo", "hlo", "optimized"):
        graph = graphs[stage]
        assert isinstance(graph, Graph)
        nodes = {*lit[stage].forward.tolist(), *lit[stage].selected.tolist()}
        ids = {graph.id(node) for node in nodes}
        if stage == "jaxpr":
            assert ids & set(CALLS.values()) == {call}
        elif stage == "optimized":
            # XLA keeps one broadcast zero, named after the first call, and has it in every fusion.
            work = [graph.attributes(n) for n in nodes if graph.node(n).operation == "maximum"]
            told = {attributes.get("call", "@").partition("@")[2] for attributes in work}
            assert told == {"" if call == CALLS["1"] else call}
        else:
            calls = [n for n in nodes if "call" in graph.node(n).operation]
            assert [graph.derived(node) for node in calls] == [(call,)]
        assert nodes


def test_the_json_names_the_calls(relus: Capture, tmp_path: Path) -> None:
    written = capture_to_json(relus)
    (optimized,) = (s["graph"]["nodes"] for s in written["stages"] if s["name"] == "optimized")
    work = [node for node in optimized if node["operation"] == "maximum"]
    for column in ("origins", "derived"):
        assert {tuple(node[column]) for node in work} == {
            ("1/call_jaxpr/0/jaxpr/0", call) for call in CALLS.values()
        }
    for id, call in CALLS.items():
        named = {node["id"] for node in work if call in node["origins"]}
        assert named and named <= set(relus.fates[id].instructions)
    path = tmp_path / "relus.json"
    path.write_text(json.dumps(written))
    before, after = _derived(relus), _derived(load_contract(path))
    assert before == after, "what was added for readers is no equation of the instruction"


def _derived(capture: Capture) -> list[tuple[str, ...]]:
    stage = capture.stage("optimized")
    assert stage is not None and isinstance(stage.graph, Graph)
    return stage.graph.rows(stage.graph.nodes.derived)
