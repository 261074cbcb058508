"""HLO modules as graphs: every instruction once, groups as they are called, edges by operand."""

from __future__ import annotations

import re
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import jaxscope
from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind, is_available
from jaxscope.model.graph import Direction
from jaxscope.model.op_name import TagTable
from jaxscope.program.hlo.graph import ProvenanceReader, convert_hlo, link_hlo_lines
from tests.hlo.programs import PROGRAMS, convert, draw, optimized, proto_of, unoptimized

DEFINITION = re.compile(r"^\s+(?:ROOT )?%?([\w.\-]+) = (?:\(.*?\)|\S+) ([\w\-]+)\(", re.MULTILINE)

FUSION = """HloModule small

%fused (p0: f32[4], p1: f32[4]) -> f32[4] {
  %p0 = f32[4]{0} parameter(0)
  %p1 = f32[4]{0} parameter(1)
  %sum = f32[4]{0} add(%p0, %p1)
  ROOT %product = f32[4]{0} multiply(%sum, %p1), metadata={op_name="jit(f)/layer/mul"}
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), metadata={op_name="x"}
  %four = f32[4]{0} constant({1, 2, 3, 4})
  ROOT %fusion = f32[4]{0} fusion(%x, %four), kind=kLoop, calls=%fused
}
"""

LOOP = """HloModule loop

%body (b: (s32[], f32[2,3])) -> (s32[], f32[2,3]) {
  %b = (s32[], f32[2,3]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%b), index=0
  %v = f32[2,3]{1,0} get-tuple-element(%b), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  ROOT %both = (s32[], f32[2,3]{1,0}) tuple(%next, %v)
}

%test (t: (s32[], f32[2,3])) -> pred[] {
  %t = (s32[], f32[2,3]{1,0}) parameter(0)
  %j = s32[] get-tuple-element(%t), index=0
  %limit = s32[] constant(7)
  ROOT %less = pred[] compare(%j, %limit), direction=LT
}

ENTRY %main (x: f32[2,3]) -> f32[2,3] {
  %x = f32[2,3]{1,0} parameter(0)
  %zero = s32[] constant(0)
  %start = (s32[], f32[2,3]{1,0}) tuple(%zero, %x)
  %while = (s32[], f32[2,3]{1,0}) while(%start), condition=%test, body=%body, \
backend_config={"known_trip_count":{"n":"7"}}
  ROOT %out = f32[2,3]{1,0} get-tuple-element(%while), index=1
}
"""

TWO_CALLERS = """HloModule twice

%add (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

ENTRY %main (x: f32[4]) -> (f32[], f32[]) {
  %x = f32[4]{0} parameter(0)
  %zero = f32[] constant(0)
  %first = f32[] reduce(%x, %zero), dimensions={0}, to_apply=%add
  %y = f32[4]{0} negate(%x)
  %second = f32[] reduce(%y, %zero), dimensions={0}, to_apply=%add
  ROOT %both = (f32[], f32[]) tuple(%first, %second)
}
"""


def test_fusion_is_a_node_with_its_computation_as_a_group_inside() -> None:
    assert draw(convert(proto_of(FUSION))) == (
        "x = parameter() : f32[4] | parameter_number=0 op_name=x layout={0}\n"
        "four = constant() : f32[4] | literal={1, 2, 3, 4} layout={0}\n"
        "fusion = fusion(x, four) : f32[4] | fusion_kind=kLoop calls=fused root=true layout={0}\n"
        "  [fusion] fusion\n"
        "    p0 = parameter() : f32[4] | parameter_number=0 operand=0 layout={0}\n"
        "    p1 = parameter() : f32[4] | parameter_number=1 operand=1 layout={0}\n"
        "    sum = add(p0, p1) : f32[4] | layout={0}\n"
        "    product = multiply(sum, p1) : f32[4] | root=true called_by=fusion"
        " op_name=jit(f)/layer/mul layout={0}"
    )


