"""Types on lines: where no box says them, and never over anything else."""

from __future__ import annotations

import dataclasses
import itertools
import re
import xml.etree.ElementTree as ElementTree

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.export.picture import arrow_of
from jaxscope.export.svg import scene_to_svg_parts
from jaxscope.model import NONE, Graph
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, EdgeLabel, EdgeLabels
from jaxscope.picture.scene.scene import HEADER_PX, Fit, Lines, Scene
from jaxscope.picture.view.build import build_view
from view.programs import compile_module, layers, trace

Rect = tuple[float, float, float, float]


@pytest.fixture(scope="module")
def gradient() -> Graph:
    function, arguments = layers(4)
    return trace(jax.grad(function), *arguments)


@pytest.fixture(scope="module", params=["down", "right"])
def scene(gradient: Graph, request: pytest.FixtureRequest) -> Scene:
    view = build_view(gradient)
    opened = {box.id for box in view.boxes[1:] if box.children and box.num_leaves > 8}
    return build_scene(view, frozenset(opened), direction=request.param)


def plate(label: EdgeLabel) -> Rect:
    return label.x, label.y, label.width, LABEL_HEIGHT_PX


def touches(one: Rect, other: Rect) -> bool:
    return (
        one[0] < other[0] + other[2] and other[0] < one[0] + one[2]
        and one[1] < other[1] + other[3] and other[1] < one[1] + one[3]
    )  # fmt: skip


def test_labels_cover_no_box_no_connector_and_no_other_label(scene: Scene) -> None:
    labels = EdgeLabels(scene).all()
    assert labels
    num_frames = scene.items.num_frames
    boxes = scene.items.rect[num_frames:].tolist()
    headers = [(x, y, w, HEADER_PX) for x, y, w, _ in scene.items.rect[:num_frames].tolist()]
    for label in labels:
        for other in (*boxes, *headers, *scene.connectors.rect.tolist()):
            assert not touches(plate(label), other)
    for one, other in itertools.combinations(labels, 2):
        assert not touches(plate(one), plate(other))


def test_labels_lie_on_their_lines_and_inside_the_picture(scene: Scene) -> None:
    for label in EdgeLabels(scene).all():
        x, y = label.x + label.width / 2, label.y + LABEL_HEIGHT_PX / 2
        way = sample(scene, label.line)
        is_on = np.hypot(*(way - [x, y]).T).min() < 1.5
        is_named = label.line in {*scene.lines.labels, *scene.lines.branches}
        is_named = is_named and not label.is_head
        if not is_on and is_named:  # beside it, where it has no room on it
            beside = way[np.abs(way[:, 1] - y) < (LABEL_HEIGHT_PX + 3) / 2]
            gaps = np.maximum(label.x - beside[:, 0], beside[:, 0] - label.x - label.width)
            is_on = 0 < gaps.min() < 4
            if label.line in scene.lines.branches:  # or beside its end
                is_on = is_on and 10 < abs(way[-1, 1] - y) < 24
        assert is_on
        assert label.x >= 0 and label.x + label.width <= scene.width
        told = scene.lines.branches.get(label.line, scene.lines.types[label.line])
        told = scene.lines.labels.get(label.line, told)
        assert label.text == (scene.lines.heads[label.line] if label.is_head else told)


def test_a_label_covers_no_line_of_another_value(scene: Scene) -> None:
    for label in EdgeLabels(scene).all():
        values = set(scene.lines.values[label.line].tolist())
        source = scene.lines.source[label.line]
        for line in range(len(scene.lines)):
            same = source == scene.lines.source[line]
            if same and values == set(scene.lines.values[line].tolist()):
                continue
            begins = [scene.lines.corners(each)[0].tolist() for each in (label.line, line)]
            if scene.lines.is_residual[line] and begins[0] == begins[1]:
                continue  # what leaves one box on its way to several
            for (x0, y0), (x1, y1) in itertools.pairwise(scene.lines.corners(line).tolist()):
                if x0 == x1 or y0 == y1:
                    thin = (min(x0, x1), min(y0, y1), abs(x1 - x0), abs(y1 - y0))
                    assert not touches(plate(label), thin)


