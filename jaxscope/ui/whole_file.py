"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
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
