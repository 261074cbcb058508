"""Columns as a reader counts them.

Python, and with it JAX and XLA, counts the bytes of a line in UTF-8; an editor, and a script that
indexes the line, counts characters. They differ behind the first letter that is not ASCII.
"""

from __future__ import annotations

from collections.abc import Iterable

from jaxscope.model import SourceFile


class TextColumns:
    """Translates columns by the snapshots of the files that a capture carries."""

    def __init__(self, files: Iterable[SourceFile] = ()) -> None:
        self._lines = {
            file.path: {
                number: line.encode("utf-8", "replace")
                for number, line in enumerate(file.text.split("\n"), 1)
                if not line.isascii()
            }
            for file in files
            if not file.text.isascii()
        }

    def in_characters(self, file: str, line: int, column: int) -> int | None:
        """The 0-based column in characters; None where it is unknown.

        Args:
            file: The path as positions name it; of a file without a snapshot the column stays.
            line: 1-based.
            column: 0-based, in bytes of UTF-8; negative where it is unknown.
        """
        if column < 0:
            return None
        encoded = self._lines.get(file, {}).get(line)
        return column if encoded is None else len(encoded[:column].decode("utf-8", "ignore"))
