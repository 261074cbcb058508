"""A comparison as text, JSON, Markdown and HTML."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from comparison.conftest import Take
from jaxscope.errors import UsageError
from jaxscope.export.diff import WRITERS, comparison_to_json, render_comparison
from jaxscope.export.diff_html import comparison_to_html
from jaxscope.model import NodeKind, is_available
from jaxscope.program.diff.captures import ComparedCapture, Comparison, compare_captures
from jaxscope.program.diff.changes import GraphComparison
from jaxscope.program.size import describe_size
from jaxscope.report.diff import comparison_to_document, describe_ends
from jaxscope.report.document import write_text


class Page(HTMLParser):
    """Tags and texts of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def format_comparison(
    comparison: Comparison, *, most_rows: int | None = 12, with_texts: bool = False
) -> str:
    return write_text(
        comparison_to_document(comparison, most_rows=most_rows, with_texts=with_texts)
    )


def test_the_names_of_both_sides_stand_on_top(edited: Comparison) -> None:
    lines = format_comparison(edited).splitlines()
    assert lines[1].startswith("  first:  old.py::f(f32[8])  (JAX ")
    assert lines[2].startswith("  second: new.py::f(f32[8])  (JAX ")
    assert any(line.startswith("Different in jaxpr") for line in lines)


def test_the_verdict_has_the_sizes_as_jax_counts_them(take: Take, edited: Comparison) -> None:
    verdict = format_comparison(edited).splitlines()[0]
    first, second = edited.first.capture, edited.second.capture
    equations = [
        sum(" = " in line for line in stage.text.text.splitlines())
        for side in (first, second)
        if (stage := side.stage("jaxpr")) and is_available(stage.text)
    ]
    assert f" {equations[0]} → {equations[1]} equations" in verdict
    assert "optimized: " in verdict
    same = compare_captures(ComparedCapture("a", first), ComparedCapture("b", first))
    assert "→" not in format_comparison(same).splitlines()[0]
    differentiated = take("grad(f)(f32[8])")
    other = compare_captures(ComparedCapture("a", first), ComparedCapture("b", differentiated))
    last = differentiated.stage("grad")
    assert last is not None and is_available(last.graph)
    assert f"→ {describe_size(last.graph)}" in format_comparison(other).splitlines()[0], (
        "the program of the call, whatever its stage is called"
    )


def test_text_says_what_differs_with_signs(edited: Comparison) -> None:
    text = format_comparison(edited)
    assert "  +  d = add : f32[8]" in text
    assert "  ~  d = mul (e = mul): operands 0: c = mul → d = add" in text
    assert "23 FLOP  31 FLOP  The second has 8 FLOP more" in " ".join(text.split("   "))


def test_full_text_holds_the_texts_line_by_line(edited: Comparison) -> None:
    text = format_comparison(edited, most_rows=None, with_texts=True)
    assert "\n+    d:f32[8] = add c a" in text
    assert "\n-    d:f32[8] = mul c c" in text
    assert "\n+    e:f32[8] = mul d d" in text


def test_a_summary_counts_what_it_leaves_out(edited: Comparison) -> None:
    text = format_comparison(edited, most_rows=1)
    assert "and 1 more: --stage jaxpr shows all" in text


def test_equal_captures_say_so(take: Take) -> None:
    capture = take("f(f32[8])")
    text = format_comparison(
        compare_captures(ComparedCapture("a", capture), ComparedCapture("b", capture))
    )
    assert "Equal: no stage that both sides have differs." in text
    assert "\n+  " not in text and "jaxpr\n" not in text


def test_arguments_and_results_among_what_differs_are_told(take: Take) -> None:
    """They are nodes and count, but are no equations."""
    comparison = compare_captures(
        ComparedCapture("a", take("value_and_grad(f)(f32[8])")),
        ComparedCapture("b", take("grad(f)(f32[8])")),
    )
    stage = next(each for each in comparison.stages if each.verdict is False)
    assert isinstance(stage.graphs, GraphComparison)
    graphs = stage.graphs
    num_equations = [
        np.sum(g.nodes.kind == NodeKind.EQUATION) for g in (graphs.first, graphs.second)
    ]
    counts = graphs.counts
    assert describe_ends(graphs) == "1 of these is an argument or a result"
    assert counts.removed - counts.added == num_equations[0] - num_equations[1] + 1


def test_json_has_every_difference(edited: Comparison) -> None:
    data = json.loads(json.dumps(comparison_to_json(edited), allow_nan=False))
    assert (data["format"], data["version"], data["equal"]) == ("jaxscope.comparison", 1, False)
    stage = next(stage for stage in data["stages"] if stage["key"] == "jaxpr")
    assert stage["counts"] == {"same": 5, "changed": 1, "moved": 0, "added": 1, "removed": 0}
    added, changed = stage["differences"]
    assert added["change"] == "added"
    assert added["first"] is None
    assert added["second"]["operation"] == "add"
    assert changed["what"][0] == {
        "aspect": "operands",
        "name": "0",
        "before": "c = mul",
        "after": "d = add",
    }
    needed = next(part for part in data["memory"] if part["name"] == "allocated for a run")
    assert needed["first"] == 36  # eight floats in, one out
    assert needed["comparable"]


def test_markdown_is_a_table_and_a_diff(edited: Comparison) -> None:
    text = WRITERS["md"](edited)
    assert "| jaxpr | 5 | 1 | 0 | 1 | 0 | differs |" in text
    assert "```diff\n--- old.py::f(f32[8])\n+++ new.py::f(f32[8])\n@@" in text


def test_markup_in_a_name_stays_text(take: Take) -> None:
    capture = take("f(f32[8])")
    name = "a|b</script><img src=x>`*_"
    comparison = compare_captures(
        ComparedCapture(name, capture), ComparedCapture("b", take("grad(f)(f32[8])"))
    )
    page = Page(comparison_to_html(comparison))
    assert not [tag for tag, _ in page.tags if tag == "img"]
    rows = [line for line in WRITERS["md"](comparison).splitlines() if "img" in line]
    assert rows
    assert all("`" in row for row in rows if not row.startswith("---"))


def test_html_asks_for_nothing_and_marks_both_graphs(edited: Comparison) -> None:
    text = comparison_to_html(edited)
    page = Page(text)
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="', text)
    figures = [attributes for tag, attributes in page.tags if tag == "figure"]
    assert len(figures) == 2 * sum(stage.reason is None for stage in edited.stages[:-1])
    marks = [
        attributes
        for tag, attributes in page.tags
        if (attributes.get("class") or "").startswith("mark ")
    ]
    assert marks
    rows = {a["data-row"] for tag, a in page.tags if tag == "tr" and "data-row" in a}
    assert {row for mark in marks for row in (mark["data-rows"] or "").split()} <= rows
    for word in ("added", "removed", "changed", "moved"):
        assert word in page.texts  # the legend says it in words


def test_the_ending_picks_the_format(edited: Comparison, tmp_path: Path) -> None:
    for ending in WRITERS:
        path = tmp_path / f"out.{ending}"
        assert "old.py" in render_comparison(edited, path).decode()
    with pytest.raises(UsageError, match="no ending"):
        render_comparison(edited, tmp_path / "out.docx")
