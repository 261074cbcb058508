"""Whether the desktop wants no movement. Qt's style Fusion moves things whatever is set there."""

from __future__ import annotations

import ctypes
import functools
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

_OF_GNOME = ("gsettings", "get", "org.gnome.desktop.interface", "enable-animations")
_OF_MACOS = ("defaults", "read", "com.apple.universalaccess", "reduceMotion")
_OF_KDE = re.compile(r"^\s*AnimationDurationFactor\s*=\s*0(\.0*)?\s*$", re.MULTILINE)
_OF_GTK = re.compile(r"^\s*gtk-enable-animations\s*=\s*(0|false)\s*$", re.MULTILINE | re.IGNORECASE)
_FILES = (("kdeglobals", _OF_KDE), ("gtk-3.0/settings.ini", _OF_GTK),
          ("gtk-4.0/settings.ini", _OF_GTK))  # fmt: skip
_OF_WINDOWS = 0x1042  # SPI_GETCLIENTAREAANIMATION
_LIMIT_S = 2.0


@functools.cache
def wants_stillness() -> bool:
    """What the desktop said when it was first asked; that may take some ten milliseconds."""
    if sys.platform == "darwin":
        return _ask(_OF_MACOS) == "1"
    if sys.platform == "win32":
        is_moving = ctypes.c_int(1)
        ctypes.windll.user32.SystemParametersInfoW(_OF_WINDOWS, 0, ctypes.byref(is_moving), 0)
        return not is_moving.value
    return is_set_in(os.environ) or _ask(_OF_GNOME) == "false"


def is_set_in(environment: Mapping[str, str]) -> bool:
    """Whether the files of KDE or GTK in a person's folder of settings say so."""
    home = environment.get("HOME", "")
    folder = Path(environment.get("XDG_CONFIG_HOME") or Path(home, ".config"))
    for name, pattern in _FILES:
        try:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
        except OSError:
            continue
        if pattern.search(text):
            return True
    return False


def _ask(command: tuple[str, ...]) -> str:
    try:
        told = subprocess.run(
            command, capture_output=True, text=True, timeout=_LIMIT_S, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return told.stdout.strip()
