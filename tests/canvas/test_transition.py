"""Opening and closing a group moves its neighbours; it does not replace them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QStyle
from pytestqt.qtbot import QtBot

from jaxscope.ui.canvas import transition as transition_module
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.canvas.transition import ViewedDrawing, make_transition, may_move
from jaxscope.ui.toolkit.stillness import wants_stillness
from jaxscope.ui.toolkit.widgets import STILL
from view.programs import layers, trace


class Clock:
    """Stands in for the module `time`."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(transition_module, "time", clock)
    return clock


@pytest.fixture
def canvas(qtbot: QtBot) -> GraphCanvas:
    canvas = GraphCanvas()
    qtbot.addWidget(canvas)
    canvas.resize(900, 600)
    canvas.show()
    function, arguments = layers(4)
    canvas.set_graph(trace(jax.grad(function), *arguments), "grad")
    return canvas


def closed_group(canvas: GraphCanvas) -> str:
    assert canvas.scene is not None
    items = canvas.scene.items
    boxes = np.arange(len(items)) >= items.num_frames
    return items.ids[int(np.flatnonzero(items.is_group & boxes)[0])]


def shot(canvas: GraphCanvas) -> QImage:
    return canvas.grab().toImage()


def settled(canvas: GraphCanvas) -> QImage:
    for _ in range(50):
        QApplication.processEvents()
    return shot(canvas)


def test_a_group_opens_step_by_step_and_ends_where_it_should(
    qtbot: QtBot, canvas: GraphCanvas, clock: Clock
) -> None:
    group = closed_group(canvas)
    canvas.toggle_group(group)
    steps = []
    for now_s in (0.0, 0.05, 0.1, 0.15):
        clock.now_s = now_s
        steps.append(shot(canvas))
    clock.now_s = 0.2  # it is there
    shot(canvas)
    qtbot.waitUntil(lambda: canvas.is_sharp)  # a slow machine paints it in several frames
    steps.append(shot(canvas))
    assert all(steps[i] != steps[j] for i in range(5) for j in range(i))
    end = settled(canvas)
    assert steps[-1] == shot(canvas)
    canvas.toggle_group(group)
    clock.now_s = 2.0
    settled(canvas)
    clock.now_s = 3.0
    assert settled(canvas) != end


def test_who_pans_need_not_wait(canvas: GraphCanvas, clock: Clock) -> None:
    canvas.toggle_group(closed_group(canvas))
    shot(canvas)
    canvas.pan(10.0, 0.0)
    moved = settled(canvas)
    clock.now_s = 5.0
    assert settled(canvas) == moved


class StillStyle:
    """As Qt's styles answer where the desktop wants no movement."""

    def styleHint(self, hint: QStyle.StyleHint, *_: Any) -> int:
        return 0 if hint == QStyle.StyleHint.SH_Widget_Animation_Duration else 1


def test_nothing_moves_where_the_desktop_wants_stillness(
    canvas: GraphCanvas, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert may_move(canvas)
    monkeypatch.setattr(QApplication, "style", StillStyle)
    assert not may_move(canvas)
    canvas.toggle_group(closed_group(canvas))
    first = settled(canvas)
    clock.now_s = 5.0
    assert settled(canvas) == first


@pytest.mark.parametrize(
    ("name", "text", "is_still"),
    [
        ("kdeglobals", "[General]\nx=1\n\n[KDE]\nAnimationDurationFactor=0\n", True),
        ("kdeglobals", "[KDE]\nAnimationDurationFactor=0.5\n", False),
        ("gtk-3.0/settings.ini", "[Settings]\ngtk-enable-animations=false\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations = 0\n", True),
        ("gtk-4.0/settings.ini", "[Settings]\ngtk-enable-animations=1\n", False),
    ],
)
def test_what_a_desktop_keeps_in_its_files_is_obeyed(
    canvas: GraphCanvas,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: str,
    text: str,
    is_still: bool,
) -> None:
    """Fusion, the window's style, asks no desktop."""
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", "")
    wants_stillness.cache_clear()
    assert may_move(canvas) is not is_still
    wants_stillness.cache_clear()


def test_what_gnome_says_is_obeyed(
    canvas: GraphCanvas, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "gsettings"
    asked = "get org.gnome.desktop.interface enable-animations"
    program.write_text(f"#!/bin/sh\ntest \"$*\" = '{asked}' && echo false\n")
    program.chmod(0o755)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    wants_stillness.cache_clear()
    assert not may_move(canvas)
    wants_stillness.cache_clear()


def test_nothing_moves_in_a_window_that_is_to_be_still(canvas: GraphCanvas, clock: Clock) -> None:
    canvas.window().setProperty(STILL, True)
    canvas.toggle_group(closed_group(canvas))
    first = settled(canvas)
    clock.now_s = 5.0
    assert settled(canvas) == first


def test_what_would_show_too_much_is_not_animated(
    canvas: GraphCanvas, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert canvas._drawing is not None
    sight = ViewedDrawing(canvas._drawing, canvas.camera)
    assert make_transition(sight, sight, (900, 600)) is not None
    assert make_transition(sight, ViewedDrawing(sight.drawing, canvas.camera.zoomed(
        2.0, 0.0, 0.0, 0.1)), (900, 600)) is None  # fmt: skip
    monkeypatch.setattr(transition_module, "_MAX_ITEMS", 1)
    assert make_transition(sight, sight, (900, 600)) is None
