"""Works out the picture of a graph on a thread: view, opened groups, layout, spatial index.

No Qt.

`Arranger` chooses a first picture: it opens as many groups as can be read in the room there is,
tries each layout beside or wrapped, and keeps the first that fits; each try is a whole layout. For
a new run of an edited program, `KeptPicture` finds groups again by the nodes in them, so that what
was open, and what was in the middle, stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from jaxscope.model import NONE, Graph
from jaxscope.picture.gc_pause import paused_gc
from jaxscope.picture.layout.diagram import ShouldStop
from jaxscope.picture.layout.engines import Engine, LayoutCache
from jaxscope.picture.scene.build import SceneMemory, build_scene
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import NO_WIDTH_LIMIT, Fit, Scene
from jaxscope.picture.view.box_tracker import BoxFollower
from jaxscope.picture.view.build import build_view
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD
from jaxscope.picture.view.open_groups import LEAST_BOXES, list_next, list_openings, shrink_view
from jaxscope.picture.view.view import ROOT, View
from jaxscope.ui.canvas.navigation import (
    LEAST_FRAMED,
    OVERVIEW_PX,
    READABLE_SCALE,
    SIDE_PX,
    WHOLE_SCALE,
    Camera,
)
from jaxscope.ui.canvas.scene_index import SceneIndex


@dataclasses.dataclass(frozen=True, slots=True)
class Anchor:
    """An item, by its id, and where the middle of its upper border was in the widget."""

    item_id: str
    x: float
    y: float


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class KeptPicture:
    """A picture of a stage as it was, for the next run's picture of it.

    The program may have been edited in between: boxes are found again by the nodes in them.

    Attributes:
        view: What was shown.
        opened: Groups that were open, by their numbers in the view.
        closed: Groups in sight that were not.
        is_as_first: Whether nobody had opened or closed any.
        middle: What was in the middle; None if nobody had moved the picture.
        fit: How it was arranged.
        across: Pixels across the flow that it was arranged for.
    """

    view: View
    opened: frozenset[int]
    closed: frozenset[int]
    is_as_first: bool
    middle: Anchor | None
    fit: Fit
    across: float

    def follow(self, view: View) -> FollowedPicture:
        """Find everything in the view of the next run."""
        follower = BoxFollower(self.view, view)
        groups = follower.find_groups(self.opened | self.closed)
        return FollowedPicture(self, view, follower, groups)


class FollowedPicture:
    """What was found again of a picture."""

    def __init__(
        self, kept: KeptPicture, view: View, follower: BoxFollower, groups: Mapping[int, int]
    ) -> None:
        self._kept, self._view, self._follower, self._groups = kept, view, follower, groups

    def expanded(self, opened_first: frozenset[str]) -> frozenset[str]:
        """Ids of the groups to open in a picture that would open these by itself.

        What was open or closed is so again. What is new is as the picture would have it, unless
        something is inside that was open.
        """
        opened, closed = (
            {self._groups[box] for box in boxes if box in self._groups}
            for boxes in (self._kept.opened, self._kept.closed)
        )
        around = {each for box in opened for each in self._view.ancestors(box)}
        boxes = self._view.boxes
        wanted = opened_first - {boxes[box].id for box in closed}
        return wanted | {boxes[box].id for box in opened | (around - closed)}

    def anchor(self, scene: Scene) -> Anchor | None:
        """What to hold in a picture: the same box, or what is shown of what was around it."""
        middle, old = self._kept.middle, self._kept.view
        box = NONE if middle is None else (old.index_of(middle.item_id) or NONE)
        while middle is not None and box > ROOT:
            found = self._groups.get(box, ROOT) if old.boxes[box].children else ROOT
            found = found or self._follower.find_node(box)
            while found > ROOT:
                if self._view.boxes[found].id in scene.item_of_id:
                    return Anchor(self._view.boxes[found].id, middle.x, middle.y)
                found = self._view.boxes[found].parent
            box = old.boxes[box].parent
        return None


def list_closed(view: View, opened: Collection[int]) -> frozenset[int]:
    """The closed groups in sight, given the open ones."""
    children = {child for box in (ROOT, *opened) for child in view.boxes[box].children}
    return frozenset(box for box in children - set(opened) if view.boxes[box].children)


def anchor_of(scene: Scene, camera: Camera, item: int) -> Anchor:
    """Hold an item where it is seen now."""
    x, y, width, _ = scene.items.rect[item].tolist()
    return Anchor(scene.items.ids[item], *camera.to_widget(x + width / 2, y))


def find_middle_item(scene: Scene, camera: Camera, width: float, height: float) -> int:
    """The box nearest to the middle of the widget; `NONE` if there are no boxes."""
    rect = scene.items.rect[scene.items.num_frames :]
    if not len(rect):
        return NONE
    x, y = camera.to_scene(width / 2, height / 2)
    away = np.hypot(rect[:, 0] + rect[:, 2] / 2 - x, rect[:, 1] + rect[:, 3] / 2 - y)
    return int(np.argmin(away)) + scene.items.num_frames


def camera_at(anchor: Anchor, scene: Scene, scale: float) -> Camera | None:
    """The camera that shows the item where it was; None if the scene lacks it."""
    item = scene.item_of_id.get(anchor.item_id)
    if item is None:
        return None
    x, y, width, _ = scene.items.rect[item].tolist()
    return Camera(x + width / 2 - anchor.x / scale, y - anchor.y / scale, scale)


# Choose a first picture: how much of a program is opened, and how that is arranged, for a room.


_TWO_COLUMNS_PX = 600.0
"""In less, the two parts of a gradient would stay closed to fit: they stand one after the other."""

_GLANCE_PX = 680.0
"""From this width on, as that of a main view, the two parts stand beside each other even if that
has to be small: nothing else in them is open then."""

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
_MAX_TRIES, _MAX_REFUSED = 8, 2  # each takes as long as a small picture


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class Viewport:
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
    """Arranges one view in one room; `should_stop` may end any of it with `LayoutStopped`.

    `least_scale` is how small the picture may be shown.
    """

    view: View
    room: Viewport
    direction: str
    cache: LayoutCache
    should_stop: ShouldStop
    least_scale: float = READABLE_SCALE

    def choose(self) -> Arranged:
        """The scene with most groups open that is no wider than can be read; or the narrowest."""
        with paused_gc():  # once for all that is tried
            tried = self
            if len(self.view.boxes) > _LARGE:
                small = shrink_view(self.view, self.view.opened)
                tried = dataclasses.replace(self, view=small)
            scene, fit = tried._choose()
            return Arranged(self._build(scene.opened, fit), fit)

    def _choose(self) -> Arranged:
        found: list[Arranged] = []
        pages: list[Arranged] = []
        is_wide = self._most_across(False) >= _TWO_COLUMNS_PX
        parts = {b.id for b in self.view.boxes if b.kind in FORWARD_BACKWARD} & self.view.opened
        smaller = dataclasses.replace(self, least_scale=WHOLE_SCALE)
        smallest = dataclasses.replace(self, least_scale=LEAST_FRAMED)
        openings, alone = list_openings(self.view), self._open_only(parts)
        tries = [(self, True, openings), (smaller, True, openings)] if is_wide else []
        if self.room.across(self.direction) >= _GLANCE_PX * self.room.text_scale:
            tries.append((smallest, True, alone))
        for arranger, beside, some in (*tries, (self, False, openings)):
            for opened in some:
                if arranger is smaller and not parts <= opened:
                    break  # smaller only to see both parts of a gradient
                arranged = arranger._arrange(opened, beside, is_least=opened in openings[-2:])
                if arranger is smallest and not self._fills(arranged.scene):
                    break  # in a high view there is room for larger boxes, one part below the other
                if arranger._is_page(arranged):
                    if self._count_boxes(arranged.scene) < LEAST_BOXES:
                        # A long or a wide picture tells more than one of closed groups.
                        most = 0.0 if parts else self._most_across(True)
                        larger = [each for each in found if self._excess(each.scene) <= most]
                        if larger:
                            return larger[-1]
                    page = arranged if arranger is smallest else arranger._open_more(arranged)
                    if not arranger._is_whole(page.scene) and (beside or not parts):
                        page = smaller._show_whole(alone or openings, beside) or page
                    if parts <= page.scene.opened:
                        return page
                    pages.append(page)
                    break
                if arranger is not smallest:
                    found.append(arranged)
        if pages:  # side by side, unless more of the two parts is seen one after the other
            return max(pages, key=lambda each: len(parts & each.scene.opened))
        return min(found, key=lambda each: (self._excess(each.scene), self._along(each.scene)))

    def _show_whole(self, openings: tuple[frozenset[str], ...], beside: bool) -> Arranged | None:
        """The most that is seen at one glance, where that can be read and tells something.

        Where one group of many is open, the rest of the program is out of sight; of a gradient the
        other part is mostly blank beside it.
        """
        for opened in openings:
            arranged = self._arrange(opened, beside)
            if self._is_page(arranged) and self._is_whole(arranged.scene):
                page = self._open_more(arranged)
                if self._count_boxes(page.scene) >= LEAST_BOXES:
                    return page
        return None

    def _count_boxes(self, scene: Scene) -> int:
        return len(scene.items) - scene.items.num_frames

    def _open_only(self, groups: Collection[str]) -> tuple[frozenset[str], ...]:
        """The one opening in which some groups are open and nothing in them; none for no group."""
        view = self.view
        boxes = {view.index_of(each) or NONE for each in groups} - {NONE}
        around = {view.boxes[each].id for box in boxes for each in view.ancestors(box)}
        return ((frozenset(groups) | around) & view.opened,) if boxes else ()

    def _arrange(self, opened: frozenset[str], beside: bool, *, is_least: bool = False) -> Arranged:
        """The scene of some open groups as it comes, or wrapped where that could not be read.

        Args:
            opened: The groups.
            beside: As in `Fit`.
            is_least: Whether no picture of fewer open groups tells much.
        """
        found: list[Arranged] = []
        gained = self._most_across(False) - self._most_across(True)
        for fit in self._list_fits(beside):
            if found and fit.aside and self._excess(found[-1].scene) > fit.aside + gained:
                continue  # that much narrower is not enough
            scene = self._build(opened, fit, is_try=True)
            found.append(Arranged(scene, fit))
            if not self._excess(scene):
                return found[-1]
            is_hopeless = self._across(scene) > _HOPELESS * self._most_across(True)
            if is_hopeless and len(scene.items) > _FEW_BOXES and not is_least:
                break
        return min(found, key=lambda each: self._excess(each.scene))

    def _build(self, opened: frozenset[str], fit: Fit, *, is_try: bool = False) -> Scene:
        return build_scene(
            self.view,
            opened,
            is_try=is_try,
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

    def _is_whole(self, scene: Scene) -> bool:
        """Whether all of it is seen at once."""
        return self._along(scene) <= (self.room.along(self.direction) - 2 * SIDE_PX) / self._scale()

    def _fills(self, scene: Scene) -> bool:
        """Whether a scene as wide as the room takes at least a half of its length."""
        scale = self.room.across(self.direction) / self._across(scene)
        return self._along(scene) * scale >= self.room.along(self.direction) / 2

    def _open_more(self, arranged: Arranged) -> Arranged:
        """Open single groups, the largest first, where a picture leaves most of a page empty.

        All of it stays to be seen at once.
        """
        refused: set[str] = set()
        for _ in range(_MAX_TRIES):
            scene = arranged.scene
            is_full = len(scene.items) > _FEW_BOXES or len(refused) == _MAX_REFUSED
            if is_full or not self._is_whole(scene):
                break
            choices = [each for each in list_next(self.view, scene.opened) if each not in refused]
            if not choices:
                break
            more = self._arrange(scene.opened | {choices[0]}, arranged.fit.beside)
            if self._is_page(more) and self._is_whole(more.scene):
                arranged = more
            else:
                refused.add(choices[0])
        return arranged

    def _across(self, scene: Scene) -> float:
        return scene.width if self.direction == DOWN else scene.height

    def _along(self, scene: Scene) -> float:
        return scene.height if self.direction == DOWN else scene.width

    def _scale(self) -> float:
        return self.least_scale * self.room.text_scale

    def _most_across(self, needs_overview: bool) -> float:
        """Pixels of a scene that there is room for, at the smallest scale that can be read."""
        least = 2 * SIDE_PX + (OVERVIEW_PX if needs_overview else 0)
        return (self.room.across(self.direction) - least) / self._scale()

    def _excess(self, scene: Scene) -> float:
        """Pixels by which a scene is too wide to be read."""
        free = self.room.along(self.direction) - _LEGEND_PX - 2 * SIDE_PX
        needs_overview = self._along(scene) * WHOLE_SCALE * self.room.text_scale > free
        return max(self._across(scene) - self._most_across(needs_overview), 0.0)


OTHER_ROOM_PX = 60
"""A page must be so much wider or narrower for that; legend and overview come and go with less."""


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PreparedPicture:
    """A view, and its scene sorted for drawing.

    Attributes:
        opened_first: Ids of the groups that were opened without being asked for; None where it
            was said which to open.
        anchor: What to hold in its place, as an earlier run's picture had it; None for nothing.
        across: Pixels across the flow that it was chosen for; 0 where it was not.
        fit: How it is arranged.
    """

    view: View
    index: SceneIndex
    opened_first: frozenset[str] | None
    anchor: Anchor | None = None
    across: float = 0.0
    fit: Fit = NO_WIDTH_LIMIT


@dataclasses.dataclass(frozen=True, eq=False, slots=True)
class PictureOrder:
    """What a picture is made of: graph, open groups, direction and settings.

    Attributes:
        graph: The graph.
        view: Its view where that is known.
        expanded: Ids of the groups to open; None for as many as there is room for.
        kept: What to take over from the picture of an earlier run.
        direction: `down` or `right`.
        cache: Layouts of groups, kept from picture to picture.
        memory: The picture before, of which what stays as it is is taken over.
        without: Names of simplifications to leave out.
        room: Of the widget.
        engine: Who lays groups out.
        fit: How to arrange it where it was said which groups to open.
    """

    graph: Graph
    view: View | None
    expanded: frozenset[str] | None
    kept: KeptPicture | None
    direction: str
    cache: LayoutCache
    memory: SceneMemory
    without: frozenset[str]
    room: Viewport
    engine: Engine = Engine.OWN
    fit: Fit = NO_WIDTH_LIMIT

    def work_out(self, should_stop: ShouldStop) -> PreparedPicture:
        """The picture; raises `LayoutStopped` once it should stop."""
        view = self.view or build_view(self.graph, self.without)
        if self.expanded is not None:
            scene = self._compose(view, self.expanded, self.fit, should_stop)
            return PreparedPicture(view, _prepare(scene), None, fit=self.fit)
        arranger = Arranger(view, self.room, self.direction, self.cache, should_stop)
        scene, fit = arranger.choose()
        first, across = scene.opened, self.room.across(self.direction)
        if self.kept is None:
            if self.engine is not Engine.OWN:
                scene = self._compose(view, first, fit, should_stop)
            return PreparedPicture(view, _prepare(scene), first, None, across, fit)
        followed = self.kept.follow(view)
        expanded = followed.expanded(first)
        fit = self.kept.fit if abs(across - self.kept.across) <= OTHER_ROOM_PX else fit
        scene = self._compose(view, expanded, fit, should_stop)
        first = scene.opened if self.kept.is_as_first else first
        return PreparedPicture(view, _prepare(scene), first, followed.anchor(scene), across, fit)

    def _compose(
        self, view: View, expanded: frozenset[str], fit: Fit, should_stop: ShouldStop
    ) -> Scene:
        return build_scene(
            view,
            expanded,
            direction=self.direction,
            cache=self.cache,
            engine=self.engine,
            fit=fit,
            memory=self.memory,
            should_stop=should_stop,
        )


def _prepare(scene: Scene) -> SceneIndex:
    """A scene sorted for drawing, with what the window would have to work out of it at once."""
    len(scene.item_of_id)  # worked out once and kept
    return SceneIndex(scene)
