"""Characters that drive a terminal, turn the text around them, or cannot be seen. Standard library
only.
"""

from __future__ import annotations

import re

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_MARKS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{BIDI}]")
# An escape that sets a title has an end, or is cut: no text makes this search long.
_CONTROL = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]{0,1000}(?:\x07|\x1b\\)?|[@-Z\\-_])"
    rf"|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f{BIDI}]"
)
_OVERWRITTEN = re.compile(r"\r+\n?")


def has_marks(text: str) -> bool:
    """Whether a text holds one."""
    return _MARKS.search(text) is not None


def show_marks(text: str) -> str:
    """A text in which each is one character that is seen: columns and line ends stay."""
    return _MARKS.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def strip_controls(text: str) -> str:
    """Remove terminal escapes, control characters and bidirectional marks.

    A carriage return, with which progress bars overwrite their line, becomes a line end.
    """
    return _CONTROL.sub("", _OVERWRITTEN.sub("\n", text))
