"""Links of opened modules: by name where the name tells one equation, else by line."""

from __future__ import annotations

import numpy as np
import pytest

from bench.name_links import count_pairs
from jaxscope.client.left_behind import find_left_behind
from jaxscope.client.opening import open_found
from jaxscope.export.capture_json import capture_to_json
from jaxscope.model import Capture, GraphBuilder, NodeKind, is_available
from jaxscope.program.links import build_all_columns, find_pairs
from jaxscope.program.name_links import BY_LINE, BY_NAME, LINK, LINKED_BY, link_by_name
from opening.conftest import Left


@pytest.fixture(scope="module")
def opened(left: Left) -> Capture:
    return open_found(find_left_behind([str(left.both)]))


def test_names_link_what_tags_link(opened: Capture, traced: Capture) -> None:
    counts, others = count_pairs(traced, opened)
    assert not others
    for count in counts.values():
        assert count.found > 100
        assert count.precision >= 0.99
        assert count.recall >= 0.5


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
