"""Garbage: widgets that are while all widgets are styled, and when a window looks for it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jaxscope.schema.archive import save_capture

from .programs import build_capture

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


@pytest.mark.sweep(1)
@pytest.mark.parametrize("change", CHANGES)
def test_a_widget_that_is_garbage_does_no_harm_when_all_are_styled(change: str) -> None:
    program = PROGRAM.replace("{change}", change)
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (found.returncode, found.stdout) == (0, "alive\n"), found.stderr


LAUNCHED = """
import gc, os, sys, tempfile, weakref
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from jaxscope.ui import application, launch

STATES = Qt.ApplicationState


class Knot:
    pass


def look():
    knot = Knot()
    knot.itself, known = knot, weakref.ref(knot)
    gc.collect(1)  # it is old now
    del knot
    told = []
    for num_young in (1, 40):
        for _ in range(num_young):
            gc.collect(1)
        for state in (STATES.ApplicationActive, STATES.ApplicationInactive):
            QApplication.instance().applicationStateChanged.emit(state)
            told.append(known() is not None)
    print(*told)
    sys.stdout.flush()
    os._exit(0)


build_window = application.build_window


def build(*words, **options):
    window = build_window(*words, **options)
    QTimer.singleShot(0, window, look)
    return window


application.build_window = build
launch.open_window(sys.argv[1], settings_file=os.path.join(tempfile.mkdtemp(), "window.json"))
"""


def test_a_launched_window_looks_for_garbage_while_another_is_in_use(tmp_path: Path) -> None:
    """All threads wait for that: not while somebody looks, and not for a few objects."""
    save_capture(build_capture(), tmp_path / "a.jaxscope")
    command = [sys.executable, "-c", LAUNCHED, str(tmp_path / "a.jaxscope")]
    found = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert found.stdout.split() == ["True", "True", "True", "False"], found.stderr
