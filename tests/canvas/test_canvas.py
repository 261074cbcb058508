"""The canvas with a person's hands on it."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QImage, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from canvas.screen import centre, first_closed_group, long_program, picture
from jaxscope.model import NONE, Graph, GraphBuilder, NodeKind
from jaxscope.picture.layout.diagram import ShouldStop
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.edge_details import LABEL_HEIGHT_PX, LABEL_TEXT_PX, NO_WAY
from jaxscope.picture.scene.first_picture import (
    LEAST_FRAMED,
    LEAST_TOGETHER,
    READABLE_SCALE,
    WHOLE_SCALE,
    Viewport,
)
from jaxscope.picture.scene.scene import DETAIL_PX, LEAST_TEXT_PX, LEAST_TITLE_PX, Fit
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.open_groups import is_walk
from jaxscope.picture.view.operations import Style
from jaxscope.picture.view.view import Boxes
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.navigation import (
    MARGIN_PX,
    Camera,
    is_any_in_sight,
    item_in_direction,
    reveal_rect,
    reveal_together,
    show_opened,
)
from jaxscope.ui.canvas.overlay import count_parts, no_highlight, paint_overlay, pinned_title
from jaxscope.ui.canvas.picture import PictureOrder, PreparedPicture
from jaxscope.ui.canvas.scene_index import SceneIndex
from jaxscope.ui.canvas.scene_painter import SceneDrawing, colors, graph_font, step_areas
from view.programs import compile_module, trace


@pytest.mark.usefixtures("equations")
def test_a_click_selects_and_tells(qtbot: QtBot, canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    item = next(
        i for i in range(scene.items.num_frames, len(scene.items)) if scene.items.node[i] >= 0
    )
    canvas.zoom_to_selection()
    with qtbot.waitSignal(canvas.node_selected) as signal:
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    assert signal.args == [int(scene.items.node[item])]
    with qtbot.waitSignal(canvas.node_selected) as signal:
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert signal.args == [NONE]


def test_a_result_of_a_module_selects_what_gives_it_and_is_framed(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    canvas.set_graph(compile_module(lambda x: jnp.sin(x) * 2 + x, jnp.ones(8)), "optimized")
    scene = canvas.scene
    assert scene is not None
    (item,) = np.flatnonzero(scene.items.style == Style.OUTPUT).tolist()
    node = int(scene.items.node[item])
    giver = int(scene.item_of_node[node])
    canvas.set_highlight([node], [], [])
    canvas.select_node(node)
    assert (canvas._highlight.selected.tolist(), canvas._highlight.forward.tolist()) == (
        [giver],
        [item],
    ), "what an instruction gives is lit as what it went into"
    with qtbot.waitSignal(canvas.node_selected) as told:
        QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    canvas.select_node(node, reveal=False)  # as the window answers
    assert told.args == [node]
    assert sorted(canvas._highlight.selected.tolist()) == sorted([giver, item])
    assert canvas._highlight.current == item


def test_the_end_of_a_double_click_is_no_click(qtbot: QtBot, canvas: GraphCanvas) -> None:
    """What was closed may have been where the pointer is; the selection would be put away."""
    scene = canvas.scene
    assert scene is not None
    clicked: list[bool] = []
    canvas.deselected.connect(lambda: clicked.append(True))
    ground, left = QPoint(3, 3), Qt.MouseButton.LeftButton
    QTest.mouseDClick(canvas, left, pos=ground)
    assert len(clicked) <= 1, "Qt's own first click"
    before = len(clicked)
    QTest.mouseRelease(canvas, left, pos=ground)
    assert len(clicked) == before
    QTest.mouseClick(canvas, left, pos=ground)
    assert len(clicked) == before + 1


def open_first_group(canvas: GraphCanvas) -> tuple[str, tuple[float, float]]:
    """Double-click on a group; returns its id and where the middle of its top was."""
    assert canvas.scene is not None
    item = first_closed_group(canvas)
    x, y, width, _ = canvas.scene.items.rect[item].tolist()
    before = canvas.camera.to_widget(x + width / 2, y)
    group = canvas.scene.items.ids[item]
    QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    return group, before


def rect_seen(canvas: GraphCanvas, group: str) -> tuple[float, float, float, float]:
    """Left, top, right and bottom of a group, in pixels of the widget."""
    assert canvas.scene is not None
    x, y, width, height = canvas.scene.items.rect[canvas.scene.item_of_id[group]].tolist()
    return *canvas.camera.to_widget(x, y), *canvas.camera.to_widget(x + width, y + height)


def test_a_double_click_opens_a_group_and_it_stays_in_place(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    canvas.resize(4000, 4000)  # there is room for it where it is
    canvas.pan(-500, -500)
    with qtbot.waitSignal(canvas.group_toggled) as signal:
        group, before = open_first_group(canvas)
    assert signal.args == [group]
    assert group in canvas.expanded
    left, top, right, _ = rect_seen(canvas, group)
    assert ((left + right) / 2, top) == pytest.approx(before)
    canvas.toggle_group(group)
    assert group not in canvas.expanded


@pytest.mark.parametrize("size", [(1300, 900), (800, 420)])
def test_a_group_that_is_opened_is_seen_whole_where_that_can_be_read(
    canvas: GraphCanvas, size: tuple[int, int]
) -> None:
    canvas.resize(*size)
    canvas.zoom(1.6 / canvas.camera.scale)
    canvas.reveal_highlight()
    group, _ = open_first_group(canvas)
    scale = canvas.camera.scale
    left, top, right, bottom = rect_seen(canvas, group)
    assert scale >= LEAST_FRAMED
    assert left >= 0 and top >= 0
    assert right <= size[0]
    assert bottom <= size[1] or scale <= WHOLE_SCALE * 1.35
    canvas.toggle_group(group)
    assert canvas.camera.scale == pytest.approx(1.6), "closed again it is as large as before"
    canvas.toggle_group(group)
    canvas.pan(5, 0)
    moved = canvas.camera.scale
    canvas.toggle_group(group)
    assert canvas.camera.scale == moved, "somebody has moved it"


def test_a_group_that_is_too_wide_begins_with_its_first_boxes() -> None:
    group = [0.0, 0.0, 4000.0, 900.0]
    near, far = [100.0, 40.0, 80.0, 40.0], [3000.0, 40.0, 80.0, 40.0]
    later = [2000.0, 300.0, 80.0, 40.0]
    camera = Camera(0.0, 0.0, 1.5)
    for first, left in ((near, 0.0), (far, 3000.0 - MARGIN_PX)):
        shown = show_opened(np.array([group, first, later]), camera, 800.0, 600.0)
        assert shown.scale == READABLE_SCALE
        assert shown.to_widget(left, 0.0)[0] >= 0.0
        assert shown.to_widget(first[0] + first[2], 0.0)[0] <= 800.0


@given(
    st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 1500), st.sampled_from([80, 200, 1400])),
        min_size=1,
        max_size=30,
    )
)
@example([(1, 0, 80), (25, 0, 1400), (826, 0, 200)])
def test_no_part_of_a_group_that_is_too_wide_has_more_boxes(
    places: list[tuple[int, int, int]],
) -> None:
    """Counted box by box: those that are whole in what is seen of the group's beginning."""
    wide, high = 800.0 / READABLE_SCALE, 1100.0 / READABLE_SCALE
    boxes = np.array([[x, y, min(across, 4000 - x), 40] for x, y, across in places], float)
    group = np.array([[0.0, 0.0, 4000.0, 2000.0]])
    seen = show_opened(np.concatenate([group, boxes]), Camera(0.0, 0.0, 1.5), 800.0, 1100.0).x

    def count(left: float) -> int:
        return sum(
            left <= x + 1e-6 and x + across <= left + wide + 1e-6 and y + 40 <= high
            for x, y, across, _ in boxes.tolist()
        )

    begins = boxes[boxes[:, 2] <= wide, 0]  # a part begins with a box that fits into it
    most = max(count(min(left, 4000.0 - wide)) for left in (0.0, *(begins - MARGIN_PX)))
    assert count(seen) == most or (seen == 0.0 and count(0.0) >= 0.7 * most)


def test_a_group_of_very_many_boxes_beside_each_other_is_shown() -> None:
    """All boxes against all left ends would be 40 thousand million answers."""
    number = 200_000
    boxes = np.column_stack([np.arange(number) * 90.0, *([40.0] * number for _ in range(3))])
    group = np.array([[0.0, 0.0, number * 90.0, 900.0]])
    shown = show_opened(np.concatenate([group, boxes]), Camera(0.0, 0.0, 1.5), 800.0, 600.0)
    assert shown.x == 0.0 and shown.scale == READABLE_SCALE


@pytest.mark.parametrize("at", [0.0, 1200.0, 3000.0])
def test_below_a_row_of_arguments_that_is_opened_the_program_is_seen(at: float) -> None:
    room = 800.0 / READABLE_SCALE
    row = np.array([[0.0, 0.0, 4000.0, 80.0], *([90.0 * n, 30.0, 80.0, 40.0] for n in range(44))])
    program = np.array([[at + 200.0, 150.0 + 70.0 * n, 80.0, 40.0] for n in range(6)])
    shown = show_opened(row, Camera(0.0, 0.0, 1.5), 800.0, 600.0, around=program)
    assert shown.scale == READABLE_SCALE
    assert shown.x <= at + 200.0 and at + 280.0 <= shown.x + room
    assert at > 0.0 or shown.x == 0.0, "its title is seen, where the program is as well"


