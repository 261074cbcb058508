"""PySide6 6.12.0 on Python below 3.12 loses a reference to None at every void Qt call.

After some thousand calls the process dies with `none_dealloc`. The pin in pyproject.toml keeps
that version out; this says so should the pin ever be lifted too early.
"""

from __future__ import annotations

import sys

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

NUM_CALLS = 1000


def test_void_calls_keep_none_alive(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for number in range(NUM_CALLS):
        label.setText(str(number))
    # Python 3.12 made None immortal, its count constant; others drift by a few.
    assert sys.getrefcount(None) > before - NUM_CALLS // 10
