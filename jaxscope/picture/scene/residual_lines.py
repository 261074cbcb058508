"""Lines of residuals: what the forward part of a gradient keeps for the backward part beside it.

Every box that keeps values has one level on which a line leaves the forward part, and splits behind
it. Every box that needs some has a level for each box that they come from: beside the box where
nothing stands in the way, else below it, between boxes. A line that changes its level does so in
the gap between both parts, on the lane of where it comes from. So lines cross no box, and none
runs along another that comes from elsewhere, but where none of the nearest ways is free. Behind the
lanes there is room for the bytes of each line that leads on only some of what its box keeps.
Written here; n·log n in the boxes of a part, for each of at most `MAX_LINES` lines. Only for
pictures that flow down.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from jaxscope.model import NONE
from jaxscope.picture.layout.text_width import measure_text
from jaxscope.picture.scene.scene import LABEL_PX
from jaxscope.picture.scene.visible_edges import Values

MAX_ENDS = 8
"""Boxes of one part, at most, that lines lead from or to: more would be a wall of lines."""
MAX_LINES = 16
"""Lines, at most, into the backward part."""
_LABEL_MARGIN_PX = 8.0
_LANE_PX = 10.0
"""Between neighbouring lanes of the gap."""
_MARGIN_PX = 10.0
"""Between the last lane and the backward part."""
_CLEAR_PX = 5.0
"""Between a line and a box that it passes."""
FRAME_CLEAR_PX = 14.0
"""Below an open group to a line that leads along its lower border: nearer it looks like that."""
LEAST_TO_BORDER_PX = 2.0
"""From the lowest line in a part to its border."""
CORNER_PX = 10.0
"""From the corner of a box to a line that begins or ends on its side."""
_LEAST_PX = 4.0
"""The same, where several lines end."""
_APART_PX, _HEADS_APART_PX, _LABELS_APART_PX = 6.0, 10.0, 16.01
"""Between the levels of two lines; of two that end on a side with room; of two with labels."""
_PAST_LABEL_PX = 11.0
"""From a line to the middle of a label that it passes."""
_TURNS_PX, _LEAST_TURNS_PX, _FEW_LINES = 24.0, 10.0, 2
"""Behind the labels, for lines that turn there; where room is short; up to so many lines of each
box none turn."""
_FIXED_WEIGHT, _SAME_PX = 1e6, 1e-3
_NEAR_PX = 40.0
"""How far below a box a line comes in that goes straight on."""
_MOST_TRIED = 90
"""Ways of one line."""
_MOST_IN_GAP, _MOST_NEAR = 5, 2
"""Levels that are tried between two rows of boxes; of these, that are left free below the upper."""

Rect = tuple[float, float, float, float]
"""x, y, width, height."""
Point = tuple[float, float]
Way = tuple[Point, ...]
Span = tuple[float, Sequence[float]]
"""The level on which a line comes, and those on which it goes on."""


class ResidualEnd(NamedTuple):
    """Where lines of residuals begin in the forward part, or end in the backward part.

    Attributes:
        box: A box of the part, or an open group.
        bundle: The bundle whose port they meet, where it is an open group.
        far: Boxes of the other part.
        values: What is kept.
        text: How much it is; empty where only the lines behind a fork tell what leads on there.
        x: Of an open group where its border is met, in pixels from its left; else NaN.
        heads: How much of the values goes to each end of the other part that needs other bytes than
            all of them, by its box and bundle.
    """

    box: int
    bundle: int
    far: tuple[int, ...]
    values: Values
    text: str
    x: float = math.nan
    heads: Mapping[tuple[int, int], str] = MappingProxyType({})

    @property
    def is_open(self) -> bool:
        """Whether lines meet a port of it."""
        return not math.isnan(self.x)


class ResidualLine(NamedTuple):
    """A piece of a line: to the border of the forward part, on to the other part, or from there.

    Attributes:
        source: The box where it begins, or the part that it enters through its border.
        target: The box where it ends, or the part that it leaves through its border.
        values: What flows along it.
        label: How much all is that leaves there; empty where another line says it.
        corners: Its way.
        has_arrow: Whether it ends at a user.
        forks: Where lines from its source part, so that they are told from lines that cross.
        head: How much of that goes on to its end, where that is less: behind the fork.
    """

    source: int
    target: int
    values: Values
    label: str
    corners: Way
    has_arrow: bool
    forks: Way = ()
    head: str = ""


def measure_gap(sources: Sequence[ResidualEnd], label_px: float = LABEL_PX) -> float:
    """Width of the gap between two parts, in pixels, for the lines of some boxes."""
    widest = max(measure_label(end.text, label_px) if end.text else 0.0 for end in sources)
    return widest + _LANE_PX * len(sources) + _MARGIN_PX + _measure_heads(sources, label_px)


def _measure_heads(sources: Sequence[ResidualEnd], label_px: float) -> float:
    """Width of the room behind the lanes for what parts from each other."""
    texts = [text for end in sources for text in end.heads.values()]
    if not texts:
        return 0.0
    return max(measure_label(text, label_px) for text in texts) + _measure_turns(sources)


def _measure_turns(sources: Sequence[ResidualEnd]) -> float:
    """Width of the room behind labels, for lines that turn there to their ends."""
    crowd = max(Counter(far for end in sources for far in end.far).values(), default=0)
    if crowd <= _FEW_LINES:
        return 0.0
    return _TURNS_PX if any(end.text for end in sources) else _LEAST_TURNS_PX


def measure_levels(num: int) -> float:
    """Height of the room below a row of boxes for the levels of so many lines with labels."""
    around = 2 * _CLEAR_PX + _MOST_NEAR * _APART_PX
    return (num - 1) * (_LABELS_APART_PX + _SAME_PX) + around + _SAME_PX


def measure_label(text: str, label_px: float) -> float:
    """Width of the room for a label on a line, in pixels."""
    return measure_text(text, label_px) + 2 * _LABEL_MARGIN_PX


class Part(NamedTuple):
    """One part of a gradient.

    Attributes:
        box: Its box.
        frame: Its border.
        taken: What lines must not cross.
        places: Where the boxes are that lines lead from or to.
        lines: The straight pieces of the lines that are drawn in it.
    """

    box: int
    frame: Rect
    taken: Sequence[Rect]
    places: dict[int, Rect]
    lines: Sequence[tuple[Point, Point]] = ()


def list_links(
    sources: Sequence[ResidualEnd], targets: Sequence[ResidualEnd]
) -> list[tuple[int, int]]:
    """The lines from what keeps values to what needs them, as numbers of both."""
    return [
        (one, other)
        for one, source in enumerate(sources)
        for other, target in enumerate(targets)
        if source.box in target.far and not source.values.keys().isdisjoint(target.values)
    ]


def route_residuals(
    forward: Part,
    backward: Part,
    sources: Sequence[ResidualEnd],
    targets: Sequence[ResidualEnd],
    shifts: Mapping[tuple[int, int], float] | None = None,
    label_px: float = LABEL_PX,
) -> list[ResidualLine]:
    """The lines between two parts that stand side by side, the forward part to the left.

    Args:
        shifts: By source and target, how far from the port of an open group a line meets it.
        label_px: As in `Fit`.
    """
    links = list_links(sources, targets)
    heads = {
        (one, other): text
        for one, other in links
        if (text := sources[one].heads.get((targets[other].box, targets[other].bundle)))
    }
    for apart in (*([_LABELS_APART_PX] if heads else []), _HEADS_APART_PX, _APART_PX):
        ways, entries = _find_ways(forward, backward, sources, targets, links, shifts or {}, apart)
        if _are_apart(ways, entries):
            break
    levels = [way[-1][1] for way in ways]
    passed = _spread_heads(levels, {link: way[-1][1] for link, way in entries.items()}, heads)
    reached: dict[int, list[float]] = {}
    for (one, _), level in passed.items():
        reached.setdefault(one, []).append(level)
    bent = {one: each for one, each in reached.items() if any(y != levels[one] for y in each)}
    right = backward.frame[0] - _MARGIN_PX
    turns = _place_turns(
        passed, entries, backward.frame[0] - _LEAST_PX, _measure_turns(sources) + _LEAST_PX
    )
    last = right - _measure_heads(sources, label_px)
    order = _order_lanes({one: (levels[one], each) for one, each in bent.items()})
    lanes = {one: last - _LANE_PX * at for at, one in enumerate(reversed(order))}
    labelled = last - _LANE_PX * len(sources)
    lines = [
        ResidualLine(end.box, forward.box, end.values, "", way, False)
        for end, way in zip(sources, ways, strict=True)
    ]
    said: set[int] = set()
    for (one, other), entry in entries.items():
        begin, stop, kept = ways[one][-1], entry[-1], sources[one].values
        gap = [begin, (labelled, begin[1])]
        if one in lanes:
            gap += [(lanes[one], begin[1])]
        elif (one, other) in heads:
            gap += [(last, begin[1])]
        level = passed[one, other]
        if level != begin[1]:
            gap += [(lanes[one], level)]
        if level != stop[1]:
            gap += [(turns[one, other], level), (turns[one, other], stop[1])]
        values = {each: type_ for each, type_ in kept.items() if each in targets[other].values}
        label = "" if one in said else sources[one].text
        is_next = one in said or one not in lanes
        forks = () if is_next else _find_forks(lanes[one], levels[one], reached[one])
        said.add(one)
        across = (*gap, stop)
        head = heads.get((one, other), "")
        lines.append(
            ResidualLine(forward.box, backward.box, values, label, across, False, forks, head)
        )
        is_user = not targets[other].is_open
        lines.append(
            ResidualLine(backward.box, targets[other].box, values, "", entry[::-1], is_user)
        )
    return lines


def _spread_heads(
    begins: Sequence[float],
    entries: Mapping[tuple[int, int], float],
    heads: Collection[tuple[int, int]],
) -> dict[tuple[int, int], float]:
    """On which level each line passes the room for labels: its own, where all labels fit then.

    Else as near to that as can be, in the same order; what goes straight on still does.

    Args:
        begins: By source, where its line leaves the forward part; this stays.
        entries: By link, where its line enters the backward part.
        heads: The links that have a label.
    """
    passing = dict(entries)
    order = sorted(entries, key=lambda link: entries[link])
    pairs = itertools.pairwise(order)
    if all(
        entries[below] - entries[above] >= _measure_apart(above in heads, below in heads)
        for above, below in pairs
    ):
        return passing
    fixed = {
        (one, NONE): level for one, level in enumerate(begins) if level not in entries.values()
    }
    levels = {**entries, **fixed}
    order = sorted(levels, key=lambda link: levels[link])
    offsets = [0.0]
    for above, below in itertools.pairwise(order):
        is_in_room = above in entries and below in entries
        apart = _measure_apart(above in heads, below in heads) if is_in_room else _APART_PX
        offsets.append(offsets[-1] + (0.0 if {above, below} <= fixed.keys() else apart))
    is_fixed = [link in fixed or levels[link] == begins[link[0]] for link in order]
    weights = [_FIXED_WEIGHT if each else 1.0 for each in is_fixed]
    places = [0.0] * len(order)
    # A first picture of a saved capture has its places, and needs none of the layout's.
    from jaxscope.picture.layout.layered import pool_places

    pool_places(list(range(len(order))), offsets, [levels[link] for link in order], weights, places)
    for link, place in zip(order, places, strict=True):
        if link in passing and abs(place - passing[link]) > _SAME_PX:
            passing[link] = place
    return passing


def _measure_apart(is_labelled: bool, is_next_labelled: bool) -> float:
    """From one line to the next one in the room for labels, of which each may have one."""
    both = is_labelled + is_next_labelled
    return (_APART_PX, _PAST_LABEL_PX, _LABELS_APART_PX)[both]


def _place_turns(
    passed: Mapping[tuple[int, int], float],
    entries: Mapping[tuple[int, int], Way],
    right: float,
    room: float,
) -> dict[tuple[int, int], float]:
    """Where across lines turn from the level of their label to the one on which they go in.

    What goes down turns the further left, the lower it is; what goes up the other way: so none
    crosses another.
    """
    turns: dict[tuple[int, int], float] = {}
    order = sorted(passed, key=lambda link: passed[link])
    for is_up, links in ((False, order[::-1]), (True, order)):
        moved = [
            link
            for link in links
            if passed[link] != entries[link][-1][1]
            and (passed[link] > entries[link][-1][1]) == is_up
        ]
        apart = min(_APART_PX, room / max(len(moved) - 1, 1))
        for at, link in enumerate(moved):
            turns[link] = right - apart * (len(moved) - 1 - at)
    return turns


def _find_forks(lane: float, begin: float, stops: Sequence[float]) -> Way:
    """Where the lines of one source part on their lane: at all of its levels but the last."""
    up = sorted({stop for stop in stops if stop < begin}, reverse=True)
    down = sorted({stop for stop in stops if stop > begin})
    is_parted = bool(up) + bool(down) + (begin in stops) > 1
    levels = [*([begin] if is_parted else []), *up[:-1], *down[:-1]]
    return tuple((lane, level) for level in levels)


def _find_ways(
    forward: Part,
    backward: Part,
    sources: Sequence[ResidualEnd],
    targets: Sequence[ResidualEnd],
    links: Sequence[tuple[int, int]],
    shifts: Mapping[tuple[int, int], float],
    apart: float,
) -> tuple[list[Way], dict[tuple[int, int], Way]]:
    """To the border of its part from each source, and for each link from its target.

    Args:
        apart: How far from each other lines should end on a side.
    """
    used: list[float] = []
    ways: list[Way] = [()] * len(sources)
    entries: dict[tuple[int, int], Way] = {}
    border = _Border(forward, 1)
    for one in _sort_downward(forward, sources):
        ways[one] = border.find_way(sources[one], (), used, _LABELS_APART_PX)
        used.append(ways[one][-1][1])
    out, border = border, _Border(backward, -1)
    ends = {
        (one, other): targets[other]._replace(x=targets[other].x + shifts.get((one, other), 0.0))
        for one, other in links
    }
    for other in _sort_downward(backward, targets):
        own = sorted(
            (one for one, target in links if target == other), key=lambda at: ways[at][-1][1]
        )
        for one in own:
            wished = (ways[one][-1][1],)
            way = border.find_way(ends[one, other], wished, used, apart)
            entries[one, other] = way
            used.append(way[-1][1])
    _straighten(out, sources, ways, entries)
    leads = [_Lead(one, out, end, ways[one]) for one, end in enumerate(sources)]
    leads += [_Lead(link[0], border, ends[link], way) for link, way in entries.items()]
    led = [lead.way for lead in _avoid_lines(_uncross(leads), out)]
    ways, entries = led[: len(sources)], dict(zip(entries, led[len(sources) :], strict=True))
    _lead_down(out, sources, ways, entries)  # last: both ends of such a line change places together
    return ways, entries


def _are_apart(ways: Sequence[Way], entries: Mapping[tuple[int, int], Way]) -> bool:
    """Whether no line comes in on the level of the lines of another source, or too near to it."""
    levels = [(way[-1][1], one) for one, way in enumerate(ways)]
    levels += [(way[-1][1], one) for (one, _), way in entries.items()]
    pairs = itertools.pairwise(sorted(levels))
    return all(a == b or other - one >= _APART_PX for (one, a), (other, b) in pairs)


def _straighten(
    border: _Border,
    sources: Sequence[ResidualEnd],
    ways: list[Way],
    entries: Mapping[tuple[int, int], Way],
) -> None:
    """Let lines that end on one level leave on it, too, where the forward part has room for it."""
    for one, stop, others in _list_bent(ways, entries):
        way = border.find_way(sources[one], (stop,), [*others, stop], _LABELS_APART_PX)
        if way[-1][1] == stop:
            ways[one] = way


def _lead_down(
    border: _Border,
    sources: Sequence[ResidualEnd],
    ways: list[Way],
    entries: Mapping[tuple[int, int], Way],
) -> None:
    """Let a line that goes down in the gap go down inside the forward part instead, below its box.

    This is done only if it does not cross more lines than before, in the part and in the gap.
    """
    for one, stop, _ in _list_bent(ways, entries):
        way = border.find_way_on(sources[one], stop, ways[one]) if stop > ways[one][-1][1] else ()
        rest = [each for at, each in enumerate(ways) if at != one]
        pairs = [
            (ways[begin][-1][1], entry[-1][1])
            for (begin, _), entry in entries.items()
            if begin != one
        ]
        num_now, num_then = (
            border.count_crossed(each, rest)
            + sum((each[-1][1] < begin) != (stop < end) for begin, end in pairs)
            for each in (ways[one], way or ways[one])
        )
        if way and num_then <= num_now:
            ways[one] = way


def _list_bent(
    ways: Sequence[Way], entries: Mapping[tuple[int, int], Way]
) -> Iterator[tuple[int, float, list[float]]]:
    """Sources whose lines all end on one other level that is free: that, and those of others."""
    for one in range(len(ways)):
        stops = {entry[-1][1] for (begin, _), entry in entries.items() if begin == one}
        if len(stops) != 1 or ways[one][-1][1] in stops:
            continue
        others = [way[-1][1] for at, way in enumerate(ways) if at != one]
        others += [entry[-1][1] for (begin, _), entry in entries.items() if begin != one]
        (stop,) = stops
        if min((abs(stop - y) for y in others), default=math.inf) >= _APART_PX:
            yield one, stop, others


class _Lead(NamedTuple):
    """The way between a box and the border of its part.

    Attributes:
        source: Where its line comes from: the number of a source.
        border: The border.
        end: The box.
        way: From the box.
    """

    source: int
    border: _Border
    end: ResidualEnd
    way: Way

    @property
    def level(self) -> float:
        """On which it meets the border."""
        return self.way[-1][1]


def _uncross(leads: Sequence[_Lead]) -> Sequence[_Lead]:
    """Let two lines change their levels with each other, as long as fewer cross for it."""
    fewest, is_better = _count_all_crossings(leads), True
    while fewest and is_better:
        is_better = False
        for one, other in itertools.combinations(range(len(leads)), 2):
            tried = _exchange(leads, one, other) if fewest else ()
            count = _count_all_crossings(tried) if tried else fewest
            if count < fewest:
                leads, fewest, is_better = tried, count, True
    return leads


def _avoid_lines(leads: Sequence[_Lead], out: _Border) -> Sequence[_Lead]:
    """Let a line that crosses one of its part on its level take a lower one, if fewer cross so.

    As below a connector that stands below the same open group.
    """
    led = list(leads)
    for at, lead in enumerate(leads):
        crossed = lead.border.count_crossed(lead.way, ()) if len(lead.way) > 2 else 0
        if not crossed:
            continue
        own = [each.level for each in led if each.source == lead.source]
        others = [
            each.level
            for number, each in enumerate(led)
            if number != at and (each.source != lead.source or each.border is lead.border)
        ]
        apart = _LABELS_APART_PX if lead.border is out else _APART_PX
        now = crossed + _count_all_crossings(led)
        lower = lead.border.list_lower(lead.end, lead.way, own)
        for level in sorted(lower, key=lambda each: each not in own):  # no bend, if that can be
            if min((abs(level - other) for other in others), default=math.inf) < apart:
                continue
            way = lead.border.find_way_on(lead.end, level, lead.way)
            if way and way[0] == lead.way[0]:
                tried = [*led[:at], lead._replace(way=way), *led[at + 1 :]]
                if lead.border.count_crossed(way, ()) + _count_all_crossings(tried) < now:
                    led = tried
                    break
    return led


def _exchange(leads: Sequence[_Lead], one: int, other: int) -> Sequence[_Lead]:
    """With the levels of two ways exchanged; nothing where these are not free."""
    first, second = leads[one], leads[other]
    if first.border is not second.border or first.level == second.level:
        return ()
    tried = list(leads)
    for at, lead, level in ((one, first, second.level), (other, second, first.level)):
        is_used = any(
            each.level == level and each.source != lead.source and number not in (one, other)
            for number, each in enumerate(leads)
        )
        way = () if is_used else lead.border.find_way_on(lead.end, level, lead.way)
        if not way:
            return ()
        tried[at] = lead._replace(way=way)
    return tried


def _count_all_crossings(leads: Sequence[_Lead]) -> int:
    """How often lines cross in both parts, and in the gap at least."""
    total = sum(
        _cross(one.way, other.way)
        for one, other in itertools.combinations(leads, 2)
        if one.border is other.border
    )
    spans: dict[int, tuple[float, list[float]]] = {}
    for lead in leads:  # a source comes before what it leads to
        if lead.source in spans:
            spans[lead.source][1].append(lead.level)
        else:
            spans[lead.source] = (lead.level, [])
    pairs = itertools.combinations([each for each in spans.values() if each[1]], 2)
    return total + sum(
        min(_count_crossings(one, other), _count_crossings(other, one)) for one, other in pairs
    )


def _cross(one: Way, other: Way) -> int:
    """How often two ways cross: the upright piece of one the level piece of the other."""
    count = 0
    for bent, straight in ((one, other), (other, one)):
        if len(bent) > 2:
            (x, top), (_, bottom) = sorted(bent[:2])
            (left, y), (right, _) = sorted(straight[-2:])
            count += left < x < right and top < y < bottom
    return count


def _sort_downward(part: Part, ends: Sequence[ResidualEnd]) -> list[int]:
    return sorted(range(len(ends)), key=lambda at: part.places[ends[at].box][1])


def _order_lanes(spans: Mapping[int, Span]) -> tuple[int, ...]:
    """The lanes from left to right, so that as few lines as can be cross in the gap.

    The best order of each set of lanes is the best one of all but one, and this one to its right.
    Sources are at most `MAX_ENDS`, so there are few sets.
    """
    best: dict[frozenset[int], tuple[int, tuple[int, ...]]] = {frozenset(): (0, ())}
    cost = {
        (left, right): _count_crossings(spans[left], spans[right])
        for left, right in itertools.permutations(spans, 2)
    }
    for size in range(1, len(spans) + 1):
        for lanes in map(frozenset, itertools.combinations(spans, size)):
            tried = []
            for last in sorted(lanes):
                count, before = best[lanes - {last}]
                count += sum(cost[left, last] for left in before)
                tried.append((count, (*before, last)))
            best[lanes] = min(tried)
    return best[frozenset(spans)][1]


def _count_crossings(left: Span, right: Span) -> int:
    """How often the lines of two neighbouring lanes cross: level of the begin, and of the ends."""
    (begin, ends), (start, stops) = left, right
    is_crossed = min(begin, *ends) < start < max(begin, *ends)
    return is_crossed + sum(min(start, *stops) < end < max(start, *stops) for end in ends)


def _list_beside(levels: Iterable[float], apart: float) -> set[float]:
    """The levels as near to some as lines may be, and those as far away as they should be."""
    least = (apart, _HEADS_APART_PX, _APART_PX)
    return {level + by for level in levels for each in least for by in (-each, each)}


def _meets(begin: Point, end: Point, start: Point, stop: Point) -> bool:
    """Whether two straight pieces cross."""

    def side(one: Point, other: Point, at: Point) -> float:
        return (other[0] - one[0]) * (at[1] - one[1]) - (other[1] - one[1]) * (at[0] - one[0])

    is_parted = side(begin, end, start) * side(begin, end, stop) < 0
    return is_parted and side(start, stop, begin) * side(start, stop, end) < 0


class _Border:
    """The side of a part that lines cross, and the ways to it.

    Args:
        part: The part.
        side: 1 where lines cross its right side, -1 where its left. All is turned to the former.
    """

    def __init__(self, part: Part, side: int) -> None:
        self._side = side
        self._places = {box: self._turn(rect) for box, rect in part.places.items()}
        x, y, width, height = self._turn(part.frame)
        self._x, self._bottom = x + width, y + height
        self._taken = [self._turn(rect) for rect in part.taken]
        self._lines = part.lines

    def _turn(self, rect: Rect) -> Rect:
        x, y, width, height = rect
        return rect if self._side > 0 else (-x - width, y, width, height)

    def find_way(
        self, end: ResidualEnd, wished: tuple[float, ...], used: Sequence[float], apart: float
    ) -> Way:
        """From a box to the border.

        Args:
            end: The box.
            wished: Levels on which lines come from the other side.
            used: Levels that lines have already.
            apart: How far away from those it should be, where it has none of the wished ones.
        """
        ways = tuple(self._ways(end, wished, used, apart))

        def room(way: Way) -> float:
            level = way[-1][1]
            is_shared = level in wished and used.count(level) == 1
            others = (other for other in used if not is_shared or other != level)
            return min((abs(level - other) for other in others), default=math.inf)

        for least in (apart, _APART_PX):
            for way in ways:
                # No way is longer for the sake of arrowheads.
                is_wanted = least != _HEADS_APART_PX or len(way) == len(ways[0])
                if is_wanted and room(way) >= least - _SAME_PX:
                    return self._turn_back(way)
        return self._turn_back(max(ways, key=room) if ways else self._lead_behind(end))

    def find_way_on(self, end: ResidualEnd, level: float, before: Way) -> Way:
        """The way from a box on a level, leaving as an earlier one did, if it can; else empty."""
        x, y, width, height = self._places[end.box]
        right, bottom = x + width, y + height
        is_at_side = not end.is_open and y + _LEAST_PX <= level <= bottom - _LEAST_PX
        if is_at_side and self._is_beside(right, level):
            return self._turn_back(((right, level), (self._x, level)))
        latest = before[0][0] * self._side
        for start in sorted(self._start(end), key=lambda each: each != latest):
            levels = self._levels_below(start, bottom, (level,), is_open=end.is_open)
            if any(each == level for each, _ in levels):
                return self._turn_back(((start, bottom), (start, level), (self._x, level)))
        return ()

    def list_lower(self, end: ResidualEnd, way: Way, asked: Sequence[float]) -> list[float]:
        """Levels below that of a way, that it may go down to from where it leaves its box."""
        (x, bottom), (_, level) = way[:2]
        found = self._levels_below(x * self._side, bottom, asked, is_open=end.is_open)
        return [each for each, _ in found if each > level]

    def count_crossed(self, way: Way, others: Sequence[Way]) -> int:
        """How many lines of the part, and of other ways, a way crosses."""
        pieces = [*self._lines, *(each for other in others for each in itertools.pairwise(other))]
        return sum(_meets(*one, *other) for one in itertools.pairwise(way) for other in pieces)

    def _turn_back(self, way: Way) -> Way:
        return tuple((x * self._side, y) for x, y in way)

    def _lead_behind(self, end: ResidualEnd) -> Way:
        """A way behind boxes, where none is free."""
        _, y, _, height = self._places[end.box]
        start, bottom = self._start(end)[0], y + height
        return (start, bottom), (start, bottom + _CLEAR_PX), (self._x, bottom + _CLEAR_PX)

    def _start(self, end: ResidualEnd) -> tuple[float, ...]:
        """Where a way may leave the lower side of a box."""
        x, _, width, _ = self._places[end.box]
        if end.is_open:
            return (x + end.x if self._side > 0 else x + width - end.x,)
        return x + width - CORNER_PX, x + width / 2, x + CORNER_PX

    def _ways(
        self, end: ResidualEnd, wished: tuple[float, ...], used: Sequence[float], apart: float
    ) -> Iterator[Way]:
        """Ways that are free, the best first."""
        x, y, width, height = self._places[end.box]
        right, bottom = x + width, y + height
        if not end.is_open:
            inside = [each for each in wished if y + CORNER_PX <= each <= bottom - CORNER_PX]
            middle = y + height / 2
            near = _list_beside((middle, *used), apart)
            beside = [each for each in near if y + _LEAST_PX <= each <= bottom - _LEAST_PX]
            # On the side that the line comes from, so that it crosses no other one.
            beside.sort(key=lambda each: (min((abs(each - w) for w in wished), default=0.0), each))
            for level in (*inside, middle, *beside):
                if self._is_beside(right, level):
                    yield (right, level), (self._x, level)
        straight = [each for each in wished if each <= bottom + _NEAR_PX]
        asked = (*straight, *_list_beside(used, apart))
        starts = enumerate(self._start(end))
        merged = heapq.merge(*(self._below(at, start, end, bottom, asked) for at, start in starts))
        below = list(itertools.islice(merged, _MOST_TRIED))
        below.sort(
            key=lambda each: (each[0] not in straight or (end.is_open and each[-1]), each[-1])
        )
        for level, _, start, _ in below:
            yield (start, bottom), (start, level), (self._x, level)

    def _below(
        self, at: int, start: float, end: ResidualEnd, bottom: float, asked: Sequence[float]
    ) -> Iterator[tuple[float, int, float, bool]]:
        """The levels below a box, each with which place it goes down from, and whether it is near.

        Near is what stands closer below a box than need be.
        """
        for level, is_near in self._levels_below(start, bottom, asked, is_open=end.is_open):
            yield level, at, start, is_near

    def _levels_below(
        self, start: float, bottom: float, asked: Sequence[float], *, is_open: bool
    ) -> Iterator[tuple[float, bool]]:
        """Rising levels that one can go down to from a place, and on from there to the border.

        Args:
            start: The place, across.
            bottom: The lower side of the box.
            asked: Levels that are among them, if they are free.
            is_open: Whether the box is an open group; then they are farther below it, if they can.
        """
        end = self._bottom - LEAST_TO_BORDER_PX
        blocked: list[tuple[float, float]] = []
        for x, y, width, height in self._taken:
            if y + height <= bottom or x + width <= start - _CLEAR_PX:
                continue
            if x < start + _CLEAR_PX:  # in the way down
                end = min(end, y)
            blocked.append((y - _CLEAR_PX, y + height + _CLEAR_PX))
        ends = [*sorted(blocked), (end, end)]
        level = bottom + _CLEAR_PX
        clear = bottom
        if is_open:
            room = next((top for top, _ in ends if top > level), end) - bottom
            clear = bottom + min(FRAME_CLEAR_PX, room / 2)
        for top, below in ends:
            stop = min(top, end)
            own = [level + by * _APART_PX for by in range(_MOST_IN_GAP)]
            num_near = min(_MOST_NEAR, int((stop - level) / 2 / _APART_PX))
            free = level + max(num_near, 0) * _APART_PX
            if level < clear:
                free = clear
                own += [clear + by * _APART_PX for by in range(_MOST_IN_GAP)]
            for each in sorted(each for each in {*own, *asked} if level <= each < stop):
                yield each, each < free
            level = max(level, below)

    def _is_beside(self, right: float, level: float) -> bool:
        """Whether nothing is in the way from a box straight to the border."""
        return not any(
            x + width > right and y < level + _CLEAR_PX and level - _CLEAR_PX < y + height
            for x, y, width, height in self._taken
        )
