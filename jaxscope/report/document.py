"""What every report is made of: sections of sentences, lists, tables and listings.

A report is made once, as a `Document`. `write_text` writes it for a terminal, `write_markdown` for
an issue, `write_html` as part of a page; tables are shown by the window and written by
`table_to_csv` and `table_to_json` as well. Every writer makes a stranger's text harmless, so the
reports themselves escape nothing.

The escaping is ours: with a template engine (Jinja2 was weighed) each format would still need this
form and its own rules for cells, so it would be one more layer around the same number of lines.
"""

from __future__ import annotations

import csv
import dataclasses
import io
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from jaxscope.schema.safe_text import escape_html, make_safe, make_safe_line

T = TypeVar("T")


class Verbatim(str):
    """Text that is taken from a program, such as a call or a name: never wrapped, code in pages."""

    __slots__ = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Number:
    """A cell with a number.

    Attributes:
        value: What it is sorted by, and what files have; NaN where it is unknown.
        text: The number for a person.
    """

    value: float
    text: str


Cell = str | Number
NOTHING = Number(math.nan, "")
"""Of a number that is not known."""


def number_cell(value: float, write: Callable[[float], str]) -> Number:
    """A number as `write` puts it, which says what it says of NaN."""
    return Number(value, write(value))


def known_cell(value: float, write: Callable[[float], str]) -> Number:
    """The same, empty where the number is unknown."""
    return Number(value, "" if math.isnan(value) else write(value))


def count_cell(value: int) -> Number:
    """Such as `1,234`."""
    return Number(value, f"{value:,}")


def cell_text(cell: Cell) -> str:
    """What a person reads."""
    return cell.text if isinstance(cell, Number) else cell


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells.

    Attributes:
        headers: A word for each column; all empty for no line of headers.
        rows: Cells, as many as there are headers.
        rest: What is said of rows that are left out.
        units: Of the values of each column, for files; the texts have their own.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    rest: str = ""
    units: Sequence[str] = ()

    @property
    def numeric(self) -> frozenset[int]:
        """The columns that have numbers; they are aligned to the right."""
        places = (enumerate(row) for row in self.rows)
        return frozenset(n for row in places for n, cell in row if isinstance(cell, Number))

    def value_headers(self) -> list[str]:
        """The headers with the units of the values, such as `began [s]`."""
        units = self.units or [""] * len(self.headers)
        pairs = zip(self.headers, units, strict=True)
        return [f"{header} [{unit}]" if unit else header for header, unit in pairs]

    def texts(self) -> list[list[str]]:
        """The rows as people read them."""
        return [[cell_text(cell) for cell in row] for row in self.rows]

    def without_empty_columns(self) -> Table:
        """Only columns in which some row has a text."""
        shown = [n for n in range(len(self.headers)) if any(cell_text(row[n]) for row in self.rows)]
        rows = [[row[n] for n in shown] for row in self.rows]
        return Table([self.headers[n] for n in shown], rows, self.rest)


@dataclasses.dataclass(frozen=True, slots=True)
class Items:
    """A list of short lines."""

    lines: Sequence[str]


@dataclasses.dataclass(frozen=True, slots=True)
class Listing:
    """A text of several lines, shown as it is.

    Attributes:
        language: `python`, `diff` or nothing.
    """

    text: str
    language: str = ""


Block = str | Items | Table | Listing
"""A text is a paragraph."""


@dataclasses.dataclass(frozen=True, slots=True)
class Section:
    """Blocks under a title, which may be empty; the title of the first section is the report's."""

    title: str = ""
    blocks: Sequence[Block] = ()


Document = Sequence[Section]


def make_table(
    headers: Sequence[str],
    found: Sequence[T],
    make_row: Callable[[T], Sequence[Cell]],
    most: int | None = None,
) -> Table:
    """A table with a row for each thing that was found, at most so many; the rest is counted."""
    rows = [make_row(each) for each in found[:most]]
    left_out = len(found) - len(rows)
    return Table(headers, rows, f"and {left_out:,} more" if left_out else "")


def make_items(lines: Sequence[str], most: int | None = None) -> Items:
    """A list of at most so many lines; the rest is counted."""
    left_out = len(lines[most:]) if most is not None else 0
    return Items([*lines[:most], *([f"and {left_out:,} more"] if left_out else [])])


def write_text(document: Document, *, width: int = 0) -> str:
    """Sections with an empty line between; what stands under a title is indented.

    Args:
        width: Of lines, to which paragraphs are wrapped, further lines being indented; 0 for not.
    """
    sections = ("\n".join(_section_lines(section, width)) for section in document)
    return make_safe("\n\n".join(filter(None, sections)))


