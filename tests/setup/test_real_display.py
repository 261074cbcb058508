"""The window on a real X server, through the system's libraries that `./run` installs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

# Opens the window on a sample as the command line does, waits until the screen shows many colours,
# and prints what the person would see: platform, how many colours, and whether the window is large.
PROGRAM = """
import sys
from PySide6.QtCore import QElapsedTimer, QTimer
from PySide6.QtWidgets import QApplication
from jaxscope.ui.launch import open_window

application = QApplication(sys.argv[:1])

def look():
    windows = [w for w in application.topLevelWidgets() if w.isVisible() and w.isWindow()]
    if not windows:
        return
    image = application.primaryScreen().grabWindow(0).toImage()
    colors = {image.pixel(x, y) for x in range(0, image.width(), 7)
              for y in range(0, image.height(), 7)}
    if len(colors) > 20 or clock.hasExpired(400_000):
        print(application.platformName(), len(colors), windows[0].width() > 400)
        timer.stop()
        windows[0].close()

clock = QElapsedTimer()
clock.start()
timer = QTimer()
timer.timeout.connect(look)
timer.start(500)
sys.exit(open_window(sys.argv[1], settings_file=sys.argv[2]))
"""


@pytest.mark.xcb
def test_the_window_opens_under_x(x_display: str, tmp_path: Path) -> None:
    sample = ROOT / "samples" / "quick_start.py"
    variables = {**os.environ, "DISPLAY": x_display, "QT_QPA_PLATFORM": "xcb"}
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(sample), str(tmp_path / "settings.ini")],
        env=variables,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert answer.returncode == 0, answer.stderr
    platform, num_colors, is_large = answer.stdout.split()
    assert (platform, is_large) == ("xcb", "True")
    assert int(num_colors) > 20, "an empty screen has one colour"
    assert "Traceback" not in answer.stderr
