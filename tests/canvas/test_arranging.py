"""The first picture is a page that can be read in the pane it is in, however narrow that is."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental.ode import odeint
from pytestqt.qtbot import QtBot

from jaxscope.export.page import draw_graph
from jaxscope.export.svg import scene_to_svg_parts
from jaxscope.in_process import capture_function
from jaxscope.model import NONE, Graph, is_available
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.first_picture import (
    LEAST_FRAMED,
    LEAST_TOGETHER,
    READABLE_SCALE,
    SIDE_PX,
    WHOLE_SCALE,
    Arranger,
    Viewport,
    type_scale,
)
from jaxscope.picture.scene.scene import DETAIL_PX, LEAST_TITLE_PX, TITLE_PX, Fit, Scene
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD
from jaxscope.picture.view.tree import BranchKind
from jaxscope.picture.view.view import ROOT, View
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import Camera, look_at_scene, look_at_top
from jaxscope.ui.canvas.overlay import hidden_sides
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import SceneDrawing, colors
from layout.test_residual_heads import take_examples
from view.programs import compile_module, layers, relabel, trace

WIDTHS = (330, 400, 540)


def many_parameters() -> Graph:
    def program(*given: jax.Array) -> tuple[jax.Array, ...]:
        a, b, c, d, e, f, g, h, i, j = given
        return a + b * c, jnp.sin(d) @ e, f - g, h / i, j * 2.0

    return trace(program, *[jnp.ones((3, 3))] * 10)


def update() -> Graph:
    def loss(w: jax.Array, x: jax.Array) -> jax.Array:
        return (jnp.tanh(w * x) ** 2).sum()

    def train(w: jax.Array, x: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        for _ in range(3):
            w = w - 0.1 * jax.grad(loss)(w, x) + y.sum()
        return w, loss(w, x)

    x = jnp.ones(3)
    return compile_module(train, x, x, x)


def gradient() -> Graph:
    function, arguments = layers(5)
    return trace(jax.value_and_grad(function), *arguments)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("make", [many_parameters, update, gradient])
def test_a_first_picture_is_as_wide_as_its_pane(
    qtbot: QtBot, make: Callable[[], Graph], width: int
) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(width, 520)
    canvas.show()
    canvas.set_graph(make(), "program")
    scene = canvas.scene
    assert scene is not None
    assert canvas.camera.scale >= WHOLE_SCALE
    left, _ = canvas.camera.to_widget(0.0, 0.0)
    right, _ = canvas.camera.to_widget(scene.width, 0.0)
    assert left >= SIDE_PX - 1.0
    assert right <= width - SIDE_PX + 1.0


def long_names() -> Graph:
    """A gradient of functions whose names are longer than what else is in their boxes."""

    def binary_cross_entropy_with_smoothing(x: jax.Array) -> jax.Array:
        return jnp.log(jnp.exp(x) + 1.0) * jnp.tanh(x)

    def exponential_of_the_squared_differences(x: jax.Array) -> jax.Array:
        return jnp.exp(-jnp.sin(x) * jnp.cos(x))

    def program(x: jax.Array, y: jax.Array) -> jax.Array:
        functions = (binary_cross_entropy_with_smoothing, exponential_of_the_squared_differences)
        for function in (*functions, *functions):
            with jax.named_scope(function.__name__):
                x = function(x) * y
        return x.sum()

    x = jnp.ones(3)
    return trace(jax.value_and_grad(program), x, x)


@pytest.mark.sweep(3)
@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("width", [280, 330, 400, 520, 690, 760, 1200])
def test_boxes_have_room_for_their_titles_however_small_the_picture(width: int) -> None:
    """Each is as large as a title may be, whole, with the triangle of a closed group beside it."""
    view = build_view(long_names())
    arranged = Arranger(view, Viewport(width, 600.0), "down").choose()
    items, scale = arranged.scene.items, arranged.fit.scale
    for item in range(items.num_frames, len(items)):
        lines = items.title_lines(item)
        assert len(lines) == 1 or arranged.fit.halves_titles
        wide = max(measure_text(line, LEAST_TITLE_PX, True) for line in lines)
        assert wide < items.rect[item, 2] * scale, items.titles[item]
    drawing = SceneDrawing(SceneIndex(arranged.scene), colors("light"))
    titles = [title for title in drawing.list_titles(scale) if not title.is_frame]
    closed = np.flatnonzero(items.is_group[items.num_frames :]) + items.num_frames
    assert [title.item for title in titles] == closed.tolist()
    for title in titles:
        assert title.text.split("\n") == list(items.title_lines(title.item))
        assert title.sign is not None and not title.is_sign_below
        assert title.sign.x() + 4.0 < title.area.left() + 3.0


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("scale", [0.58, 0.66, 0.74])
def test_the_title_of_an_open_group_has_room_for_its_count(scale: float) -> None:
    def program(x: jax.Array) -> jax.Array:
        def narrow_but_with_a_rather_long_name(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
            return jnp.sin(carry), None

        for _ in range(4):
            with jax.named_scope("a_scope_with_a_long_name_too"):
                x = jnp.exp(jnp.sin(x))
            x = jax.lax.scan(narrow_but_with_a_rather_long_name, x, None, length=3)[0]
        return x

    view = build_view(trace(program, jnp.ones(3)))
    scene = build_scene(view, view.all_groups(), fit=Fit(scale=scale))
    drawing = SceneDrawing(SceneIndex(scene), colors("light"))
    titles = [title for title in drawing.list_titles(scale) if title.is_frame]
    assert len(titles) == scene.items.num_frames > 0
    for title in titles:
        assert title.text == scene.items.titles[title.item]
        assert title.detail == scene.items.details[title.item]
        assert not title.detail_area.isEmpty(), title.text


LOW = (836.0, 270.0)
"""The room above a page in a window of 1280 pixels."""


def test_connectors_say_where_they_lead_in_a_low_room(qtbot: QtBot) -> None:
    """They were dashed outlines without a word."""
    function, arguments = layers(2)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(*map(int, LOW))
    canvas.show()
    canvas.set_graph(trace(jax.grad(function), *arguments), "grad")
    qtbot.waitUntil(lambda: canvas.scene is not None and canvas.is_sharp)
    assert canvas.scene is not None and LEAST_TOGETHER <= canvas.camera.scale < LEAST_FRAMED
    image, rects = canvas.grab().toImage(), canvas.scene.connectors.rect.tolist()
    assert rects
    for x, y, width, height in rects:
        left, middle = canvas.camera.to_widget(x, y + height / 2)
        columns = range(round(left) + 6, round(left + width * canvas.camera.scale) - 6)
        rows = range(round(middle) - 3, round(middle) + 3)
        assert any(image.pixelColor(at, row).lightness() < 100 for at in columns for row in rows)


def test_a_line_between_both_parts_tells_its_bytes_in_a_low_room() -> None:
    graph = trace(jax.grad(lambda x: jnp.mean((x + 2) ** 2 + 3)), jnp.ones(1000))
    scene, *_ = _choose(graph, LOW[0], 560.0)
    scale = look_at_scene(scene, LOW[0], 330.0).scale
    assert LEAST_TOGETHER <= scale < WHOLE_SCALE
    drawing = SceneDrawing(SceneIndex(scene), colors("light"))
    whole = (0.0, 0.0, scene.width, scene.height)
    assert "3.91 KiB" in [label.text for label in drawing.labels_in(NONE, whole, scale)]


@pytest.mark.slow
def test_long_titles_stand_on_two_lines_where_both_parts_would_not_be_open_else() -> None:
    view = build_view(long_names())
    widths = range(680, 900, 10)
    fits = [Arranger(view, Viewport(width, 500.0), "down").choose() for width in widths]
    halved = [each for each in fits if each.fit.halves_titles]
    assert halved, "at some width"
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    for arranged in halved:
        assert parts <= arranged.scene.opened
        items = arranged.scene.items
        two = [n for n in range(items.num_frames, len(items)) if len(items.title_lines(n)) == 2]
        assert two, "of these names"
        for item in two:
            assert "".join(items.title_lines(item)) == items.titles[item]
            assert items.rect[item, 3] > items.rect[items.num_frames :, 3].min()
    svg = "".join(scene_to_svg_parts(arranged.scene))
    assert all(f">{line}<" in svg for item in two for line in items.title_lines(item))
    assert not any(f">{items.titles[item]}<" in svg for item in two)


def test_the_first_picture_can_be_had_again(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(330, 520)
    canvas.show()
    canvas.set_graph(many_parameters(), "program")
    before = canvas.scene
    assert before is not None
    canvas.expand_all()
    canvas.reset_expanded()
    after = canvas.scene
    assert after is not None
    assert after.items.rect.tolist() == before.items.rect.tolist()


def test_a_page_begins_as_a_window_of_its_size_does(qtbot: QtBot) -> None:
    def program(x: jax.Array) -> jax.Array:
        for name, function in (("a", jnp.sin), ("b", jnp.exp), ("c", jnp.cos), ("d", jnp.tanh)):
            with jax.named_scope(name):
                x = function(x) * x + jnp.sqrt(function(x) - x) / (1.0 + x)
        return x

    graph = trace(jax.grad(program), jnp.float32(1.0))
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(860, 770)
    canvas.show()
    canvas.set_graph(graph, "program")
    scene, drawn = canvas.scene, draw_graph(graph)
    assert scene is not None
    assert is_available(drawn)
    shown = set(scene.items.ids[: scene.items.num_frames])

    assert set(re.findall(r'data-id="([^"]*)"', drawn.first)) == shown
    assert shown != build_view(graph).opened, "in this room not all is open that could be"


@pytest.mark.parametrize("direction", ["down", "right"])
def test_in_a_wide_room_nothing_is_wrapped(direction: str) -> None:
    view = build_view(many_parameters())
    arranger = Arranger(view, Viewport(4000.0, 4000.0), direction, {}, lambda: False)
    assert not arranger.choose().fit.is_limited


def test_borders_tell_where_there_is_more(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(700, 300)
    canvas.show()
    canvas.set_graph(many_parameters(), "program")

    def hidden() -> tuple[bool, ...]:
        scene = canvas.scene
        assert scene is not None
        return hidden_sides(scene, canvas.camera, canvas.width(), canvas.height())

    canvas.fit()
    assert hidden() == (False, False, False, False)
    canvas.zoom(4.0)
    assert hidden() == (True, True, True, True)
    canvas.pan(-9_000.0, -9_000.0)
    assert hidden() == (False, False, True, True)


def test_what_is_too_wide_begins_with_whole_boxes() -> None:
    rects = np.array([[40.0 + 130 * n, 16.0, 110.0, 42.0] for n in range(12)])
    camera = look_at_top(rects, Camera(-24.0, -8.0, 0.8), 300.0)
    left, _ = camera.to_widget(40.0, 0.0)
    assert 0.0 <= left < 40.0


@pytest.mark.parametrize("width", [450, 560, 640, 800, 1000])
def test_both_parts_of_a_gradient_are_open_where_they_fit_in_any_way(
    qtbot: QtBot, width: int
) -> None:
    """Side by side where both find room, else one after the other, and neither part closed."""
    function, arguments = layers(12)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(width, 760)
    canvas.show()
    canvas.set_graph(trace(jax.grad(function), *arguments), "program")
    scene, view = canvas.scene, canvas.view
    assert scene is not None and view is not None
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert len(parts) == 2
    assert parts <= scene.opened
    assert canvas.camera.scale >= WHOLE_SCALE


def test_a_picture_becomes_a_little_smaller_to_show_both_parts_side_by_side() -> None:
    function, arguments = layers(2)
    view = build_view(trace(jax.grad(function), *arguments))
    scene, fit = Arranger(view, Viewport(560.0, 690.0), "down", {}, lambda: False).choose()
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert fit.beside and len(parts) == 2
    assert parts <= scene.opened
    assert (560.0 - 2 * SIDE_PX) / scene.width >= WHOLE_SCALE


def _choose(graph: Graph, width: float, height: float) -> tuple[Scene, Viewport, View]:
    view, room = build_view(graph), Viewport(width, height)
    return Arranger(view, room, "down", {}, lambda: False).choose().scene, room, view


@pytest.mark.parametrize("height", [560, 690, 1230])
def test_what_can_be_seen_whole_is_not_opened_beyond_the_page(height: int) -> None:
    """Of a gradient both parts and what is in them, not one layer of twelve and a blank beside."""
    function, arguments = layers(4)
    scene, room, view = _choose(trace(jax.grad(function), *arguments), 820.0, height)
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert parts <= scene.opened
    camera = look_at_scene(scene, room.width, room.height)
    assert scene.height * camera.scale <= room.height
    assert camera.scale >= WHOLE_SCALE


def loop_in_a_loop() -> Graph:
    """A gradient whose forward part needs a loop of indices, which is before both parts."""
    return trace(jax.grad(_nested), jnp.ones((5, 7)))


def _nested(x: jax.Array) -> jax.Array:
    def row(total: jax.Array, values: jax.Array) -> tuple[jax.Array, None]:
        def column(i: jax.Array, partial: jax.Array) -> jax.Array:
            value = values[i]
            return partial + jax.lax.cond(value > 0, jnp.sqrt, lambda v: 0.5 * v, value)

        return jax.lax.fori_loop(0, 7, column, total), None

    return jax.lax.scan(row, jnp.float32(0), x)[0]


@pytest.mark.slow
def test_what_is_opened_leaves_room_for_the_legend() -> None:
    """A layer of a batched gradient was opened for which the last line of boxes had no room."""
    function, arguments = layers(3)
    for height in range(560, 1200, 20):
        scene, room, view = _choose(trace(jax.grad(function), *arguments), 720.0, height)
        parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
        if scene.opened - parts:
            assert scene.height * WHOLE_SCALE <= room.height - 30.0 - 16.0


def test_of_few_groups_those_are_opened_that_leave_all_in_sight() -> None:
    """Not the largest first, until the rest of the program is below the border."""
    scene, room, view = _choose(loop_in_a_loop(), 826.0, 570.0)
    parts = [box for box in view.boxes if box.kind in FORWARD_BACKWARD]
    assert {box.id for box in parts} <= scene.opened
    for part in parts:
        assert {view.boxes[child].id for child in part.children} & scene.opened, part.id
    camera = look_at_scene(scene, room.width, room.height)
    assert scene.height * camera.scale <= room.height
    assert camera.scale >= WHOLE_SCALE


def test_type_is_larger_where_a_narrower_picture_is_seen_whole_as_well() -> None:
    """In a large pane a wide picture left half of it empty, with type of 9 pixels."""
    function, arguments = layers(1)
    scene, room, view = _choose(trace(jax.grad(function), *arguments), 1020.0, 1290.0)
    wide = build_scene(view, scene.opened, fit=Fit(scale=WHOLE_SCALE))
    assert set(wide.items.ids) == set(scene.items.ids)
    camera = look_at_scene(scene, room.width, room.height)
    assert look_at_scene(wide, room.width, room.height).scale < 0.9
    assert camera.scale >= 1.0 and scene.height * camera.scale <= room.height - 30.0


@pytest.mark.parametrize("size", [(694.0, 1290.0), (713.0, 753.0)])
def test_type_is_a_little_larger_where_there_is_no_room_for_much_larger_type(
    size: tuple[float, float],
) -> None:
    function, arguments = layers(4)
    scene, room, _ = _choose(trace(jax.grad(function), *arguments), *size)
    assert look_at_scene(scene, room.width, room.height - 30.0).scale >= 0.84


def training_step() -> Graph:
    """A training step whose optimizer has lines around the gradient."""

    def loss(params: list[jax.Array], x: jax.Array) -> jax.Array:
        for number, weights in enumerate(params):
            with jax.named_scope(f"dense_layer_{number}"):
                x = jnp.tanh(x @ weights) + jnp.sin(x @ weights)
        return (x**2).sum()

    def step(params: list[jax.Array], m: list[jax.Array], x: jax.Array) -> object:
        value, gradient = jax.value_and_grad(loss)(params, x)
        with jax.named_scope("update"):
            m = [0.9 * old + 0.1 * new for old, new in zip(m, gradient, strict=True)]
        return value, [p - 0.1 * each for p, each in zip(params, m, strict=True)], m

    params = [jnp.ones((8, 8))] * 3
    return trace(step, params, params, jnp.ones((4, 8)))


def test_an_update_does_not_take_the_room_of_the_parts_of_a_gradient() -> None:
    """It stands above them: open, it would leave what they keep for each other below the page."""
    scene, room, view = _choose(training_step(), 826.0, 573.0)
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert len(parts) == 2 and parts <= scene.opened
    camera = look_at_scene(scene, room.width, room.height)
    for part in parts:
        _, top, _, height = scene.items.rect[scene.item_of_id[part]]
        assert camera.to_widget(0.0, float(top))[1] >= 0.0
        assert camera.to_widget(0.0, float(top + height))[1] <= room.height


def _solve(rate: jax.Array, start: jax.Array) -> jax.Array:
    def slope(y: jax.Array, _: jax.Array, rate: jax.Array) -> jax.Array:
        return jnp.tanh(rate @ y)

    states = odeint(slope, start, jnp.linspace(0.0, 1.0, 5), rate)
    return jnp.mean((states - 1) ** 2)


def through_a_solver() -> Graph:
    """A gradient whose forward part holds most of what can be opened."""
    return trace(jax.grad(_solve, argnums=1), jnp.ones((4, 4)), jnp.ones(4))


def two_rounds() -> Graph:
    """Two gradients, one after the other."""

    def step(rate: jax.Array, y: jax.Array) -> jax.Array:
        for _ in range(2):
            y -= 0.1 * jax.grad(_solve, argnums=1)(rate, y)
        return y

    return trace(step, jnp.ones((4, 4)), jnp.ones(4))


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("make", "least"),
    [
        (through_a_solver, 10.0),
        (two_rounds, 9.0),  # three rows of updates and arguments between and around two pairs
        (training_step, 10.0),
        (loop_in_a_loop, 10.0),
        (gradient, 10.0),
    ],
)
def test_in_a_large_room_type_is_larger_before_more_is_opened(
    make: Callable[[], Graph], least: float
) -> None:
    """The main view of a window of 2560 pixels had as small type as that of one of 1280."""
    scene, room, _ = _choose(make(), 1085.0, 1330.0)
    camera = look_at_scene(scene, room.width, room.height - 30.0)
    assert DETAIL_PX * camera.scale >= least
    assert scene.height * camera.scale <= room.height - 30.0


def test_in_a_large_room_large_type_of_the_window_is_not_enlarged_again() -> None:
    assert type_scale(1440.0, 1300.0, 2.0) == 2.0
    assert type_scale(1440.0, 1300.0, 1.0) > 1.2
    assert type_scale(800.0, 1300.0, 1.0) == 1.0, "it is large in both directions, or not"


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "room", [(826.0, 573.0), (713.0, 753.0), (1155.0, 1293.0), (676.0, 1290.0)]
)
@pytest.mark.parametrize(
    "make", [through_a_solver, two_rounds, training_step, loop_in_a_loop, gradient]
)
def test_in_a_main_view_both_parts_stand_side_by_side(
    make: Callable[[], Graph], room: tuple[float, float]
) -> None:
    """However much is open in them, and even if they are small."""
    scene, _, view = _choose(make(), *room)
    parts = [box.id for box in view.boxes if box.kind in FORWARD_BACKWARD]
    assert parts and set(parts) <= scene.opened
    for part in parts:
        if "/forward" in part:
            forward, backward = (
                scene.items.rect[scene.item_of_id[each]]
                for each in (part, part.replace("/forward", "/backward"))
            )
            assert forward[0] + forward[2] < backward[0]
    assert scene.width * LEAST_FRAMED <= room[0]


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    "room", [(330.0, 600.0), (430.0, 777.0), (430.0, 500.0), (560.0, 690.0), (600.0, 1300.0)]
)
@pytest.mark.parametrize("make", [through_a_solver, training_step, loop_in_a_loop, gradient])
def test_neither_part_of_a_gradient_is_open_alone(
    make: Callable[[], Graph], room: tuple[float, float]
) -> None:
    """Also in a view of the side: a picture of one half says nothing of the other."""
    scene, _, view = _choose(make(), *room)
    opened = [box.id in scene.opened for box in view.boxes if box.kind in FORWARD_BACKWARD]
    assert len(opened) == 2 and len(set(opened)) == 1


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [650.0, 690.0, 730.0])
def test_parts_with_long_names_stand_one_below_the_other_in_a_high_view(width: float) -> None:
    """Side by side they left half of it blank, with type as small as can be."""

    def loss(params: list[jax.Array], x: jax.Array) -> jax.Array:
        for weights, name in zip(params, "abcd", strict=True):
            with jax.named_scope("stage_" + name * 20):
                x = jnp.tanh(x @ weights) + jnp.sin(x @ weights)
        return (x**2).sum()

    graph = trace(jax.grad(loss), [jnp.ones((8, 8))] * 4, jnp.ones((4, 8)))
    scene, room, view = _choose(graph, width, 1290.0)
    forward, backward = (
        scene.items.rect[scene.item_of_id[box.id]]
        for kind in FORWARD_BACKWARD
        for box in view.boxes
        if box.kind is kind
    )
    assert forward[1] + forward[3] < backward[1]
    scale = look_at_scene(scene, room.width, room.height).scale
    assert scale >= WHOLE_SCALE and scene.height * scale > room.height / 2


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [700.0, 1075.0, 1079.0, 1085.0, 1095.0])
def test_both_halves_of_a_loop_are_open(width: float) -> None:
    scene, _, view = _choose(loop_in_a_loop(), width, 1330.0)
    parts = {n for n, box in enumerate(view.boxes) if box.kind in FORWARD_BACKWARD}
    inner = [
        box.id in scene.opened
        for n, box in enumerate(view.boxes)
        if "×7" in box.label and parts.intersection(view.ancestors(n))
    ]
    assert inner == [True] * 2, "one part below the other where the room is narrow and high"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [1070.0, 1079.0, 1085.0, 1095.0])
def test_the_arms_of_a_branch_are_seen_side_by_side_where_there_is_room(width: float) -> None:
    scene, _, view = _choose(loop_in_a_loop(), width, 1318.0)
    branches = [box for box in view.boxes if box.node >= 0 and box.node in view.flow.branches]
    assert len(branches) == 2 and all(box.id in scene.opened for box in branches)
    for branch in branches:
        items = [scene.item_of_id[view.boxes[arm].id] for arm in branch.children]
        tops = {round(float(scene.items.rect[item, 1])) for item in items}
        assert len(items) == 2 and len(tops) == 1


def test_in_a_high_view_there_is_room_for_larger_boxes_one_part_below_the_other() -> None:
    scene, room, _ = _choose(training_step(), 705.0, 1800.0)
    assert look_at_scene(scene, room.width, room.height).scale >= WHOLE_SCALE


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("make", "width"), [(through_a_solver, 680.0), (loop_in_a_loop, 600.0)])
def test_a_high_view_is_filled_where_few_boxes_side_by_side_would_leave_most_of_it_blank(
    make: Callable[[], Graph], width: float
) -> None:
    scene, room, _ = _choose(make(), width, 1300.0)
    assert scene.height * look_at_scene(scene, width, room.height).scale > room.height / 2


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [828, 1500])
def test_a_program_that_is_one_large_group_is_open(width: int) -> None:
    def enlarge(image: jax.Array) -> jax.Array:
        return jax.image.resize(image, (8, 8), "cubic")

    graph = trace(enlarge, jnp.ones((4, 4)))
    scene, room, view = _choose(graph, float(width), 570.0)
    assert any(view.boxes[n].id in scene.opened for n in view.boxes[ROOT].children)
    assert len(scene.items) > 60
    camera = look_at_scene(scene, room.width, room.height)
    assert camera.scale >= READABLE_SCALE
    assert scene.width * camera.scale <= room.width


def one_large_function() -> Graph:
    """A call of one function, with more boxes than a page has room for."""

    @jax.jit
    def inside(x: jax.Array) -> jax.Array:
        makers = [jnp.sin, jnp.exp, jnp.tanh, jnp.cos, jnp.abs, jnp.negative, jnp.square]
        parts = [makers[n * n % 7](makers[n % 5](x * n)) for n in range(24)]
        return jnp.concatenate(parts)

    return trace(lambda x: inside(x), jnp.ones(4))


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [330.0, 500.0, 826.0, 1100.0])
def test_a_program_that_is_one_function_is_opened(width: float) -> None:
    """Its one box would tell nothing: what is inside is shown, longer or wider than the page."""
    scene, room, _ = _choose(one_large_function(), width, 570.0)
    assert len(scene.items) > 40
    assert scene.width * READABLE_SCALE <= 2 * room.width


@pytest.mark.slow
def test_what_has_no_groups_to_close_is_wrapped_however_wide_it_is() -> None:
    def program(*given: jax.Array) -> list[jax.Array]:
        return [jnp.sin(each) for each in given]

    scene, room, _ = _choose(trace(program, *[jnp.ones(n + 1) for n in range(40)]), 330.0, 570.0)
    assert scene.width * READABLE_SCALE <= 2 * room.width


NARROW = (312.0, 778.0)
"""The room of the third view in a window of 1600 pixels, with its legend."""


@cache
def _compile(make: Callable[[], tuple[Callable[..., object], tuple[object, ...]]]) -> Graph:
    stage = capture_function(*make(), {}).stage("optimized")
    assert stage is not None and is_available(stage.graph)
    return stage.graph


def _running_totals() -> tuple[Callable[..., object], tuple[object, ...]]:
    def run(x: jax.Array) -> jax.Array:
        def add(total: jax.Array, value: jax.Array) -> tuple[jax.Array, jax.Array]:
            total = total + value
            return total, total

        return jax.lax.scan(add, jnp.float32(0), x)[1]

    return jax.vmap(run), (jnp.ones((4, 1000)),)


def _one_of_three() -> tuple[Callable[..., object], tuple[object, ...]]:
    def pick(index: jax.Array, x: jax.Array) -> jax.Array:
        return jax.lax.switch(index, [jnp.sin, jnp.cos, jnp.tanh], x)

    return pick, (jnp.int32(1), jnp.ones(4))


def _one_fusion() -> tuple[Callable[..., object], tuple[object, ...]]:
    return jax.grad(lambda x: jnp.mean((x + 2) ** 2 + 3)), (jnp.ones(1000),)


def _clipped() -> tuple[Callable[..., object], tuple[object, ...]]:
    return jax.grad(lambda x: 100 * jnp.clip(x, -1.0, 1.0) ** 2), (jnp.ones(()),)


def _momentum() -> tuple[Callable[..., object], tuple[object, ...]]:
    """An update of 12 arrays, in many fusions behind both parts of a gradient."""

    def loss(layers: list[list[jax.Array]], x: jax.Array, y: jax.Array) -> jax.Array:
        for number, (weights, bias) in enumerate(layers):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ weights + bias)
        return jnp.mean((x[:, 0] - y) ** 2)

    def step(
        layers: list[list[jax.Array]], kept: list[list[jax.Array]], *data: jax.Array
    ) -> object:
        slopes = jax.grad(loss)(layers, *data)
        kept = jax.tree.map(lambda m, slope: 0.9 * m + slope, kept, slopes)
        return jax.tree.map(lambda p, m: p - 0.1 * m, layers, kept), kept

    widths = (8, 32, 32, 1)
    layers = [[jnp.ones((m, n)), jnp.ones(n)] for m, n in itertools.pairwise(widths)]
    return step, (layers, layers, jnp.ones((64, 8)), jnp.ones(64))


def _loops() -> tuple[Callable[..., object], tuple[object, ...]]:
    return jax.grad(_nested), (jnp.ones((5, 7)),)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("make", [_one_fusion, _clipped, _momentum, _loops])
def test_all_of_a_compiled_program_is_in_sight_in_a_third_view(
    make: Callable[[], tuple[Callable[..., object], tuple[object, ...]]],
) -> None:
    """What the header of one group counts made it so wide that half of it was out of sight."""
    scene, room, _ = _choose(_compile(make), *NARROW)
    camera = look_at_scene(scene, room.width, room.height - 30.0)
    assert scene.width * camera.scale <= room.width
    assert scene.height * camera.scale <= room.height - 30.0
    assert camera.scale >= 0.9


@pytest.mark.sweep(1)
@pytest.mark.parametrize("make", [_running_totals, _one_of_three])
def test_a_loop_or_a_branch_is_open_in_a_third_view_of_1600_pixels(
    make: Callable[[], tuple[Callable[..., object], tuple[object, ...]]],
) -> None:
    """Closed for larger type, it was a box like any other in a view that was mostly blank."""
    graph = _compile(make)
    scene, room, view = _choose(graph, *NARROW)
    flow = view.flow
    owners = [box for box in view.boxes if box.node in flow.loops | flow.branches.keys()]
    assert owners and {box.id for box in owners} <= scene.opened
    scale = look_at_scene(scene, room.width, room.height - 30.0).scale
    assert scale >= LEAST_FRAMED and scene.height * scale <= room.height - 30.0
    for item in range(scene.items.num_frames, len(scene.items)):
        for title in scene.items.title_lines(item):
            needed = measure_text(title, max(TITLE_PX * scale, LEAST_TITLE_PX), True)
            assert needed <= scene.items.rect[item, 2] * scale, title
    assert _choose(graph, 620.0, NARROW[1])[0].opened


@pytest.mark.parametrize("num", [4, 6, 8])
def test_many_closed_boxes_with_long_names_are_all_in_sight_in_a_third_view(num: int) -> None:
    """They were arranged for one scale only, and as wide as one and a half of such views."""

    def program(data: list[jax.Array], tables: list[jax.Array]) -> list[jax.Array]:
        x, found = data[0], []
        for number, name in enumerate("abcdefgh"[:num]):
            with jax.named_scope(name * 22):
                y = jnp.cos(jnp.sin(x) * tables[number] + data[number % 3])
                y = y * tables[number]
            x = y if number % 2 else x + y
            found.append(y)
        return found

    scene, room, _ = _choose(trace(program, [jnp.ones(3)] * 3, [jnp.ones(3)] * 8), *NARROW)
    camera = look_at_scene(scene, room.width, room.height - 30.0)
    assert camera.scale >= LEAST_FRAMED
    assert scene.width * camera.scale <= room.width
    assert scene.height * camera.scale <= room.height - 30.0


def test_the_count_of_a_group_gives_way_only_where_there_is_no_room() -> None:
    graph = _compile(_one_fusion)
    narrow, wide = (_choose(graph, width, 778.0)[0] for width in (NARROW[0], 828.0))
    assert narrow.items.titles[0] == wide.items.titles[0]
    assert not narrow.items.details[0]
    assert wide.items.details[0].endswith("in other boxes")


@pytest.mark.slow
def test_a_third_view_that_is_high_is_filled_in_type_that_can_be_read() -> None:
    """More was open in type of 9 pixels, between lines that could not be followed."""
    scene, room, view = _choose(_compile(take_examples), 694.0, 1318.0)
    scale = look_at_scene(scene, room.width, room.height - 30.0).scale
    assert DETAIL_PX * scale >= 10.0
    assert room.height / 2 < scene.height * scale <= room.height - 30.0
    parts = {box.id for box in view.boxes if box.kind in FORWARD_BACKWARD}
    assert len(parts) == 2 and parts <= scene.opened


def test_a_loop_is_open_in_a_high_third_view_and_what_is_beside_it_closed_for_larger_type() -> None:
    scene, room, view = _choose(_compile(_running_totals), 694.0, 1290.0)
    loops = {box.id for box in view.boxes if box.node in view.flow.loops}
    assert loops and loops <= scene.opened
    assert view.opened - scene.opened, "and not all that the view opens by itself"
    assert DETAIL_PX * look_at_scene(scene, room.width, room.height - 30.0).scale >= 10.0


def test_fusions_of_an_update_are_one_box_beside_both_parts() -> None:
    view = build_view(_compile(_momentum))
    top = [view.boxes[each] for each in view.boxes[ROOT].children]
    assert {box.kind for box in top}.issuperset(FORWARD_BACKWARD)
    assert not any(box.kind is BranchKind.FUSION for box in top)
    (update,) = (box for box in top if box.kind is BranchKind.SECTION)
    inside = [view.boxes[each] for each in update.children]
    assert sum(box.kind is BranchKind.FUSION for box in inside) >= 3
    assert update.id not in view.opened
    apart = build_view(_compile(_momentum), ["gather-small"])
    fusions = [n for n in apart.boxes[ROOT].children if apart.boxes[n].kind is BranchKind.FUSION]
    assert len(fusions) == sum(box.kind is BranchKind.FUSION for box in inside)


def test_a_loop_before_both_parts_does_not_keep_those_in_them_closed() -> None:
    """Compiled, all of them are `while`; and what is in no part stays closed at first."""
    view = build_view(loop_in_a_loop())
    before, *others = (n for n, box in enumerate(view.boxes) if "scan ×" in box.label)
    kinds = [view.boxes[view.boxes[n].parent].kind for n in others]
    assert view.boxes[before].parent == ROOT and set(FORWARD_BACKWARD) < set(kinds)
    boxes = view.boxes
    view = relabel(view, {before: boxes[others[0]].label.replace("5", "7")})
    scene = Arranger(view, Viewport(1079.0, 1318.0), "down").choose().scene
    opened = {kind for n, kind in zip(others, kinds, strict=True) if boxes[n].id in scene.opened}
    assert set(FORWARD_BACKWARD) <= opened and boxes[before].id not in scene.opened
