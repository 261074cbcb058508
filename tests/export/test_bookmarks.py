"""What a person marked in a capture is in every form that tells of the whole capture."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest

from jaxscope.export.html import capture_to_html
from jaxscope.export.markdown import capture_to_markdown
from jaxscope.export.order import ExportOrder
from jaxscope.export.render import render_order
from jaxscope.model import Capture, is_available
from jaxscope.model.capture import SOURCE_STAGE, Bookmark
from jaxscope.report.bookmarks import find_marked_places
from jaxscope.schema.archive import load_capture, save_capture
from jaxscope.schema.contract import load_contract

from .browser import Browser


@pytest.fixture(scope="module")
def marked(capture: Capture) -> Capture:
    stage = capture.stage("optimized")
    assert stage is not None
    assert is_available(stage.graph)
    ids = [stage.graph.string(stage.graph.nodes.id, node) for node in range(3)]
    line = f"{capture.source.file}:{capture.source.line}"
    bookmarks = (
        Bookmark("optimized", ids[2], "Why is <this> here?"),
        Bookmark(SOURCE_STAGE, line, "begins | here"),
        Bookmark("optimized", "no such node"),
        Bookmark("no such stage", "7", "from another version"),
        Bookmark(SOURCE_STAGE, "gone.py:3"),
    )
    return dataclasses.replace(capture, bookmarks=bookmarks)


def test_places_are_found_or_told_by_their_words(marked: Capture) -> None:
    node, line, *lost = find_marked_places(marked)
    stage = marked.stages[node.stage]
    assert (stage.name, node.node) == ("optimized", 2)
    assert node.where == stage.title
    assert marked.files[line.file].path == marked.source.file
    assert line.what.startswith(f"line {marked.source.line}: ")
    assert all(each.node < 0 and each.file < 0 for each in lost)
    assert [each.what for each in lost] == ["no such node", "7", "line 3"]


def test_json_has_them_and_gives_them_back(marked: Capture, tmp_path: Path) -> None:
    saved, written = tmp_path / "a.jaxscope", tmp_path / "a.json"
    save_capture(marked, saved)
    again = load_capture(saved)
    written.write_bytes(render_order(ExportOrder(again, "optimized", "json")).data)
    assert json.loads(written.read_text())["bookmarks"][0]["note"] == "Why is <this> here?"
    assert load_contract(written).bookmarks == marked.bookmarks


def test_markdown_lists_them(marked: Capture) -> None:
    report = capture_to_markdown(marked)
    table = report[report.index("## Bookmarks") :].split("\n\n")[1].splitlines()
    assert len(table) == 2 + len(marked.bookmarks)
    assert r"Why is \<this\> here?" in table[2]
    assert all(row.replace(r"\|", "").count("|") == 4 for row in table)
    assert "## Bookmarks" not in capture_to_markdown(dataclasses.replace(marked, bookmarks=()))


@pytest.mark.browser
@pytest.mark.slow
def test_a_page_marks_them_and_leads_to_them(
    marked: Capture, browser: Browser, tmp_path: Path
) -> None:
    path = tmp_path / "marked.html"
    path.write_text(capture_to_html(marked), encoding="utf-8")
    browser.open(path)
    listed = "document.querySelectorAll('#inspector .bookmarks li')"
    assert browser.evaluate(f"{listed}.length") == len(marked.bookmarks)
    assert browser.evaluate("document.querySelectorAll('#source .is-noted').length") == 1
    browser.click("#inspector .bookmarks button")
    assert browser.evaluate("document.querySelectorAll('#program .is-noted').length") >= 1
    assert browser.evaluate("document.querySelectorAll('#program .is-chosen').length") >= 1
    noted = browser.evaluate("document.querySelector('#inspector .note').textContent")
    assert noted == "★ Why is <this> here?"
    assert browser.problems() == []
