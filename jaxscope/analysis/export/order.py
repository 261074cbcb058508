"""What to export and how: one stage as it is seen, one stage anew, or every stage."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from jaxscope.analysis.export.choices import ALL_STAGES, DEFAULT_SCALE, DOWN, FIRST
from jaxscope.analysis.export.look import PLAIN, Look
from jaxscope.analysis.export.stage_choice import find_stage
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.tint import Tint
from jaxscope.errors import EnvironmentProblem, Explanation
from jaxscope.model import Capture, Stage, is_available

PICTURES = frozenset({"svg", "png", "pdf", "dot"})
"""Formats that show graphs."""

_ONE_STAGE_A_FILE = frozenset({"svg", "png", "dot"})


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Seen:
    """A graph as it is on a screen.

    Attributes:
        scene: The boxes, placed.
        look: Their colours and outlines.
        tint_of: Colours the same graph in another picture of it.
    """

    scene: Scene
    look: Look = PLAIN
    tint_of: Callable[[Scene], Tint | None] | None = None


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class ExportOrder:
    """What to export.

    Attributes:
        stage: Name of a stage, or `ALL_STAGES`.
        ending: Of the file, in lower case; picks the format.
        theme: Of pictures: `light` or `dark`.
        scale: Of a PNG: pixels per pixel of the scene.
        width_px: Of a PNG: how wide to make it, whatever the scale; None leaves it to the scale.
        expand: Which groups to open, `FIRST`, `EVERYTHING` or `NOTHING`, or as many as make so
            many boxes, as a number.
        direction: `down` or `right`.
        seen: Pictures of stages as they are on a screen; the others are made.
    """

    capture: Capture
    stage: str
    ending: str
    theme: str = "light"
    scale: float = DEFAULT_SCALE
    width_px: int | None = None
    expand: str = FIRST
    direction: str = DOWN
    seen: Mapping[str, Seen] = dataclasses.field(default_factory=dict)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages to show, in order; of all stages those that have what the format shows.

        Raises:
            UsageError: There is no stage of that name.
            EnvironmentProblem: It is not available, or none is.
        """
        if self.stage != ALL_STAGES:
            return (find_stage(self.capture, self.stage),)
        shown = tuple(
            stage
            for stage in self.capture.stages
            if is_available(stage.graph if self.ending in PICTURES else stage.text)
            and stage.unavailable is None
        )
        if not shown:
            form = "graph" if self.ending in PICTURES else "text"
            raise EnvironmentProblem(Explanation(f"No stage of this call has a {form}."))
        return shown


def split_order(order: ExportOrder) -> list[tuple[str, ExportOrder]]:
    """One order for each file to write, with what to add to the file's name.

    A picture file holds one stage; every other format holds all.
    """
    if order.stage != ALL_STAGES or order.ending not in _ONE_STAGE_A_FILE:
        return [("", order)]
    return [
        (f"-{stage.name.replace('/', '_')}", dataclasses.replace(order, stage=stage.name))
        for stage in order.stages
    ]