@pytest.mark.parametrize("at", [0.0, 700.0, 1500.0])
def test_of_a_group_that_is_too_wide_the_part_with_most_boxes_is_seen(at: float) -> None:
    """Its first box alone, at the right end, would leave the view blank."""
    wide, room = 2300.0, 800.0 / READABLE_SCALE
    group, first = [50.0, 0.0, wide, 2000.0], [50.0 + wide - 100.0, 40.0, 80.0, 40.0]
    others = [[60.0 + at + 90.0 * (n % 8), 100.0 + 60.0 * n, 80.0, 40.0] for n in range(16)]
    below = [[60.0 + 1200.0, 1500.0 + 50.0 * n, 80.0, 40.0] for n in range(30)]
    shown = show_opened(
        np.array([group, first, *others, *below]), Camera(0.0, 0.0, 1.5), 800.0, 1100.0
    )
    assert shown.scale == READABLE_SCALE
    assert 50.0 <= shown.x <= 50.0 + wide - room + 1e-6, "no room is lost beside the group"
    assert shown.x <= min(x for x, *_ in others)
    assert max(x + w for x, _, w, _ in others) <= shown.x + room
    assert at > 0 or shown.x == 50.0, "from its left end on, where its title is, if that will do"


def test_the_wheel_zooms_at_the_pointer(canvas: GraphCanvas) -> None:
    at = QPointF(300, 200)
    under = canvas.camera.to_scene(300, 200)
    scale = canvas.camera.scale
    wheel = QWheelEvent(
        at, canvas.mapToGlobal(at), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(canvas, wheel)
    assert canvas.camera.scale > scale
    assert canvas.camera.to_scene(300, 200) == pytest.approx(under)


def test_a_drag_pans(canvas: GraphCanvas) -> None:
    before = canvas.camera
    QTest.mousePress(canvas, Qt.MouseButton.LeftButton, pos=QPoint(400, 300))
    QTest.mouseMove(canvas, QPoint(430, 350))
    QTest.mouseRelease(canvas, Qt.MouseButton.LeftButton, pos=QPoint(430, 350))
    moved = (before.x - canvas.camera.x, before.y - canvas.camera.y)
    assert moved == pytest.approx((30 / before.scale, 50 / before.scale))


def test_keys_zoom_and_fit(canvas: GraphCanvas) -> None:
    scale = canvas.camera.scale
    QTest.keyClick(canvas, Qt.Key.Key_Plus)
    assert canvas.camera.scale > scale
    QTest.keyClick(canvas, Qt.Key.Key_F)
    scene = canvas.scene
    assert scene is not None
    left, top = canvas.camera.to_widget(0, 0)
    right, bottom = canvas.camera.to_widget(scene.width, scene.height)
    assert 0 <= left < right <= canvas.width()
    assert 0 <= top < bottom <= canvas.height()


def varied_program(num_nodes: int) -> Graph:
    """A chain in which nothing comes again, so that each operation is a box."""
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "input")
    for number in range(num_nodes):
        node = builder.add_node(str(number), NodeKind.EQUATION, f"op_{number}")
        builder.add_edge(last, node)
        last = node
    return builder.build()


def test_fit_begins_with_what_can_be_read_and_gives_the_whole_when_asked_again(
    canvas: GraphCanvas,
) -> None:
    canvas.set_graph(varied_program(60), "a chain")
    scene, (wide, high) = canvas.scene, (canvas.width(), canvas.height())
    assert scene is not None and high / scene.height < LEAST_TOGETHER
    canvas.go_to_beginning()
    canvas.pan(0.0, 100 * high)
    QTest.keyClick(canvas, Qt.Key.Key_F)
    left, top = canvas.camera.to_widget(0, 0)
    right, bottom = canvas.camera.to_widget(scene.width, scene.height)
    assert LEAST_FRAMED <= canvas.camera.scale <= 1.0
    assert 0 <= left < right <= wide, "all of it across"
    assert top < 0 and 0.9 * high < bottom <= high, "the end, by which it had gone"
    QTest.keyClick(canvas, Qt.Key.Key_F)
    left, top = canvas.camera.to_widget(0, 0)
    right, bottom = canvas.camera.to_widget(scene.width, scene.height)
    assert canvas.camera.scale < LEAST_TOGETHER
    assert 0 <= top < bottom <= high and 0 <= left < right <= wide, "all of it"
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.camera.scale >= LEAST_FRAMED
    canvas.pan(0.0, -20.0)
    before = canvas.camera
    QTest.keyClick(canvas, Qt.Key.Key_F)
    assert canvas.camera.scale >= LEAST_FRAMED, "it was moved: asked anew"
    assert canvas.camera.y == pytest.approx(before.y, abs=40.0), "where it was looked at"


def test_the_wheel_zooms_as_far_as_it_is_of_use(canvas: GraphCanvas) -> None:
    for graph in (long_program(3), varied_program(60)):
        canvas.set_graph(graph, "a chain")
        scene = canvas.scene
        assert scene is not None
        whole = min(canvas.width() / scene.width, canvas.height() / scene.height)
        for _ in range(40):
            canvas.zoom_in()
        assert canvas.camera.scale == 3.0, "letters of 36 px"
        for _ in range(40):
            canvas.zoom_out()
        assert 0.9 * min(whole, LEAST_TOGETHER) <= canvas.camera.scale <= LEAST_TOGETHER


@pytest.mark.usefixtures("equations")
def test_arrow_keys_walk_along_the_lines(qtbot: QtBot, canvas: GraphCanvas) -> None:
    visited: list[int] = []
    canvas.node_selected.connect(visited.append)
    for _ in range(6):
        QTest.keyClick(canvas, Qt.Key.Key_Down)
    scene = canvas.scene
    assert scene is not None
    heights = [scene.items.rect[scene.item_of_node[node], 1] for node in visited if node >= 0]
    assert len(heights) >= 3
    assert heights == sorted(heights)
    there = visited[-1]
    QTest.keyClick(canvas, Qt.Key.Key_Up)
    assert visited[-1] != there


@pytest.mark.usefixtures("equations")
def test_from_an_open_group_arrow_keys_lead_to_its_first_box_and_back(canvas: GraphCanvas) -> None:
    scene, view = canvas.scene, canvas.view
    assert scene is not None and view is not None
    num_frames, parent = scene.items.num_frames, scene.items.parent
    for frame in range(num_frames):
        box = view.boxes[int(scene.items.box[frame])]
        first = scene.item_of_id[view.boxes[box.children[0]].id]
        if scene.items.is_reversed[first]:  # the topmost, where values flow up
            inside = np.flatnonzero(parent == frame)
            first = int(inside[np.argmin(scene.items.rect[inside, 1])])
        assert item_in_direction(scene, frame, 0, 1) == first
        assert item_in_direction(scene, first, 0, -1) == frame
        above = item_in_direction(scene, frame, 0, -1)
        assert above == -1 or not is_inside(parent, above, frame)
        for dx in (-1, 1):
            beside = item_in_direction(scene, frame, dx, 0)
            assert beside == -1 or parent[beside] == parent[frame]
    forward, backward = (scene.item_of_id[f"root/{part}"] for part in ("forward", "backward"))
    assert scene.items.rect[forward, 0] < scene.items.rect[backward, 0]
    assert item_in_direction(scene, forward, 1, 0) == backward
    assert item_in_direction(scene, backward, -1, 0) == forward


def is_inside(parent: npt.NDArray[np.int32], item: int, frame: int) -> bool:
    while item not in (-1, frame):
        item = int(parent[item])
    return item == frame


def test_enter_opens_the_current_group(qtbot: QtBot, canvas: GraphCanvas) -> None:
    item = first_closed_group(canvas)
    assert canvas.scene is not None
    group = canvas.scene.items.ids[item]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    with qtbot.waitSignal(canvas.group_toggled) as signal:
        QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert signal.args == [group]


