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
import itertools
import math
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from jaxscope.late_dataclass import dataclass
from jaxscope.schema.safe_text import escape_html, make_safe, make_safe_line

T = TypeVar("T")


class Verbatim(str):
    """Text that is taken from a program, such as a call or a name: never wrapped, code in pages."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
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
    """A number's cell; empty where the number is unknown."""
    return Number(value, "" if math.isnan(value) else write(value))


def count_cell(value: int) -> Number:
    """Such as `1,234`."""
    return Number(value, f"{value:,}")


def cell_text(cell: Cell) -> str:
    """What a person reads."""
    return cell.text if isinstance(cell, Number) else cell


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of cells.

    Attributes:
        headers: A word for each column; all empty for no line of headers.
        rows: Cells, as many as there are headers.
        rest: What is said below the rows.
        units: Of the values of each column, for files; the texts have their own.
        num_left_out: Further rows, which are counted below those that are there.
    """

    headers: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    rest: str = ""
    units: Sequence[str] = ()
    num_left_out: int = 0

    @property
    def footnote(self) -> str:
        """All that is written below the rows."""
        counted = f"and {self.num_left_out:,} more" if self.num_left_out else ""
        return "\n".join(filter(None, [counted + " rows" * bool(counted and self.rest), self.rest]))

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
        headers = [self.headers[n] for n in shown]
        return Table(headers, rows, self.rest, num_left_out=self.num_left_out)


@dataclass(frozen=True, slots=True)
class Items:
    """A list of short lines.

    Attributes:
        num_left_out: Further lines, which are counted below those that are there.
    """

    lines: Sequence[str]
    num_left_out: int = 0

    def texts(self) -> list[str]:
        """The lines, and how many more there are."""
        return [*self.lines, *([f"and {self.num_left_out:,} more"] if self.num_left_out else [])]


@dataclass(frozen=True, slots=True)
class Listing:
    """A text of several lines, shown as it is.

    Attributes:
        language: `python`, `diff` or nothing.
    """

    text: str
    language: str = ""


Block = str | Items | Table | Listing
"""A text is a paragraph."""


@dataclass(frozen=True, slots=True)
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
    return Table(headers, rows, num_left_out=left_out)


def make_items(lines: Sequence[str], most: int | None = None) -> Items:
    """A list of at most so many lines; the rest is counted."""
    return Items(lines[:most], len(lines[most:]) if most is not None else 0)


SCREENFUL = 40
"""Lines of a report that are printed where nobody asks for all of it."""
_LEAST_ROWS = 8
"""Rows that are left of each table before what stands last is left out."""
_LEAST_CELL = 7
"""Characters that are left of a text that is cut."""
_LONGEST_WORD = 30
"""Longer words may be cut where a table is too wide, in characters."""
_GAP = "  "
_COMMAND = re.compile(r"(?<=: )(?=jaxscope [a-z])")
"""Where a command to type begins in a sentence."""


def write_text(document: Document, width: int = 0, *, is_coloured: bool = False) -> str:
    """Sections with an empty line between; what stands under a title is indented.

    Args:
        width: Of a line at most, in characters; 0 for lines of any length. Listings stay as they
            are.
        is_coloured: Whether titles and the answer are bold, heads of tables and what is left out
            faint, and lines of differences coloured, by the escape sequences of terminals.
    """
    sections = (
        "\n".join(
            colour(make_safe(line), role) if is_coloured else make_safe(line)
            for role, line in _section_lines(section, width, is_first=number == 0)
        )
        for number, section in enumerate(document)
    )
    return "\n\n".join(filter(None, sections))


_SEQUENCES = {"title": "1", "faint": "2", "+": "32", "-": "31", "problem": "1;31"}
"""Parameters of the sequence ECMA-48 SGR: bold, faint, green, red."""


def colour(line: str, role: str) -> str:
    """A line as a terminal shows it in a role; one without a role stays plain."""
    return f"\033[{_SEQUENCES[role]}m{line}\033[0m" if role in _SEQUENCES and line else line


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """A paragraph in lines of at most so many characters; a command to type has lines of its own.

    Args:
        width: 0 for one line of any length.
        indent: Before each line; those after the first are further in.
    """
    if "\n" in text:
        return [line for part in text.split("\n") for line in wrap(part, width, indent)]
    if not width or len(indent + text) <= width or isinstance(text, Verbatim):
        return [indent + text]
    sentence, *commands = _COMMAND.split(text)
    deeper = f"{indent}  "
    lines = textwrap.wrap(
        sentence,
        width,
        initial_indent=indent,
        subsequent_indent=deeper,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [*lines, *(line for each in commands for line in wrap_command(each, width, deeper))]


def wrap_command(command: str, width: int, indent: str) -> Iterator[str]:
    """Lines that a shell reads as one; what is quoted is not cut."""
    line = indent
    for word in re.findall(r"(?:'[^']*'|\S)+", command):
        if line.strip() and len(line) + len(word) + 3 > width:
            yield f"{line} \\"
            line = f"{indent}  "
        line += f" {word}" if line.strip() else word
    yield line


def fit(document: Document, width: int = 0) -> Document:
    """As much of a report as a screen shows, and how many lines are left out.

    Tables and lists get shorter before what stands last is left out, and rows have one line each.
    """

    def count(part: Document) -> int:
        return write_text(part, width).count("\n") + 1

    most = SCREENFUL - 2  # the note, and the empty line before it
    if count(document) <= SCREENFUL:
        return document
    if width:
        document = [
            dataclasses.replace(section, blocks=[_narrow(block, width) for block in section.blocks])
            for section in document
        ]
    for most_rows in range(most, _LEAST_ROWS - 1, -1):
        short = [
            dataclasses.replace(each, blocks=[_shorten(block, most_rows) for block in each.blocks])
            for each in document
        ]
        if count(short) <= most:
            break
    while count(short) > most and (len(short) > 1 or len(short[0].blocks) > 1):
        *others, last = short
        *before, end = last.blocks or [""]
        for most_rows in range(_LEAST_ROWS - 1, 1, -1):
            cut = dataclasses.replace(last, blocks=[*before, _shorten(end, most_rows)])
            short = [*others, cut]
            if count(short) <= most:
                break
        else:
            short = [*others, *([dataclasses.replace(last, blocks=before)] if before else [])]
    return [*short, Section(blocks=["These are the first lines; --all prints the whole report."])]


def _narrow(block: Block, width: int) -> Block:
    """A table whose rows have a line each: what all rows share is told below it, texts are cut."""
    if not isinstance(block, Table) or not block.rows:
        return block
    texts = block.texts()
    numeric = block.numeric
    natural = [
        max(map(len, (head, *cells))) for head, *cells in zip(block.headers, *texts, strict=True)
    ]
    columns = list(range(len(natural)))
    shared: list[str] = []
    for n in reversed(columns[1:]):
        if _total(columns, natural) > width and len({row[n] for row in texts}) == 1 < len(texts):
            columns.remove(n)
            shared.insert(0, f"{block.headers[n]} {texts[0][n]}" if texts[0][n] else "")
    least = [w if n in numeric else min(w, _LEAST_CELL) for n, w in enumerate(natural)]
    least[0] = min(natural[0], _LONGEST_WORD)  # it names the row
    while len(columns) > 1 and _total(columns, least) > width:
        columns.pop()
    widths = _squeeze(columns, natural, least, width)
    rows = [
        [
            row[n] if len(texts[k][n]) <= widths[n] else f"{texts[k][n][: widths[n] - 1]}…"
            for n in columns
        ]
        for k, row in enumerate(block.rows)
    ]
    told = ", ".join(filter(None, shared))
    rest = "\n".join(filter(None, [block.rest, f"in each row: {told}" if told else ""]))
    headers = [block.headers[n] for n in columns]
    return Table(headers, rows, rest, num_left_out=block.num_left_out)


def _shorten(block: Block, most: int) -> Block:
    if isinstance(block, Table) and len(block.rows) > most:
        num_left_out = block.num_left_out + len(block.rows) - most
        return dataclasses.replace(block, rows=block.rows[:most], num_left_out=num_left_out)
    if isinstance(block, Items) and len(block.lines) > most:
        return Items(block.lines[:most], block.num_left_out + len(block.lines) - most)
    if isinstance(block, Listing) and block.text.count("\n") > most:
        lines = block.text.rstrip("\n").split("\n")
        note = f"and {len(lines) - most:,} more lines"
        return dataclasses.replace(block, text="\n".join([*lines[:most], note]))
    return block


def _section_lines(section: Section, width: int, *, is_first: bool) -> Iterator[tuple[str, str]]:
    """Each line with its role: see `colour`. A report without a title begins with its answer."""
    indent = "  " if section.title else ""
    if section.title:
        yield from (("title", line) for line in wrap(section.title, width))
    for number, block in enumerate(section.blocks):
        if isinstance(block, Table):
            yield from _table_lines(block, width)
        elif isinstance(block, Listing):
            is_diff = block.language == "diff"
            lines = block.text.rstrip("\n").split("\n")
            yield from ((line[:1] if is_diff else "", line) for line in lines)
        elif isinstance(block, Items):
            yield from (("", part) for line in block.texts() for part in wrap(line, width, "  "))
        else:
            role = "title" if is_first and number == 0 and not section.title else ""
            yield from ((role, line) for line in wrap(block, width, indent))


def _table_lines(table: Table, width: int) -> Iterator[tuple[str, str]]:
    """Columns are as wide as their widest cell; where that is too wide, texts are wrapped.

    Where that does not do, the columns at the end stand below, after the first one once more.
    """
    shown = table.texts()
    has_headers = any(table.headers)
    if has_headers:
        shown.insert(0, list(table.headers))
    numeric = table.numeric
    for columns, widths in _pack(shown, numeric, has_headers, width):
        for number, row in enumerate(shown):
            cells = [_wrap_cell(row[n], widths[n]) for n in columns]
            for parts in itertools.zip_longest(*cells, fillvalue=""):
                aligned = [
                    f"{part:>{widths[n]}}" if n in numeric else f"{part:{widths[n]}}"
                    for part, n in zip(parts, columns, strict=True)
                ]
                role = "faint" if has_headers and number == 0 else ""
                yield role, f"  {_GAP.join(aligned)}".rstrip()
    if table.footnote:
        yield from (("faint", line) for line in wrap(table.footnote, width, "  "))


def _wrap_cell(text: str, width: int) -> list[str]:
    if len(text) <= width:
        return [text]
    return textwrap.wrap(text, width, break_on_hyphens=False) or [""]


def _pack(
    rows: Sequence[Sequence[str]], numeric: frozenset[int], has_headers: bool, width: int
) -> Iterator[tuple[list[int], list[int]]]:
    """The columns of each part of a table that is as wide as a line, and how wide each column is.

    Args:
        rows: As people read them, headers first.
        numeric: Columns whose numbers are never cut.
    """
    count = len(rows[0]) if rows else 0
    natural = [max(len(row[n]) for row in rows) for n in range(count)]
    if not width:
        yield list(range(count)), natural
        return
    least = [
        max((len(row[n]) for row in rows[has_headers:]), default=0) if n in numeric else 0
        for n in range(count)
    ]
    words = [
        max(len(word) for row in rows for word in row[n].split() or [""]) for n in range(count)
    ]
    least = [max(a, min(b, _LONGEST_WORD)) for a, b in zip(least, words, strict=True)]
    parts: list[list[int]] = [[]]
    for column in range(count):
        if sum(natural) > width and not any(row[column] for row in rows[has_headers:]):
            continue
        if parts[-1] and _total(parts[-1], least) + len(_GAP) + least[column] > width:
            parts.append([0])
        parts[-1].append(column)
    for columns in parts:
        yield columns, _squeeze(columns, natural, least, width)


def _squeeze(
    columns: Sequence[int], natural: Sequence[int], least: Sequence[int], width: int
) -> list[int]:
    """How wide each column is: the widest ones give way until a line is not too wide."""
    widths = list(natural)
    while _total(columns, widths) > width:
        loose = [n for n in columns if widths[n] > least[n]]
        if not loose:
            break
        widths[max(loose, key=lambda n: widths[n])] -= 1
    return widths


def _total(columns: Sequence[int], widths: Sequence[int]) -> int:
    """Width of a line with columns of these widths, in characters."""
    return 2 + sum(widths[n] for n in columns) + len(_GAP) * (len(columns) - 1)


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
                yield from (f"- {_markdown(line)}" for line in block.texts())
            else:
                yield _markdown(block)


def _markdown_table(table: Table) -> Iterator[str]:
    numeric = table.numeric
    signs = ("--:" if column in numeric else "---" for column in range(len(table.headers)))
    heads, *rows = ([_markdown(cell) for cell in row] for row in (table.headers, *table.rows))
    for row in (heads, list(signs), *rows):
        yield f"| {' | '.join(row)} |"
    if table.footnote:
        yield from ("", _markdown(table.footnote))


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
            lines = block.texts() if isinstance(block, Items) else (block,)
            yield "".join(f"<p>{_html(line)}</p>" for line in lines)


def _html_table(table: Table) -> str:
    numeric = table.numeric
    classes = [' class="number"' if n in numeric else "" for n in range(len(table.headers))]

    def row(cells: Sequence[Cell], tag: str) -> str:
        parts = zip(cells, classes, strict=True)
        return f"<tr>{''.join(f'<{tag}{a}>{_html(cell)}</{tag}>' for cell, a in parts)}</tr>"

    rest = f"<p>{_html(table.footnote)}</p>" if table.footnote else ""
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
