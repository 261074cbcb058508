"""Systems that this one is not: macOS, which has no `/proc`, and Windows, which has no POSIX.

What only a real machine can show (its own window system, its signals) is not seen here.
"""

from __future__ import annotations

import importlib.metadata
import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from jaxscope.cli import window
from jaxscope.setup import system_libraries
from jaxscope.supervisor import process_tree
from jaxscope.ui.window import sample_path

ROOT = Path(__file__).parents[2]

PS = '''#!{python}
"""`ps` as macOS prints it, of what `/proc` says."""
import os, sys

columns = sys.argv[sys.argv.index("-o") + 1].replace("=", "").split(",")
chosen = sys.argv[sys.argv.index("-p") + 1].split(",") if "-p" in sys.argv else None
for name in os.listdir("/proc"):
    if not name.isdigit() or (chosen is not None and name not in chosen):
        continue
    try:
        state, parent = open(f"/proc/{{name}}/stat").read().rpartition(")")[2].split()[:2]
        pages = int(open(f"/proc/{{name}}/statm").read().split()[1])
    except (OSError, IndexError):
        continue
    row = {{"pid": name, "ppid": parent, "rss": str(pages * 4), "state": state + "s"}}
    print(" ".join(row[column].rjust(5) for column in columns))
'''


@pytest.mark.slow
def test_all_modules_load_and_a_function_is_captured_without_posix(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.setup.without_posix", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.stdout == "all there cpu\n", done.stderr[-3000:]


@pytest.fixture
def without_proc(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No `/proc` for the functions of this process, and a `ps`."""
    program = tmp_path / "ps"
    program.write_text(PS.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(process_tree, "HAS_PROC", False)


@pytest.mark.usefixtures("without_proc")
def test_processes_are_found_weighed_and_ended_without_proc() -> None:
    code = "import subprocess, sys; subprocess.run(['sleep', '600'])"
    with subprocess.Popen([sys.executable, "-c", code], start_new_session=True) as child:
        try:
            deadline = time.monotonic() + 60.0
            while not (below := process_tree.find_descendants(child.pid)):
                assert time.monotonic() < deadline
            (sleeper,) = below
            assert child.pid in process_tree.find_descendants(os.getpid())
            assert process_tree.measure_rss_bytes([child.pid, sleeper]) > 4 << 20
            assert process_tree.measure_rss_bytes([]) == 0
            os.kill(sleeper, signal.SIGSTOP)
            while process_tree.read_state(sleeper) != "T":
                assert time.monotonic() < deadline
            process_tree.kill_tree(child.pid)
            assert child.wait(60) == -signal.SIGKILL
            while process_tree.read_state(sleeper) not in ("", "Z"):
                assert time.monotonic() < deadline
            assert process_tree.read_state(child.pid) == ""
        finally:  # else leaving the block would wait for it
            process_tree.kill_group(child.pid)


def test_without_ps_nothing_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(process_tree, "HAS_PROC", False)
    assert process_tree.find_descendants(os.getpid()) == []
    assert process_tree.measure_rss_bytes([os.getpid()]) == 0


@pytest.mark.parametrize("platform", ["darwin", "win32"])
def test_a_window_needs_no_libraries_and_no_variable_on_other_systems(
    monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    assert system_libraries.find_display() == ""
    monkeypatch.setattr(system_libraries.sys, "platform", platform)
    monkeypatch.setattr(system_libraries.ctypes, "CDLL", None)
    window.check_qt()
    assert system_libraries.find_display() == "the system's own"


def test_an_installation_has_the_samples(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A wheel's record lists them; a folder `samples` of somebody else beside it is not taken."""
    site = tmp_path / "lib" / "site-packages"
    samples = tmp_path / "share" / "jaxscope" / "samples"
    for folder in (site / "jaxscope-9.dist-info", site / "samples", samples):
        folder.mkdir(parents=True)
    (site / "samples" / "other.py").write_text("")
    names = ("quick_start.py", "selu.py")
    for name in names:
        (samples / name).write_text("")
    record = "".join(f"../../share/jaxscope/samples/{name},,\n" for name in names)
    (site / "jaxscope-9.dist-info" / "RECORD").write_text(f"samples/other.py,,\n{record}")
    (site / "jaxscope-9.dist-info" / "METADATA").write_text("Name: jaxscope\nVersion: 9\n")
    there = importlib.metadata.PathDistribution(site / "jaxscope-9.dist-info")
    monkeypatch.setattr(importlib.metadata.Distribution, "from_name", lambda _name: there)
    monkeypatch.setattr(sample_path, "__file__", str(site / "jaxscope" / "ui" / "window" / "x.py"))
    assert [path.name for path in sample_path.find_samples()] == list(names)


def test_the_wheel_takes_every_sample_and_picture() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lists = settings["tool"]["setuptools"]["data-files"].values()
    named = {path for patterns in lists for pattern in patterns for path in ROOT.glob(pattern)}
    kept = {
        path
        for path in (ROOT / "samples").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert kept and kept <= named
