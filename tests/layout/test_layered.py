"""What every layered layout must keep, whatever the diagram."""

from __future__ import annotations

import dataclasses
import itertools
import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jaxscope.picture.layout.crossing_reduction import _Order, order_ranks
from jaxscope.picture.layout.diagram import (
    Diagram,
    DiagramEdge,
    Drawing,
    LayeredGraph,
    LayoutStopped,
    LineAside,
    RequestedStub,
    Route,
    Spacing,
    build_layered_graph,
)
from jaxscope.picture.layout.layered import keep_distances, layout_layered
from jaxscope.picture.scene.group_layout import LAYOUT_CHOOSES

TOLERANCE_PX = 1e-6


@st.composite
def diagrams(draw: st.DrawFn, is_cyclic: bool = False) -> Diagram:
    num = draw(st.integers(1, 40))
    sizes = st.floats(1, 300)
    across = draw(st.lists(sizes, min_size=num, max_size=num))
    along = draw(st.lists(sizes, min_size=num, max_size=num))
    end = st.integers(0, num - 1)
    pairs = draw(st.lists(st.tuples(end, end, st.integers(0, 2)), max_size=90))
    if not is_cyclic:
        pairs = [(min(a, b), max(a, b), net) for a, b, net in pairs if a != b]
    ports = draw(st.sets(end, max_size=3)) if is_cyclic else set()
    links = [
        DiagramEdge(a, b, net) for a, b, net in pairs if a == b or not (a in ports and b in ports)
    ]
    return Diagram(across, along, links, first=frozenset(ports))


def boxes(diagram: Diagram, drawing: Drawing) -> list[tuple[float, float, float, float]]:
    """Left, top, right, bottom of nodes, then of stubs."""
    sizes = zip(diagram.across, diagram.along, strict=True)
    places = zip(drawing.x, drawing.y, sizes, strict=True)
    rects = [(x - w / 2, y - h / 2, x + w / 2, y + h / 2) for x, y, (w, h) in places]
    half = diagram.stub_along / 2
    return rects + [
        (s.x - s.across / 2, s.y - half, s.x + s.across / 2, s.y + half) for s in drawing.stubs
    ]


