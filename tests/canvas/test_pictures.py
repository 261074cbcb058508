"""What a canvas shows of a graph, and what it keeps from one picture to the next."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from canvas.screen import first_closed_group, long_program, picture
from contrast import contrast
from jaxscope.model import NONE, Graph, GraphBuilder, GroupKind, NodeKind, Unavailable
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.palette import (
    BOLD_LINE_PX,
    FUSION_FRAME,
    LINE_NAMES,
    PALETTES,
    STYLE_NAMES,
)
from jaxscope.picture.scene.first_picture import LEAST_FRAMED, OVERVIEW_PX, SIDE_PX, WHOLE_SCALE
from jaxscope.picture.scene.scene import HEADER_PX, SMALL_SIGN_PX
from jaxscope.picture.tint.classes import FATES
from jaxscope.picture.view.operations import Style
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.graph_page import GraphPage
from jaxscope.ui.canvas.legend import (
    _MORE_PX,
    _TEXT_PX,
    LegendEntry,
    list_entries,
    words_alone,
)
from jaxscope.ui.canvas.navigation import MARGIN_PX, first_camera, most_scale
from jaxscope.ui.canvas.scene_painter import colors, measure_indent
from view.programs import compile_module, trace


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


def nested_program(depth: int) -> Graph:
    """Each group has the next one in it."""
    builder, group = GraphBuilder(), NONE
    for number in range(depth):
        owner = builder.add_node(str(number), NodeKind.EQUATION, "jit", group=group)
        group = builder.add_group(f"g{number}", GroupKind.JAXPR, "jit", parent=group, owner=owner)
    builder.add_node("in", NodeKind.EQUATION, "sin", group=group)
    return builder.build()


@pytest.mark.parametrize("graph", (long_program(3000), nested_program(40)), ids=("long", "deep"))
def test_large_graphs_are_laid_out_beside_the_window(
    qtbot: QtBot, canvas: GraphCanvas, graph: Graph
) -> None:
    with qtbot.waitSignal(canvas.scene_changed, timeout=20_000):
        canvas.set_graph(graph, "large")
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


def test_a_picture_that_can_be_read_is_shown_whole() -> None:
    """Its width asks for a scale of 0.72, its height for a tenth less."""
    camera = first_camera((1129.0, 834.0), True, 833.0, 560.0)
    assert camera.to_widget(0.0, 0.0)[1] >= 0.0
    assert camera.to_widget(0.0, 834.0)[1] <= 560.0
    longer = first_camera((1129.0, 1200.0), True, 833.0, 560.0)
    assert longer.to_widget(0.0, 1200.0)[1] > 560.0
    assert longer.scale == pytest.approx(817.0 / 1129.0)


def test_small_type_gets_what_it_needs_of_the_margin() -> None:
    """24 pixels stayed free at each side of a third view with type of 9 pixels."""
    small = first_camera((800.0, 900.0), True, 700.0, 1260.0)
    assert small.scale == pytest.approx((700.0 - 2 * SIDE_PX) / 800.0)
    nearly = first_camera((670.0, 900.0), True, 700.0, 1260.0)
    assert nearly.scale == pytest.approx(1.0) and nearly.to_widget(0.0, 0.0)[0] > SIDE_PX
    large = first_camera((600.0, 900.0), True, 700.0, 1260.0)
    assert large.scale == pytest.approx((700.0 - 2 * MARGIN_PX) / 600.0)


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
    assert kept is not None and kept.middle is None
    first = canvas.camera
    canvas.set_graph(dataclasses.replace(gradient), "grad", kept)
    assert canvas.camera == first


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


@pytest.mark.slow
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


def test_a_presented_picture_has_the_way_to_what_is_out_of_sight(
    qtbot: QtBot, page: GraphPage
) -> None:
    page.set_bare(is_bare=True)
    page.canvas.zoom(4.0)
    qtbot.waitUntil(page.canvas.minimap.isVisible)
    assert page.canvas.legend.isVisible(), "nothing else says from afar what colours mean"
    page.canvas.fit()
    qtbot.waitUntil(page.canvas.minimap.isHidden)


def test_the_overview_is_calm_where_a_group_is_opened_and_the_room_changes(
    qtbot: QtBot, page: GraphPage
) -> None:
    page.canvas.collapse_all()
    scene = page.canvas.scene
    assert scene is not None
    page.canvas.toggle_group(scene.items.ids[scene.items.is_group.tolist().index(True)])
    changes: list[bool] = []
    page.canvas.minimap.need_changed.connect(lambda: changes.append(True))
    for height in range(300, 1200, 30):
        page.resize(340 + height // 3, height)
        for _ in range(10):
            QApplication.processEvents()
        changes.clear()
        for _ in range(10):
            QApplication.processEvents()
        assert not changes, height


def sees_all(size: tuple[float, float], page: tuple[float, float], overview_px: int) -> bool:
    """Whether all of a picture is seen, where an overview takes so much of the page's width."""
    width, height = page[0] - overview_px, page[1]
    camera = first_camera(size, True, width, height)
    right, low = camera.x + width / camera.scale, camera.y + height / camera.scale
    return camera.x <= 2 and camera.y <= 2 and right >= size[0] - 2 and low >= size[1] - 2


