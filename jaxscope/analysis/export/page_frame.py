"""What every page has around its content: a policy that closes it, a style, a script, a theme.

A page needs no network and asks for none: its policy forbids every address, and only the one
script and the one style sheet inside, named by their hashes, may act.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import html
from pathlib import Path

from jaxscope.analysis.export.safe_text import make_safe_line

_BEFORE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="jaxscope">
<title>{title}</title>
<style>{style}</style>
</head>
<body>
"""

_AFTER = """
<script>{script}</script>
</body>
</html>
"""

THEME_BUTTON = '<button id="theme" type="button">Dark</button>'
"""What `page_theme.js` listens to."""


def make_page(title: str, body: str, style: str, script: str) -> str:
    """A whole page.

    Args:
        title: As plain text.
        body: Content of the element, as HTML.
        style: The style sheet.
        script: The script; it runs when the body is there.
    """
    before, after = frame_page(title, style, script)
    return f"{before}{body}{after}"


def frame_page(title: str, style: str, script: str) -> tuple[str, str]:
    """What comes before the body of a page, and what comes after it; see `make_page`."""
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    before = _BEFORE.format(policy=policy, title=escape(title), style=style)
    return before, _AFTER.format(script=script)


def escape(text: str) -> str:
    """One line of plain text as HTML."""
    return html.escape(make_safe_line(text))


@functools.cache
def read_part(folder: Path, name: str) -> str:
    """A style sheet or a script that lies beside the modules of a folder."""
    return (folder / name).read_text(encoding="utf-8")


def theme_script() -> str:
    """Starts a page in the system's theme, and lets its button change it."""
    return read_part(Path(__file__).parent, "page_theme.js")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
