"""How graphs are shown is chosen once, for all panes, and remembered."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication

from jaxscope.picture.tint.classes import ColourBy
from jaxscope.picture.view.build import PASSES
from jaxscope.ui.application import make_graph_page
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.graph_page import GraphPage
from jaxscope.ui.panes.pane_header import Form
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.menus import GraphChoices, GraphCommands
from jaxscope.ui.window.settings import Settings

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def menu(window: MainWindow) -> GraphCommands:
    found = window.findChild(GraphCommands)
    assert isinstance(found, GraphCommands)
    return found


@pytest.fixture
def canvas(driver: Driver, window: MainWindow, source: Path) -> GraphCanvas:
    driver.finish(driver.open(source), build_capture())
    canvas = next(pane.canvas for pane in window.workspace.area.panes if pane.canvas)
    driver.wait_until(lambda: canvas.scene is not None)
    return canvas


def action(window: MainWindow, text: str) -> QAction:
    return next(each for each in window.commands.menus["Graph"].actions() if each.text() == text)


def test_the_menu_turns_every_graph(window: MainWindow, canvas: GraphCanvas) -> None:
    action(window, "Values flow to the right").trigger()
    assert canvas.direction == "right"
    action(window, "Turn").trigger()
    assert canvas.direction == "down"


def test_a_pane_that_was_closed_does_not_keep_the_others_from_following(
    menu: GraphCommands, driver: Driver, window: MainWindow, source: Path
) -> None:
    window.resize(2560, 1440)
    driver.finish(driver.open(source), build_capture())
    area = window.workspace.area
    panes = [area.open_pane("jaxpr", after=area.panes[1]) for _ in range(3)]
    for pane in panes:
        pane.set_form(Form.GRAPH)
    canvases = [pane.canvas for pane in panes]
    driver.wait_until(lambda: all(each is not None and each.scene for each in canvases))
    for pane in panes[:2]:  # these stay in `canvases`, as they would in any cycle of objects
        area.close_pane(pane)
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    action(window, "Values flow to the right").trigger()
    assert canvases[2].direction == "right"


def test_every_simplification_can_be_switched_off(
    menu: GraphCommands, canvas: GraphCanvas, driver: Driver
) -> None:
    menu.fill_passes()
    assert [each.text() for each in menu.passes.actions()] == [each.title for each in PASSES]
    assert all(each.isChecked() and each.toolTip() for each in menu.passes.actions())
    before = canvas.view
    menu.passes.actions()[0].trigger()
    driver.wait_until(lambda: canvas.view is not None and canvas.view is not before)


def test_choices_are_remembered(qapp: QApplication, tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    choices = GraphChoices(settings)
    choices.set_direction("right")
    choices.set_pass_hidden("fold-constants", True)
    choices.set_overview_shown(False)
    again = GraphChoices(settings)
    assert not again.shows_overview
    assert again.direction == "right"
    assert again.hidden_passes == {"fold-constants"}
    assert make_graph_page(again).canvas.direction == "right"


def test_what_another_version_remembered_does_no_harm(qapp: QApplication, tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    settings.graph_direction = "sideways"
    settings.hidden_passes = ("no such pass",)
    assert make_graph_page(GraphChoices(settings)).canvas.direction == "down"


def test_groups_are_opened_and_closed_in_the_active_pane(
    menu: GraphCommands, canvas: GraphCanvas, window: MainWindow, driver: Driver
) -> None:
    pane = next(pane for pane in window.workspace.area.panes if pane.canvas is canvas)
    window.workspace.area.activate(pane)
    assert canvas.view is not None
    action(window, "Open all groups").trigger()
    driver.wait_until(lambda: canvas.expanded == canvas.view.all_groups())
    action(window, "Close all groups").trigger()
    driver.wait_until(lambda: not canvas.expanded)


def test_the_picture_is_fitted_and_zoomed_from_the_menu(
    menu: GraphCommands, canvas: GraphCanvas, window: MainWindow
) -> None:
    pane = next(pane for pane in window.workspace.area.panes if pane.canvas is canvas)
    window.workspace.area.activate(pane)
    canvas.fit()
    fitted = canvas.camera
    action(window, "Zoom in").trigger()
    assert canvas.camera.scale > fitted.scale
    action(window, "Zoom out").trigger()
    action(window, "Zoom out").trigger()
    assert canvas.camera.scale < fitted.scale
    action(window, "Fit the picture to its view").trigger()
    assert canvas.camera == fitted
    canvas.set_highlight({0}, set(), set())
    action(window, "Zoom to what is selected").trigger()
    assert canvas.camera != fitted


def test_the_overview_can_be_put_away(
    menu: GraphCommands, canvas: GraphCanvas, window: MainWindow, driver: Driver
) -> None:
    canvas.zoom(4.0)
    driver.wait_until(canvas.minimap.isVisible)
    action(window, "Overview of what is out of sight").trigger()
    driver.wait_until(canvas.minimap.isHidden)
    action(window, "Overview of what is out of sight").trigger()
    driver.wait_until(canvas.minimap.isVisible)


def test_the_menu_colours_the_boxes_of_the_active_graph(
    menu: GraphCommands, canvas: GraphCanvas, window: MainWindow
) -> None:
    pane = next(pane for pane in window.workspace.area.panes if pane.canvas is canvas)
    window.workspace.area.activate(pane)
    menu.fill_colourings()
    offered = {each.text(): each for each in menu.colourings.actions()}
    assert list(offered) == [f"by {by.value}" for by in ColourBy]
    assert [each.text() for each in offered.values() if each.isChecked()] == ["by operation"]
    offered["by direction"].trigger()
    assert canvas.colour_by is ColourBy.DIRECTION
    canvas.set_colour_by(ColourBy.FATE)  # in the row above the graph
    menu.fill_colourings()
    assert [each.text() for each in offered.values() if each.isChecked()] == ["by fate"]


def test_commands_for_graphs_reach_the_graph_beside_an_active_text(
    menu: GraphCommands, canvas: GraphCanvas, window: MainWindow
) -> None:
    source = next(pane for pane in window.workspace.area.panes if not pane.is_graph_shown)
    window.workspace.area.activate(source)
    before = canvas.camera
    action(window, "Zoom in").trigger()
    assert canvas.camera.scale > before.scale


def test_every_colouring_can_be_read_and_chosen_without_scrolling(
    canvas: GraphCanvas, driver: Driver
) -> None:
    page = canvas.parentWidget()
    assert isinstance(page, GraphPage)
    chooser = page.colours
    for by in ColourBy:
        canvas.set_colour_by(by)
        text_px = chooser.fontMetrics().horizontalAdvance(chooser.currentText())
        wanted = min(text_px + 20, page.width() * 2 // 5)
        driver.wait_until(lambda wanted=wanted: chooser.width() >= wanted)
    chooser.showPopup()
    rows, view = chooser.model().index(chooser.count() - 1, 0), chooser.view()
    assert view.viewport().rect().contains(view.visualRect(rows)), "the last one is seen"
    chooser.hidePopup()