def sample(scene: Scene, line: int) -> np.ndarray:
    """Places on a line about a pixel apart, float64, shape `(n, 2)`; bends as they are drawn."""
    found = []
    for begin, end in itertools.pairwise(scene.lines.corners(line)):
        share = np.linspace(0.0, 1.0, int(np.abs(end - begin).sum()) + 2)
        steps = np.stack([share, share], axis=1)
        if (begin != end).all():
            along = 1 if scene.direction == "down" else 0
            # A cubic curve that leaves and arrives along the flow.
            steps[:, along] = 1.5 * share * (1 - share) + share**3
            steps[:, 1 - along] = 3 * share**2 * (1 - share) + share**3
        found.append(begin + (end - begin) * steps)
    return np.concatenate(found)


def scan_loss(start: jax.Array, weights: jax.Array) -> jax.Array:
    """Of a loop whose gradient needs values of each of its steps."""

    def step(x: jax.Array, each: jax.Array) -> tuple[jax.Array, jax.Array]:
        x = jnp.tanh(x) + jnp.exp(x)
        x = jnp.sin(weights @ x) + jnp.cos(each + 1.0)
        return x, x.sum()

    last, sums = jax.lax.scan(step, start, jnp.ones((5, 3)))
    return last.sum() + sums.sum()


@pytest.mark.parametrize(("direction", "is_loop"), [("right", False), ("down", True)])
def test_every_line_is_seen_on_both_sides_of_its_label(direction: str, is_loop: bool) -> None:
    """Where it leaves its label at a corner of that, it goes on for more than a hook."""
    function, arguments = (scan_loss, (jnp.ones(3), jnp.ones((3, 3)))) if is_loop else layers(3)
    view = build_view(trace(jax.grad(function), *arguments))
    opened = {box.id for box in view.boxes[1:] if box.children and box.num_leaves > 8}
    scene = build_scene(view, frozenset(opened), direction=direction)
    told = 0
    for label in EdgeLabels(scene).all():
        way, (x, y, width, height) = sample(scene, label.line), plate(label)
        under = np.flatnonzero(((way >= [x, y]) & (way <= [x + width, y + height])).all(axis=1))
        if not len(under):  # it stands beside its line
            continue
        told += 1
        for rest in (way[: under[0] + 1][::-1], way[under[-1] :]):
            seen = np.hypot(*np.diff(rest, axis=0).T).sum()
            is_aside = abs(rest[0, 0] - (x + width / 2)) > width / 4 + 1
            is_at_corner = is_aside and abs(rest[0, 1] - (y + height / 2)) > height / 4
            assert seen >= (9.5 if is_at_corner else 3.5), label.text
    assert told > 6


@pytest.mark.parametrize(("aside", "is_told"), [(0, 1), (30, 0), (60, 0), (80, 0), (120, 1)])
def test_a_line_that_its_label_would_cover_all_of_but_hooks_has_none(
    aside: float, is_told: bool
) -> None:
    """A line 30 px down, and so far aside; its label is 80 px wide."""

    def program(x: jax.Array, y: jax.Array) -> jax.Array:
        with jax.named_scope("first"):
            x = jnp.tanh(x) * y
        with jax.named_scope("second"):
            return jnp.sin(x) + 1.0

    whole = jnp.ones((1, 32, 32, 8))
    scene = build_scene(build_view(trace(program, whole, whole)))
    titles, ends = scene.items.titles, np.stack([scene.lines.source, scene.lines.target], axis=1)
    joined = [(titles[one], titles[other]) for one, other in ends.tolist()]
    line = joined.index(("first", "second"))
    points = scene.lines.points.copy()
    start, stop = scene.lines.offsets[line : line + 2].tolist()
    points[start:stop] = np.linspace(points[start], points[start] + [aside, 30.0], stop - start)
    scene = dataclasses.replace(scene, lines=dataclasses.replace(scene.lines, points=points))
    assert (line in [label.line for label in EdgeLabels(scene).all()]) == is_told


