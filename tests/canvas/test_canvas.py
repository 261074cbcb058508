"""The canvas with a person's hands on it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from view.programs import layers, trace

from jaxscope.model import NONE, Graph, GraphBuilder, NodeKind, Unavailable
from jaxscope.ui.graph.camera import first_camera, most_scale
from jaxscope.ui.graph.canvas import GraphCanvas
from jaxscope.ui.graph.graph_page import GraphPage


@pytest.fixture(scope="module")
def gradient() -> Graph:
    function, arguments = layers(6)
    return trace(jax.grad(function), *arguments)


@pytest.fixture
def canvas(qtbot: QtBot, gradient: Graph) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 600)
    canvas.show()
    qtbot.waitExposed(canvas)
    canvas.set_graph(gradient, "grad")
    return canvas


def picture(canvas: GraphCanvas) -> QImage:
    """What is on the screen once all tiles are painted."""
    for _ in range(50):
        QApplication.processEvents()
    return canvas.grab().toImage()


def centre(canvas: GraphCanvas, item: int) -> QPoint:
    scene = canvas.scene
    assert scene is not None
    x, y, width, height = scene.items.rect[item].tolist()
    return QPointF(*canvas.camera.to_widget(x + width / 2, y + height / 2)).toPoint()


def first_closed_group(canvas: GraphCanvas) -> int:
    scene = canvas.scene
    assert scene is not None
    closed = np.flatnonzero(
        scene.items.is_group & (np.arange(len(scene.items)) >= scene.items.num_frames)
    )
    return int(closed[0])


def test_a_graph_is_shown_with_overview_and_legend(canvas: GraphCanvas) -> None:
    assert canvas.scene is not None
    assert canvas.view is not None
    assert canvas.expanded
    assert canvas.expanded <= canvas.view.opened  # as much as there is room for
    shown = picture(canvas)
    colors = {shown.pixelColor(x, y).name() for x in range(0, 900, 3) for y in range(0, 600, 3)}
    assert len(colors) > 10
    assert canvas.accessibleName() == "Graph of grad"
    assert "boxes are shown" in canvas.accessibleDescription()


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


def test_a_double_click_opens_a_group_and_it_stays_in_place(
    qtbot: QtBot, canvas: GraphCanvas
) -> None:
    scene = canvas.scene
    assert scene is not None
    item = first_closed_group(canvas)
    group = scene.items.ids[item]
    x, y, width, _ = scene.items.rect[item].tolist()
    before = canvas.camera.to_widget(x + width / 2, y)
    with qtbot.waitSignal(canvas.group_toggled) as signal:
        QTest.mouseDClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    assert signal.args == [group]
    assert group in canvas.expanded
    opened = canvas.scene
    assert opened is not None
    x, y, width, _ = opened.items.rect[opened.item_of_id[group]].tolist()
    after = canvas.camera.to_widget(x + width / 2, y)
    assert after == pytest.approx(before)
    canvas.toggle_group(group)
    assert group not in canvas.expanded


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


def test_enter_opens_the_current_group(qtbot: QtBot, canvas: GraphCanvas) -> None:
    item = first_closed_group(canvas)
    assert canvas.scene is not None
    group = canvas.scene.items.ids[item]
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=centre(canvas, item))
    with qtbot.waitSignal(canvas.group_toggled) as signal:
        QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert signal.args == [group]


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


def test_themes_and_directions(canvas: GraphCanvas) -> None:
    light = picture(canvas)
    canvas.set_theme("dark")
    dark = picture(canvas)
    assert dark.pixelColor(5, 5).lightness() < 60 < light.pixelColor(5, 5).lightness()
    canvas.set_direction("right")
    scene = canvas.scene
    assert scene is not None
    assert scene.direction == "right"
    assert scene.width > scene.height


def test_simplifications_can_be_switched_off(canvas: GraphCanvas) -> None:
    assert canvas.view is not None
    before = len(canvas.view.boxes)
    canvas.set_hidden_passes(["fold-constants", "show-literals", "group-by-scope"])
    assert canvas.view is not None
    assert len(canvas.view.boxes) != before


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (None, "There is no graph to show."),
        (Unavailable("The compiler crashed."), "The compiler crashed."),
        (GraphBuilder().build(), "This stage is empty"),
    ],
)
def test_what_cannot_be_shown_says_why(
    canvas: GraphCanvas, graph: Graph | Unavailable | None, words: str
) -> None:
    canvas.set_graph(graph, "optimized")
    assert canvas.scene is None
    assert canvas.accessibleDescription().startswith(words)
    picture(canvas)
    for key in (Qt.Key.Key_F, Qt.Key.Key_Z, Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Plus):
        QTest.keyClick(canvas, key)
    QTest.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(50, 50))


def long_program(num_nodes: int, skips: Sequence[tuple[int, int]] = ()) -> Graph:
    builder = GraphBuilder()
    last = builder.add_node("in", NodeKind.INPUT, "input")
    for number in range(num_nodes):
        node = builder.add_node(str(number), NodeKind.EQUATION, ("sin", "cos", "exp")[number % 3])
        builder.add_edge(last, node)
        last = node
    for source, target in skips:
        builder.add_edge(source, target, operand=1)
    return builder.build()


def test_large_graphs_are_laid_out_beside_the_window(qtbot: QtBot, canvas: GraphCanvas) -> None:
    with qtbot.waitSignal(canvas.scene_changed, timeout=20_000):
        canvas.set_graph(long_program(3000), "long")
        assert canvas.is_busy
        assert canvas.scene is None
        picture(canvas)
    assert canvas.scene is not None
    assert not canvas.is_busy


def test_only_the_latest_graph_is_shown(qtbot: QtBot, canvas: GraphCanvas) -> None:
    canvas.set_graph(long_program(4000), "first")
    with qtbot.waitSignal(canvas.scene_changed, timeout=20_000):
        canvas.set_graph(long_program(1000), "second")
    qtbot.wait(50)
    assert canvas.scene is not None
    assert len(canvas.scene.item_of_node) == 1001


def test_a_layout_can_be_stopped(qtbot: QtBot, canvas: GraphCanvas) -> None:
    canvas.set_graph(long_program(5000), "long")
    QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert not canvas.is_busy
    qtbot.wait(50)
    assert canvas.scene is None


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
    builder.add_node("x", NodeKind.EQUATION, "<img src=x>", name="<b>")
    canvas.set_graph(builder.build(), "hostile")
    assert "<img" not in canvas.describe(0)
    picture(canvas)


def test_a_tiny_program_fits_at_once(canvas: GraphCanvas) -> None:
    canvas.set_graph(trace(lambda x: jnp.sin(x) + 1, jnp.ones(3)), "jaxpr")
    scene = canvas.scene
    assert scene is not None
    assert canvas.camera.scale == most_scale(canvas.width(), canvas.height(), 1.0) >= 1.0
    _, bottom = canvas.camera.to_widget(0, scene.height)
    assert bottom <= canvas.height()


def test_a_wide_and_low_picture_is_centred() -> None:
    """It is shown smaller than is readable, so that its width fits: its height is to spare."""
    low = first_camera((1000.0, 300.0), True, 700.0, 600.0)
    assert low.to_widget(0.0, 0.0)[1] == pytest.approx(600.0 - low.to_widget(0.0, 300.0)[1])
    tall = first_camera((1000.0, 3000.0), True, 700.0, 600.0)
    assert 0.0 < tall.to_widget(0.0, 0.0)[1] < 20.0
    thin = first_camera((300.0, 1000.0), False, 600.0, 700.0)
    assert thin.to_widget(0.0, 0.0)[0] == pytest.approx(600.0 - thin.to_widget(300.0, 0.0)[0])


def test_a_later_run_keeps_what_was_opened_and_where_one_looked(
    canvas: GraphCanvas, gradient: Graph
) -> None:
    assert canvas.scene is not None
    group = canvas.scene.items.ids[first_closed_group(canvas)]
    canvas.toggle_group(group)
    canvas.zoom(1.5)
    canvas.pan(40.0, 25.0)
    before = canvas.camera
    canvas.set_graph(dataclasses.replace(gradient), "grad", canvas.keep())
    assert group in canvas.expanded
    assert canvas.camera.scale == before.scale
    assert (canvas.camera.x, canvas.camera.y) == pytest.approx((before.x, before.y))


def test_a_picture_nobody_moved_begins_anew(canvas: GraphCanvas, gradient: Graph) -> None:
    kept = canvas.keep()
    assert kept is not None and kept.place is None
    first = canvas.camera
    canvas.set_graph(dataclasses.replace(gradient), "grad", kept)
    assert canvas.camera == first


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


@pytest.fixture
def page(qtbot: QtBot, gradient: Graph) -> GraphPage:
    page = GraphPage(GraphCanvas())
    qtbot.addWidget(page)
    page.resize(340, 420)  # a third of a small window
    page.show()
    qtbot.waitExposed(page)
    page.canvas.set_graph(gradient, "grad")
    qtbot.waitUntil(page.canvas.legend.isVisible)
    return page


def test_the_next_run_opens_what_the_first_one_did(qtbot: QtBot, gradient: Graph) -> None:
    for width in range(300, 620, 20):
        page = GraphPage(GraphCanvas())
        qtbot.addWidget(page)
        page.resize(width, 420)
        page.show()
        qtbot.waitExposed(page)
        page.canvas.set_graph(gradient, "grad")
        qtbot.waitUntil(page.canvas.legend.isVisible)
        before = page.canvas.scene
        page.canvas.set_graph(gradient, "grad")
        after = page.canvas.scene
        assert before is not None and after is not None
        assert after.opened == before.opened, width


def test_nothing_lies_over_the_picture(qtbot: QtBot, page: GraphPage) -> None:
    canvas = page.canvas
    canvas.zoom(4.0)
    qtbot.waitUntil(canvas.minimap.isVisible)
    for extra in (canvas.legend, canvas.minimap):
        assert page.rect().contains(extra.geometry())
        assert not canvas.geometry().intersects(extra.geometry())


def test_the_overview_goes_once_all_is_in_sight(qtbot: QtBot, page: GraphPage) -> None:
    page.canvas.zoom(4.0)
    qtbot.waitUntil(page.canvas.minimap.isVisible)
    QTest.keyClick(page.canvas, Qt.Key.Key_F)
    qtbot.waitUntil(page.canvas.minimap.isHidden)


def test_a_legend_without_room_opens_on_a_click(qtbot: QtBot, page: GraphPage) -> None:
    legend, canvas = page.canvas.legend, page.canvas
    canvas.set_highlight({0}, {1}, {2})
    canvas.set_text_scale(2.0)
    qtbot.waitUntil(lambda: legend.height() > 50)
    height = legend.height()
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: legend.height() > height)
    assert "linked, backward" in legend.accessibleDescription()
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: legend.height() == height)


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


def test_an_edited_program_keeps_what_was_opened_and_where_one_looked(
    canvas: GraphCanvas,
) -> None:
    def program(num_first: int) -> Graph:
        def body(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
            return jnp.tanh(carry) * 2, None

        def other(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
            return jnp.log1p(carry) + carry, None

        def run(x: jax.Array) -> jax.Array:
            for _ in range(num_first):
                x = jnp.sin(x)
            x = jnp.cos(jax.lax.scan(body, x, None, length=3)[0])
            return jnp.exp(jax.lax.scan(other, x, None, length=5)[0])

        return trace(run, jnp.ones(3))

    def middle(node: int) -> tuple[float, float]:
        scene = canvas.scene
        assert scene is not None
        x, y, width, _ = scene.items.rect[int(scene.item_of_node[node])].tolist()
        return canvas.camera.to_widget(x + width / 2, y)

    def find(operation: str) -> int:
        view = canvas.view
        assert view is not None
        operations = [view.graph.string(view.graph.nodes.operation, n)
                      for n in range(len(view.graph.nodes))]  # fmt: skip
        return operations.index(operation)

    canvas.set_graph(program(2), "jaxpr")
    canvas.collapse_all()
    assert canvas.view is not None and canvas.scene is not None
    scans = [box.id for box in canvas.view.boxes if box.label and box.node != NONE]
    canvas.toggle_group(scans[-1])
    cosine = find("cos")
    left, top = middle(cosine)
    canvas.pan(left - canvas.width() / 2, top - canvas.height() / 2)
    held = middle(cosine)
    canvas.set_graph(program(3), "jaxpr", canvas.keep())
    assert canvas.view is not None
    again = [box.id for box in canvas.view.boxes if box.label and box.node != NONE]
    assert again != scans
    assert again[-1] in canvas.expanded
    assert again[0] not in canvas.expanded
    assert middle(find("cos")) == pytest.approx(held)


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
