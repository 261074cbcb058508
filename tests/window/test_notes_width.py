"""Notes are never cut: what does not fit one line ends with dots, and all of it can be read."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from jaxscope.ui.toolkit.widgets import FoldedNotes

METHOD = "Each call is timed by itself until its result is ready, in random pairs of calls. " * 3


@pytest.mark.parametrize("is_roomy", [False, True])
def test_notes_take_the_width_that_they_have_now(qtbot: QtBot, is_roomy: bool) -> None:
    page = QWidget()
    notes = FoldedNotes()
    column = QVBoxLayout(page)
    column.addWidget(notes)
    column.addStretch()
    qtbot.addWidget(page)
    notes.set_roomy(is_roomy)
    page.resize(300, 500)
    page.show()
    label, viewport = notes._label, notes._area.viewport()

    def fits() -> bool:
        metrics = label.fontMetrics()
        if is_roomy:
            return viewport.height() >= label.heightForWidth(viewport.width())
        room = viewport.width() - metrics.horizontalAdvance(label.text())
        return 0 <= room < metrics.horizontalAdvance("Each call is")

    notes.set_notes((), [METHOD])  # without the button
    qtbot.waitUntil(fits)
    notes.set_notes((), [METHOD, "On this machine."])  # with it
    qtbot.waitUntil(fits)
    for width in (900, 450):
        page.resize(width, 500)
        qtbot.waitUntil(fits)
