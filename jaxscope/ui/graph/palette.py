"""The palette of graphs as Qt colours; the table itself is in `analysis/view/palette.py`."""

from __future__ import annotations

import dataclasses
import functools

from PySide6.QtGui import QColor

from jaxscope.analysis.view.operations import Style
from jaxscope.analysis.view.palette import PALETTES


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Colors:
    """A palette ready to paint with; see `analysis.view.palette.Palette`."""

    background: QColor
    text: QColor
    muted: QColor
    edge: QColor
    fill: tuple[QColor, ...]
    border: tuple[QColor, ...]
    frame_fill: tuple[QColor, QColor]
    frame_border: QColor
    header_fill: QColor
    stub_fill: QColor
    selected: QColor
    forward: QColor
    backward: QColor
    hover: QColor


@functools.cache
def colors(theme: str) -> Colors:
    """The colours of the theme `light` or `dark`."""
    palette = PALETTES[theme]
    return Colors(
        background=QColor(palette.background),
        text=QColor(palette.text),
        muted=QColor(palette.muted),
        edge=QColor(palette.edge),
        fill=tuple(QColor(palette.fill[style]) for style in Style),
        border=tuple(QColor(palette.border[style]) for style in Style),
        frame_fill=(QColor(palette.frame_fill[0]), QColor(palette.frame_fill[1])),
        frame_border=QColor(palette.frame_border),
        header_fill=QColor(palette.header_fill),
        stub_fill=QColor(palette.stub_fill),
        selected=QColor(palette.selected),
        forward=QColor(palette.forward),
        backward=QColor(palette.backward),
        hover=QColor(palette.hover),
    )
