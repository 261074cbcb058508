"""How a scene is arranged for the room it has."""

from __future__ import annotations

import dataclasses
import math


@dataclasses.dataclass(frozen=True, slots=True)
class Fit:
    """What a scene does to be as narrow as a page.

    Attributes:
        beside: Whether the forward and the backward part of a gradient stand side by side; else
            the one stands after the other.
        across: Pixels across the flow that the scene should not exceed; ranks that would are
            wrapped into several. Infinite where they run on.
        aside: Pixels of it that open groups leave free for lines that pass beside them.
    """

    beside: bool = True
    across: float = math.inf
    aside: float = 0.0

    @property
    def is_limited(self) -> bool:
        """Whether there is a size that the scene should not exceed."""
        return self.across < math.inf


FREE = Fit()
"""As wide as it comes."""
