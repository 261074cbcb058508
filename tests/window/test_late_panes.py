"""A window that can take a call before it has panes: they come once the event loop runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.ui import application
from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import PaneSpec, Split, format_arrangement
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedSession
from .test_window import capture_of

REMEMBERED = Split(True, (PaneSpec("jaxpr", "text"), PaneSpec("optimized", "table")), (1.0, 1.0))


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], object]]:
    """What a window does once its loop runs: not before a test says so."""
    found: list[Callable[[], object]] = []
    monkeypatch.setattr(application, "_run_later", lambda _window, step: found.append(step))
    return found


@pytest.fixture
def late(
    qapp: QApplication, session: RecordedSession, tmp_path: Path, steps: object
) -> Iterator[MainWindow]:
    yield from _late_window(qapp, session, tmp_path)


@pytest.fixture
def by_itself(qapp: QApplication, session: RecordedSession, tmp_path: Path) -> Iterator[MainWindow]:
    yield from _late_window(qapp, session, tmp_path)


def _late_window(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
) -> Iterator[MainWindow]:
    bridge = Bridge(lambda: session)
    settings = Settings(str(tmp_path / "window.json"))
    settings.arrangement = format_arrangement(REMEMBERED)
    window = build_window(qapp, bridge, RunOptions(), settings, late_panes=True)
    yield window
    destroy(window)
    bridge.close()


def test_panes_come_after_the_window_as_they_were_remembered(
    by_itself: MainWindow, qtbot: QtBot
) -> None:
    area = by_itself.workspace.area
    assert area.wanted_stages() == {"jaxpr", "optimized"}
    by_itself.show()
    qtbot.waitUntil(lambda: len(area.panes) == 2)
    assert [pane.wanted_stage for pane in area.panes] == ["jaxpr", "optimized"]
    assert [pane.form.value for pane in area.panes] == ["text", "table"]


def test_a_window_closed_before_its_panes_came_remembers_them(
    late: MainWindow, tmp_path: Path
) -> None:
    late.show()
    late.close()
    assert Settings(str(tmp_path / "window.json")).arrangement == format_arrangement(REMEMBERED)


def test_a_result_that_comes_before_the_panes_is_shown_in_them(
    late: MainWindow,
    qtbot: QtBot,
    session: RecordedSession,
    source: Path,
    steps: list[Callable[[], object]],
) -> None:
    driver = Driver(qtbot, late, session)
    late.controller.open_capture(capture_of(source), str(source))
    assert late.workspace.area.panes == ()
    late.show()
    for step in steps:
        step()
    driver.wait_until(lambda: len(late.workspace.area.panes) == 2)
    driver.wait_until(lambda: late.workspace.area.panes[0].code.num_lines > 1)


def test_opening_a_pane_brings_those_that_wait(late: MainWindow) -> None:
    late.workspace.area.open_pane("grad")
    stages = [pane.wanted_stage for pane in late.workspace.area.panes]
    assert stages == ["jaxpr", "optimized", "grad"]
