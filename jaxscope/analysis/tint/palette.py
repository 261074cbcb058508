"""Colours of tints, light and dark, that common kinds of colour blindness tell apart.

Kinds follow Okabe and Ito's set in tints that text stays legible on; levels go from pale to strong
in one hue, so that they keep their order in grey as well.
"""

from __future__ import annotations

import dataclasses

from jaxscope.analysis.tint.classes import TintClass

Pair = tuple[str, str]
"""Fill and border, as `#rrggbb`."""


@dataclasses.dataclass(frozen=True, slots=True)
class TintPalette:
    """The pairs of one theme; `kinds[0]` is the neutral one."""

    kinds: tuple[Pair, ...]
    levels: tuple[Pair, ...]

    def pair(self, tint: TintClass) -> Pair:
        """Fill and border of a class."""
        if tint.level >= 0:
            return self.levels[min(tint.level, len(self.levels) - 1)]
        return self.kinds[tint.kind % len(self.kinds)]


LIGHT = TintPalette(
    kinds=(
        ("#f2f2f2", "#868686"),
        ("#cfe3f8", "#1f6bb0"),
        ("#fde0bd", "#b86204"),
        ("#c9ecdf", "#147a5c"),
        ("#f3d7e8", "#a03d82"),
        ("#faf0b4", "#857000"),
        ("#d0f1fb", "#1f7fa6"),
        ("#fbd5c8", "#b03e14"),
    ),
    levels=(
        ("#fff8ea", "#a98d55"),
        ("#fee9c0", "#a97a28"),
        ("#fdcf8a", "#a2650f"),
        ("#f7ac5c", "#8f4d06"),
        ("#ee8a3c", "#7a3600"),
    ),
)
DARK = TintPalette(
    kinds=(
        ("#2a2d33", "#8f949c"),
        ("#173a5c", "#69b3ee"),
        ("#4d320c", "#f0a545"),
        ("#123f33", "#4fc3a1"),
        ("#47213b", "#dc84be"),
        ("#403a0c", "#d8c23c"),
        ("#123e4d", "#62c4e6"),
        ("#502413", "#f08a63"),
    ),
    levels=(
        ("#2b2822", "#8c8068"),
        ("#3d3018", "#a88c50"),
        ("#573c10", "#c99a3f"),
        ("#74480a", "#e8aa45"),
        ("#8f4f04", "#ffc266"),
    ),
)
TINT_PALETTES = {"light": LIGHT, "dark": DARK}
