"""Lines of what the forward part of a gradient keeps, to where the backward part needs it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jaxscope.model import NONE, Graph
from jaxscope.picture.scene.build import _find_forks, build_scene
from jaxscope.picture.scene.edge_details import EdgeLabels
from jaxscope.picture.scene.residual_lines import (
    MAX_ENDS,
    Part,
    Rect,
    ResidualEnd,
    route_residuals,
)
from jaxscope.picture.scene.scene import HEADER_PX, Scene
from jaxscope.picture.view.build import build_view
from view.programs import compile_module, layers, trace

from .test_halves import halves

Piece = tuple[tuple[float, float], tuple[float, float]]


def residuals(scene: Scene) -> list[int]:
    return np.flatnonzero(scene.lines.is_residual).tolist()


def title(scene: Scene, item: int) -> str:
    return scene.items.titles[item]


def predict(w: jax.Array, x: jax.Array) -> jax.Array:
    return jnp.tanh(x @ w).sum()


def test_a_line_leads_from_what_is_kept_to_what_needs_it() -> None:
    """JAX keeps exp and 2 exp, both f32[4,2]; the argument goes by a connector."""

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.exp(x @ w) ** 2).sum()

    view = build_view(trace(jax.grad(loss), jnp.ones((8, 2)), jnp.ones((4, 8))))
    scene = build_scene(view, frozenset(halves(view)))
    ends = [
        (title(scene, scene.lines.source[line]), title(scene, scene.lines.target[line]))
        for line in residuals(scene)
    ]
    kept = {source for source, target in ends if target.startswith("forward")}
    needing = {target for source, target in ends if source.startswith("backward")}
    assert kept == {"exp", "mul 2.0"}
    assert needing == {"mul 1.0", "mul"}
    labels = [each for each in EdgeLabels(scene).all() if scene.lines.is_residual[each.line]]
    size = 4 * 2 * np.dtype(np.float32).itemsize
    assert [label.text for label in labels] == [f"{size} B"] * 2


def test_a_line_is_three_pieces_that_meet_at_the_borders_of_the_parts() -> None:
    function, arguments = layers(3)
    view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
    scene = build_scene(view, frozenset(halves(view)))
    forward, backward = (scene.item_of_id[each] for each in halves(view))
    pieces = {line: scene.lines.corners(line) for line in residuals(scene)}
    ends = {line: (scene.lines.source[line], scene.lines.target[line]) for line in pieces}
    leaving = {tuple(pieces[line][-1]) for line, end in ends.items() if end[1] == forward}
    arriving = {tuple(pieces[line][0]) for line, end in ends.items() if end[0] == backward}
    across = [pieces[line] for line, end in ends.items() if end == (forward, backward)]
    assert {tuple(piece[0]) for piece in across} == leaving
    assert {tuple(piece[-1]) for piece in across} == arriving
    right = scene.items.rect[forward, 0] + scene.items.rect[forward, 2]
    assert [x for x, _ in leaving] == pytest.approx([right] * len(leaving))
    left = scene.items.rect[backward, 0]
    assert [x for x, _ in arriving] == pytest.approx([left] * len(arriving))
    for line, end in ends.items():
        assert scene.lines.has_arrow[line] == (end[0] == backward)


def test_a_layer_faces_its_backward_part_on_a_straight_line() -> None:
    function, arguments = layers(3)
    view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
    scene = build_scene(view, frozenset(halves(view)))
    leaving: dict[str, set[float]] = {}
    arriving: dict[str, set[float]] = {}
    for line in residuals(scene):
        corners = scene.lines.corners(line)
        leaving.setdefault(title(scene, scene.lines.source[line]), set()).add(corners[0, 1])
        arriving.setdefault(title(scene, scene.lines.target[line]), set()).add(corners[-1, 1])
    for name in ("layer_0", "layer_1", "layer_2"):
        assert leaving[name] <= arriving[name], "a group of the backward part has the same name"


def test_lines_inside_of_the_forward_part_do_not_cross_those_that_lead_out_of_it() -> None:
    """The argument of the last box, and the parameters, came down where they lead out."""

    def loss(layers: list[jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        for number, weights in enumerate(layers):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ weights)
        return ((x - y) ** 2).sum()

    view = build_view(
        trace(jax.grad(loss), [jnp.ones((4, 4))] * 3, jnp.ones((2, 4)), jnp.ones((2, 4))),
        without={"box-repeats"},
    )
    scene = build_scene(view, frozenset(halves(view)))
    lines = scene.lines
    frame = next(n for n, each in enumerate(scene.items.titles) if each.startswith("forward"))
    kept = [line for line in residuals(scene) if lines.target[line] == frame]
    left, _, width, _ = scene.items.rect[frame].tolist()
    assert len(kept) == 4
    for line in kept:
        begin, level = lines.corners(line)[0].tolist()
        for other in np.flatnonzero(~lines.is_residual).tolist():
            for (x, y), (_, below) in itertools.pairwise(lines.corners(other).tolist()):
                is_passing = min(y, below) < level < max(y, below)
                assert not (is_passing and begin < x < left + width)


def test_lines_of_two_boxes_share_no_stretch() -> None:
    function, arguments = layers(4)
    view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
    scene = build_scene(view, frozenset(halves(view)))
    forward = scene.item_of_id[halves(view)[0]]
    levels: dict[float, set[float]] = {}  # of lines across, and where they come from
    for line in residuals(scene):
        corners = scene.lines.corners(line)
        if scene.lines.source[line] == forward:
            for (_, y0), (_, y1) in itertools.pairwise(corners.tolist()):
                if y0 == y1:
                    levels.setdefault(y0, set()).add(corners[0, 1])
    assert len(levels) > 4
    assert all(len(sources) == 1 for sources in levels.values())
    rising = sorted(levels)
    assert min(below - above for above, below in itertools.pairwise(rising)) > 5.9


def test_a_label_says_all_that_leaves_a_box() -> None:
    """Of each layer tanh and its derivative's factor, each 4 × 8 floats."""
    function, arguments = layers(3)
    view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
    scene = build_scene(view, frozenset(halves(view)))
    labels = [
        each
        for each in EdgeLabels(scene).all()
        if scene.lines.is_residual[each.line] and not each.is_head
    ]
    graph = view.graph
    for label in labels:
        begin = scene.lines.corners(label.line)[0].tolist()
        leaving = (
            line for line in residuals(scene) if scene.lines.corners(line)[-1].tolist() == begin
        )
        (line,) = (line for line in leaving if not scene.lines.has_arrow[line])
        nodes = scene.lines.values[line].tolist()
        sizes = [int(np.prod(shape_of(graph, node))) * 4 for node in nodes]
        assert label.text == f"{sum(sizes)} B"
    assert len(labels) == len({scene.lines.source[line] for line in residuals(scene)}) - 2


