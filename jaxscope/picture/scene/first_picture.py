"""Chooses a first picture: how much of a program is opened, and how that is arranged, for a room.

`Arranger` opens as many groups as can be read in the room there is, tries each layout beside or
wrapped, and keeps the first that fits. **Cost.** Each try is a whole layout; there are at most a
few dozen, and a large view is reduced to what they may show. **Limits.** Alike groups are opened
together (`open_groups`); apart from that sizes decide, and not what groups compute.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterator
from typing import NamedTuple

from jaxscope.heap import paused_gc
from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE
from jaxscope.picture.layout.diagram import ShouldStop, never_stop
from jaxscope.picture.layout.engines import LayoutCache
from jaxscope.picture.layout.text_width import ELLIPSIS, measure_text
from jaxscope.picture.scene.build import SceneSize, build_scene, measure_scene
from jaxscope.picture.scene.edge_details import EdgeLabels
from jaxscope.picture.scene.group_layout import DOWN
from jaxscope.picture.scene.scene import (
    LABEL_PX,
    LEAST_STUB_PADDING_PX,
    LEAST_TEXT_PX,
    LEAST_TITLE_PX,
    Fit,
    Scene,
)
from jaxscope.picture.view.forward_backward import FORWARD_BACKWARD
from jaxscope.picture.view.open_groups import (
    LEAST_BOXES,
    list_next,
    list_openings,
    number_alike,
    shrink_view,
)
from jaxscope.picture.view.view import View

SIDE_PX = 8.0
"""What a picture that fills the width leaves free at its sides."""
OVERVIEW_PX = 48
"""Width of the overview beside a tall picture, and its height below a wide one."""
LEAST_FRAMED = 0.58
"""A picture that cannot be any narrower is shown as small as this, if its width then fits."""
LEAST_TOGETHER = 0.45
"""In a low room a picture is shown as small as this, if all of it is seen then: smaller, titles
could not be read, and things are looked at one by one."""
READABLE_SCALE = 0.78
"""The smallest scale that a picture is first shown at: type of 10 and 8.5 pixels."""
WHOLE_SCALE = 0.74
"""What can be seen whole is shown as small as this: nobody has to look for the rest."""

_SMALLER = (WHOLE_SCALE, 0.66, LEAST_FRAMED)
"""Scales at which more is opened in a picture that leaves most of a room blank."""

_LARGE_TYPE = 0.9
_LARGER = (1.0, _LARGE_TYPE, 0.84)
"""Scales at which type is easier to read than at `READABLE_SCALE`, tried in this order."""

_ORDINARY_PX = 800.0
_MOST_ENLARGED = 1.23
"""A room whose shorter side is longer has larger type, up to so many times: from there on the room
goes to more boxes."""

_LOW_PX = 380.0
"""A room above an open page is lower."""

_TWO_COLUMNS_PX = 600.0
"""In less, the two parts of a gradient would stay closed to fit: they stand one after the other."""

_GLANCE_PX = 640.0
"""From this width on, as that of a main view, the two parts stand beside each other even if that
has to be small: nothing else in them is open then, or both are closed."""

_HIGH = 1.5
"""A room so many times as long as it is wide has room for one part below the other, unless it is as
wide as a main view."""

_NARROW_PX = 400.0
"""A room as narrow as a third view shows fewer open groups rather than all its type small."""
_LEAST_CLOSED = 4
"""Boxes that a picture of fewer open groups has there: fewer tell too little."""

_ASIDES_PX = (0.0, 24.0, 48.0, 110.0)
"""What open groups leave free for the lines beside them: how many there are is known afterwards."""

_HOPELESS = 2.5
"""What is so many times too wide, and of many boxes, would be wrapped beyond recognition."""

_MOST_PAGES = 2.0
"""What is longer shows less of the whole than fewer open groups would."""

_LEGEND_PX = 30.0
"""What a legend of one row takes once there is a picture."""

_LARGE = 500
"""Boxes from which on it pays to leave out those that a first picture does not show."""

_FEW_BOXES = 24
"""With more in it, a picture that fills an ordinary room is not opened further."""
_MAX_TRIES, _MAX_REFUSED = 8, 2  # each takes as long as a small picture

_MADE_FOR, _LEAST_PART = (1.0, 0.95, 0.9, 1.05, 1.1, 1.15, 1.2, 1.3), 0.9
"""Scales that boxes of a presented picture are made for, as parts of the one that it is seen at;
and the least part of that at which a picture of wider boxes is seen."""


def type_scale(width: float, height: float, text_scale: float) -> float:
    """The size of type in pictures of a room, where that of the window's type is `text_scale`."""
    spare = min(width, height) / (_ORDINARY_PX * text_scale)
    return text_scale * min(max(spare, 1.0), _MOST_ENLARGED)


