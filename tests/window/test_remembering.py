"""What a window remembers though it is killed, beside another window, and of another version."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jaxscope.ui.application import build_window
from jaxscope.ui.panes.pane_area import parse_arrangement
from jaxscope.ui.panes.stage_pane import StagePane
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window import autosave
from jaxscope.ui.window import settings as settings_module
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

from .conftest import Driver, destroy
from .programs import RecordedSession, build_capture


def test_what_changes_is_there_though_the_window_is_not_closed(
    window: MainWindow, tmp_path: Path, qtbot: QtBot
) -> None:
    window.call_bar.set_call("f(f32[3])")
    window.call_bar.edit.remember()
    window.commands.actions["add_pane"].trigger()
    window.resize(1234, 777)
    keeper = window.findChild(autosave.Keeper)
    assert keeper is not None
    keeper.keep()

    kept = Settings(str(tmp_path / "window.json"))
    assert kept.calls == ("f(f32[3])",)
    assert parse_arrangement(kept.arrangement) == window.workspace.area.arrangement()
    assert kept.geometry == window.saveGeometry()


def test_a_window_killed_while_it_presents_begins_next_as_before(
    driver: Driver, source: Path, tmp_path: Path
) -> None:
    window, path = driver.window, str(tmp_path / "window.json")
    driver.finish(driver.open(source), build_capture())
    keeper = window.findChild(autosave.Keeper)
    assert keeper is not None
    window.commands.actions["add_pane"].trigger()
    keeper.keep()
    before = Settings(path)
    window.toggle_presenting()
    keeper.keep()
    kept = Settings(path)
    assert (kept.arrangement, kept.geometry) == (before.arrangement, before.geometry)
    assert before.arrangement
    assert window.workspace.area.is_one_alone, "asking does not end it"


@pytest.mark.parametrize("width", [1280, 2000])
def test_what_is_kept_every_few_seconds_changes_nothing_that_is_seen(
    driver: Driver, source: Path, tmp_path: Path, width: int
) -> None:
    """One pane alone stays so, and columns without room stay hidden; all of them are kept."""
    window = driver.window
    driver.finish(driver.open(source), build_capture())
    window.resize(2000, 900)
    window.commands.actions["add_pane"].trigger()
    QApplication.processEvents()
    area, keeper = window.workspace.area, window.findChild(autosave.Keeper)
    assert keeper is not None
    before = area.arrangement()
    assert len(before.parts) == len(area.panes) > 2
    window.resize(width, 900)
    QApplication.processEvents()
    for is_alone in (False, True):
        if is_alone:
            area.show_alone()
        QApplication.processEvents()
        resized: list[StagePane] = []
        seen = [pane.isVisible() for pane in area.panes]
        sizes = [pane.size() for pane in area.panes]
        for pane in area.panes:
            pane.installEventFilter(_Resizes(pane, resized))
        keeper.keep()
        QApplication.processEvents()
        assert area.is_one_alone is is_alone and not resized
        assert [pane.isVisible() for pane in area.panes] == seen
        assert [pane.size() for pane in area.panes] == sizes
        kept = parse_arrangement(Settings(str(tmp_path / "window.json")).arrangement)
        assert kept is not None and kept.parts == before.parts
        assert all(share > 0 for share in kept.shares)


class _Resizes(QObject):
    """Lists its parent whenever that is resized."""

    def __init__(self, parent: StagePane, found: list[StagePane]) -> None:
        super().__init__(parent)
        self._pane, self._found = parent, found

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._found.append(self._pane)
        return False


def test_it_is_kept_by_itself(
    qapp: QApplication,
    session: RecordedSession,
    tmp_path: Path,
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(autosave, "_DELAY_MS", 1)
    path = str(tmp_path / "window.json")
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(path))
    window.call_bar.set_call("f(f32[3])")
    window.call_bar.edit.remember()
    qtbot.waitUntil(lambda: Settings(path).calls == ("f(f32[3])",))
    destroy(window)
    bridge.close()


def test_calls_of_another_window_are_older_ones(tmp_path: Path) -> None:
    first, second = (Settings(str(tmp_path / "window.json")) for _ in range(2))
    first.add_calls(["a(1)", "b(1)"])
    second.add_calls(["c(1)", "a(1)"])
    first.add_recent_file("/a.py")
    second.add_recent_file("/b.py")

    assert Settings(str(tmp_path / "window.json")).values == {
        "calls": ("b(1)", "c(1)", "a(1)"),
        "recent_files": ("/b.py", "/a.py"),
    }


def test_two_windows_that_write_at_once_lose_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second begins while the first has read and not written yet."""
    monkeypatch.setattr(settings_module, "_PATIENCE_S", 300.0)
    path = str(tmp_path / "window.json")
    first, second = Settings(path), Settings(path)
    other = threading.Thread(target=second.add_trusted_folder, args=["/b"])
    read = first._read

    def read_and_wait(problems: list[str]) -> dict[str, Any]:
        found = read(problems)
        other.start()
        other.join(0.3)
        return found

    monkeypatch.setattr(first, "_read", read_and_wait)
    first.add_trusted_folder("/a")
    other.join()
    assert Settings(path).trusted_folders == ("/a", "/b")


def test_a_window_that_was_stopped_while_it_wrote_is_not_waited_for(tmp_path: Path) -> None:
    settings = Settings(str(tmp_path / "window.json"))
    with settings_module._locked(tmp_path):
        settings.theme = "dark"
    assert Settings(str(tmp_path / "window.json")).theme == "dark"


def test_settings_of_a_later_version_are_taken_as_far_as_they_are_known(
    qapp: QApplication, session: RecordedSession, tmp_path: Path
) -> None:
    path = tmp_path / "window.json"
    later = {"theme": "solarized", "points": 15.0, "arrangement": '{"v": 9}', "tabs": [{"a": 1}]}
    path.write_text(json.dumps({**later, "geometry": "AAAA", "language": "tlh"}))
    bridge = Bridge(lambda: session)
    window = build_window(qapp, bridge, RunOptions(), Settings(str(path)))
    assert window.row._message.endswith("not used are language, tabs, theme.")
    assert window._themes.points == 15.0
    assert window.workspace.area.panes
    destroy(window)
    bridge.close()
