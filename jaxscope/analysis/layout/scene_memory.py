"""What of a scene can be taken over into the next one, where a group more or less is open."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import NamedTuple

from jaxscope.analysis.layout.engines import Engine
from jaxscope.analysis.layout.fit import Fit
from jaxscope.analysis.layout.frames import Frame
from jaxscope.analysis.layout.layered import Spacing
from jaxscope.analysis.layout.sheets import Sheet
from jaxscope.analysis.view.view import View


class Manner(NamedTuple):
    """How a scene is made of a view: what is made otherwise has nothing to take over."""

    direction: str
    spacing: Spacing
    engine: Engine
    fit: Fit


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """The open groups of one scene.

    Attributes:
        view: What they are of.
        manner: How they were made.
        frames: As their surroundings see them.
        sheets: What they show.
        num_laid_out: How many of them were not taken over.
    """

    view: View
    manner: Manner
    frames: Mapping[int, Frame]
    sheets: Mapping[int, Sheet]
    num_laid_out: int


class SceneMemory:
    """Remembers the last scene that was composed with it.

    Attributes:
        latest: Its groups; None before the first.
    """

    def __init__(self) -> None:
        self.latest: Drawn | None = None

    def recall(self, view: View, manner: Manner) -> Drawn:
        """What there is to take over; nothing where the last scene was another view's."""
        latest = self.latest
        if latest is not None and latest.view is view and latest.manner == manner:
            return latest
        return Drawn(view, manner, {}, {}, 0)
