"""What a check says of a program, and where things of the user's own are."""

from __future__ import annotations

import dataclasses
import functools
import os
import sysconfig
from typing import Any

from jaxscope.worker import compat

_PACKAGE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
_INSTALLED = tuple(
    os.path.join(path, "")
    for path in (*map(sysconfig.get_path, ("stdlib", "platstdlib")), _PACKAGE)
)
"""Folders of Python's own library, and this package's."""


@dataclasses.dataclass(frozen=True, slots=True)
class Finding:
    """Fields of the message `check`.

    Attributes:
        rule: Stable name, such as `key-reuse`.
        severity: `error`, `warning` or `info`.
        message: What it is and why it matters, in sentences.
        remedy: What to write instead, code where it can be.
        lesson: The program of `samples/` that teaches it, or empty.
        equation: Id in the stage `jaxpr`, or empty.
        file: Of the line; empty for the file that was run.
        line: 1-based; 0 where it is not known.
    """

    rule: str
    severity: str
    message: str
    remedy: str
    lesson: str = ""
    equation: str = ""
    file: str = ""
    line: int = 0


@functools.lru_cache(maxsize=1 << 12)
def is_installed(file: str) -> bool:
    """Whether a file is of an installed library: nobody changes a line there."""
    return (
        "site-packages" in file
        or "dist-packages" in file
        or file.startswith(_INSTALLED)
        or file.startswith("<frozen")
    )


def own_frame(equation: Any) -> tuple[str, int, int] | None:
    """File, line and column where an equation was made; None inside of an installed library."""
    frame = next(compat.user_frames(equation.source_info), None)
    return None if frame is None or is_installed(frame[0]) else frame[:3]