def test_loop_has_its_body_and_condition_as_regions_and_says_how_often_it_runs() -> None:
    drawn = draw(convert(proto_of(LOOP)))
    assert "while = while(start) : s32[] f32[2,3]" in drawn
    assert "known_trip_count=7" in drawn
    assert "  [region] body of while ×7\n" in drawn
    assert "  [region] condition of while\n" in drawn
    # The result that a get-tuple-element takes is the edge's output.
    assert "out = get-tuple-element(while.1) : f32[2,3]" in drawn
    assert "less = compare(j, limit) : pred[] | comparison_direction=LT" in drawn


def test_computation_of_two_callers_is_shown_once_and_names_both() -> None:
    graph = convert(proto_of(TWO_CALLERS))
    assert len(graph.groups) == 1
    assert graph.string(graph.groups.id, 0) == "add"
    assert graph.string(graph.nodes.id, int(graph.groups.owner[0])) == "first"
    assert graph.attributes(graph.index_by_id["c"])["called_by"] == "first, second"
    assert graph.attributes(graph.index_by_id["second"])["calls"] == "add"
    # A reducer's parameters are elements, not operands of the caller.
    assert "operand" not in graph.attributes(graph.index_by_id["a"])


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.parametrize("stage", ["before", "after"])
def test_every_instruction_of_the_text_is_one_node(name: str, stage: str) -> None:
    proto, text = optimized(name) if stage == "after" else unoptimized(name)
    graph = convert(proto)
    listed = DEFINITION.findall(text)
    nodes = [graph.node(index) for index in range(len(graph.nodes))]
    assert sorted((node.id, node.operation) for node in nodes) == sorted(listed)
    assert all(node.kind is NodeKind.INSTRUCTION for node in nodes)
    fusions = Counter(operation for _, operation in listed)["fusion"]
    assert int(np.sum(graph.groups.kind == GroupKind.FUSION)) == fusions
    # A computation's header ends in "{" and holds an arrow; the entry is no group.
    assert len(graph.groups) == len(re.findall(r"^%?\S.*->.*\{$", text, re.MULTILINE)) - 1


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_operand_of_the_text_is_one_edge(name: str) -> None:
    proto, text = optimized(name)
    graph = convert(proto)
    names = {graph.string(graph.nodes.id, index) for index in range(len(graph.nodes))}
    wanted: Counter[tuple[str, str]] = Counter()
    for line in text.splitlines():
        match = DEFINITION.search(line)
        if match is None:
            continue
        inside = line[match.end() :].split(")", 1)[0]
        for operand in re.findall(r"%([\w.\-]+)", inside):
            if operand in names:
                wanted[(operand, match[1])] += 1
    edges = graph.edges
    found = Counter(
        (graph.string(graph.nodes.id, s), graph.string(graph.nodes.id, t))
        for s, t in zip(edges.source.tolist(), edges.target.tolist(), strict=True)
    )
    assert found == wanted


@pytest.mark.parametrize("name", PROGRAMS)
def test_groups_stand_where_their_owner_stands(name: str) -> None:
    graph = convert(optimized(name)[0])
    for group in range(len(graph.groups)):
        owner = int(graph.groups.owner[group])
        assert owner != NONE
        assert int(graph.nodes.group[owner]) == int(graph.groups.parent[group])


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_line_that_defines_an_instruction_links_to_it(name: str) -> None:
    proto, text = optimized(name)
    graph = convert(proto)
    nodes = link_hlo_lines(text, graph)
    assert len(nodes) == text.count("\n") + 1
    linked = [node for node in nodes.tolist() if node != NONE]
    assert sorted(linked) == list(range(len(graph.nodes)))
    for line, node in zip(text.split("\n"), nodes.tolist(), strict=True):
        if node != NONE:
            assert graph.string(graph.nodes.id, node) in line