def test_labels_keep_away_from_boxes_beside_them(scene: Scene) -> None:
    """In a small picture a text reaches 2 px out of its plate on both sides."""
    for label in EdgeLabels(scene).all():
        x, y, width, height = plate(label)
        for box in scene.items.rect[scene.items.num_frames :].tolist():
            assert not touches((x - 5.5, y, width + 11, height), box)


@pytest.mark.parametrize("away", [0.5, 2.0])
def test_a_label_is_not_grazed_by_a_line_of_another_value(scene: Scene, away: float) -> None:
    """In a small picture a text is wider than its plate, by 2 px on both sides."""
    label = EdgeLabels(scene).all()[0]
    lines, values = scene.lines, set(scene.lines.values[label.line].tolist())
    parent = scene.items.parent
    group = [
        line
        for line in range(len(lines))
        if parent[lines.source[line]] == label.group == parent[lines.target[line]]
    ]
    other = next(n for n in group if values.isdisjoint(lines.values[n].tolist()))
    points = lines.points.copy()
    moved = points[lines.offsets[other] : lines.offsets[other + 1]]
    moved[:, 0] = label.x + label.width + away
    moved[:, 1] = np.linspace(label.y - 100, label.y + 100, len(moved))
    beside = dataclasses.replace(scene, lines=dataclasses.replace(lines, points=points))
    assert plate(label) not in map(plate, EdgeLabels(beside).all())


def test_a_box_with_one_result_says_its_type_itself() -> None:
    scene = build_scene(build_view(trace(lambda x: jnp.cos(jnp.sin(x)), jnp.ones(3))))
    assert len(scene.lines) and not EdgeLabels(scene).all()


def test_lines_out_of_operations_with_several_results_are_labelled() -> None:
    def program(x: jax.Array) -> jax.Array:
        values, places = jax.lax.top_k(x, 2)
        return values * places

    scene = build_scene(build_view(trace(program, jnp.ones(8))))
    texts = {label.text for label in EdgeLabels(scene).all()}
    assert texts and texts <= {"f32[2]", "i32[2]"}


def test_values_of_one_type_are_counted_with_it(scene: Scene) -> None:
    assert any(" × f32[" in text for text in scene.lines.types)


def test_what_crosses_the_border_of_a_group_is_told_once(scene: Scene) -> None:
    lines, parent = scene.lines, scene.items.parent
    labels = EdgeLabels(scene).all()
    ends = [(int(lines.source[each.line]), int(lines.target[each.line])) for each in labels]
    values = [set(lines.values[each.line].tolist()) for each in labels]
    leaving = [at for at, (source, target) in enumerate(ends) if parent[source] == target]
    for at in leaving:
        outside = [o for o, (source, _) in enumerate(ends) if source == ends[at][1]]
        assert all(values[o] != values[at] for o in outside), labels[at].text
    frames = range(scene.items.num_frames)
    assert any(source in frames for source, _ in ends), "it is told outside"


def test_only_the_groups_asked_for_are_searched(scene: Scene) -> None:
    labels = EdgeLabels(scene)
    for group in (NONE, *range(scene.items.num_frames)):
        assert all(label.group == group for label in labels.of_group(group))


def test_exports_show_the_labels(scene: Scene) -> None:
    texts = [
        each.text for each in ElementTree.fromstring("".join(scene_to_svg_parts(scene))).iter()
    ]
    for label in EdgeLabels(scene).all():
        assert label.text in texts


