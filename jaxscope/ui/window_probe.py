"""Opens a window on a saved capture, prints as JSON what it saw, and closes: for
`jaxscope doctor --selftest`.

    python -m jaxscope.ui.window_probe FILE.jaxscope

Nothing is remembered, and nothing is run.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QApplication

from jaxscope.ui.application import build_window
from jaxscope.ui.canvas.graph_canvas import GraphCanvas
from jaxscope.ui.launch import EarlySession
from jaxscope.ui.session.controller import Bridge, RunOptions
from jaxscope.ui.window.settings import Settings

_LIMIT_S = 90.0
_FEW_COLOURS = 8
"""A window that draws nothing has fewer."""
_STEP_PX = 4
"""Pixels between those that are looked at."""


def main(path: str) -> int:
    """Show the capture until there is a picture of it, and say what there was."""
    started = time.monotonic()
    application = QApplication(sys.argv[:1])
    application.setApplicationName("jaxscope")
    application.setStyle("Fusion")
    remembered = Settings().unsaved_folder.parent
    with tempfile.TemporaryDirectory() as folder:
        bridge = Bridge(EarlySession(None, begins=False).wait, is_lazy=True)
        settings = Settings(str(Path(folder) / "window.json"))
        window = build_window(application, bridge, RunOptions(), settings)
        window.files.load_first(path)
        window.show()
        while time.monotonic() - started < _LIMIT_S:
            application.processEvents()
            if any(canvas.scene is not None for canvas in window.findChildren(GraphCanvas)):
                break
            time.sleep(0.01)
        seconds = time.monotonic() - started
        application.processEvents()
        image = window.grab().toImage()
        places = range(0, image.width(), _STEP_PX), range(0, image.height(), _STEP_PX)
        colours = {image.pixel(x, y) for x in places[0] for y in places[1]}
        screen = window.screen()
        seen = {
            "platform": application.platformName(),
            "screen": f"{screen.size().width()}×{screen.size().height()}",
            "scale": screen.devicePixelRatio(),
            "font": QFontInfo(window.font()).family(),
            "has_picture": len(colours) >= _FEW_COLOURS,
            "settings": str(remembered),
            "remembers": _can_write(remembered),
            "seconds": seconds,
        }
        window.close()
        bridge.close()
    print(json.dumps(seen))
    return 0


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.NamedTemporaryFile(dir=folder):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
