"""A window to be killed: it saves one thing after another, and prints what was saved.

python -m tests.faults.killed_window HOME
"""

from __future__ import annotations

import os
import random
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from jaxscope.schema.archive import load_capture
from jaxscope.supervisor.process_tree import find_descendants
from tests.faults.scene import PATIENCE_S, PROGRAMS, is_alive

_WORKS = PROGRAMS / "works.py"


def kill_one(home: Path, chance: random.Random) -> int:
    """Start a window, kill it at a random moment, and see that all it kept is there.

    Returns:
        How much it had kept.

    Raises:
        AssertionError: Something is lost, damaged, or left behind.
    """
    words = [sys.executable, "-m", "tests.faults.killed_window", str(home)]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as window:
        assert window.stdout is not None
        ready, _, _ = select.select([window.stdout], [], [], PATIENCE_S)
        said = [window.stdout.readline()] if ready else [b""]
        assert said[0], "the window does not start"
        pids = find_descendants(window.pid)
        time.sleep(chance.random() * 1.5)
        os.kill(window.pid, signal.SIGKILL)
        said += window.stdout.read().split()
    kept = int(said[-1])
    deadline = time.monotonic() + PATIENCE_S
    while any(map(is_alive, pids)):
        assert time.monotonic() < deadline, "processes are left"
        time.sleep(0.02)
    _check(home, kept)
    return kept


def _check(home: Path, kept: int) -> None:
    from jaxscope.ui.panes.pane_area import parse_arrangement
    from jaxscope.ui.window.autosave import find_unsaved
    from jaxscope.ui.window.settings import Settings

    settings = Settings(str(home / "window.json"))
    assert settings.problems == []
    assert settings.recent_files == (str(_WORKS),)
    assert settings.calls and int(settings.calls[-1].partition("#")[2]) >= kept
    assert settings.drawer_share in (0.0, 0.25, 0.5)
    assert parse_arrangement(settings.arrangement) is not None or not kept
    path, *_ = find_unsaved(settings.unsaved_folder)
    capture = load_capture(path)
    assert capture.call == "f(f32[3])"
    notes = [bookmark.note for bookmark in capture.bookmarks]
    assert notes and int(notes[0]) >= kept, notes
    for left in find_unsaved(settings.unsaved_folder):
        left.unlink()  # so that the next round finds its own


def main(home: Path) -> None:
    """Keep ever more, and print what is kept for certain."""
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    from PySide6.QtWidgets import QApplication

    from jaxscope.client.session import Session
    from jaxscope.program.links import LineSelection
    from jaxscope.ui.application import build_window
    from jaxscope.ui.session.controller import Bridge, RunOptions
    from jaxscope.ui.window.autosave import Autosave, Keeper
    from jaxscope.ui.window.settings import Settings

    application = QApplication([])
    settings = Settings(str(home / "window.json"))
    window = build_window(application, Bridge(Session), RunOptions(), settings)
    window.show()
    window.open_path(str(_WORKS), "f(f32[3])")
    _wait(application.processEvents, lambda: window.controller.state.capture is not None)
    autosave, keeper = window.findChild(Autosave), window.findChild(Keeper)
    assert autosave is not None and keeper is not None
    for number in range(1, 1_000_000):
        window.workspace.bookmarks.set_note(LineSelection(str(_WORKS), 6), str(number))
        window.call_bar.set_call(f"f(f32[3])  #{number}")
        window.call_bar.edit.remember()
        (window.commands.actions["add_pane"].trigger, window.close_pane)[number % 2]()
        settings.set_drawer_share((0.25, 0.5)[number % 2])
        window.toggle_theme()
        keeper.keep()
        is_saved = autosave.save_now()
        application.processEvents()
        assert is_saved is not None
        is_saved.wait()
        print(number, flush=True)


def _wait(turn: Callable[[], object], holds: Callable[[], bool]) -> None:
    while not holds():
        turn()
        time.sleep(0.005)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
