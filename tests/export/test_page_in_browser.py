"""The exported page in a real browser, opened from a file: it links, folds, searches, and asks
the network for nothing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jaxscope.analysis.export.html import capture_to_html
from jaxscope.analysis.export.order import Seen
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint import ColourBy, Tint, tint_scene
from jaxscope.analysis.tint.palette import TINT_PALETTES
from jaxscope.analysis.view.build import build_view
from jaxscope.model import Capture, is_available

from .browser import Browser, find_browser

pytestmark = pytest.mark.browser

RIGHT = "#right .body"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_browser()
    if program is None:
        pytest.skip("needs Chromium (apt-get install chromium-headless-shell)")
    with Browser(program, tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture(scope="module")
def file(capture: Capture, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("page") / "a page.html"
    path.write_text(capture_to_html(capture), encoding="utf-8")
    return path


@pytest.fixture
def page(browser: Browser, file: Path) -> Iterator[Browser]:
    """The page just loaded; whatever a test does, nothing may be complained about or fetched."""
    browser.open(file)
    yield browser
    assert browser.problems() == []


def count(page: Browser, selector: str) -> int:
    return int(page.evaluate(f"document.querySelectorAll({selector!r}).length"))


def test_it_opens_with_source_text_and_graph(page: Browser) -> None:
    assert count(page, "#source .linked") > 10
    assert count(page, "#left .text .linked") > 5
    assert count(page, f"{RIGHT} svg g.item") > 3


def test_a_click_lights_up_every_pane(page: Browser) -> None:
    page.click("#left .text .linked:nth-of-type(3)")
    assert count(page, "#left .is-chosen") >= 1
    assert count(page, f"{RIGHT} .is-forward, {RIGHT} .is-backward") >= 1
    assert count(page, "#source .is-forward") >= 1
    assert count(page, "#inspector dt") > 3
    page.press("Escape")
    assert count(page, ".is-chosen:not(i)") == 0


def test_it_is_walked_by_keyboard(page: Browser) -> None:
    page.evaluate("document.querySelector('#source .linked').focus()")
    page.press("ArrowDown")
    page.press("ArrowDown")
    assert page.evaluate("document.activeElement.dataset.line") == "0:3"
    assert count(page, "#source .is-chosen") == 1


def test_boxes_unfold_and_fold(page: Browser) -> None:
    buttons = "[...document.querySelectorAll('#right button')]"
    page.evaluate(f"{buttons}.find((b) => b.textContent === 'Unfold all').click()")
    shown = count(page, f"{RIGHT} g.item:not(.is-away)")
    tall = page.evaluate(f"document.querySelector('{RIGHT} svg').viewBox.baseVal.height")
    page.evaluate(f"document.querySelector('{RIGHT} .sign[data-item]').focus()")
    page.press("Enter")
    assert count(page, f"{RIGHT} g.item:not(.is-away)") < shown
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert page.evaluate(f"document.querySelector('{RIGHT} svg').viewBox.baseVal.height") <= tall
    page.press("Enter")
    assert count(page, f"{RIGHT} g.item:not(.is-away)") == shown


def test_a_box_alone_unfolds_into_a_layout_of_its_own(page: Browser) -> None:
    stage = "Number(document.querySelector('template[data-opens]').dataset.stage)"
    page.evaluate(f"state.panes[1].stage = {stage}; showPane(state.panes[1])")
    box = page.evaluate(f"document.querySelector('{RIGHT} .sign[data-inside]').dataset.inside")
    page.evaluate(f"document.querySelector('{RIGHT} .sign[data-inside]').focus()")
    page.press("Enter")
    assert page.evaluate("state.panes[1].detail").startswith("with-")
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    frames = page.evaluate(
        f"[...document.querySelectorAll('{RIGHT} g.item[data-id]')].map((g) => g.dataset.id)"
    )
    assert box in frames
    page.press("Enter")
    assert page.evaluate("state.panes[1].drawing.folded.size") == 1


def test_whatever_is_folded_the_drawing_stays_valid(page: Browser) -> None:
    page.evaluate(
        "data.stages.forEach((stage, i) => { if (!stage.hasGraph) return;"
        " const pane = state.panes[1]; pane.stage = i; pane.detail = 'drawing'; showPane(pane);"
        " foldAll(pane, false); foldAll(pane, true); foldAll(pane, false); })"
    )
    lines = page.evaluate(
        f"[...document.querySelectorAll('{RIGHT} .wire')].map((w) => w.getAttribute('d'))"
    )
    assert lines
    assert not [line for line in lines if "NaN" in line]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_follows_the_system_and_its_own_switch(
    browser: Browser, file: Path, scheme: str
) -> None:
    browser.emulate(scheme)
    browser.open(file)
    ground = "getComputedStyle(document.body).backgroundColor"
    first = browser.evaluate(ground)
    assert browser.evaluate("document.documentElement.dataset.theme") == scheme
    browser.click("#theme")
    assert browser.evaluate(ground) != first
    assert browser.problems() == []


def test_a_page_of_what_is_seen_has_its_direction_and_colours(
    browser: Browser, capture: Capture, tmp_path: Path
) -> None:
    stage = capture.stages[0]
    assert is_available(stage.graph)
    graph = stage.graph
    view = build_view(graph)
    scene = build_scene(view, view.all_groups(), direction="right")

    def tint_of(other: Scene) -> Tint | None:
        return tint_scene(graph, other, ColourBy.FLOPS)

    path = tmp_path / "seen.html"
    seen = {stage.name: Seen(scene, tint_of=tint_of)}
    path.write_text(capture_to_html(capture, stage.name, seen=seen), encoding="utf-8")
    for scheme in ("light", "dark"):
        browser.emulate(scheme)
        browser.open(path)
        tint = tint_of(scene)
        assert tint is not None
        legend = browser.evaluate(f"document.querySelector('{RIGHT} .tints').textContent")
        assert all(each.name in legend for each in tint.classes)
        assert count(browser, f"{RIGHT} svg g.item") == len(scene.items)
        strongest = browser.evaluate(
            f"getComputedStyle(document.querySelector('{RIGHT} .tint-level-4 .box')).fill"
        )
        wanted = TINT_PALETTES[scheme].levels[4][0]
        rgb = ", ".join(str(int(wanted[i : i + 2], 16)) for i in (1, 3, 5))
        assert strongest == f"rgb({rgb})"
        assert browser.problems() == []


def test_hostile_text_is_shown_and_does_nothing(
    browser: Browser, hostile: Capture, tmp_path: Path
) -> None:
    path = tmp_path / "hostile.html"
    path.write_text(capture_to_html(hostile), encoding="utf-8")
    browser.open(path)
    assert browser.evaluate("document.querySelector('h1').textContent").startswith("</script>")
    assert browser.evaluate("document.querySelectorAll('img').length") == 0
    assert browser.problems() == []


def test_a_search_marks_and_walks_through_what_it_finds(page: Browser) -> None:
    page.click("#search")
    page.type("TANH")
    page.press("Enter")
    assert page.evaluate("document.getElementById('found').textContent").startswith("1 of ")
    assert count(page, f"{RIGHT} .is-found") >= 1
    assert count(page, "#left .is-found") >= 1
    assert count(page, "#source .is-found") == 1, "the line that says tanh"
    assert count(page, f"{RIGHT} .is-chosen") >= 1
    page.press("Escape")
    assert count(page, ".is-found") == 0


def test_a_search_takes_words_and_expressions(page: Browser) -> None:
    found = "JSON.stringify([...findNodes(data.stages[0], readQuery({}))])"
    by_words = page.evaluate(found.format("'mul f32[2,4]'"))
    by_expression = page.evaluate(found.format(r"'/^MUL\\b.*f32\\[2,4\\]/'"))
    assert by_words == by_expression
    assert len(by_words) > 4
    assert page.evaluate(found.format("'no such thing'")) == "[]"
    assert page.evaluate("readQuery('/(/').problem") == "no regular expression"
    assert page.evaluate(found.format("'/(/'")) == "[]"
