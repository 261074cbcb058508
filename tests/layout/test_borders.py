"""Lines enter and leave an open group in the order of its ports: none cross at its border.

Two lines must cross there where the value of one goes to several places, on both sides of the
other's: no order of the ports is right for all of them. Values that are used once never do.
"""

from __future__ import annotations

import collections
import itertools
import random
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jaxscope.model import Graph, GraphBuilder, NodeKind
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.view.build import build_view

NEAR_PX = 0.01

Way = tuple[tuple[float, float], ...]


def program(seed: int, *, used_once: bool) -> Graph:
    """Layers with parts inside, whose equations use what was made lately."""
    generator, builder = random.Random(seed), GraphBuilder()
    made = [
        builder.add_node(f"in:{n}", NodeKind.INPUT, "input", name=f"p{n}", types=["f32[8]"])
        for n in range(generator.randint(2, 4))
    ]
    for number in range(generator.randint(6, 26)):
        scope = [f"layer_{number // 4}"]
        if generator.random() < 0.6:
            scope.append(f"part_{number % 4 // 2}")
        node = builder.add_node(
            str(number), NodeKind.EQUATION, "add", name=f"e{number}", types=["f32[8]"], scope=scope
        )
        operands = {generator.choice(made[-6:]) for _ in range(generator.choice([1, 2, 2, 3]))}
        for operand, source in enumerate(sorted(operands)):
            builder.add_edge(source, node, operand=operand)
            if used_once:
                made.remove(source)
        made.append(node)
    return builder.build()


class Meeting(NamedTuple):
    """Where a line meets a border, and where it is beyond the gap beside that."""

    line: int
    at: float
    beyond: float


def list_meetings(scene: Scene) -> list[list[Meeting]]:
    """By border of an open group, the lines that meet it from outside."""
    lines, items = scene.lines, scene.items
    ways: dict[tuple[int, float], list[tuple[int, Way]]] = collections.defaultdict(list)
    for line in range(len(lines)):
        way = tuple((x, y) for x, y in lines.corners(line).tolist())
        ends = ((lines.target[line], lines.source[line], way[::-1]),
                (lines.source[line], lines.target[line], way))  # fmt: skip
        for end, other, away in ends:
            is_outside = end != other and items.parent[other] != end
            if is_outside and end < items.num_frames and not lines.is_return[line]:
                ways[int(end), away[0][1]].append((line, away))
    return [[*_meet(each, border)] for (_, border), each in ways.items()]


def _meet(ways: list[tuple[int, Way]], border: float) -> list[Meeting]:
    # The gap ends where the first line has bent, or ends at a box.
    ends = [next((q for p, q in itertools.pairwise(way) if p[0] != q[0]), way[-1])
            for _, way in ways]  # fmt: skip
    gap = min(abs(y - border) for _, y in ends)
    return [
        Meeting(
            line,
            way[0][0],
            next((x for x, y in way if abs(y - border) > gap - NEAR_PX), way[-1][0]),
        )
        for line, way in ways
    ]


def list_crossed(scene: Scene) -> list[tuple[int, int]]:
    """Pairs of lines that cross right beside a border that both meet."""
    return [
        (one.line, other.line)
        for meetings in list_meetings(scene)
        for one, other in itertools.combinations(meetings, 2)
        if (one.at - other.at) * (one.beyond - other.beyond) < -NEAR_PX
    ]


@settings(max_examples=60)
@given(st.integers(0, 100_000))
@example(42)
@example(118)
def test_lines_of_values_that_are_used_once_do_not_cross_at_a_border(seed: int) -> None:
    view = build_view(program(seed, used_once=True), ("box-repeats",))
    assert not list_crossed(build_scene(view, view.all_groups()))


@settings(max_examples=100)
@given(st.integers(0, 100_000))
@example(3336)  # two turns: once some lines follow, others cross
@example(3694)  # the lines of one value cross inside, or those of two values outside
@example(3855)
@example(4443)  # a line ends before the one beside it bends
@pytest.mark.slow
def test_of_two_lines_that_cross_at_a_border_one_goes_to_several_places(seed: int) -> None:
    view = build_view(program(seed, used_once=False), ("box-repeats",))
    scene = build_scene(view, view.all_groups())
    values = [set(scene.lines.values[line].tolist()) for line in range(len(scene.lines))]
    sources = scene.lines.source.tolist()
    for pair in list_crossed(scene):
        assert any(
            values[line] & values[other] and sources[line] == sources[other]
            for line in pair
            for other in range(len(values))
            if other != line
        )