def shape_of(graph: Graph, node: int) -> tuple[int, ...]:
    (type_,) = graph.types(node)
    sizes = type_.partition("[")[2].rstrip("]")
    return tuple(int(size) for size in sizes.split(",") if size)


def test_more_than_can_be_read_are_connectors() -> None:
    function, arguments = layers(MAX_ENDS + 2)
    view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
    scene = build_scene(view, frozenset(halves(view)))
    assert not residuals(scene)
    assert any(" · " in text for text in scene.connectors.texts)


def steps(w: jax.Array, x: jax.Array) -> jax.Array:
    for _ in range(2):
        w = w - 0.1 * jax.grad(predict)(w, x)
    return w


def looped(w: jax.Array, x: jax.Array) -> jax.Array:
    def body(carry: jax.Array, row: jax.Array) -> tuple[jax.Array, jax.Array]:
        carry = jnp.where(row > 0, jnp.sin(carry * row), carry)
        return carry, jnp.exp(carry)

    return jax.lax.scan(body, w[0], x)[1].sum()


PROGRAMS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "layers": (jax.value_and_grad(layers(3)[0]), layers(3)[1]),
    "many layers": (jax.grad(layers(7)[0]), layers(7)[1]),
    "loop": (jax.grad(looped), (jnp.ones((1, 4)), jnp.ones((3, 4)))),
    "steps": (steps, (jnp.ones((8, 2)), jnp.ones((4, 8)))),
    "order 2": (
        jax.grad(lambda w, x: jax.grad(predict)(w, x).sum()),
        (jnp.ones((8, 2)), jnp.ones((4, 8))),
    ),
}


