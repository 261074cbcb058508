"""The supervisor on another machine, behind `ssh`.

Standard library only.

It ends when its input ends. A network that is cut leaves the input open, so it also ends when
nothing came for a minute: the client sends a frame now and then.
"""

from __future__ import annotations

import os
import select
import shutil
import threading
from collections.abc import Sequence

from jaxscope.supervisor import supervisor

SILENCE_S = 60.0
"""Four times the interval at which the client sends something."""

_READ_BYTES = 1 << 16


def main(arguments: Sequence[str]) -> None:
    """Serve until the client is gone, and remove the sources that this runs from.

    Args:
        arguments: The folder that the sources were unpacked into.
    """
    (folder,) = arguments
    theirs = os.dup(0)
    watched, feed = os.pipe()
    os.dup2(watched, 0)
    os.close(watched)
    threading.Thread(target=_copy, args=(theirs, feed), daemon=True).start()
    try:
        supervisor.main()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(source: int, feed: int) -> None:
    """Pass the input on, and end it when the client has been silent for too long."""
    os.set_blocking(source, True)
    try:
        while select.select([source], [], [], SILENCE_S)[0]:
            data = os.read(source, _READ_BYTES)
            if not data:
                return
            view = memoryview(data)
            while view:
                view = view[os.write(feed, view) :]
    except OSError:
        return
    finally:
        os.close(feed)
