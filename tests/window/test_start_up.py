"""A window that can take a call has loaded nothing that only a result needs."""

from __future__ import annotations

import subprocess
import sys

START = """
import os, sys, tempfile
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from PySide6.QtWidgets import QApplication
from jaxscope.ui.session.controller import Bridge
from jaxscope.ui.session.controller import RunOptions
from jaxscope.ui.application import build_window
from jaxscope.ui.window.settings import Settings
application = QApplication([])
settings = Settings(os.path.join(tempfile.mkdtemp(), "window.json"))
window = build_window(application, Bridge(object), RunOptions(), settings, late_panes=True)
window.show()
print(*sys.modules)
sys.stdout.flush()
os._exit(0)
"""

LATE = (
    "jax",
    "scipy",
    "google",
    "pyqtgraph",
    "capstone",
    "graphviz",
    "jaxscope.ui.canvas.",
    "jaxscope.program.fates",
    "jaxscope.program.fusion",
    "jaxscope.program.diff",
    "jaxscope.program.machine",
    "jaxscope.picture.view.build",
    "jaxscope.picture.layout.layered",
)
"""Modules, or packages by their dot, that take long to load."""


def test_what_only_a_result_needs_is_loaded_with_it() -> None:
    ran = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, timeout=60)
    loaded = ran.stdout.split()
    assert "jaxscope.ui.window.main_window" in loaded, ran.stderr
    wrong = {
        module
        for module in loaded
        for late in LATE
        if module == late or module.startswith(late.rstrip(".") + ".")
    }
    assert not wrong
