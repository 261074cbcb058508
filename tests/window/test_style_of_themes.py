"""Changing the theme leaves nothing behind."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication, QStyle

from jaxscope.ui.canvas.transition import may_move

from .conftest import Driver
from .programs import build_capture


@pytest.mark.slow
def test_no_style_is_kept_of_the_themes_before(driver: Driver, source: Path) -> None:
    """PySide keeps what `QWidget.style` gives for as long as the application lives."""
    window = driver.window
    driver.finish(driver.open(source), build_capture())

    def use() -> None:
        window.toggle_theme()
        window.call_bar.set_failed(is_failed=True)
        window.call_bar.set_failed(is_failed=False)
        window.workspace.area.focus_next(1)
        window.workspace.area.active.header.search.setText("no such thing")
        window.workspace.area.active.header.search.clear()
        may_move(window)
        window.workspace.show_stage("grad")
        window.workspace.show_stage("jaxpr")
        QApplication.processEvents()

    use()
    before = num_styles()
    for _ in range(3):
        use()
    assert num_styles() <= before


def num_styles() -> int:
    gc.collect()
    return sum(isinstance(each, QStyle) for each in gc.get_objects())
