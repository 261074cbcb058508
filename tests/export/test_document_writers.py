"""One document as text, Markdown and HTML; one table as CSV and JSON."""

from __future__ import annotations

import math

import pytest

from jaxscope.model.units import format_seconds
from jaxscope.report.document import (
    NOTHING,
    Items,
    Listing,
    Number,
    Section,
    Table,
    Verbatim,
    count_cell,
    known_cell,
    make_items,
    make_table,
    number_cell,
    table_to_csv,
    table_to_json,
    write_html,
    write_markdown,
    write_text,
)

TABLE = Table(
    ("what", "time", ""),
    [
        ("a|b", Number(1.5, "1.50 s"), Verbatim("f(x)")),
        ("longer", NOTHING, ""),
    ],
    "and 3 more",
    ("", "s", ""),
)
DOCUMENT = [
    Section("Title <1>", ["One & two.", TABLE]),
    Section(blocks=[Items(["first", "*second*"])]),
    Section(),
    Section("Code", [Listing("x = `1`\n```\n<b>", "python")]),
]
HOSTILE = "\x1b[31m\u202e<img src=x>`|*\n# no heading"


def test_text_aligns_columns_and_leaves_out_what_is_empty() -> None:
    assert write_text(DOCUMENT) == "\n".join(
        (
            "Title <1>",
            "  One & two.",
            "  what      time",
            "  a|b     1.50 s  f(x)",
            "  longer",
            "  and 3 more",
            "",
            "  first",
            "  *second*",
            "",
            "Code",
            "x = `1`",
            "```",
            "<b>",
        )
    )


def test_markdown_has_headings_tables_and_fences_longer_than_any_inside() -> None:
    assert write_markdown(DOCUMENT) == "\n".join(
        (
            "# Title \\<1\\>",
            "",
            "One \\& two.",
            "",
            "| what | time |  |",
            "| --- | --: | --- |",
            "| a\\|b | 1.50 s | `f(x)` |",
            "| longer |  |  |",
            "",
            "and 3 more",
            "",
            "- first",
            "- \\*second\\*",
            "",
            "## Code",
            "",
            "````python",
            "x = `1`",
            "```",
            "<b>",
            "````",
            "",
        )
    )


def test_html_escapes_and_marks_numbers() -> None:
    page = write_html(DOCUMENT)
    assert "<h3>Title &lt;1&gt;</h3>" in page
    assert '<tr><th>what</th><th class="number">time</th><th></th></tr>' in page
    assert '<td>a|b</td><td class="number">1.50 s</td><td><code>f(x)</code></td>' in page
    assert "<p>and 3 more</p>" in page
    assert "<pre>x = `1`\n```\n&lt;b&gt;</pre>" in page


@pytest.mark.parametrize("form", [str, Verbatim])
def test_no_text_of_a_stranger_does_anything(form: type[str]) -> None:
    text = form(HOSTILE)
    document = [Section(text, [text, Items([text]), Table((text,), [(text,)], text)])]
    plain, markdown, page = write_text(document), write_markdown(document), write_html(document)
    for written in (plain, markdown, page):
        assert "\x1b" not in written and "\u202e" not in written
    assert not [line for line in markdown.splitlines()[1:] if line.startswith("# ")]
    if form is str:
        assert "<img" not in markdown.replace("\\<img", "")
    assert "<img" not in page


def test_paragraphs_are_wrapped_and_programs_are_not() -> None:
    words, call = "word " * 60, Verbatim("f(" + "x, " * 60 + ")")
    lines = write_text([Section(blocks=[words, call])], width=98).splitlines()
    assert max(map(len, lines[:-1])) <= 98 and lines[1].startswith("  word")
    assert lines[-1] == call


def test_files_have_values_with_units_and_nothing_where_they_are_unknown() -> None:
    assert table_to_csv(TABLE) == "what,time [s],\na|b,1.5,f(x)\nlonger,,\n"
    assert table_to_json(TABLE) == {
        "columns": ["what", "time [s]", ""],
        "rows": [["a|b", 1.5, "f(x)"], ["longer", None, ""]],
    }


def test_what_is_left_out_is_counted() -> None:
    table = make_table(("n",), range(2_005), lambda n: (count_cell(n),), 5)
    assert len(table.rows) == 5 and table.footnote == "and 2,000 more"
    assert make_table(("n",), range(5), lambda n: (count_cell(n),), 5).footnote == ""
    assert make_items(["a", "b", "c"], 1).texts() == ["a", "and 2 more"]
    assert make_items(["a", "b"]).lines == ["a", "b"]


def test_an_unknown_number_is_told_or_empty_and_empty_columns_can_go() -> None:
    assert number_cell(math.nan, format_seconds).text == "unknown"
    assert known_cell(math.nan, format_seconds).text == ""
    narrow = Table(("a", "b"), [("x", NOTHING), ("y", "")]).without_empty_columns()
    assert list(narrow.headers) == ["a"] and narrow.texts() == [["x"], ["y"]]
