"""Names offered for saved files, and writing a file atomically: completely or not at all."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from jaxscope.model.file_kinds import CAPTURE_ENDINGS

# Names and folders that dialogs offer for what is saved; no Qt.


_MAX_CHARACTERS = 80
_WORDS = re.compile(r"[A-Za-z0-9_]+")


def suggest_name(ending: str, *about: str) -> str:
    """A name for a file that every file system takes: `model-grad-f-x.svg`.

    Args:
        ending: Of the file, without the dot.
        about: What it holds: a file, a call, a stage; of a path the last part without its ending.
    """
    words = [word for part in about for word in _WORDS.findall(_without_folder(part))]
    name = ""
    for word in words:
        longer = f"{name}-{word}" if name else word[:_MAX_CHARACTERS]
        if len(longer) > _MAX_CHARACTERS:
            break
        name = longer
    return f"{name or 'jaxscope'}.{ending}"


def _without_folder(text: str) -> str:
    """What a path is called; anything else as it is."""
    if not text.endswith((".py", *CAPTURE_ENDINGS)):
        return text
    return os.path.splitext(os.path.basename(text))[0]


# Files that are written whole or not at all.


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file; a full disk leaves what was there before.

    Raises:
        OSError: It cannot be written.
    """
    draft = path.with_name(f".{secrets.token_hex(6)}{path.suffix}")
    try:
        draft.write_bytes(data)
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)
