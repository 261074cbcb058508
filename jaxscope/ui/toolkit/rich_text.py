"""Escapes text from user code or files for Qt's rich text: no terminal escapes, no direction marks,
no HTML.

`escape_breakable` also inserts zero-width spaces (`SOFT_BREAK`) where long names may break; whoever
copies the text removes them.
"""

from __future__ import annotations

import html
import re

from jaxscope.schema.safe_text import strip_controls

_LONG_WORD = re.compile(r"\S{16,}")
_PLACE_TO_BREAK = re.compile(r"(?<=[_./,;:=\])}>])(?=[\w(\[{'\"])")
SOFT_BREAK = "\u200b"
"""A place where a line may break and where nothing is seen."""


def escape_html(text: str, limit: int = 2_000) -> str:
    """Fit for rich text: cut to a length, stripped and escaped."""
    cut = text if len(text) <= limit else text[:limit] + " …"
    return html.escape(strip_controls(cut))


def escape_breakable(text: str, limit: int = 2_000) -> str:
    """Like `escape_html`; long names may break after their parts instead of inside a word.

    Whoever copies such text takes the soft breaks out again.
    """
    cut = text if len(text) <= limit else text[:limit] + " …"
    broken = _LONG_WORD.sub(_allow_breaks, strip_controls(cut))
    return html.escape(broken)


def _allow_breaks(match: re.Match[str]) -> str:
    return _PLACE_TO_BREAK.sub(SOFT_BREAK, match[0])
