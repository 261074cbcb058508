"""What is left of jaxscope on a system without POSIX: run by `test_platforms.py`, in a process.

    PYTHON -m tests.setup.without_posix FOLDER

Libraries are loaded first; they know Windows by themselves. Then what Windows has not is taken
away, every module of the package is imported, a function captured, saved and read again.
"""

import asyncio
import ctypes
import importlib
import multiprocessing
import os
import pkgutil
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import types
import unittest.mock
from pathlib import Path

import capstone
import graphviz
import jax
import jax.numpy as jnp
import mcp.server
import msgspec
import pyqtgraph
import PySide6.QtWidgets
import reportlab
import resvg_py

import jaxscope

LIBRARIES = (asyncio, capstone, graphviz, mcp, msgspec, multiprocessing, PySide6, pyqtgraph)
MORE = (reportlab, resvg_py, subprocess, tempfile)
MODULES = ("fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty")
OF_OS = (
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "WNOHANG", "fchmod", "fork"),
    *("geteuid", "getgid", "getloadavg", "getpgid", "getpgrp", "getuid", "killpg", "mkfifo"),
    *("openpty", "pread", "pwrite", "register_at_fork", "sched_getaffinity", "setsid", "statvfs"),
    *("sysconf", "uname", "wait4"),
)
SIGNALS = ("SIGABRT", "SIGFPE", "SIGILL", "SIGINT", "SIGSEGV", "SIGTERM", "SIG_DFL", "SIG_IGN")


def take_away() -> None:
    """Make this process one as on Windows, as far as Python code can see."""
    sys.modules.update(dict.fromkeys(MODULES))
    for name in ("_winapi", "msvcrt"):  # which Windows has: what runs a program is not tried here
        sys.modules[name] = types.ModuleType(name)
    ctypes.WinDLL = unittest.mock.MagicMock()
    for name in OF_OS:
        if hasattr(os, name):
            delattr(os, name)
    for name in dir(signal):
        if name.startswith("SIG") and name not in SIGNALS:
            delattr(signal, name)
    for name in ("pthread_kill", "pthread_sigmask", "set_wakeup_fd", "setitimer", "siginterrupt"):
        if hasattr(signal, name):
            delattr(signal, name)
    for name in ("epoll", "poll"):
        if hasattr(select, name):
            delattr(select, name)
    sys.platform = "win32"
    # Which Windows has, and shutil of Python 3.12 asks.
    answers = types.SimpleNamespace(NeedCurrentDirectoryForExePath=lambda _name: True)
    shutil._winapi = answers  # type: ignore[attr-defined]  # private, and there on Windows alone


def main(folder: Path) -> None:
    """Print what fails, or `all there`."""
    take_away()
    failed = []
    for found in pkgutil.walk_packages(jaxscope.__path__, "jaxscope.", failed.append):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    from jaxscope.schema.archive import load_capture
    from jaxscope.setup.system_libraries import find_display, find_missing_libraries
    from jaxscope.wire.scratch import remove_stale_scratch

    capture = jaxscope.capture(lambda x: jnp.sin(x) * 2, jnp.ones(3))
    capture.save(folder / "a.jaxscope")
    saved = load_capture(folder / "a.jaxscope")
    remove_stale_scratch()
    failed += [] if saved.call == capture.call else ["another call"]
    failed += [] if find_display() and not find_missing_libraries() else ["no window"]
    print(failed or "all there", jax.default_backend())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