def test_the_overview_does_not_make_itself_needless() -> None:
    """Else it goes, the picture gets wider and longer, and it comes again, without end."""
    for height in range(400, 2400, 8):
        size = (442.0, float(height))
        if not sees_all(size, (431.0, 753.0), 0):
            assert not sees_all(size, (431.0, 753.0), OVERVIEW_PX), height


def test_the_overview_is_calm_where_a_picture_is_a_little_too_long(
    qtbot: QtBot, page: GraphPage
) -> None:
    changes: list[bool] = []
    page.canvas.minimap.need_changed.connect(lambda: changes.append(True))
    for height in range(300, 640, 10):
        page.resize(340, height)
        for _ in range(10):
            QApplication.processEvents()
        changes.clear()
        for _ in range(10):
            QApplication.processEvents()
        assert not changes, height


def test_the_overview_frames_calmly_what_is_in_sight(qtbot: QtBot, page: GraphPage) -> None:
    page.canvas.zoom(4.0)
    qtbot.waitUntil(page.canvas.minimap.isVisible)
    QApplication.processEvents()
    image, palette = page.canvas.minimap.grab().toImage(), PALETTES["light"]
    names = {
        image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())
    }
    assert palette.muted in names, "a thin frame around what is in sight"
    assert palette.selected not in names, "the colour of what is selected"


def test_the_legend_explains_the_tints_of_open_groups(canvas: GraphCanvas) -> None:
    assert canvas.legend.names[:2] == ("forward", "backward")
    module = compile_module(lambda x: jnp.sin(x) * 2 + x, jnp.ones(8))
    canvas.set_graph(module, "optimized")
    scene = canvas.scene
    assert scene is not None and scene.items.num_frames == 1, "the fusion is open"
    assert scene.items.ground[0] == FUSION_FRAME
    assert "fusion" in canvas.legend.names and "forward" not in canvas.legend.names
    place = canvas.camera.to_widget(*(scene.items.rect[0, :2] + (5.0, HEADER_PX + 5.0)))
    ground = picture(canvas).pixelColor(*map(round, place))
    assert ground.name() == PALETTES["light"].frame_fill[FUSION_FRAME]


def test_the_legend_shows_residuals_as_a_line(canvas: GraphCanvas) -> None:
    legend, found = canvas.legend, colors("light")
    residual, white = QColor("#c04000"), QColor("#ffffff")
    line = LegendEntry("residual", residual, QPen(residual, BOLD_LINE_PX), is_line=True)
    box = LegendEntry("box", white, QPen(residual, BOLD_LINE_PX))
    legend.resize(400, 40)
    legend.show_entries((line, box), found)
    image = legend.grab().toImage()
    (first, _, _), (second, _, _) = legend._place(legend.width()).places

    def rows_of(left: float) -> int:
        """How many pixels of a column through the swatch have not the ground's colour."""
        column = [image.pixelColor(round(left) + 4, y) for y in range(3, image.height())]
        return sum(color != found.background for color in column)

    assert 1 <= rows_of(first) <= 3 < rows_of(second)


def test_what_a_loop_carries_is_told_by_the_legend_and_in_small_pictures(qtbot: QtBot) -> None:
    def cumulate(x: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda total, each: (total + each, total), 0.0, x)[1]

    canvas = show(qtbot, trace(cumulate, jnp.ones(5)), 900, 700).canvas
    drawing, scene = canvas._drawing, canvas.scene
    assert drawing is not None and scene is not None
    assert scene.lines.is_return.sum() == 1 and "carry" in canvas.legend.names
    whole = (0.0, 0.0, scene.width, scene.height)
    groups = range(scene.items.num_frames)
    small = WHOLE_SCALE  # the least at which a picture is shown that can be seen whole
    told = [label.line for n in groups for label in drawing.labels_in(n, whole, small)]
    assert told == np.flatnonzero(scene.lines.is_return).tolist()
    canvas = show(qtbot, trace(jnp.cumsum, jnp.ones(5)), 900, 700).canvas
    assert "carry" not in canvas.legend.names


OUTLINES = ["selected", "linked", "linked, forward", "linked, backward"]


