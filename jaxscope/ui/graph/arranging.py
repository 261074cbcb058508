"""Choose a first picture: how much of a program is opened, and how that is arranged, for a room."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import NamedTuple

from jaxscope.analysis.collector import paused_collector
from jaxscope.analysis.layout.compose import build_scene
from jaxscope.analysis.layout.engines import LayoutCache
from jaxscope.analysis.layout.fit import Fit
from jaxscope.analysis.layout.layered import ShouldStop
from jaxscope.analysis.layout.nesting import DOWN
from jaxscope.analysis.layout.scene import Scene
from jaxscope.analysis.view.framing import list_next, list_openings
from jaxscope.analysis.view.shrinking import shrink_view
from jaxscope.analysis.view.view import View
from jaxscope.ui.graph.camera import (
    OVERVIEW_PX,
    READABLE_SCALE,
    SIDE_PX,
    WHOLE_SCALE,
)

_TWO_COLUMNS_PX = 600.0
"""In less, the two parts of a gradient would stay closed to fit: they stand one after the other."""

_ASIDES_PX = (0.0, 48.0, 110.0)
"""What open groups leave free for the lines beside them: how many there are is known afterwards."""

_HOPELESS = 2.5
"""What is so many times too wide, and of many boxes, would be wrapped beyond recognition."""

_MOST_PAGES = 2.0
"""What was wrapped and is longer shows less of the whole than fewer open groups would."""

_LEGEND_PX = 60.0
"""What the legend takes once there is a picture."""

_LARGE = 500
"""Boxes from which on it pays to leave out those that a first picture does not show."""

_FEW_BOXES = 24
_MAX_TRIES = 8  # each takes as long as a small picture


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Room:
    """What there is room for: width and height in pixels, and the size of the window's type."""

    width: float
    height: float
    text_scale: float = 1.0

    def across(self, direction: str) -> float:
        """Pixels across the flow."""
        return self.width if direction == DOWN else self.height

    def along(self, direction: str) -> float:
        """Pixels along it."""
        return self.height if direction == DOWN else self.width


class Arranged(NamedTuple):
    """A scene, and how it was fitted into its room."""

    scene: Scene
    fit: Fit


@dataclasses.dataclass(frozen=True, slots=True)
class Arranger:
    """Arranges one view in one room; `should_stop` may end any of it with `LayoutStopped`."""

    view: View
    room: Room
    direction: str
    cache: LayoutCache
    should_stop: ShouldStop

    def choose(self) -> Arranged:
        """The scene with most groups open that is no wider than can be read; or the narrowest."""
        with paused_collector():  # once for all that is tried
            if len(self.view.boxes) <= _LARGE:
                return self._choose()
            small = dataclasses.replace(self, view=shrink_view(self.view, self.view.opened))
            scene, fit = small._choose()
            return Arranged(self._build(scene.opened, fit), fit)

    def _choose(self) -> Arranged:
        found: list[Arranged] = []
        is_wide = self._most_across(False) >= _TWO_COLUMNS_PX
        for beside in (True, False) if is_wide else (False,):
            for opened in list_openings(self.view):
                arranged = self._arrange(opened, beside)
                if self._is_page(arranged):
                    return self._open_more(arranged)
                found.append(arranged)
        return min(found, key=lambda each: (self._excess(each.scene), self._along(each.scene)))

    def _arrange(self, opened: frozenset[str], beside: bool) -> Arranged:
        """The scene of some open groups as it comes, or wrapped where that could not be read."""
        found: list[Arranged] = []
        gained = self._most_across(False) - self._most_across(True)
        for fit in self._list_fits(beside):
            if found and fit.aside and self._excess(found[-1].scene) > fit.aside + gained:
                continue  # that much narrower is not enough
            scene = self._build(opened, fit)
            found.append(Arranged(scene, fit))
            if not self._excess(scene):
                return found[-1]
            is_hopeless = self._across(scene) > _HOPELESS * self._most_across(True)
            if is_hopeless and len(scene.items) > _FEW_BOXES:
                break
        return min(found, key=lambda each: self._excess(each.scene))

    def _build(self, opened: frozenset[str], fit: Fit) -> Scene:
        return build_scene(
            self.view,
            opened,
            direction=self.direction,
            cache=self.cache,
            fit=fit,
            should_stop=self.should_stop,
        )

    def _list_fits(self, beside: bool) -> Iterator[Fit]:
        yield Fit(beside)
        for aside in _ASIDES_PX:
            yield Fit(beside, self._most_across(bool(aside)), aside)

    def _is_page(self, arranged: Arranged) -> bool:
        """Whether it can be read, and was not wrapped into a roll of many pages."""
        scene, most = arranged.scene, _MOST_PAGES * self.room.along(self.direction) / self._scale()
        is_short = not arranged.fit.is_limited or self._along(scene) <= most
        return is_short and not self._excess(scene)

    def _open_more(self, arranged: Arranged) -> Arranged:
        """Open single groups, the largest first, where a picture leaves most of a page empty."""
        refused: set[str] = set()
        for _ in range(_MAX_TRIES):
            scene = arranged.scene
            if len(scene.items) > _FEW_BOXES:
                break
            choices = [each for each in list_next(self.view, scene.opened) if each not in refused]
            if not choices:
                break
            more = self._arrange(scene.opened | {choices[0]}, arranged.fit.beside)
            if self._is_page(more):
                arranged = more
            else:
                refused.add(choices[0])
        return arranged

    def _across(self, scene: Scene) -> float:
        return scene.width if self.direction == DOWN else scene.height

    def _along(self, scene: Scene) -> float:
        return scene.height if self.direction == DOWN else scene.width

    def _scale(self) -> float:
        return READABLE_SCALE * self.room.text_scale

    def _most_across(self, needs_overview: bool) -> float:
        """Pixels of a scene that there is room for, at the smallest scale that can be read."""
        least = 2 * SIDE_PX + (OVERVIEW_PX if needs_overview else 0)
        return (self.room.across(self.direction) - least) / self._scale()

    def _excess(self, scene: Scene) -> float:
        """Pixels by which a scene is too wide to be read."""
        free = self.room.along(self.direction) - _LEGEND_PX - 2 * SIDE_PX
        needs_overview = self._along(scene) * WHOLE_SCALE * self.room.text_scale > free
        return max(self._across(scene) - self._most_across(needs_overview), 0.0)
