"""The JSON of a capture: keys, types, ids, and what refers to what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from contract.conftest import Captures, start_jaxscope
from contract.programs import CALLS, GRAD, GRAD_NESTED, LOSS, NESTED, PER_EXAMPLE, PROGRAM
from contract.shapes import CAPTURE, check
from jaxscope.model.stages import stage_kind

Json = dict[str, Any]

# `3`, or `3/jaxpr/0`, or `7/branches.1/2`.
EQUATION_ID = re.compile(r"\d+(?:/[A-Za-z_]\w*(?:\.\d+)?/\d+)*")


def stage_of(capture: Json, name: str) -> Json:
    return next(stage for stage in capture["stages"] if stage["name"] == name)


def graphs(capture: Json) -> Iterator[tuple[Json, Json]]:
    """Every stage that has a graph, and the graph."""
    for stage in capture["stages"]:
        if stage["graph"] is not None:
            yield stage, stage["graph"]


def nodes_of(capture: Json, name: str, kind: str = "equation") -> list[Json]:
    graph = stage_of(capture, name)["graph"]
    return [node for node in graph["nodes"] if node["kind"] == kind]


def operations(capture: Json, name: str, kind: str = "equation") -> list[str]:
    return [node["operation"] for node in nodes_of(capture, name, kind)]


@pytest.fixture(params=CALLS)
def capture(request: pytest.FixtureRequest, captures: Captures) -> Json:
    """The capture of every call in turn."""
    found: Json = captures[request.param]
    return found


def test_keys_and_types(capture: Json) -> None:
    check(capture, CAPTURE)


def test_the_call_is_taken_apart(capture: Json) -> None:
    base, transforms, _ = CALLS[capture["call"]]
    assert (capture["base"], capture["transforms"]) == (base, transforms)
    assert capture["target"] == "cpu"


def test_stages_are_named_and_ordered(capture: Json) -> None:
    _, _, transformed = CALLS[capture["call"]]
    names = [stage["name"] for stage in capture["stages"]]
    assert names == ["jaxpr", *transformed, "stablehlo", "hlo", "optimized", "machine"]


def test_a_stage_has_its_text_or_a_reason(capture: Json) -> None:
    for stage in capture["stages"]:
        assert bool(stage["text"]) != bool(stage["unavailable"]), stage["name"]
        if stage["unavailable"]:
            assert stage["graph"] is None
            assert stage["unavailable"].endswith(".")
        else:
            assert isinstance(stage["seconds"], float), stage["name"]
            assert (stage["graph"] is None) == (stage["name"] == "machine"), stage["name"]


def test_ids_are_unique_and_references_lead_somewhere(capture: Json) -> None:
    for stage, graph in graphs(capture):
        ids = [node["id"] for node in graph["nodes"]]
        group_ids = [group["id"] for group in graph["groups"]]
        assert len(set(ids)) == len(ids), stage["name"]
        assert len(set(group_ids)) == len(group_ids), stage["name"]
        known, known_groups = {*ids, None}, {*group_ids, None}
        assert {node["group"] for node in graph["nodes"]} <= known_groups
        assert {group["parent"] for group in graph["groups"]} <= known_groups
        assert {group["owner"] for group in graph["groups"]} <= known
        for edge in graph["edges"]:
            for end in (edge["from"], edge["to"]):
                node, port = end
                assert node in known
                assert isinstance(port, int)
                assert port >= 0


def test_groups_form_a_tree(capture: Json) -> None:
    for _, graph in graphs(capture):
        parents = {group["id"]: group["parent"] for group in graph["groups"]}
        for start in parents:
            seen = set()
            at: str | None = start
            while at is not None:
                assert at not in seen
                seen.add(at)
                at = parents[at]


def test_edges_carry_the_type_of_what_they_come_from(capture: Json) -> None:
    for stage, graph in graphs(capture):
        types = {node["id"]: node["types"] for node in graph["nodes"]}
        for edge in graph["edges"]:
            node, output = edge["from"]
            if not types[node]:
                assert edge["type"] == "()", (stage["name"], edge)
                continue
            assert edge["type"] == types[node][output], (stage["name"], edge)
            if "whole" in edge:  # HLO hands on tuples in one piece: an edge for each element
                written, counted = f"({', '.join(types[node])})", f"({len(types[node])} values)"
                assert edge["whole"] in (written, counted), (stage["name"], edge)


def test_equation_ids_are_paths(capture: Json) -> None:
    for stage, graph in graphs(capture):
        for node in graph["nodes"]:
            if node["kind"] == "equation":
                assert EQUATION_ID.fullmatch(node["id"]), (stage["name"], node["id"])


def test_kinds_belong_to_their_stage(capture: Json) -> None:
    kinds = {"stablehlo": "operation", "hlo": "instruction", "optimized": "instruction"}
    for stage, graph in graphs(capture):
        own = kinds.get(stage["name"], "equation")
        assert {node["kind"] for node in graph["nodes"]} <= {own, "input", "constant", "output"}


def test_origins_and_derived_are_equations(capture: Json) -> None:
    base = {node["id"] for node in nodes_of(capture, "jaxpr")}
    _, _, transformed = CALLS[capture["call"]]
    is_plain = transformed == ["gradient"]
    last = "jaxpr" if is_plain else transformed[-1]
    derived = {node["id"] for node in nodes_of(capture, last)}
    for stage, graph in graphs(capture):
        for node in graph["nodes"]:
            assert set(node["origins"]) <= base, (stage["name"], node["id"])
            assert set(node["derived"]) <= derived, (stage["name"], node["id"])
            if node["kind"] == "equation" and stage["name"] == "jaxpr":
                assert node["origins"] == [node["id"]]


def test_costs_are_not_zero_for_unknown(capture: Json) -> None:
    machine = stage_of(capture, "machine")
    assert set(machine["cost"].values()) == {None}
    for _, graph in graphs(capture):
        for node in graph["nodes"]:
            values = (node["cost"] or {}).values()
            assert all(value is None or value >= 0 for value in values)


def test_directions_are_those_of_differentiation(captures: Captures) -> None:
    plain = captures[LOSS]
    for name in ("jaxpr", "stablehlo", "hlo", "optimized"):
        directions = {node["direction"] for node in stage_of(plain, name)["graph"]["nodes"]}
        assert "backward" not in directions, name
    for name in ("gradient",):
        assert "backward" in {node["direction"] for node in nodes_of(plain, name)}
    for call in (GRAD, PER_EXAMPLE):
        gradient = captures[call]
        for name in ("stablehlo", "hlo", "optimized"):
            directions = {node["direction"] for node in stage_of(gradient, name)["graph"]["nodes"]}
            assert {"forward", "backward"} <= directions, (call, name)


def test_places_point_at_the_text(captures: Captures, program: Path) -> None:
    """Lines from 1, columns from 0, also behind letters that take two bytes."""
    lines = PROGRAM.splitlines()
    wanted = {
        "dot_general": 'x @ params["w"]',
        "tanh": "jnp.tanh(y)",
        "integer_pow": "z**2",
        "reduce_sum": "jnp.sum(z**2)",
    }
    found = {}
    for node in nodes_of(captures[LOSS], "jaxpr"):
        place = node["source"][0]
        assert place["file"] == str(program)
        if node["operation"] in wanted:
            found[node["operation"]] = lines[place["line"] - 1][place["column"] :]
    assert found.keys() == wanted.keys()
    for operation, text in wanted.items():
        assert found[operation].startswith(text), operation


def test_compiled_stages_point_at_the_same_lines(captures: Captures, program: Path) -> None:
    line = 1 + PROGRAM.splitlines().index('    ä = "äöü"; z = jnp.tanh(y); del ä  # noqa')
    for name, kind in (("stablehlo", "operation"), ("hlo", "instruction")):
        (place,) = {
            (node["source"][0]["file"], node["source"][0]["line"], node["source"][0]["column"])
            for node in nodes_of(captures[LOSS], name, kind)
            if node["operation"] in ("stablehlo.tanh", "tanh")
        }
        column = PROGRAM.splitlines()[line - 1].index("jnp.tanh")
        assert place == (str(program), line, column), name


def test_scopes_name_the_layer(captures: Captures) -> None:
    for call, stage in ((LOSS, "jaxpr"), (GRAD, "grad")):
        scopes = {n["operation"]: n["scope"] for n in nodes_of(captures[call], stage)}
        assert "layer" in scopes["dot_general"], (call, scopes)


def test_nested_programs_are_nodes_and_groups(captures: Captures) -> None:
    capture = captures[NESTED]
    ids = {node["id"]: node["operation"] for node in nodes_of(capture, "jaxpr")}
    depth = {id: id.count("/") // 2 for id in ids}
    scan = next(id for id, operation in ids.items() if operation == "scan")
    loop = next(id for id, operation in ids.items() if operation == "while")
    cond = next(id for id, operation in ids.items() if operation == "cond")
    assert (depth[scan], depth[loop], depth[cond]) == (0, 1, 1)
    branches = {id for id in ids if id.startswith(f"{cond}/branches.")}
    assert {ids[id] for id in branches} >= {"sin", "cos", "mul"}
    owners = {group["owner"] for group in stage_of(capture, "jaxpr")["graph"]["groups"]}
    assert {scan, loop, cond} <= owners


def test_arguments_and_results_are_leaves(captures: Captures) -> None:
    capture = captures[PER_EXAMPLE]
    arguments = [(leaf["path"], leaf["type"], leaf["bytes"]) for leaf in capture["arguments"]]
    assert arguments == [
        ("params['b']", "f32[2]", 8),
        ("params['w']", "f32[3,2]", 24),
        ("x", "f32[8,4,3]", 384),
    ]
    assert sorted(leaf["type"] for leaf in capture["results"]) == ["f32[8,2]", "f32[8,3,2]"]


def test_the_base_is_traced_without_the_mapped_axis(captures: Captures) -> None:
    (dot,) = [n for n in nodes_of(captures[PER_EXAMPLE], "jaxpr") if "dot" in n["operation"]]
    assert dot["types"] == ["f32[4,2]"]


def test_the_source_is_the_base_functions(captures: Captures, program: Path) -> None:
    source = captures[PER_EXAMPLE]["source"]
    assert source["file"] == str(program)
    assert PROGRAM.splitlines()[source["line"] - 1] == "def loss(params, x):"
    assert source["text"].startswith("def loss(params, x):\n")
    assert source["text"].rstrip().endswith("return jnp.sum(z**2)")


def test_a_jitted_function_shows_its_body(captures: Captures) -> None:
    for call in CALLS:
        if "power" in call:
            assert operations(captures[call], "jaxpr") == ["integer_pow"], call


def test_python_values_that_cannot_be_traced_are_static_and_told(captures: Captures) -> None:
    capture = captures["chosen(f32[3], flag=False, name='other')"]
    assert operations(capture, "jaxpr") == ["neg"]
    assert any("static" in message and "flag" in message for message in capture["messages"])


def test_the_gradient_of_what_is_no_scalar_says_that_it_is_summed(captures: Captures) -> None:
    assert "summed" in stage_of(captures["model.apply(f32[3])"], "gradient")["title"]
    assert "summed" not in stage_of(captures[LOSS], "gradient")["title"]


def test_every_instruction_of_the_text_is_one_node(captures: Captures) -> None:
    for call in (GRAD, NESTED, GRAD_NESTED):
        for name in ("hlo", "optimized"):
            text = stage_of(captures[call], name)["text"]
            # One line each: `[ROOT] name = type operation(…)`.
            instructions = re.findall(r"^ +(?:ROOT )?%?[\w.-]+ = ", text, re.MULTILINE)
            assert len(nodes_of(captures[call], name, "instruction")) == len(instructions), name


def test_ids_are_stable(captures: Captures, program: Path) -> None:
    again = start_jaxscope("capture", program, GRAD_NESTED, "--json").json()
    for (stage, first), (_, second) in zip(
        graphs(captures[GRAD_NESTED]), graphs(again), strict=True
    ):
        assert [n["id"] for n in first["nodes"]] == [n["id"] for n in second["nodes"]], stage


def test_a_stage_is_called_by_its_one_name(captures: Captures) -> None:
    """In a capture as in the window; of a gradient that nobody asked for, more is said."""
    for call in (LOSS, GRAD, PER_EXAMPLE):
        capture = captures[call]
        for stage in capture["stages"]:
            name, title = stage["name"], stage["title"]
            assert title.startswith(stage_kind(name).title)
            assert title == stage_kind(name).title or name == "gradient", title
