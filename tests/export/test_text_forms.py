"""Text and Markdown: exact where it is a program, harmless where it is a stranger's text."""

from __future__ import annotations

import pytest

from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.export.markdown import capture_to_markdown
from jaxscope.export.render import capture_to_text
from jaxscope.model import Capture, StageText
from jaxscope.schema.safe_text import make_safe, make_safe_line


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("plain λ → ok\n\tindented", "plain λ → ok\n\tindented"),
        ("\x1b[31mred", "␛[31mred"),
        ("a\x7fb\x00c", "a␡b␀c"),
        ("ad\u202emin", "ad<U+202E>min"),
        ("line\r\nend", "line\nend"),
        ("over\rwritten", "over␍written"),
        ("\ud800", "\ufffd"),
    ],
)
def test_unsafe_characters_become_visible(text: str, safe: str) -> None:
    assert make_safe(text) == safe


def test_one_line_stays_one_line() -> None:
    assert make_safe_line("a\nb\tc\u2028d") == "a b c<U+2028>d"


def test_text_is_the_program(capture: Capture) -> None:
    stage = capture.stage("jaxpr")
    assert stage is not None
    assert isinstance(stage.text, StageText)
    assert capture_to_text(capture, "jaxpr").strip() == stage.text.text.strip()


def test_markdown_has_every_stage(capture: Capture) -> None:
    report = capture_to_markdown(capture, "optimized")
    assert report.startswith("# `update(f32[4,4], f32[2,4])`\n")
    rows = [line for line in report.splitlines() if line.startswith("|")]
    for stage in capture.stages:
        assert any(stage.title in row for row in rows)
    assert "HloModule" in report


def test_markdown_of_hostile_text(hostile: Capture) -> None:
    report = capture_to_markdown(hostile, "jaxpr")
    outside = "\n".join(report.split("````")[::2])
    assert "<img" not in outside.replace("\\<img", "").replace("`` ", "")
    assert "\x1b" not in report
    assert "\u202e" not in report
    fences = [line for line in report.splitlines() if line.startswith("```")]
    assert len(fences) % 2 == 0
    assert all(fence.startswith("````") for fence in fences), "longer than any inside"


def test_what_is_missing_says_why(capture: Capture) -> None:
    with pytest.raises(UsageError, match="no stage fused"):
        capture_to_text(capture, "fused")
    missing = [stage for stage in capture.stages if not isinstance(stage.text, StageText)]
    for stage in missing:
        with pytest.raises(EnvironmentProblem):
            capture_to_text(capture, stage.name)