@dataclass(frozen=True, eq=False, slots=True)
class Viewport:
    """What there is room for: width and height in pixels, and the size of the window's type.

    What is presented is shown whole down to `LEAST_TOGETHER`.
    """

    width: float
    height: float
    text_scale: float = 1.0
    is_presented: bool = False

    @property
    def type_scale(self) -> float:
        """The size of type in pictures: as in the window, and larger where there is much room."""
        return type_scale(self.width, self.height, self.text_scale)

    @property
    def is_low(self) -> bool:
        """Whether a picture of ordinary size is hardly seen whole, as above an open page."""
        return self.height < _LOW_PX * self.text_scale

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


class _Tried(NamedTuple):
    """What a scene would be like, and how it would be fitted into its room."""

    size: SceneSize
    fit: Fit


def _count_cut(scene: Scene, scale: float) -> int:
    """How many titles, connectors and bytes of residuals have no room at a small scale."""
    items, connectors, lines = scene.items, scene.connectors, scene.lines
    titles = (max(scene.items.title_lines(n), key=len) for n in range(len(items)))
    wide = [measure_text(title, LEAST_TITLE_PX, True) for title in titles]
    wide += [
        measure_text(text, LEAST_TEXT_PX) + 2 * LEAST_STUB_PADDING_PX for text in connectors.texts
    ]
    rooms = (*items.rect[:, 2].tolist(), *connectors.rect[:, 2].tolist())
    num_cut = sum(1 for need, room in zip(wide, rooms, strict=True) if need > room * scale)
    is_blank = scale < LEAST_TOGETHER  # connectors say nothing there
    num_cut += sum(1 for text in connectors.texts if is_blank or ELLIPSIS in text)
    residual = lines.is_residual
    wanted = [(line, False) for line in lines.labels if residual[line]]
    wanted += [(line, True) for line in lines.heads]
    told = {
        (label.line, label.is_head)
        for label in EdgeLabels(scene).all()
        if measure_text(label.text, LEAST_TEXT_PX) <= label.width * scale
    }
    return num_cut + len({*wanted} - told)


