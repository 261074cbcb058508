"""Colours can be told apart and read."""

from __future__ import annotations

import itertools
import math

import pytest

from jaxscope.picture.palette import (
    BACKWARD_FRAME,
    FORWARD_FRAME,
    FRAME_NAMES,
    FUSION_FRAME,
    LIGHT,
    PALETTES,
    STYLE_NAMES,
    Palette,
    explain_boxes,
)
from jaxscope.picture.view.operations import Style, style_of


def luminance(color: str) -> float:
    """Relative luminance by WCAG 2."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_text_is_readable_on_every_box(palette: Palette) -> None:
    grounds = [*palette.fill.values(), *palette.frame_fill, *palette.header_fill]
    grounds += [palette.background, palette.stub_fill]
    for ground in grounds:
        assert contrast(palette.text, ground) >= 7.0, ground
        assert contrast(palette.muted, ground) >= 4.5, ground


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_borders_lines_and_outlines_stand_out(palette: Palette) -> None:
    colors = [*palette.border.values(), palette.edge]
    colors += [palette.selected, palette.forward, palette.backward]
    for color in colors:
        for ground in (palette.background, *palette.frame_fill):
            assert contrast(color, ground) >= 3.0, color


def test_every_style_has_colours_and_a_name() -> None:
    for palette in PALETTES.values():
        assert set(palette.fill) == set(palette.border) == set(Style)
    assert set(STYLE_NAMES) == set(Style)


def lab(color: str) -> tuple[float, float, float]:
    """CIE L*a*b* under D65."""
    channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    r, g, b = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047
    y = 0.2126 * r + 0.7152 * g + 0.0722 * b
    z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883
    u, v, w = (t ** (1 / 3) if t > 0.008856 else 7.787 * t + 16 / 116 for t in (x, y, z))
    return 116 * v - 16, 500 * (u - v), 200 * (v - w)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_what_a_legend_tells_apart_looks_apart(palette: Palette) -> None:
    """By fill and border together; what looks the same has the same name."""
    related = {frozenset({Style.CONTROL, Style.PORT})}  # a loop and what goes around: by shape
    for one, other in itertools.combinations(Style, 2):
        distance = sum(
            math.dist(lab(colors[one]), lab(colors[other]))
            for colors in (palette.fill, palette.border)
        )
        if STYLE_NAMES[one] == STYLE_NAMES[other]:
            assert distance == 0, (one, other)
        elif frozenset({one, other}) not in related:
            assert distance >= 15, (one, other, distance)


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_a_legend_explains_tinted_frames_and_says_each_name_once(palette: Palette) -> None:
    styles = [Style.GROUP, Style.REPEAT, Style.SECTION, Style.FUSION]
    grounds = [0, 1, FORWARD_FRAME, BACKWARD_FRAME, FUSION_FRAME]
    entries = explain_boxes([*styles, *styles], grounds, True, palette)
    names = ["forward", "backward", "residual", "fusion", "group"]
    assert [name for name, *_ in entries] == names
    assert entries[0][1] == palette.frame_fill[FORWARD_FRAME]
    assert explain_boxes([], [FUSION_FRAME], False, palette) == (
        ("fusion", palette.frame_fill[FUSION_FRAME], palette.border[Style.FUSION]),
    )
    assert len(palette.frame_fill) == len(palette.frame_line) == len(FRAME_NAMES)


@pytest.mark.parametrize(
    ("operation", "style"),
    [
        ("dot_general", Style.CONTRACTION),
        ("stablehlo.dot_general", Style.CONTRACTION),
        ("all-reduce", Style.COLLECTIVE),
        ("reduce_sum", Style.REDUCTION),
        ("broadcast_in_dim", Style.MOVEMENT),
        ("while", Style.CONTROL),
        ("something_new", Style.ELEMENTWISE),
    ],
)
def test_operations_of_every_dialect_have_a_style(operation: str, style: Style) -> None:
    assert style_of(operation) is style


def test_a_closed_part_of_a_gradient_and_an_opened_one_are_one_entry_before_all_others() -> None:
    entries = explain_boxes([Style.INPUT, Style.BACKWARD], [FORWARD_FRAME], False, LIGHT)
    assert [name for name, _, _ in entries] == ["forward", "backward", "argument"]
    both = explain_boxes([Style.FORWARD], [FORWARD_FRAME], False, LIGHT)
    assert [name for name, _, _ in both] == ["forward"]
