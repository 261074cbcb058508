"""Text of strangers made safe to show: no escapes, no direction tricks, no HTML."""

from __future__ import annotations

import html

from jaxscope.client.plain_text import clean_text


def escape_html(text: str, limit: int = 2_000) -> str:
    """Fit for rich text: cut to a length, stripped and escaped."""
    cut = text if len(text) <= limit else text[:limit] + " …"
    return html.escape(clean_text(cut))