def test_costs_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="costs of shape"):
        convert_hlo(proto_of(FUSION), TagTable(), None, np.zeros((3, 3)), "hlo")


def test_costs_belong_to_the_nodes_in_order() -> None:
    cost = np.arange(21, dtype=np.float64).reshape(7, 3)
    graph: Graph = convert_hlo(proto_of(FUSION), TagTable(), None, cost, "hlo")
    assert graph.node(graph.index_by_id["product"]).cost.flops == 9.0


HELPER = """HloModule called

%helper (p0: f32[4]) -> f32[4] {
  %p0 = f32[4]{0} parameter(0)
  ROOT %twice = f32[4]{0} add(%p0, %p0), metadata={op_name="dynamic_slice"}
}

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), metadata={op_name="x"}
  %first = f32[4]{0} call(%x), to_apply=%helper, metadata={op_name="jit(f)/jxsd0/helper"}
  ROOT %second = f32[4]{0} call(%first), to_apply=%helper, metadata={op_name="jit(f)/jxsd1/helper"}
}
"""


def test_named_instructions_of_a_shared_helper_inherit_from_all_their_callers() -> None:
    graph = convert_hlo(proto_of(HELPER), TagTable((), ("7", "8/jaxpr/0")), None, None, "hlo")

    derived = {graph.node(i).id: graph.node(i).derived for i in range(len(graph.nodes))}
    assert derived == {
        "p0": (),
        "twice": ("7", "8/jaxpr/0"),
        "x": (),
        "first": ("7",),
        "second": ("8/jaxpr/0",),
    }


OF_A_BRANCH = """HloModule branches

ENTRY %main (x: f32[4]) -> f32[4] {
  %x = f32[4]{0} parameter(0), metadata={op_name="x"}
  %inlined = f32[4]{0} sine(%x), metadata={op_name="jxsd0~/sin" source_file="f.py" source_line=5}
  %other = f32[4]{0} cosine(%inlined), metadata={op_name="jxsd0~/cos"}
  %own = f32[4]{0} negate(%other), metadata={op_name="jxsd1~/neg" source_file="g.py" source_line=7}
  ROOT %last = f32[4]{0} tanh(%own), metadata={op_name="tanh" source_file="f.py" source_line=6}
}
"""


def test_of_jax_0_8_the_place_of_the_equation_is_the_one_of_its_instructions() -> None:
    """It writes a file beside, and the place of a `cond` on all that is in its branches."""
    builder = GraphBuilder()
    frames = (("f.py", 2, 4, "f.<locals>.branch"), ("f.py", 5, 0, "f"))
    builder.add_node("0", NodeKind.EQUATION, "sin", source=frames)
    builder.add_node("1", NodeKind.EQUATION, "neg")  # of a function that several lines call
    graph = convert(proto_of(OF_A_BRANCH), TagTable((), ("0", "1")), builder.build())
    lines = [[frame.line for frame in graph.source(node)] for node in range(len(graph.nodes))]
    assert lines == [[], [2, 5], [2, 5], [], [6]]


@pytest.mark.parametrize(
    ("around", "direction"),
    [("transpose(jvp())", Direction.BACKWARD), ("jvp()", Direction.FORWARD)],
)
def test_a_function_that_several_call_is_of_the_part_that_calls_it(
    around: str, direction: Direction
) -> None:
    """The jaxpr shows it once, inside of its first call, which is forward."""
    builder = GraphBuilder()
    forward = Direction.FORWARD
    first = builder.add_node("0", NodeKind.EQUATION, "jit", direction=forward)
    group = builder.add_group("0/jaxpr", GroupKind.JAXPR, "helper", owner=first)
    builder.add_node("0/jaxpr/0", NodeKind.EQUATION, "sin", group=group, direction=forward)
    builder.add_node("1", NodeKind.EQUATION, "jit", direction=Direction.BACKWARD)
    reader = ProvenanceReader(TagTable((), ("0", "0/jaxpr/0", "1")), builder.build())
    read = reader.read(f"jit(f)/{around}/jxsd2~/jit(helper)/jxsd1~/sin")
    assert (read.derived, read.calls) == (("0/jaxpr/0",), (("1",),))
    assert read.direction is direction


