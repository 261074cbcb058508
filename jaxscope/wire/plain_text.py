"""Text of user code made plain before it is sent or shown: it may try to drive a terminal or to
reorder itself. Standard library only.
"""

from __future__ import annotations

import re

# An escape that sets a title has an end, or is cut: no text makes this search long.
_CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?|[@-Z\\-_])"
    r"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_OVERWRITTEN = re.compile(r"\r+\n?")


def strip_controls(text: str) -> str:
    """Remove terminal escapes, control characters and bidirectional marks.

    A carriage return, with which progress bars overwrite their line, becomes a line end.
    """
    return _CONTROL.sub("", _OVERWRITTEN.sub("\n", text))
