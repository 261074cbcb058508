"""Colours can be told apart and read."""

from __future__ import annotations

import pytest

from jaxscope.picture.palette import PALETTES, STYLE_NAMES, Palette
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
    grounds = [*palette.fill.values(), *palette.frame_fill, palette.header_fill]
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