@pytest.fixture(scope="module", params=PROGRAMS)
def graphs(request: pytest.FixtureRequest) -> list[Graph]:
    function, arguments = PROGRAMS[request.param]
    return [trace(function, *arguments), compile_module(function, *arguments)]


@pytest.mark.sweep(2)
@settings(max_examples=5)
@given(st.randoms(use_true_random=False))
def test_lines_cross_no_box_whatever_is_open(graphs: list[Graph], random: Random) -> None:
    for graph in graphs:
        view = build_view(graph, random.choice([(), ("box-repeats",)]))
        opened = {each for each in sorted(view.all_groups()) if random.random() < 0.6}
        scene = build_scene(view, frozenset(opened))
        items = scene.items
        solid = items.rect[items.num_frames :].tolist() + scene.connectors.rect.tolist()
        solid += [[x, y, width, HEADER_PX] for x, y, width, _ in items.rect[: items.num_frames]]
        for line in residuals(scene):
            corners = scene.lines.corners(line).tolist()
            for (x0, y0), (x1, y1) in itertools.pairwise(corners):
                assert x0 == x1 or y0 == y1
                for x, y, width, height in solid:
                    is_across = min(x0, x1) < x + width - 1 and x + 1 < max(x0, x1)
                    is_along = min(y0, y1) < y + height - 1 and y + 1 < max(y0, y1)
                    inside_x = x + 1 < x0 < x + width - 1
                    inside_y = y + 1 < y0 < y + height - 1
                    assert not (inside_x and is_along if x0 == x1 else inside_y and is_across)


# The rule itself, on boxes in rows.

GAP = 160.0
WIDTH = 400.0


def make_part(random: Random, number: int, left: float, height: float) -> Part:
    """Rows of boxes of unlike heights, at least 30 px apart, with room below the last."""
    places: dict[int, Rect] = {}
    y = 40.0
    while y < height - 120:
        x, row = left + random.uniform(5, 60), 0.0
        while x < left + WIDTH - 60:
            width = random.uniform(30, min(160, left + WIDTH - x - 5))
            tall = random.choice([26.0, 42.0, 42.0, 90.0])
            lower = random.choice([0.0, 0.0, 40.0])
            places[100 * number + len(places) + 1] = (x, y + lower, width, tall)
            row = max(row, tall + lower)
            x += width + random.uniform(14, 90)
        y += row + random.uniform(30, 50)
    return Part(number, (left, 0.0, WIDTH, max(y, height)), list(places.values()), places)


def make_ends(random: Random, part: Part, num: int) -> list[ResidualEnd]:
    chosen = random.sample(sorted(part.places), min(num, len(part.places)))
    xs = [part.places[box][2] / 2 if random.random() < 0.3 else math.nan for box in chosen]
    return [ResidualEnd(box, 0, (), {}, "9 B", x) for box, x in zip(chosen, xs, strict=True)]


