"""Links of opened modules: by name where the name tells one equation, else by line."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from bench.name_links import count_pairs, measure
from jaxscope.client.dump_folders import find_dumps
from jaxscope.client.dump_reader import open_found
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, Graph, GraphBuilder, GroupKind, NodeKind, is_available
from jaxscope.program.links import build_all_columns, find_pairs
from jaxscope.program.name_links import (
    BY_LINE,
    BY_NAME,
    LINK,
    LINKED_BY,
    SEPARATOR,
    disambiguate,
    link_by_name,
)
from opening.conftest import Left


@pytest.fixture(scope="module")
def opened(left: Left) -> Capture:
    return open_found(find_dumps([str(left.both)]))


@pytest.mark.slow
def test_names_link_what_tags_link(opened: Capture, traced: Capture) -> None:
    counts, others = count_pairs(traced, opened)
    assert not others
    for count in counts.values():
        assert count.found > 100
        assert count.precision >= 0.99
        assert count.node_recall >= 0.9


def chain(builder: GraphBuilder, names: list[tuple[str, str]], order: list[int]) -> None:
    """Operations that feed each other, all of one line; added in some order."""
    place = (("/f.py", 3, 8, "f"),)
    rows = {}
    for number in order:
        operation, name = names[number]
        rows[number] = builder.add_node(
            f"{number}",
            NodeKind.OPERATION if operation.startswith("stablehlo") else NodeKind.INSTRUCTION,
            operation,
            name=f"x.{9 - number}",
            attributes={"op_name": f"jit(f)/{name}"},
            source=place,
        )
    for before, after in itertools.pairwise(range(len(names))):
        builder.add_edge(rows[before], rows[after])


def told(graph: Graph) -> dict[str, str]:
    """What each node is linked by, where it is."""
    nodes = [graph.node(row) for row in range(len(graph.nodes))]
    return {node.id: node.attributes.get(LINKED_BY, "") for node in nodes}


def test_what_a_node_reads_tells_its_equation() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    names = ["sin", "mul", "mul", "cos", "mul"]
    kinds = {"sin": "sine", "mul": "multiply", "cos": "cosine"}
    chain(lowered, [(f"stablehlo.{kinds[name]}", name) for name in names], [0, 1, 2, 3, 4])
    chain(after, [(kinds[name], name) for name in names], [4, 2, 0, 3, 1])
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    assert told(found["optimized"]) == told(found["stablehlo"])
    assert told(found["optimized"])["4"].endswith("/mul /f.py:3:8 #2")


def test_what_no_neighbour_tells_is_not_guessed() -> None:
    """Two alike, one of which optimization took away."""
    lowered, after = GraphBuilder(), GraphBuilder()
    chain(lowered, [("stablehlo.multiply", "mul")] * 2, [0, 1])
    chain(after, [("multiply", "mul")], [0])
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    assert found["optimized"].attributes(0)[LINK] == BY_LINE


def test_a_constant_that_equations_share_tells_nothing() -> None:
    """XLA keeps one of several equal constants, with the name of the first."""
    place = (("/f.py", 3, 8, "f"),)

    def add(builder: GraphBuilder, operation: str, name: str, *operands: int) -> int:
        kind = NodeKind.OPERATION if "." in operation else NodeKind.INSTRUCTION
        row = builder.add_node(
            f"{builder.num_nodes}",
            kind,
            operation,
            attributes={"op_name": f"jit(f)/{name}"},
            source=place,
        )
        for number, operand in enumerate(operands):
            builder.add_edge(operand, row, operand=number)
        return row

    lowered, after = GraphBuilder(), GraphBuilder()
    for name in ("sin", "cos"):
        one = add(lowered, "stablehlo.constant", "sub")
        value = add(lowered, f"stablehlo.{name}e", name)
        add(lowered, "stablehlo.subtract", "sub", one, value)
    shared = add(after, "constant", "sub")
    rows = [
        add(after, "subtract", "sub", shared, add(after, f"{name}e", name))
        for name in ("cos", "sin")
    ]
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    links = [found["optimized"].attributes(row)[LINKED_BY][-2:] for row in rows]
    assert links == ["#1", "#0"]


def test_what_calls_share_is_of_no_single_call() -> None:
    """A function that several calls share is shown in the first: users of all calls read it."""
    place = (("/f.py", 3, 8, "f"),)
    lowered, after = GraphBuilder(), GraphBuilder()
    calls = [
        lowered.add_node(
            f"main/{number}",
            NodeKind.OPERATION,
            "func.call",
            attributes={"op_name": "jit(f)/jit(relu)", **({"shares": "@relu"} if number else {})},
            source=place,
        )
        for number in range(2)
    ]
    inside = lowered.add_group("@relu", GroupKind.COMPUTATION, "relu", owner=calls[0])
    for call in calls:
        user = lowered.add_node(
            f"main/{call + 2}",
            NodeKind.OPERATION,
            "stablehlo.multiply",
            attributes={"op_name": "jit(f)/mul"},
            source=place,
        )
        lowered.add_edge(call, user)
    top = lowered.add_node(
        "relu/0",
        NodeKind.OPERATION,
        "stablehlo.maximum",
        group=inside,
        attributes={"op_name": "max"},
    )
    given = lowered.add_node(
        "relu/out:0", NodeKind.OUTPUT, "output", group=inside, attributes={"result": "0"}
    )
    lowered.add_edge(top, given)
    for number in range(2):
        value = after.add_node(
            f"max.{number}",
            NodeKind.INSTRUCTION,
            "maximum",
            attributes={"op_name": "jit(f)/jit(relu)/max"},
            source=place,
        )
        user = after.add_node(
            f"mul.{number}",
            NodeKind.INSTRUCTION,
            "multiply",
            attributes={"op_name": "jit(f)/mul"},
            source=place,
        )
        after.add_edge(value, user)
    found = told(
        link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})["optimized"]
    )
    assert found["max.0"] == found["max.1"] == "jit(f)/jit(relu)/max /f.py:3:8"
    assert found["mul.0"] == found["mul.1"] == ""


def name_both(builder: GraphBuilder, id: str, operation: str, name: str, **more: object) -> int:
    """A node of line 3 with a name, of StableHLO or of XLA."""
    is_lowered = operation.startswith(("stablehlo", "func"))
    return builder.add_node(
        id,
        NodeKind.OPERATION if is_lowered else NodeKind.INSTRUCTION,
        operation,
        attributes={"op_name": name},
        source=(("/f.py", 3, 8, "f"),),
        **more,
    )


def test_a_function_may_have_the_name_of_one_that_it_calls() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    outer = name_both(lowered, "main/0", "func.call", "jit(solve)/jit(inv)")
    inv = lowered.add_group("@inv", GroupKind.COMPUTATION, "inv", owner=outer)
    name_both(lowered, "inv/0", "stablehlo.negate", "neg", group=inv)
    inner = name_both(lowered, "inv/1", "func.call", "jit(solve)", group=inv)
    solve = lowered.add_group("@solve_0", GroupKind.COMPUTATION, "solve_0", owner=inner)
    name_both(lowered, "solve_0/0", "stablehlo.sqrt", "sqrt", group=solve)
    name_both(after, "sqrt.1", "sqrt", "jit(solve)/jit(inv)/jit(solve)/sqrt")
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    name = "jit(solve)/jit(inv)/jit(solve)/sqrt /f.py:3:8"
    assert told(found["stablehlo"])["solve_0/0"] == told(found["optimized"])["sqrt.1"] == name


def test_equations_of_one_name_are_told_apart_by_the_types_of_what_they_make() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    for id, type_ in (("0", "bool[2,6]"), ("1", "f32[2,6]")):
        name_both(lowered, id, "stablehlo.select", "jit(f)/where", types=(type_,))
    for id, type_ in (("a", "f32[12]"), ("b", "bool[2,6]"), ("c", "bf16[2,6]")):
        name_both(after, id, "select", "jit(f)/where", types=(type_,))
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    first, second = told(found["stablehlo"]).values()
    assert first != second
    assert told(found["optimized"]) == {"a": second, "b": first, "c": ""}


def test_what_a_scatter_computes_is_no_scatter() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    for builder, operations in (
        (lowered, ("stablehlo.scatter", "stablehlo.add")),
        (after, ("scatter", "add")),
    ):
        owner = name_both(builder, "s", operations[0], "jit(f)/scatter-add")
        group = builder.add_group("update", GroupKind.REGION, "update", owner=owner)
        name_both(builder, "u", operations[1], "jit(f)/add", group=group)
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    names = {stage: told(graph) for stage, graph in found.items()}
    assert names["stablehlo"] == names["optimized"]
    assert names["optimized"]["s"] != names["optimized"]["u"] != ""


def test_what_xla_moves_out_of_a_loop_is_not_the_loop() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    name_both(lowered, "0", "stablehlo.while", "jit(f)/while")
    for id, operation in (("w", "while"), ("n", "add"), ("d", "dot")):
        name_both(after, id, operation, "jit(f)/while")
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})["optimized"]
    assert {id: bool(name) for id, name in told(found).items()} == {
        "w": True,
        "n": True,
        "d": False,
    }


@pytest.mark.parametrize("calls_body", [True, False])
def test_what_runs_in_a_loop_is_not_the_loop(*, calls_body: bool) -> None:
    """Older releases of JAX write the body of a `while` into the loop, with the loop's place."""
    lowered, after = GraphBuilder(), GraphBuilder()
    loop = name_both(lowered, "0", "stablehlo.while", "jit(f)/while")
    body = lowered.add_group("body", GroupKind.REGION, "body", owner=loop)
    name_both(lowered, "1", "stablehlo.add", "jit(f)/while/body/add", group=body)
    if calls_body:
        name_both(lowered, "2", "func.call", "jit(f)/while/body/closed_call", group=body)
    name_both(after, "add", "add", "jit(f)/while/body/add")
    after.add_node(
        "constant",
        NodeKind.INSTRUCTION,
        "constant",
        attributes={"op_name": "jit(f)/while/body/closed_call"},
    )
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    whole, own = "jit(f)/while /f.py:3:8", "jit(f)/while/body/add /f.py:3:8"
    assert told(found["optimized"]) == {
        "add": whole if calls_body else own,
        "constant": whole if calls_body else "",
    }


