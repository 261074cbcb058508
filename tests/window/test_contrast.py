"""Every text stands out from every ground that it lies on, in both themes, as WCAG measures."""

from __future__ import annotations

import itertools
import re

import pytest

from contrast import contrast
from jaxscope.ui.toolkit.theme import DARK, LIGHT, Theme, build_stylesheet

ENOUGH, MUCH, PARTS = 4.5, 7.0, 3.0
"""AA for text, AAA for text, and AA for what is no text."""
GROUNDS = ("window", "surface", "raised")
MARKED = (
    "accent_soft", "selected_soft", "forward_soft", "backward_soft", "error_soft", "warning_soft",
)  # fmt: skip
SYNTAX = ("keyword", "string", "number", "comment", "type", "symbol")
RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")


@pytest.fixture(params=[LIGHT, DARK], ids=lambda theme: theme.name)
def theme(request: pytest.FixtureRequest) -> Theme:
    return request.param


def too_faint(theme: Theme, texts: tuple[str, ...], grounds: tuple[str, ...], least: float) -> dict:
    """Pairs of text and ground below a ratio, with what they reach."""
    found = {}
    for text, ground in itertools.product(texts, grounds):
        ratio = contrast(getattr(theme, text), getattr(theme, ground))
        if ratio < least:
            found[text, ground] = round(ratio, 2)
    return found


def test_the_measure_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21.0)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


def test_ordinary_text_stands_out_well_on_all_grounds(theme: Theme):
    assert too_faint(theme, ("text",), GROUNDS + MARKED, MUCH) == {}


def test_muted_text_stands_out_on_all_grounds(theme: Theme):
    assert too_faint(theme, ("muted",), GROUNDS + MARKED, ENOUGH) == {}


def test_colours_of_program_text_stand_out_also_where_a_line_is_marked(theme: Theme):
    assert too_faint(theme, SYNTAX, ("surface", *MARKED), ENOUGH) == {}


def test_words_of_state_stand_out_on_their_own_grounds(theme: Theme):
    assert too_faint(theme, ("error",), ("error_soft", "window", "surface"), ENOUGH) == {}
    assert too_faint(theme, ("warning",), ("warning_soft", "surface"), ENOUGH) == {}
    assert too_faint(theme, ("forward", "backward"), ("surface",), ENOUGH) == {}
    links = too_faint(theme, ("accent",), (*GROUNDS, "error_soft", "warning_soft"), ENOUGH)
    assert links == {}
    assert contrast(theme.on_accent, theme.accent) >= ENOUGH


def test_edges_that_carry_meaning_stand_out(theme: Theme):
    edges = ("accent", "selected", "forward", "backward", "error", "warning")
    assert too_faint(theme, edges, GROUNDS, PARTS) == {}


def test_no_rule_of_the_style_sheet_sets_faint_text(theme: Theme):
    rules = RULE.findall(build_stylesheet(theme, 10.0))
    pairs = set()
    for _, body in rules:
        colour = re.search(r"(?<![\w-])color: (#\w{6})", body)
        ground = re.search(r"background: (#\w{6})", body)
        if colour and ground:
            pairs.add((colour[1], ground[1]))
    assert len(pairs) >= 8, "the style sheet is read as it is written"
    assert {pair for pair in pairs if contrast(*pair) < ENOUGH} == set()