def test_what_chooses_an_arm_is_told_beside_its_line_where_it_has_no_room_on_it() -> None:
    def pick(index: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.switch(index, [jnp.sin, jnp.cos, jnp.tanh], x)

    scene = build_scene(build_view(trace(pick, jnp.int32(1), jnp.ones(4))))
    (label,) = (label for label in EdgeLabels(scene).all() if label.text.startswith("index"))
    assert label.text == "index i32[]"
    x, y, width, height = plate(label)
    corners = scene.lines.corners(label.line)
    assert x + width <= corners[:, 0].min() and corners[:, 0].min() - (x + width) < 10
    assert corners[:, 1].min() <= y and y + height <= corners[:, 1].max()
    others = [line for line in range(len(scene.lines)) if line != label.line]
    for line in others:
        assert not touches(plate(label), box_of(scene.lines.corners(line)))


def box_of(corners: np.ndarray) -> Rect:
    left, top = corners.min(axis=0).tolist()
    right, bottom = corners.max(axis=0).tolist()
    return left, top, right - left, bottom - top


def test_where_residuals_join_each_tells_its_own_bytes() -> None:
    """Rows stand farther apart for it. Each value has 4 rows of 8 f32; of the weights 8 rows.

    A value that several lead on has its name, and one of them its bytes.
    """

    def loss(weights: list[jax.Array], x: jax.Array) -> jax.Array:
        for number, each in enumerate(weights):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ each) * jax.nn.sigmoid(x) + jnp.sin(x)
        return (x**2).sum()

    view = build_view(trace(jax.grad(loss), [jnp.ones((8, 8))] * 3, jnp.ones((4, 8))))
    scene = build_scene(view, view.all_groups())
    lines, told = scene.lines, {label.line: label.text for label in EdgeLabels(scene).all()}
    sizes = {"f32[4,8]": 4 * 8 * 4, "f32[8,8]": 8 * 8 * 4, "f32[]": 4}
    joins: dict[tuple[float, ...], list[int]] = {}
    for line in np.flatnonzero(lines.is_inner_residual).tolist():
        end = -1 if scene.items.parent[lines.source[line]] == lines.target[line] else 0
        joins.setdefault(tuple(lines.corners(line)[end].tolist()), []).append(line)
    together = [join for join in joins.values() if len(join) > 1]
    assert all(line in told for join in together for line in join)
    narrow = build_scene(view, view.all_groups(), has_room=False)
    assert len(EdgeLabels(narrow).list_untold()) and not EdgeLabels(scene).list_untold()
    for join in together:
        for line in join:
            size = sum(sizes[view.graph.strings[each]] for each in lines.flows[line].values())
            name, _, text = told[line].rpartition(": ")
            if text != f"{size} B":
                assert not name and f"{text}: {size} B" in [told[each] for each in join]


def test_a_value_that_several_branches_lead_on_has_its_name_on_each() -> None:
    """The parts of 256 B are 128 B each; without names three branches would be 384 B."""

    arguments = [jnp.ones((8, 8)), jnp.ones((8, 1))], jnp.ones((4, 8))
    view = build_view(trace(jax.grad(kept_loss), *arguments))
    opened = {box.id for box in view.boxes[1:] if box.children and "output" not in box.label}
    scene = build_scene(view, frozenset(opened), fit=Fit(beside=True))
    lines = scene.lines
    network = next(box.id for box in view.boxes if box.label == "network backward")
    inner = lines.is_inner_residual & (lines.source == scene.item_of_id[network])
    told = {label.line: label.text for label in EdgeLabels(scene).all()}
    jaxpr = str(jax.make_jaxpr(jax.grad(kept_loss))(*arguments))
    (name,) = re.findall(r"(\w+):f32\[4,8\] = tanh", jaxpr)
    texts = sorted(told[row] for row in np.flatnonzero(inner).tolist())
    assert texts == sorted(["128 B", *[f"{name}: 128 B"] * 2])
    assert "256 B" in told.values(), "all that leaves the forward part"


