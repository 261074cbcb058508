"""Folders that a worker writes to, named so that they can be removed after its death.

XLA writes megabytes into one while it compiles. A worker removes its own; one that is killed
cannot, so the supervisor does, and failing that the next worker. Standard library only.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator

_NAME = re.compile(r"jaxscope-scratch-(?P<pid>\d+)-\w+")


def make_scratch() -> str:
    """A fresh folder of this process, readable by nobody else."""
    return tempfile.mkdtemp(prefix=f"jaxscope-scratch-{os.getpid()}-")


def remove_scratch(pid: int) -> None:
    """Remove what a process left; it must be dead."""
    for path, owner in _find_folders():
        if owner == pid:
            shutil.rmtree(path, ignore_errors=True)


def remove_stale_scratch() -> None:
    """Remove what processes left that are no more; nothing on Windows."""
    if sys.platform == "win32":  # where signal 0 ends a process
        return
    for path, owner in _find_folders():
        try:
            os.kill(owner, 0)
        except ProcessLookupError:
            shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue  # alive, and another user's


def _find_folders() -> Iterator[tuple[str, int]]:
    """This user's scratch folders and the processes that made them; links are not followed."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match is None:
                continue
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                if stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid():
                    yield entry.path, int(match["pid"])
