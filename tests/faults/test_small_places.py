"""A home that cannot be written to and a full folder for temporary files, mounted for the test."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MOUNT = """
mount -t tmpfs -o size=300k tmpfs home && mkdir home/.config home/.cache || exit 77
mount -o remount,ro home && mount -t tmpfs -o size=64k tmpfs full || exit 77
head -c 70000 /dev/zero > full/all 2> /dev/null
export HOME=$PWD/home XDG_CONFIG_HOME= XDG_CACHE_HOME= TMPDIR=$PWD/full QT_QPA_PLATFORM=offscreen
unset XDG_CONFIG_HOME XDG_CACHE_HOME
"""
WINDOW = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QLabel
from jaxscope.cli import main
from jaxscope.ui import application
from jaxscope.ui.window.autosave import Autosave, Keeper
build = application.build_window

def build_and_use(*arguments, **options):
    window, saved = build(*arguments, **options), []
    def look():
        labels = [each.text() for each in window.findChildren(QLabel) if each.isVisible()]
        state = window.controller.state
        if any("could not be saved" in text for text in labels):
            print(*labels)
            window.close()
        elif state.capture is not None and not state.is_running and not saved:
            window.toggle_theme()
            window.findChild(Keeper).keep()
            window.findChild(Autosave).save_now().wait()
            saved.append(window.files.save(sys.argv[1] + "/out.jaxscope"))
    timer = QTimer(window, interval=50)
    timer.timeout.connect(look)
    timer.start()
    return window

application.build_window = build_and_use
sys.exit(main(["--new-window", "f.py"]))
"""


@pytest.mark.parametrize("is_window", (False, True), ids=("command", "window"))
@pytest.mark.slow
def test_it_works_and_says_what_it_cannot_write(tmp_path: Path, is_window: bool) -> None:
    for name in ("home", "full"):
        (tmp_path / name).mkdir()
    (tmp_path / "f.py").write_text("# jaxscope: f(f32[3])\ndef f(x):\n    return x + 1\n")
    (tmp_path / "use.py").write_text(WINDOW)
    words = "use.py $HOME" if is_window else "-m jaxscope capture f.py -o $HOME/out.json"
    answer = subprocess.run(
        ["unshare", "--mount", "--map-root-user", "sh", "-c", f"{MOUNT}\n{sys.executable} {words}"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    if answer.returncode == 77 or "unshare" in answer.stderr:
        pytest.skip("Nothing can be mounted here.")
    assert answer.returncode == (0 if is_window else 3), answer.stderr
    said = answer.stdout if is_window else answer.stderr
    assert "Read-only file system" in said
    assert "Traceback" not in answer.stderr
