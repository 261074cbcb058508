"""Comparing in a real window over real workers: the run before, another call, another file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from comparison.conftest import EDITED, SOURCE
from jaxscope.client.session import Session
from jaxscope.program.diff.captures import Comparison
from jaxscope.ui.application import build_window
from jaxscope.ui.pages.compare import CompareMenu
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.main_window import MainWindow
from jaxscope.ui.window.settings import Settings

_WAIT_MS = 60_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    bridge = Bridge(lambda: Session(None))
    window = build_window(qapp, bridge, RunOptions(), Settings(str(tmp_path / "window.ini")))
    window.show()
    yield window
    window.close()
    window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    bridge.close()


@pytest.fixture
def menu(window: MainWindow) -> CompareMenu:
    menu = window.findChild(CompareMenu)
    assert isinstance(menu, CompareMenu)
    return menu


def shown(menu: CompareMenu) -> Comparison | None:
    return menu.page.view.comparison if menu.page.view is not None else None


def wait_for(qtbot: QtBot, menu: CompareMenu, second: str) -> Comparison:
    def has_come() -> None:
        comparison = shown(menu)
        assert comparison is not None, menu.page.status_text
        assert second in comparison.second.name

    qtbot.waitUntil(has_come, timeout=_WAIT_MS)
    comparison = shown(menu)
    assert comparison is not None
    return comparison


def test_nothing_to_compare_yet(window: MainWindow, menu: CompareMenu) -> None:
    menu.compare_with_previous()
    assert "no earlier run" in menu.page.status_text
    menu.comparing.compare_with_call("f(f32[8])")
    assert "nothing to compare yet" in menu.page.status_text
    menu.ask_save()
    assert "no comparison to save" in menu.page.status_text


def test_the_menu_leads_to_the_page(window: MainWindow, menu: CompareMenu) -> None:
    texts = [action.text() for action in menu.menu.actions()]
    assert texts[:3] == ["With another call …", "With another file …", "With the run before"]
    menu.ask_call()
    assert window.workspace.tabs.currentWidget() is menu.page


def test_an_edit_another_call_and_a_file(
    window: MainWindow, menu: CompareMenu, qtbot: QtBot, tmp_path: Path, saved: tuple[Path, Path]
) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    window.open_path(str(path), "f(f32[8])")
    qtbot.waitUntil(lambda: menu.comparing.has_present, timeout=_WAIT_MS)
    assert not menu.comparing.has_previous

    path.write_text(EDITED)  # the window runs the call again by itself
    qtbot.waitUntil(lambda: menu.comparing.has_previous, timeout=_WAIT_MS)
    menu.compare_with_previous()
    comparison = wait_for(qtbot, menu, "[now]")
    assert comparison.first.name.endswith("[the run before]")
    stage = comparison.stage("jaxpr")
    assert stage is not None
    assert stage.verdict is False

    menu.page.call_requested.emit("grad(f)(f32[8])", "cpu", "", "")
    comparison = wait_for(qtbot, menu, "grad(f)")
    assert comparison.first.name == "model.py::f(f32[8])"
    assert comparison.stage("jaxpr:grad") is not None

    menu.page.call_requested.emit("", "cpu", "", "no option")
    assert "no list of options" in menu.page.status_text
    menu.page.call_requested.emit("", "cpu", "", "xla_disable_hlo_passes=fusion, dce")
    comparison = wait_for(qtbot, menu, "xla_disable_hlo_passes=fusion,dce")
    assert comparison.stage("hlo") is not None

    menu.comparing.compare_with_file(str(saved[1]))
    assert wait_for(qtbot, menu, "new.jaxscope").is_equal

    target = tmp_path / "comparison.html"
    with qtbot.waitSignal(menu.saved) as written:
        menu.save(str(target))
    assert written.args == [str(target), ""]
    assert "new.jaxscope" in target.read_text(encoding="utf-8")

    menu.page.call_requested.emit("nothing(f32[8])", "cpu", "", "")
    qtbot.waitUntil(lambda: "nothing" in menu.page.status_text, timeout=_WAIT_MS)
    assert shown(menu) is not None  # the last comparison stays
