"""A launch while a window is open: hands its file to that window and ends.

The window listens on a socket in a folder that only this person may enter, one for each display.
The launch sends an offer, a line of JSON; the window says `yes` or `no`; upon `yes` the launch says
`go`, and only then the file is opened. So a window that is too busy to answer in time opens nothing
later. Where folders hold no sockets, as on Windows, the window listens on the loopback; a file in
the folder says on which port, and a secret that a launch has to say first: other people reach the
port, too. This module must not import Qt: a launch that hands its file over is over before Qt would
be loaded. `ui/window/instance_server.py` is the window's side.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
import os
import socket
import stat
import sys
from collections.abc import Mapping

from jaxscope.errors import PACKAGE_FOLDER
from jaxscope.late_dataclass import dataclass
from jaxscope.processes import is_alive

MAX_BYTES = 1 << 16
ANSWER_S = 1.0
LOOPBACK = "127.0.0.1"
SOCKET_FILES = getattr(socket, "AF_UNIX", None)
"""The family of sockets that are in folders; None where there are none."""

YES, NO, GO = b"yes\n", b"no\n", b"go\n"
_DRAWS_NOTHING = frozenset({"offscreen", "minimal", "minimalegl", "vnc", "linuxfb", "eglfs"})
_OF_THE_TERMINAL = frozenset(
    {
        *("_", "SHLVL", "PWD", "OLDPWD", "TERM", "COLORTERM", "COLUMNS", "LINES", "WINDOWID"),
        *("TERM_PROGRAM", "TERM_PROGRAM_VERSION", "TERM_SESSION_ID", "VTE_VERSION", "SSH_TTY"),
        *("GNOME_TERMINAL_SCREEN", "KONSOLE_DBUS_SESSION", "KONSOLE_DBUS_WINDOW", "TMUX_PANE"),
        *("ITERM_SESSION_ID", "WT_SESSION", "XDG_ACTIVATION_TOKEN", "DESKTOP_STARTUP_ID"),
    }
)
"""Variables that differ from terminal to terminal and say nothing of what a program does."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a launch was asked to show.

    Attributes:
        file: Its absolute path.
        call: The call; empty for the first that the file offers.
        target: Where to run it.
        program: Which jaxscope was launched.
        surroundings: A digest of what user code would find: options, folder, environment.
    """

    file: str
    call: str
    target: str
    program: str
    surroundings: str

    def encode(self) -> bytes:
        """The message as one line."""
        return json.dumps(dataclasses.asdict(self)).encode() + b"\n"


def read_offer(line: bytes) -> Offer | None:
    """An offer; None if the line is none. What is on the socket is not trusted."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError):
        return None
    names = {field.name for field in dataclasses.fields(Offer)}
    if not isinstance(read, dict) or set(read) != names:
        return None
    if not all(isinstance(text, str) and "\0" not in text for text in read.values()):
        return None
    try:
        "".join(read.values()).encode()  # else it can be no path: JSON has halves of characters
    except UnicodeEncodeError:
        return None
    return Offer(**read) if os.path.isabs(read["file"]) else None


def program() -> str:
    """Which jaxscope this is."""
    from jaxscope.version import __version__

    return f"{__version__} {PACKAGE_FOLDER}"


def digest_surroundings(options: Mapping[str, object]) -> str:
    """A digest of what user code would find in this process: two that differ run differently."""
    try:
        folder = os.getcwd()
    except OSError:  # it was deleted
        folder = ""
    environment = sorted((k, v) for k, v in os.environ.items() if k not in _OF_THE_TERMINAL)
    told = repr((sorted(options.items()), folder, environment))
    return hashlib.sha256(told.encode("utf-8", "surrogateescape")).hexdigest()


def find_place() -> str | None:
    """Where the window of this person on this display listens; None where none can."""
    platform = os.environ.get("QT_QPA_PLATFORM", "")
    if platform.partition(":")[0] in _DRAWS_NOTHING:
        return None
    folder = _find_folder()
    if folder is None:
        return None
    names = ("WAYLAND_DISPLAY", "DISPLAY", "QT_QPA_PLATFORM", "HOME", "XDG_CONFIG_HOME")
    display = repr([os.environ.get(name) for name in names])
    digest = hashlib.sha256(display.encode("utf-8", "surrogateescape")).hexdigest()
    return os.path.join(folder, f"window-{digest[:16]}")


def _find_folder() -> str | None:
    """A folder that only this person may enter."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")  # which Windows closes to others
        if not os.path.isdir(base):
            return None
        folder = os.path.join(base, "jaxscope")
        with contextlib.suppress(FileExistsError):
            os.mkdir(folder)
        return folder
    base = os.environ.get("XDG_RUNTIME_DIR") or os.environ.get("TMPDIR") or "/tmp"
    folder = os.path.join(base, f"jaxscope-{os.getuid()}")
    try:
        os.makedirs(folder, 0o700, exist_ok=True)
        found = os.lstat(folder)
    except OSError:
        return None
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        return None  # somebody else may have made it
    return folder


def connect(place: str, timeout_s: float) -> socket.socket:
    """A connection to the window that listens at a place.

    Raises:
        OSError: None listens there.
    """
    address: str | tuple[str, int] = place
    first, family = b"", SOCKET_FILES
    if family is None:
        with open(place, "rb") as file:
            words = file.read(MAX_BYTES).split()
        if len(words) != 3 or not is_alive(int(words[0])):
            raise ConnectionRefusedError("the window that wrote this file is gone")
        first, family = words[2] + b"\n", socket.AF_INET
        address = (LOOPBACK, int(words[1]))
    window = socket.socket(family)
    try:
        window.settimeout(timeout_s)
        window.connect(address)
        window.sendall(first)
    except (OSError, OverflowError):
        window.close()
        raise
    return window


def hand_over(offer: Offer) -> bool:
    """Whether a window that is open took the file."""
    place = find_place()
    line = offer.encode()
    if place is None or len(line) > MAX_BYTES or not os.path.exists(place):
        return False
    try:
        with connect(place, ANSWER_S) as window:
            window.sendall(line)
            if window.recv(len(YES)) != YES:
                return False
            window.sendall(GO)
            return True
    except (OSError, ValueError, OverflowError):  # nobody listens any more, or not in time
        return False
