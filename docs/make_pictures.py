"""Makes the README's pictures anew: `python docs/make_pictures.py`, in some twenty seconds.

Every picture is a real window with a real capture, drawn off screen.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ["QT_QPA_PLATFORM"] = "offscreen"

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from jaxscope.model import is_available
from jaxscope.ui.app import EarlySession
from jaxscope.ui.bridge import Bridge
from jaxscope.ui.controller import RunOptions
from jaxscope.ui.desktop import build_window
from jaxscope.ui.settings import Settings
from jaxscope.ui.state import Phase
from jaxscope.ui.window import MainWindow

ROOT = Path(__file__).resolve().parents[1]
PICTURES = (
    ("quick_start", "grad(simple_graph)(f32[1000])", "multiply", (1440, 810)),
    ("transformer", "grad(loss)(init(key(0)), tokens(key(1)))", "gather", (1600, 900)),
)
"""Sample, call, what the name of the fusion to select contains, size."""
_LIMIT_S = 120.0
_REST_S = 1.5
"""For layouts and movements after a selection."""


def take_pictures(
    application: QApplication, window: MainWindow, name: str, call: str, part: str
) -> None:
    """Run a call of a sample, select a fusion, and save the window in both themes."""
    window.open_path(str(ROOT / "samples" / f"{name}.py"), call)
    window.show()
    wait(application, lambda: window.controller.state.phase is Phase.DONE)
    rest(application)
    fusion = find_fusion(window, part)
    for pane in window.workspace.area.panes:
        if pane.canvas is not None and window.workspace.area.wanted_stage(pane) == "optimized":
            pane.canvas.select_node(fusion)  # opens what it is in
    rest(application)
    window.workspace.selection.select_node("optimized", fusion)
    for theme in ("light", "dark"):  # the window starts light
        if theme == "dark":
            window.toggle_theme()
        rest(application)
        image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        image.save(str(ROOT / "docs" / "pictures" / f"{name}_{theme}.png"), quality=0)


def find_fusion(window: MainWindow, part: str) -> int:
    """The first fusion of the optimized program whose name contains something."""
    stage = next(s for s in window.controller.state.stages if s.name == "optimized")
    if not is_available(stage.graph):
        raise LookupError("The optimized program has no graph.")
    graph = stage.graph
    return next(
        node
        for node in range(len(graph.nodes))
        if graph.node(node).operation == "fusion" and part in graph.node(node).id
    )


def wait(application: QApplication, is_done: Callable[[], bool]) -> None:
    """Let the window work until something is true."""
    deadline = time.monotonic() + _LIMIT_S
    while not is_done():
        if time.monotonic() > deadline:
            raise TimeoutError("The window did not get ready.")
        application.processEvents()
        time.sleep(0.005)


def rest(application: QApplication) -> None:
    """Let the window come to rest."""
    end = time.monotonic() + _REST_S
    wait(application, lambda: time.monotonic() > end)


def main() -> None:
    """Make all pictures."""
    application = QApplication(sys.argv[:1])
    application.setStyle("Fusion")
    for name, call, part, (width, height) in PICTURES:
        with tempfile.TemporaryDirectory() as folder:
            bridge = Bridge(EarlySession(None).wait)
            settings = Settings(str(Path(folder) / "window.ini"))
            settings.set_theme_name("light")
            window = build_window(application, bridge, RunOptions(), settings)
            window.resize(width, height)
            take_pictures(application, window, name, call, part)
            window.close()
            bridge.close()


if __name__ == "__main__":
    main()
