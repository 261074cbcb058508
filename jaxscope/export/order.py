"""What to export and how: one stage as it is seen or anew, or every stage; which stage; in which
colours and with which marks.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from jaxscope.errors import EnvironmentProblem, UsageError
from jaxscope.export.choices import ALL_STAGES, DEFAULT_SCALE, DOWN, FIRST
from jaxscope.late_dataclass import dataclass
from jaxscope.model import Capture, Graph, Stage, StageText, Unavailable, is_available
from jaxscope.model.said import say
from jaxscope.model.stages import find_stage_name
from jaxscope.picture.palette import PALETTES
from jaxscope.picture.scene.scene import Scene
from jaxscope.picture.tint.classes import TINT_PALETTES, Tint
from jaxscope.picture.view.operations import Style

# How far an export is: called often enough to be shown, and to be stopped within a moment.
#
# Whoever asks for an export may pass a function that is called at every step. What it raises ends
# the export there, before anything is written. Between two calls lie a few dozen milliseconds at
# most.

OnProgress = Callable[[str, float], None]
"""Takes what is being done, and how much of it is done: from 0 to 1."""

_PER_STEP = 1_000

T = TypeVar("T")


def ignore_progress(_doing: str, _share: float) -> None:
    """For exports that nobody watches."""


def part_of_progress(on_step: OnProgress, begin: float, end: float) -> OnProgress:
    """For a part of an export, which takes it from one share to another."""
    return lambda doing, share: on_step(doing, begin + share * (end - begin))


def report_progress(
    things: Iterable[T], num_things: int, doing: str, on_step: OnProgress
) -> Iterator[T]:
    """The same things, with a step reported before the first and after each thousand.

    Args:
        things: To pass through.
        num_things: About how many they are.
        doing: What to say.
        on_step: Called with each step.
    """
    for number, thing in enumerate(things):
        if number % _PER_STEP == 0:
            on_step(doing, min(1.0, number / max(num_things, 1)))
        yield thing


def find_stage(capture: Capture, name: str) -> Stage:
    """The stage of that name.

    Raises:
        UsageError: The capture has no such stage.
        EnvironmentProblem: It has, and the stage is unavailable; carries the reason.
    """
    stage = capture.stage(name) or capture.stage(find_stage_name(name))
    if stage is None:
        names = ", ".join(stage.name for stage in capture.stages) or "none"
        raise UsageError(
            say("There is no stage {name}.", name=name),
            why=say("The stages of this call are: {names}.", names=names),
            remedy=say("Name one of them with --stage."),
        )
    if stage.unavailable is not None:
        _require(stage, stage.unavailable)
    return stage


def find_stage_text(capture: Capture, name: str) -> StageText:
    """The text of the stage of that name; raises what `find_stage` does."""
    return _require(stage := find_stage(capture, name), stage.text)


def find_stage_graph(capture: Capture, name: str) -> Graph:
    """The graph of the stage of that name; raises what `find_stage` does."""
    return _require(stage := find_stage(capture, name), stage.graph)


def _require(stage: Stage, part: T | Unavailable) -> T:
    """Require that a part of a stage is there.

    Raises:
        EnvironmentProblem: It is unavailable; carries the reason.
    """
    if isinstance(part, Unavailable):
        raise EnvironmentProblem(
            say("The stage {stage} is not available.", stage=stage.name), why=part.reason
        )
    return part


# What a person sees of a scene beyond its boxes: what colours mean and what stands out.


Indices = npt.NDArray[np.int64]

_FAINT = 0.2
"""How much is seen of what is out of focus."""


def _no_items() -> Indices:
    return np.zeros(0, np.int64)


@dataclass(frozen=True, eq=False, slots=True)
class Look:
    """How a scene is seen.

    Attributes:
        tint: What the colours of boxes mean; None for their styles.
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


@dataclass(frozen=True, slots=True)
class BoxColors:
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


class SceneColors:
    """The inks of every box of a scene.

    Raises:
        KeyError: There is no such theme.
    """

    def __init__(self, scene: Scene, look: Look, theme: str) -> None:
        self.palette = PALETTES[theme]
        self._tints = TINT_PALETTES[theme]
        self._scene, self._look = scene, look
        self._focused = None if look.focused is None else frozenset(look.focused.tolist())

    def inks(self, item: int) -> BoxColors:
        """Colours of one item of the picture."""
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

    def _full_inks(self, item: int) -> BoxColors:
        palette, tint = self.palette, self._look.tint
        number = -1 if tint is None else int(tint.of_item[item])
        if tint is None or number < 0:
            style = Style(int(self._scene.items.style[item]))
            detail = palette.muted if tint is None else palette.text
            return BoxColors(palette.fill[style], palette.border[style], palette.text, detail)
        fill, border = self._tints.pair(tint.classes[number])
        share = float(tint.share[item])
        bar = share if share > 0 else 0.0  # NaN is not
        is_dashed = tint.classes[number].is_dashed
        return BoxColors(fill, border, palette.text, palette.text, is_dashed, bar)


def blend(color: str, ground: str, part: float) -> str:
    """So much of a colour over another, both `#rrggbb`."""
    mixed = (
        round(part * int(color[i : i + 2], 16) + (1 - part) * int(ground[i : i + 2], 16))
        for i in (1, 3, 5)
    )
    return "#" + "".join(f"{each:02x}" for each in mixed)


# What to export and how: one stage as it is seen, one stage anew, or every stage.


PICTURES = frozenset({"svg", "png", "pdf", "dot"})
"""Formats that show graphs."""

_ONE_STAGE_A_FILE = frozenset({"svg", "png", "dot"})


@dataclass(frozen=True, eq=False, slots=True)
class DisplayedGraph:
    """A graph as it is on a screen.

    Attributes:
        scene: The boxes, placed.
        look: Their colours and outlines.
        tint_of: Colours the same graph in another picture of it.
    """

    scene: Scene
    look: Look = PLAIN
    tint_of: Callable[[Scene], Tint | None] | None = None


@dataclass(frozen=True, eq=False, slots=True)
class ExportOrder:
    """What to export, and in which form; see `render`.

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
    seen: Mapping[str, DisplayedGraph] = dataclasses.field(default_factory=dict)

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
            raise EnvironmentProblem(say("No stage of this call has a {form}.", form=form))
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
