"""The page that compiles the present call for many chips."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.events import Failed, Finished, Progress
from jaxscope.client.requests import CaptureRequest
from jaxscope.errors import EnvironmentProblem, Explanation, TraceError
from jaxscope.ui.pages.targets import TargetsPage
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def page(window: MainWindow, driver: Driver, source: Path) -> TargetsPage:
    """The page, after a call was captured."""
    driver.finish(driver.open(source), build_capture())
    found = window.pages["targets"]
    assert isinstance(found, TargetsPage)
    return found


def test_short_names_are_full_targets(page: TargetsPage) -> None:
    page.line.setText("v5e:2x2, h100,,cpu:8, h100")
    assert page.targets() == ("aot:tpu:v5e:2x2", "aot:gpu:h100", "cpu:8")
    page.gpus.click()
    assert "aot:gpu:b200" in page.targets()
    assert not any(target.startswith("aot:tpu") for target in page.targets())


def test_each_target_is_compiled_in_turn_and_has_a_row(page: TargetsPage, driver: Driver) -> None:
    page.line.setText("v5e, h100, a100")
    page.button.click()
    first = driver.wait_for(CaptureRequest, 2)
    assert isinstance(first.request, CaptureRequest)
    assert first.request.target == "aot:tpu:v5e:1x1"
    first.tell(Progress("compile", "Compiling with XLA"))
    driver.wait_until(lambda: "aot:tpu:v5e:1x1: Compiling" in page.notes.text())
    assert page.button.text() == "Stop"
    first.tell(Finished(build_capture()))
    second = driver.wait_for(CaptureRequest, 3)
    why = "RESOURCE_EXHAUSTED: Used 90.00G of 80.00G hbm"
    second.tell(Failed(TraceError("XLA ran out of memory.", why=why)))
    third = driver.wait_for(CaptureRequest, 4)
    missing = Explanation("Nothing here can compile for aot:gpu:a100.", why="It is missing.")
    third.tell(Failed(EnvironmentProblem(missing)))
    driver.wait_until(lambda: len(page.rows) == 3)
    assert [row.target for row in page.rows] == [
        "aot:tpu:v5e:1x1",
        "aot:gpu:h100",
        "aot:gpu:a100",
    ]
    assert page.rows[1].fits is False
    assert "It is missing." in page.rows[2].reason
    assert page.table.rows.rowCount() == 3
    driver.wait_until(lambda: page.button.text() == "Compile")
    assert "Nothing ran" in page.notes.text()


def test_what_is_shown_stays_while_others_compile(
    page: TargetsPage, window: MainWindow, driver: Driver
) -> None:
    shown = window.controller.state.capture
    page.line.setText("v5e")
    page.button.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    driver.wait_until(lambda: len(page.rows) == 1)
    assert window.controller.state.capture is shown


def test_stop_keeps_the_rows_that_there_are(page: TargetsPage, driver: Driver) -> None:
    page.line.setText("v5e, h100, a100")
    page.button.click()
    driver.wait_for(CaptureRequest, 2).tell(Finished(build_capture()))
    driver.wait_for(CaptureRequest, 3)
    page.button.click()
    assert page.button.text() == "Compile"
    assert len(page.rows) == 1
    assert len(driver.session.of_type(CaptureRequest)) == 3


def test_without_a_call_nothing_can_be_compiled(window: MainWindow) -> None:
    page = window.pages["targets"]
    assert isinstance(page, TargetsPage)
    assert not page.button.isEnabled()