def test_names_that_xla_joined_have_no_place() -> None:
    lowered, after = GraphBuilder(), GraphBuilder()
    for name, line in (("mul", 3), ("add", 4)):
        lowered.add_node(
            name,
            NodeKind.OPERATION,
            f"stablehlo.{name}",
            attributes={"op_name": f"jit(f)/{name}"},
            source=(("/a folder/f.py", line, 8, "f"),),
        )
    after.add_node(
        "both",
        NodeKind.INSTRUCTION,
        "multiply",
        attributes={"op_name": "jit(f)/mul;jit(f)/add"},
    )
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    both = told(found["optimized"])["both"].split(SEPARATOR)
    assert both == list(told(found["stablehlo"]).values())


def test_the_json_says_by_what_each_node_is_linked(opened: Capture) -> None:
    stages = {stage["name"]: stage for stage in capture_to_json(opened)["stages"]}
    for name in ("stablehlo", "hlo", "optimized"):
        links = [node["link"] for node in stages[name]["graph"]["nodes"]]
        assert {"name", None} <= set(links) <= {"name", "line", None}


def test_a_selection_is_seen_in_every_stage(opened: Capture) -> None:
    graphs = {s.name: s.graph for s in opened.stages if is_available(s.graph)}
    columns = build_all_columns(graphs, "jaxpr", "", {}).of_stage
    mine, theirs = graphs["stablehlo"], graphs["optimized"]
    products = [
        row
        for row in range(len(mine.nodes))
        if mine.node(row).operation == "stablehlo.dot_general"
        and mine.attributes(row).get(LINKED_BY)
    ]
    every = np.arange(len(theirs.nodes), dtype=np.int32)
    rows = np.asarray(products, np.int32)
    pairs = find_pairs(columns["stablehlo"], rows, columns["optimized"], every)
    linked = {theirs.node(int(other)).operation for _, other in pairs}
    assert "dot" in linked or "fusion" in linked


