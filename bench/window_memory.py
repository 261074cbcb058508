"""What the window takes of memory with a large capture open, in a process that never had JAX.

python -m bench.window_memory NUM_NODES     readings as JSON, in megabytes
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_LIMIT_S = 120.0


def read_memory(num_nodes: int) -> dict[str, float]:
    """Peaks of a window that opens three stages of so many nodes, as opened and all open."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "big.jaxscope"
        make = (
            "import sys; from pathlib import Path;"
            "from bench.graphs import make_capture, make_graph;"
            "from jaxscope.schema.archive import save_capture;"
            "save_capture(make_capture(make_graph(int(sys.argv[1]))), Path(sys.argv[2]))"
        )
        subprocess.run([sys.executable, "-c", make, str(num_nodes), str(path)], check=True)
        return _open(path, Path(folder) / "window.json")


def _open(path: Path, settings_file: Path) -> dict[str, float]:
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication

    from jaxscope.client.session import Session
    from jaxscope.ui.application import build_window
    from jaxscope.ui.session.controller import Bridge, RunOptions
    from jaxscope.ui.window.settings import Settings

    application = QApplication([])
    bridge = Bridge(Session)
    window = build_window(application, bridge, RunOptions(), Settings(str(settings_file)))
    window.resize(1600, 1000)
    window.show()
    window.open_path(str(path))
    panes = [p for p in window.workspace.area.panes if p.wanted_stage]

    def wait() -> None:
        until = time.monotonic() + _LIMIT_S
        drawn = 0
        while drawn < 2:  # the jaxpr and the optimized program; the source has no graph
            application.processEvents()
            time.sleep(0.005)
            scenes = [p.canvas for p in panes if p.canvas is not None]
            drawn = sum(c.scene is not None and not c.is_busy for c in scenes)
            if time.monotonic() > until:
                raise TimeoutError("The graphs were not drawn.")

    wait()
    readings = {"opened_mb": _peak_mb()}
    for pane in panes:
        if pane.canvas is not None:
            pane.canvas.expand_all()
            wait()
    bridge.close()
    return readings | {"all_open_mb": _peak_mb()}


def _peak_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    print(json.dumps(read_memory(int(sys.argv[1]))))
    sys.stdout.flush()
    os._exit(0)
