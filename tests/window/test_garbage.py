"""Widgets that are garbage while all widgets are styled."""

from __future__ import annotations

import subprocess
import sys

import pytest

# In a process of its own, which a fault ends.
PROGRAM = """
import gc
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel, QVBoxLayout, QWidget

from jaxscope.ui.toolkit.theme import ThemeSwitch


class Busy(QLabel):
    def changeEvent(self, event: QEvent) -> None:
        gc.set_threshold(20, 1, 1)  # only now: the garbage is not collected sooner
        self.kept = [[] for _ in range(50)]
        super().changeEvent(event)


def leave_garbage() -> None:
    gc.set_threshold(0)
    for _ in range(200):
        garbage = QWidget()
        column = QVBoxLayout(garbage)
        for part in (QLabel("text"), QLabel("more")):
            column.addWidget(part)
        garbage.itself = garbage


application = QApplication([])
themes = ThemeSwitch(application)
for _ in range(5):
    busy = [Busy("text") for _ in range(30)]
    leave_garbage()
    {change}
print("alive")
"""

CHANGES = (
    "themes.toggle()",
    "themes.zoom(1)",
    "with themes.dressed_last(): leave_garbage()",
)


@pytest.mark.parametrize("change", CHANGES)
def test_a_widget_that_is_garbage_does_no_harm_when_all_are_styled(change: str) -> None:
    program = PROGRAM.replace("{change}", change)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "alive\n"), found.stderr
