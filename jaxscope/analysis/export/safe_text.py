"""Text from a stranger's program, made safe to print, to paste and to embed.

A name or an error message may carry escape sequences that reprogram a terminal, or marks that turn
the reading direction so that text shows something other than it says. They are replaced by what
they are, never dropped in silence.
"""

from __future__ import annotations

import re

_BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{_BIDI}]")


def make_safe(text: str) -> str:
    """The text with controls as control pictures and invisible marks as `<U+202E>`.

    Line ends become `\\n`; tabs and line ends stay.
    """
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def make_safe_line(text: str) -> str:
    """The same in one line: line ends and tabs become spaces."""
    return make_safe(text).replace("\n", " ").replace("\t", " ")


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"
