"""The page that compiles the present call for many chips."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import EnvironmentProblem, Explanation, TraceError
from jaxscope.ui.pages.targets import TargetsMenu
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def menu(window: MainWindow, driver: Driver, source: Path) -> TargetsMenu:
    """The page, after a call was captured."""
    driver.finish(driver.open(source), build_capture())
    found = window.findChild(TargetsMenu)
    assert isinstance(found, TargetsMenu)
    return found


def test_short_names_are_full_targets(menu: TargetsMenu) -> None:
    menu.page.line.setText("v5e:2x2, h100,,cpu:8, h100")
    assert menu.page.targets() == ("aot:tpu:v5e:2x2", "aot:gpu:h100", "cpu:8")
    menu.page.gpus.click()
    assert "aot:gpu:b200" in menu.page.targets()
    assert not any(target.startswith("aot:tpu") for target in menu.page.targets())


def test_each_target_is_compiled_in_turn_and_has_a_row(menu: TargetsMenu, driver: Driver) -> None:
    menu.page.line.setText("v5e, h100, a100")
    menu.page.button.click()
    first = driver.wait_for(CaptureRequest, 2)
    assert isinstance(first.request, CaptureRequest)
    assert first.request.target == "aot:tpu:v5e:1x1"
    first.tell(Progress("compile", "Compiling with XLA"))
    driver.wait_until(lambda: "aot:tpu:v5e:1x1: Compiling" in menu.page.notes.text())
    assert menu.page.button.text() == "Stop"
    first.tell(Finished(build_capture()))
    second = driver.wait_for(CaptureRequest, 3)
    why = "RESOURCE_EXHAUSTED: Used 90.00G of 80.00G hbm"
    second.tell(Failed(TraceError(Explanation("XLA ran out of memory.", why=why))))
    third = driver.wait_for(CaptureRequest, 4)
    missing = Explanation("Nothing here can compile for aot:gpu:a100.", why="It is missing.")
    third.tell(Failed(EnvironmentProblem(missing)))
    driver.wait_until(lambda: len(menu.page.rows) == 3)
    assert [row.target for row in menu.page.rows] == [
        "aot:tpu:v5e:1x1",
        "aot:gpu:h100",
        "aot:gpu:a100",
    ]
    assert menu.page.rows[1].fits is False
    assert "It is missing." in menu.page.rows[2].reason
    assert menu.page.table.rows.rowCount() == 3
    driver.wait_until(lambda: menu.page.button.text() == "Compile")
    assert "Nothing ran" in menu.page.notes.text()


def test_what_is_shown_stays_while_others_compile(
    menu: TargetsMenu, window: MainWindow, driver: Driver
) -> None:
    shown = window.controller.state.capture
    menu.page.line.setText("v5e")
    menu.page.button.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    driver.wait_until(lambda: len(menu.page.rows) == 1)
    assert window.controller.state.capture is shown


def test_stop_keeps_the_rows_that_there_are(menu: TargetsMenu, driver: Driver) -> None:
    menu.page.line.setText("v5e, h100, a100")
    menu.page.button.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    driver.wait_for(CaptureRequest, 3)
    menu.page.button.click()
    assert menu.page.button.text() == "Compile"
    assert len(menu.page.rows) == 1
    assert len(driver.session.of_type(CaptureRequest)) == 3


def test_without_a_call_nothing_can_be_compiled(window: MainWindow) -> None:
    menu = window.findChild(TargetsMenu)
    assert isinstance(menu, TargetsMenu)
    assert not menu.page.button.isEnabled()