@pytest.mark.usefixtures("equations")
def test_highlights_are_drawn_and_differ(canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    plain = picture(canvas)
    node = int(scene.items.node[scene.items.node >= 0][0])
    pictures = [plain]
    for marks in (([node], (), ()), ((), [node], ()), ((), (), [node])):
        canvas.set_highlight(*marks)
        pictures.append(picture(canvas))
    for one in range(4):
        for other in range(one):
            assert pictures[one] != pictures[other]
    canvas.set_highlight((), (), ())
    assert picture(canvas) == plain


@pytest.mark.usefixtures("equations")
def test_the_same_highlight_again_is_no_work(qtbot: QtBot, canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    node = int(scene.items.node[scene.items.node >= 0][0])
    canvas.set_highlight((), (), ())
    for marks in (((), (), ()), ([node], (), ()), ([node], (), ())):
        is_new = canvas._highlight.selected.size != len(marks[0])
        waiting = qtbot.waitSignal if is_new else qtbot.assertNotEmitted
        with waiting(canvas.extras_changed):
            canvas.set_highlight(*marks)
    canvas.forget_nodes()
    with qtbot.waitSignal(canvas.extras_changed):
        canvas.set_highlight((), (), ())  # of another graph


def test_marks_of_nodes_that_do_not_exist_are_ignored(canvas: GraphCanvas) -> None:
    canvas.set_highlight([10**6, -5], [10**7], ())
    picture(canvas)


def test_selecting_a_hidden_node_opens_the_groups_around_it(canvas: GraphCanvas) -> None:
    canvas.collapse_all()
    view = canvas.view
    assert view is not None
    deepest = max(range(len(view.boxes)), key=lambda box: len(view.ancestors(box)))
    node = view.boxes[deepest].node
    canvas.select_node(node)
    scene = canvas.scene
    assert scene is not None
    assert view.path_to_node(node) <= canvas.expanded
    shown = scene.items.ids[int(scene.item_of_node[node])]
    assert shown == view.boxes[deepest].id
    x, y, *_ = scene.items.rect[scene.item_of_node[node]].tolist()
    left, top = canvas.camera.to_widget(x, y)
    assert 0 <= left <= canvas.width()
    assert 0 <= top <= canvas.height()


@pytest.mark.usefixtures("equations")
def test_a_hover_tells_the_node(qtbot: QtBot, canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    item = next(
        i for i in range(scene.items.num_frames, len(scene.items)) if scene.items.node[i] >= 0
    )
    with qtbot.waitSignal(canvas.node_hovered) as signal:
        QTest.mouseMove(canvas, centre(canvas, item))
    assert signal.args == [int(scene.items.node[item])]
    assert "<b>" in canvas.describe(item)


def test_names_of_a_program_are_no_markup(canvas: GraphCanvas) -> None:
    builder = GraphBuilder()
    builder.add_node("x", NodeKind.EQUATION, "<img src=x>\u202ereversed\x1b[31m", name="<b>")
    canvas.set_graph(builder.build(), "hostile")
    told = canvas.describe(0)
    assert "<img" not in told
    assert "\u202e" not in told and "\x1b" not in told and "reversed" in told
    picture(canvas)


def test_a_line_tells_what_flows_along_it(canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    begin, end = scene.lines.corners(0)[:2]
    place = QPointF(*canvas.camera.to_widget(*((begin + end) / 2).tolist()))
    line = canvas.line_at(place)
    assert line >= 0
    text = canvas.describe_line(line)
    assert scene.lines.types[line] in text and "→" in text
    assert canvas.line_at(QPointF(-1e6, -1e6)) == -1


def test_of_an_open_group_nothing_is_told_where_it_would_cover_what_is_in_it(
    canvas: GraphCanvas,
) -> None:
    canvas.set_graph(trace(lambda x: jax.lax.while_loop(lambda s: s < 9, lambda s: s + x, x), 1.0))
    canvas.expand_all()
    scene = canvas.scene
    assert scene is not None
    canvas.fit()
    (frame,) = [n for n in range(scene.items.num_frames) if "while" in canvas.describe(n)]
    x, y, wide, high = scene.items.rect[frame].tolist()

    def told_at(down: float) -> str:
        return canvas._hint_at(QPointF(*canvas.camera.to_widget(x + wide - 6, y + down)))

    assert told_at(10.0).startswith("<b>while</b>")
    assert "nconsts" not in told_at(10.0) and "cost_note" not in told_at(10.0)
    assert told_at(high - 4.0) == "" and told_at(40.0) == ""
    box = scene.items.num_frames
    assert canvas._hint_at(QPointF(centre(canvas, box))) == canvas.describe(box) != ""


def test_a_line_that_a_click_lit_is_told_until_it_is_put_out(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    canvas.set_graph(trace(lambda x: jnp.sum(jnp.sin(x)), jnp.ones((4, 4))))
    told = list[str]()
    canvas.line_told.connect(told.append)
    drawing = canvas._drawing
    assert drawing is not None
    at = drawing.scene.items.rect[drawing.scene.lines.target[0]]
    x, y = canvas.camera.to_widget(at[0] + at[2] / 2, at[1] - 10.0)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())
    (line,) = told
    assert "f32[4,4]" in line and "64 B" in line and "a → sin" in line
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert told[1:] == [""] and canvas.highlight.current_way is NO_WAY
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPointF(x, y).toPoint())
    canvas.select_node(NONE)  # as Esc does
    assert told[2:] == [line, ""]


def test_a_click_on_a_label_selects_its_line(qtbot: QtBot, canvas: GraphCanvas) -> None:
    """At its corners, where the line itself is out of reach."""
    canvas.set_graph(trace(jax.grad(lambda x: jnp.sum(jnp.tanh(jnp.sin(x) @ x))), jnp.ones((4, 4))))
    canvas.fit()
    canvas.zoom(1.6)
    drawing, camera = canvas._drawing, canvas.camera
    assert drawing is not None
    labels, reached = drawing.index.labels.all(), 0
    assert any(drawing.scene.lines.is_residual[label.line] for label in labels)
    for label in labels:
        x, y = camera.to_widget(label.x + 2.0, label.y + 2.0)
        place = QPointF(x, y)
        if not canvas.rect().contains(place.toPoint()) or label.is_head:
            continue
        reached += canvas.line_at(place) == NONE
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=place.toPoint())
        assert canvas._current_line == label.line
        way = canvas.highlight.current_way
        assert label.line in {*way.into, *way.out}, "lit, also where no group is around"
    assert reached > 1, "labels that the line alone would not tell"
    canvas.select_node(NONE)  # as Esc does
    assert canvas.highlight.current_way is NO_WAY
    canvas.set_highlight((), (), ())  # as a pane does where nothing is selected
    label = next(each for each in labels if drawing.scene.lines.is_residual[each.line])
    canvas.click(QPointF(*camera.to_widget(label.x + 2.0, label.y + 2.0)))
    assert canvas.highlight.current_way is not NO_WAY
    canvas.set_highlight({0}, set(), set())  # something else was selected elsewhere
    assert canvas.highlight.current_way is NO_WAY


def test_a_click_does_not_move_the_picture(qtbot: QtBot, canvas: GraphCanvas) -> None:
    scene = canvas.scene
    assert scene is not None
    box = scene.items.num_frames
    place = centre(canvas, box)
    canvas.pan(place.x() - 5.0, 0.0)  # the box now sticks out of the left border
    before = canvas.camera
    with qtbot.waitSignal(canvas.node_selected):
        qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, box))
    assert canvas.camera == before


def test_pointing_at_a_connector_draws_its_edges_in_full(canvas: GraphCanvas) -> None:
    canvas.set_hidden_passes(["box-repeats"])
    canvas.set_graph(long_program(40, skips=((2, 38), (2, 36))), "long")
    scene = canvas.scene
    assert scene is not None
    assert len(scene.connectors)
    connector = int(np.argmax(scene.connectors.is_source))
    x, y, width, height = scene.connectors.rect[connector].tolist()
    canvas.fit()
    canvas.zoom(6.0)
    left, top = canvas.camera.to_widget(x, y)
    canvas.pan(left - 450, top - 200)
    place = QPointF(*canvas.camera.to_widget(x + width / 2, y + height / 2))
    assert canvas.connector_at(place) == connector
    plain = picture(canvas)
    QTest.mouseMove(canvas, place.toPoint())
    assert picture(canvas) != plain
    assert "Click: go there" in canvas.describe_connector(connector)
    QTest.mouseMove(canvas, QPoint(1, 1))
    assert picture(canvas) == plain


def test_nodes_are_brought_into_sight_together(canvas: GraphCanvas) -> None:
    canvas.expand_all()
    scene = canvas.scene
    assert scene is not None
    leaf = scene.items.num_frames
    nodes = [int(scene.items.node[leaf]), int(scene.items.node[leaf + 1])]
    canvas.pan(-9_000.0, -9_000.0)
    canvas.look_at_nodes(nodes)
    for item in (leaf, leaf + 1):
        x, y, width, height = scene.items.rect[item].tolist()
        left, top = canvas.camera.to_widget(x, y)
        right, bottom = canvas.camera.to_widget(x + width, y + height)
        assert left >= 0 and top >= 0 and right <= canvas.width() and bottom <= canvas.height()
    before = canvas.camera
    canvas.look_at_nodes(range(len(scene.item_of_node)))
    assert canvas.camera == before, "all of it would be too small to be read"
    canvas.look_at_nodes([])


def test_a_screen_reader_is_told_the_box_that_the_keyboard_is_at(canvas: GraphCanvas) -> None:
    told = []
    for _ in range(4):
        QTest.keyClick(canvas, Qt.Key.Key_Down)
        told.append(canvas.accessibleDescription())
    assert len(set(told)) == 4
    assert all(" To " in each for each in told)
    assert " From " in told[1] and "13 arrays." in told[0]
    item = first_closed_group(canvas)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    assert "Closed group, Enter opens it." in canvas.accessibleDescription()


def test_an_arrow_key_does_not_move_a_picture_that_is_in_sight(canvas: GraphCanvas) -> None:
    canvas.fit()
    before = canvas.camera
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Up):
        QTest.keyClick(canvas, key)
    assert canvas.highlight.current != -1
    assert canvas.camera == before


