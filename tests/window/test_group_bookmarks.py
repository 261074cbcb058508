"""A bookmark of a closed group: one place, named like the box, found again when reopened."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from jaxscope.model import Bookmark, Capture, Cost, GraphBuilder, NodeKind, Stage, StageText
from jaxscope.report.bookmarks import find_marked_places
from jaxscope.schema.archive import decode_bookmarks, load_capture
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.selection.selection import GroupPlace
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture
from .test_bookmarks import page_of, rows
from .test_window import capture_of

GROUP = "root/repeat:1"
LABEL = "layer ×4"


def layers_of(source: Path) -> Capture:
    """Four layers of five equations, which the view gathers in a box."""
    builder = GraphBuilder()
    last = builder.add_node("x", NodeKind.INPUT, "x", name="x", types=["f32[3]"])
    for number in range(20):
        operation = ("dot_general", "sin", "mul", "add", "tanh")[number % 5]
        node = builder.add_node(
            str(number),
            NodeKind.EQUATION,
            operation,
            name=f"v{number}",
            types=["f32[3]"],
            scope=[f"layer{number // 5}"],
        )
        builder.add_edge(last, node, operand=0, type="f32[3]")
        last = node
    out = builder.add_node("out0", NodeKind.OUTPUT, "out", types=["f32[3]"])
    builder.add_edge(last, out, operand=0, type="f32[3]")
    text = StageText("", np.full(1, -1, np.int32))
    stage = Stage("jaxpr", "jaxpr", text, builder.build(), Cost(0.0, 0.0, 0.0), 0.0)
    return dataclasses.replace(capture_of(source), stages=(stage,))


def canvas_of(window: MainWindow) -> GraphCanvas:
    area = window.workspace.area
    pane = next(each for each in area.panes if each.wanted_stage == "jaxpr")
    assert pane.canvas is not None
    return pane.canvas


def told(window: MainWindow) -> str:
    """What the inspector says."""
    return window.workspace.inspector.page.toPlainText().replace("\u200b", "")


def item_of(canvas: GraphCanvas, group: str) -> int:
    assert canvas.scene is not None
    return canvas.scene.item_of_id[group]


def click(qtbot: QtBot, canvas: GraphCanvas, group: str) -> None:
    """Click the middle of a box."""
    assert canvas.scene is not None
    x, y, width, height = canvas.scene.items.rect[item_of(canvas, group)].tolist()
    place = canvas.camera.to_widget(x + width / 2, y + height / 2)
    qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, pos=QPoint(*(int(each) for each in place)))


def test_a_closed_group_is_one_bookmark_and_is_found_when_reopened(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path, qtbot: QtBot
):
    driver.finish(driver.open(source), layers_of(source))
    page, selection, canvas = page_of(window), window.workspace.selection, canvas_of(window)
    canvas.collapse_all()
    click(qtbot, canvas, GROUP)
    assert selection.places == (GroupPlace("jaxpr", GROUP, LABEL),)
    assert len(selection.links.stages["jaxpr"].selected) == 20
    assert LABEL in told(window) and "20 equations" in told(window)
    page.toggle()
    assert rows(page) == [("jaxpr · group", LABEL, "")]
    window.workspace.bookmarks.set_note(GroupPlace("jaxpr", GROUP, LABEL), "why four?")
    noted = canvas.highlight.noted.tolist()
    assert noted == [item_of(canvas, GROUP)]
    assert "why four?" in canvas.describe(noted[0])
    path = tmp_path / "kept.jaxscope"
    with qtbot.waitSignal(window.files.captures.saved):
        window.files.save(str(path))
    assert load_capture(path).bookmarks == (Bookmark("jaxpr", GROUP, "why four?", LABEL),)
    with qtbot.waitSignal(window.files.captures.opened):
        window.open_path(str(path))
    canvas = canvas_of(window)
    canvas.collapse_all()
    page.go_next()
    assert selection.places == (GroupPlace("jaxpr", GROUP, LABEL),)
    assert canvas.highlight.selected.tolist() == [item_of(canvas, GROUP)]
    page.toggle()
    assert rows(page) == []


def test_a_group_inside_closed_groups_is_shown(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), layers_of(source))
    canvas = canvas_of(window)
    canvas.collapse_all()
    inner = "root/scope:layer2"
    window.workspace.bookmarks.show((Bookmark("jaxpr", inner, "", "layer2"),))
    page_of(window).go_next()
    group = item_of(canvas, inner)  # one of alike groups is shown by being open
    assert canvas.scene is not None
    assert {int(canvas.scene.items.parent[i]) for i in canvas.highlight.selected} == {group}
    assert canvas.expanded == {GROUP, inner}


def test_a_group_is_bookmarked_from_the_tree_as_from_the_graph(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
):
    driver.finish(driver.open(source), layers_of(source))
    selection = window.workspace.selection
    pane = window.workspace.area.open_pane("jaxpr")
    assert pane is not None
    pane.set_form(Form.TREE)
    tree = pane.outline
    tree.collapseAll()
    rows_of_top = [tree.boxes.index(row, 0) for row in range(tree.boxes.rowCount())]
    branch = next(each for each in rows_of_top if each.data() == LABEL)
    place = tree.visualRect(branch).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert selection.places == (GroupPlace("jaxpr", GROUP, LABEL),)
    assert tree.currentIndex() == branch and not tree.isExpanded(branch), "the eye stays there"
    selection.select_node("jaxpr", 7)
    assert tree.boxes.node_at(tree.currentIndex()) == 7, "another selection is followed"


def test_going_back_selects_the_group_again(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
):
    driver.finish(driver.open(source), layers_of(source))
    selection, canvas = window.workspace.selection, canvas_of(window)
    canvas.collapse_all()
    click(qtbot, canvas, GROUP)
    selection.select_node("jaxpr", 1)
    assert selection.go_back()
    assert selection.places == (GroupPlace("jaxpr", GROUP, LABEL),)


def test_a_group_that_is_gone_says_so(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), layers_of(source))
    window.workspace.bookmarks.show((Bookmark("jaxpr", "root/repeat:9", "", "block ×7"),))
    page_of(window).go_next()
    assert "block ×7 is not in jaxpr now" in window.row.message


def test_bookmarks_of_earlier_files_are_read_and_groups_are_told_in_reports():
    comment = b'{"jaxscope_bookmarks":[{"stage":"jaxpr","place":"0","note":"old"}]}'
    assert decode_bookmarks(comment) == (Bookmark("jaxpr", "0", "old"),)
    marked = dataclasses.replace(build_capture(), bookmarks=(Bookmark("jaxpr", GROUP, "", LABEL),))
    (found,) = find_marked_places(marked)
    assert (found.where, found.what) == ("jaxpr", LABEL)