@dataclass(frozen=True, slots=True)
class Arranger:
    """Arranges one view in one room; `should_stop` may end any of it with `LayoutStopped`.

    `least_scale` is how small the picture may be shown.
    """

    view: View
    room: Viewport
    direction: str
    cache: LayoutCache = dataclasses.field(default_factory=dict)
    should_stop: ShouldStop = never_stop
    least_scale: float = READABLE_SCALE

    def choose(self) -> Arranged:
        """The scene with most groups open that is no wider than can be read; or the narrowest."""
        with paused_gc():  # once for all that is tried
            tried = self
            if len(self.view.boxes) > _LARGE:
                small = shrink_view(self.view, self.view.opened)
                tried = dataclasses.replace(self, view=small)
            chosen = tried._close_high(tried._enlarge(tried._choose()))
            size, fit = tried._open_flow(tried._close_small(chosen))
            # What it was chosen for is worth more than room for labels, or than ports that follow
            # the lines around.
            for follows, has_room in ((True, True), (True, False), (False, False)):
                scene = self._build(size.opened, fit, follows=follows, has_room=has_room)
                if self._is_framed(scene) or not self._is_framed(size):
                    break
            return Arranged(scene, fit)

    def fit_type(self, chosen: Arranged, shown: float, least: float) -> Scene:
        """The scene, with boxes and gaps as wide as its type needs where that is presented.

        As far as there is room for it. Type has its size at any scale, and not all is seen larger
        than what boxes were made for.

        Args:
            chosen: The scene, and how it was fitted.
            shown: The scale that it is shown at where not all is seen, of the window's type; 0
                where that is not known.
            least: The smallest scale that all is seen at.
        """
        best, fit = chosen
        is_whole = (seen := self._whole_scale(best)) >= least
        seen = seen if is_whole else shown
        fewest = _count_cut(best, seen) if seen and len(best.items) <= _LARGE else 0
        across = self._room_across() / self.room.text_scale
        for part in _MADE_FOR:
            made_for = max(seen * part, least)
            if not fewest or (part > 1.0 and made_for >= fit.scale):
                break
            wider = dataclasses.replace(
                fit,
                across=across / seen if fit.is_limited else fit.across,
                scale=min(fit.scale, made_for),
                label_px=max(LABEL_PX, LEAST_TEXT_PX / min(made_for, seen)),
            )
            scene = self._build(chosen.scene.opened, wider, follows=True, has_room=True)
            scale = self._whole_scale(scene) if is_whole else seen
            if is_whole:
                has_room = scale >= max(_LEAST_PART * seen, least)
            else:
                has_room = self._across(scene) * scale <= across
            if has_room and (num_cut := _count_cut(scene, scale)) < fewest:
                best, fewest = scene, num_cut
        return best

    def _room_across(self) -> float:
        legend = 0.0 if self.direction == DOWN else _LEGEND_PX * self.room.text_scale
        return self.room.across(self.direction) - legend - 2 * SIDE_PX

    def _whole_scale(self, scene: Scene) -> float:
        """The scale at which all of a picture is seen, above a legend, of the window's type."""
        room = self.room
        free = room.width - 2 * SIDE_PX, room.height - _LEGEND_PX * room.text_scale - 2 * SIDE_PX
        return min(free[0] / scene.width, free[1] / scene.height) / room.text_scale

    def _build(self, opened: frozenset[str], fit: Fit, *, follows: bool, has_room: bool) -> Scene:
        return build_scene(
            self.view,
            opened,
            direction=self.direction,
            cache=self.cache,
            fit=fit,
            follows=follows,
            has_room=has_room,
            should_stop=self.should_stop,
        )

    def _choose(self) -> _Tried:
        found: list[_Tried] = []
        pages: list[_Tried] = []
        across = self.room.across(self.direction)
        boxes = self.view.boxes
        halves = itertools.chain.from_iterable(map(boxes.groups_of.__getitem__, FORWARD_BACKWARD))
        parts = self.view.opened & boxes.ids(halves)
        smaller = dataclasses.replace(self, least_scale=WHOLE_SCALE)
        smallest = dataclasses.replace(self, least_scale=LEAST_FRAMED)
        openings, alone = list_openings(self.view), self._open_around(parts)
        both = tuple(dict.fromkeys(each | alone for each in openings))  # neither part ever closed
        is_wide = self._most_across(False) >= _TWO_COLUMNS_PX
        is_main = bool(parts) and across >= _GLANCE_PX * self.room.text_scale
        tries = [(self, is_wide and not parts, openings)]  # parts in closed groups are set beside
        if parts:  # below each other only where all is seen
            tries = [(self, False, both), (smaller, False, both), *tries]
        is_high = self.room.along(self.direction) > _HIGH * across
        if is_main:
            at = 2 if is_high else 0
            tries = [
                *tries[:at],
                (smallest, True, (alone,)),
                *tries[at:],
                (smallest, True, openings),
            ]
        if is_main or (parts and is_wide and not is_high):
            tries = [(self, True, both), (smaller, True, both), *tries]
        for arranger, beside, some in tries:
            for opened in some:
                arranged = arranger._arrange(opened, beside, is_least=opened in some[-2:])
                if arranger._is_page(arranged):
                    if parts and not beside and parts <= opened:
                        if arranger._is_whole(arranged.size):
                            return arranger._open_more(arranged)
                        continue
                    if arranged.size.num_boxes < LEAST_BOXES and (beside or not parts):
                        # A long or a wide picture tells more than one of closed groups.
                        most = 0.0 if parts else self._most_across(True)
                        larger = [each for each in found if self._excess(each.size) <= most]
                        if larger:
                            squeezed = self._squeeze(larger[-1])
                            is_framed = not smallest._excess(squeezed.size)
                            return squeezed if is_framed else larger[-1]
                    page = arranged
                    if arranger is not smallest:
                        page = arranger._open_most(arranged, some[some.index(opened) + 1 :])
                    if not arranger._is_whole(page.size):
                        some = (alone,) if parts and beside else openings
                        whole = smaller._show_whole(some, beside)
                        if whole is None and is_main:  # titles are as large at any scale
                            whole = smallest._show_whole((page.size.opened,), beside)
                        if whole is None and self._num_pages(page.size) > _MOST_PAGES:
                            whole = smallest._show_whole(some, beside)
                            whole = whole or arranger._show_short(some, beside)
                        page = whole or arranger._close_beside(page, parts)
                    if parts <= page.size.opened:
                        page = self._fill(page, _SMALLER[:1])
                        if not (is_high and page.fit.beside) or self._fills(page.size):
                            return page
                        below = smaller._show_whole(both, False) if parts else None
                        if below is not None and below.size.num_boxes > page.size.num_boxes:
                            return below
                        return self._fill(page, _SMALLER[1:])
                    pages.append(page)
                    break
                found.append(arranged)
        if pages:
            return max(pages, key=lambda each: len(parts & each.size.opened))  # the first of them
        least = min(found, key=lambda each: (self._excess(each.size), self._along(each.size)))
        if not self._excess(least.size):
            return least
        return self._squeeze(least)

    def _squeeze(self, page: _Tried) -> _Tried:
        """What is too wide to be read, arranged so that all of its width is seen, if that can be.

        If it must be, boxes have room for their titles only where they are shown larger than that.
        """
        smallest = dataclasses.replace(self, least_scale=LEAST_FRAMED)
        opened, beside = page.size.opened, page.fit.beside
        fits = [*smallest._list_fits(beside)]
        for scale in _SMALLER[:-1]:  # the smallest is there
            wished = dataclasses.replace(self, least_scale=scale)._list_fits(beside)
            fits += (dataclasses.replace(fit, halves_titles=True) for fit in wished)
        fits = list(dict.fromkeys(fits))
        tried = [_Tried(smallest._measure(opened, fit), fit) for fit in fits]
        framed = [each for each in tried if not smallest._excess(each.size)]

        def suits(each: _Tried) -> tuple[float, float]:
            scale = self._most_across(False) * self._scale() / self._across(each.size)
            return min(scale / each.fit.scale, 1.0), scale

        if framed:
            return max(framed, key=suits)
        return min(tried, key=lambda each: self._across(each.size))

    def _show_whole(self, openings: tuple[frozenset[str], ...], beside: bool) -> _Tried | None:
        """The most that is seen at one glance, where that can be read and tells something.

        Where one group of many is open, the rest of the program is out of sight; of a gradient the
        other part is mostly blank beside it.
        """
        for opened in openings:
            arranged = self._arrange(opened, beside)
            if self._is_page(arranged) and self._is_whole(arranged.size):
                page = self._open_more(arranged)
                if page.size.num_boxes >= LEAST_BOXES:
                    return page
        return None

    def _show_short(self, openings: tuple[frozenset[str], ...], beside: bool) -> _Tried | None:
        """The first opening that is at most two rooms long; None if it has too few boxes."""
        for opened in openings:
            arranged = self._arrange(opened, beside)
            is_short = self._num_pages(arranged.size) <= _MOST_PAGES
            if is_short and self._is_page(arranged):
                return arranged if arranged.size.num_boxes >= LEAST_BOXES else None
        return None

    def _close_beside(self, page: _Tried, parts: frozenset[str]) -> _Tried:
        """A page of which not all is seen, with what stands outside of a gradient's parts closed.

        An update stands above them, and would have most of the room.
        """
        view, opened = self.view, page.size.opened
        if not parts or not parts <= opened:
            return page
        inside = view.boxes.ids(
            group
            for group in view.boxes.groups
            if view.boxes[group].id in opened
            and not parts.isdisjoint(view.boxes.ids(view.ancestors(group)))
        )
        kept = parts | inside | self._open_around(parts)
        fewer = self._arrange(opened & kept, page.fit.beside)
        is_shorter = self._along(fewer.size) < self._along(page.size)
        return fewer if is_shorter and self._is_page(fewer) else page

    def _open_around(self, groups: Collection[str]) -> frozenset[str]:
        """The opening in which some groups are open, with what is around them, and nothing else."""
        view = self.view
        boxes = {view.index_of(each) or NONE for each in groups} - {NONE}
        around = {view.boxes[each].id for box in boxes for each in view.ancestors(box)}
        return (frozenset(groups) | around) & view.opened

    def _arrange(self, opened: frozenset[str], beside: bool, *, is_least: bool = False) -> _Tried:
        """The scene of some open groups as it comes, or wrapped where that could not be read.

        Args:
            opened: The groups.
            beside: As in `Fit`.
            is_least: Whether no picture of fewer open groups tells much.
        """
        found: list[_Tried] = []
        gained = self._most_across(False) - self._most_across(True)
        for fit in self._list_fits(beside):
            if found and fit.aside and self._excess(found[-1].size) > 4 * fit.aside + gained:
                continue  # so much narrower, also of groups in each other, is not enough
            size = self._measure(opened, fit)
            found.append(_Tried(size, fit))
            if not self._excess(size):
                return found[-1]
            is_hopeless = self._across(size) > _HOPELESS * self._most_across(True)
            if is_hopeless and size.num_items > _FEW_BOXES and not is_least:
                break
        return min(found, key=lambda each: self._excess(each.size))

    def _measure(self, opened: frozenset[str], fit: Fit) -> SceneSize:
        return measure_scene(
            self.view,
            opened,
            direction=self.direction,
            cache=self.cache,
            fit=fit,
            should_stop=self.should_stop,
        )

    def _list_fits(self, beside: bool) -> Iterator[Fit]:
        # One scale for most tries, so that groups have one size and are laid out once.
        least = LEAST_TOGETHER if self.room.is_low else min(self.least_scale, WHOLE_SCALE)
        # The least sizes of type follow the window's, as scales do.
        scale = min(least * self.room.type_scale / max(self.room.text_scale, 1.0), 1.0)
        yield Fit(beside, scale=scale)
        for aside in _ASIDES_PX:
            yield Fit(beside, self._most_across(bool(aside)), aside, scale)
        is_larger = self._is_narrow and self.least_scale in _LARGER
        for aside in _ASIDES_PX if is_larger or self.least_scale == LEAST_FRAMED else ():
            yield Fit(beside, self._most_across(bool(aside)), aside, scale, halves_titles=True)

    def _is_page(self, arranged: _Tried) -> bool:
        """Whether it can be read, and was not wrapped into a roll of many pages."""
        size, most = arranged.size, _MOST_PAGES * self.room.along(self.direction) / self._scale()
        is_short = not arranged.fit.is_limited or self._along(size) <= most
        return is_short and not self._excess(size)

    def _is_whole(self, size: SceneSize | Scene) -> bool:
        """Whether all of it is seen at once, above the legend."""
        legend = _LEGEND_PX if self.direction == DOWN else 0.0
        free = self.room.along(self.direction) - legend - 2 * SIDE_PX
        return self._along(size) <= free / self._scale()

    def _is_framed(self, size: SceneSize | Scene) -> bool:
        """Whether all of it is seen at once at the smallest scale that a first picture may have."""
        smallest = dataclasses.replace(self, least_scale=LEAST_FRAMED)
        return smallest._is_whole(size) and not smallest._excess(size)

    def _num_pages(self, size: SceneSize) -> float:
        """How many rooms a scene takes that is shown no smaller than can be read."""
        return self._along(size) * self._scale() / self.room.along(self.direction)

    def _fills(self, size: SceneSize) -> bool:
        """Whether a scene as wide as the room takes at least a half of its length."""
        scale = self.room.across(self.direction) / self._across(size)
        return self._along(size) * scale >= self.room.along(self.direction) / 2

    def _open_most(self, arranged: _Tried, fewer: tuple[frozenset[str], ...]) -> _Tried:
        """As much as is seen at once, from an opening on or, a little smaller, from the next one.

        A small group that has room may leave none for both halves of a larger one.
        """
        page = self._open_more(arranged)
        if fewer and self._is_whole(page.size):
            smaller = dataclasses.replace(self, least_scale=min(self.least_scale, WHOLE_SCALE))
            other = smaller._open_more(smaller._arrange(fewer[0], arranged.fit.beside))
            is_seen = smaller._is_page(other) and smaller._is_whole(other.size)
            if is_seen and other.size.num_boxes > page.size.num_boxes:
                return other
        return page

    def _fill(self, page: _Tried, scales: tuple[float, ...]) -> _Tried:
        """A page that leaves half of the room blank, with as much open as a smaller scale lets."""
        for scale in scales if page.fit.beside else ():
            if not self._fills(page.size):
                page = dataclasses.replace(self, least_scale=scale)._open_more(page)
        return page

    def _open_more(self, arranged: _Tried) -> _Tried:
        """Open groups, the largest first, where a picture leaves most of a page empty.

        All of it stays to be seen at once.
        """
        refused: set[frozenset[str]] = set()
        area = self.room.width * self.room.height / (_ORDINARY_PX * self.room.text_scale) ** 2
        few = _FEW_BOXES * max(area, 1.0)
        for _ in range(_MAX_TRIES):
            size = arranged.size
            is_full = size.num_items > few or len(refused) == _MAX_REFUSED
            if is_full or not self._is_whole(size):
                break
            choices = [each for each in list_next(self.view, size.opened) if each not in refused]
            if not choices:
                break
            more = self._arrange(size.opened | choices[0], arranged.fit.beside)
            if self._is_page(more) and self._is_whole(more.size):
                arranged = more
            else:
                refused.add(choices[0])
        return arranged

    def _enlarge(self, chosen: _Tried) -> _Tried:
        """The same, wrapped so that type is larger, if all of it is seen then, too."""
        for scale in _LARGER:
            larger = dataclasses.replace(self, least_scale=scale)
            if not larger._is_whole(chosen.size):  # what is narrower is longer
                continue
            tried = larger._arrange(chosen.size.opened, chosen.fit.beside)
            if larger._is_page(tried) and larger._is_whole(tried.size):
                return tried
        return chosen

    def _close_small(self, chosen: _Tried) -> _Tried:
        """In a narrow room, fewer open groups in large type for what would be small as a whole."""
        whole = dataclasses.replace(self, least_scale=WHOLE_SCALE)
        if not self._is_narrow or (whole._is_whole(chosen.size) and not whole._excess(chosen.size)):
            return chosen
        larger = dataclasses.replace(self, least_scale=_LARGE_TYPE)
        for opened in list_openings(self.view):
            if opened < chosen.size.opened:
                tried = larger._arrange(opened, False)
                is_seen = larger._is_page(tried) and larger._is_whole(tried.size)
                if is_seen and tried.size.num_boxes >= _LEAST_CLOSED:
                    return tried
        return chosen

    @property
    def _is_narrow(self) -> bool:
        return self.room.across(self.direction) < _NARROW_PX * self.room.text_scale

    def _open_flow(self, chosen: _Tried) -> _Tried:
        """In a narrow room, a closed loop or branch opened where all is seen then, if smaller.

        Its arrow or its arms say what the program does.
        """
        for scale in _SMALLER if self._is_narrow else ():
            smaller = dataclasses.replace(self, least_scale=scale)
            for unit in list_next(self.view, chosen.size.opened):
                if not unit <= self._flow_ids:
                    continue
                # Boxes that are as wide as for larger type may have room, and those for this not.
                for arranger in (smaller, dataclasses.replace(self, least_scale=WHOLE_SCALE)):
                    tried = arranger._arrange(chosen.size.opened | unit, False)
                    is_seen = smaller._is_page(tried) and smaller._is_whole(tried.size)
                    if is_seen and tried.size.num_items <= _FEW_BOXES:
                        return tried
        return chosen

    @property
    def _flow_ids(self) -> frozenset[str]:
        """Ids of loops and branches."""
        boxes, flow = self.view.boxes, self.view.flow
        owners = flow.loops | flow.branches.keys()
        return boxes.ids(group for group in boxes.groups if boxes[group].node in owners)

    def _close_high(self, chosen: _Tried) -> _Tried:
        """In a high room, fewer open groups in larger type; both parts of a gradient stay open.

        What stands side by side stays so, unless it cannot be so large with anything closed in it.
        """
        across = self.room.across(self.direction)
        is_high = self.room.along(self.direction) > _HIGH * across
        is_third = _TWO_COLUMNS_PX <= across / self.room.text_scale < _ORDINARY_PX
        larger = dataclasses.replace(self, least_scale=_LARGE_TYPE)
        if not (is_high and is_third) or larger._is_seen(chosen.size):
            return chosen
        fewer = tuple(self._list_fewer(chosen.size.opened))
        ways = [chosen.fit.beside]
        if fewer and chosen.fit.beside:
            least = larger._arrange(fewer[-1], True)
            ways += [] if larger._is_seen(least.size) else [False]
        for beside in ways:
            for opened in fewer:
                tried = larger._arrange(opened, beside)
                if larger._is_seen(tried.size) and larger._fills(tried.size):
                    return larger._enlarge(tried)
        return chosen

    def _list_fewer(self, opened: frozenset[str]) -> Iterator[frozenset[str]]:
        """What is left open where groups are closed that hold no open one: each, then several.

        Alike ones are closed together, the smallest first; parts of a gradient, loops and branches
        not at all.
        """
        boxes, alike = self.view.boxes, number_alike(self.view)
        kept = {self.view.index_of(each) for each in self._flow_ids}
        while True:
            inner: dict[int, list[int]] = {}
            for group in boxes.groups:
                box = boxes[group]
                if box.id not in opened or box.kind in FORWARD_BACKWARD:
                    continue
                is_innermost = not any(boxes[child].id in opened for child in box.children)
                if is_innermost and kept.isdisjoint((group, box.parent)):
                    inner.setdefault(alike[group], []).append(group)
            units = sorted(inner.values(), key=lambda unit: sum(boxes[n].num_leaves for n in unit))
            fewer = [opened - boxes.ids(unit) for unit in units]
            if not fewer:
                return
            yield from fewer
            opened = fewer[0]

    def _is_seen(self, size: SceneSize) -> bool:
        """Whether all of it is seen at once at the smallest scale."""
        return self._is_whole(size) and self._across(size) <= self._most_across(False)

    def _across(self, size: SceneSize | Scene) -> float:
        return size.width if self.direction == DOWN else size.height

    def _along(self, size: SceneSize | Scene) -> float:
        return size.height if self.direction == DOWN else size.width

    def _scale(self) -> float:
        return self.least_scale * self.room.type_scale

    def _most_across(self, needs_overview: bool) -> float:
        """Pixels of a scene that there is room for, at the smallest scale that can be read."""
        least = 2 * SIDE_PX + (OVERVIEW_PX if needs_overview else 0)
        return (self.room.across(self.direction) - least) / self._scale()

    def _excess(self, size: SceneSize | Scene) -> float:
        """Pixels by which a scene is too wide to be read."""
        free = self.room.along(self.direction) - _LEGEND_PX - 2 * SIDE_PX
        scale = min(self.least_scale, WHOLE_SCALE) * self.room.type_scale
        needs_overview = self._along(size) * scale > free
        return max(self._across(size) - self._most_across(needs_overview), 0.0)
