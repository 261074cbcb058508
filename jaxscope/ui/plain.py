"""Text of strangers made safe to show: no escapes, no direction tricks, no HTML."""

from __future__ import annotations

import html
import re

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]|\x1b\\[[0-9;?]*[A-Za-z]"
)


def strip_controls(text: str) -> str:
    """Remove terminal escapes, control characters and marks that reverse the writing direction."""
    return _UNSAFE.sub("", text)


def escape_html(text: str, limit: int = 2_000) -> str:
    """Fit for rich text: cut to a length, stripped and escaped."""
    cut = text if len(text) <= limit else text[:limit] + " …"
    return html.escape(strip_controls(cut))
