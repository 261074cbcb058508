"""What is being done right now, in one line of a terminal that passes by."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from jaxscope.analysis.export.safe_text import make_safe_line

Show = Callable[[str], None]


@contextmanager
def show_progress() -> Iterator[Show]:
    """Yield a function that shows a step; silent where standard error is no terminal."""
    if not sys.stderr.isatty():
        yield lambda _text: None
        return

    def show(text: str) -> None:
        width = shutil.get_terminal_size().columns - 1
        sys.stderr.write("\r\033[K" + make_safe_line(text)[:width])
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\033[K")
        sys.stderr.flush()
