"""The page of a comparison in a real browser: one stage at a time, marks, both themes."""

from __future__ import annotations

from pathlib import Path

import pytest

from export.browser import Browser
from jaxscope.export.diff_html import comparison_to_html
from jaxscope.picture.palette import PALETTES
from jaxscope.picture.tint.diff_marks import STYLES
from jaxscope.program.diff.captures import Comparison

pytestmark = pytest.mark.browser


def rgb(color: str) -> str:
    return f"rgb({', '.join(str(int(color[i : i + 2], 16)) for i in (1, 3, 5))})"


def test_stages_marks_and_themes(browser: Browser, edited: Comparison, tmp_path: Path) -> None:
    path = tmp_path / "comparison.html"
    path.write_text(comparison_to_html(edited), encoding="utf-8")
    browser.open(path)
    shown = "[...document.querySelectorAll('section')].filter((s) => !s.hidden)"
    assert browser.evaluate(f"{shown}.map((s) => s.dataset.stage)") == ["jaxpr"]
    browser.click("section:not([hidden]) .mark")
    assert browser.evaluate("document.querySelectorAll('tr.is-chosen').length") == 1

    ground = "getComputedStyle(document.body).backgroundColor"
    badge = "getComputedStyle(document.querySelector('.graph .badge')).fill"
    of_kind = {style.name: style for style in STYLES.values()}
    kind = browser.evaluate("document.querySelector('.graph .mark').classList[1]")
    style = of_kind[kind.removeprefix("mark-")]
    for scheme, color in (("light", style.light), ("dark", style.dark)):
        browser.emulate(scheme)
        browser.open(path)
        assert browser.evaluate(ground) == rgb(PALETTES[scheme].background)
        assert browser.evaluate(badge) == rgb(color)
        browser.click("#theme")
        other = {"light": "dark", "dark": "light"}[scheme]
        assert browser.evaluate(ground) == rgb(PALETTES[other].background)
    assert browser.problems() == []
