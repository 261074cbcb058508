"""The exported page in a real browser, opened from a file: it links, folds, searches, and asks
the network for nothing."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import jaxscope
from jaxscope.export.html import capture_to_html
from jaxscope.export.order import DisplayedGraph
from jaxscope.model import Capture, is_available
from jaxscope.model.stages import lowered_name
from jaxscope.notebook import make_shown
from jaxscope.picture.scene.build import build_scene
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.syntax import ProgramColouring
from jaxscope.picture.tint.classes import TINT_PALETTES, ColourBy, Tint, tint_scene
from jaxscope.picture.view.build import build_view

from .browser import Browser

pytestmark = pytest.mark.browser

PROGRAM = "#program .body"


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


def fold_up(weights: jax.Array, x: jax.Array) -> jax.Array:
    """Several loops: more than a drawing shows open at first, whatever JAX makes of them."""

    def step(carry: jax.Array, _: None) -> tuple[jax.Array, None]:
        hidden = jnp.tanh(carry @ weights)
        return jax.nn.softmax(jnp.sin(hidden) * hidden + jnp.exp(-hidden)), None

    for _ in range(3):
        x, _ = jax.lax.scan(step, x, None, length=3)
    return jnp.sum(x**2)


@pytest.fixture(scope="module")
def large_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    capture = jaxscope.capture(jax.grad(fold_up), jnp.ones((4, 4)), jnp.ones((2, 4)))
    path = tmp_path_factory.mktemp("page") / "large.html"
    path.write_text(capture_to_html(capture), encoding="utf-8")
    return path


@pytest.fixture
def large_page(browser: Browser, large_file: Path) -> Iterator[Browser]:
    """As `page`, of a program some of whose boxes are closed at first."""
    browser.open(large_file)
    browser.wait_for("state.panes.length > 0")  # it unpacks itself
    yield browser
    assert browser.problems() == []


def count(page: Browser, selector: str) -> int:
    return int(page.evaluate(f"document.querySelectorAll({selector!r}).length"))


def show_text_beside(page: Browser) -> None:
    """The program of the call as text, beside its optimized form as a graph."""
    page.click("#strip .last")
    page.evaluate("showStage(state.panes[0], data.first[1])")
    page.evaluate("showStage(state.panes[1], data.first[0])")
    page.click("#beside .forms button:last-child")


def test_it_opens_with_the_source_and_the_program_of_the_call(
    page: Browser, capture: Capture
) -> None:
    assert count(page, "#source .linked") > 10
    assert count(page, "#source .keyword, #source .comment") > 5
    assert count(page, f"{PROGRAM} svg g.item") > 3
    assert page.evaluate("document.querySelector('#beside').checkVisibility()") is False
    pressed = page.evaluate("document.querySelector('#strip [aria-pressed=true]').textContent")
    assert pressed.startswith(lowered_name(stage.name for stage in capture.stages))


def test_the_line_of_stages_leads_to_each(page: Browser) -> None:
    names = page.evaluate("[...document.querySelectorAll('#strip [data-stage]')].map(b => b.title)")
    assert [name.split(":")[0] for name in names][-4:] == [
        *("StableHLO", "HLO", "optimized", "machine code"),
    ]
    page.click("#strip [data-stage='4']")
    assert page.evaluate("state.panes[0].stage") == 4
    assert count(page, "#strip [aria-pressed=true]") == 1
    assert page.evaluate("document.getElementById('strip').clientHeight") <= 32


def test_the_first_picture_fits_its_pane_and_can_be_moved(page: Browser) -> None:
    sizes = (
        "(() => { const b = document.querySelector('#program .body');"
        " const s = b.querySelector('svg').getBoundingClientRect();"
        " return [s.width, s.height, b.clientWidth, b.clientHeight, state.panes[0].scale]; })()"
    )
    width, height, wide, high, scale = page.evaluate(sizes)
    assert scale >= 0.75
    assert (width <= wide and height <= high) or scale == pytest.approx(0.75)
    page.evaluate("zoom(state.panes[0], 2, [0, 0])")
    # A browser has sizes in parts of 1/64 pixel, so twice one may be two parts off.
    assert page.evaluate(sizes)[0] == pytest.approx(2 * width, abs=2 / 64)
    page.evaluate("showStage(state.panes[0], state.panes[0].stage)")
    assert page.evaluate(sizes)[0] == pytest.approx(width)


def test_words_of_programs_are_coloured_as_in_the_window(page: Browser, capture: Capture) -> None:
    page.click("#program .forms button:last-child")
    stage = capture.stages[page.evaluate("data.first[0]")]
    assert is_available(stage.text)
    lines = stage.text.text.split("\n")
    page.wait_for("document.querySelector('#program .type') !== null")
    colouring = ProgramColouring(lines)
    for number, line in enumerate(lines):
        words = page.evaluate(f"wordsOf({json.dumps(line)})")
        assert [tuple(word) for word in words] == list(colouring.spans(number)), line


def test_a_click_lights_up_every_pane(page: Browser) -> None:
    show_text_beside(page)
    page.click("#beside .text .linked:nth-of-type(3)")
    assert count(page, "#beside .is-chosen") >= 1
    assert count(page, f"{PROGRAM} .is-forward, {PROGRAM} .is-backward") >= 1
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
    buttons = "[...document.querySelectorAll('#program button')]"
    page.evaluate(f"{buttons}.find((b) => b.textContent === 'Unfold all').click()")
    shown = count(page, f"{PROGRAM} g.item:not(.is-away)")
    tall = page.evaluate(f"document.querySelector('{PROGRAM} svg').viewBox.baseVal.height")
    page.evaluate(f"document.querySelector('{PROGRAM} .sign[data-item]').focus()")
    page.press("Enter")
    assert count(page, f"{PROGRAM} g.item:not(.is-away)") < shown
    assert page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"
    assert page.evaluate(f"document.querySelector('{PROGRAM} svg').viewBox.baseVal.height") <= tall
    page.press("Enter")
    assert count(page, f"{PROGRAM} g.item:not(.is-away)") == shown


def show_stage_with_closed_boxes(page: Browser) -> None:
    page.evaluate(
        "state.panes[0].stage = data.stages.findIndex((stage, i) => {"
        " const drawing = document.getElementById(`drawing-${i}`);"
        " return drawing && drawing.content.querySelectorAll('[data-inside]').length > 1; });"
        " showPane(state.panes[0])"
    )


@pytest.mark.slow
def test_boxes_unfold_one_after_another_and_leave_no_gap(large_page: Browser) -> None:
    show_stage_with_closed_boxes(large_page)
    opened = []
    for _ in range(2):
        large_page.evaluate(
            f"document.querySelector('{PROGRAM} .sign[aria-expanded=false]:not(.is-away)').focus()"
        )
        large_page.press("Enter")
        assert large_page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
        opened.append(
            large_page.evaluate(
                "state.panes[0].drawing.items.find("
                "(item) => item.texts.includes(document.activeElement)).group.dataset.id"
            )
        )
    assert all(opened) and opened[0] != opened[1], "one box after another"
    widest = large_page.evaluate(
        "(() => { const { items, folded, svg } = state.panes[0].drawing;"
        " const rects = items.filter((item) => item.parent < 0"
        "   && !item.group.classList.contains('is-away')).map(({ box }) => box.getBBox());"
        " const rows = rects.map((r) => [r.y, r.y + r.height]).sort((a, b) => a[0] - b[0]);"
        " let [end, gap] = [rows[0][1], 0];"
        " rows.forEach(([a, b]) => { gap = Math.max(gap, a - end); end = Math.max(end, b); });"
        " return gap; })()"
    )
    assert widest < 250, "rows follow one another"


def test_keys_walk_from_box_to_box_and_fold(large_page: Browser) -> None:
    show_stage_with_closed_boxes(large_page)
    large_page.evaluate(
        f"document.querySelector('{PROGRAM} g.item[data-nodes]:not([data-title])').focus()"
    )
    first = large_page.evaluate("document.activeElement.querySelector('rect').getBBox().y")
    large_page.press("ArrowDown")
    below = large_page.evaluate("document.activeElement.querySelector('rect').getBBox().y")
    assert below > first
    large_page.press("Enter")
    assert large_page.evaluate("document.activeElement.classList.contains('is-chosen')") is True
    large_page.evaluate(f"document.querySelector('{PROGRAM} .sign[data-inside]').focus()")
    large_page.press("+")
    assert large_page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    large_page.press("-")
    assert large_page.evaluate("document.activeElement.getAttribute('aria-expanded')") == "false"


def test_an_argument_lights_up_its_parameter(page: Browser) -> None:
    lit = page.evaluate(
        "data.stages.map((stage, i) => stage.hasGraph && stage.inputs.length ?"
        " [...linksOfNodes(i, new Set([stage.inputs[0]])).lines] : null)"
    )
    assert lit[0]
    line = page.evaluate(f"document.querySelector('[data-line=\"{lit[0][0]}\"]').textContent")
    assert "def " in line
    assert [each for each in lit if each] == [lit[0]] * len([each for each in lit if each])


def test_lines_bear_types(page: Browser) -> None:
    page.evaluate(
        "state.panes[0].stage = 0; showPane(state.panes[0]); foldAll(state.panes[0], false)"
    )
    types = page.evaluate(
        f"[...document.querySelectorAll('{PROGRAM} .type-of text')].map((t) => t.textContent)"
    )
    assert types
    sizes = re.compile(r"([0-9,]+ × )?[0-9.,]+ ([KMG]i)?B")  # of residuals, in a loop by its rounds
    assert all(
        "[" in each or "values" in each or each == "carry" or sizes.fullmatch(each)
        for each in types
    )
    page.evaluate("foldAll(state.panes[0], true)")
    page.evaluate("foldAll(state.panes[0], false)")
    assert count(page, f"{PROGRAM} .type-of:not(.is-away)") == len(types)


def test_whatever_is_folded_the_drawing_stays_valid(page: Browser) -> None:
    page.evaluate(
        "data.stages.forEach((stage, i) => { if (!stage.hasGraph) return;"
        " const pane = state.panes[0]; pane.stage = i; pane.detail = 'drawing'; showPane(pane);"
        " foldAll(pane, false); foldAll(pane, true); foldAll(pane, false); })"
    )
    lines = page.evaluate(
        f"[...document.querySelectorAll('{PROGRAM} .wire')].map((w) => w.getAttribute('d'))"
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
    seen = {stage.name: DisplayedGraph(scene, tint_of=tint_of)}
    path.write_text(capture_to_html(capture, stage.name, seen=seen), encoding="utf-8")
    for scheme in ("light", "dark"):
        browser.emulate(scheme)
        browser.open(path)
        tint = tint_of(scene)
        assert tint is not None
        legend = browser.evaluate(f"document.querySelector('{PROGRAM} .tints').textContent")
        assert all(each.name in legend for each in tint.classes)
        assert count(browser, f"{PROGRAM} svg g.item") == len(scene.items)
        strongest = browser.evaluate(
            f"getComputedStyle(document.querySelector('{PROGRAM} .tint-level-4 .box')).fill"
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
    show_text_beside(page)
    page.click("#search")
    page.type("TANH")
    page.press("Enter")
    assert page.evaluate("document.getElementById('found').textContent").startswith("1 of ")
    assert count(page, f"{PROGRAM} .is-found") >= 1
    assert count(page, "#beside .is-found") >= 1
    assert count(page, "#source .is-found") == 1, "the line that says tanh"
    assert count(page, f"{PROGRAM} .is-chosen") >= 1
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


@pytest.mark.parametrize("width_px", [400, 900])
def test_in_a_narrow_frame_nothing_is_cut_off(
    browser: Browser, large_file: Path, tmp_path: Path, width_px: int
) -> None:
    """As a notebook and a phone show it: a long line of code scrolls in its own pane."""
    frame = html.escape(large_file.read_text(encoding="utf-8"), quote=True)
    outer = tmp_path / "notebook.html"
    outer.write_text(
        f'<!doctype html><iframe style="width:{width_px}px;height:720px;border:0" '
        f'srcdoc="{frame}"></iframe>',
        encoding="utf-8",
    )
    browser.open(outer)
    root = "frames[0].document.documentElement"
    assert browser.evaluate(f"{root}.scrollWidth") <= width_px


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.slow
def test_a_notebook_shows_its_graph_in_the_notebook_s_theme(
    browser: Browser, capture: Capture, tmp_path: Path, scheme: str
) -> None:
    shown = make_shown(capture)._repr_html_()
    outer = tmp_path / "notebook.html"
    is_light = "true" if scheme == "light" else "false"
    # The frame may do nothing to a notebook, so that it has to tell of itself.
    told = shown.replace(
        "document.close();",
        "document.close(); setTimeout(() => parent.postMessage(["
        "document.querySelectorAll(&quot;#program g.item&quot;).length,"
        "document.documentElement.dataset.theme], &quot;*&quot;), 500);",
    )
    assert told != shown
    outer.write_text(
        f'<!doctype html><meta charset="utf-8"><body data-jp-theme-light="{is_light}">'
        "<script>window.told = null; onmessage = (event) => { window.told = event.data; };"
        f"</script>{told}",
        encoding="utf-8",
    )
    browser.emulate("")
    browser.open(outer)
    browser.wait_for("window.told !== null")
    number, theme = browser.evaluate("window.told")
    assert number > 3
    assert theme == scheme
    assert browser.problems() == []