def test_the_legend_explains_no_outline_that_is_not_in_sight(qtbot: QtBot, page: GraphPage) -> None:
    canvas = page.canvas

    def outlines() -> list[str]:
        return [name for name in canvas.legend.names if name in OUTLINES]

    canvas.fit()
    scene = canvas.scene
    assert scene is not None
    inside = [n for n, item in enumerate(scene.item_of_node) if item >= 0]
    canvas.set_highlight({inside[0]}, set(), set())
    assert outlines() == ["selected"]
    canvas.set_highlight(set(), {inside[0]}, {inside[1]})
    assert outlines() == ["linked, forward", "linked, backward"]
    canvas.set_highlight(set(), {inside[0]}, set())
    assert outlines() == ["linked"], "without a backward part there is no forward one"
    canvas.set_highlight(set(), set(), set())
    assert outlines() == []


def test_what_the_legend_leaves_out_is_said_beside_its_last_entry(page: GraphPage) -> None:
    legend, limited = page.canvas.legend, 0
    entries = [dataclasses.replace(entry, is_told=False) for entry in legend._entries]
    legend.show_entries(entries, colors("light"))
    for width in range(100, 600):
        places, is_cut, density, _ = legend._place(width)
        if is_cut and places:
            limited += 1
            x, _, wide = places[-1]
            assert x + wide + density.gap_px <= width - density.side_px - _MORE_PX
    assert limited


def test_a_legend_has_one_row_and_stands_nearer_together_before_it_leaves_anything_out(
    page: GraphPage,
) -> None:
    legend, looks = page.canvas.legend, []
    entries = [dataclasses.replace(entry, is_told=False) for entry in legend._entries]
    legend.show_entries(entries, colors("light"))
    for width in range(1200, 60, -1):
        places, is_cut, density, entries = legend._place(width)
        assert sorted(entry.name for entry in entries) == sorted(legend.names)
        assert is_cut == (len(places) < len(legend.names))
        assert all(row == 0 for _, row, _ in places)
        looks.append((is_cut, -density.swatch_px))
    assert looks == sorted(looks)
    assert len(set(looks)) == 4  # wide, near, names on their colours, and then cut


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_where_there_is_little_room_names_stand_on_their_colours(
    page: GraphPage, theme: str
) -> None:
    """A swatch beside a name is then as wide as a letter, and reads as one."""
    legend = page.canvas.legend
    found = colors(theme)
    names = ("residual", "contraction", "data movement", "reduction")
    fill = QColor(PALETTES[theme].fill[Style.CONTRACTION])
    entries = [
        LegendEntry(name, fill, QPen(found.selected, 1), is_line=name == "residual")
        for name in names
    ]
    legend.resize(310, 30)
    legend.show_entries(entries, found)
    assert list(legend.texts) == list(names)
    places = legend._place(legend.width()).places
    image = legend.grab().toImage()
    for left, _, wide in places[1:]:
        row = [image.pixelColor(x, 13) for x in range(round(left) + 2, round(left + wide) - 2)]
        assert row.count(fill) > len(row) // 3, "the name stands on the swatch"
        assert contrast(found.text.name(), fill.name()) >= 4.5
    left, _, wide = places[0]
    row = [image.pixelColor(x, 6) for x in range(round(left), round(left + wide))]
    assert fill not in row, "of a line nothing is filled"


def test_a_legend_stands_nearer_together_before_it_leaves_out_the_parts_of_a_gradient(
    page: GraphPage,
) -> None:
    """They are the first thing that a picture of a gradient is looked at for, and coloured."""
    legend, found = page.canvas.legend, colors("light")
    names = ("forward", "backward", "residual", "argument", "reduction", "group", "result")
    told = {"forward", "backward", "argument", "result"}
    entries = [
        LegendEntry(name, QColor("white"), QPen(found.selected, 1), is_told=name in told)
        for name in names
    ]
    legend.show_entries(entries, found)
    seen = set()
    for width in range(900, 150, -1):
        legend.resize(width, 30)
        texts = list(legend.texts)
        seen.add(len(texts))
        if len(texts) >= 5:
            assert texts[:3] == list(names[:3])
        assert ("forward" in texts) == ("backward" in texts)
    assert {5, 7} <= seen


def test_a_legend_without_room_leaves_out_first_what_boxes_tell_themselves(
    page: GraphPage,
) -> None:
    legend, found = page.canvas.legend, colors("light")
    names = ("forward", "backward", "residual", "result", "reduction", "fusion", "group", "carry")
    first = ["forward", "backward", "residual", "carry"]
    entries = [LegendEntry(name, QColor("white"), QPen(found.selected, 1)) for name in names]
    legend.show_entries(entries, found)
    for width in range(80, 1200, 10):
        places, is_cut, _, ordered = legend._place(width)
        shown = [entry.name for entry in ordered[: len(places)]]
        if not is_cut:
            assert shown == list(names)
            continue
        assert shown[:4] == first[: len(shown)], "parts of a gradient and lines come first"
        if not {"reduction", "fusion"} <= set(shown):
            assert not {"result", "group"} & set(shown)


