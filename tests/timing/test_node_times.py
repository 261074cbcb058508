"""Measured times over the nodes of a graph and the lines of a file, in a small program."""

from __future__ import annotations

import math

import numpy as np
import pytest

from jaxscope.model import Cost, Graph, GraphBuilder, NodeKind, Stage, StageText, Unavailable
from jaxscope.model.capture import NO_ENVIRONMENT
from jaxscope.model.timing import LineTime, NodeTime, NodeTimes, Profile
from jaxscope.program.links import NO_LINKED, Linked, Links
from jaxscope.program.node_times import (
    describe_observed_times,
    describe_overlap,
    describe_profile_place,
    find_node,
    lay_over,
    line_shares,
    names_of_linked,
    sum_lines,
    time_stages,
)

F, G = ("/u/m.py", 3, 0, "f"), ("/u/m.py", 9, 0, "g")


def program() -> Graph:
    """The last node is called as the first one's id, which goes first."""
    builder = GraphBuilder()
    rows = [("0", "sin", [F]), ("1", "call", [F, G]), ("2", "copy", []), ("3", "0", [G, G])]
    for id, name, places in rows:
        builder.add_node(id, NodeKind.EQUATION, "op", name=name, source=places)
    return builder.build()


def time_of(name: str, exclusive: float) -> NodeTime:
    return NodeTime(name, 1, 2 * exclusive, exclusive, 3 * exclusive, exclusive)


def times_of(*times: NodeTime, stage: str = "optimized", covered: float = 1.0) -> NodeTimes:
    return NodeTimes(stage, times, 3, 2.0, 1.5, covered, "")


TIMES = (
    *(time_of("0", 1.0), time_of("gone", 4.0), time_of("call", 2.0), time_of("copy", 8.0)),
    *(time_of("3", 16.0), time_of("lost", 1.0)),
)


def test_times_find_their_nodes_by_id_and_else_by_name() -> None:
    overlay = lay_over(program(), TIMES)
    assert overlay.nodes == (0, 1, 2, 3)
    assert overlay.times == (TIMES[0], TIMES[2], TIMES[3], TIMES[4])
    assert overlay.unmatched == ("gone", "lost")
    assert overlay.graph.nodes.seconds.tolist() == [1.0, 2.0, 8.0, 16.0]
    part = lay_over(program(), TIMES[:1]).graph.nodes.seconds
    assert part[0] == 1.0 and np.isnan(part[1:]).all()


def test_a_node_is_found_by_id_and_else_by_name() -> None:
    graph = program()
    assert [find_node(graph, name) for name in ("0", "1", "call", "copy")] == [0, 1, 1, 2]
    assert [find_node(graph, name) for name in ("op", "unknown")] == [None, None]


def test_a_line_has_its_own_time_and_in_total_that_of_what_it_calls() -> None:
    """The innermost place comes first; a place that is there twice counts once."""
    assert sum_lines(lay_over(program(), TIMES)) == (
        LineTime("/u/m.py", 9, 16.0, 18.0),
        LineTime("", 0, 8.0, 8.0),
        LineTime("/u/m.py", 3, 3.0, 3.0),
    )


def test_lines_of_equal_time_stand_by_total_and_then_by_place() -> None:
    builder = GraphBuilder()
    for number, line in enumerate((7, 5, 6)):
        outer = [G] if line == 6 else []
        builder.add_node(
            str(number), NodeKind.EQUATION, "op", source=[("/u/m.py", line, 0, "f"), *outer]
        )
    times = [time_of(str(number), 1.0) for number in range(3)]
    found = sum_lines(lay_over(builder.build(), times))
    assert [(line.line, line.seconds, line.total) for line in found] == [
        *((5, 1.0, 1.0), (6, 1.0, 1.0), (7, 1.0, 1.0), (9, 0.0, 1.0)),
    ]


