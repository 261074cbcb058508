"""Forward and backward side by side: what faces what, where values flow, what connectors say."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxscope.model import NONE
from jaxscope.picture.layout.diagram import Spacing
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, EdgeLabels
from jaxscope.picture.scene.scene import Fit, Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import View
from view.programs import compile_module, layers, trace

from .test_scene import assert_lines_arrive, assert_tidy


@pytest.fixture(scope="module")
def view() -> View:
    function, arguments = layers(6)
    return build_view(trace(jax.value_and_grad(function), *arguments))


def halves(view: View) -> tuple[str, str]:
    kinds = {box.kind: box.id for box in view.boxes}
    return kinds[BranchKind.FORWARD], kinds[BranchKind.BACKWARD]


def rect(scene: Scene, box_id: str) -> np.ndarray:
    return scene.items.rect[scene.item_of_id[box_id]]


@pytest.mark.parametrize(("direction", "across", "along"), [("down", 0, 1), ("right", 1, 0)])
def test_the_parts_stand_side_by_side_and_are_of_one_length(
    view: View, direction: str, across: int, along: int
) -> None:
    forward, backward = halves(view)
    scene = build_scene(view, frozenset({forward, backward}), direction=direction)
    one, other = rect(scene, forward), rect(scene, backward)
    assert one[across] + one[across + 2] < other[across]
    assert one[along] == pytest.approx(other[along])
    assert one[along + 2] == pytest.approx(other[along + 2])


def test_the_parts_have_grounds_of_their_own(view: View) -> None:
    forward, backward = halves(view)
    scene = build_scene(view, view.all_groups())
    frames = scene.items.ids[: scene.items.num_frames]
    grounds = dict(zip(frames, scene.items.ground.tolist(), strict=False))
    assert (grounds[forward], grounds[backward]) == (2, 3)
    assert {ground for name, ground in grounds.items() if name not in halves(view)} == {0, 1}


@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
def test_layers_face_their_backward_parts(view: View, direction: str, along: int) -> None:
    forward, backward = halves(view)
    scene = build_scene(view, frozenset({forward, backward}), direction=direction)
    titles, part = list(scene.items.titles), scene.item_of_id[backward]
    one = scene.items.rect[titles.index("layer ×6")]
    inside = np.flatnonzero(scene.items.parent == part).tolist()
    facing = [n for n in inside if titles[n].startswith("layer")]
    tops = [float(scene.items.rect[item, along]) for item in facing]
    assert any(top == pytest.approx(float(one[along])) for top in tops)


def test_where_no_lines_lead_across_connectors_tell_the_bytes(view: View) -> None:
    forward, backward = halves(view)
    scene = build_scene(view, frozenset({forward, backward}), direction="right")
    parent, connectors = scene.items.parent, scene.connectors
    ends = {scene.item_of_id[forward]: "forward", scene.item_of_id[backward]: "backward"}
    found = {
        (ends[int(parent[connectors.item[at]])], bool(connectors.is_source[at])): text
        for at, text in enumerate(connectors.texts)
        if int(parent[connectors.item[at]]) in ends
        and {ends.get(int(parent[far])) for far in connectors.far[at].tolist()} <= {*ends.values()}
    }
    assert found["forward", True].startswith("→ ")
    assert " · " in found["forward", True]
    assert "B" in found["forward", True]
    assert ("backward", False) in found
    assert ("backward", True) not in found


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_closed_backward_part_says_what_it_reads(view: View, direction: str) -> None:
    forward, _ = halves(view)
    scene = build_scene(view, frozenset({forward}), direction=direction)
    connectors = scene.connectors
    told = [
        (text, bool(is_source), scene.items.titles[item])
        for text, is_source, item in zip(
            connectors.texts, connectors.is_source, connectors.item.tolist(), strict=True
        )
    ]
    assert ("forward", False, "backward") in told
    leading = [text for text, is_source, _ in told if is_source]
    assert leading and all(text.startswith("→ backward · ") for text in leading)


@pytest.mark.parametrize("opened", ["none", "forward", "backward", "both", "all"])
@pytest.mark.parametrize("direction", ["down", "right"])
def test_every_opening_is_tidy(view: View, opened: str, direction: str) -> None:
    forward, backward = halves(view)
    expanded = {
        "none": frozenset[str](),
        "forward": frozenset({forward}),
        "backward": frozenset({backward}),
        "both": frozenset({forward, backward}),
        "all": view.all_groups(),
    }[opened]
    scene = build_scene(view, expanded, direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    assert np.all(scene.item_of_node >= 0)


@pytest.mark.parametrize("direction", ["down", "right"])
def test_pairs_in_pairs_and_after_pairs_are_tidy(direction: str) -> None:
    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def train(w: jax.Array, x: jax.Array) -> jax.Array:
        for _ in range(2):
            w = w - 0.1 * jax.grad(loss)(w, x)
        return w

    def steep(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.grad(lambda w: train(w, x).sum())(w)

    x = jnp.ones(3)
    for graph in (trace(train, x, x), trace(steep, x, x), compile_module(steep, x, x)):
        view = build_view(graph, ["box-repeats"])
        for expanded in (view.opened, view.all_groups()):
            scene = build_scene(view, expanded, direction=direction)
            assert_tidy(scene)
            assert_lines_arrive(scene)


def ends(lines_of: Scene, line: int) -> tuple[int, int]:
    return int(lines_of.lines.source[line]), int(lines_of.lines.target[line])


@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
@pytest.mark.parametrize("has_value", [False, True])
def test_gradients_stand_where_the_backward_part_ends(
    has_value: bool, direction: str, along: int
) -> None:
    """Also where the call returns the value too, which comes out of the forward part."""
    function, arguments = layers(6)
    transform = jax.value_and_grad if has_value else jax.grad
    view = build_view(trace(transform(function), *arguments))
    scene = build_scene(view, frozenset(halves(view)), direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    box, length = rect(scene, halves(view)[1]), 1 - along + 2
    (result,) = [n for n, name in enumerate(scene.items.ids) if "result" in name]
    at, size = scene.items.rect[result, [along, along + 2]]
    assert at + size < box[along]
    (line,) = [n for n in range(len(scene.lines)) if ends(scene, n)[1] == result]
    across = scene.lines.corners(line)[:, 1 - along]
    assert np.ptp(across) < box[length], "it goes straight there, not around"
    outputs = [n for n, name in enumerate(scene.items.ids) if name.startswith("out:")]
    assert len(outputs) == has_value
    for value in outputs:
        assert scene.items.rect[value, along] > box[along] + box[along + 2]


@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
def test_it_stands_beside_the_part_also_where_something_long_is_on_its_rank(
    direction: str, along: int
) -> None:
    def loss(x: jax.Array) -> jax.Array:
        def row(total: jax.Array, values: jax.Array) -> tuple[jax.Array, None]:
            return jax.lax.fori_loop(0, 7, lambda i, part: part + values[i] ** 2, total), None

        return jax.lax.scan(row, jnp.float32(0), x)[0]

    view = build_view(trace(jax.grad(loss), jnp.ones((5, 7))))
    scene = build_scene(view, view.all_groups(), direction=direction)
    assert_tidy(scene)
    box, (at, size) = rect(scene, halves(view)[1]), rect(scene, "out:0")[[along, along + 2]]
    outside = [n for n in range(scene.items.num_frames) if scene.items.parent[n] == NONE]
    others = scene.items.rect[[n for n in outside if scene.items.ids[n] not in halves(view)]]
    assert others[:, along + 2].max() > 150.0, "the indices of the inner loop are made before"
    assert 0 < box[along] - (at + size) < at


def training_step(*, is_boxed: bool, needs_value: bool = True) -> View:
    """A step whose backward part gives four gradients, each to an update, which may share a box.

    Where an update needs the value as well, which the forward part gives, it is below both parts.
    """

    def loss(params: list[jax.Array]) -> jax.Array:
        return jnp.stack([(jnp.tanh(each) ** 2).sum() for each in params]).sum()

    def update(
        params: list[jax.Array], slopes: list[jax.Array], rate: jax.Array | float
    ) -> list[jax.Array]:
        return [each - rate * slope for each, slope in zip(params, slopes, strict=True)]

    def step(params: list[jax.Array]) -> list[jax.Array]:
        value, slopes = jax.value_and_grad(loss)(params)
        rate = value if needs_value else 0.1
        return (jax.jit(update) if is_boxed else update)(params, slopes, rate)

    graph = trace(step, [jnp.ones(3 + n) for n in range(4)])
    return build_view(graph, [] if is_boxed else ["group-by-function"])


@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
def test_connectors_of_long_lines_tell_where_gradients_go_above_the_backward_part(
    direction: str, along: int
) -> None:
    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def step(w: jax.Array, m: jax.Array, x: jax.Array) -> tuple[jax.Array, ...]:
        value, slope = jax.value_and_grad(loss)(w, x)
        with jax.named_scope("update"):
            m = 0.9 * m + jnp.sin(slope)
        with jax.named_scope("apply"):
            return w - 0.1 * m * jnp.cos(m) * slope, m, value

    view = build_view(trace(step, *[jnp.ones(3)] * 3, paths=["w", "m", "x"]))
    short = Spacing(max_span=1)
    scene = build_scene(view, frozenset(halves(view)), direction=direction, spacing=short)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    connectors, rects, titles = scene.connectors, scene.items.rect, scene.items.titles
    backward, updated, applied = (
        scene.item_of_id[halves(view)[1]], titles.index("update"), titles.index("apply")
    )  # fmt: skip
    told = {
        int(connectors.item[n]): (is_source, set(connectors.far[n].tolist()))
        for n, is_source in enumerate(connectors.is_source.tolist())
        if backward in (connectors.item[n], *connectors.far[n]) and connectors.is_reversed[n]
    }
    assert told == {
        backward: (True, {updated, applied}),
        updated: (False, {backward}),
        applied: (False, {backward}),
    }
    for number, (item, is_source) in enumerate(
        zip(connectors.item.tolist(), connectors.is_source.tolist(), strict=True)
    ):
        if item in (backward, updated, applied):
            assert connectors.is_reversed[number], "values flow up there"
            assert (connectors.rect[number, along] < rects[item, along]) == is_source
        for far in connectors.far[number].tolist():
            assert far != item, "a box gives itself nothing"


@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
def test_what_needs_gradients_and_arguments_alone_stands_above_the_backward_part(
    direction: str, along: int
) -> None:
    """Also several steps of it, up to the results: no line leads around the part to below it."""

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def step(w: jax.Array, m: jax.Array, x: jax.Array) -> tuple[jax.Array, ...]:
        value, slope = jax.value_and_grad(loss)(w, x)
        with jax.named_scope("update"):
            m = 0.9 * m + jnp.sin(slope)
        with jax.named_scope("apply"):
            return w - 0.1 * m * jnp.cos(m), m, value

    view = build_view(trace(step, *[jnp.ones(3)] * 3, paths=["w", "m", "x"]))
    scene = build_scene(view, frozenset(halves(view)), direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    items, titles = scene.items, list(scene.items.titles)
    begins, sizes = items.rect[:, along], items.rect[:, along + 2]
    backward = scene.item_of_id[halves(view)[1]]
    updated, applied = titles.index("update"), titles.index("apply")
    (value,) = [n for n, name in enumerate(items.ids) if name == "out:2"]
    result = items.ids.index("out:0")
    order = [result, applied, updated, backward]
    for upper, lower in itertools.pairwise(order):
        assert begins[upper] + sizes[upper] < begins[lower]
    assert begins[value] > begins[backward] + sizes[backward]
    lines = {ends(scene, n) for n in range(len(scene.lines))}
    assert {(backward, updated), (updated, applied), (applied, result)} <= lines
    connectors = scene.connectors
    into = {titles[connectors.item[n]]: n for n in range(len(connectors.item))}
    assert connectors.texts[into["update"]] == "m" and connectors.texts[into["apply"]] == "w"
    assert connectors.texts[into["m"]] == "→ update"
    for name in ("update", "apply"):  # from the side that all values come from
        at, end = connectors.rect[into[name], along], begins[titles.index(name)]
        assert at > end
    # What is open there flows on as the backward part does.
    opened = build_scene(view, view.all_groups(), direction=direction)
    assert_tidy(opened)
    assert_lines_arrive(opened)
    inside = [n for n in range(len(opened.items)) if opened.items.titles[n] in ("sin", "cos")]
    assert len(inside) == 2
    for line in range(len(opened.lines)):
        if not {inside[0], inside[1]}.isdisjoint(ends(opened, line)):
            way = opened.lines.corners(line)[:, along]
            assert way[-1] < way[0]


@pytest.mark.parametrize("direction", ["down", "right"])
def test_connectors_tell_what_goes_past_both_parts(direction: str) -> None:
    """An update below them reads what the forward part reads, too: no line leads around both.

    One line leads the gradient around the backward part.
    """

    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def update(w: jax.Array, slope: jax.Array) -> jax.Array:
        return jnp.sin(w) - 0.1 * slope

    def step(w: jax.Array, x: jax.Array) -> jax.Array:
        return jax.jit(update)(w, jax.grad(loss)(w, x))

    view = build_view(trace(step, jnp.ones(3), jnp.ones(3)))
    scene = build_scene(view, frozenset(halves(view)), direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    titles, connectors = list(scene.items.titles), scene.connectors
    w, target = titles.index("a"), titles.index("update")
    every = range(len(connectors.item))
    (out,) = [n for n in every if connectors.item[n] == w]
    assert (connectors.texts[out], connectors.far[out].tolist()) == ("→ update", [target])
    into = {connectors.texts[n]: n for n in every if connectors.item[n] == target}
    assert into.keys() == {"a"}
    assert connectors.far[into["a"]].tolist() == [w]
    lines = [ends(scene, n) for n in range(len(scene.lines))]
    forward, backward = map(scene.item_of_id.__getitem__, halves(view))
    assert (backward, target) in lines
    assert {target for source, target in lines if source == w} == {forward, w}, "w: the connector"


@pytest.mark.parametrize("direction", ["down", "right"])
def test_a_line_leads_past_both_parts_to_what_needs_neither(direction: str) -> None:
    """What counts the steps of a training stands beside the parts: no connectors for it."""

    def loss(state: list[jax.Array], x: jax.Array) -> jax.Array:
        return (jnp.tanh(state[0] * x) * state[1]).sum()

    def step(state: list[jax.Array], x: jax.Array) -> list[jax.Array]:
        one, other = jax.grad(loss)(state[:2], x)
        with jax.named_scope("update"):
            new = [state[0] - one, state[1] - other * jnp.sin(other)]
        with jax.named_scope("count"):
            return [*new, jnp.cos(state[2] * 2) + state[2]]

    x, paths = jnp.ones(3), ["state[0]", "state[1]", "state[2]", "x"]
    view = build_view(trace(step, [x] * 3, x, paths=paths))
    scene = build_scene(view, frozenset(halves(view)), direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    titles, lines = list(scene.items.titles), [ends(scene, n) for n in range(len(scene.lines))]
    state, update, count = (titles.index(title) for title in ("state", "update", "count"))
    assert (state, count) in lines and count not in scene.connectors.item
    assert (state, update) not in lines and update in scene.connectors.item


@pytest.mark.parametrize("is_boxed", [False, True])
@pytest.mark.parametrize(("direction", "along"), [("down", 1), ("right", 0)])
def test_one_line_leads_gradients_to_the_boxes_below(
    direction: str, along: int, *, is_boxed: bool
) -> None:
    view = training_step(is_boxed=is_boxed)
    forward, backward = halves(view)
    scene = build_scene(view, frozenset((forward, backward)), direction=direction)
    assert_tidy(scene)
    assert_lines_arrive(scene)
    part = scene.item_of_id[backward]
    after = float(scene.items.rect[part, along] + scene.items.rect[part, along + 2])
    lines = [n for n in range(len(scene.lines)) if ends(scene, n)[0] == part]
    lines = [n for n in lines if not scene.lines.is_residual[n]]
    lines = [n for n in lines if ends(scene, n)[1] != part]
    assert len({ends(scene, n)[1] for n in lines}) == (1 if is_boxed else 4)
    assert all(scene.items.rect[ends(scene, n)[1], along] > after for n in lines)
    starts = {tuple(scene.lines.corners(n)[:3].round(3).ravel().tolist()) for n in lines}
    assert len(starts) == 1, "they share the way around the part"
    assert lines[0] in scene.lines.labels, "what it leads is told in a small picture, too"
    assert part not in scene.connectors.item, "no connector is needed for it"


@pytest.mark.parametrize("direction", ["down", "right"])
def test_what_leads_around_the_backward_part_is_told_where_the_line_is_seen_on_both_sides(
    direction: str,
) -> None:
    """Not where it leaves the part, to turn at once: a text there lies on the part's border."""
    view = training_step(is_boxed=True)
    scene = build_scene(view, frozenset(halves(view)), direction=direction)
    part = scene.item_of_id[halves(view)[1]]
    (label,) = (
        label
        for label in EdgeLabels(scene).all()
        if label.line in scene.lines.labels
        and ends(scene, label.line)[0] == part
        and not scene.lines.is_residual[label.line]
    )
    corners = scene.lines.corners(label.line)
    low = np.array([label.x, label.y])
    high = low + np.array([label.width, LABEL_HEIGHT_PX])
    is_covered = ((corners > low - 3) & (corners < high + 3)).all(axis=1)
    assert not is_covered.any(), "no corner"
    middle = (low + high) / 2
    on = [np.linspace(*pair, 2000) for pair in itertools.pairwise(corners)]
    assert np.abs(np.concatenate(on) - middle).max(axis=1).min() < 1.0, "on its line"


