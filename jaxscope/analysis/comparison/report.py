"""A comparison in each of its formats; the ending of a file's name picks one."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from jaxscope.analysis.comparison.comparison import Comparison
from jaxscope.analysis.comparison.report_html import comparison_to_html
from jaxscope.analysis.comparison.report_json import comparison_to_json
from jaxscope.analysis.comparison.report_markdown import comparison_to_markdown
from jaxscope.analysis.comparison.report_text import format_comparison
from jaxscope.analysis.export.safe_text import make_safe
from jaxscope.errors import Explanation, UsageError


def _format_json(comparison: Comparison) -> str:
    return json.dumps(comparison_to_json(comparison), indent=1, allow_nan=False)


def _format_text(comparison: Comparison) -> str:
    return make_safe(format_comparison(comparison, most_rows=None, with_texts=True))


def _format_markdown(comparison: Comparison) -> str:
    return make_safe(comparison_to_markdown(comparison))


WRITERS: dict[str, Callable[[Comparison], str]] = {
    "html": comparison_to_html,
    "md": _format_markdown,
    "txt": _format_text,
    "json": _format_json,
}
"""By the ending of the file's name."""


def render_comparison(comparison: Comparison, path: Path) -> bytes:
    """The content of a file; its ending picks the format.

    Raises:
        UsageError: The ending names no format.
    """
    write = WRITERS.get(path.suffix.lower().removeprefix("."))
    if write is None:
        raise UsageError(
            Explanation(
                what=f"{path.name} has no ending that names a format of comparisons.",
                why="The endings are: " + " ".join(f".{name}" for name in WRITERS) + ".",
            )
        )
    text = write(comparison).rstrip("\n") + "\n"
    return text.encode("utf-8", "replace")


def write_comparison(comparison: Comparison, path: str | Path) -> None:
    """Write everything to a file.

    Raises:
        UsageError: The ending names no format.
        OSError: The disk refuses.
    """
    Path(path).write_bytes(render_comparison(comparison, Path(path)))
