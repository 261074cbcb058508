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
    """Remove what processes left that are no more."""
    from jaxscope.processes import is_alive  # workers alone ask

    for path, owner in _find_folders():
        if not is_alive(owner):
            shutil.rmtree(path, ignore_errors=True)


def _find_folders() -> Iterator[tuple[str, int]]:
    """This user's scratch folders and the processes that made them; links are not followed."""
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            match = _NAME.fullmatch(entry.name)
            if match is None:
                continue
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                # Windows has a temporary folder for each user.
                is_ours = sys.platform == "win32" or status.st_uid == os.getuid()
                if stat.S_ISDIR(status.st_mode) and is_ours:
                    yield entry.path, int(match["pid"])