def test_several_boxes_are_brought_in_together_where_there_is_room() -> None:
    camera = Camera(0.0, 0.0, 1.0)
    near, far = (10.0, 10.0, 50.0, 20.0), (380.0, 100.0, 50.0, 20.0)

    def reveal(*rects: tuple[float, ...]) -> tuple[float, float]:
        moved = reveal_together(np.array(rects), camera, 400.0, 300.0)
        assert moved.scale == camera.scale
        return moved.x, moved.y

    assert reveal(near) == (0.0, 0.0)
    assert reveal(far) == (60.0, 0.0)
    assert reveal((60.0, 10.0, 50.0, 20.0), far) == (45.0, 0.0), "as far from both borders"
    assert reveal(near, (1000.0, 0.0, 50.0, 20.0)) == (0.0, 0.0), (
        "one is seen, and no room for both"
    )
    assert reveal((-900.0, 0.0, 50.0, 20.0), far) == (60.0, 0.0), "the nearer one"


def test_what_is_out_of_sight_is_brought_in_by_the_least_move() -> None:
    camera = Camera(0.0, 0.0, 1.0)
    assert reveal_rect((1.0, 1.0, 50.0, 20.0), camera, 400.0, 300.0) is None
    moved = reveal_rect((380.0, 100.0, 50.0, 20.0), camera, 400.0, 300.0)
    assert moved is not None
    assert (moved.x, moved.y) == (60.0, 0.0), "to the right only, and no further than it must"
    moved = reveal_rect((1000.0, 100.0, 50.0, 20.0), camera, 400.0, 300.0)
    assert moved is not None
    assert moved.to_widget(1025.0, 110.0) == pytest.approx((200.0, 150.0)), "from far: the middle"
    moved = reveal_rect((380.0, 100.0, 50.0, 20.0), camera, 400.0, 300.0, near=0.0)
    assert moved is not None
    assert moved.to_widget(405.0, 110.0) == pytest.approx((200.0, 150.0)), "of a new picture"
    moved = reveal_rect((-70.0, -10.0, 900.0, 20.0), camera, 400.0, 300.0)
    assert moved is not None
    assert (moved.x, moved.y) == (-70.0, -40.0), "of what is too long, the begin"


def test_what_was_fitted_is_fitted_anew_and_what_was_moved_is_not(canvas: GraphCanvas) -> None:
    canvas.fit()
    canvas.resize(canvas.width() + 200, canvas.height() - 150)
    QApplication.processEvents()
    scene = canvas.scene
    assert scene is not None
    left, top = canvas.camera.to_widget(0, 0)
    right, bottom = canvas.camera.to_widget(scene.width, scene.height)
    assert left >= 0 and top >= 0 and right <= canvas.width() and bottom <= canvas.height()
    assert (left + right) / 2 == pytest.approx(canvas.width() / 2)
    canvas.pan(10.0, 0.0)
    before = canvas.camera
    canvas.resize(canvas.width() - 100, canvas.height())
    QApplication.processEvents()
    assert canvas.camera == before


def test_what_is_shown_of_a_step_does_not_move_the_picture_for_good(canvas: GraphCanvas) -> None:
    """A person has not moved it: with more room all of it is seen again, else what is lit up."""
    canvas.fit()
    whole, size = canvas.camera, canvas.size()
    scene = canvas.scene
    assert scene is not None
    nodes = scene.items.node
    lowest = int(np.argmax(np.where(nodes >= 0, scene.items.rect[:, 1], -1.0)))
    canvas.set_highlight((int(nodes[lowest]),), (), ())
    canvas.resize(size.width(), 120)
    QApplication.processEvents()
    canvas.zoom(8.0)
    canvas.fit()
    canvas._camera = Camera(0.0, 0.0, 1.0)  # as where only the beginning can be read
    canvas.reveal_highlight()
    assert canvas.camera.y > 0.0
    canvas.resize(size)
    QApplication.processEvents()
    assert canvas.camera == whole


def test_what_was_in_the_middle_is_presented_in_the_middle(canvas: GraphCanvas) -> None:
    """The picture gets all of the screen: what one looked at is not left at its side."""
    canvas.zoom(1.5)
    canvas.pan(40.0, 25.0)
    before = canvas.camera
    middle = before.to_scene(canvas.width() / 2, canvas.height() / 2)
    size = canvas.size()
    canvas.present(1.2, is_on=True)
    canvas.resize(size.width() + 400, size.height() + 100)
    shown = canvas.camera.to_scene(canvas.width() / 2, canvas.height() / 2)
    assert shown == pytest.approx(middle)
    canvas.present(1.0, is_on=False)
    canvas.resize(size)
    assert canvas.camera == before


def test_what_was_fitted_is_fitted_in_a_presentation_and_after_it(canvas: GraphCanvas) -> None:
    canvas.resize(700, 2000)
    canvas.fit()
    before = canvas.camera
    canvas.present(1.2, is_on=True)
    canvas.resize(1200, 2400)
    QApplication.processEvents()
    assert canvas._is_all_in_sight()
    canvas.present(1.0, is_on=False)
    canvas.resize(700, 2000)
    QApplication.processEvents()
    assert canvas.camera == before
    canvas.pan(10.0, 0.0)
    moved = canvas.camera
    canvas.present(1.2, is_on=True)
    canvas.present(1.0, is_on=False)
    assert canvas.camera == moved


def test_what_is_selected_is_seen_in_a_presentation(canvas: GraphCanvas) -> None:
    canvas.fit()
    scene = canvas.scene
    assert scene is not None
    lowest = int(np.argmax(np.where(scene.items.node >= 0, scene.items.rect[:, 1], -1.0)))
    canvas.set_highlight((int(scene.items.node[lowest]),), (), ())
    canvas.present(2.5, is_on=True)
    canvas.resize(1200, 300)
    QApplication.processEvents()
    assert canvas.scene is not None
    rects = canvas.scene.items.rect[canvas._highlight.selected]
    assert is_any_in_sight(rects, canvas.camera, canvas.width(), canvas.height())


def open_in_little_room(canvas: GraphCanvas) -> str:
    """Fit the picture with all groups closed, and open its lowest: its id."""
    canvas.collapse_all()
    canvas.fit()
    canvas.resize(480, 500)
    QApplication.processEvents()
    scene = canvas.scene
    assert scene is not None and canvas._is_all_in_sight()
    group = scene.items.ids[int(np.argmax(scene.items.is_group * scene.items.rect[:, 1]))]
    canvas.toggle_group(group)
    return group


def test_a_group_closed_again_leaves_the_whole_picture_as_it_was(canvas: GraphCanvas) -> None:
    """Nobody has moved it: opening did."""
    group = open_in_little_room(canvas)
    assert not canvas._is_all_in_sight()
    canvas.toggle_group(group)
    assert canvas._is_all_in_sight()
    canvas.toggle_group(group)
    canvas.pan(0.0, 200.0)
    canvas.toggle_group(group)
    assert not canvas._is_all_in_sight(), "somebody has moved it"


def test_what_was_opened_follows_the_room_that_there_is(canvas: GraphCanvas) -> None:
    """Nobody has moved it: with more room all of it is seen, with less what was opened."""
    group = open_in_little_room(canvas)
    opened = canvas.camera.scale
    assert not canvas._is_all_in_sight()
    canvas.resize(360, 500)
    QApplication.processEvents()
    left, top, right, _ = rect_seen(canvas, group)
    assert 0 <= top < 500 and left < 360 and right > 0
    canvas.resize(480, 500)
    QApplication.processEvents()
    assert canvas.camera.scale == pytest.approx(opened), "as large as before"
    canvas.resize(1600, 2400)
    QApplication.processEvents()
    assert canvas._is_all_in_sight()
    canvas.resize(1200, 2000)
    QApplication.processEvents()
    assert canvas._is_all_in_sight(), "it is fitted now"


def test_what_was_opened_and_then_moved_stays_where_it_is(canvas: GraphCanvas) -> None:
    canvas.fit()
    open_first_group(canvas)
    canvas.pan(3.0, 0.0)
    before = canvas.camera
    canvas.resize(1600, 2400)
    QApplication.processEvents()
    assert canvas.camera == before


def test_a_selection_that_came_into_sight_leaves_a_picture_that_nobody_moved(
    canvas: GraphCanvas,
) -> None:
    canvas.fit()
    canvas.resize(480, 300)
    QApplication.processEvents()
    group, _ = open_first_group(canvas)
    assert canvas._is_unmoved
    scene = canvas.scene
    assert scene is not None
    low = int(np.argmax(np.where(scene.items.node >= 0, scene.items.rect[:, 1], -1.0)))
    canvas.set_highlight((int(scene.items.node[low]),), (), ())
    canvas._camera = Camera(0.0, -5000.0, 1.0)  # as where it is far away
    canvas.reveal_highlight()
    assert canvas.camera.y > -5000.0
    canvas.resize(2000, 3000)
    QApplication.processEvents()
    assert canvas._is_fitted and canvas._is_all_in_sight() and group in canvas.expanded