@pytest.mark.parametrize("seed", range(120))
def test_lines_keep_clear_of_boxes_and_of_each_other(seed: int) -> None:
    random = Random(seed)
    height = random.uniform(300, 700)
    forward = make_part(random, 1, 0.0, height)
    backward = make_part(random, 2, WIDTH + GAP, height)
    sources, targets = make_ends(random, forward, 3), make_ends(random, backward, 4)
    for number, target in enumerate(targets):
        given = random.sample(range(len(sources)), random.randint(1, 2))
        values = dict.fromkeys(given, 0)
        targets[number] = target._replace(
            far=tuple(sources[one].box for one in given), values=values
        )
        for one in given:
            sources[one] = sources[one]._replace(values={one: 0})
    lines = route_residuals(forward, backward, sources, targets)

    across = [line for line in lines if (line.source, line.target) == (1, 2)]
    assert len(across) == sum(len(target.values) for target in targets)
    labelled = [next(iter(line.values)) for line in across if line.label]
    assert sorted(labelled) == sorted({one for target in targets for one in target.values})
    levels: list[tuple[float, int]] = []
    for line in lines:
        part = forward if line.source != 2 else backward
        pieces = list(itertools.pairwise(line.corners))
        assert all(x0 == x1 or y0 == y1 for (x0, y0), (x1, y1) in pieces)
        if line in across:
            assert all(WIDTH <= x <= WIDTH + GAP for x, _ in line.corners)
            levels += [(y, next(iter(line.values))) for _, y in line.corners]
            continue
        for (x0, y0), (x1, y1) in pieces:
            for x, y, wide, tall in part.taken:
                apart_x = max(x0, x1) <= x + 0.1 or min(x0, x1) >= x + wide - 0.1
                apart_y = max(y0, y1) <= y - 3 or min(y0, y1) >= y + tall + 3
                if y0 != y1:
                    apart_x = x0 <= x - 3 or x0 >= x + wide + 3
                    apart_y = max(y0, y1) <= y + 0.1 or min(y0, y1) >= y + tall - 0.1
                assert apart_x or apart_y, (line, (x, y, wide, tall))
    for (one, value), (other, another) in itertools.combinations(levels, 2):
        assert value == another or abs(one - other) >= 5.9


def beside(level: float, number: int, left: float) -> tuple[int, Rect]:
    return number, (left, level - 21, 100.0, 42.0)


@pytest.mark.parametrize(("aside", "entry"), [(60.0, 150.0), (260.0, 170.0)])
def test_a_line_comes_in_on_its_side_of_the_one_that_goes_straight_on(
    aside: float, entry: float
) -> None:
    upper, lower = beside(aside, 11, 20.0), beside(160.0, 12, 20.0)
    needing = beside(160.0, 21, 620.0)
    forward = Part(1, (0.0, 0.0, 400.0, 300.0), [upper[1], lower[1]], dict([upper, lower]))
    backward = Part(2, (560.0, 0.0, 400.0, 300.0), [needing[1]], dict([needing]))
    sources = [ResidualEnd(box, 0, (21,), {box: 0}, "9 B") for box in (11, 12)]
    targets = [ResidualEnd(21, 0, (11, 12), {11: 0, 12: 0}, "")]
    lines = route_residuals(forward, backward, sources, targets)
    across = {next(iter(line.values)): line for line in lines if line.source == 1}
    assert {y for _, y in across[12].corners} == {160.0}
    assert across[11].corners[-1][1] == entry


def test_lines_that_come_together_below_a_box_do_so_without_a_dot() -> None:
    """What has no free side is entered from below, by all at one place. Dots are for forks."""
    forward = [beside(60.0 + 80 * at, 11 + at, 20.0) for at in range(3)]
    needing, before = beside(100.0, 21, 800.0), beside(100.0, 22, 620.0)
    part = Part(1, (0.0, 0.0, 400.0, 300.0), [rect for _, rect in forward], dict(forward))
    other = Part(2, (560.0, 0.0, 400.0, 300.0), [needing[1], before[1]], dict([needing, before]))
    sources = [ResidualEnd(box, 0, (21,), {box: 0}, "9 B") for box, _ in forward]
    targets = [ResidualEnd(21, 0, (11, 12, 13), {11: 0, 12: 0, 13: 0}, "")]
    lines = [line for line in route_residuals(part, other, sources, targets) if line.target == 21]
    ends = {line.corners[-1] for line in lines}
    assert len(ends) == 1 and len({line.corners[0][1] for line in lines}) == 3
    assert not any(line.forks for line in lines)


