"""`jaxscope FILE [CALL]`: open the window; the only module outside of `ui` that loads Qt."""

from __future__ import annotations

import importlib.util
import os
from typing import TYPE_CHECKING

from jaxscope.cli.parser import Options, refuse_unknown_word
from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.setup.system_libraries import (
    find_display,
    find_missing_libraries,
    format_install_line,
    is_root,
)
from jaxscope.ui.instance_handover import Offer, digest_surroundings, hand_over, program

if TYPE_CHECKING:
    from jaxscope.model import Capture

_WINDOWLESS_WAY = "Without a window: jaxscope capture FILE [CALL] -o out.html"


def run(options: Options) -> int:
    """Open the window on a file, or on the start page.

    Raises:
        UsageError: `--json` was asked for, the file is a word that is neither file nor verb, or the
            call is a path.
        EnvironmentProblem: There is no display, or something that Qt needs is missing.
    """
    if options.is_json:
        raise UsageError("A window prints no JSON.", remedy="jaxscope capture --json")
    refuse_unknown_word(options.file)
    if options.call and "(" not in options.call and os.path.exists(options.call):
        raise UsageError(
            f"{options.call} is a second path, where a call was expected.",
            remedy="Drop both onto the window, or make one capture of them: "
            f"jaxscope open {options.file} {options.call} -o out.jaxscope",
        )
    limits = {
        "python": options.python,
        "timeout": options.timeout_s,
        "memory": options.memory_bytes,
        "x64": options.x64,
    }
    surroundings = digest_surroundings(limits)  # before Qt, which may change the environment
    if options.file is not None and options.file.exists() and not options.new_window:
        file = os.path.abspath(options.file)
        offer = Offer(file, options.call or "", options.target, program(), surroundings)
        if hand_over(offer):
            print(f"{file} was handed to the window that is open (--new-window opens another).")
            return 0
    check_qt()
    from jaxscope.ui.launch import open_window

    return open_window(
        None if options.file is None else str(options.file),
        options.call,
        target=options.target,
        python=None if options.python is None else str(options.python),
        timeout_s=options.timeout_s,
        memory_bytes=options.memory_bytes,
        x64=options.x64,
        surroundings=surroundings,
    )


def open_on(what: Capture | str | os.PathLike[str], call: str | None) -> int:
    """Open the window on a capture or a file, for `jaxscope.show`.

    Raises:
        EnvironmentProblem: There is no display, or something that Qt needs is missing.
    """
    check_qt()
    from jaxscope.ui.launch import open_window

    if isinstance(what, str | os.PathLike):
        return open_window(os.fspath(what), call)
    return open_window(None, None, capture=what)


def check_qt() -> None:
    """Refuse early and with a way out: a missing library makes Qt abort the whole process.

    Raises:
        EnvironmentProblem: PySide6, a library of the system, or a display is missing.
    """
    if importlib.util.find_spec("PySide6") is None:
        raise EnvironmentProblem(
            "The window needs PySide6, which is not installed.",
            why=_WINDOWLESS_WAY,
            remedy="pip install 'PySide6-Essentials<6.12' pyqtgraph",
        )
    missing = find_missing_libraries()
    if missing:
        raise EnvironmentProblem(
            "Libraries of the system that the window needs are missing.",
            why=f"{', '.join(missing.sonames)}\n{_WINDOWLESS_WAY}",
            remedy=format_install_line(missing, (), is_root=is_root()),
        )
    if not find_display():
        raise EnvironmentProblem(
            "There is no display here: DISPLAY is not set.",
            why=_WINDOWLESS_WAY,
            remedy="Log in on a desktop or with ssh -X.",
        )