def test_presenting_closes_no_group_around_what_is_selected(
    canvas: GraphCanvas, qtbot: QtBot
) -> None:
    """Else the frame would be on a group that holds much more."""
    canvas.resize(1400, 1000)
    canvas.reset_expanded()
    scene = canvas.scene
    assert scene is not None and canvas.view is not None
    inside = np.flatnonzero((scene.items.node >= 0) & (scene.items.parent >= 0))
    node = int(scene.items.node[inside[-1]])
    canvas.select_node(node)
    canvas.set_highlight((node,), (), ())
    before, opened = canvas.camera, canvas.expanded
    canvas.present(2.5, is_on=True)
    canvas.resize(800, 500)
    qtbot.wait(300)  # longer than a size must last
    assert canvas.expanded == opened
    item = canvas._item_of(node)
    left, top, right, bottom = rect_seen(canvas, canvas.scene.items.ids[item])
    assert left >= 0 and top >= 0 and right <= 800 and bottom <= 500, "and it is seen whole"
    canvas.present(1.0, is_on=False)
    canvas.resize(1400, 1000)
    qtbot.wait(300)
    assert canvas.expanded == opened and canvas.camera.scale == pytest.approx(before.scale)


def test_a_selected_box_is_presented_whole(canvas: GraphCanvas) -> None:
    canvas.reset_expanded()
    scene = canvas.scene
    assert scene is not None
    low = int(np.argmax(np.where(scene.items.node >= 0, scene.items.rect[:, 1], -1.0)))
    canvas.set_highlight((int(scene.items.node[low]),), (), ())
    canvas.present(1.5, is_on=True)
    scene = canvas.scene
    item = canvas._item_of(int(scene.items.node[low]))
    x, y, wide, high = scene.items.rect[item].tolist()
    scale = canvas.camera.scale
    below = y + high / 2 - canvas.height() / scale  # so that it is cut in two
    canvas._camera = Camera(x + wide / 2 - canvas.width() / scale / 2, below, scale)
    canvas.reveal_highlight()
    assert rect_seen(canvas, scene.items.ids[item])[3] <= canvas.height()


@pytest.mark.parametrize("is_moved", [True, False])
def test_what_is_opened_in_a_presentation_is_closed_after_it(
    canvas: GraphCanvas, qtbot: QtBot, is_moved: bool
) -> None:
    canvas.collapse_all()
    if is_moved:
        canvas.pan(10.0, 5.0)
    else:
        canvas.reset_expanded()
    before, opened = canvas.camera, canvas.expanded
    assert canvas.view is not None
    canvas.present(1.5, is_on=True)
    deepest = max(
        range(len(canvas.view.box_of_node)), key=lambda node: len(canvas.view.path_to_node(node))
    )
    canvas.select_node(deepest)
    assert canvas.expanded != opened
    canvas.present(1.0, is_on=False)
    qtbot.wait(300)
    assert canvas.expanded == opened
    assert canvas.camera == before


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seen", ["first", "fitted", "moved"])
def test_what_a_person_opens_in_a_presentation_is_open_after_it(
    canvas: GraphCanvas, qtbot: QtBot, seen: str
) -> None:
    """Only what steps through the program opened is put away."""
    canvas.resize(700, 500)
    canvas.reset_expanded()
    qtbot.wait(200)
    if seen == "fitted":
        canvas.fit()
    elif seen == "moved":
        canvas.pan(3.0, 2.0)
    before, opened = canvas.camera, canvas.expanded
    canvas.present(1.5, is_on=True)
    canvas.resize(1280, 600)
    qtbot.wait(200)
    group, _ = open_first_group(canvas)
    assert canvas.view is not None and group not in opened
    deepest = max(
        range(len(canvas.view.box_of_node)), key=lambda node: len(canvas.view.path_to_node(node))
    )
    canvas.select_node(deepest)
    canvas.present(1.0, is_on=False)
    canvas.resize(700, 500)
    qtbot.wait(300)
    assert canvas.expanded == opened | {group}
    if seen == "moved":
        assert canvas.camera == before
    else:
        left, top, right, bottom = rect_seen(canvas, group)
        assert min(left, top) >= -1 and left < 700 and top < 500 and right > 0 and bottom > 0
    assert canvas._is_all_in_sight() or seen != "fitted"
    canvas.present(1.5, is_on=True)
    canvas.toggle_group(group)
    canvas.present(1.0, is_on=False)
    assert canvas.expanded == opened


@pytest.mark.slow
def test_a_large_picture_that_a_person_fitted_is_presented_whole(
    canvas: GraphCanvas, qtbot: QtBot
) -> None:
    """On a screen of 1280 by 720, however small that is: it is no smaller than in the window."""
    canvas.resize(826, 541)
    canvas.expand_all()
    canvas.fit()
    scale = canvas.camera.scale
    assert canvas._is_all_in_sight() and scale < LEAST_TOGETHER * 2.55, "else it would be anyway"
    canvas.present(2.55, is_on=True)
    canvas.resize(1272, 582)
    qtbot.wait(200)
    assert canvas._is_all_in_sight() and canvas.camera.scale >= scale
    canvas.present(1.0, is_on=False)
    canvas.resize(826, 541)
    qtbot.wait(200)
    assert canvas._is_all_in_sight() and canvas.camera.scale == pytest.approx(scale)


def test_what_was_seen_whole_is_presented_whole_where_nothing_larger_would_be(
    qtbot: QtBot,
) -> None:
    """The gradient of a few lines, on a screen of 1280 by 720: it was cut until it was fitted."""

    def simple_graph(x: jax.Array) -> jax.Array:
        x = x + 2
        x = x**2
        x = x + 3
        return jnp.mean(x)

    graph = trace(jax.grad(simple_graph), jnp.ones(3))
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(826, 571)
    canvas.show()
    canvas.set_graph(graph, "gradient")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    scale, opened = canvas.camera.scale, canvas.expanded
    assert canvas._is_all_in_sight() and opened
    canvas.present(2.432, is_on=True)
    canvas.resize(1272, 582)
    qtbot.wait(400)
    qtbot.waitUntil(lambda: not canvas.is_busy)
    assert canvas._is_all_in_sight() and canvas.camera.scale >= scale
    canvas.present(1.0, is_on=False)
    canvas.resize(826, 571)
    qtbot.wait(400)
    qtbot.waitUntil(lambda: not canvas.is_busy)
    assert canvas.expanded == opened and canvas.camera.scale == pytest.approx(scale)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("high", [720, 1080, 1440])
@pytest.mark.parametrize("share", [1.0, 0.635])
def test_both_parts_of_a_gradient_are_presented_open_and_read(
    qtbot: QtBot, high: int, share: float
) -> None:
    """On a whole screen of 16 by 9, and beside the source."""

    def predict(layers: list[jax.Array], x: jax.Array) -> jax.Array:
        for number, layer in enumerate(layers):
            with jax.named_scope(f"layer_{number}"):
                x = jnp.tanh(x @ layer) + 1.0
        return x.sum()

    graph = trace(jax.grad(predict), [jnp.ones((8, 8))] * 3, jnp.ones((4, 8)))
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.present(high / 60 / 9.0, is_on=True)
    canvas.resize(round(share * high * 16 / 9) - 8, round(0.7 * high))
    canvas.show()
    canvas.set_graph(graph, "gradient")
    qtbot.waitUntil(lambda: canvas.scene is not None and canvas.is_sharp and not canvas.is_busy)
    scene = canvas.scene
    assert scene is not None and canvas._is_all_in_sight()
    names = [title.partition(" ")[0] for title in scene.items.titles]
    assert {"forward", "backward"} <= {*names[: scene.items.num_frames]}, "both are open"
    assert {"layer_0", "layer_1", "layer_2"} <= {*names}, "and have their groups"
    assert scene.lines.is_residual.any()
    # What is written into a box: as high as letters of a sixtieth of the screen at least.
    x, y, wide, tall = scene.items.rect[names.index("layer_1")].tolist()
    left, top = canvas.camera.to_widget(x + 16.0, y + tall / 2)
    right, bottom = canvas.camera.to_widget(x + wide - 4.0, y + tall - 2.0)
    detail = QRect(QPoint(round(left), round(top)), QPoint(round(right), round(bottom)))
    image = canvas.grab(detail).toImage()
    ground = image.pixelColor(image.width() - 1, image.height() - 1).lightness()
    is_ink = [
        any(ground - image.pixelColor(x, y).lightness() > 60 for x in range(image.width()))
        for y in range(image.height())
    ]
    below = is_ink[is_ink.index(False) :]  # the title may reach into it
    letters = below[below.index(True) :]
    num_rows = letters.index(False) if False in letters else len(letters)
    assert num_rows >= 0.95 * high / 60 - 0.5, "from the top of a digit to the foot of a q"


