"""Colours and style sheet are reloaded when their file is saved (`./run dev --window`)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from jaxscope.ui.toolkit import theme

# In a process of its own: reloading would exchange the classes that other tests compare.
PROGRAM = """
import io, shutil, sys
from pathlib import Path
from PySide6.QtCore import QDeadlineTimer, QEventLoop
from PySide6.QtWidgets import QApplication
import jaxscope.ui.toolkit

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
shutil.copy(source, folder / "theme.py")
jaxscope.ui.toolkit.__path__.insert(0, str(folder))
from jaxscope.ui.toolkit import theme
from jaxscope.ui.toolkit.theme import LiveTheme

application = QApplication([])
themes = theme.ThemeSwitch(application, theme.LIGHT)
LiveTheme(themes)
names = []
themes.changed.connect(lambda changed: names.append(changed.name))

def save(text):
    (folder / "new").write_text(text, "utf-8")
    (folder / "new").replace(folder / "theme.py")  # as many editors do

def wait(is_done):
    deadline = QDeadlineTimer(30_000)
    while not is_done() and not deadline.hasExpired():
        application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 100)
    assert is_done()

text = source.read_text("utf-8")
ACCENT = f'"accent": ("{theme.LIGHT.accent}"'
for colour in ("#123456", "#654321"):
    save(text.replace(ACCENT, f'"accent": ("{colour}"'))
    wait(lambda: colour in application.styleSheet())
errors, sys.stderr = sys.stderr, io.StringIO()
try:
    save("def")
    wait(lambda: "SyntaxError" in sys.stderr.getvalue())
finally:
    sys.stderr = errors
assert "#654321" in application.styleSheet()
assert names == ["light", "light"], names
print("done")
"""


def test_a_saved_theme_is_applied_and_a_broken_one_changes_nothing(tmp_path: Path) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(theme.__file__), str(tmp_path)],
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.stdout == "done\n", answer.stderr