def test_equations_that_share_name_and_place_are_told_apart_by_order_or_not_at_all() -> None:
    """Three rounds of a loop that Python unrolled; the optimizer has made three of one kind."""
    place = (("/f.py", 3, 8, "f"),)
    lowered, before, after = GraphBuilder(), GraphBuilder(), GraphBuilder()
    for number in range(3):
        for operation in ("constant", "multiply"):
            lowered.add_node(
                f"main/{number}{operation}",
                NodeKind.OPERATION,
                f"stablehlo.{operation}",
                attributes={"op_name": "jit(f)/mul"},
                source=place,
            )
    for builder in (before, after):
        for number in (2, 0, 1):
            builder.add_node(
                f"mul.{number}",
                NodeKind.INSTRUCTION,
                "multiply",
                name=f"mul.{number}",
                attributes={"op_name": "jit(f)/mul"},
                source=place,
            )
    found = link_by_name(
        {"stablehlo": lowered.build(), "hlo": before.build(), "optimized": after.build()}
    )
    told = [found["stablehlo"].attributes(row)[LINKED_BY][-1] for row in range(6)]
    assert told == ["0", "0", "1", "1", "2", "2"]
    assert [found["hlo"].attributes(row)[LINKED_BY][-1] for row in range(3)] == ["2", "0", "1"]
    assert {found["hlo"].attributes(row)[LINK] for row in range(3)} == {BY_NAME}
    assert {found["optimized"].attributes(row)[LINK] for row in range(3)} == {BY_LINE}


def test_a_node_without_evidence_is_of_the_equation_that_no_other_is_of() -> None:
    """Of two products of one name one reads an argument; the other was changed beyond that."""
    graphs = []
    for is_lowered in (True, False):
        builder = GraphBuilder()
        inputs = [
            builder.add_node(
                f"x{n}", NodeKind.INPUT, "parameter", attributes={"parameter_number": str(n)}
            )
            for n in range(2)
        ]
        for number in range(2):
            row = builder.add_node(f"mul.{number}", NodeKind.INSTRUCTION, "multiply")
            if is_lowered or number == 0:
                builder.add_edge(inputs[number], row)
        graphs.append(builder.build())
    labels, candidates = [(), (), ("a",), ("b",)], [(), (), ("a", "b"), ("a", "b")]
    found = disambiguate(graphs[0], labels, graphs[1], candidates, [False, False, True, True])
    assert found[2:] == [{"a"}, {"b"}]