def test_lanes_stand_in_the_order_in_which_lines_do_not_cross() -> None:
    """Both go down. Where the upper one ends above the other, it turns further right."""
    upper, lower = beside(60.0, 11, 20.0), beside(120.0, 12, 20.0)
    first, second = beside(180.0, 21, 620.0), beside(240.0, 22, 620.0)
    forward = Part(1, (0.0, 0.0, 400.0, 300.0), [upper[1], lower[1]], dict([upper, lower]))
    for far in ((21, 22), (22, 21)):
        backward = Part(2, (560.0, 0.0, 400.0, 300.0), [first[1], second[1]], dict([first, second]))
        sources = [ResidualEnd(11 + n, 0, (far[n],), {n: 0}, "9 B") for n in range(2)]
        targets = [ResidualEnd(far[n], 0, (11 + n,), {n: 0}, "") for n in range(2)]
        lines = route_residuals(forward, backward, sources, targets)
        one, other = (line.corners for line in lines if (line.source, line.target) == (1, 2))
        crossings = sum(
            crosses(a, b) for a in itertools.pairwise(one) for b in itertools.pairwise(other)
        )
        assert crossings == (far == (22, 21))  # then one of them must cross the other


@settings(max_examples=60)
@given(st.integers(2, MAX_ENDS).flatmap(lambda n: st.permutations(range(n))), st.randoms())
def test_lines_cross_in_the_gap_as_often_as_their_ends_force_them_to(
    order: list[int], random: Random
) -> None:
    """Each leads from a box of its own to one: two cross once if their ends change places."""
    rows = [sorted(random.sample(range(60, 1500, 46), len(order))) for _ in range(2)]
    forward = dict(beside(y, 11 + at, 20.0) for at, y in enumerate(rows[0]))
    needing = dict(beside(y, 31 + at, 620.0) for at, y in enumerate(rows[1]))
    sources = [ResidualEnd(11 + at, 0, (31 + to,), {at: 0}, "9 B") for at, to in enumerate(order)]
    targets = [ResidualEnd(31 + to, 0, (11 + at,), {at: 0}, "") for at, to in enumerate(order)]
    lines = route_residuals(
        Part(1, (0.0, 0.0, 400.0, 1600.0), list(forward.values()), forward),
        Part(2, (560.0, 0.0, 400.0, 1600.0), list(needing.values()), needing),
        sources,
        targets,
    )
    ways = {next(iter(line.values)): line.corners for line in lines if line.target == 2}
    levels = {at: (way[0][1], way[-1][1]) for at, way in ways.items()}
    forced = sum(
        (levels[one][0] < levels[other][0]) != (levels[one][1] < levels[other][1])
        for one, other in itertools.combinations(levels, 2)
    )
    assert count_crossings(ways) == forced


@settings(max_examples=150)
@given(st.randoms())
@pytest.mark.slow
def test_lines_that_come_in_below_a_row_cross_as_often_as_their_ends_force_them_to(
    random: Random,
) -> None:
    """Into open groups, all of which are entered from below: a way further in comes in lower."""
    num = random.randint(2, 5)
    forward = dict(beside(60.0 + 70 * at, 11 + at, 20.0) for at in range(num))
    xs = random.sample(range(600, 940, 16), num)
    needing: dict[int, Rect] = {31 + at: (x, 100.0, 12.0, 400.0) for at, x in enumerate(xs)}
    # A wall beside them, so that all come in below.
    taken: list[Rect] = [(570.0, 20.0, 10.0, 500.0), *needing.values()]
    sources = [ResidualEnd(11 + at, 0, (31 + at,), {at: 0}, "9 B") for at in range(num)]
    targets = [ResidualEnd(31 + at, 0, (11 + at,), {at: 0}, "", 6.0) for at in range(num)]
    random.shuffle(targets)
    lines = route_residuals(
        Part(1, (0.0, 0.0, 400.0, 900.0), list(forward.values()), forward),
        Part(2, (560.0, 0.0, 400.0, 900.0), taken, needing),
        sources,
        targets,
    )
    ways = {next(iter(line.values)): line.corners for line in lines if line.target == 2}
    entries = {next(iter(line.values)): line.corners for line in lines if line.source == 2}
    whole = {at: (*ways[at], *entries[at]) for at in ways}
    ups = {at: entry[-1][0] for at, entry in entries.items()}
    # Only where the upper box of two leads further inside than the lower one.
    forced = sum((one < other) != (ups[one] < ups[other])
                 for one, other in itertools.combinations(ups, 2))  # fmt: skip
    assert count_crossings(whole) == forced


