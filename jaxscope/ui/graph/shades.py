"""The colours of a picture's boxes: by their styles, or by a tint."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QColor

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint import Tint
from jaxscope.analysis.tint.palette import TINT_PALETTES
from jaxscope.ui.graph.palette import Colors


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Shades:
    """Colours to paint boxes with.

    Attributes:
        of_item: int16, index into the colours of each item.
        fill: Colours of boxes.
        border: Colours of their borders.
        is_dashed: Whether the border is dashed.
        share: float64, how much of its lower border an item's bar takes; NaN for no bar.
        is_tint: Whether the colours tell something else than the style.
        is_faint: bool, of each item whether it is out of focus; None where nothing is.
    """

    of_item: npt.NDArray[np.int16]
    fill: tuple[QColor, ...]
    border: tuple[QColor, ...]
    is_dashed: tuple[bool, ...]
    share: npt.NDArray[np.float64]
    is_tint: bool = False
    is_faint: npt.NDArray[np.bool_] | None = None

    def of(self, items: npt.NDArray[np.int64]) -> Shades:
        """The shades of some of the items, in their order."""
        faint = None if self.is_faint is None else self.is_faint[items]
        return dataclasses.replace(
            self, of_item=self.of_item[items], share=self.share[items], is_faint=faint
        )


def style_shades(scene: Scene, colors: Colors) -> Shades:
    """Every box in the colours of its style."""
    nothing = np.full(len(scene.items), np.nan)
    style = scene.items.style.astype(np.int16)
    return Shades(style, colors.fill, colors.border, (False,) * len(colors.fill), nothing)


def tint_shades(scene: Scene, tint: Tint, colors: Colors, theme: str) -> Shades:
    """Boxes in the colours of a tint; what it says nothing of keeps the colours of its style."""
    palette = TINT_PALETTES[theme]
    pairs = [palette.pair(each) for each in tint.classes]
    num_styles = len(colors.fill)
    style = scene.items.style.astype(np.int16)
    return Shades(
        np.where(tint.of_item >= 0, tint.of_item + num_styles, style).astype(np.int16),
        (*colors.fill, *(QColor(fill) for fill, _ in pairs)),
        (*colors.border, *(QColor(border) for _, border in pairs)),
        (*(False,) * num_styles, *(each.is_dashed for each in tint.classes)),
        tint.share,
        is_tint=True,
    )


def make_shades(
    scene: Scene,
    tint: Tint | None,
    colors: Colors,
    theme: str,
    focused: npt.NDArray[np.int64] | None,
) -> Shades:
    """The shades of a scene in which some items may be in focus."""
    shades = style_shades(scene, colors)
    if tint is not None:
        shades = tint_shades(scene, tint, colors, theme)
    if focused is None:
        return shades
    is_faint = np.ones(len(scene.items), bool)
    is_faint[focused] = False
    return dataclasses.replace(shades, is_faint=is_faint)
