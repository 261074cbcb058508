"""Write a file whole or not at all. Standard library only.

The content goes to a draft beside the place, which is then moved there: a full disk, a crash or a
stopped run leaves what was there before.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from collections.abc import Callable
from pathlib import Path

_DRAFT = re.compile(r"\.[0-9a-f]{16}\.\w+")
_STALE_S = 3600.0


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` make the file, and put it in place in one step that survives a loss of power.

    Args:
        path: In a folder that exists.
        write: Is given the place of the draft, which does not exist; its ending is that of `path`,
            since some writers choose the format by it.

    Raises:
        OSError: The disk refuses; nothing is left of the draft.
    """
    draft = path.with_name(f".{secrets.token_hex(8)}{path.suffix}")
    try:
        write(draft)
        with open(draft, "rb+") as written:
            os.fsync(written.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    _sync_folder(path.parent)


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file; see `write_whole`.

    Raises:
        OSError: The disk refuses.
    """
    write_whole(path, lambda draft: draft.write_bytes(data))


def remove_stale_drafts(folder: Path) -> None:
    """Remove what writers left that were killed: drafts that nobody has written to for an hour."""
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            is_draft = _DRAFT.fullmatch(entry.name) and entry.is_file(follow_symlinks=False)
            if is_draft and time.time() - entry.stat().st_mtime > _STALE_S:
                os.unlink(entry.path)


def _sync_folder(folder: Path) -> None:
    """Make the move itself durable, where folders can be opened (not on Windows)."""
    if hasattr(os, "O_DIRECTORY"):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