def count_crossings(ways: Mapping[int, Sequence[tuple[float, float]]]) -> int:
    return sum(
        crosses(a, b)
        for one, other in itertools.combinations(ways.values(), 2)
        for a in itertools.pairwise(one)
        for b in itertools.pairwise(other)
    )


def crosses(one: Piece, other: Piece) -> bool:
    """Whether a level piece and an upright one cross."""
    return any(
        y0 == y1 and u0 == u1 and min(x0, x1) < u0 < max(x0, x1) and min(v0, v1) < y0 < max(v0, v1)
        for ((x0, y0), (x1, y1)), ((u0, v0), (u1, v1)) in ((one, other), (other, one))
    )


def nested(x: jax.Array) -> jax.Array:
    with jax.named_scope("outer"):
        with jax.named_scope("inner"):
            y = jnp.tanh(x) * 2.0
        z = jnp.sin(y) * y
    return (z**3).sum()


def test_inside_of_open_groups_what_is_kept_has_the_colour_of_residuals_to_its_ends() -> None:
    """Whatever flows along such a line, a box of the backward part uses it."""
    view = build_view(trace(jax.grad(nested), jnp.ones(4)))
    scene = build_scene(view, frozenset(box.id for box in view.boxes if box.children))
    items, lines, graph = scene.items, scene.lines, view.graph

    def around(item: int) -> set[int]:
        found = set()
        while item != NONE:
            found.add(item)
            item = int(items.parent[item])
        return found

    backward = scene.item_of_id[halves(view)[1]]
    is_leaving = []
    for line in np.flatnonzero(lines.is_inner_residual).tolist():
        source, target = int(lines.source[line]), int(lines.target[line])
        is_leaving.append(target in around(source))
        if not is_leaving[-1]:
            assert backward in around(source)
            continue
        for node in lines.values[line].tolist():
            users = graph.edges.target[graph.edges.source == node].tolist()
            outside = [u for u in users if target not in around(int(scene.item_of_node[u]))]
            assert any(backward in around(int(scene.item_of_node[user])) for user in outside)
    assert is_leaving.count(True) >= 2
    assert is_leaving.count(False) >= 2


def two_inner(x: jax.Array) -> jax.Array:
    with jax.named_scope("outer"):
        with jax.named_scope("small"):
            y = jnp.sin(x) * 2.0
        with jax.named_scope("large"):
            z = jnp.exp(jnp.outer(y, y) * 2.0)
    with jax.named_scope("after"):
        return (z * 3.0).sum() ** 2


def test_what_is_kept_joins_in_open_groups_and_parts_at_a_dot_with_its_bytes_told() -> None:
    """`small` keeps cos(x), `large` both factors of its product, and exp, f32[4,4]."""
    view = build_view(trace(jax.grad(two_inner), jnp.ones(4)))
    opened = [box.id for box in view.boxes[1:] if box.label in ("outer", "outer backward")]
    scene = build_scene(view, frozenset([*halves(view), *opened]))
    lines = scene.lines
    dots = {tuple(dot) for dot in lines.forks.tolist()}
    told = {label.line: label.text for label in EdgeLabels(scene).all()}
    for box_id, ends, at in zip(opened, (lines.target, lines.source), (-1, 0), strict=True):
        frame = scene.item_of_id[box_id]
        inner = lines.is_inner_residual & (ends == frame)
        ways = {row: lines.corners(row).tolist() for row in np.flatnonzero(inner).tolist()}
        assert len(ways) > 1 and len({tuple(way[at]) for way in ways.values()}) == 1
        is_parted = bool(dots & {tuple(corner) for way in ways.values() for corner in way})
        assert is_parted == (ends is lines.source)
        texts = {told.get(row) for row in ways}
        assert texts == {f"{4 * 4} B", f"{2 * 4 * 4 + 16 * 4} B"}