PRODUCTS = """HloModule products

%fused (p0: f32[4], p1: f32[4,1]) -> f32[4] {
  %p0 = f32[4]{0} parameter(0)
  %p1 = f32[4,1]{1,0} parameter(1)
  %seen = f32[4]{0} bitcast(%p1), metadata={op_name="jit(f)/SEEN"}
  ROOT %sum = f32[4]{0} add(%p0, %seen), metadata={op_name="jit(f)/add"}
}

ENTRY %main (x: f32[4,8], w: f32[8,1], b: f32[4]) -> (f32[4], f32[4]) {
  %x = f32[4,8]{1,0} parameter(0), metadata={op_name="x"}
  %w = f32[8,1]{1,0} parameter(1), metadata={op_name="w"}
  %b = f32[4]{0} parameter(2), metadata={op_name="b"}
  %made = f32[4,1]{1,0} dot(%x, %w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  %fusion = f32[4]{0} fusion(%b, %made), kind=kLoop, calls=%fused, metadata={op_name="jit(f)/add"}
  %again = f32[4]{0} bitcast(%made), metadata={op_name="jit(f)/AGAIN"}
  ROOT %both = (f32[4]{0}, f32[4]{0}) tuple(%fusion, %again)
}
"""


@pytest.mark.parametrize(
    ("seen", "again", "derived"),
    (
        ("jxsd0/dot_general", "jxsd0/dot_general", ("7",)),
        ("jxsd0/dot_general", "jxsd1/dot_general", ()),
        ("jxsd0/dot_general", "jxsd0/squeeze", ()),
        ("jxsd0/reshape", "jxsd0/reshape", ()),
    ),
)
def test_an_unnamed_product_is_what_all_its_bitcasts_are_named(
    seen: str, again: str, derived: tuple[str, ...]
) -> None:
    """As XLA's gemv-rewriter leaves products with a vector; a shape of the user's own is none."""
    text = PRODUCTS.replace("SEEN", seen).replace("AGAIN", again)
    graph = convert_hlo(proto_of(text), TagTable((), ("7", "8")), None, None, "optimized")
    product = graph.node(graph.index_by_id["made"])
    assert product.derived == derived
    assert "op_name" not in product.attributes  # XLA gave it none


def test_products_with_a_vector_are_of_the_equations_that_do_their_work() -> None:
    """Held against the work of `dot_general` by hand: 2 m n k of the operands' types."""

    def loss(w: jax.Array, v: jax.Array, x: jax.Array) -> jax.Array:
        return jnp.sum((jnp.tanh(x @ w) @ v) ** 2)

    arguments = (jnp.ones((8, 16)), jnp.ones(16), jnp.ones((32, 8)))
    capture = jaxscope.capture(jax.grad(loss, argnums=(0, 1)), *arguments)
    base, optimized = capture.stages[0].graph, capture.stage("optimized")
    assert is_available(base) and optimized is not None and is_available(optimized.graph)
    dots = [
        node
        for node in map(optimized.graph.node, range(len(optimized.graph.nodes)))
        if node.operation == "dot" and re.search(r"\b1\b", node.types[0].partition("[")[2])
    ]
    assert len(dots) == 2  # x w v, and the gradient of v
    for dot in dots:
        (origin,) = dot.origins
        equation = base.node(base.index_by_id[origin])
        assert equation.operation == "dot_general"
        row = optimized.graph.index_by_id[dot.id]
        assert optimized.graph.nodes.cost[row, 0] == 2 * 32 * 16
    assert {dot.direction for dot in dots} == {Direction.FORWARD, Direction.BACKWARD}