def _section_lines(section: Section, width: int) -> Iterator[str]:
    indent = "  " if section.title else ""
    if section.title:
        yield section.title
    for block in section.blocks:
        if isinstance(block, Table):
            yield from _table_lines(block)
        elif isinstance(block, Listing):
            yield block.text.rstrip("\n")
        elif isinstance(block, Items):
            yield from (f"  {line}" for line in block.lines)
        elif width and not isinstance(block, Verbatim):
            yield from textwrap.wrap(
                block,
                width,
                initial_indent=indent,
                subsequent_indent=f"{indent}  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        else:
            yield indent + block


def _table_lines(table: Table) -> Iterator[str]:
    """Columns are as wide as their widest cell."""
    shown = table.texts()
    if any(table.headers):
        shown.insert(0, list(table.headers))
    widths = [max((len(row[n]) for row in shown), default=0) for n in range(len(table.headers))]
    numeric = table.numeric
    for row in shown:
        cells = [
            f"{cell:>{width}}" if column in numeric else f"{cell:{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield f"  {'  '.join(cells)}".rstrip()
    if table.rest:
        yield f"  {table.rest}"


_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~$&])")


def write_markdown(document: Document) -> str:
    """The document, with a line end at the end."""
    return "\n".join(_markdown_lines(document)).strip("\n") + "\n"


def _markdown_lines(document: Document) -> Iterator[str]:
    for number, section in enumerate(document):
        if section.title:
            yield from ("", f"{'##' if number else '#'} {_markdown(section.title)}")
        for block in section.blocks:
            yield ""
            if isinstance(block, Table):
                yield from _markdown_table(block)
            elif isinstance(block, Listing):
                yield from _fence(block)
            elif isinstance(block, Items):
                yield from (f"- {_markdown(line)}" for line in block.lines)
            else:
                yield _markdown(block)


def _markdown_table(table: Table) -> Iterator[str]:
    numeric = table.numeric
    signs = ("--:" if column in numeric else "---" for column in range(len(table.headers)))
    heads, *rows = ([_markdown(cell) for cell in row] for row in (table.headers, *table.rows))
    for row in (heads, list(signs), *rows):
        yield f"| {' | '.join(row)} |"
    if table.rest:
        yield from ("", _markdown(table.rest))


def _markdown(cell: Cell) -> str:
    """One line in which nothing is markup, or a code span."""
    if not isinstance(cell, Verbatim):
        return _MARKUP.sub(r"\\\1", make_safe_line(cell_text(cell)))
    text = make_safe_line(cell).replace("|", "\\|")
    ticks = "`" * (_longest_ticks(text) + 1)
    padding = " " if len(ticks) > 1 or not text else ""
    return f"{ticks}{padding}{text}{padding}{ticks}"


def _fence(listing: Listing) -> Iterator[str]:
    """A code block whose fence is longer than any inside."""
    text = make_safe(listing.text).rstrip("\n")
    fence = "`" * max(3, _longest_ticks(text) + 1)
    yield from (fence + listing.language, text, fence)


def _longest_ticks(text: str) -> int:
    return max((len(run) for run in re.findall(r"`+", text)), default=0)


def write_html(document: Document) -> str:
    """Headings of the third level, paragraphs and tables, for the body of a page."""
    return "\n".join(part for section in document for part in _html_parts(section))


def _html_parts(section: Section) -> Iterator[str]:
    if section.title:
        yield f"<h3>{_html(section.title)}</h3>"
    for block in section.blocks:
        if isinstance(block, Table):
            yield _html_table(block)
        elif isinstance(block, Listing):
            text = "\n".join(map(escape_html, block.text.split("\n")))
            yield f"<pre>{text}</pre>"
        else:
            lines = block.lines if isinstance(block, Items) else (block,)
            yield "".join(f"<p>{_html(line)}</p>" for line in lines)


def _html_table(table: Table) -> str:
    numeric = table.numeric
    classes = [' class="number"' if n in numeric else "" for n in range(len(table.headers))]

    def row(cells: Sequence[Cell], tag: str) -> str:
        parts = zip(cells, classes, strict=True)
        return f"<tr>{''.join(f'<{tag}{a}>{_html(cell)}</{tag}>' for cell, a in parts)}</tr>"

    rest = f"<p>{_html(table.rest)}</p>" if table.rest else ""
    rows = "".join(row(cells, "td") for cells in table.rows)
    return f"<table>{row(table.headers, 'th')}{rows}</table>{rest}"


def _html(cell: Cell) -> str:
    text = escape_html(cell_text(cell))
    return f"<code>{text}</code>" if isinstance(cell, Verbatim) else text


def table_to_csv(table: Table) -> str:
    """The values of a table, empty where they are unknown."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.value_headers())
    writer.writerows(["" if cell is None else cell for cell in row] for row in _values(table))
    return text.getvalue()


def table_to_json(table: Table) -> dict[str, Any]:
    """The values of a table, null where they are unknown."""
    return {"columns": table.value_headers(), "rows": list(_values(table))}


def _values(table: Table) -> Iterator[list[str | float | None]]:
    for row in table.rows:
        yield [
            cell if isinstance(cell, str) else cell.value if math.isfinite(cell.value) else None
            for cell in row
        ]