def test_a_value_that_each_branch_leads_on_is_told_once_before_they_part() -> None:
    def loss(w: list[jax.Array], x: jax.Array) -> jax.Array:
        with jax.named_scope("first"):
            kept = jnp.cos(x @ w[0])
        with jax.named_scope("second"):
            return (kept * w[1] + kept[::-1] * 2.0).sum() + (kept * w[2]).max()

    arguments = [jnp.ones((8, 8)), jnp.ones((4, 8)), jnp.ones((4, 8))], jnp.ones((4, 8))
    view = build_view(trace(jax.grad(loss), *arguments))
    scene = build_scene(view, view.all_groups(), fit=Fit(beside=True))
    lines = scene.lines
    (group,) = (box.id for box in view.boxes if box.label == "second backward")
    inner = lines.is_inner_residual & (lines.source == scene.item_of_id[group])
    rows = np.flatnonzero(inner).tolist()
    twice = [one for one in rows if [lines.flows[row] for row in rows].count(lines.flows[one]) > 1]
    assert len(twice) == 2
    labels = EdgeLabels(scene).all()
    assert not {label.line for label in labels}.intersection(twice)
    kept = lines.is_residual | lines.is_inner_residual
    before = [
        each.text
        for each in labels
        if kept[each.line] and lines.flows[each.line] == lines.flows[twice[0]]
    ]
    assert before == [f"{4 * 8 * 4} B"] * 2, "in the forward part, and between the parts"


def test_residuals_that_join_have_labels_beside_boxes_and_where_one_is_told_outside() -> None:
    """In each layer, `tanh` is kept for one box of the backward part, `1 - tanh` for others."""

    def loss(weights: list[jax.Array], x: jax.Array) -> jax.Array:
        for number, each in enumerate(weights):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ each + each[0])
        return (x**2).sum()

    view = build_view(trace(jax.grad(loss), [jnp.ones((8, 8))] * 2, jnp.ones((4, 8))))
    scene = build_scene(view, view.all_groups(), fit=Fit(beside=True))
    lines, told = scene.lines, {label.line for label in EdgeLabels(scene).all()}
    joins: dict[tuple[float, ...], list[int]] = {}
    for line in np.flatnonzero(lines.is_inner_residual).tolist():
        end = 0 if scene.items.parent[lines.target[line]] == lines.source[line] else -1
        joins.setdefault(tuple(lines.corners(line)[end].tolist()), []).append(line)
    together = [join for join in joins.values() if len(join) > 1]
    assert len(together) == 4 and all(told.issuperset(join) for join in together)