def test_forks_are_marked_where_the_lines_of_one_box_part() -> None:
    first, second, third = (
        beside(60.0, 21, 620.0),
        beside(160.0, 22, 620.0),
        beside(260.0, 23, 620.0),
    )
    begin = beside(160.0, 11, 20.0)
    forward = Part(1, (0.0, 0.0, 400.0, 320.0), [begin[1]], dict([begin]))
    places = dict([first, second, third])
    backward = Part(2, (560.0, 0.0, 400.0, 320.0), list(places.values()), places)
    for far, expected in (((22,), set()), ((21,), set()), ((21, 22), {160.0}),
                          ((21, 23), {160.0}), ((21, 22, 23), {160.0})):  # fmt: skip
        source = ResidualEnd(11, 0, far, {0: 0}, "9 B")
        targets = [ResidualEnd(box, 0, (11,), {0: 0}, "") for box in far]
        lines = route_residuals(forward, backward, [source], targets)
        forks = [fork for line in lines for fork in line.forks]
        assert {level for _, level in forks} == expected
        assert len({lane for lane, _ in forks}) <= 1
    source = ResidualEnd(11, 0, (21, 22, 23), {0: 0}, "9 B")
    targets = [ResidualEnd(box, 0, (11,), {0: 0}, "") for box in (22, 23)]
    (fork,) = [fork for line in route_residuals(forward, backward, [source], targets)
               for fork in line.forks]  # fmt: skip
    assert fork[1] == 160.0


def test_lines_that_go_on_together_part_at_dots_further_down_too() -> None:
    """Four lines down from one place: one turns at 10, three at 30, one of these again at 60."""
    start = [(0.0, 0.0), (0.0, 10.0)]
    straight = [*start, (0.0, 90.0)]
    first = [*start, (40.0, 20.0), (40.0, 90.0)]
    together = [(0.0, 0.0), (0.0, 30.0), (-40.0, 40.0)]
    ways = [straight, first, [*together, (-40.0, 60.0), (-80.0, 70.0)], [*together, (-40.0, 99.0)]]
    assert set(_find_forks(ways)) == {(0.0, 10.0), (0.0, 30.0), (-40.0, 60.0)}
    assert list(_find_forks([straight])) == [], "nothing parts"
    assert list(_find_forks(ways[2:])) == [(-40.0, 60.0)], "both turn at 30"


def per_example(w: jax.Array, x: jax.Array) -> jax.Array:
    with jax.named_scope("one"):
        y = jnp.tanh(x @ w)
    with jax.named_scope("two"):
        z = jnp.tanh(y @ w)
    return (z**2).sum()


def test_lines_from_several_boxes_enter_an_open_group_apart() -> None:
    """Its product needs what the layer before keeps, its tangent what the layer itself keeps."""
    view = build_view(trace(jax.grad(per_example), jnp.ones((8, 8)), jnp.ones((4, 8))))
    opened = [box.id for box in view.boxes[1:] if box.label in ("two", "two backward")]
    scene = build_scene(view, frozenset([*halves(view), *opened]))
    lines = scene.lines
    group = scene.item_of_id[opened[1]]
    into = {tuple(lines.corners(n)[-1].tolist()): n for n in residuals(scene)
            if lines.target[n] == group}  # fmt: skip
    assert len(into) == 2, "each has a place of its own"
    (x0, _), (x1, _) = into
    assert abs(x0 - x1) > 5
    onward = [n for n in np.flatnonzero(lines.is_inner_residual).tolist()
              if lines.source[n] == group]  # fmt: skip
    for n in onward:
        begin = float(lines.corners(n)[0][0])
        (comes,) = [line for (x, _), line in into.items() if abs(x - begin) < 0.1]
        assert set(lines.values[n].tolist()) <= set(lines.values[comes].tolist())
    assert len({float(lines.corners(n)[0][0]) for n in onward}) == 2


def _two_layers(w: jax.Array, x: jax.Array) -> jax.Array:
    for number in range(2):
        with jax.named_scope(f"layer_{number}"):
            x = jnp.tanh(x @ w[number] + x[0])
    with jax.named_scope("output"):
        return ((x @ w[2]) ** 2).sum()


