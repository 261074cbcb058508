"""One selection in every stage."""

from __future__ import annotations

import numpy as np

from jaxscope.model import Cost as StageCost
from jaxscope.model import Graph, GraphBuilder, GroupKind, NodeKind, Stage, StageText, is_available
from jaxscope.program.links import (
    LineSelection,
    Linked,
    LinkIndex,
    NodeSelection,
    _groups_called_by_several,
)

from .programs import FILE, GRAD, JAXPR, OPTIMIZED, build_capture, build_stage


def names(stage: Stage, nodes: np.ndarray) -> list[str]:
    assert is_available(stage.graph)
    return [stage.graph.string(stage.graph.nodes.id, int(i)) for i in nodes]


def told(selection: NodeSelection | LineSelection) -> dict[str, tuple[list[str], list[str]]]:
    """By stage: ids of forward and of backward nodes."""
    capture = build_capture()
    links = LinkIndex(capture.stages).find_links(selection)
    return {
        stage.name: (
            names(stage, links.stages[stage.name].forward),
            names(stage, links.stages[stage.name].backward),
        )
        for stage in capture.stages
    }


def index_of(program: str, name: str) -> int:
    return [line.split()[1] for line in program.strip().splitlines()].index(name)


def test_an_equation_lights_up_everything_that_came_from_it():
    assert told(NodeSelection("jaxpr", (index_of(JAXPR, "0"),))) == {
        "jaxpr": ([], []),
        "grad": (["0"], ["2"]),
        "optimized": (["fusion", "cosine"], ["mul"]),
    }


def test_derived_equations_link_an_instruction_more_finely_than_origins():
    found = told(NodeSelection("optimized", (index_of(OPTIMIZED, "cosine"),)))
    assert found["grad"] == (["0"], [])
    assert found["jaxpr"] == (["0"], [])


def test_a_fusion_stands_for_all_that_is_inside_it():
    found = told(NodeSelection("optimized", (index_of(OPTIMIZED, "fusion"),)))
    assert found["grad"] == (["0"], ["2"])


def test_a_source_line_lights_up_its_equations_and_what_came_from_them():
    found = told(LineSelection(FILE, 5))
    assert found["jaxpr"] == (["0"], [])
    assert found["optimized"] == (["fusion", "cosine"], ["mul"])


def test_a_node_without_a_position_of_its_own_leads_to_the_line_of_its_equation():
    capture = build_capture()
    links = LinkIndex(capture.stages).find_links(NodeSelection("grad", (index_of(GRAD, "2"),)))
    assert links.lines == ((FILE, 5),)


def test_what_the_compiler_made_has_no_origin():
    capture = build_capture()
    index = LinkIndex(capture.stages)
    made = index.find_links(NodeSelection("optimized", (index_of(OPTIMIZED, "copy"),)))
    known = index.find_links(NodeSelection("optimized", (index_of(OPTIMIZED, "mul"),)))
    assert (made.has_origin, known.has_origin) == (False, True)


def test_inputs_correspond_by_position():
    assert told(NodeSelection("jaxpr", (0,)))["grad"] == (["x"], [])


def test_an_unknown_stage_or_node_links_to_nothing():
    index = LinkIndex(build_capture().stages)
    assert not index.find_links(NodeSelection("nothing", (0,))).stages
    far = index.find_links(NodeSelection("jaxpr", (999,)))
    assert all(linked.num_nodes == 0 for linked in far.stages.values())


def test_fifty_thousand_nodes_are_linked():
    builder = GraphBuilder()
    for number in range(50_000):
        builder.add_node(str(number), NodeKind.INSTRUCTION, "add", origins=[str(number % 10)])
    large = builder.build()
    stages = (build_stage("jaxpr", JAXPR), _stage("hlo", large), _stage("optimized", large))
    linked: Linked = LinkIndex(stages).find_links(NodeSelection("hlo", (3,))).stages["optimized"]
    assert len(linked.forward) == 5_000


def _stage(name: str, graph: Graph) -> Stage:
    return Stage(name, name, StageText.plain(""), graph, StageCost(), 0.0)


def _input(builder: GraphBuilder, name: str, **attributes: str) -> None:
    kind = NodeKind.INSTRUCTION if "parameter_number" in attributes else NodeKind.INPUT
    operation = "parameter" if "parameter_number" in attributes else "input"
    builder.add_node(name, kind, operation, name=name, attributes=attributes)


def test_an_argument_is_followed_by_its_path_where_others_were_left_out():
    """The module has its parameters in another order and lacks one; StableHLO has numbers only."""
    jaxpr, stablehlo, hlo = GraphBuilder(), GraphBuilder(), GraphBuilder()
    for number, path in enumerate(("params['b']", "params['w']", "x")):
        _input(jaxpr, path, path=path, argument=str(number))
    for number in range(2):
        _input(stablehlo, f"%arg{number}", argument=str(number))
    _input(hlo, "x.1", op_name="x", parameter_number="1")
    _input(hlo, "w.1", op_name="params['w']", parameter_number="0")
    stages = [
        Stage(name, name, StageText.plain(""), builder.build(), StageCost(), 0.0)
        for name, builder in (("jaxpr", jaxpr), ("stablehlo", stablehlo), ("hlo", hlo))
    ]
    links = LinkIndex(stages)

    def found(stage: int, node: int) -> dict[str, list[str]]:
        told = links.find_links(NodeSelection(stages[stage].name, (node,)))
        return {s.name: names(s, told.stages[s.name].forward) for s in stages}

    assert found(0, 1) == {"jaxpr": [], "stablehlo": ["%arg0"], "hlo": ["w.1"]}
    assert found(0, 2) == {"jaxpr": [], "stablehlo": ["%arg1"], "hlo": ["x.1"]}
    assert found(0, 0) == {"jaxpr": [], "stablehlo": [], "hlo": []}
    assert found(2, 0) == {"jaxpr": ["x"], "stablehlo": ["%arg1"], "hlo": []}
    assert links.find_links(NodeSelection("stablehlo", (0,))).arguments == ("params['w']",)
    assert links.find_argument("params['w']") == NodeSelection("jaxpr", (1,))
    assert links.find_argument("params['nothing']") is None


def test_computations_that_several_instructions_call_are_found_among_other_attributes() -> None:
    builder = GraphBuilder()
    groups = [builder.add_group(name, GroupKind.COMPUTATION, name) for name in ("once", "twice")]
    for group, callers in zip(groups, ("map.1", "map.2, map.3"), strict=True):
        attributes = {"layout": "{0}", "called_by": callers, "index": "0"}
        builder.add_node(callers, NodeKind.INPUT, "parameter", group=group, attributes=attributes)
    assert _groups_called_by_several(builder.build()) == [groups[1]]


def test_lines_of_a_program_without_its_jaxpr_belong_to_nodes() -> None:
    stage = build_stage("optimized", "ins p parameter\nins sum add <p line=5")
    lines, nodes = np.array([4, 5], np.int32), np.array([0, 1], np.int32)
    pairs = LinkIndex((stage,)).find_line_pairs(FILE, lines, "optimized", nodes)
    assert pairs.tolist() == [[5, 1]]