def test_every_arrow_back_says_what_it_carries_also_where_that_goes_out_of_the_loop() -> None:
    def program(x: jax.Array) -> jax.Array:
        def body(carry: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
            a, b, c, d = carry
            return a + 1, b * c, jnp.sin(c), d - b

        a, b, c, d = jax.lax.while_loop(lambda carry: carry[0] < 5, body, (0, x, x, x))
        return b * c + d + a

    view = build_view(compile_module(program, jnp.ones(3)))
    scene = build_scene(view, view.all_groups())
    returns = np.flatnonzero(scene.lines.is_return).tolist()
    told = {label.line: label.text for label in EdgeLabels(scene).all()}
    assert returns and [told.get(line) for line in returns] == ["carry"] * len(returns)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_values_that_enter_a_group_together_and_part_have_their_names(direction: str) -> None:
    """The lines of `params` and `x` fork alike, but one leads two values, the other one."""

    @jax.jit
    def cell(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        x = jnp.tanh(x) + jnp.exp(x)
        return jnp.sin(params["w"] @ x) + jnp.cos(params["b"] + 1.0)

    def program(params: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        return cell(params, x) + 1.0

    params = {"b": jnp.ones(3), "u": jnp.ones(3), "v": jnp.ones(3), "w": jnp.ones((3, 3))}
    paths = [f"params['{name}']" for name in params]
    view = build_view(trace(program, params, jnp.ones(3), paths=[*paths, "x"]))
    (group,) = (box.id for box in view.boxes if box.label == "cell")
    scene = build_scene(view, frozenset({group}), direction=direction)
    lines, items = scene.lines, scene.items
    (frame,) = range(items.num_frames)
    is_entry = (lines.source == frame) & (items.parent[lines.target] == frame)
    forks = [lines.values[line].tolist() for line in np.flatnonzero(is_entry).tolist()]
    assert len(forks) == 4
    names = {view.graph.attributes(node).get("path", "") for (node,) in forks}
    assert names == {"params['b']", "params['w']", "x"}
    attributes = view.graph.attributes
    named = {attributes(lines.values[n][0])["path"]: text for n, text in lines.branches.items()}
    assert named == {"params['b']": "['b']", "params['w']": "['w']"}
    labels = [label for label in EdgeLabels(scene).all() if label.group == frame]
    assert labels and all(label.text == lines.branches[label.line] for label in labels)


def running_total(x: jax.Array) -> jax.Array:
    return jax.lax.scan(lambda total, each: (total + each,) * 2, 0.0, x)[1]


def tied_loss(w: jax.Array, x: jax.Array, token: jax.Array) -> jax.Array:
    with jax.named_scope("layer"):
        x = jnp.tanh(x @ w)
    with jax.named_scope("loss"):
        odds = jax.nn.log_softmax(x[:-1] @ w.T)
        return -jnp.take_along_axis(odds, token[:, None], 1).mean()


def make_program(name: str) -> Graph:
    if name == "loop":
        return compile_module(jax.vmap(running_total), jnp.ones((4, 1000)))
    if name == "layers":
        function, arguments = layers(2)
        return trace(jax.grad(function), *arguments)
    weights, token = jnp.ones((8, 8)), jnp.zeros(3, int)
    return trace(jax.grad(tied_loss), weights, jnp.ones((4, 8)), token)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("beside", [True, False])
@pytest.mark.parametrize("name", ["layers", "loss", "loop"])
def test_a_label_tells_of_all_that_flows_beside_it_and_of_nothing_else(
    name: str, beside: bool
) -> None:
    """Where lines run together, a label of some of them would be read as that of all."""
    view, told = build_view(make_program(name)), 0
    parts = {box.id for box in view.boxes if box.id in ("root/forward", "root/backward")}
    alone = [
        frozenset({box.id, *parts, *(view.boxes[each].id for each in view.ancestors(number))})
        for number, box in enumerate(view.boxes[1:], 1)
        if box.children
    ]
    for opened in (view.opened, view.all_groups(), *alone):
        scene = build_scene(view, opened, fit=Fit(beside))
        lines = scene.lines
        ways = [sample(scene, line) for line in range(len(lines))]
        for label in EdgeLabels(scene).all():
            if lines.is_return[label.line]:
                continue
            told += 1
            meant = [label.line] if label.is_head else list_meant(lines, label.line)
            wanted = set().union(*(lines.flows[line] for line in meant))
            x, y, width, height = plate(label)
            own = ways[label.line]
            away = np.hypot(*(own - [x + width / 2, y + height / 2]).T)
            place = own[away.argmin()]
            here = [n for n, way in enumerate(ways) if np.hypot(*(way - place).T).min() < 1.5]
            assert set().union(*(lines.flows[line] for line in here)) == wanted, label.text
            far = [distance(plate(label), way) for way in ways]
            others = [n for n in range(len(lines)) if n not in meant]
            assert all(far[n] > far[label.line] + 1.5 for n in others), label.text
    assert told > 6


@pytest.mark.sweep(3)
@pytest.mark.parametrize("direction", ["down", "right"])
@pytest.mark.parametrize("name", ["layers", "loss", "loop"])
def test_a_label_covers_no_arrowhead(name: str, direction: str) -> None:
    """On a short line that would hide which way the value flows."""
    view = build_view(make_program(name))
    num_labels = 0
    for opened, scale in itertools.product((view.opened, view.all_groups()), (0.58, 1.0)):
        scene = build_scene(view, opened, direction=direction, fit=Fit(scale=scale))
        arrows = [
            np.array(head) for line in range(len(scene.lines)) if (head := arrow_of(scene, line))
        ]
        for label in EdgeLabels(scene).all():
            low = np.array([label.x, label.y]) + 0.5
            high = low + np.array([label.width, LABEL_HEIGHT_PX]) - 1.0
            for head in arrows:
                is_apart = (head.max(axis=0) < low) | (head.min(axis=0) > high)
                assert is_apart.any(), (label.text, head)
            num_labels += 1
    assert num_labels


def kept_loss(w: list[jax.Array], x: jax.Array) -> jax.Array:
    """Of a network whose `tanh` is kept, and read by two boxes right below."""
    with jax.named_scope("network"):
        x = jnp.tanh(x @ w[0])
        with jax.named_scope("output"):
            x = x @ w[1]
    with jax.named_scope("error"):
        return (x**2).sum()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["layers", "loss", "loop", "kept"])
def test_a_label_leaves_its_line_and_the_ends_of_others_to_be_seen(name: str) -> None:
    """At most half of a line of which less than 40 px are left; and 12 px where others end."""
    if name == "kept":
        arguments = [jnp.ones((8, 8)), jnp.ones((8, 1))], jnp.ones((4, 8))
        view = build_view(trace(jax.grad(kept_loss), *arguments))
    else:
        view = build_view(make_program(name))
    inner = {box.id for box in view.boxes[1:] if box.children and "output" not in box.label}
    num_labels = 0
    for opened, beside in itertools.product((view.opened, view.all_groups(), inner), (True, False)):
        scene = build_scene(view, frozenset(opened), fit=Fit(beside))
        ways = [sample(scene, line) for line in range(len(scene.lines))]
        for label in EdgeLabels(scene).all():
            num_labels += 1
            x, y, width, height = plate(label)

            def is_under(way: np.ndarray, rect: Rect = (x, y, width, height)) -> np.ndarray:
                low = np.array(rect[:2]) + 0.5
                return ((way > low) & (way < low + np.array(rect[2:]) - 1.0)).all(axis=1)

            own = ways[label.line]
            steps, under = np.hypot(*np.diff(own, axis=0).T), is_under(own)
            hidden, whole = steps[under[1:] & under[:-1]].sum(), steps.sum()
            assert hidden <= whole / 2 or whole - hidden >= 37, label.text
            for way in ways:
                for one in (way, way[::-1]):
                    if min(np.abs(one[0] - own[0]).max(), np.abs(one[0] - own[-1]).max()) < 0.01:
                        continue
                    near = one[np.hypot(*(one - one[0]).T) < 11]
                    assert not is_under(near).any(), label.text
    assert num_labels


def list_meant(lines: Lines, line: int) -> list[int]:
    """The lines that a label describes: those of one value, or all residuals that leave a forward
    part in one line.
    """
    begins = [lines.corners(each)[0].tolist() for each in range(len(lines))]
    return [
        each
        for each in range(len(lines))
        if lines.source[each] == lines.source[line]
        and (
            begins[each] == begins[line]
            if lines.is_residual[line]
            else set(lines.flows[each]) == set(lines.flows[line])
        )
    ]


def distance(rect: Rect, way: np.ndarray) -> float:
    """From a way to a rectangle, in pixels; 0 where it runs through."""
    x, y, width, height = rect
    nearest = np.clip(way, [x, y], [x + width, y + height])
    return float(np.hypot(*(way - nearest).T).min())


def test_a_line_in_a_loop_is_not_named_after_the_loop() -> None:
    """Nor after the number at the end of the name that XLA gives the parameter of its body."""
    view = build_view(make_program("loop"))
    scene = build_scene(view, view.all_groups())
    assert scene.lines.branches, "values that enter the body together part in it"
    told = [*scene.lines.branches.values(), *scene.lines.types]
    assert not [text for text in told if "jit(" in text or text.startswith(".")]
