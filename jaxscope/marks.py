"""Characters that drive a terminal, turn the text around them, or cannot be seen."""

from __future__ import annotations

import re

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_MARKS = re.compile(f"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{BIDI}]")


def has_marks(text: str) -> bool:
    """Whether a text holds one."""
    return _MARKS.search(text) is not None


def show_marks(text: str) -> str:
    """A text in which each is one character that is seen: columns and line ends stay."""
    return _MARKS.sub(_picture, text)


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"
