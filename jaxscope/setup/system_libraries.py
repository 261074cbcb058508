"""Which shared libraries of the system Qt needs, and which Debian packages bring them; their
installation.

The list was found by removing every package in turn from a bare Debian 12 and starting the window
offscreen and under X: dropping any one of these broke something. The names hold on Debian 13 and
Ubuntu too, where the packages that were renamed still provide the old names.
"""

from __future__ import annotations

import ctypes
import dataclasses
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from jaxscope.setup import SetupProblem

PACKAGE_BY_SONAME = {
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libGL.so.1": "libgl1",
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon-x11-0",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libxkbcommon-x11-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-image.so.0": "libxcb-cursor0",
    "libxcb-render-util.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
}

# Most of the sonames above come with these by dependency; asked for by name because the X plugin
# of Qt opens them itself and aborts the process if one is missing.
_PACKAGE_WITH_MORE = {"libX11-xcb.so.1": "libx11-xcb1"}

TEST_PROGRAMS = {"Xvfb": "xvfb", "xauth": "xauth"}


@dataclasses.dataclass(frozen=True)
class MissingLibraries:
    """Shared libraries that cannot be loaded.

    Attributes:
        sonames: Such as `libEGL.so.1`, in the order of the table.
        packages: Debian's packages that bring them, without repeats.
    """

    sonames: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.sonames)


def find_missing_libraries(load: Callable[[str], object] = ctypes.CDLL) -> MissingLibraries:
    """Try to load every library that the window needs; a few milliseconds.

    On macOS and Windows PySide6 brings what it needs.
    """
    if sys.platform != "linux":
        return MissingLibraries()
    sonames = tuple(name for name in PACKAGE_BY_SONAME if not _can_load(name, load))
    packages = [PACKAGE_BY_SONAME[name] for name in sonames]
    packages += [_PACKAGE_WITH_MORE[name] for name in sonames if name in _PACKAGE_WITH_MORE]
    return MissingLibraries(sonames, tuple(dict.fromkeys(packages)))


def find_display() -> str:
    """What Qt would draw on, such as `DISPLAY=:0`; empty where there is nothing."""
    if sys.platform in ("darwin", "win32"):
        return "the system's own"
    names = ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY", "DISPLAY")
    return next((f"{name}={os.environ[name]}" for name in names if os.environ.get(name)), "")


def find_missing_test_programs() -> tuple[str, ...]:
    """Debian packages that the tests under X need and that are not here."""
    return tuple(
        package for program, package in TEST_PROGRAMS.items() if shutil.which(program) is None
    )


def find_missing_python_packages(has_uv: bool) -> tuple[str, ...]:
    """Debian packages without which this Python cannot make a virtual environment.

    Debian cuts `ensurepip` out of Python into a package of its own; uv needs neither.
    """
    if has_uv or importlib.util.find_spec("ensurepip") is not None:
        return ()
    name = f"python{sys.version_info.major}.{sys.version_info.minor}"
    default = Path("/usr/bin/python3")
    is_default = default.exists() and default.resolve().name == name
    return ("python3-venv",) if is_default else (f"{name}-venv",)


def format_install_line(
    missing: MissingLibraries | None, packages: Iterable[str], *, is_root: bool
) -> str:
    """The line to type on this distribution to get the packages, or a list of what to look for."""
    prefix = "" if is_root else "sudo "
    names = [*(missing.packages if missing else ()), *packages]
    if shutil.which("apt-get"):
        return f"{prefix}apt-get install -y {' '.join(dict.fromkeys(names))}"
    sonames = missing.sonames if missing else ()
    if sonames and shutil.which("dnf"):
        capabilities = " ".join(f"'{name}()(64bit)'" for name in sonames)
        return f"{prefix}dnf install {capabilities}"
    if sonames:
        return (
            "the packages of this distribution that bring " + ", ".join(sonames) + " "
            f"(on Debian: {' '.join(dict.fromkeys(names))})"
        )
    return "the packages that Debian calls " + " ".join(names)


def _can_load(soname: str, load: Callable[[str], object]) -> bool:
    try:
        load(soname)
    except OSError:
        return False
    return True


# Install Debian packages, with sudo where needed.


def is_root() -> bool:
    """Whether this process may install packages without asking anybody."""
    return os.geteuid() == 0


LOCK_WAIT_S = 120
"""For another installation to end, which holds the lock of apt."""

_WAIT_FOR_LOCK = ("-o", f"DPkg::Lock::Timeout={LOCK_WAIT_S}")
_REFUSED = "(13: "  # the file of the lock could not be opened at all


def install_packages(packages: Sequence[str]) -> None:
    """Install packages through apt-get; its messages go to standard error.

    Raises:
        SetupProblem: This is no Debian, sudo is missing or refused, or apt-get failed.
    """
    line = f"apt-get install -y {' '.join(packages)}"
    if shutil.which("apt-get") is None:
        raise SetupProblem(
            f"this system has no apt-get; install what Debian calls {' '.join(packages)} with its "
            "own package manager, then start again."
        )
    prefix: list[str] = []
    if not is_root():
        if shutil.which("sudo") is None:
            raise SetupProblem(f"installing needs root, and there is no sudo. As root: {line}")
        # Without a terminal sudo could only hang or fail with a message about askpass.
        prefix = ["sudo"] if sys.stdin.isatty() else ["sudo", "--non-interactive"]
    print(f"jaxscope: installing {' '.join(packages)} ...", file=sys.stderr, flush=True)
    commands = (
        [*prefix, "apt-get", "update", "-qq"],
        [
            *prefix,
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            *("apt-get", *_WAIT_FOR_LOCK, "install", "-y", "-qq", "--no-install-recommends"),
            *packages,
        ],
    )
    # A failed update (one dead mirror of several) is no reason to stop; the installation will say.
    status, said = [_run(command) for command in commands][-1]
    if status != 0:
        question = "is this machine online, and may you use sudo? When it is"
        if "/lock" in said and _REFUSED not in said:  # its file, in whatever language apt speaks
            question = "another program installs packages and holds apt's lock. When it has ended"
        raise SetupProblem(
            "apt-get could not install what is missing (its message is above): "
            f"{question}, type: {'' if is_root() else 'sudo '}{line}"
        )


def _run(command: Sequence[str]) -> tuple[int, str]:
    """The exit status of a command, and the errors that it showed."""
    said = []
    try:
        # apt's chatter belongs on standard error: the output of `./run capture -o -` is data.
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace"
        ) as process:
            assert process.stderr is not None
            for line in process.stderr:
                said.append(line)
                print(line, end="", file=sys.stderr, flush=True)
    except OSError as error:
        raise SetupProblem(f"{command[0]} could not be started: {error}") from None
    return process.returncode, "".join(said)