def test_what_boxes_say_themselves_gives_way_to_all_other_entries(page: GraphPage) -> None:
    legend, found = page.canvas.legend, colors("light")
    names = ("forward", "backward", "residual", "argument", "contraction", "data movement")
    entries = [
        LegendEntry(name, QColor("white"), QPen(found.selected, 1), is_told=name in names[:2])
        for name in names
    ]
    legend.resize(312, 30)
    legend.show_entries(entries, found)
    assert list(legend.texts) == list(names[2:]), "all in one line of a third view"
    painted = legend.grab().toImage()
    legend.show_entries(entries[2:], found)
    assert legend.grab().toImage() == painted, "nothing is said to be left out"
    legend.show_entries(entries, found)
    QTest.mouseClick(legend, Qt.MouseButton.LeftButton)
    assert list(legend.texts) == list(names), "a click shows these, too"
    legend.resize(1000, 30)
    assert list(legend.texts) == list(names), "and a wide view"


def test_what_boxes_say_themselves_has_the_room_that_is_left(page: GraphPage) -> None:
    """So a third view that has room for it leaves nothing out."""
    legend, found = page.canvas.legend, colors("light")
    names = ("forward", "backward", "residual", "argument", "control flow")
    told = ("forward", "backward", "control flow")
    entries = [
        LegendEntry(name, QColor("white"), QPen(found.selected, 1), is_told=name in told)
        for name in names
    ]
    legend.show_entries(entries, found)
    numbers = []
    for width in range(120, 600, 4):
        legend.resize(width, 30)
        texts = list(legend.texts)
        numbers.append(len(texts))
        placed = legend._place(width)
        if placed.is_cut:
            continue
        assert {"residual", "argument"} <= set(texts) <= set(names)
        assert ("forward" in texts) is ("backward" in texts), "one of both would be a question"
        last, _, wide = placed.places[-1]
        assert last + wide <= width - placed.density.side_px + 0.01
        assert sorted(each.name for each in placed.entries) == sorted(names)
    assert {4, 5} <= set(numbers), "the parts of a gradient before others"


def test_a_word_that_is_part_of_another_tells_no_kind(canvas: GraphCanvas) -> None:
    """`second` is no `cond`; and a triangle names no group, which may be of any colour."""
    scene = canvas.scene
    assert scene is not None
    seen = np.arange(len(scene.items))
    frames, groups = scene.items.num_frames, [Style.CONTROL, Style.GROUP, Style.FUSION]
    style = np.resize(np.asarray([int(each) for each in groups]), len(seen))
    titles = np.resize(np.asarray(["the second", "step", "diffusion"]), len(seen)).tolist()
    better = np.resize(np.asarray(["cond", "group 2", "loop_fusion.3"]), len(seen)).tolist()
    for names, is_told in ((titles, False), (better, True)):
        items = dataclasses.replace(scene.items, style=style, titles=tuple(names))
        changed = dataclasses.replace(scene, items=items)
        entries = list_entries(changed, seen[frames:], "light")
        told = {entry.name: entry.is_told for entry in entries}
        assert [told[n] for n in ("control flow", "group", "fusion")] == [is_told] * 3


def test_what_titles_say_is_known_to_the_legend(canvas: GraphCanvas) -> None:
    """By titles alone: what a box does not name itself is never left out for it."""
    assert canvas.scene is not None
    seen = np.arange(len(canvas.scene.items))
    told = {entry.name: entry.is_told for entry in list_entries(canvas.scene, seen, "light")}
    assert told["forward"] and told["backward"] and not told["elementwise"]
    titles = tuple("x" for _ in canvas.scene.items.titles)
    items = dataclasses.replace(canvas.scene.items, titles=titles)
    bare = dataclasses.replace(canvas.scene, items=items)
    others = {entry.name: entry.is_told for entry in list_entries(bare, seen, "light")}
    assert not any(others[name] for name in ("forward", "backward"))


def test_the_legend_explains_what_devices_do_along_an_axis(canvas: GraphCanvas) -> None:
    mesh = jax.sharding.Mesh(np.array(jax.devices()[:1]), ("devices",))
    spec = jax.sharding.PartitionSpec

    def product(a: jax.Array, b: jax.Array) -> jax.Array:
        specs = {"in_specs": (spec(None, "devices"), spec("devices", None)), "out_specs": spec()}
        part = jax.shard_map(lambda a, b: jax.lax.psum(a @ b, "devices"), mesh=mesh, **specs)
        return part(a, b)

    graph = trace(product, jnp.ones((4, 8)), jnp.ones((8, 4)))
    assert "{V:devices}" in str(jax.make_jaxpr(product)(jnp.ones((4, 8)), jnp.ones((8, 4))))
    canvas.set_graph(graph, "shard_map")
    canvas.expand_all()
    entry = next(each for each in canvas.legend._entries if each.name.startswith("V: "))
    assert entry.name == "V: may differ between devices"
    assert "varies over devices of the mesh" in entry.hint
    canvas.set_graph(trace(jnp.sin, jnp.ones(3)), "plain")
    assert not [name for name in canvas.legend.names if name.startswith("V: ")]


