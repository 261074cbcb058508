"""Where the user's own code made something, and what is of an installed library."""

from __future__ import annotations

from typing import Any

from jaxscope.worker import compat
from jaxscope.worker.faults.tracebacks import is_installed


def own_frame(equation: Any) -> tuple[str, int, int] | None:
    """File, line and column where an equation was made; None inside of an installed library."""
    frame = next(compat.user_frames(equation.source_info), None)
    return None if frame is None or is_installed(frame[0]) else frame[:3]


def find_places(equation: Any) -> tuple[tuple[str, int] | None, tuple[str, int] | None]:
    """Where the user's own code made an equation, and where an installed library did.

    The second is there where a function of a library stands between; None where there is neither.
    """
    frames = [frame[:2] for frame in compat.user_frames(equation.source_info)]
    own = next((frame for frame in frames if not is_installed(frame[0])), None)
    library = frames[0] if frames and is_installed(frames[0][0]) else None
    return own, library
