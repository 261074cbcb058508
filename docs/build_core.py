"""Build `jaxscope-core`: the wheel without Qt, for machines that have no screen.

    python docs/build_core.py FOLDER

It is the same package under another name, with the same command, and asks for neither PySide6 nor
pyqtgraph: 255 MB less. Who needs the window types `pip install jaxscope`; the two put the same
files into the same place, so an environment has one of them. Needs the package `build`.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
OF_QT = ("PySide6-Essentials", "pyqtgraph")


def rewrite(settings: str) -> str:
    """The settings of the package without Qt.

    Raises:
        ValueError: They are not as this knows them.
    """
    told, count = re.subn(r'^name = "jaxscope"$', 'name = "jaxscope-core"', settings, flags=re.M)
    kept = [line for line in told.splitlines() if not line.strip().startswith(_quoted())]
    dropped = len(told.splitlines()) - len(kept)
    if count != 1 or dropped < len(OF_QT):
        raise ValueError("pyproject.toml names the package or Qt in another way")
    return "\n".join(kept) + "\n"


def _quoted() -> tuple[str, ...]:
    return tuple(f'"{name}' for name in OF_QT)


def main(folder: Path) -> int:
    """Build it from what is committed; the status of the build."""
    with tempfile.TemporaryDirectory() as place:
        files = subprocess.Popen(["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", place], stdin=files.stdout, check=True)
        if files.wait():
            return files.returncode
        settings = Path(place) / "pyproject.toml"
        settings.write_text(rewrite(settings.read_text("utf-8")), "utf-8")
        command = [sys.executable, "-m", "build", "--wheel", "--outdir", str(folder), place]
        return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    raise SystemExit(main(Path(sys.argv[1]).absolute()))