def _list_cut(canvas: GraphCanvas, high: int) -> list[str]:
    """What has no room for its words as they are shown, on a screen of a height: titles of boxes,
    connectors, and lines of residuals without bytes.
    """
    scene, scale = canvas.scene, canvas.camera.scale
    assert scene is not None and canvas._drawing is not None
    title, text = high / 60 * LEAST_TITLE_PX / 9.0, high / 60
    rects = scene.items.rect.tolist()
    told = [*zip(scene.items.titles, rects, (title,) * len(rects), strict=True)]
    rects = scene.connectors.rect.tolist()
    told += zip(scene.connectors.texts, rects, (text,) * len(rects), strict=True)
    cut = []
    for words, rect, size in told:
        font = graph_font(100.0, size == title)  # sizes of fonts are whole
        wide = QFontMetricsF(font).horizontalAdvance(words) * size / 100.0
        if wide > rect[2] * scale or words.endswith("…"):
            cut.append(words)
    lines, whole = scene.lines, (0.0, 0.0, scene.width, scene.height)
    shown = {
        label.line
        for group in range(-1, scene.items.num_frames)
        for label in canvas._drawing.labels_in(group, whole, scale / (high / 540))
    }
    assert lines.is_residual.any()
    cut += [lines.labels[n] for n in lines.labels if lines.is_residual[n] and n not in shown]
    return cut


@pytest.mark.sweep(1)
@pytest.mark.parametrize("high", [720, 1080, 1440])
def test_no_word_of_what_is_presented_is_cut_where_it_has_room(qtbot: QtBot, high: int) -> None:
    """Boxes, connectors and the gap between the parts are as wide as type is on the screen."""

    def model(p: dict[str, jax.Array], x: jax.Array) -> jax.Array:
        h = jnp.tanh(x @ p["w"] + p["b"])
        return h / (1e-5 + jnp.linalg.norm(h, axis=-1, keepdims=True)) @ p["v"]

    def loss(p: dict[str, jax.Array], x: jax.Array, y: jax.Array) -> jax.Array:
        e = jax.jit(model)(p, x) - y
        return jnp.mean(jnp.where(jnp.abs(e) < 1.0, 0.5 * e**2, jnp.abs(e) - 0.5))

    p = {"w": jnp.ones((8, 16)), "b": jnp.ones(16), "v": jnp.ones(16)}
    graph = trace(jax.grad(loss), p, jnp.ones((32, 8)), jnp.ones(32))
    page = QWidget()
    qtbot.addWidget(page)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.set_page(page)

    def resize(wide: float, tall: float, legend: float) -> None:
        page.resize(round(wide), round(tall + legend))
        canvas.resize(round(wide), round(tall))

    def settle() -> list[list[float]]:
        qtbot.wait(20)
        is_waiting = canvas._resized.isActive
        qtbot.waitUntil(lambda: not (is_waiting() or canvas.is_busy) and canvas.is_sharp)
        assert canvas.scene is not None
        return canvas.scene.items.rect.tolist()

    page.show()
    canvas.show()
    resize(900, 700, 30)
    canvas.set_graph(graph, "gradient")
    ordinary = settle()
    canvas.present(high / 540, is_on=True)
    resize(high * 16 / 9 - 8, 0.78 * high, high / 20)
    settle()
    assert canvas._is_all_in_sight() and not _list_cut(canvas, high)
    # Beside the source there is less room: all is in sight as before.
    resize(0.635 * high * 16 / 9, 0.78 * high, high / 20)
    settle()
    scene = canvas.scene
    assert scene is not None and canvas._is_all_in_sight()
    assert {"forward", "backward"} <= {title.partition(" ")[0] for title in scene.items.titles}
    assert not {title for title in _list_cut(canvas, high) if not title.startswith("→")}
    canvas.present(1.0, is_on=False)
    resize(900, 700, 30)
    assert settle() == ordinary


def test_groups_that_were_opened_by_hand_are_open_after_a_presentation(
    canvas: GraphCanvas, qtbot: QtBot
) -> None:
    canvas.resize(1200, 700)
    canvas.reset_expanded()
    first = canvas.expanded
    canvas.expand_all()
    opened = canvas.expanded
    assert opened > first
    canvas.present(1.5, is_on=True)
    canvas.resize(800, 500)
    qtbot.wait(300)
    canvas.present(1.0, is_on=False)
    canvas.resize(1200, 700)
    qtbot.wait(300)
    assert canvas.expanded == opened


def test_a_group_that_was_opened_is_presented_from_its_beginning(canvas: GraphCanvas) -> None:
    canvas.fit()
    group, _ = open_first_group(canvas)
    before = canvas.camera
    size = canvas.size()
    canvas.present(2.0, is_on=True)
    canvas.resize(1280, 700)
    QApplication.processEvents()
    left, top, _, _ = rect_seen(canvas, group)
    assert 0 <= left < 1280 and 0 <= top < 350
    assert canvas.camera.scale >= 2.0 * LEAST_FRAMED
    canvas.present(1.0, is_on=False)
    canvas.resize(size)
    QApplication.processEvents()
    assert canvas.camera.scale == pytest.approx(before.scale)


@pytest.mark.parametrize("is_selected", [True, False])
def test_what_was_opened_is_presented_in_the_middle(canvas: GraphCanvas, is_selected: bool) -> None:
    """Else most of a wide screen is empty."""
    canvas.collapse_all()
    canvas.fit()
    canvas.resize(480, 500)
    QApplication.processEvents()
    group, _ = open_first_group(canvas)
    assert canvas._is_unmoved and not canvas._is_all_in_sight()
    scene = canvas.scene
    assert scene is not None
    if is_selected:
        parents = scene.items.parent == scene.item_of_id[group]
        item = int(np.flatnonzero(parents & (scene.items.node >= 0))[-1])
        canvas.set_highlight((int(scene.items.node[item]),), (), ())
        group = scene.items.ids[item]
    before = canvas.camera
    canvas.present(2.0, is_on=True)
    canvas.resize(500, 300)  # as pages go one after the other
    QApplication.processEvents()
    canvas.resize(2600, 300)
    QApplication.processEvents()
    left, top, right, bottom = rect_seen(canvas, group)
    assert (left + right) / 2 == pytest.approx(1300, abs=1)
    if is_selected:
        assert (top + bottom) / 2 == pytest.approx(150, abs=1)
    canvas.present(1.0, is_on=False)
    canvas.resize(480, 500)
    QApplication.processEvents()
    assert canvas.camera.scale == pytest.approx(before.scale)


def test_what_is_found_in_a_fitted_picture_can_be_read(canvas: GraphCanvas) -> None:
    canvas.collapse_all()
    canvas.fit()
    view, scale = canvas.view, canvas.camera.scale
    assert view is not None
    deepest = max(range(len(view.boxes)), key=lambda box: len(view.ancestors(box)))
    canvas.select_node(view.boxes[deepest].node)
    assert canvas.camera.scale == scale


def test_titles_of_groups_can_be_read_however_small_the_picture_is(canvas: GraphCanvas) -> None:
    canvas.expand_all()
    drawing = canvas._drawing
    assert drawing is not None
    for scale in (0.8, 0.5, 0.2):
        titles = drawing.list_titles(scale)
        assert titles
        for number, title in enumerate(titles):
            assert title.area.height() >= LEAST_TITLE_PX
            assert len(title.text) >= 2
            assert not any(title.area.intersects(other.area) for other in titles[:number])
    outer = [title.text for title in drawing.list_titles(0.2)]
    assert drawing.scene.items.titles[0].startswith(outer[0].removesuffix("…"))


def test_a_frame_says_how_much_it_holds_in_a_small_picture_too(canvas: GraphCanvas) -> None:
    """Whole, wherever a part of the picture ends that is painted by itself."""
    canvas.expand_all()
    drawing = canvas._drawing
    assert drawing is not None
    scale = 0.7
    told = [title for title in drawing.list_titles(scale) if not title.detail_area.isEmpty()]
    assert told
    for title in told:
        assert title.detail_area.left() >= title.area.right()
        x, _, width, _ = (drawing.scene.items.rect[title.item] * scale).tolist()
        assert x < title.detail_area.right() < x + width
    area = told[0].detail_area.toAlignedRect()

    def paint(left: int) -> QImage:
        picture = QImage(area.right() - left, area.height(), QImage.Format.Format_RGB32)
        painter = QPainter(picture)
        drawing.paint(
            painter, left / scale, area.top() / scale, picture.width(), picture.height(), scale
        )
        painter.end()
        return picture

    half = area.left() + area.width() // 2
    right_half = paint(int(told[0].area.left())).copy(
        half - int(told[0].area.left()), 0, area.right() - half, area.height()
    )
    assert paint(half) == right_half
    shades = {right_half.pixel(x, y) for x in range(right_half.width()) for y in range(2, 12)}
    assert len(shades) > 3, "there are letters"