def overlaps(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    gap = TOLERANCE_PX
    return (
        one[0] < other[2] - gap and other[0] < one[2] - gap
        and one[1] < other[3] - gap and other[1] < one[3] - gap
    )  # fmt: skip


def assert_well_drawn(diagram: Diagram, drawing: Drawing) -> None:
    rects = boxes(diagram, drawing)
    for one, other in itertools.combinations(rects, 2):
        assert not overlaps(one, other)
    for left, top, right, bottom in rects:
        assert left >= -TOLERANCE_PX
        assert top >= -TOLERANCE_PX
        assert right <= drawing.across + TOLERANCE_PX
        assert bottom <= drawing.along + TOLERANCE_PX
    stubbed = {index for stub in drawing.stubs for index in stub.links}
    told = [(index, s.is_source, s.node) for s in drawing.stubs for index in s.links]
    ends = [(n, diagram.links[n]) for n in sorted(stubbed)]
    assert sorted(told) == [
        each for n, link in ends for each in ((n, False, link.target), (n, True, link.source))
    ]
    for stub in drawing.stubs:
        at_node, at_stub = stub.line[:: 1 if stub.is_source else -1][:: len(stub.line) - 1]
        assert_touches(at_node, rects[stub.node])
        half = stub.across / 2, diagram.stub_along / 2
        room = stub.x - half[0], stub.y - half[1], stub.x + half[0], stub.y + half[1]
        assert_touches(at_stub, room)
    for index, (link, route) in enumerate(zip(diagram.links, drawing.routes, strict=True)):
        assert bool(route) != (index in stubbed)
        if route and link.source != link.target:
            assert_touches(route[0], rects[link.source])
            assert_touches(route[-1], rects[link.target])


def assert_touches(place: tuple[float, float], rect: tuple[float, ...]) -> None:
    gap = 0.01
    assert rect[0] - gap <= place[0] <= rect[2] + gap
    assert min(abs(place[1] - rect[1]), abs(place[1] - rect[3])) <= gap


def crosses(route: tuple[tuple[float, float], ...], rect: tuple[float, ...]) -> bool:
    """Whether a straight part of a route along the flow runs through a box."""
    for (x0, y0), (x1, y1) in itertools.pairwise(route):
        low, high = min(y0, y1), max(y0, y1)
        is_beside = x0 != x1 or not rect[0] + 0.01 < x0 < rect[2] - 0.01
        if not is_beside and low < rect[3] - 0.01 and high > rect[1] + 0.01:
            return True
    return False


@settings(max_examples=150)
@given(diagrams())
def test_nothing_overlaps_and_every_line_arrives(diagram: Diagram) -> None:
    drawing = layout_layered(diagram)
    assert_well_drawn(diagram, drawing)
    for link in diagram.links:
        assert drawing.y[link.source] < drawing.y[link.target], "values flow one way"


@settings(max_examples=100)
@given(diagrams(is_cyclic=True))
def test_cycles_loops_and_ports_do_no_harm(diagram: Diagram) -> None:
    assert_well_drawn(diagram, layout_layered(diagram))


@settings(max_examples=100)
@given(diagrams())
def test_lines_run_through_no_other_box(diagram: Diagram) -> None:
    drawing = layout_layered(diagram)
    rects = boxes(diagram, drawing)
    for link, route in zip(diagram.links, drawing.routes, strict=True):
        for node, rect in enumerate(rects[: len(diagram.across)]):
            if node not in (link.source, link.target):
                assert not crosses(route, rect)


@settings(max_examples=50)
@given(diagrams())
def test_the_same_diagram_is_laid_out_the_same(diagram: Diagram) -> None:
    assert layout_layered(diagram) == layout_layered(diagram)


CHAIN = [DiagramEdge(n, n + 1) for n in range(7)]
LONG = [DiagramEdge(*each) for each in ((6, 1, 1), (1, 5, 2), (5, 0, 3), (6, 2, 4))]
"""All but one run against the flow of the chain."""


@settings(max_examples=60)
@given(st.booleans().flatmap(diagrams), st.integers(1, 5))
@example(Diagram([40.0] * 8, [20.0] * 8, [*CHAIN, *LONG]), 2)
def test_long_edges_become_stubs_with_room_of_their_own(diagram: Diagram, span: int) -> None:
    drawing = layout_layered(diagram, Spacing(max_span=span))
    assert_well_drawn(diagram, drawing)


@settings(max_examples=80)
@given(diagrams(), st.integers(200, 900))
def test_wide_ranks_are_wrapped_and_still_tidy(diagram: Diagram, most: int) -> None:
    wrapped = dataclasses.replace(diagram, most_across=float(most))
    drawing = layout_layered(wrapped)
    assert_well_drawn(wrapped, drawing)
    for link in diagram.links:
        assert drawing.y[link.source] < drawing.y[link.target], "values flow one way"


def test_boxes_without_lines_are_wrapped_as_words_are() -> None:
    diagram = Diagram([100.0] * 12, [40.0] * 12, [], most_across=400.0)
    drawing = layout_layered(diagram)
    assert drawing.across <= 400.0
    assert len(set(drawing.y)) == 4


def test_a_staircase_stays_on_the_page() -> None:
    """Long lines pull boxes aside; a page has an end there."""
    links = [DiagramEdge(0, step, step) for step in range(1, 9)]
    links += [DiagramEdge(step, 8 + step) for step in range(1, 9)]
    links += [DiagramEdge(8 + step, 9 + step) for step in range(1, 8)]
    free = Diagram([100.0] * 17, [40.0] * 17, links)
    page = dataclasses.replace(free, most_across=400.0)
    assert layout_layered(free).across > 400.0
    assert layout_layered(page).across <= 400.0


def count_bends(across: list[float], links: list[tuple[int, int]]) -> tuple[int, int]:
    """How often the lines of a drawing lead aside, and how often to one side after the other."""
    edges = [DiagramEdge(*ends, net) for net, ends in enumerate(links)]
    drawing = layout_layered(Diagram(across, [40.0] * len(across), edges))
    num_bends = num_turns = 0
    for route in drawing.routes:
        aside = [x - before for (before, _), (x, _) in itertools.pairwise(route) if x != before]
        num_bends += len(aside)
        num_turns += sum((one < 0) != (other < 0) for one, other in itertools.pairwise(aside))
    return num_bends, num_turns


def test_boxes_give_way_to_what_is_straight_without_them() -> None:
    """Box 1 moves for the line from 0 to 3, so that boxes stand under each other on both sides."""
    assert count_bends([200.0, 200.0, 40.0, 40.0], [(0, 1), (0, 3), (2, 3)]) == (1, 0)


def test_lines_cross_where_neither_has_to_turn_back_for_it() -> None:
    links = [(0, 1), (0, 2), (0, 4), (1, 4), (3, 4)]
    assert count_bends([200.0, 200.0, 40.0, 200.0, 200.0], links) == (4, 0)


def test_a_chain_is_a_straight_line() -> None:
    links = [DiagramEdge(i, i + 1) for i in range(9)]
    drawing = layout_layered(Diagram([20.0 + 10 * i for i in range(10)], [20.0] * 10, links))
    assert max(drawing.x) - min(drawing.x) < 1e-6
    assert all(len(route) == 2 for route in drawing.routes)


def test_an_argument_beside_the_main_line_does_not_bend_it() -> None:
    links = [DiagramEdge(i, i + 1) for i in range(9)]
    links += [DiagramEdge(10 + i, 1 + i) for i in range(8)]
    drawing = layout_layered(Diagram([60.0] * 18, [20.0] * 18, links))
    main = drawing.x[:10]
    assert max(main) - min(main) < 60.0


def test_uses_of_one_value_share_their_way() -> None:
    chain = [DiagramEdge(i, i + 1) for i in range(8)]
    shared = Diagram([40.0] * 9, [20.0] * 9, [*chain, DiagramEdge(0, 7, 1), DiagramEdge(0, 8, 1)])
    apart = Diagram([40.0] * 9, [20.0] * 9, [*chain, DiagramEdge(0, 7, 1), DiagramEdge(0, 8, 2)])
    one, two = layout_layered(shared), layout_layered(apart)
    assert one.across < two.across
    lanes = [{tuple(x for x, _ in r[:2]) for r in d.routes[-2:]} for d in (one, two)]
    assert [len(lane) for lane in lanes] == [1, 2]


def test_ports_stand_on_the_first_and_the_last_rank() -> None:
    diagram = Diagram(
        [8.0, 50.0, 50.0, 8.0], [0.0, 20.0, 20.0, 0.0],
        [DiagramEdge(0, 2), DiagramEdge(1, 2), DiagramEdge(1, 3)],
        first=frozenset({0}), last=frozenset({3}),
    )  # fmt: skip
    drawing = layout_layered(diagram)
    assert drawing.y[0] == min(drawing.y)
    assert drawing.y[3] == max(drawing.y)


def test_it_stops_when_it_is_told_to() -> None:
    generator = random.Random(0)
    links = [DiagramEdge(generator.randrange(i), i) for i in range(1, 3000)]
    asked = 0

    def should_stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 3

    with pytest.raises(LayoutStopped):
        layout_layered(Diagram([40.0] * 3000, [20.0] * 3000, links), should_stop=should_stop)
    assert asked == 4


def test_links_to_nowhere_are_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        layout_layered(Diagram([1.0], [1.0], [DiagramEdge(0, 1)]))


def test_links_within_a_pinned_rank_are_refused() -> None:
    with pytest.raises(ValueError, match="pinned"):
        layout_layered(
            Diagram([1.0, 1.0], [1.0, 1.0], [DiagramEdge(0, 1)], first=frozenset({0, 1}))
        )


@pytest.mark.parametrize("end", [-1, 2])
def test_whatever_points_nowhere_is_refused(end: int) -> None:
    plain = Diagram([1.0, 1.0], [1.0, 1.0], [])
    for bad in (
        dataclasses.replace(plain, links=[DiagramEdge(end, 0)]),
        dataclasses.replace(plain, links=[DiagramEdge(0, end)]),
        dataclasses.replace(plain, first=frozenset({end})),
        dataclasses.replace(plain, last=frozenset({end})),
        dataclasses.replace(plain, loose=[RequestedStub(end, True, 9.0)]),
    ):
        with pytest.raises(ValueError, match="outside the 2 nodes"):
            layout_layered(bad)
    layout_layered(dataclasses.replace(plain, links=[DiagramEdge(0, 1)]))


def test_sizes_that_do_not_fit_the_nodes_are_refused() -> None:
    plain = Diagram([1.0, 1.0], [1.0, 1.0], [DiagramEdge(0, 1)])
    for bad in (
        dataclasses.replace(plain, along=[1.0]),
        dataclasses.replace(plain, stub_across=[1.0]),
    ):
        with pytest.raises(ValueError, match="sizes do not fit"):
            layout_layered(bad)
    layout_layered(dataclasses.replace(plain, stub_across=[1.0, 1.0]))


def test_a_line_over_twelve_ranks_is_drawn_and_over_thirteen_is_not() -> None:
    chain = [DiagramEdge(node, node + 1) for node in range(13)]
    links = [*chain, DiagramEdge(0, 12, 1), DiagramEdge(0, 13, 2)]
    routes = layout_layered(Diagram([40.0] * 14, [20.0] * 14, links)).routes
    assert [bool(route) for route in routes] == [*[True] * 14, False]


@pytest.mark.parametrize(("num", "is_wrapped"), [(200, True), (201, False)])
def test_more_than_two_hundred_boxes_are_no_page(num: int, is_wrapped: bool) -> None:
    drawing = layout_layered(Diagram([50.0] * num, [10.0] * num, [], most_across=1500.0))
    assert (drawing.across <= 1500.0) is is_wrapped
    assert (len(set(drawing.y)) > 1) is is_wrapped


def test_a_row_keeps_its_order_and_distances_as_near_to_what_is_wanted_as_can_be() -> None:
    x = [0.0] * 4
    wanted = [0.0, 0.0, 100.0, 130.0]
    keep_distances([0, 1, 2, 3], [10.0, 30.0, 10.0, 10.0], 5.0, wanted, x)
    assert x == [-12.5, 12.5, 100.0, 130.0]


def test_nothing_is_laid_out_as_nothing() -> None:
    assert layout_layered(Diagram([], [], [])) == Drawing((), (), (), (), 0.0, 0.0)


@given(st.permutations(range(5)), st.permutations(range(5)))
def test_neighbours_of_a_wide_box_stand_in_the_order_of_its_ports(
    above: list[int], below: list[int]
) -> None:
    num = len(above)
    box = 2 * num
    links = [
        DiagramEdge(node, box, node, target_shift=100.0 * (at - num // 2))
        for node, at in enumerate(above)
    ]
    links += [
        DiagramEdge(box, num + node, num + node, source_shift=100.0 * (at - num // 2))
        for node, at in enumerate(below)
    ]
    across = [40.0] * (2 * num) + [600.0]
    drawing = layout_layered(Diagram(across, [40.0] * len(across), links))
    for first, at in ((0, above), (num, below)):
        places = [drawing.x[first + node] for node in range(num)]
        assert sorted(range(num), key=places.__getitem__) == sorted(range(num), key=at.__getitem__)


def pieces_of(drawing: Drawing) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    lines = [*drawing.routes, *(stub.line for stub in drawing.stubs)]
    return list(dict.fromkeys(piece for line in lines for piece in itertools.pairwise(line)))


def do_cross(
    one: tuple[tuple[float, float], tuple[float, float]],
    other: tuple[tuple[float, float], tuple[float, float]],
) -> bool:
    """Whether two straight pieces cross elsewhere than at an end."""

    def side(p: tuple[float, float], q: tuple[float, float], r: tuple[float, float]) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return all(
        side(*line, across[0]) * side(*line, across[1]) < -TOLERANCE_PX
        for line, across in ((one, other), (other, one))
    )


@given(st.permutations(range(4)), st.sets(st.integers(0, 3)))
def test_siblings_do_not_cross_at_the_border_of_a_box(ports: list[int], stubs: set[int]) -> None:
    """Inputs of an open group, some of which also go to a place that only a stub names."""
    num = len(ports)
    links = [
        DiagramEdge(node, num, node, target_shift=100.0 * (at - num / 2 + 0.5))
        for node, at in enumerate(ports)
    ]
    diagram = Diagram(
        [60.0] * num + [600.0],
        [40.0] * (num + 1),
        links,
        loose=[RequestedStub(node, True, 70.0) for node in sorted(stubs)],
        wide=frozenset({num}),
    )
    pieces = pieces_of(layout_layered(diagram))
    assert not any(do_cross(*pair) for pair in itertools.combinations(pieces, 2))


def place_at(route: tuple[tuple[float, float], ...], y: float) -> float | None:
    """Where across a line is on a level."""
    for (x0, y0), (x1, y1) in itertools.pairwise(route):
        if y0 <= y <= y1 > y0:
            return x0 + (x1 - x0) * (y - y0) / (y1 - y0)
    return None


def cross_side_by_side(diagram: Diagram, drawing: Drawing, one: int, other: int, end: int) -> bool:
    """Whether two lines that meet one box cross, though nothing is between them up to there.

    Args:
        one: Number of a link, or of a stub after all links; it has a line.
        other: Likewise.
        end: Which end of both is at the box: 0 where they leave it, -1 where they enter it.
    """
    routes = lines_of(drawing)
    tops = [y for route in routes for _, y in route]
    low = max(routes[each][0][1] for each in (one, other))
    high = min(routes[each][-1][1] for each in (one, other))
    halves = [(p[1] + q[1]) / 2 for route in routes for p, q in itertools.pairwise(route)]
    levels = sorted(y for y in {*tops, *halves} if low < y < high)
    sign = 0
    for y in levels if end == 0 else levels[::-1]:
        places = [place_at(route, y) for route in routes]
        ours, theirs = places[one], places[other]
        assert ours is not None and theirs is not None
        if abs(ours - theirs) < TOLERANCE_PX:
            continue
        if sign * (ours - theirs) < 0:
            return True
        left, right = sorted((ours, theirs))
        lines = [x for each, x in enumerate(places) if each not in (one, other) and x is not None]
        is_beside = any(left <= x <= right for x in lines) or any(
            left < box[2] and box[0] < right and box[1] - 1 <= y <= box[3] + 1
            for box in boxes(diagram, drawing)
        )
        if is_beside:
            return False
        sign = 1 if ours > theirs else -1
    return False


def lines_of(drawing: Drawing) -> list[Route]:
    """The line of each link, empty where a stub stands for it; then the line of each stub."""
    return [*drawing.routes, *(stub.line for stub in drawing.stubs)]


def assert_siblings_do_not_cross(diagram: Diagram) -> None:
    """Of the lines that are drawn: where many are long, stubs stand for some, and have lines."""
    drawing = layout_layered(diagram, Spacing(max_span=len(diagram.across)))
    entered: list[tuple[int, int]] = []  # a box, and the number of a line that enters it
    left: list[tuple[int, int]] = []
    for number, link in enumerate(diagram.links):
        if drawing.routes[number]:
            left.append((link.source, number))
            entered.append((link.target, number))
    for number, stub in enumerate(drawing.stubs, start=len(diagram.links)):
        (left if stub.is_source else entered).append((stub.node, number))
    nets = [link.net for link in diagram.links]
    for ends, at in ((entered, -1), (left, 0)):
        for (box, i), (other, j) in itertools.combinations(ends, 2):
            is_one_value = at == 0 and max(i, j) < len(nets) and nets[i] == nets[j]
            if box == other and not is_one_value:
                assert not cross_side_by_side(diagram, drawing, i, j, at)


@settings(max_examples=60)
@given(st.integers(0, 100_000))
@example(33)
@example(9169)  # six of its lines are stubs
def test_two_lines_that_go_side_by_side_to_a_box_do_not_cross(seed: int) -> None:
    generator, links = random.Random(seed), list[DiagramEdge]()
    num = generator.randint(4, 14)
    for target in range(1, num):
        sources = {generator.randrange(target) for _ in range(generator.choice([1, 1, 2, 3]))}
        links += [
            DiagramEdge(source, target, len(links) + n) for n, source in enumerate(sorted(sources))
        ]
    across = [generator.choice([60.0, 100.0, 160.0]) for _ in range(num)]
    assert_siblings_do_not_cross(Diagram(across, [30.0] * num, links))


def test_two_lines_that_came_beside_each_other_later_do_not_cross_either() -> None:
    """Where lines lead past each other, neighbours are swapped once more: an update by Optax."""
    pairs = [(1, 5, 0), (0, 5, 1), (2, 5, 2), (0, 7, 3), (6, 7, 4), (0, 6, 5), (5, 6, 6), (2, 6, 2),
             (0, 4, 7), (0, 3, 8), (4, 5, 9), (1, 6, 0), (5, 7, 10), (3, 8, 11), (7, 9, 12),
             (6, 9, 13), (5, 8, 14)]  # fmt: skip
    across = [96.0, 96.0, 96.0, 80.0, 208.0, 144.0, 144.0, 176.0, 144.0, 224.0]
    preferred = ((0, 1), (0, 2), (1, 2))
    links = [DiagramEdge(*each) for each in pairs]
    links[6] = links[6]._replace(text_across=78.5)
    diagram = Diagram(across, [42.0] * 10, links, most_across=355.2, preferred=preferred)
    assert_siblings_do_not_cross(diagram)


@pytest.mark.parametrize("free", range(4))
def test_a_line_that_may_choose_enters_between_those_that_may_not(free: int) -> None:
    """As what chooses an arm of a branch, which no line leads on inside."""
    num, box = 4, 4
    links = [
        DiagramEdge(node, box, node, target_shift=LAYOUT_CHOOSES if node == free else 40.0 * node)
        for node in range(num)
    ]
    diagram = Diagram([60.0] * num + [400.0], [40.0] * 5, links, fixed=tuple(range(num)))
    drawing = layout_layered(diagram)
    at = [route[-1][0] for route in drawing.routes]
    assert at == sorted(at)
    assert len(set(at)) == num
    assert drawing.x[box] - 200.0 <= at[0]


def test_what_no_edge_says_can_stand_later_all_the_same() -> None:
    links = [DiagramEdge(0, 1), DiagramEdge(0, 3), DiagramEdge(3, 4)]
    diagram = Diagram([60.0] * 5, [30.0] * 5, links, later=((1, 3), (2, 4)))
    drawing = layout_layered(diagram)
    assert drawing.y[1] + 30.0 < drawing.y[3]
    assert drawing.y[2] + 30.0 < drawing.y[4]
    assert len(drawing.routes) == len(links)
    free = layout_layered(dataclasses.replace(diagram, later=()))
    assert free.y[1] == free.y[3]


def test_a_line_that_feeds_every_box_of_a_column_does_not_make_it_lean() -> None:
    """As where a program adds up many arrays of one argument."""
    column = [DiagramEdge(i, i + 1) for i in range(1, 11)]
    feeding = [DiagramEdge(0, i, 1) for i in range(1, 11)]
    drawing = layout_layered(Diagram([80.0] * 12, [20.0] * 12, [*column, *feeding]))
    boxes = drawing.x[1:]
    assert max(boxes) - min(boxes) < 80.0


def test_a_long_line_beside_boxes_of_many_sizes_is_straight() -> None:
    column = [DiagramEdge(i, i + 1) for i in range(8)]
    beside = DiagramEdge(0, 8, 1)
    sizes = [60.0, 40.0, 90.0, 50.0, 160.0, 30.0, 120.0, 70.0, 60.0]
    drawing = layout_layered(Diagram(sizes, [20.0] * 9, [*column, beside]))
    assert max(drawing.x[1:8]) - min(drawing.x[1:8]) < 1.0
    route = drawing.routes[-1]
    bends = [(p, q) for p, q in itertools.pairwise(route) if abs(p[0] - q[0]) > 1.0]
    assert len(bends) <= 2


@settings(max_examples=60)
@given(diagrams())
def test_lines_meet_boxes_within_their_sizes(diagram: Diagram) -> None:
    drawing = layout_layered(diagram)
    for link, route in zip(diagram.links, drawing.routes, strict=True):
        if route and link.source != link.target:
            for node, at in ((link.source, route[0][0]), (link.target, route[-1][0])):
                assert abs(at - drawing.x[node]) <= diagram.across[node] / 2 + 0.01


@settings(max_examples=150)
@given(diagrams())
def test_lines_of_several_boxes_end_in_arrowheads_of_their_own(diagram: Diagram) -> None:
    drawing = layout_layered(diagram)
    for node in range(len(diagram.across)):
        links = [n for n, link in enumerate(diagram.links) if link.target == node]
        ends = {
            diagram.links[n].source: drawing.routes[n][-1][0] for n in links if drawing.routes[n]
        }
        least = min(14.0, diagram.across[node] * 0.7 / max(len(links) - 1, 1))
        for one, other in itertools.combinations(ends.values(), 2):
            assert abs(one - other) >= least * 0.99


def test_a_line_that_can_come_straight_down_leans_not_even_a_little() -> None:
    """Whatever else meets the same box: a line one pixel aside looks like a mistake."""
    links = [*(DiagramEdge(i, i + 1) for i in range(4)), DiagramEdge(5, 2)]
    drawing = layout_layered(Diagram([90.0, 110.0, 70.0, 100.0, 80.0, 60.0], [20.0] * 6, links))
    for route in drawing.routes[:4]:
        assert max(x for x, _ in route) - min(x for x, _ in route) < 1e-3


def test_a_port_of_three_lines_stands_above_one_that_is_nearly_below_it() -> None:
    """As the one value that all arms of a branch read."""
    links = [DiagramEdge(0, arm) for arm in (1, 2, 3)] + [DiagramEdge(arm, 4) for arm in (1, 2, 3)]
    diagram = Diagram(
        [8.0, 110.0, 112.0, 124.0, 8.0], [0.0, 90.0, 90.0, 90.0, 0.0], links,
        first=frozenset({0}), last=frozenset({4}), sequence=(1, 2, 3),
    )  # fmt: skip
    drawing = layout_layered(diagram)
    assert drawing.x[0] == drawing.x[2] == drawing.x[4]


def test_arms_of_a_branch_stand_side_by_side_however_wide_they_are() -> None:
    links = [DiagramEdge(0, arm) for arm in (1, 2, 3)] + [DiagramEdge(arm, 4) for arm in (1, 2, 3)]
    diagram = Diagram(
        [8.0, 110.0, 112.0, 124.0, 8.0], [0.0, 90.0, 90.0, 90.0, 0.0], links,
        first=frozenset({0}), last=frozenset({4}), sequence=(1, 2, 3), most_across=200.0,
    )  # fmt: skip
    assert len(set(layout_layered(diagram).y[1:4])) == 1
    wrapped = layout_layered(dataclasses.replace(diagram, sequence=()))
    assert len(set(wrapped.y[1:4])) > 1, "what is no arm is wrapped"


@pytest.mark.parametrize("has_box_beside", [False, True])
def test_a_text_on_an_edge_has_room(has_box_beside: bool) -> None:
    """Upright, and clear of the boxes and the edges that it passes."""
    links = [DiagramEdge(0, 1, text_across=90.0), DiagramEdge(2, 1), DiagramEdge(0, 3)]
    if has_box_beside:
        links += [DiagramEdge(0, 4), DiagramEdge(4, 1)]
    diagram = Diagram([100.0] * 5, [40.0] * 5, links)
    drawing = layout_layered(diagram)
    pieces = list(itertools.pairwise(drawing.routes[0]))
    upright = [(one, other) for one, other in pieces if one[0] == other[0]]
    (x, top), (_, bottom) = max(upright, key=lambda ends: ends[1][1] - ends[0][1])
    assert bottom - top >= 22.0
    middle = (top + bottom) / 2
    for at, centre in enumerate(drawing.y):
        if abs(centre - middle) < (40.0 + 14.0) / 2:
            assert abs(drawing.x[at] - x) >= (100.0 + 90.0) / 2
    for route in drawing.routes[1:]:
        for (x0, y0), (x1, y1) in itertools.pairwise(route):
            if min(y0, y1) <= middle <= max(y0, y1) and x0 == x1:
                assert abs(x0 - x) >= 45.0


def test_a_column_is_straight_also_where_its_argument_has_no_room_above_it() -> None:
    """Two arguments of its first box, and one beside the second."""
    links = [DiagramEdge(0, 3), DiagramEdge(1, 3), DiagramEdge(2, 4)]
    links += [DiagramEdge(i, i + 1) for i in (3, 4, 5)]
    sizes = [118.0, 68.0, 118.0, 120.0, 102.0, 102.0, 84.0]
    drawing = layout_layered(Diagram(sizes, [44.0] * 7, links))
    assert len(set(drawing.x[3:])) == 1
    assert all(len(route) == 2 for route in drawing.routes[3:])


def test_a_stub_that_is_only_a_little_aside_stands_below_its_box() -> None:
    """As what the forward pass keeps: its name is wider than the box, beside a column."""
    links = [DiagramEdge(0, 1), DiagramEdge(0, 2), DiagramEdge(1, 3)]
    diagram = Diagram([110.0, 126.0, 110.0, 110.0], [42.0] * 4, links)
    drawing = layout_layered(dataclasses.replace(diagram, loose=(RequestedStub(2, True, 142.0),)))
    (stub,) = drawing.stubs
    assert stub.x == drawing.x[2]
    assert len(stub.line) == 2


@pytest.mark.parametrize("preferred", [((0, 1), (0, 2), (1, 2)), ((2, 1), (2, 0), (1, 0))])
def test_boxes_stand_in_the_order_that_is_preferred(preferred: tuple[tuple[int, int], ...]) -> None:
    """Arguments of one box, in the order of the call, whichever is used first."""
    links = [DiagramEdge(start, 3, start) for start in range(3)]
    drawing = layout_layered(Diagram([40.0] * 4, [20.0] * 4, links, preferred=preferred))
    assert all(drawing.x[left] < drawing.x[right] for left, right in preferred)


def test_no_more_lines_cross_for_an_order_that_is_preferred() -> None:
    """Two lines enter a wide box at places that stand in the other order."""
    links = [DiagramEdge(0, 2, 0, 0.0, -60.0), DiagramEdge(1, 2, 1, 0.0, 60.0)]
    drawing = layout_layered(Diagram([40.0, 40.0, 200.0], [20.0] * 3, links, preferred=((1, 0),)))
    assert drawing.x[0] < drawing.x[1]


@pytest.mark.parametrize("is_to_left", [False, True])
def test_a_long_line_passes_on_the_side_that_no_line_leads_aside_to(is_to_left: bool) -> None:
    """One after the other, an argument that the last one reads as well, and what leads aside."""
    links = [DiagramEdge(0, 2), DiagramEdge(2, 3), DiagramEdge(3, 4), DiagramEdge(1, 4)]
    aside = tuple(LineAside(node, is_to_left) for node in (2, 3))
    ports = frozenset({0, 1})
    diagram = Diagram([8.0] * 2 + [80.0] * 3, [0.0] * 2 + [40.0] * 3, links, ports, aside=aside)
    drawing = layout_layered(diagram)
    for node in (2, 3):
        (x,) = {
            x
            for (x, above), (_, below) in itertools.pairwise(drawing.routes[3])
            if above < drawing.y[node] < below
        }
        assert (x > drawing.x[node]) == is_to_left


def make_rows(chance: random.Random, aside: tuple[LineAside, ...]) -> tuple[LayeredGraph, _Order]:
    """Twelve boxes on four ranks, lines over one to three of them, and the rows in any order."""
    ranks = [node // 3 for node in range(12)]
    links = []
    for net in range(14):
        source, target = chance.sample(range(12), 2)
        shifts = [chance.choice((0.0, -8.0, 8.0)) for _ in range(2)]
        if ranks[source] < ranks[target]:
            links.append(DiagramEdge(source, target, net, *shifts))
    diagram = Diagram([40.0] * 12, [20.0] * 12, links)
    threads = build_layered_graph(diagram, ranks, frozenset(), Spacing())
    rows = [[v for v, of in enumerate(threads.rank) if of == rank] for rank in range(4)]
    for row in rows:
        chance.shuffle(row)
    return threads, _Order(threads, rows, (), aside)


def count_crossings(
    threads: LayeredGraph, rows: list[list[int]], aside: tuple[LineAside, ...]
) -> int:
    """Two lines at a time; where lines lead aside they cross those that pass on that side."""
    place = {v: at for row in rows for at, v in enumerate(row)}
    total = 0
    for row in rows:
        steps = [
            (place[v], own, place[u] + at)
            for v in row
            for u, at, own in zip(
                threads.down[v],
                threads.down_port[v] or itertools.repeat(0.0),
                threads.own_port[v] or itertools.repeat(0.0),
                strict=False,
            )
        ]
        for one, other in itertools.combinations(steps, 2):
            total += (one[:2] < other[:2] and one[2] > other[2]) or (
                one[:2] > other[:2] and one[2] < other[2]
            )
        for line in aside:
            if line.node in row:
                at = place[line.node]
                passed = row[:at] if line.is_to_left else row[at + 1 :]
                total += sum(v >= threads.num_nodes for v in passed)
    return total


@pytest.mark.parametrize("seed", range(8))
def test_crossings_are_counted_and_a_swap_saves_what_it_is_said_to_save(seed: int) -> None:
    chance = random.Random(seed)
    aside = tuple(LineAside(node, chance.random() < 0.5) for node in chance.sample(range(12), 4))
    threads, order = make_rows(chance, aside)
    assert order.count_crossings() == count_crossings(threads, order.rows, aside)
    for rank, row in enumerate(order.rows):
        for index in range(len(row) - 1):
            rows = order.copy()
            rows[rank][index : index + 2] = rows[rank][index : index + 2][::-1]
            saved = order.count_crossings() - count_crossings(threads, rows, aside)
            assert order._gain_of_swap(row[index], row[index + 1]) == saved
    before, saved = order.count_crossings(), 0
    while step := order.transpose():
        saved += step
    assert count_crossings(threads, order.rows, aside) == before - saved


def test_boxes_that_keep_their_order_keep_no_others_from_changing_places() -> None:
    links = [DiagramEdge(2, 5, 0), DiagramEdge(3, 4, 1)]
    diagram = Diagram([40.0] * 6, [20.0] * 6, links)
    threads = build_layered_graph(diagram, [0, 0, 0, 0, 1, 1], frozenset(), Spacing())
    order = _Order(threads, [[0, 1, 2, 3], [4, 5]], (0, 1, 4, 5))
    assert order.transpose() == 1
    assert order.rows == [[0, 1, 3, 2], [4, 5]]


def test_an_order_that_is_preferred_does_not_change_one_that_is_fixed() -> None:
    links = [DiagramEdge(start, 2, start) for start in range(2)]
    for one, other in ((0, 1), (1, 0)):
        diagram = Diagram([40.0] * 3, [20.0] * 3, links, fixed=(one, other))
        drawing = layout_layered(dataclasses.replace(diagram, preferred=((other, one),)))
        assert drawing.x[one] < drawing.x[other]


@pytest.mark.parametrize("seed", range(8))
def test_each_pair_stands_outside_of_those_that_come_after_it(seed: int) -> None:
    """Where there are no lines to cross, beside a pair there are only the pairs before it."""
    num = 12
    ranks = [node // 4 for node in range(num)]
    threads = build_layered_graph(
        Diagram([40.0] * num, [20.0] * num, []), ranks, frozenset(), Spacing()
    )
    nodes = random.Random(seed).sample(range(num), 6)
    pairs = tuple(zip(nodes[::2], nodes[1::2], strict=True))
    rows = order_ranks(threads, lambda: None, (), (), pairs, ())
    done = set[int]()
    for pair in pairs:
        done.update(pair)
        beside = [set[int](), set[int]()]
        for v in pair:
            row = rows[ranks[v]]
            beside[0].update(row[: row.index(v)])
            beside[1].update(row[row.index(v) + 1 :])
        assert any(side <= done for side in beside)


def test_only_of_gathered_arguments_are_many_long_lines_named_by_stubs() -> None:
    """Both have four lines past other boxes, and there are boxes enough for all of them."""
    chain = [DiagramEdge(node, node + 1, node) for node in range(2, 9)]
    links = [DiagramEdge(start, end, 9 + end) for start in (0, 1) for end in (5, 6, 7, 8)]
    links = [*chain, DiagramEdge(0, 2, 0), DiagramEdge(1, 2, 1), *links]
    diagram = Diagram([40.0] * 20, [20.0] * 20, links, gathered=frozenset({0}))
    routes = layout_layered(diagram).routes
    assert [bool(route) for route in routes] == [*[True] * 9, *[False] * 4, *[True] * 4]


@pytest.mark.parametrize("source", [0, 1])
def test_a_stub_has_room_for_the_name_of_the_box_it_stands_for(source: int) -> None:
    chain = [DiagramEdge(node, node + 1) for node in range(7)]
    names = [100.0 + node for node in range(8)]
    diagram = Diagram([40.0] * 8, [20.0] * 8, [*chain, DiagramEdge(source, 7, 1)])
    diagram = dataclasses.replace(diagram, stub_across=names)
    stubs = layout_layered(diagram, Spacing(max_span=4)).stubs
    (entering,) = [stub for stub in stubs if not stub.is_source]
    assert (entering.node, entering.across) == (7, names[source])


def test_what_stands_in_a_sequence_begins_where_its_rank_begins() -> None:
    heights = [60.0, 20.0, 40.0]
    for sequence, tops in (((1, 2), [0.0, 0.0, 0.0]), ((), [0.0, 20.0, 10.0])):
        drawing = layout_layered(Diagram([40.0] * 3, heights, [], sequence=sequence))
        found = [y - height / 2 for y, height in zip(drawing.y, heights, strict=True)]
        assert [top - min(found) for top in found] == tops
