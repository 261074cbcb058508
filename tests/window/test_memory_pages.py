"""The pages of memory and of the roofline inside a window: they follow what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.events import Finished
from jaxscope.client.requests import CalibrationRequest
from jaxscope.model import Environment
from jaxscope.model.hardware import Ceiling, Ceilings
from jaxscope.program.links import NodeSelection
from jaxscope.schema.ceilings_file import stored_ceilings
from jaxscope.ui.pages.memory import MemoryMenu
from jaxscope.ui.pages.roofline import RooflineMenu
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def menu(
    window: MainWindow,
    driver: Driver,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> MemoryMenu:
    """The pages, after a call was captured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    driver.finish(driver.open(source), build_capture())
    found = window.findChild(MemoryMenu)
    assert isinstance(found, MemoryMenu)
    return found


@pytest.fixture
def roofline(menu: MemoryMenu, window: MainWindow) -> RooflineMenu:
    del menu  # the call was captured
    found = window.findChild(RooflineMenu)
    assert isinstance(found, RooflineMenu)
    return found


def test_memory_of_a_capture_without_a_plan_says_why(
    menu: MemoryMenu, window: MainWindow, driver: Driver
) -> None:
    window.workspace.tabs.setCurrentWidget(menu.page)
    driver.wait_until(lambda: "not available" in menu.page.heading.text())
    assert "holds no memory plan" in menu.page.heading.text()
    assert "not available" in menu.page.notes.text()


def test_a_calibration_is_asked_for_shown_and_kept(
    roofline: RooflineMenu, window: MainWindow, driver: Driver
) -> None:
    window.workspace.tabs.setCurrentWidget(window.workspace.lab)
    window.workspace.lab.setCurrentWidget(roofline.page)
    roofline.page.calibrate.click()
    run = driver.wait_for(CalibrationRequest)
    here = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu", host="here")
    ceilings = Ceilings(
        here,
        Ceiling("matmul", "FLOP", 1e11, 9e10, 5, "A product."),
        Ceiling("stream", "bytes", 1e10, 9e9, 5, "A sum."),
    )
    run.tell(Finished(ceilings))
    driver.wait_until(lambda: "Measured on here" in roofline.page.notes.text())
    assert stored_ceilings(here) == ceilings


def test_what_a_page_chooses_is_selected_in_the_window(
    menu: MemoryMenu, roofline: RooflineMenu, window: MainWindow
) -> None:
    menu.page.node_chosen.emit("jaxpr", 1)
    selection = window.workspace.selection.selection
    assert isinstance(selection, NodeSelection)
    assert (selection.stage, tuple(selection.nodes)) == ("jaxpr", (1,))
    roofline.page.nodes_chosen.emit("jaxpr", (1, 2))
    selection = window.workspace.selection.selection
    assert isinstance(selection, NodeSelection)
    assert tuple(selection.nodes) == (1, 2)