@pytest.mark.parametrize(("direction", "across"), [("down", 0), ("right", 1)])
def test_whatever_enters_an_open_group_comes_from_somewhere(
    view: View, direction: str, across: int
) -> None:
    """Each line inside begins where a line outside ends, if only one that leads to a connector."""
    scene = build_scene(view, view.all_groups(), direction=direction)
    inside: dict[int, set[float]] = {}
    outside: dict[int, set[float]] = {}
    for line in range(len(scene.lines)):
        corners = scene.lines.corners(line)
        for item, corner in zip(ends(scene, line), (corners[0], corners[-1]), strict=True):
            place = float(corner[across].round(2))
            if item < scene.items.num_frames:
                other = sum(ends(scene, line)) - item
                is_inside = other != item and scene.items.parent[other] == item
                (inside if is_inside else outside).setdefault(item, set()).add(place)
    for item, places in inside.items():
        missing = places - outside.get(item, set())
        assert not missing, (scene.items.titles[item], missing)


def test_in_a_narrow_window_one_part_stands_after_the_other(view: View) -> None:
    forward, backward = halves(view)
    both = frozenset({forward, backward})
    scene = build_scene(view, both, fit=Fit(beside=False))
    one, other = rect(scene, forward), rect(scene, backward)
    assert one[1] + one[3] < other[1]
    assert scene.width < build_scene(view, both).width
    assert not scene.items.is_reversed.any()
    assert scene.items.parent[scene.item_of_id[forward]] == NONE


