"""What a prompt and a notebook show of a capture."""

from __future__ import annotations

import dataclasses
import html
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

import jaxscope
from jaxscope import notebook
from jaxscope.model import Capture, Unavailable


@pytest.fixture
def capture(archive: Path) -> Capture:
    return jaxscope.load(archive)


def shown_in_notebook(capture: Capture) -> str:
    """What Jupyter asks for; a capture of the bare model has no answer."""
    answer = getattr(capture, "_repr_html_")()  # noqa: B009 (the bare model has no such method)
    assert isinstance(answer, str)
    return answer


def test_a_prompt_shows_a_line_per_stage(capture: Capture) -> None:
    lines = repr(capture).splitlines()
    assert lines[0] == "grad(simple_graph)(f32[1000])"
    assert lines[1] == "  jaxpr: 5 equations"
    assert len(lines) == 1 + len(capture.stages)


def test_a_notebook_shows_the_page_in_a_frame(capture: Capture) -> None:
    shown = shown_in_notebook(capture)
    frame = ElementTree.fromstring(shown)
    assert frame.tag == "iframe"
    assert frame.get("sandbox") == "allow-scripts", "it can do nothing to the notebook"
    page = frame.get("srcdoc") or ""
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"(?:src|href)\s*=\s*[\"']?https?:", page)


def test_a_page_too_large_becomes_a_list(capture: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "MAX_PAGE_BYTES", 1000)
    assert shown_in_notebook(capture) == f"<pre>{html.escape(repr(capture))}</pre>"


def test_a_capture_without_its_last_stages_is_shown(capture: Capture) -> None:
    why = Unavailable("XLA <failed>.")
    stages = tuple(
        stage
        if stage.name in ("jaxpr", "grad")
        else dataclasses.replace(stage, text=why, graph=why, unavailable=why)
        for stage in capture.stages
    )
    partial = dataclasses.replace(capture, stages=stages)
    assert "XLA <failed>." in repr(partial)
    assert "iframe" in shown_in_notebook(partial)
