"""The legend under an exported picture: what its colours and outlines mean, in words."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence

from jaxscope.analysis.export.look import Look
from jaxscope.analysis.export.safe_text import make_safe_line
from jaxscope.analysis.export.shapes import Rect, Shape, Text
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.layout.text_width import measure_text, shorten_text
from jaxscope.analysis.tint.palette import TINT_PALETTES
from jaxscope.analysis.view.palette import PALETTES, STYLE_NAMES, Palette

_TEXT_PX = 11.0
_ROW_PX = 20.0
_PADDING_PX = 12.0
_SWATCH_PX = 16.0
_GAP_PX = 16.0
_WIDEST_PX = 260.0
MIN_WIDTH_PX = 360.0
"""A narrow picture is made so wide that its legend does not become a tower."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One colour or outline and its meaning."""

    name: str
    fill: str
    border: str
    border_px: float = 1.2
    is_dashed: bool = False


def list_entries(scene: Scene, look: Look, theme: str) -> tuple[Entry, ...]:
    """What a picture must explain, in the order of the window's legend."""
    palette, tint = PALETTES[theme], look.tint
    if tint is None:
        entries = [
            Entry(STYLE_NAMES[style], palette.fill[style], palette.border[style])
            for style in scene.styles_used()
        ]
    else:
        pairs = [(each, *TINT_PALETTES[theme].pair(each)) for each in tint.classes]
        entries = [
            Entry(make_safe_line(each.name), fill, border, is_dashed=each.is_dashed)
            for each, fill, border in pairs
        ]
        if tint.note:
            entries.append(Entry(make_safe_line(tint.note), "", ""))
    if look.has_outlines:
        entries += [
            Entry("selected", "", palette.selected, 3.0),
            Entry("linked, forward", "", palette.forward, 2.2),
            Entry("linked, backward", "", palette.backward, 2.2, is_dashed=True),
        ]
    return tuple(entries)


def legend_height(entries: Sequence[Entry], width: float) -> float:
    """Pixels that a legend needs in a picture so wide; 0 without entries."""
    if not entries:
        return 0.0
    rows = 1 + max(row for _, row in _places(entries, width))
    return rows * _ROW_PX + 2 * _PADDING_PX


def draw_legend(
    entries: Sequence[Entry], palette: Palette, top: float, width: float
) -> Iterator[Shape]:
    """The shapes of a legend that begins at `top`."""
    if entries:
        yield Rect(0, top, width, 1.0, 0.0, palette.frame_border, "")
    for entry, (x, row) in zip(entries, _places(entries, width), strict=True):
        y = top + _PADDING_PX + row * _ROW_PX
        yield Rect(
            x, y + 4, _SWATCH_PX, 11, 3.0, entry.fill, entry.border, entry.border_px,
            is_dashed=entry.is_dashed,
        )  # fmt: skip
        name = shorten_text(entry.name, _WIDEST_PX, _TEXT_PX)
        yield Text(x + _SWATCH_PX + 6, y + 13.5, name, _TEXT_PX, palette.text)


def _places(entries: Sequence[Entry], width: float) -> list[tuple[float, int]]:
    """Left edge and row of each entry."""
    x, row, places = _PADDING_PX, 0, []
    for entry in entries:
        wide = _SWATCH_PX + 6 + min(measure_text(entry.name, _TEXT_PX), _WIDEST_PX)
        if x > _PADDING_PX and x + wide > width - _PADDING_PX:
            x, row = _PADDING_PX, row + 1
        places.append((x, row))
        x += wide + _GAP_PX
    return places