def add_loop(builder: GraphBuilder, id: str, around: list[str], given: int | None) -> None:
    """A loop that adds and then multiplies what it carries; all loops have the same names."""
    is_lowered = id.startswith("main")
    prefix = "stablehlo." if is_lowered else ""
    loop = name_both(builder, id, f"{prefix}while", "jit(f)/while")
    if given is not None:
        builder.add_edge(given, loop)
    body = builder.add_group(f"body of {id}", GroupKind.REGION, "body", owner=loop)
    before = None
    for operation in around:
        name = f"jit(f)/while/body/{operation}"
        row = name_both(builder, f"{id} {operation}", prefix + operation, name, group=body)
        if before is not None:
            builder.add_edge(before, row)
        before = row


@pytest.mark.parametrize("told_by", ["what they read", "what is in them", "nothing"])
def test_loops_of_one_name_are_told_apart_with_what_is_in_them(told_by: str) -> None:
    """XLA changes their order; without evidence neither they nor what is in them is linked."""
    lowered, after = GraphBuilder(), GraphBuilder()
    for builder, order in ((lowered, (0, 1)), (after, (1, 0))):
        is_lowered = builder is lowered
        for number in order:
            inside = ["add", "multiply"]
            given = None
            if told_by == "what they read":
                name = ("sine", "cosine")[number]
                operation = f"stablehlo.{name}" if is_lowered else name
                given = name_both(builder, f"{number} {name}", operation, f"jit(f)/{name}")
            elif told_by == "what is in them" and number == 1:
                inside.append("tanh")
            add_loop(builder, f"main/{number}" if is_lowered else f"{number}", inside, given)
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    one, two = told(found["stablehlo"]), told(found["optimized"])
    for number, what in itertools.product("01", ("", " add", " multiply")):
        expected = "" if told_by == "nothing" else one[f"main/{number}{what}"]
        assert two[number + what] == expected
    assert len({one[f"main/{number}{what}"] for number in "01" for what in ("", " add")}) == 4


def test_calls_that_share_a_lowering_are_equations_of_their_own() -> None:
    """A function is shown at its first call; what XLA inlined for another is of that other."""
    lowered, after = GraphBuilder(), GraphBuilder()
    callers = []
    for number, name in enumerate("gh"):
        call = name_both(lowered, f"main/{name}", "func.call", f"jit(f)/jit({name})")
        group = lowered.add_group(f"@{name}", GroupKind.COMPUTATION, name, owner=call)
        callers.append(
            lowered.add_node(
                f"{name}/0",
                NodeKind.OPERATION,
                "func.call",
                group=group,
                attributes={"shares": "@bits"} if number else {},
            )
        )
    bits = lowered.add_group("@bits", GroupKind.COMPUTATION, "bits", owner=callers[0])
    lowered.add_node(
        "bits/0", NodeKind.OPERATION, "stablehlo.xor", group=bits, attributes={"op_name": "xor"}
    )
    for name in "hg":
        name_both(after, name, "xor", f"jit(f)/jit({name})/xor")
    found = link_by_name({"stablehlo": lowered.build(), "optimized": after.build()})
    one = told(found["stablehlo"])
    assert one["g/0"] == one["bits/0"] != one["h/0"]
    assert told(found["optimized"]) == {name: one[f"{name}/0"] for name in "gh"}


_CALLED = """
import jax
import jax.numpy as jnp


@jax.jit
def noise(seed, x):
    key, other = jax.random.split(jax.random.key(seed))
    return x + jax.random.normal(key, x.shape) * jax.random.randint(other, x.shape, 0, 5)


@jax.jit
def two_loops(x):
    def run(y, end):
        return jax.lax.while_loop(lambda c: jnp.sum(c) < end, lambda c: c * 1.5 + 1.0, y)

    return run(x, 10.0) + run(jnp.sin(x), 20.0)


# jaxscope: noise(1, f32[10])
# jaxscope: two_loops(f32[4])
"""


@pytest.mark.slow
def test_names_link_what_tags_link_in_loops_of_one_name(tmp_path: Path) -> None:
    """Random bits are loops of one line, which calls share: half of the program had no link."""
    (tmp_path / "called.py").write_text(_CALLED)
    found = measure([str(tmp_path / "called.py")])
    assert found["calls"] == 2
    for count in found["counts"].values():
        assert count.found > 100
        assert count.precision >= 0.99
        assert count.node_recall >= 0.9