def test_a_short_name_stands_where_there_is_little_room(page: GraphPage) -> None:
    legend, found = page.canvas.legend, colors("light")
    entries = [words_alone("types: on each of 8 devices", found, "types: per device")]
    entries += [LegendEntry("collective: devices exchange", QColor("white"), QPen(found.selected))]
    entries[1] = dataclasses.replace(entries[1], short="collective")
    legend.show_entries(entries, found)
    legend.resize(312, 30)
    assert list(legend.texts) == ["types: per device", "collective"]
    legend.resize(600, 30)
    assert list(legend.texts) == ["types: on each of 8 devices", "collective: devices exchange"]


def test_a_legend_without_room_opens_on_a_click(qtbot: QtBot, page: GraphPage) -> None:
    legend, canvas = page.canvas.legend, page.canvas
    canvas.set_highlight({0}, {1}, {2})
    canvas.set_text_scale(2.0)
    qtbot.waitUntil(lambda: legend.height() > 50)
    height = legend.height()
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: legend.height() > height)
    assert "selected" in legend.accessibleDescription()
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: legend.height() == height)


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


def test_a_selection_moves_nothing(page: GraphPage) -> None:
    canvas = page.canvas
    assert canvas.scene is not None
    nodes = [canvas.scene.nodes_of_item(item).tolist() for item in range(len(canvas.scene.items))]
    one, two, three = [each for each in nodes if each][:3]
    for width in range(240, 1100, 40):
        page.resize(width, 420)
        canvas.set_highlight(set(), set(), set())
        heights = [canvas.legend.heightForWidth(width)]
        canvas.set_highlight(set(one), set(two), set(three))
        heights.append(canvas.legend.heightForWidth(width))
        canvas.set_highlight(set(), set(), set())
        assert heights[0] == heights[1], width


def test_lines_to_what_is_out_of_focus_are_faint_too(page: GraphPage) -> None:
    """A line of full strength would lead to a box that is hardly there."""
    canvas = page.canvas
    scene = canvas.scene
    assert scene is not None
    canvas.go_to_beginning()
    canvas.zoom(WHOLE_SCALE / canvas.camera.scale)  # arrowheads of many pixels
    canvas.set_focus([])
    faint = picture(canvas)
    canvas.set_focus(None)
    full = picture(canvas)
    camera, lines = canvas.camera, scene.lines
    num_seen = 0
    for line in np.flatnonzero(lines.has_arrow & (lines.target >= scene.items.num_frames)).tolist():
        x, y = camera.to_widget(*lines.corners(line)[-1].tolist())
        above = [QPoint(round(x) + dx, round(y) - 4) for dx in (-1, 0, 1)]  # in its arrowhead
        if canvas.rect().contains(QRect(above[0], above[-1])):
            strong = min(full.pixelColor(at).lightness() for at in above)
            weak = min(faint.pixelColor(at).lightness() for at in above)
            assert weak > strong + 60
            num_seen += 1
    assert num_seen


def test_a_legend_that_asks_for_another_row_gets_it(qtbot: QtBot, page: GraphPage) -> None:
    """Once it was opened, also where nothing but what is in sight has changed."""
    legend, found = page.canvas.legend, colors("light")
    legend.show_entries([words_alone(f"kind number {n} of all", found) for n in range(30)], found)
    qtbot.mouseClick(legend, Qt.MouseButton.LeftButton)
    assert legend.is_open
    for num in (1, 30, 1):
        entries = [words_alone(f"kind number {n} of all", found) for n in range(num)]
        legend.show_entries(entries, found)
        assert legend.heightForWidth(legend.width()) > 0
        qtbot.waitUntil(lambda: legend.height() == legend.heightForWidth(legend.width()))
        assert page.canvas.height() + legend.height() <= page.height()


