"""Panes laid out, moved, named, remembered; ribbons between them."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path

import numpy as np
import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.client.events import Finished
from jaxscope.client.requests import CaptureRequest, OutlineRequest
from jaxscope.model import Direction
from jaxscope.model.outline import OfferedCall, Outline
from jaxscope.picture.tint.classes import ColourBy
from jaxscope.ui.application import build_window
from jaxscope.ui.pages.stepping import SteppingPage
from jaxscope.ui.panes.pane_area import (
    FIRST_ARRANGEMENT,
    WIDE_ARRANGEMENT,
    PaneArea,
    PaneSide,
    PaneSpec,
    Split,
    drop_twins,
    format_arrangement,
    parse_arrangement,
    side_at,
)
from jaxscope.ui.panes.pane_header import SOURCE, Form
from jaxscope.ui.panes.ribbon import RIBBON_PX, RibbonHandle, RibbonSplitter, join_bands
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.session.state import expected_stages
from jaxscope.ui.toolkit.theme import LIGHT
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.menus import PaneCommands
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import SOURCE as TEXT
from .programs import RecordedRun, RecordedSession, build_capture
from .test_keyboard_ways import use
from .test_room import LESSON
from .test_window import capture_of


def shape(part: PaneSpec | Split) -> object:
    """Stages within lists; a list below each other begins with `down`."""
    if isinstance(part, PaneSpec):
        return part.stage
    inner = [shape(each) for each in part.parts]
    return inner if part.is_across else ["down", *inner]


def laid_out(area: PaneArea) -> object:
    return shape(area.arrangement())


def area_of(window: MainWindow) -> PaneArea:
    return window.workspace.area


def test_an_arrangement_survives_being_written_down():
    inner = Split(False, (PaneSpec("jaxpr", "text", "mine"), PaneSpec("hlo")), (3.0, 1.0))
    arrangement = Split(True, (PaneSpec("source", "text"), inner), (1.0, 2.0))
    assert parse_arrangement(format_arrangement(arrangement)) == arrangement


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"is_across": true, "parts": [], "shares": []}',
        format_arrangement(FIRST_ARRANGEMENT).replace('"source"', "7"),
        format_arrangement(FIRST_ARRANGEMENT).replace("34.0", "NaN"),
        format_arrangement(FIRST_ARRANGEMENT).replace("34.0", "9" * 400),
        format_arrangement(Split(True, (PaneSpec("jaxpr"),) * 99, (1.0,) * 99)),
        json.dumps({"is_across": True, "shares": [1.0], "parts": [None]}),
    ],
)
def test_what_is_no_arrangement_is_as_none(text: str):
    assert parse_arrangement(text) is None


def test_panes_split_to_every_side(window: MainWindow):
    area = area_of(window)
    source, jaxpr, optimized = area.panes
    area.open_pane("hlo", after=jaxpr, side=PaneSide.BELOW)
    area.open_pane("stablehlo", after=source, side=PaneSide.LEFT)
    area.open_pane("grad", after=optimized, side=PaneSide.ABOVE)
    assert laid_out(area) == [
        "stablehlo", "source", ["down", "jaxpr", "hlo"], ["down", "grad", "optimized"],
    ]  # fmt: skip
    area.close_pane(jaxpr)
    assert laid_out(area) == ["stablehlo", "source", "hlo", ["down", "grad", "optimized"]]


def test_the_keyboard_goes_from_a_closed_pane_to_the_graph_that_is_left(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    area = area_of(window)
    area.arrange()
    graph = area.panes[1]
    assert graph.canvas is not None
    area.activate(graph)
    window.commands.actions["add_pane"].trigger()
    assert len(area.panes) == 3 and area.active is not graph
    window.commands.actions["close_pane"].trigger()
    assert area.active is graph and QApplication.focusWidget() is graph.canvas
    window.commands.actions["add_pane"].trigger()
    window.focus_call()
    window.commands.actions["close_pane"].trigger()
    assert area.active is graph
    assert QApplication.focusWidget() is window.call_bar.edit, "it was elsewhere"


def shares_of(area: PaneArea) -> list[float]:
    shares = area.arrangement().shares
    return [share / sum(shares) for share in shares]


@pytest.mark.parametrize("at", [0, 1], ids=["source", "program"])
def test_a_closed_pane_comes_back_where_it_was(
    driver: Driver, window: MainWindow, source: Path, at: int
) -> None:
    window.resize(1280, 720)
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.arrange()
    before, shares, stage = laid_out(area), shares_of(area), area.panes[at].wanted_stage
    assert area.panes[1].form is Form.GRAPH
    area.close_pane(area.panes[at])
    assert len(area.panes) == 1
    window.workspace.show_stage(stage)
    assert laid_out(area) == before and area.active is area.panes[at] and area.grows
    assert area.panes[1].form is Form.GRAPH, "not the text that the source is"
    assert shares_of(area) == pytest.approx(shares, abs=0.01)


@pytest.mark.parametrize("at", [0, 1, 2])
def test_a_click_on_the_line_shows_a_stage_in_the_main_view(
    driver: Driver, window: MainWindow, source: Path, at: int
) -> None:
    """Not in the one that was clicked last, which may be the narrow third."""
    window.resize(1600, 900)
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.arrange(WIDE_ARRANGEMENT)
    driver.wait_until(lambda: area.panes[1].width() > 1.5 * area.panes[2].width())
    area.set_stage(area.panes[1], "jaxpr")
    area.activate(area.panes[at])
    (card,) = [c for c in window.strip.cards if c.step is not None and c.step.name == "grad"]
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert laid_out(area) == [SOURCE, "grad", "optimized"]
    assert area.active is area.panes[1]
    (card,) = [c for c in window.strip.cards if c.step is not None and c.step.name == "optimized"]
    QTest.mouseClick(card, Qt.MouseButton.LeftButton)
    assert laid_out(area) == [SOURCE, "grad", "optimized"], "no stage is shown twice"
    assert area.active is area.panes[2]


def test_of_views_as_large_the_one_with_the_keyboard_shows_a_stage(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    window.resize(1600, 900)
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    for at in (0, 1):
        area.arrange(Split(True, (PaneSpec("grad", "graph"), PaneSpec("hlo", "graph")), (1.0, 1.0)))
        area.activate(area.panes[at])
        window.workspace.show_stage("stablehlo")
        assert area.panes[at].wanted_stage == "stablehlo"


@pytest.mark.parametrize("stage", [SOURCE, "jaxpr"])
def test_what_was_never_there_opens_as_in_a_new_window(
    driver: Driver, window: MainWindow, source: Path, stage: str
) -> None:
    """The panes are those of an earlier start, so none was closed in this one."""
    driver.finish(driver.open(source), build_capture())
    area = area_of(window)
    (left,) = {SOURCE, "grad"} - {stage} if stage == SOURCE else {SOURCE}
    area.arrange(Split(True, (PaneSpec(left, "text" if left == SOURCE else "graph"),), (1.0,)))
    window.workspace.show_stage(stage)
    assert laid_out(area) == [SOURCE, "grad" if stage == SOURCE else "jaxpr"]
    assert area.panes[1].form is Form.GRAPH
    assert shares_of(area) == pytest.approx([0.34, 0.66], abs=0.02)


def test_a_closed_pane_comes_back_into_a_column_and_not_where_panes_were_moved(
    window: MainWindow,
) -> None:
    area = area_of(window)
    below = area.open_pane("hlo", after=area.panes[0], side=PaneSide.BELOW)
    kept = [pane for pane in area.panes if pane.wanted_stage != SOURCE]
    area.close_pane(area.panes[0])
    assert laid_out(area) == ["hlo", "jaxpr", "optimized"]
    window.workspace.show_stage(SOURCE)
    assert laid_out(area) == [["down", "source", "hlo"], "jaxpr", "optimized"]
    assert list(area.panes[1:]) == kept, "the others are the same panes as before"
    area.close_pane(area.panes[0])
    assert below is not None
    area.move_pane(below, kept[-1], PaneSide.BELOW)
    window.workspace.show_stage(SOURCE)
    assert laid_out(area) == ["source", "jaxpr", ["down", "optimized", "hlo"]]


def test_without_the_source_the_graph_has_the_room_of_the_lesson(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    window.resize(1280, 720)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    area, inspector = area_of(window), window.workspace.inspector
    area.arrange()
    driver.wait_until(lambda: inspector.height() > area.height() // 3)
    area.close_pane(area.panes[0])
    driver.wait_until(lambda: inspector.isVisible() and inspector.height() < area.height() // 6)
    assert area.panes[0].code.isVisible() or area.panes[0].is_graph_shown
    window.workspace.show_stage(SOURCE)
    driver.wait_until(lambda: inspector.height() > area.height() // 3)


def test_a_split_is_not_taken_along_into_another_file(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    for pane in (area.panes[1], area.panes[0]):
        area.open_pane(pane.wanted_stage, after=pane, side=PaneSide.BELOW)
    assert laid_out(area) == [["down", SOURCE, SOURCE], ["down", "grad", "grad"], "optimized"]
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    window.open_path(str(other))
    driver.wait_until(lambda: window.controller.state.file == str(other))
    assert [type(part) for part in area.arrangement().parts] == [PaneSpec] * 3
    assert len(area.wanted_stages()) == 3


def test_a_pane_moves_beside_another_and_two_swap(window: MainWindow):
    area = area_of(window)
    source, jaxpr, optimized = area.panes
    area.move_pane(source, optimized, PaneSide.BELOW)
    assert laid_out(area) == ["jaxpr", ["down", "optimized", "source"]]
    area.move_pane(jaxpr, source, PaneSide.PLACE)
    assert laid_out(area) == ["source", ["down", "optimized", "jaxpr"]]
    area.focus_next(1)
    area.activate(jaxpr)
    area.move_active(PaneSide.ABOVE)
    assert laid_out(area) == ["source", ["down", "jaxpr", "optimized"]]
    area.move_active(PaneSide.LEFT)
    assert laid_out(area) == ["jaxpr", ["down", "source", "optimized"]]
    area.move_active(PaneSide.LEFT)
    assert laid_out(area) == ["jaxpr", ["down", "source", "optimized"]], "nothing is there"


def test_a_pane_dragged_to_an_edge_lands_there(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    first, second, _third = area.panes
    place = second.mapToGlobal(QPoint(second.width() // 2, second.height() - 5))
    assert side_at(second, place) is PaneSide.BELOW
    grip = first.header.grip
    driver.qtbot.mousePress(grip, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    driver.qtbot.mouseMove(grip, grip.mapFromGlobal(place))
    driver.qtbot.mouseRelease(grip, Qt.MouseButton.LeftButton, pos=grip.mapFromGlobal(place))
    assert laid_out(area) == [["down", "grad", "source"], "optimized"]


def owned_by_others(within: QWidget) -> list[tuple[QObject, str]]:
    """What PySide takes to be owned by a part of a widget that does not hold it."""
    found = [each for each in shiboken6.getAllValidWrappers() if isinstance(each, QObject)]
    by_id = {id(each): each for each in found}
    told = [
        (each, re.search(r"^parent\.+ <.* at 0x(\w+)>", shiboken6.dump(each), re.M))
        for each in found
    ]
    owners = [(each, by_id.get(int(match[1], 16))) for each, match in told if match is not None]
    wrong = []
    for each, owner in owners:
        if isinstance(owner, QWidget) and within.isAncestorOf(owner):
            around = each.parent()
            while around is not None and around is not owner:
                around = around.parent()
            if around is None:
                wrong.append((each, repr(owner)))
    return wrong


def test_a_closed_pane_takes_nothing_of_others_along(
    driver: Driver, window: MainWindow, source: Path, qapp: QApplication
) -> None:
    """Of what PySide takes to be owned by a pane, it lets go with the pane."""
    driver.finish(driver.open(source), capture_of(source))
    area, stepping = area_of(window), window.pages["stepping"]
    assert isinstance(stepping, SteppingPage)
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.workspace.selection.select_lines(str(source), (5, 6))
    for side in (PaneSide.BELOW, PaneSide.RIGHT):
        opened = area.open_pane("hlo", after=area.panes[1], side=side)
        assert opened is not None
        for handle in ribbons(window):
            handle.grab()
        assert not owned_by_others(area)
        opened.header.set_hovered(True)
        opened.header.tab_stops()[-2].setFocus()  # its ×, which is hidden with the keyboard
        assert opened.isAncestorOf(qapp.focusWidget())
        driver.qtbot.mouseClick(opened.header.tab_stops()[-2], Qt.MouseButton.LeftButton)
        assert not owned_by_others(area)
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        assert not shiboken6.isValid(opened)
        kept = (*window.commands.menus.values(), *stepping.compared.values())
        assert all(map(shiboken6.isValid, kept))


def test_every_grip_says_which_pane_it_moves(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.set_stage(area.panes[1], "jaxpr")
    area.panes[2].header.set_name("after XLA")
    told = [pane.header.grip.accessibleName() for pane in area.panes]
    for name, text in zip(("Source", "jaxpr", "after XLA"), told, strict=True):
        assert f"the view {name}," in text


def test_a_second_pane_for_a_stage_shows_it_at_once(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.panes[2].set_form(Form.TEXT)
    second = area.open_pane("optimized", after=area.panes[2], side=PaneSide.BELOW)
    assert second is not None and second.form is Form.TEXT
    assert second.code.lines == area.panes[2].code.lines
    assert second.header.chooser.currentText() == "optimized"


def test_another_active_stage_is_told_once(driver: Driver, window: MainWindow, source: Path):
    area, told = area_of(window), list[str]()
    area.stage_changed.connect(told.append)
    driver.finish(driver.open(source), capture_of(source))
    last = area.panes[-1]
    area.activate(last)
    told.clear()
    others = [pane for pane in area.panes if pane.wanted_stage != last.wanted_stage]
    area.activate(others[0])
    area.activate(others[0])
    assert told == [others[0].wanted_stage]
    area.set_stage(others[1], "hlo")
    assert told == [others[0].wanted_stage], "another pane than the active one"
    area.set_stage(others[0], "stablehlo")
    assert told[1:] == ["stablehlo"]


def test_one_pane_alone_and_all_again(window: MainWindow):
    area = area_of(window)
    area.show_alone()
    assert [not pane.isHidden() for pane in area.panes].count(True) == 1
    area.show_alone()
    assert not any(pane.isHidden() for pane in area.panes)


def test_a_key_leads_from_the_call_into_the_active_view_and_then_on(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    area = area_of(window)
    area.arrange(WIDE_ARRANGEMENT)
    window.activateWindow()
    driver.wait_until(window.isActiveWindow)
    window.call_bar.edit.setFocus()
    area.focus_next(1)
    assert area.active is area.panes[1]
    focused = QApplication.focusWidget()
    assert focused is not None and area.panes[1].isAncestorOf(focused)
    area.focus_next(1)
    assert area.active is area.panes[2]


def test_of_an_arrangement_the_first_view_without_source_is_active(
    driver: Driver, window: MainWindow
) -> None:
    """In a narrow window it stands beside the source, and the third one is out of sight."""
    area = area_of(window)
    area.arrange(WIDE_ARRANGEMENT)
    assert area.active is area.panes[1]
    area.arrange(Split(True, (PaneSpec("source", "text"),), (1.0,)))
    assert area.active is area.panes[0]


def test_views_that_come_after_a_capture_show_stages_that_it_has(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    """An arrangement that is remembered may be of a call with other transforms."""
    capture = build_capture()
    driver.finish(driver.open(source), capture)
    views = (PaneSpec("source", "text"), PaneSpec("vmap(jacfwd)", "graph"))
    area = area_of(window)
    area.arrange(Split(True, views, (0.4, 0.6)))
    assert area.panes[1].wanted_stage in [stage.name for stage in capture.stages]


def test_the_layout_is_there_again_after_a_restart(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
):
    settings = Settings(str(tmp_path / "window.json"))
    bridge = Bridge(lambda: session)
    first = build_window(qapp, bridge, RunOptions(), settings)
    area = area_of(first)
    area.arrange(WIDE_ARRANGEMENT)
    area.open_pane("hlo", after=area.panes[1], side=PaneSide.BELOW)
    area.panes[0].header.set_name("My file")
    area.panes[1].prefer_form(Form.TABLE)
    destroy(first)
    second = build_window(qapp, bridge, RunOptions(), settings)
    again = area_of(second)
    assert laid_out(again) == ["source", ["down", "jaxpr", "hlo"], "optimized"]
    assert again.panes[0].header.name == "My file"
    assert again.panes[1].form is Form.TABLE
    menu = second.findChild(PaneCommands)
    assert menu is not None
    menu.reset()
    assert laid_out(again) == shape(FIRST_ARRANGEMENT)
    destroy(second)
    third = build_window(qapp, bridge, RunOptions(), settings)
    assert laid_out(area_of(third)) == shape(FIRST_ARRANGEMENT)
    destroy(third)
    bridge.close()


def ribbons(window: MainWindow) -> list[RibbonHandle]:
    found = []
    for splitter in area_of(window).findChildren(RibbonSplitter):
        found += [splitter.handle(number) for number in range(1, splitter.count())]
    return [handle for handle in found if isinstance(handle, RibbonHandle)]


def test_ribbons_lead_from_a_line_to_what_came_of_it(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.panes[1].wanted_stage = "jaxpr"
    area.panes_changed.emit()
    for pane in area.panes:
        pane.set_form(Form.TEXT)
    left, middle, right = area.panes
    window.workspace.selection.select_lines(str(source), (5, 6))
    first, second = ribbons(window)
    bands = first.bands(left, middle)
    assert len(bands) == 2, "two lines, an equation each"
    assert np.all(np.diff(bands[:, 0]) > 0) and np.all(np.diff(bands[:, 2]) > 0)
    back = second.bands(middle, right)[:, 4]
    assert set(back.tolist()) == {0.0, 1.0}, "an equation went into both parts"
    name = right.wanted_stage
    middle.wanted_stage = name
    area.panes_changed.emit()
    (graph,) = (each.graph for each in window.controller.state.stages if each.name == name)
    backward = np.flatnonzero(graph.nodes.direction == Direction.BACKWARD).tolist()
    window.workspace.selection.select_nodes(name, backward)
    bands = first.bands(left, middle)
    assert len(bands) and np.all(bands[:, 4] == 1.0), "its lines are marked as backward, too"
    driver.wait_until(lambda: not first.grab().toImage().isNull())
    window.workspace.selection.clear()
    assert not len(first.bands(left, middle))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("form", [Form.TEXT, Form.TABLE, Form.TREE, Form.GRAPH])
def test_ribbons_lead_from_a_pane_to_the_one_below(
    driver: Driver, window: MainWindow, source: Path, form: Form
):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    upper = area.panes[0]
    lower = area.open_pane("jaxpr", after=upper, side=PaneSide.BELOW)
    assert lower is not None
    lower.set_form(form)
    window.workspace.selection.select_lines(str(source), (5, 6))
    between = [each for each in ribbons(window) if each.orientation() == Qt.Orientation.Vertical]
    (ribbon,) = between
    assert ribbon.height() == RIBBON_PX
    driver.wait_until(lambda: len(ribbon.bands(upper, lower)) == 2)
    bands = ribbon.bands(upper, lower)
    corner = ribbon.mapFromGlobal(upper.code.viewport().mapToGlobal(QPoint(0, 0))).x()
    spans = np.asarray(upper.code.spans_of_lines([4, 5])) + corner
    assert np.allclose(np.sort(bands[:, 0]), np.sort(spans[:, 0]), atol=1.0)
    assert np.all(bands[:, 3] > bands[:, 2]) and np.all(bands[:, 3] <= ribbon.width())
    driver.wait_until(lambda: not ribbon.grab().toImage().isNull())
    area.set_ribbons_shown(False)
    driver.wait_until(lambda: ribbon.height() < RIBBON_PX)


def test_hovering_lights_up_other_panes_and_selects_nothing(
    driver: Driver, window: MainWindow, source: Path
):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.panes[2].set_form(Form.TABLE)
    area.panes[0].code.line_hovered.emit(4)
    table = area.panes[2].table
    driver.wait_until(
        lambda: any(
            table.nodes.data(table.nodes.index(row, 0), Qt.ItemDataRole.BackgroundRole)
            for row in range(table.nodes.rowCount())
        )
    )
    assert window.workspace.selection.selection is None
    area.panes[0].code.line_hovered.emit(-1)
    driver.wait_until(
        lambda: (
            not any(
                table.nodes.data(table.nodes.index(row, 0), Qt.ItemDataRole.BackgroundRole)
                for row in range(table.nodes.rowCount())
            )
        )
    )


def test_rows_of_a_table_are_selected_together(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    pane = area_of(window).panes[2]
    pane.set_form(Form.TABLE)

    def click(row: int, modifier: Qt.KeyboardModifier) -> None:
        place = pane.table.visualRect(pane.table.nodes.index(row, 0)).center()
        driver.qtbot.mouseClick(pane.table.viewport(), Qt.MouseButton.LeftButton, modifier, place)

    click(0, Qt.KeyboardModifier.NoModifier)
    click(2, Qt.KeyboardModifier.ShiftModifier)
    assert len(window.workspace.selection.places) == 3
    assert "3 things together" in window.workspace.inspector.page.toPlainText()


def test_boxes_of_a_graph_are_selected_together(driver: Driver, window: MainWindow, source: Path):
    driver.finish(driver.open(source), capture_of(source))
    area = area_of(window)
    area.panes[1].wanted_stage = "jaxpr"
    area.panes_changed.emit()
    pane = area.panes[1]
    canvas = pane.canvas
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None)
    scene = canvas.scene
    assert scene is not None

    def click(node: int, modifier: Qt.KeyboardModifier) -> None:
        x, y, width, height = scene.items.rect[scene.item_of_node[node]].tolist()
        left, top = canvas.camera.to_widget(x + width / 2, y + height / 2)
        place = QPoint(round(left), round(top))
        driver.qtbot.mouseClick(canvas, Qt.MouseButton.LeftButton, modifier, place)

    drawn = [node for node in (1, 2) if scene.item_of_node[node] >= 0]
    assert drawn == [1, 2]
    click(1, Qt.KeyboardModifier.NoModifier)
    click(2, Qt.KeyboardModifier.ControlModifier)
    assert window.workspace.selection.places == (("jaxpr", "0"), ("jaxpr", "1"))
    places = pane.highlighter.places(pane.highlighter.things())
    assert places.shape == (2, 2) and places[0, 0] < places[1, 0]
    click(1, Qt.KeyboardModifier.ControlModifier)
    assert window.workspace.selection.places == (("jaxpr", "1"),)


def test_no_two_commands_of_the_window_share_their_keys(window: MainWindow):
    keys: dict[str, list[str]] = {}
    for action in window.findChildren(QAction):
        for each in action.shortcuts():
            keys.setdefault(each.toString(), []).append(action.text())
    assert {each: texts for each, texts in keys.items() if len(texts) > 1} == {}


def finish_call(driver: Driver, run: RecordedRun, transforms: tuple[str, ...]) -> None:
    names = [name for name in expected_stages(transforms) if name != "gradient"]
    capture = build_capture(dict.fromkeys(names, "in x x\neqn 0 sin <x\nout out0 out <0"))
    driver.finish(run, dataclasses.replace(capture, transforms=transforms))


def test_the_program_that_is_asked_for_is_in_a_pane(
    driver: Driver, window: MainWindow, source: Path
):
    def shown() -> list[str]:
        return [pane.wanted_stage for pane in area_of(window).panes]

    finish_call(driver, driver.open(source), ())
    assert shown() == ["source", "jaxpr", "optimized"]
    for number, (transforms, asked) in enumerate(
        [
            (("grad",), "grad"),
            (("grad", "vmap"), "vmap(grad)"),
            (("grad", "jit"), "grad"),
            (("jit",), "jaxpr"),
        ]
    ):
        window.run_call()
        finish_call(driver, driver.wait_for(CaptureRequest, number + 2), transforms)
        assert shown() == ["source", asked, "optimized"]


def test_another_file_opens_on_its_own_program_and_the_same_one_on_what_was_looked_at(
    driver: Driver, window: MainWindow, source: Path, tmp_path: Path
) -> None:
    def shown() -> list[str]:
        return [pane.wanted_stage for pane in area_of(window).panes]

    finish_call(driver, driver.open(source), ())
    area_of(window).panes[1].wanted_stage = "hlo"
    window.run_call()
    finish_call(driver, driver.wait_for(CaptureRequest, 2), ())
    assert shown() == ["source", "hlo", "optimized"]
    other = tmp_path / "other.py"
    other.write_text(source.read_text())
    window.open_path(str(other))
    outline = driver.wait_for(OutlineRequest, 2)
    outline.tell(Finished(Outline((), (OfferedCall("vmap(f)(f32[3])", 1),), "")))
    finish_call(driver, driver.wait_for(CaptureRequest, 3), ("vmap",))
    assert shown() == ["source", "vmap", "optimized"]


def test_no_stage_is_shown_twice_where_a_remembered_one_is_missing(
    driver: Driver, window: MainWindow, source: Path
):
    remembered = (PaneSpec("source"), PaneSpec("jaxpr"), PaneSpec("vmap(grad)"))
    area_of(window).arrange(Split(True, remembered, (1.0, 1.0, 1.0)))
    finish_call(driver, driver.open(source), ())
    stages = [pane.wanted_stage for pane in area_of(window).panes]
    assert stages == ["source", "jaxpr", "optimized"]


def test_a_stage_never_takes_the_place_of_the_only_source(
    driver: Driver, window: MainWindow, source: Path
) -> None:
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    for pane in [pane for pane in area.panes if pane.wanted_stage != SOURCE]:
        area.close_pane(pane)
    assert [pane.wanted_stage for pane in area.panes] == [SOURCE]
    area.show_in_main("optimized")
    assert [pane.wanted_stage for pane in area.panes] == [SOURCE, "optimized"]
    area.show_in_main("jaxpr")
    assert [pane.wanted_stage for pane in area.panes] == [SOURCE, "jaxpr"]


def test_bands_of_neighbouring_lines_to_one_group_are_one_band() -> None:
    group, line = [100.0, 180.0], 16.0
    bands = [[line * n, line * (n + 1), *group, 0.0] for n in range(20)]
    far = [900.0, 916.0, *group, 0.0]
    back = [line, 2 * line, *group, 1.0]
    joined = join_bands(np.array([*bands, far, back]))
    assert joined.tolist() == [[0.0, 320.0, *group, 0.0], far, back]


def test_one_frame_says_where_the_keyboard_is(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    """The frame of a view has the colour of the keyboard only while the keyboard is in it."""
    driver.finish(driver.open(source), build_capture())
    pane = window.workspace.area.active
    assert pane is not None

    def frame() -> str:
        return pane.grab().toImage().pixelColor(pane.width() // 2, 0).name()

    window.call_bar.edit.setFocus()
    qtbot.waitUntil(lambda: frame() == LIGHT.border)
    pane.focus_content()
    qtbot.waitUntil(lambda: frame() == LIGHT.accent)
    window.call_bar.edit.setFocus()
    qtbot.waitUntil(lambda: frame() == LIGHT.border)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("width", [1280, 1600])
def test_a_pane_that_is_split_off_is_seen(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot, width: int
) -> None:
    """Below where there is no room beside, and nowhere where there is none at all."""
    window.resize(width, 720)
    source.write_text(LESSON + source.read_text())
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    area.arrange(FIRST_ARRANGEMENT)
    qtbot.wait(20)
    said: list[str] = []
    for _ in range(8):
        before = len(area.panes)
        window.commands.actions["add_pane"].trigger()
        qtbot.wait(20)
        seen = [pane for pane in area.panes if pane.isVisible()]
        assert seen == list(area.panes)
        assert min(pane.width() for pane in seen if pane.wanted_stage != "source") >= 200
        assert min(pane.height() for pane in seen) >= 190
        if len(area.panes) == before:
            said.append(window.row.message)
    assert said and set(said) == {"There is no room for another view: close one first."}
    window.show_message("Saved.")
    area.close_pane(area.panes[-1])
    assert window.row.message == "Saved.", "what was said since stays"
    window.show_message(said[0])
    area.close_pane(area.panes[-1])
    assert window.row.message == "", "there is room"
    assert not window.lesson.isHidden()


def test_a_new_pane_shows_another_stage_and_what_is_selected_stays_in_sight(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    area = area_of(window)
    area.arrange()
    pane = area.panes[1]
    driver.wait_until(lambda: pane.canvas is not None and pane.canvas.scene is not None)
    canvas = pane.canvas
    assert canvas is not None and canvas.scene is not None
    last = int(np.argmax(canvas.scene.items.rect[:, 1]))
    window.workspace.selection.select_node("jaxpr", int(canvas.scene.items.node[last]))
    pane.focus_content()
    window.commands.actions["add_pane"].trigger()
    assert area.panes[2].wanted_stage == "optimized"
    window.resize(1280, 560)
    rect = canvas.scene.items.rect[[last]]

    def is_seen() -> bool:
        (x, y, wide, high), camera = rect[0], canvas.camera
        left, top = camera.to_widget(x, y)
        right, bottom = camera.to_widget(x + wide, y + high)
        return left >= 0 and top >= 0 and right <= canvas.width() and bottom <= canvas.height()

    driver.wait_until(lambda: canvas.height() < 260 and is_seen())
    for action in window.commands.menus["Arrange"].actions():
        if action.text() == "Split below":
            action.trigger()
    window.close_pane()
    assert area.active is not None and area.active.wanted_stage != SOURCE
    assert area.active.isAncestorOf(QApplication.focusWidget()), "not in the source"


def test_what_is_split_to_the_right_is_there_also_in_a_narrow_window(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    window.resize(1280, 720)
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    area = area_of(window)
    area.arrange()
    qtbot.wait(20)

    def split() -> None:
        actions = window.commands.menus["Arrange"].actions()
        next(each for each in actions if each.text() == "Split to the right").trigger()
        qtbot.wait(20)

    split()
    code, left, right = (QRect(p.mapTo(window, QPoint()), p.size()) for p in area.panes)
    assert all(pane.isVisible() for pane in area.panes)
    assert code.right() < left.left() and left.right() < right.left()
    assert left.top() == right.top() and min(left.width(), right.width()) > 280
    split()  # each would be too narrow
    assert len(area.panes) == 3 and "room" in window.row.message
    assert area.active is area.panes[2]
    area.close_pane(area.panes[2])
    qtbot.wait(20)
    assert [pane.wanted_stage for pane in area.panes] == ["source", "jaxpr"]
    assert area.panes[1].width() > 2 * left.width() - 40


def test_less_room_never_enlarges_a_picture(
    driver: Driver, window: MainWindow, source: Path, qtbot: QtBot
) -> None:
    """Where the whole would get too small, its beginning is shown no larger than the whole was."""
    window.resize(1280, 720)
    driver.finish(driver.open(source, ("f(f32[3])",)), build_capture())
    area = area_of(window)
    area.arrange()
    driver.wait_until(lambda: area.panes[1].canvas is not None)
    canvas = area.panes[1].canvas
    assert canvas is not None
    driver.wait_until(lambda: canvas.scene is not None)
    qtbot.wait(20)
    first, scales = canvas.camera, [canvas.camera.scale]
    for height in range(680, 280, -40):
        before = canvas.height()
        window.resize(1280, height)
        driver.wait_until(lambda before=before: canvas.height() < before)
        scales.append(canvas.camera.scale)
    assert scales == sorted(scales, reverse=True) and scales[-1] < 0.9
    window.resize(1280, 720)
    driver.wait_until(lambda: canvas.camera == first)


def test_panes_that_show_the_same_are_not_remembered() -> None:
    twin, other = PaneSpec("jaxpr"), PaneSpec("jaxpr", "text")
    rows = Split(False, (twin, other, twin), (1.0, 2.0, 3.0))
    found = drop_twins(Split(True, (PaneSpec("source"), twin, rows), (3.0, 4.0, 5.0)))
    inner = Split(False, (other,), (2.0,))
    assert found == Split(True, (PaneSpec("source"), twin, inner), (3.0, 4.0, 5.0))
    assert drop_twins(FIRST_ARRANGEMENT) == FIRST_ARRANGEMENT


def open_file(driver: Driver, path: Path, call: str) -> None:
    """Open a file with a call, plain or a gradient, and let it run."""
    path.write_text(TEXT)
    count = len(driver.session.of_type(CaptureRequest))
    driver.window.open_path(str(path), call)
    run = driver.wait_for(CaptureRequest, count + 1)
    capture = build_capture()
    if not call.startswith("grad"):
        stages = tuple(stage for stage in capture.stages if stage.name != "grad")
        capture = dataclasses.replace(capture, call=call, transforms=(), stages=stages)
    driver.finish(run, capture)


def looks(window: MainWindow) -> dict[str, tuple[Form, ColourBy | None]]:
    """The form and the colours of each view of a stage, and what its header says of them."""
    found = {}
    for pane in window.workspace.area.panes:
        if pane.wanted_stage != "source":
            by = pane.canvas.colour_by if pane.canvas is not None else None
            found[pane.wanted_stage] = pane.form, by
            if pane.is_graph_shown:
                assert pane.form is Form.GRAPH and pane._graph.colours.currentData() is by
    return found


def test_views_look_in_another_file_as_they_did_last_for_such_a_call(
    driver: Driver, window: MainWindow, tmp_path: Path
) -> None:
    """A call with other transforms is another kind: it begins as at first."""
    first = {"jaxpr": (Form.GRAPH, ColourBy.FAMILY), "optimized": (Form.GRAPH, ColourBy.FAMILY)}
    of_gradient = {"grad": first["jaxpr"], "optimized": first["optimized"]}
    open_file(driver, tmp_path / "a.py", "f(f32[3])")
    assert looks(window) == first
    program, optimized = window.workspace.area.panes[1:]
    assert program.canvas is not None and optimized.canvas is not None
    program.canvas.set_colour_by(ColourBy.FATE)
    optimized.set_form(Form.TEXT)
    chosen = {"jaxpr": (Form.GRAPH, ColourBy.FATE), "optimized": (Form.TEXT, ColourBy.FAMILY)}
    assert looks(window) == chosen
    open_file(driver, tmp_path / "b.py", "grad(f)(f32[3])")
    assert looks(window) == of_gradient
    window.workspace.colour_graphs(ColourBy.TIME)
    open_file(driver, tmp_path / "c.py", "f(f32[3])")
    assert looks(window) == chosen, "as it was for such a call"
    open_file(driver, tmp_path / "d.py", "grad(f)(f32[3])")
    assert looks(window) == of_gradient, "there are no times of this program"


def test_views_look_as_they_did_when_a_file_is_shown_again(
    driver: Driver, window: MainWindow, tmp_path: Path
) -> None:
    open_file(driver, tmp_path / "a.py", "f(f32[3])")
    window.workspace.area.panes[1].set_form(Form.TABLE)
    before = looks(window)
    window.controller.close_file()
    window.stop_run()
    assert looks(window) == before and window.controller.state.file == str(tmp_path / "a.py")
    window.call_bar.set_call("grad(f)(f32[3])")
    count = len(driver.session.of_type(CaptureRequest))
    window.run_call()
    driver.finish(driver.wait_for(CaptureRequest, count + 1), build_capture())
    assert looks(window)["grad"][0] is Form.TABLE, "in one file a view stays as it is"


@pytest.fixture
def two_views(driver: Driver, window: MainWindow, source: Path) -> PaneArea:
    """Two views of a program beside each other; a third, `optimized`, has no room."""
    window.activateWindow()
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    area = area_of(window)
    driver.wait_until(lambda: "optimized" not in area.shown_stages())
    area.activate(area.panes[1])
    window.commands.actions["split"].trigger()
    assert seen(area) == [SOURCE, "grad", "grad"]
    assert area.active is area.panes[2], "the right one"
    return area


def seen(area: PaneArea) -> list[str]:
    return [pane.wanted_stage for pane in area.panes if pane.isVisible()]


@pytest.mark.parametrize("stage", ["optimized", "jaxpr"], ids=["without room", "not shown"])
def test_a_stage_that_is_chosen_changes_the_view_with_the_keyboard_and_no_other(
    window: MainWindow, two_views: PaneArea, stage: str
) -> None:
    area = two_views
    use(window, f"Show stage: {stage}")
    assert seen(area) == [SOURCE, "grad", stage]
    right = area.panes[2]
    assert area.active is right and right.isAncestorOf(QApplication.focusWidget())
    window.pages.show_page("passes")
    QApplication.processEvents()
    assert seen(area) == [SOURCE, "grad", stage]


def test_a_stage_is_chosen_for_the_view_that_had_the_keyboard_before_the_source(
    window: MainWindow, two_views: PaneArea
) -> None:
    area = two_views
    area.activate(area.panes[0])
    area.panes[0].focus_content()
    use(window, "Show stage: jaxpr")
    assert seen(area) == [SOURCE, "grad", "jaxpr"]


@pytest.mark.parametrize("stage", ["optimized", "jaxpr"], ids=["without room", "not shown"])
def test_a_stage_comes_beside_another_where_only_two_columns_have_room(
    driver: Driver, window: MainWindow, source: Path, stage: str
) -> None:
    window.activateWindow()
    window.resize(1280, 720)
    driver.finish(driver.open(source), build_capture())
    area = area_of(window)
    driver.wait_until(lambda: "optimized" not in area.shown_stages())
    use(window, f"Show stage beside: {stage}")
    assert seen(area) == [SOURCE, "grad", stage]
    assert area.panes[1].y() == area.panes[2].y() and area.panes[2].width() > 280
    assert area.panes[2].isAncestorOf(QApplication.focusWidget())