@pytest.mark.parametrize("function", [per_example, _two_layers])
def test_lines_enter_an_open_group_in_the_order_of_where_they_end(
    function: Callable[..., jax.Array],
) -> None:
    """So they do not cross in it, nor at its border."""
    weights = jnp.ones((8, 8)) if function is per_example else jnp.ones((3, 8, 8))
    view = build_view(trace(jax.grad(function), weights, jnp.ones((4, 8))))
    groups = [box.id for box in view.boxes[1:] if box.label.endswith(" backward")]
    num_compared = 0
    for number in range(len(groups) + 1):
        for opened in itertools.combinations(groups, number):
            scene = build_scene(view, frozenset([*halves(view), *opened]))
            lines = scene.lines
            for group in (scene.item_of_id[each] for each in opened):
                ends: dict[float, list[float]] = {}
                for n in np.flatnonzero(lines.is_inner_residual).tolist():
                    if lines.source[n] == group:
                        corners = lines.corners(n)
                        ends.setdefault(round(corners[0][0]), []).append(float(corners[-1][0]))
                places = {round(lines.corners(n)[-1][0]) for n in residuals(scene)
                          if lines.target[n] == group}  # fmt: skip
                met = [sum(ends[x]) / len(ends[x]) for x in sorted(places & ends.keys())]
                num_compared += len(met) > 1
                assert met == sorted(met)
    assert num_compared


def test_each_box_that_keeps_values_has_a_label_on_its_line() -> None:
    for function, arguments in (layers(3), (per_example, (jnp.ones((8, 8)), jnp.ones((4, 8))))):
        view = build_view(trace(jax.grad(function), *arguments), without=["box-repeats"])
        scene = build_scene(view, frozenset(halves(view)))
        labelled = {label.line for label in EdgeLabels(scene).all()}
        assert scene.lines.labels.keys() <= labelled
        assert len(scene.lines.labels) > 1


@pytest.mark.parametrize("num", [3, 4, 5])
def test_boxes_of_one_row_have_room_for_the_bytes_that_each_keeps(num: int) -> None:
    """Their lines leave below the row, where only two labels had room one below the other."""
    functions = [jnp.sin, jnp.cos, jnp.tanh, jnp.exp, jnp.log1p][:num]

    def fan(x: jax.Array) -> jax.Array:
        return sum((jnp.sum(function(x)) for function in functions), jnp.float32(0))

    view = build_view(trace(jax.grad(fan), jnp.ones(16)))
    scene = build_scene(view, frozenset(halves(view)))
    keeping = [line for line in residuals(scene) if line in scene.lines.labels]
    assert len(keeping) >= num
    labelled = {label.line for label in EdgeLabels(scene).all()}
    assert set(keeping) <= labelled


@pytest.mark.parametrize("has_line_below", [False, True])
def test_a_line_leaves_on_the_level_it_ends_on_where_it_crosses_no_more_for_it(
    has_line_below: bool,
) -> None:
    """Two open groups of which that of the backward part is longer."""
    frames = (0.0, 0.0, WIDTH, 500.0), (WIDTH + GAP, 0.0, WIDTH, 500.0)
    groups = (20.0, 60.0, 200.0, 240.0), (WIDTH + GAP + 20.0, 60.0, 200.0, 360.0)
    lines = [((120.0, 350.0), (380.0, 350.0)), ((380.0, 350.0), (380.0, 500.0))]
    forward = Part(1, frames[0], groups[:1], {3: groups[0]}, lines if has_line_below else ())
    backward = Part(2, frames[1], groups[1:], {4: groups[1]})
    source = ResidualEnd(3, 0, (4,), {0: 0}, "1 B", x=150.0)
    target = ResidualEnd(4, 0, (3,), {0: 0}, "", x=50.0)
    drawn = route_residuals(forward, backward, [source], [target])
    (across,) = (line.corners for line in drawn if (line.source, line.target) == (1, 2))
    assert len({y for _, y in across}) == 1 + has_line_below
    assert across[0][1] == (314.0 if has_line_below else across[-1][1])