def test_a_name_that_has_room_in_the_legend_is_written_whole(page: GraphPage) -> None:
    """Widths that were added and taken away again are a little smaller: `fused` was `fus…`."""
    legend, found = page.canvas.legend, colors("light")
    names = [name for name, *_ in FATES] + [*STYLE_NAMES.values(), *LINE_NAMES.values()]
    white = QColor("white")
    for name in dict.fromkeys(names):
        legend.show_entries([LegendEntry(name, white, QPen(white))], found)
        for scale in (1.0, 1.1, 1.23):
            legend.set_text_scale(scale)
            legend.resize(900, legend.heightForWidth(900))
            assert legend.texts == [name]
    several = [LegendEntry(name, white, QPen(white)) for name in names[:8]]
    legend.set_text_scale(1.0)
    legend.show_entries(several, found)
    for width in range(300, 1200):  # each way in which entries stand near to each other
        legend.resize(width, 30)
        assert set(legend.texts) <= set(names)


def test_words_alone_stand_whole_in_the_legend(page: GraphPage) -> None:
    told = "B=: axis added by vmap, of arguments and results"
    page.canvas.legend.show_entries((words_alone(told, colors("light")),), colors("light"))
    ((_, _, wide),) = page.canvas.legend._place(500).places
    assert wide == measure_text(told, _TEXT_PX) < 500


def test_what_has_no_box_is_counted(qtbot: QtBot) -> None:
    def spread(x: jax.Array) -> jax.Array:
        return jnp.sin(x) * jax.lax.broadcast(2.0, (3,))  # cast and broadcast in the product's box

    graph = trace(spread, jnp.ones(3))
    num = sum(graph.node(at).kind is NodeKind.EQUATION for at in range(len(graph.nodes)))
    assert (
        show(qtbot, graph, 700, 500).canvas.drawn_text
        == f"{num} equations, {num - 2} in other boxes"
    )
    one = show(qtbot, trace(jnp.sin, jnp.ones(3)), 700, 500).canvas
    assert one.drawn_text == "", "the one has a box"


def test_what_is_left_out_in_an_open_group_is_counted(qtbot: QtBot) -> None:
    def spread(x: jax.Array) -> jax.Array:
        with jax.named_scope("inner"):
            y = jnp.sin(x) * jax.lax.broadcast(2.0, (3,))  # cast and broadcast in its box
            y = jnp.exp(y) @ y
        with jax.named_scope("after"):
            return jnp.tanh(y) + jnp.cos(y)

    graph = trace(spread, jnp.ones(3))
    num = sum(graph.node(at).kind is NodeKind.EQUATION for at in range(len(graph.nodes)))
    page = show(qtbot, graph, 700, 500)
    canvas = page.canvas
    assert canvas.view is not None and canvas.drawn_text == ""
    canvas.set_expanded(canvas.view.all_groups())
    settle(qtbot, page)
    assert canvas.scene is not None and canvas.scene.items.num_frames == 2
    assert canvas.drawn_text == f"{num} equations, 2 in other boxes"


def sees_whole(canvas: GraphCanvas) -> bool:
    scene = canvas.scene
    assert scene is not None
    left, top = canvas.camera.to_widget(0.0, 0.0)
    right, bottom = canvas.camera.to_widget(scene.width, scene.height)
    return min(left, top) >= 0 and right <= canvas.width() and bottom <= canvas.height()


def show(qtbot: QtBot, graph: Graph, width: int, height: int) -> GraphPage:
    page = GraphPage(GraphCanvas())
    qtbot.addWidget(page)
    page.resize(width, height)
    page.show()
    qtbot.waitExposed(page)
    page.canvas.set_graph(graph, "program")
    settle(qtbot, page)
    return page


def settle(qtbot: QtBot, page: GraphPage) -> None:
    """Wait until the page has taken in its size."""
    qtbot.wait(10)
    qtbot.waitUntil(lambda: not page.canvas._resized.isActive() and not page.canvas.is_busy)
    qtbot.wait(10)


@pytest.fixture(scope="module")
def small_gradient() -> Graph:
    def program(x: jax.Array) -> jax.Array:
        return jnp.mean((x + 2) ** 2 + 3)

    return trace(jax.value_and_grad(program), jnp.ones(3))


@pytest.mark.parametrize("low", [510, 400, 270])
def test_what_was_seen_whole_is_so_in_a_lower_room_and_as_before_in_the_old_one(
    qtbot: QtBot, small_gradient: Graph, low: int
) -> None:
    """A line about an error above it, or a page below it, takes some of its height."""
    page = show(qtbot, small_gradient, 830, 580)
    canvas = page.canvas
    assert sees_whole(canvas)
    before, opened = canvas.camera, canvas.expanded
    page.resize(830, low)
    settle(qtbot, page)
    assert sees_whole(canvas)
    assert canvas.camera.scale < before.scale
    assert canvas.expanded == opened
    page.resize(830, 580)
    settle(qtbot, page)
    assert canvas.camera == before
    canvas.pan(5.0, 5.0)
    moved = canvas.camera
    page.resize(830, low)
    settle(qtbot, page)
    assert canvas.camera == moved, "a person has moved it"


