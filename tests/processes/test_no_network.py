"""jaxscope asks no network for anything: the command, the window and the workers are watched.

Python tells an audit hook of each connection and each look-up of a name, before it is made. The
supervisor is not watched: it starts without what a user has installed, and so without the hook.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOK = """
import json, os, socket, sys

def write(*what):
    with open(os.environ["TEST_WATCHED"], "a") as file:
        file.write(json.dumps([os.getpid(), *map(str, what)]) + chr(10))

def hook(event, arguments):
    if event.startswith("socket.") and event != "socket.__new__" and event != "socket.gethostname":
        address = arguments[1] if len(arguments) > 1 else ""
        is_local = isinstance(arguments[0], socket.socket) and arguments[0].family == socket.AF_UNIX
        if not is_local:
            write(event, address)

sys.addaudithook(hook)
write("begun")
"""
PROGRAM = "import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x).sum()\n"
CONNECTING = """
import socket

def f(x):
    with socket.socket() as reaching:
        reaching.settimeout(1)
        reaching.connect_ex(("127.0.0.1", 9))
    return x
"""
WINDOW = """
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
import sys
from jaxscope.ui import application
build = application.build_window

def build_and_close(*arguments, **options):
    window = build(*arguments, **options)
    def look():
        if window.controller.state.capture is None:
            QTimer.singleShot(100, look)
        else:
            window.close()
            QApplication.quit()
    QTimer.singleShot(100, look)
    return window

application.build_window = build_and_close
from jaxscope.cli import main
sys.exit(main(["--new-window", *sys.argv[1:]]))
"""


def watch(folder: Path, *words: str) -> tuple[set[int], list[list[str]]]:
    """The processes of a command that were watched, and what they wanted of the network."""
    (folder / "sitecustomize.py").write_text(HOOK, "utf-8")
    told = folder / "told"
    told.unlink(missing_ok=True)
    more = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "TEST_WATCHED": str(told)}
    more |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    subprocess.run(
        [sys.executable, *words], env=os.environ | more, capture_output=True, check=True, text=True
    )
    lines = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    return {pid for pid, *_ in lines}, [rest for _, *rest in lines if rest != ["begun"]]


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "jaxscope", "capture", "f.py", "f(f32[3])", "-o", "f.html"],
        ["-m", "jaxscope", "time", "f.py", "f(f32[3])", "--budget", "1"],
        ["-m", "jaxscope", "check", "f.py", "f(f32[3])"],
        ["-c", WINDOW, "f.py", "f(f32[3])"],
    ],
    ids=["capture", "time", "check", "window"],
)
def test_nothing_is_asked_of_the_network(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(PROGRAM, "utf-8")
    processes, wanted = watch(tmp_path, *words)
    assert len(processes) >= 2, "the command and a worker were watched"
    assert wanted == []


def test_a_connection_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(CONNECTING, "utf-8")
    _, wanted = watch(tmp_path, "-m", "jaxscope", "capture", "f.py", "f(f32[3])", "-o", "f.json")
    assert ["socket.connect", "('127.0.0.1', 9)"] in wanted