def test_what_is_kept_has_its_colour_and_bytes_where_the_parts_do_not_stand_side_by_side(
    view: View,
) -> None:
    forward, backward = halves(view)
    closed = build_scene(view, frozenset())
    across = np.flatnonzero(closed.lines.is_residual).tolist()
    pair = (closed.item_of_id[forward], closed.item_of_id[backward])
    assert {ends(closed, line) for line in across} == {pair}
    assert all(closed.lines.types[line].endswith("B") for line in across)
    scene = build_scene(view, frozenset({forward, backward}), fit=Fit(beside=False))
    part, other = scene.item_of_id[forward], scene.item_of_id[backward]
    lines, graph = scene.lines, view.graph
    inner = np.flatnonzero(lines.is_inner_residual).tolist()
    leaving = [line for line in inner if int(lines.target[line]) == part]
    entering = [line for line in inner if int(lines.source[line]) == other]
    assert leaving and len(leaving) + len(entering) == len(inner) > len(leaving)
    for line in leaving:
        for node in lines.values[line].tolist():
            users = graph.edges.target[graph.edges.source == node].tolist()
            shown = {int(scene.item_of_node[user]) for user in users}
            assert any(int(scene.items.parent[item]) == other for item in shown)


def dense_loss(params: list[tuple[jax.Array, jax.Array]], x: jax.Array, y: jax.Array) -> jax.Array:
    for number, (weights, bias) in enumerate(params):
        with jax.named_scope(f"layer_{number}"):
            x = jnp.tanh(x @ weights + bias)
    return ((x.sum(1) - y) ** 2).mean()