def test_a_first_picture_above_a_page_is_whole_as_one_that_was_there_before(
    qtbot: QtBot, small_gradient: Graph
) -> None:
    assert sees_whole(show(qtbot, small_gradient, 830, 580).canvas)
    canvas = show(qtbot, small_gradient, 830, 360).canvas
    assert sees_whole(canvas)
    assert 0.45 <= canvas.camera.scale < LEAST_FRAMED
    drawing = canvas._drawing
    assert drawing is not None
    titles = drawing.list_titles(canvas.camera.scale)
    items = drawing.scene.items
    assert len(titles) == 2
    assert all(title.text == items.titles[title.item] for title in titles), "none is cut short"


@pytest.mark.parametrize("low", [360, 330])
def test_a_picture_that_comes_to_be_above_a_page_is_as_if_it_had_been_opened_there(
    qtbot: QtBot, small_gradient: Graph, low: int
) -> None:
    """As small as it is then the titles of its boxes would be cut in those of the larger room."""
    page = show(qtbot, small_gradient, 830, 580)
    canvas = page.canvas
    before, opened = canvas.camera, canvas.expanded
    page.resize(830, low)
    settle(qtbot, page)
    drawing, alone = canvas._drawing, show(qtbot, small_gradient, 830, low).canvas
    assert drawing is not None and sees_whole(canvas)
    assert (canvas.camera, canvas.expanded) == (alone.camera, alone.expanded)
    titles = {title.item: title.text for title in drawing.list_titles(canvas.camera.scale)}
    assert all(text == drawing.scene.items.titles[item] for item, text in titles.items())
    page.resize(830, 580)
    settle(qtbot, page)
    assert (canvas.camera, canvas.expanded) == (before, opened)


def test_in_a_room_too_low_for_names_of_closed_groups_a_picture_begins_no_larger(
    qtbot: QtBot,
) -> None:
    """Frames were named there, and nothing in them."""

    def program(w: jax.Array, x: jax.Array) -> jax.Array:
        for name in ("first", "second", "third"):
            with jax.named_scope(name):
                x = jnp.tanh(x @ w) + jnp.sin(x)
        return jnp.mean((x - 1.0) ** 2)

    graph = trace(jax.value_and_grad(program), jnp.ones((4, 4)), jnp.ones((4, 4)))
    page = show(qtbot, graph, 830, 620)
    canvas = page.canvas
    assert sees_whole(canvas)
    before = canvas.camera
    page.resize(830, 200)
    settle(qtbot, page)
    assert 0.4 < canvas.camera.scale < 0.5
    page.resize(830, 620)
    settle(qtbot, page)
    assert canvas.camera == before


def test_in_a_room_too_low_for_any_name_a_picture_begins_no_larger(qtbot: QtBot) -> None:
    def program(x: jax.Array) -> jax.Array:
        for _ in range(4):
            x = jnp.sin(x) + 1.0
        return x

    page = show(qtbot, trace(program, jnp.ones(3)), 600, 800)
    canvas = page.canvas
    assert sees_whole(canvas)
    before = canvas.camera.scale
    page.resize(600, 160)
    settle(qtbot, page)
    assert 0.4 < canvas.camera.scale < 0.5 < before
    assert canvas.camera.to_widget(0.0, 0.0)[1] >= 0.0


def loop_of_steps() -> Graph:
    """A loop that may be opened, and a few equations before and after it."""

    def program(x: jax.Array, w: jax.Array, xs: jax.Array) -> jax.Array:
        def step(h: jax.Array, x: jax.Array) -> tuple[jax.Array, jax.Array]:
            with jax.named_scope("cell"):
                h = jnp.tanh(x @ w + h @ w)
            return h, h.sum()

        h, sums = jax.lax.scan(step, x, xs)
        return jnp.mean((h @ w - 1.0) ** 2) + 0.01 * sums.mean()

    return trace(program, jnp.ones(4), jnp.ones((4, 4)), jnp.ones((12, 4)))


def test_a_wider_room_opens_nothing_that_takes_a_part_out_of_sight(qtbot: QtBot) -> None:
    graph = loop_of_steps()
    page = show(qtbot, graph, 830, 580)
    before = page.canvas.expanded
    assert sees_whole(page.canvas)
    for height in (440, 400):
        page.resize(830, 580)
        settle(qtbot, page)
        page.resize(1276, height)
        settle(qtbot, page)
        assert sees_whole(page.canvas), height
        assert page.canvas.expanded == before, height
    page.resize(1276, 1400)
    settle(qtbot, page)
    assert sees_whole(page.canvas)
    assert page.canvas.expanded > before, "here all of it has room"