def test_a_title_of_one_letter_is_written_however_small_the_picture_is(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    builder = GraphBuilder()
    leaves = [
        builder.add_node(path, NodeKind.INPUT, "", types=["f32[3]"], attributes={"path": path})
        for path in ("p['u']", "p['v']", "p['w']")
    ]
    total = builder.add_node("0", NodeKind.EQUATION, "add", types=["f32[3]"])
    for operand, leaf in enumerate(leaves):
        builder.add_edge(leaf, total, operand=operand)
    canvas.set_graph(builder.build(), "of one letter")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    drawing = canvas._drawing
    assert drawing is not None and "p" in drawing.scene.items.titles
    assert [title.text for title in drawing.list_titles(0.8)] == ["p"]


def test_a_long_title_of_a_group_takes_a_second_line_in_a_small_picture(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    """Cut to one line, the orders of a third derivative would all be called alike."""
    scopes = ("backward of backward of forward", "sigmoid_binary_cross_entropy")
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "", types=["f32[3]"])
    for number, scope in enumerate(name for name in scopes for _ in range(2)):
        node = builder.add_node(
            str(number), NodeKind.EQUATION, "add", types=["f32[3]"], scope=(scope,)
        )
        builder.add_edge(last, node)
        last = node
    canvas.set_graph(builder.build(), "long names")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    drawing = canvas._drawing
    assert drawing is not None and set(scopes) <= set(drawing.scene.items.titles)
    titles = drawing.list_titles(0.65)
    lines = {line for title in titles for line in title.text.split("\n")}
    assert lines == {"backward of backward of", "forward", "sigmoid_binary_cross_", "entropy"}
    assert all(title.area.height() > 2 * LEAST_TITLE_PX for title in titles)
    rects, items = drawing.scene.items.rect * 0.65, drawing.scene.items
    assert all(items.details[title.item] for title in titles)
    for title in titles:  # how much the group holds stands behind its last line
        box = QRectF(*rects[title.item].tolist())
        assert box.contains(title.detail_area) and not title.detail_area.isEmpty()
        last = measure_text(title.text.split("\n")[1], LEAST_TITLE_PX, True)
        left = box.center().x() - (last + title.detail_area.width()) / 2
        assert left > box.left() and title.detail_area.left() - left > last


@pytest.mark.parametrize("scale", [0.6, 0.66, 0.75, 0.84])
@pytest.mark.usefixtures("qapp")
def test_texts_of_small_boxes_stand_in_the_middle(scale: float) -> None:
    """As far from the upper border as from the lower one, also in boxes of closed groups."""
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "", types=["f32[3]"])
    for number in range(24):
        scope = (f"gg{number // 12}",)
        last_but_one, last = (
            last,
            builder.add_node(str(number), NodeKind.EQUATION, "xh", types=["f32[3]"], scope=scope),
        )
        builder.add_edge(last_but_one, last)
    view = build_view(builder.build())
    opened = next(iter(view.all_groups()))
    scene = build_scene(view, {opened}, fit=Fit(scale=scale))
    drawing = SceneDrawing(SceneIndex(scene), colors("light"))
    items = scene.items
    boxes = [n for n in range(items.num_frames, len(items)) if items.details[n]]
    assert {bool(items.is_group[n]) for n in boxes} == {False, True}
    for item in boxes:
        x, y, width, height = items.rect[item].tolist()
        image = QImage(round(width * scale), round(height * scale), QImage.Format.Format_ARGB32)
        painter = QPainter(image)
        drawing.paint(painter, x, y, image.width(), image.height(), scale)
        painter.end()
        light = drawing.shades.fill[int(drawing.shades.of_item[item])].lightness()
        columns = range(image.width() // 3, 2 * image.width() // 3)
        inked = [
            row
            for row in range(2, image.height() - 2)
            if any(abs(image.pixelColor(c, row).lightness() - light) > 40 for c in columns)
        ]
        above, below = inked[0], image.height() - 1 - inked[-1]
        assert min(above, below) >= 2
        assert abs(above - below) <= 2, (items.titles[item], above, below)


@pytest.mark.parametrize(
    "name",
    ["add_all", "softmax_of_all", "sum_over_everything", "a / b_of_c", "results from backward"],
)
@pytest.mark.parametrize("scale", [0.6, 0.75])
def test_a_closed_group_has_its_triangle_however_much_of_it_the_title_takes(
    qtbot: QtBot, canvas: GraphCanvas, name: str, scale: float
) -> None:
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "", types=["f32[3]"])
    for number, scope in enumerate([name] * 12 + ["other"] * 12):
        node = builder.add_node(
            str(number), NodeKind.EQUATION, "add", types=["f32[3]"], scope=(scope,)
        )
        builder.add_edge(last, node)
        last = node
    canvas.set_graph(builder.build(), name)
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    drawing = canvas._drawing
    assert drawing is not None
    assert name in drawing.scene.items.titles
    item = drawing.scene.items.titles.index(name)
    (title,) = (each for each in drawing.list_titles(scale) if each.item == item)
    x, y, width, height = (drawing.scene.items.rect[title.item] * scale).tolist()
    assert title.sign is not None and QRectF(x, y, width, height).contains(title.sign)
    picture = QImage(round(width), round(height), QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    drawing.paint(painter, x / scale, y / scale, picture.width(), picture.height(), scale)
    painter.end()
    border = drawing.shades.border[int(drawing.shades.of_item[title.item])]
    column = round(title.sign.x() - x)  # between the triangle's point and what is written
    top = round(title.sign.y() - y)
    assert picture.pixelColor(column - 1, top) == border
    ground = drawing.shades.fill[int(drawing.shades.of_item[title.item])]
    point = math.floor(title.sign.x() - x + 3.0) + 1
    assert all(
        picture.pixelColor(point + beside, top + by) == ground
        for beside in (0, 1)
        for by in (-2, -1, 0, 1, 2)
    ), "two pixels"


@pytest.mark.sweep(3)
@pytest.mark.parametrize("scale", [0.4, 0.5, 0.62, 0.7, 1.0])
def test_what_is_written_into_boxes_can_be_read_or_is_left_out(
    canvas: GraphCanvas, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    canvas.expand_all()
    drawing = canvas._drawing
    assert drawing is not None
    told: list[tuple[str, float]] = []

    class Watched(QPainter):
        def drawStaticText(self, *told_of: Any) -> None:
            drawn_px = self.font().pixelSize() * self.combinedTransform().m22()
            told.append((told_of[-1].text(), drawn_px))
            super().drawStaticText(*told_of)

    picture = QImage(900, 700, QImage.Format.Format_ARGB32)
    painter = Watched(picture)
    drawing.paint(painter, 0.0, 0.0, 900, 700, scale)
    painter.end()
    assert told
    assert not [(text, size) for text, size in told if size < 8.99]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("scale", [0.75, 0.8, 0.86, 1.0])
def test_types_on_lines_are_large_enough_and_never_cut_short(
    canvas: GraphCanvas, monkeypatch: pytest.MonkeyPatch, scale: float
) -> None:
    canvas.expand_all()
    drawing = canvas._drawing
    assert drawing is not None
    told: list[tuple[str, float]] = []

    class Watched(QPainter):
        def drawStaticText(self, *told_of: Any) -> None:
            told.append((told_of[-1].text(), LABEL_TEXT_PX * self.combinedTransform().m22()))
            super().drawStaticText(*told_of)

    image = QImage(900, 700, QImage.Format.Format_ARGB32)
    painter = Watched(image)
    painter.scale(scale, scale)
    monkeypatch.setattr(drawing, "_scale", scale)
    drawing.paint_labels(painter, (0.0, 0.0, 900 / scale, 700 / scale))
    painter.end()
    assert told and all(size >= 9 - 1e-6 for _, size in told)
    lines = drawing.scene.lines
    assert {text for text, _ in told} <= {
        *(*lines.types, *lines.labels.values(), *lines.branches.values())
    }


@pytest.mark.sweep(2)
@pytest.mark.parametrize("scale", [0.62, 0.7, 0.78, 0.82])
def test_a_small_frame_says_as_much_behind_its_title_as_it_has_room_for(
    canvas: GraphCanvas, scale: float
) -> None:
    """Its count at least; sizes of fonts are whole, so text may be larger than it is scaled."""
    canvas.expand_all()
    assert canvas.scene is not None
    items = canvas.scene.items
    details = tuple(f"{each}, 1 of them drawn somewhere" for each in items.details)
    scene = dataclasses.replace(canvas.scene, items=dataclasses.replace(items, details=details))
    assert canvas._drawing is not None
    drawing = SceneDrawing(SceneIndex(scene), canvas._drawing.colors)
    told = [title for title in drawing.list_titles(scale) if title.is_frame]
    shown = [title for title in told if not title.detail_area.isEmpty()]
    assert any(title.detail in details for title in shown), "some have room for all of it"
    assert any(title.detail not in details for title in shown), "others have not"
    for title in shown:
        size_px = round(max(DETAIL_PX * scale, LEAST_TEXT_PX))
        assert measure_text(title.detail, size_px) <= title.detail_area.width()
        assert title.detail in (details[title.item], items.details[title.item])


def test_pointing_leaves_nothing_behind_in_the_next_picture(canvas: GraphCanvas) -> None:
    assert canvas.scene is not None
    canvas.hover(canvas.scene.items.num_frames)
    canvas.set_preview(np.array([2, 3], np.int32))
    canvas.set_graph(long_program(5), "another")
    assert canvas.highlight.hovered == -1
    assert not len(canvas.highlight.ahead)


def test_lit_lines_do_not_run_through_labels(canvas: GraphCanvas) -> None:
    """The plate of a label is painted over the line that is lit."""
    canvas.expand_all()
    canvas.fit()
    canvas.zoom(1.0 / canvas.camera.scale)
    drawing = canvas._drawing
    assert drawing is not None
    label = next(each for each in drawing.index.labels.all())
    lit = int(drawing.scene.lines.source[label.line])
    left, top = canvas.camera.to_widget(label.x, label.y)
    canvas.pan(left - 200, top - 200)
    canvas.hover(lit)
    image = canvas.grab().toImage()
    ratio = image.devicePixelRatio()
    left, top = canvas.camera.to_widget(label.x, label.y)
    color = drawing.colors.selected.rgb()
    seen = {
        image.pixel(int((left + 2 + dx) * ratio), int((top + 2 + dy) * ratio))
        for dx in range(int(label.width * canvas.camera.scale) - 4)
        for dy in range(int(LABEL_HEIGHT_PX * canvas.camera.scale) - 4)
    }
    assert color not in seen


def test_signs_and_keys_step_through_alike_groups(qtbot: QtBot, canvas: GraphCanvas) -> None:
    view = canvas.view
    assert view is not None
    walk = next(box for box in range(len(view.boxes)) if is_walk(view, box))
    canvas.collapse_all()
    canvas.show_group(view.boxes[walk].id)
    canvas.toggle_group(view.boxes[walk].id)
    scene = canvas.scene
    assert scene is not None
    item = scene.item_of_id[view.boxes[walk].id]
    assert scene.walks[item].number == 0
    QTest.keyClick(canvas, Qt.Key.Key_BracketRight)
    assert canvas.scene is not None
    (item,) = canvas.scene.walks
    assert canvas.scene.walks[item].number == 1
    canvas.zoom_to_selection()
    _before, after = step_areas(canvas.scene, item)
    place = QPointF(*canvas.camera.to_widget(after.center().x(), after.center().y()))
    assert "]" in canvas._hint_at(place)
    canvas.click(place)
    assert canvas.scene.walks[next(iter(canvas.scene.walks))].number == 2
    QTest.keyClick(canvas, Qt.Key.Key_BracketLeft)
    QTest.keyClick(canvas, Qt.Key.Key_BracketLeft)
    QTest.keyClick(canvas, Qt.Key.Key_BracketLeft)
    assert canvas.scene.walks[next(iter(canvas.scene.walks))].number == 0, (
        "before the first is none"
    )


def test_a_large_graph_is_laid_out_once_for_the_room_that_it_gets(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    rooms: list[Viewport] = []
    work_out = PictureOrder.work_out

    def watched(order: PictureOrder, should_stop: ShouldStop) -> PreparedPicture:
        rooms.append(order.room)
        return work_out(order, should_stop)

    monkeypatch.setattr(PictureOrder, "work_out", watched)
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.set_graph(long_program(1_000), "jaxpr")  # before it has a place on the screen
    assert canvas.is_busy and not rooms
    canvas.resize(900, 600)
    canvas.show()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    assert [(room.width, room.height) for room in rooms] == [(900, 600)]


def test_a_layout_that_waits_for_its_room_can_be_stopped(qtbot: QtBot) -> None:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.set_graph(long_program(1_000), "jaxpr")
    canvas.stop_layout()
    assert not canvas.is_busy
    qtbot.wait(50)
    assert canvas.scene is None


def test_a_closed_group_that_is_linked_in_part_says_how_much_of_it_is(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    """Together they are as many as the inspector says: twelve, of which three are shown alone."""
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "", types=["f32[3]"])
    scopes = ["one"] * 6 + ["two"] * 6 + ["three"] * 6 + [""] * 3
    for number, scope in enumerate(scopes):
        node = builder.add_node(
            str(number),
            NodeKind.EQUATION,
            "add",
            types=["f32[3]"],
            scope=(scope,) if scope else (),
        )
        builder.add_edge(last, node)
        last = node
    canvas.set_graph(builder.build(), "parts")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.set_highlight([], forward=[1, 2, *range(7, 13)], backward=[0, 13, 19, 20, 21])
    scene = canvas.scene
    assert scene is not None
    parts = {scene.items.titles[item]: part for item, part in canvas._highlight.parts.items()}
    assert parts == {"one": (2, 6), "three": (1, 6)}
    canvas.set_highlight(range(1, 7), forward=[], backward=[])
    assert not canvas._highlight.parts


def test_what_holds_many_nodes_is_found_without_looking_at_each(
    qtbot: QtBot, canvas: GraphCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    builder = GraphBuilder()
    for number in range(300):
        builder.add_node(str(number), NodeKind.EQUATION, "add", types=["f32"], scope=("one", "two"))
    canvas.set_graph(builder.build(), "many")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    read, look = list[object](), Boxes.__getitem__

    def note(boxes: Boxes, at: int) -> object:
        read.append(at)
        return look(boxes, at)

    monkeypatch.setattr(Boxes, "__getitem__", note)
    assert canvas.view is not None and canvas.scene is not None
    parts = count_parts(canvas.view, canvas.scene, range(200))
    assert list(parts.values()) == [(200, 300)]
    assert len(read) < 20


def test_a_fusion_that_is_linked_itself_is_linked_whole(qtbot: QtBot, canvas: GraphCanvas) -> None:
    module = compile_module(lambda x: jnp.tanh(x * 2.0 + 1.0) * x, jnp.ones(64))
    canvas.set_graph(module, "fused")
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    operations = [module.operation(node) for node in range(len(module.nodes))]
    fusion, tanh = operations.index("fusion"), operations.index("tanh")
    canvas.set_highlight([], forward=[tanh], backward=[])
    (part,) = canvas._highlight.parts.values()
    assert part[0] == 1 < part[1]
    canvas.set_highlight([], forward=[tanh, fusion], backward=[])
    assert not canvas._highlight.parts


def test_a_click_on_the_triangle_opens_and_closes_a_group(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    canvas.collapse_all()
    qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)
    for scale in (1.0, 0.7):
        canvas.zoom(scale / canvas.camera.scale)
        scene = canvas.scene
        assert scene is not None and canvas._drawing is not None
        item = first_closed_group(canvas)
        group = scene.items.ids[item]
        middle = QPointF(centre(canvas, item))
        with qtbot.waitSignal(canvas.nodes_selected, raising=False, timeout=50):
            canvas.click(middle)
        assert group not in canvas.scene.opened, "beside the triangle a click selects"
        for is_open in (True, False):
            sign = canvas._drawing.sign_of(canvas.scene.item_of_id[group], canvas.camera.scale)
            assert sign is not None
            place = QPointF(*canvas.camera.to_widget(sign.x(), sign.y()))
            canvas.click(place)
            qtbot.waitUntil(lambda: not canvas.is_busy)
            canvas.double_click(place)  # a second click that comes at once changes nothing
            qtbot.waitUntil(lambda: not canvas.is_busy)
            assert (group in canvas.scene.opened) is is_open


@pytest.mark.parametrize("scale", [0.8, 1.6, 3.0])
def test_how_much_of_a_group_is_meant_is_written_over_its_frame(
    canvas: GraphCanvas, scale: float
) -> None:
    scene, drawing = canvas.scene, canvas._drawing
    assert scene is not None and drawing is not None
    item = int(np.flatnonzero(scene.items.is_group[scene.items.num_frames :])[0])
    item += scene.items.num_frames
    x, y, width, height = scene.items.rect[item].tolist()
    light = dataclasses.replace(no_highlight(), current=item, parts={item: (1, 959)})
    camera = Camera(x - 20.0, y - 20.0, scale)
    size = round((width + 40.0) * scale), round((height + 40.0) * scale)
    image = QImage(*size, QImage.Format.Format_RGB32)
    image.fill(drawing.colors.background)
    painter = QPainter(image)
    paint_overlay(painter, drawing, light, camera, *size)
    painter.end()
    middle, bottom = size[0] / 2, round((height + 20.0) * scale)
    reach = measure_text("1 of 959", 10.0 * max(scale, 1.0)) / 2 if scale < 2 else 20.0
    frame = drawing.colors.selected.rgb()
    across = range(round(middle - reach), round(middle + reach))
    plate = [image.pixel(at, row) for at in across for row in range(bottom - 4, bottom + 5)]
    assert frame not in plate
    assert frame in [image.pixel(round(25.0 * scale), row) for row in range(size[1])]


def test_where_no_title_is_in_sight_the_corner_tells_which_group_one_looks_at(
    canvas: GraphCanvas,
) -> None:
    scene = canvas.scene
    assert scene is not None
    assert pinned_title(scene, canvas.camera, canvas.width(), canvas.height()) == ""
    frame = scene.items.num_frames - 1
    x, y, width, height = scene.items.rect[frame].tolist()
    title = scene.items.titles[frame]
    sees_title = Camera(x - 5.0, y - 5.0, 1.0)
    assert pinned_title(scene, sees_title, round(width), round(height)) == ""
    for camera in (Camera(x + 40.0, y - 5.0, 1.0), Camera(x - 5.0, y + 40.0, 1.0)):
        assert pinned_title(scene, camera, round(width), round(height)).split(" / ")[-1] == title
    beside = Camera(x - 3.0 * width, y, 1.0)
    assert title not in pinned_title(scene, beside, round(width), round(height))
    before = picture(canvas)
    canvas.pan(width / 2 * canvas.camera.scale, 40.0)
    assert picture(canvas) != before
