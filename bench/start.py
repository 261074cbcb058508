"""How long the window takes to start, and until the first capture is on screen.

python -m bench.start SPAWNED     readings as JSON; SPAWNED: time.monotonic() at the start
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jaxscope.ui.canvas.graph_canvas import GraphCanvas
    from jaxscope.ui.canvas.graph_page import GraphPage

_SAMPLE = Path(__file__).parents[1] / "samples" / "quick_start.py"
_LIMIT_S = 60.0


def read_start(spawned: float) -> dict[str, float]:
    """Seconds since the process was spawned: usable, first stage drawn, capture complete."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from jaxscope.ui.launch import EarlySession

    session = EarlySession(None)  # as `open_window` does, before Qt is loaded
    from PySide6.QtWidgets import QApplication

    from jaxscope.ui.application import build_window
    from jaxscope.ui.session.controller import Bridge, RunOptions
    from jaxscope.ui.window.settings import Settings

    application = QApplication([])
    bridge = Bridge(session.wait)
    canvases: list[GraphCanvas] = []

    def make_graph() -> GraphPage:  # as the application does: loaded with the first graph
        from jaxscope.ui.canvas.graph_canvas import GraphCanvas
        from jaxscope.ui.canvas.graph_page import GraphPage

        canvases.append(GraphCanvas())
        return GraphPage(canvases[-1])

    # A file of its own: it is replaced when something changes, and must never be a device.
    folder = tempfile.TemporaryDirectory()
    settings = Settings(os.path.join(folder.name, "window.json"))
    window = build_window(application, bridge, RunOptions(), settings, make_graph, late_panes=True)
    window.show()
    application.processEvents()
    readings = {"usable": time.monotonic() - spawned}
    window.open_path(str(_SAMPLE), "simple_graph(f32[3])")

    def wait(name: str, is_there: Callable[[], object]) -> None:
        while not is_there():
            if time.monotonic() > spawned + _LIMIT_S:
                raise TimeoutError(f"{name} did not come")
            application.processEvents()
            time.sleep(0.001)
        readings[name] = time.monotonic() - spawned

    wait("first_stage", lambda: any(canvas.scene is not None for canvas in canvases))
    wait("capture", lambda: window.controller.state.capture is not None)
    bridge.close()
    folder.cleanup()
    return readings


if __name__ == "__main__":
    print(json.dumps(read_start(float(sys.argv[1]))))
    sys.stdout.flush()
    os._exit(0)
