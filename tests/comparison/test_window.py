"""Comparing in a real window over real workers: the run before, another call, another file."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from comparison.conftest import EDITED, SOURCE, Take
from jaxscope.client.session import Session
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures
from jaxscope.ui.pages.compare import ComparePage
from jaxscope.ui.session.state import OfferedFunction
from jaxscope.ui.window.main_window import MainWindow
from window.conftest import window_over

_WAIT_MS = 60_000


@pytest.fixture
def window(qapp: QApplication, tmp_path: Path) -> Iterator[MainWindow]:
    with window_over(lambda: Session(None), qapp, tmp_path) as window:
        yield window


@pytest.fixture
def page(window: MainWindow) -> ComparePage:
    page = window.pages["compare"]
    assert isinstance(page, ComparePage)
    return page


def shown(page: ComparePage) -> Comparison | None:
    return page.view.comparison if page.view is not None else None


def ask(page: ComparePage, call: str, options: str = "") -> None:
    """Type what to compare with, and press the button."""
    page.call.setEditText(call)
    page.options.setText(options)
    page.compare_button.click()


def wait_for(qtbot: QtBot, page: ComparePage, second: str) -> Comparison:
    def has_come() -> None:
        comparison = shown(page)
        assert comparison is not None, page.status_text
        assert second in comparison.second.name

    qtbot.waitUntil(has_come, timeout=_WAIT_MS)
    comparison = shown(page)
    assert comparison is not None
    return comparison


def test_nothing_to_compare_yet(window: MainWindow, page: ComparePage) -> None:
    page.compare_with_previous()
    assert "no earlier run" in page.status_text
    page.comparing.compare_with_call("f(f32[8])")
    assert "nothing to compare yet" in page.status_text
    page.ask_save()
    assert "no comparison to save" in page.status_text


def test_only_other_calls_are_offered(window: MainWindow, page: ComparePage) -> None:
    function = OfferedFunction("f", 1, calls=("f(f32[8])", "grad(f)(f32[8])"))
    state = dataclasses.replace(window.controller.state, functions=(function,), call="f(f32[8])")
    page.show_state(state)
    assert [page.call.itemText(n) for n in range(page.call.count())] == ["grad(f)(f32[8])"]


def test_the_menu_leads_to_the_page(window: MainWindow, page: ComparePage) -> None:
    texts = [action.text() for action in window.commands.menus["Compare"].actions()]
    assert texts[:3] == ["With another call …", "With another file …", "With the run before"]
    page.ask_call()
    assert window.pages.current == "compare"


@pytest.mark.slow
def test_an_edit_another_call_and_a_file(
    window: MainWindow, page: ComparePage, qtbot: QtBot, tmp_path: Path, saved: tuple[Path, Path]
) -> None:
    path = tmp_path / "model.py"
    path.write_text(SOURCE)
    window.open_path(str(path), "f(f32[8])")
    qtbot.waitUntil(lambda: page.comparing.has_present, timeout=_WAIT_MS)
    assert not page.comparing.has_previous

    path.write_text(EDITED)  # the window runs the call again by itself
    qtbot.waitUntil(lambda: page.comparing.has_previous, timeout=_WAIT_MS)
    page.compare_with_previous()
    comparison = wait_for(qtbot, page, "[now]")
    assert comparison.first.name.endswith("[the run before]")
    stage = comparison.stage("jaxpr")
    assert stage is not None
    assert stage.verdict is False

    ask(page, "grad(f)(f32[8])")
    comparison = wait_for(qtbot, page, "grad(f)")
    assert comparison.first.name == "model.py::f(f32[8])"
    assert comparison.stage("jaxpr:grad") is not None

    ask(page, "", "no option")
    assert "no list of options" in page.status_text
    ask(page, "", "xla_disable_hlo_passes=fusion, dce")
    comparison = wait_for(qtbot, page, "xla_disable_hlo_passes=fusion,dce")
    assert comparison.stage("hlo") is not None

    page.comparing.compare_with_file(str(saved[1]))
    assert wait_for(qtbot, page, "new.jaxscope").is_equal

    target = tmp_path / "comparison.html"
    page.save(str(target))
    qtbot.waitUntil(lambda: window.row.message == f"Saved to {target}")
    assert "new.jaxscope" in target.read_text(encoding="utf-8")

    ask(page, "nothing(f32[8])")
    qtbot.waitUntil(lambda: "nothing" in page.status_text, timeout=_WAIT_MS)
    assert shown(page) is not None  # the last comparison stays


def test_both_graphs_are_seen_without_scrolling(
    window: MainWindow, page: ComparePage, qtbot: QtBot, take: Take
) -> None:
    window.resize(1280, 720)
    window.pages.show_page("compare")
    sides = (("first", take("f(f32[8])")), ("second", take("grad(f)(f32[8])")))
    page.show_comparison(compare_captures(*(ComparedCapture(*side) for side in sides)))
    assert page.view is not None
    for canvas in page.view.canvases:
        qtbot.waitUntil(lambda: canvas.scene is not None and not canvas.is_busy)  # noqa: B023 (waited for)
    qtbot.wait(300)  # a picture is chosen anew for its room
    for canvas in page.view.canvases:
        scene, camera = canvas.scene, canvas.camera
        assert scene is not None
        top, bottom = (canvas.mapTo(window, QPoint(0, y)).y() for y in (0, canvas.height()))
        assert top > 0 and bottom <= window.row.mapTo(window, QPoint(0, 0)).y()
        for x, y in ((0.0, 0.0), (scene.width, scene.height)):
            at = QPointF(*camera.to_widget(x, y))
            assert canvas.rect().contains(at.toPoint()), "all of it"
