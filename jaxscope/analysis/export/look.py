"""What a person sees of a scene beyond its boxes: what colours tell and what stands out."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint import Tint
from jaxscope.analysis.tint.palette import TINT_PALETTES
from jaxscope.analysis.view.operations import Style
from jaxscope.analysis.view.palette import PALETTES

Indices = npt.NDArray[np.int64]

_FAINT = 0.2
"""How much is seen of what is out of focus."""


def _no_items() -> Indices:
    return np.zeros(0, np.int64)


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Look:
    """How a scene is seen.

    Attributes:
        tint: What the colours of boxes tell; None for their styles.
        selected: Items that are selected or found, outlined thick.
        forward: Items linked to these, outlined.
        backward: Items of the backward part that are linked to them, outlined with dashes.
        focused: Items in focus, the others being faint; None where all are.
        has_legend: Whether the picture ends with what its colours and outlines mean.
    """

    tint: Tint | None = None
    selected: Indices = dataclasses.field(default_factory=_no_items)
    forward: Indices = dataclasses.field(default_factory=_no_items)
    backward: Indices = dataclasses.field(default_factory=_no_items)
    focused: Indices | None = None
    has_legend: bool = False

    @property
    def has_outlines(self) -> bool:
        """Whether anything is outlined."""
        return bool(len(self.selected) or len(self.forward) or len(self.backward))


@dataclasses.dataclass(frozen=True, slots=True)
class Inks:
    """What one box is painted with.

    Attributes:
        share: Of its lower border, what a bar takes; 0 for no bar.
    """

    fill: str
    border: str
    text: str
    detail: str
    is_dashed: bool = False
    share: float = 0.0


PLAIN = Look()
"""Boxes in the colours of their styles, nothing outlined, no legend."""


class Painting:
    """The inks of every box of a scene.

    Raises:
        KeyError: There is no such theme.
    """

    def __init__(self, scene: Scene, look: Look, theme: str) -> None:
        self.palette = PALETTES[theme]
        self._tints = TINT_PALETTES[theme]
        self._scene, self._look = scene, look
        self._focused = None if look.focused is None else frozenset(look.focused.tolist())

    def inks(self, item: int) -> Inks:
        """Those of one item."""
        inks = self._full_inks(item)
        if self._focused is None or item in self._focused:
            return inks
        ground = self.palette.background
        return dataclasses.replace(
            inks,
            fill=blend(inks.fill, ground, _FAINT),
            border=blend(inks.border, ground, _FAINT),
            text=blend(inks.text, ground, _FAINT),
            detail=blend(inks.detail, ground, _FAINT),
        )

    def _full_inks(self, item: int) -> Inks:
        palette, tint = self.palette, self._look.tint
        number = -1 if tint is None else int(tint.of_item[item])
        if tint is None or number < 0:
            style = Style(int(self._scene.items.style[item]))
            detail = palette.muted if tint is None else palette.text
            return Inks(palette.fill[style], palette.border[style], palette.text, detail)
        fill, border = self._tints.pair(tint.classes[number])
        share = float(tint.share[item])
        bar = share if share > 0 else 0.0  # NaN is not
        is_dashed = tint.classes[number].is_dashed
        return Inks(fill, border, palette.text, palette.text, is_dashed, bar)


def blend(color: str, ground: str, part: float) -> str:
    """So much of a colour over another, both `#rrggbb`."""
    mixed = (
        round(part * int(color[i : i + 2], 16) + (1 - part) * int(ground[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{each:02x}" for each in mixed)
