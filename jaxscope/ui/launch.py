"""Starts the window; `open_window` is the only entry point of the command line.

Loading Qt takes as long as starting a worker. So the session is started first, on a thread, and
only then is everything that needs Qt imported. This module must not import Qt.
"""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING

from jaxscope.errors import JaxscopeError

if TYPE_CHECKING:
    from jaxscope.client.session import Session
    from jaxscope.model import Capture

_SWITCH_S = 0.0005
"""How long a thread that interprets a program may keep the window's thread waiting. Qt lets go of
the interpreter many times per event, and at Python's 5 ms each return could cost as much."""


def open_window(
    file: str | None = None,
    call: str | None = None,
    *,
    capture: Capture | None = None,
    target: str = "cpu",
    python: str | None = None,
    timeout_s: float | None = None,
    memory_bytes: int | None = None,
    x64: bool = False,
    settings_file: str | None = None,
) -> int:
    """Show the window until it is closed, and return its exit status.

    Args:
        file: A Python file or a saved capture; None for the start page.
        call: The call to run; None for the first that the file offers.
        capture: A capture of this process to show instead of a file.
        target: Kind of device to begin with.
        python: Interpreter for user code; None for this one.
        timeout_s: Wall seconds that a run may take; None for no limit.
        memory_bytes: Memory that a run may take; None for three quarters of the machine's.
        x64: Whether 64-bit types are on.
        settings_file: Where the window remembers things; None for the usual place.
    """
    sys.setswitchinterval(_SWITCH_S)
    session = EarlySession(python)
    from jaxscope.ui.application import run_application
    from jaxscope.ui.session.controller import RunOptions

    return run_application(
        session.wait,
        RunOptions(python, timeout_s, memory_bytes, x64, quick_look=True),
        file=file,
        call=call,
        capture=capture,
        target=target,
        settings_file=settings_file,
    )


class EarlySession:
    """A session that starts on a thread as soon as this object exists."""

    def __init__(self, python: str | None) -> None:
        self._python = python
        self._session: Session | None = None
        self._error: JaxscopeError | None = None
        self._thread = threading.Thread(target=self._start, name="jaxscope-early", daemon=True)
        self._thread.start()

    def wait(self) -> Session:
        """The session, once it has started.

        Raises:
            JaxscopeError: It could not be started.
        """
        self._thread.join()
        if self._session is None:
            raise self._error or JaxscopeError("The session could not be started.")
        return self._session

    def _start(self) -> None:
        from jaxscope.client.session import Session

        try:
            self._session = Session(self._python)
        except JaxscopeError as error:
            self._error = error
