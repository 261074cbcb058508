"""Text from a stranger's program or worker, made safe to print, to paste and to embed.

Standard library only.

A name or a message may carry escape sequences that reprogram a terminal, or marks that turn the
reading direction. `make_safe` shows them as what they are, for output; `marks` shows each as
one character, where columns must stay, and `clean_json` so in all texts of a file; `strip_controls`
removes them, for what a worker prints in bulk. `escape_html` does for pages what `make_safe` does
for text.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from typing import Any

from jaxscope.marks import BIDI, has_marks, show_marks, strip_controls

_UNSAFE = re.compile(f"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff{BIDI}]")
_IN_JSON = re.compile(
    r"\\u(?:00[0189]|007f|061c|20(?:0[ef]|2[89a-e]|6[6-9])|d[89a-f])", re.IGNORECASE
)
"""How such a character begins where JSON escapes it; line ends and others are among these."""


def make_safe(text: str) -> str:
    """The text with controls as control pictures and invisible marks as `<U+202E>`.

    Line ends become `\\n`; tabs and line ends stay.
    """
    return _UNSAFE.sub(_picture, text.replace("\r\n", "\n"))


def make_safe_line(text: str) -> str:
    """The same in one line: line ends and tabs become spaces."""
    return make_safe(text).replace("\n", " ").replace("\t", " ")


def escape_html(text: str) -> str:
    """The same as HTML or XML, also of an attribute in quotes."""
    return html.escape(make_safe_line(text))


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF:
        return "\ufffd"
    return f"<U+{code:04X}>"


# What a worker sends.


def clean_fields(value: Any, *, depth: int = 0) -> Any:
    """Clean every text in a message's fields.

    Raises:
        ValueError: They are nested more deeply than any message is.
    """
    if isinstance(value, str):
        return strip_controls(value)
    if depth > 24:  # parts of a sentence are sentences
        raise ValueError("the fields are nested too deeply")
    if isinstance(value, Mapping):
        from jaxscope.model.said import unpack_said  # NumPy comes with it

        cleaned = {key: clean_fields(entry, depth=depth + 1) for key, entry in value.items()}
        return unpack_said(cleaned)
    if isinstance(value, list):
        return [clean_fields(entry, depth=depth + 1) for entry in value]
    return value


def clean_json(data: bytes) -> bytes:
    """JSON of a file in which texts hold no such characters, but others in their place.

    Raises:
        ValueError: It is no JSON.
    """
    text = data.decode("utf-8")
    if not has_marks(text) and not _IN_JSON.search(text):
        return data
    return json.dumps(_show_all(json.loads(text)), ensure_ascii=False).encode()


def _show_all(value: Any) -> Any:
    if isinstance(value, str):
        return show_marks(value)
    if isinstance(value, dict):
        return {show_marks(key): _show_all(entry) for key, entry in value.items()}
    return list(map(_show_all, value)) if isinstance(value, list) else value


class HeadAndTail:
    """A growing text of which only the beginning and the end are kept.

    Attributes:
        num_chars: Of everything that was added.
    """

    def __init__(self, limit_chars: int = 64 << 10) -> None:
        self.num_chars = 0
        self._limit = limit_chars
        self._head = ""
        self._tail = ""

    def add(self, text: str) -> None:
        """Append."""
        self.num_chars += len(text)
        room = self._limit - len(self._head)
        self._head += text[:room]
        self._tail = (self._tail + text[room:])[-self._limit :]

    def __str__(self) -> str:
        left_out = self.num_chars - len(self._head) - len(self._tail)
        middle = f"\n[… {left_out} characters left out …]\n" if left_out else ""
        return f"{self._head}{middle}{self._tail}"