@pytest.mark.parametrize("transform", [jax.grad, jax.value_and_grad])
def test_the_bytes_of_what_is_kept_have_room_between_closed_parts(
    transform: Callable[..., Callable[..., object]],
) -> None:
    """Also in a narrow view, where they stand one below the other beside other lines."""
    params = [(jnp.ones((width, 32)), jnp.ones(32)) for width in (8, 32)]
    view = build_view(trace(transform(dense_loss), params, jnp.ones((64, 8)), jnp.ones(64)))
    scene = build_scene(view, frozenset(), fit=Fit(beside=False))
    (line,) = np.flatnonzero(scene.lines.is_residual).tolist()
    (label,) = [each for each in EdgeLabels(scene).all() if each.line == line]
    assert label.text.endswith("iB")
    assert label.width >= measure_text(label.text, 15.0), "large enough for a small picture"


@pytest.mark.parametrize("closed", [0, 1])
def test_a_closed_part_is_as_small_as_any_closed_box(closed: int) -> None:
    """Also where ports of the open part follow the lines around it."""

    def loss(params: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        return jnp.mean((params["weight"] * x + params["bias"] - y) ** 2)

    def update(params: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> dict[str, jax.Array]:
        gradients = jax.grad(loss)(params, x, y)
        return {name: params[name] - 0.05 * gradients[name] for name in params}

    x = jnp.ones((8, 1))
    params = {"weight": jnp.ones(1), "bias": jnp.ones(1)}
    view = build_view(trace(update, params, x, x))
    expanded = view.all_groups() - {halves(view)[closed]}
    scene = build_scene(view, expanded)
    boxes = scene.items.rect[scene.items.num_frames :]
    assert boxes[:, 3].max() < 60


def long_way(x: jax.Array) -> jax.Array:
    """`exp` keeps its result for the backward part; far more follows than a line leads past."""
    y = jnp.exp(x)
    for shape in ((2, 2, 4), (4, 4), (16,), (8, 2), (2, 8), (2, 4, 2), (4, 2, 2)) * 2:
        y = jax.lax.reshape(-y, shape)
    return y.sum()


def test_what_is_kept_has_its_colour_on_both_sides_of_a_connector() -> None:
    view = build_view(trace(jax.grad(long_way), jnp.ones(16)))
    scene = build_scene(view, frozenset(halves(view)), fit=Fit(beside=False))
    lines, items = scene.lines, scene.items
    is_cut = lines.source == lines.target  # to or from a connector
    names = {
        items.titles[lines.source[line]]: bool(lines.is_inner_residual[line])
        for line in np.flatnonzero(is_cut).tolist()
    }
    assert names == dict.fromkeys(("exp", "forward · long_way", "backward · long_way", "mul"), True)
