"""The pages of memory and of the roofline inside a window: they follow what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from jaxscope.client.events import Finished
from jaxscope.client.requests import CalibrationRequest
from jaxscope.model import Environment, Unavailable
from jaxscope.model.experiments import RematOutcome, RematPolicies
from jaxscope.model.hardware import Ceiling, Ceilings
from jaxscope.schema.ceilings_file import stored_ceilings
from jaxscope.ui.pages.memory import MemoryPage
from jaxscope.ui.pages.roofline import RooflinePage
from jaxscope.ui.window.main_window import MainWindow

from .conftest import Driver
from .programs import build_capture


@pytest.fixture
def page(
    window: MainWindow,
    driver: Driver,
    source: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> MemoryPage:
    """The pages, after a call was captured."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    driver.finish(driver.open(source), build_capture())
    found = window.pages["memory"]
    assert isinstance(found, MemoryPage)
    return found


@pytest.fixture
def roofline(page: MemoryPage, window: MainWindow) -> RooflinePage:
    del page  # the call was captured
    found = window.pages["roofline"]
    assert isinstance(found, RooflinePage)
    return found


def test_memory_of_a_capture_without_a_plan_says_why(
    page: MemoryPage, window: MainWindow, driver: Driver
) -> None:
    window.pages.show_page("memory")
    driver.wait_until(lambda: "not available" in page.heading.text())
    assert "holds no memory plan" in page.heading.text()
    assert "not available" in page.notes.text()


def test_policies_are_read_in_a_low_drawer(
    page: MemoryPage, window: MainWindow, driver: Driver
) -> None:
    """Sentences above and below a table leave it some rows."""
    window.resize(1280, 720)
    window.pages.show_page("memory")
    driver.wait_until(lambda: "not available" in page.heading.text())
    policies = ("as written", "nothing_saveable", "everything_saveable", "dots_saveable")
    outcomes = tuple(RematOutcome(policy, missing=Unavailable("why " * 60)) for policy in policies)
    about = build_capture().environment
    found = RematPolicies("grad(f)(f32[3])", about, "f", outcomes, ("a warning " * 40,) * 6)
    page.tabs.setCurrentWidget(page.remat)
    page.remat.show_policies(found)
    driver.qtbot.wait(50)
    table = page.remat.table
    rows_px = len(policies) * table.verticalHeader().defaultSectionSize()
    assert table.viewport().height() >= rows_px
    assert page.remat.notes.text().startswith("a warning")


def test_a_calibration_is_asked_for_shown_and_kept(
    roofline: RooflinePage, window: MainWindow, driver: Driver
) -> None:
    window.pages.show_page("roofline")
    roofline.calibrate.click()
    run = driver.wait_for(CalibrationRequest)
    here = Environment("0.10.2", "0.10.2", "3.11", "cpu", "cpu", host="here")
    ceilings = Ceilings(
        here,
        Ceiling("matmul", "FLOP", 1e11, 9e10, 5, "A product."),
        Ceiling("stream", "bytes", 1e10, 9e9, 5, "A sum."),
    )
    run.tell(Finished(ceilings))
    driver.wait_until(lambda: "Measured on here" in roofline.notes.text())
    assert stored_ceilings(here) == ceilings