def test_a_first_picture_of_a_low_room_opens_what_is_seen_whole(qtbot: QtBot) -> None:
    def program(x: jax.Array, w: jax.Array) -> jax.Array:
        for name in ("embed", *("layer" for _ in range(6)), "normalize", "loss"):
            with jax.named_scope(name):
                for _ in range(3):
                    x = jnp.tanh(x @ w) + jnp.sin(x) * 2.0
        return x.sum()

    graph = trace(program, jnp.ones((4, 4)), jnp.ones((4, 4)))
    for height in (420, 800):
        page = show(qtbot, graph, 1170, height)
        assert sees_whole(page.canvas), height
        assert page.canvas.camera.scale >= LEAST_FRAMED, height
    canvas = show(qtbot, graph, 1170, 280).canvas
    assert canvas.scene is not None
    assert canvas.scene.height * canvas.camera.scale < 2.6 * canvas.height(), "hardly two of it"


class RecordingPainter(QPainter):
    """Paints nothing, and knows where tiles would be."""

    def __init__(self) -> None:
        super().__init__()
        self.lefts: set[float] = set()

    def fillRect(self, *_given: object) -> None:
        pass

    def drawPixmap(self, *given: object) -> None:
        if isinstance(at := given[0], QPointF):
            self.lefts.add(at.x())


def test_tiles_leave_no_seam_wherever_the_picture_begins(canvas: GraphCanvas) -> None:
    """Half a pixel was rounded up for one tile and down for the next."""
    tiles, scale = canvas._tiles, canvas.camera.scale
    assert tiles is not None
    num_halves = 0
    for n in range(200):
        x0 = (n + 0.5) / scale
        painter = RecordingPainter()
        while tiles.paint(painter, x0, 0.0, 1000, 600, scale):
            pass
        assert set(np.diff(sorted(painter.lefts))) <= {256.0}, n
        num_halves += len(painter.lefts) > 1 and x0 * scale != n + 0.5
    assert num_halves > 10, "of which some are a little more or less"


@pytest.mark.parametrize("spare", [9.0, 14.0, 18.0, 40.0])
def test_a_count_beside_a_triangle_is_as_near_to_the_middle_as_it_can_be(spare: float) -> None:
    width = 60.0 + spare
    indent = measure_indent(width, 60.0)
    left = indent + (width - indent - 60.0) / 2
    assert left == pytest.approx(max(spare / 2, SMALL_SIGN_PX)), "clear of it, and no more"
    assert width - left - 60.0 >= 0


def test_a_small_graph_is_presented_whole(qtbot: QtBot, small_gradient: Graph) -> None:
    page = show(qtbot, small_gradient, 900, 700)
    canvas, scale = page.canvas, 3.0  # in type this large its beginning alone would be read
    canvas.present(scale, is_on=True)
    settle(qtbot, page)
    assert canvas.scene is not None
    whole_px = canvas.scene.height * scale
    for share, is_whole in ((0.6, True), (0.3, False)):  # at the second it could not be read
        page.resize(page.width(), page.height() - canvas.height() + round(share * whole_px))
        settle(qtbot, page)
        assert canvas._is_all_in_sight() is is_whole
        assert (canvas.camera.scale < WHOLE_SCALE * scale) is is_whole


def test_a_legend_of_a_narrow_and_high_view_has_two_rows_before_it_leaves_anything_out(
    qtbot: QtBot, page: GraphPage
) -> None:
    legend, found = page.canvas.legend, colors("light")
    names = ("forward", "backward", "residual", "argument", "result", "elementwise", "group")
    names = (*names, "contraction")
    white, pen = QColor("white"), QPen(found.selected, 1)
    entries = [LegendEntry(name, white, pen, is_told=name.startswith(("e", "r"))) for name in names]
    legend.show_entries(entries, found)
    page.resize(312, 780)
    assert list(legend.texts) == list(names)
    rows = [row for _, row, _ in legend._place(312).places]
    assert rows == sorted(rows) and set(rows) == {0, 1}
    qtbot.waitUntil(lambda: legend.height() == legend.heightForWidth(312) > 40)
    legend.show_entries(entries, found, [LegendEntry("selected", white, pen)])
    assert legend.heightForWidth(312) == legend.height(), "a selection moves nothing"
    for width in range(312, 240, -1):  # until one has no room
        placed = legend._place(width)
        if len(placed.places) < len(names):
            break
    legend.resize(width, legend.height())
    assert not placed.is_cut and "argument" in legend.texts, "each such box says that it is one"
    both = [dataclasses.replace(e, is_told=e.name.endswith("ward")) for e in entries]
    legend.show_entries(both, found)
    assert not {"forward", "backward"}.intersection(legend.texts), "one alone would be a question"
    page.resize(312, 480)
    assert len(legend.texts) < len(names), "the picture needs the room"
