"""jaxscope asks no network for anything: the command, the window, supervisor and workers get none.

The kernel ends each of their processes that makes a socket for the internet. Python tells an audit
hook before, as it does of look-ups of names: one that is ended could be replaced without a word.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

_SOCKET = {"x86_64": 41, "aarch64": 198}.get(platform.machine())
"""The number of the system call."""
pytestmark = pytest.mark.skipif(_SOCKET is None, reason="The number of a call is not known.")
ROOT = Path(__file__).parents[2]
HOOK = f"""
import ctypes, json, os, socket, struct, sys

LOAD, EQUALS, RETURN = 0x20, 0x15, 0x06
STEPS = (
    (LOAD, 0, 0, 0),  # which call
    (EQUALS, 0, 4, {_SOCKET}),
    (LOAD, 0, 0, 16),  # its first argument
    (EQUALS, 1, 0, socket.AF_INET),
    (EQUALS, 0, 1, socket.AF_INET6),
    (RETURN, 0, 0, 0x80000000),  # end the process
    (RETURN, 0, 0, 0x7FFF0000),  # allow it
)
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in STEPS))
rules = ctypes.create_string_buffer(struct.pack("HP", len(STEPS), ctypes.addressof(code)))
prctl = ctypes.CDLL(None, use_errno=True).prctl
if prctl(38, 1, 0, 0, 0) or prctl(22, 2, rules):  # no new privileges; take a filter
    raise OSError(ctypes.get_errno(), "The kernel takes no filter.")

def write(*what):
    with open(os.environ["TEST_WATCHED"], "a") as file:
        print(json.dumps([os.getpid(), *map(str, what)]), file=file)

def hook(event, arguments):
    if event == "socket.__new__" and arguments[1] in (socket.AF_INET, socket.AF_INET6):
        write(event)
    elif event.startswith(("socket.getaddr", "socket.gethostby", "socket.getname")):
        write(event, *arguments)

sys.addaudithook(hook)
write("begun")
"""
PROGRAM = "import jax.numpy as jnp\n\ndef f(x):\n    return jnp.sin(x).sum()\n"
CONNECTING = """
import socket

def f(x):
    socket.socket()
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


def watch(folder: Path, *words: str) -> tuple[int, set[int], list[list[str]]]:
    """How a command ended, which processes were watched, and what they wanted of the network."""
    (folder / "sitecustomize.py").write_text(HOOK, "utf-8")
    told = folder / "told"
    told.unlink(missing_ok=True)
    more = {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}", "TEST_WATCHED": str(told)}
    more |= {"HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}
    status = subprocess.run(
        [sys.executable, *words], env=os.environ | more, capture_output=True, check=False
    ).returncode
    lines = [json.loads(line) for line in told.read_text("utf-8").splitlines()]
    return status, {pid for pid, *_ in lines}, [rest for _, *rest in lines if rest != ["begun"]]


@pytest.mark.parametrize(
    "words",
    [
        ["-m", "jaxscope", "capture", "f.py", "f(f32[3])", "-o", "f.html"],
        ["-m", "jaxscope", "time", "f.py", "f(f32[3])", "--budget", "0.1"],
        ["-m", "jaxscope", "check", "f.py", "f(f32[3])"],
        ["-c", WINDOW, "f.py", "f(f32[3])"],
    ],
    ids=["capture", "time", "check", "window"],
)
@pytest.mark.slow
def test_nothing_is_asked_of_the_network(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(PROGRAM, "utf-8")
    status, processes, wanted = watch(tmp_path, *words)
    assert status == 0
    assert len(processes) >= 2, "the command and a worker were watched"
    assert wanted == []


@pytest.mark.slow
def test_who_asks_is_seen_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "f.py").write_text(CONNECTING, "utf-8")
    status, _, wanted = watch(tmp_path, "-m", "jaxscope", "capture", "f.py", "f(f32[3])")
    assert (status, wanted) == (4, [["socket.__new__"]])
