"""Rows of words as a table of plain text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def format_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: Sequence[int] = (),
    indent: str = "  ",
) -> Iterator[str]:
    """Yield the lines of a table, columns as wide as their widest cell.

    Args:
        headers: A word for each column; all empty for no line of headers.
        rows: Cells, as many as there are headers.
        right: Numbers of the columns that are aligned to the right.
    """
    shown = [headers, *rows] if any(headers) else list(rows)
    widths = [max((len(row[column]) for row in shown), default=0) for column in range(len(headers))]
    for row in shown:
        cells = [
            f"{cell:>{width}}" if column in right else f"{cell:{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield (indent + "  ".join(cells)).rstrip()