def test_shares_of_lines_add_up_to_one_with_what_no_line_has_at_the_end() -> None:
    found = line_shares(lay_over(program(), TIMES), times_of(*TIMES))
    assert [(line.line, share) for line, share in found] == [
        *((9, 16 / 32), (0, 8 / 32), (3, 3 / 32), (-1, 5 / 32)),
    ]
    assert found[-1][0] == LineTime("", -1, 5.0, 5.0)
    known = line_shares(lay_over(program(), TIMES[:1]), times_of(TIMES[0]))
    assert [share for _, share in known] == [1.0]
    nothing = (time_of("0", 0.0), time_of("gone", 0.0))
    (only,) = line_shares(lay_over(program(), nothing), times_of(*nothing))
    assert only == (LineTime("/u/m.py", 3, 0.0, 0.0), 0.0)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (LineTime("/u/m.py", 12, 0, 0), "m.py:12"),
        (LineTime("/u/m.py", 1, 0, 0), "m.py:1"),
        (LineTime("", 0, 0, 0), "no known line"),
        (LineTime("", -1, 0, 0), "not in the program that is shown"),
    ],
)
def test_places_are_short(line: LineTime, text: str) -> None:
    assert describe_profile_place(line) == text


def test_parts_that_overlap_are_explained() -> None:
    times = (time_of("0", 1.0), time_of("1", 1.1))
    assert describe_overlap(times_of(*times, covered=2.0)) == ""
    assert describe_overlap(times_of(*times, covered=2.0 * 1.1 / 1.05)) == ""
    assert describe_overlap(times_of(*times, covered=1.9)).startswith("2.10 s of work in 1.90 s: ")


def test_one_run_has_no_range() -> None:
    time = time_of("0", 1.0)
    assert describe_observed_times(time, 1) == "one run"
    assert describe_observed_times(time, 2) == "1.00 s to 3.00 s"


def stage(name: str, graph: Graph | Unavailable) -> Stage:
    return Stage(name, name, StageText.plain(""), graph, Cost(), 0.0)


def test_names_of_what_is_linked_are_those_that_times_have() -> None:
    stages = [stage("optimized", program()), stage("hlo", Unavailable("Gone."))]
    parts = (np.array([part], np.int32) for part in range(3))
    links = Links({"optimized": Linked(*parts), "hlo": NO_LINKED}, (), True)
    assert names_of_linked(stages, links, "optimized") == {"sin", "call", "copy"}
    assert names_of_linked(stages, links, "hlo") == frozenset()
    assert names_of_linked(stages, links, "jaxpr") == frozenset()
    assert names_of_linked(stages, Links({}, (), True), "optimized") == frozenset()


def test_a_profile_puts_times_on_the_two_stages_that_were_measured() -> None:
    stages = (
        *(stage("jaxpr", program()), stage("optimized", program()), stage("hlo", program())),
        stage("machine", Unavailable("Gone.")),
    )
    profile = Profile(
        "f(1)",
        NO_ENVIRONMENT,
        times_of(*TIMES),
        times_of(time_of("1", 5.0), stage="jaxpr"),
    )
    found = time_stages(stages, profile)
    assert [each.name for each in found] == [each.name for each in stages]
    graphs = [each.graph for each in found if isinstance(each.graph, Graph)]
    seconds = [graph.nodes.seconds.tolist() for graph in graphs]
    assert seconds[0][1] == 5.0 and math.isnan(seconds[0][0])
    assert seconds[1] == [1.0, 2.0, 8.0, 16.0]
    assert found[2] is stages[2] and found[3] is stages[3]
    others = times_of(time_of("gone", 1.0), stage="optimized")
    unknown = Profile("f(1)", NO_ENVIRONMENT, others, Unavailable("Not run."))
    without = (stage("optimized", Unavailable("Gone.")),)
    assert time_stages(without, unknown) == without
    assert all(a is b for a, b in zip(time_stages(stages, unknown), stages, strict=True))
