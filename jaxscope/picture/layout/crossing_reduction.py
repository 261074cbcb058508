"""Order the vertices of every rank so that few lines cross.

Where lines meet a wide box at fixed ports, as they do at open groups, the places of their ends
count, not that of the box: its neighbours stand in the order of its ports.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable

from jaxscope.picture.layout.diagram import Diagram, LayeredGraph, LineAside

_NUM_SWEEPS = 4
_MAX_REFINED_VERTICES = 1200
_NUM_REFINEMENTS = 16
_MAX_STALLED = 5
_MAX_TRANSPOSITIONS = 10
_MAX_EXCHANGED_VERTICES = 300
_NUM_EXCHANGES = 6
_NUM_LEANING = 3
_LEAST_LEAN_PX = 20.0

Rows = list[list[int]]


def order_ranks(
    threads: LayeredGraph,
    check_stop: Callable[[], None],
    fixed: tuple[int, ...] = (),
    preferred: tuple[tuple[int, int], ...] = (),
    outer: tuple[tuple[int, int], ...] = (),
    aside: tuple[LineAside, ...] = (),
) -> Rows:
    """Vertices of each rank from left to right, those of `fixed` in this order.

    A depth-first start, then sweeps that put each vertex at the mean place of its neighbours.
    Diagrams that are small enough are refined further: neighbours swap where that saves a
    crossing, and the best order met is kept. It is turned round as a whole where more of the pairs
    `preferred` stand in their order then, and neighbours of these swap, if no more lines cross. So
    do neighbours of the pairs `outer`, of which both are to stand at one end of their rows. What
    the lines `aside` cross counts like any other crossing.
    """
    order = _order_ranks(threads, check_stop, fixed, aside)
    if not fixed and preferred:
        order = _turn(order, preferred)
    if outer:
        order.move_outward(outer)
    return order.rows


def _turn(order: _Order, preferred: tuple[tuple[int, int], ...]) -> _Order:
    """The rows with as many pairs in the order that is preferred as no more lines cross for."""
    if order.is_mostly_against(preferred):
        before, crossings = order.copy(), order.count_crossings()
        order.restore([row[::-1] for row in before])
        if order.count_crossings() > crossings:
            order.restore(before)
    order.prefer(preferred)
    return order


def exchange_leaning(diagram: Diagram, threads: LayeredGraph, rows: Rows, x: list[float]) -> bool:
    """Swap neighbours whose lines lead past each other, if no more lines cross; whether any did.

    Where two lines cross is free on the ranks that both pass. Where a line crosses late, it is
    held between others first, and has to get out from between them then.

    Args:
        diagram: Its nodes of `fixed` and `sequence` and its pairs `preferred` keep their order, and
            its nodes of `outer` their places.
        x: Where the vertices are.
    """
    order = _Order(threads, rows, (*diagram.fixed, *diagram.sequence), diagram.aside)
    wanted: list[float] = []
    for v, near in enumerate(map(list.__add__, threads.up, threads.down)):
        lean = sum(threads.up_lean[v]) + sum(threads.down_lean[v])
        wanted.append((sum([x[u] for u in near]) + lean) / len(near) if near else x[v])
    held = frozenset(itertools.chain(*diagram.outer))
    return order.exchange_leaning(wanted, diagram.preferred, held)


def _order_ranks(
    threads: LayeredGraph,
    check_stop: Callable[[], None],
    fixed: tuple[int, ...],
    aside: tuple[LineAside, ...],
) -> _Order:
    rows = keep_sequence(_initial_rows(threads), fixed)
    order = _order_from(_Order(threads, rows, fixed, aside), check_stop)
    if len(threads.rank) > _MAX_EXCHANGED_VERTICES or not order.count_crossings():
        return order
    if not fixed:
        # Which side a long line passes a box on is decided by the start: try the other one.
        mirrored = [row[::-1] for row in _initial_rows(threads, is_mirrored=True)]
        other = _order_from(_Order(threads, mirrored, fixed, aside), check_stop)
        if other.count_crossings() < order.count_crossings():
            order = other
    if order.count_crossed_aside():
        order.move_lines_outward(check_stop)
    return order


def _order_from(order: _Order, check_stop: Callable[[], None]) -> _Order:
    for _ in range(_NUM_SWEEPS):
        check_stop()
        order.sweep_down()
        check_stop()
        order.sweep_up()
    order.sweep_down()
    if order.num_vertices <= _MAX_REFINED_VERTICES:
        _refine(order, check_stop)
    if order.num_vertices <= _MAX_EXCHANGED_VERTICES:
        _exchange_equals(order, check_stop)
    return order


def _initial_rows(threads: LayeredGraph, *, is_mirrored: bool = False) -> Rows:
    rows: Rows = [[] for _ in range(threads.num_ranks)]
    up, down, rank = threads.up, threads.down, threads.rank
    seen = bytearray(len(rank))
    for start in range(len(rank))[:: -1 if is_mirrored else 1]:
        if seen[start] or up[start]:
            continue
        stack = [start]
        while stack:
            v = stack.pop()
            if seen[v]:
                continue
            seen[v] = 1
            rows[rank[v]].append(v)
            stack.extend(down[v] if is_mirrored else reversed(down[v]))
            stack.extend([u for u in up[v] if not seen[u]])
    return rows


def _refine(order: _Order, check_stop: Callable[[], None]) -> None:
    best, fewest, stalled = order.copy(), order.count_crossings(), 0
    for attempt in range(_NUM_REFINEMENTS):
        if not fewest:
            break
        for _ in range(_MAX_TRANSPOSITIONS):
            check_stop()
            if not order.transpose():
                break
        crossings = order.count_crossings()
        if crossings < fewest:
            best, fewest, stalled = order.copy(), crossings, 0
        else:
            stalled += 1
            if stalled > _MAX_STALLED:
                break
        order.turn_ties(is_wanted=attempt % 4 >= 2)
        if attempt % 2:
            order.sweep_up()
            order.sweep_down()
        else:
            order.sweep_down()
            order.sweep_up()
    order.restore(best)


def _exchange_equals(order: _Order, check_stop: Callable[[], None]) -> None:
    """Swap neighbours also where that changes no number, if it lets others save a crossing.

    Two inputs of a box may each cross the other's stub, whichever stands first: only after they
    were swapped does the stub find its place between their lines. Sweeps do not find this, as both
    have the same mean place.
    """
    best, fewest = order.copy(), order.count_crossings()
    for attempt in range(_NUM_EXCHANGES):
        if not fewest:
            break
        order.exchange_equals(downward=attempt % 2 == 0)
        for _ in range(_MAX_TRANSPOSITIONS):
            check_stop()
            if not order.transpose():
                break
        crossings = order.count_crossings()
        if crossings < fewest:
            best, fewest = order.copy(), crossings
    order.restore(best)


class _Order:
    """Rows of vertices, and what is known of them.

    What a step does to a row depends on that row and its neighbours alone. Most rows soon stand
    still, so every step remembers at which states of them it had nothing to do, and does not try
    again until one of them changes.

    Attributes:
        rows: Vertices of each rank.
        num_vertices: How many there are.
    """

    def __init__(
        self,
        threads: LayeredGraph,
        rows: Rows,
        fixed: tuple[int, ...],
        aside: tuple[LineAside, ...] = (),
    ) -> None:
        self.rows = rows
        self.num_vertices = len(threads.rank)
        # How many lines lead aside from each node; below zero where they lead to the left.
        self._aside: dict[int, int] = {}
        for node, is_to_left in aside:
            self._aside[node] = self._aside.get(node, 0) + (-1 if is_to_left else 1)
        self._fixed = fixed
        self._is_fixed = frozenset(fixed)
        self._turns_ties = False
        self._rank = threads.rank
        self._up, self._down = threads.up, threads.down
        self._up_port, self._down_port = threads.up_port, threads.down_port
        self._own_port = threads.own_port
        self._first_dummy = threads.num_nodes
        self._place = [0] * len(threads.rank)
        for row in rows:
            for index, v in enumerate(row):
                self._place[v] = index
        self._wide = [rank for rank, row in enumerate(rows) if len(row) > 1]
        # How often each row has changed; one more at either end, for the ranks beyond.
        self._changes = [0] * (len(rows) + 2)
        self._settled_down: dict[int, tuple[int, int]] = {}
        self._settled_up: dict[int, tuple[int, int]] = {}
        self._settled_pairs: dict[int, tuple[int, int, int]] = {}
        self._crossings: dict[int, tuple[int, int, int]] = {}

    def is_mostly_against(self, pairs: Iterable[tuple[int, int]]) -> bool:
        """Whether more of the pairs in one row stand the other way round than stand so."""
        rank, place = self._rank, self._place
        signs = [place[one] < place[other] for one, other in pairs if rank[one] == rank[other]]
        return 2 * sum(signs) < len(signs)

    def prefer(self, pairs: Collection[tuple[int, int]]) -> None:
        """Swap neighbours that stand the other way round than these, where that costs nothing."""
        rank, place = self._rank, self._place
        for _ in pairs:
            for left, right in pairs:
                if rank[left] == rank[right] and place[left] == place[right] + 1:
                    if self._gain_of_swap(right, left) < 0:
                        continue
                    row, at = self.rows[rank[left]], place[right]
                    row[at], row[at + 1] = left, right
                    place[left], place[right] = at, at + 1

    def _gain_of_swap(self, left: int, right: int) -> int:
        gain, place = 0, self._place
        for near, ports in ((self._up, self._up_port), (self._down, self._down_port)):
            if near[left] and near[right]:
                ours = _places(near[left], ports[left], place)
                gain += _gain(ours, _places(near[right], ports[right], place))
        return gain + self._gain_aside(left, right) if self._aside else gain

    def _gain_aside(self, left: int, right: int) -> int:
        """How many crossings with lines that lead aside go away if two neighbours swap."""
        first = self._first_dummy
        gain = self._aside.get(left, 0) if right >= first else 0
        return gain - (self._aside.get(right, 0) if left >= first else 0)

    def copy(self) -> Rows:
        """The rows as they stand."""
        return [row[:] for row in self.rows]

    def restore(self, rows: Rows) -> None:
        """Put the vertices back where they stood."""
        self._restore_rows(enumerate(rows))

    def turn_ties(self, *, is_wanted: bool) -> None:
        """Whether sweeps turn round those that want the same place: a way out of dead ends.

        Rows that had settled stay as they are: searching them again takes more than it gives.
        """
        self._turns_ties = is_wanted

    def sweep_down(self) -> None:
        """Sort each row by the mean places of the neighbours in the row before."""
        changes = self._changes
        for rank in self._wide:
            state = (changes[rank], changes[rank - 1])
            if self._settled_down.get(rank) != state and not self._sort(
                rank, self._up, self._up_port, self._down
            ):
                self._settled_down[rank] = state

    def sweep_up(self) -> None:
        """Sort each row by the mean places of the neighbours in the row after."""
        changes = self._changes
        for rank in reversed(self._wide):
            state = (changes[rank], changes[rank + 1])
            if self._settled_up.get(rank) != state and not self._sort(
                rank, self._down, self._down_port, self._up
            ):
                self._settled_up[rank] = state

    def _sort(
        self,
        rank: int,
        neighbours: list[list[int]],
        ports: list[list[float]],
        others: list[list[int]],
    ) -> bool:
        """Sort a row; without neighbours, a vertex goes where its siblings go, or stays.

        Args:
            others: Neighbours of each vertex on the other side.

        Returns:
            Whether the row changed.
        """
        row, place = self.rows[rank], self._place
        means: list[float] = []
        loose: list[int] = []
        for index, v in enumerate(row):
            near, at = neighbours[v], ports[v]
            if len(near) == 1:
                means.append(place[near[0]] + at[0] if at else place[near[0]])
            elif near:
                means.append((sum([place[u] for u in near]) + sum(at)) / len(near))
            else:
                means.append(index)
                if len(others[v]) == 1:
                    loose.append(index)
        if loose:
            self._follow_siblings(row, loose, means, neighbours, others)
        if means == sorted(means) and not (self._turns_ties and len(set(means)) < len(means)):
            return False
        indices = range(len(row))
        order = sorted(reversed(indices) if self._turns_ties else indices, key=means.__getitem__)
        wanted = [row[index] for index in order]
        if self._fixed:
            (wanted,) = keep_sequence([wanted], self._fixed)
            if wanted == row:
                return False
        row[:] = wanted
        for index, v in enumerate(row):
            place[v] = index
        self._changes[rank] += 1
        return True

    def _follow_siblings(
        self,
        row: list[int],
        loose: list[int],
        means: list[float],
        neighbours: list[list[int]],
        others: list[list[int]],
    ) -> None:
        """Let ends of lines, such as stubs, stand with the other lines of the box they hang on.

        Left where they are, they would pull that box away from where its other lines lead.
        """
        place = self._place
        known: dict[int, float | None] = {}
        for index in loose:
            (box,) = others[row[index]]
            if box not in known:
                near = [means[place[v]] for v in neighbours[box] if neighbours[v]]  # in this row
                known[box] = sum(near) / len(near) if near else None
            mean = known[box]
            if mean is not None:
                means[index] = mean

    def count_crossings(self) -> int:
        """Crossings of lines between neighbouring ranks."""
        total, changes, known = 0, self._changes, self._crossings
        for rank in self._wide:  # lines that leave one vertex do not cross
            found = known.get(rank)
            if found is None or found[:2] != (changes[rank], changes[rank + 1]):
                number = self._count_below(rank)
                found = known[rank] = (changes[rank], changes[rank + 1], number)
            total += found[2]
        return total + self.count_crossed_aside()

    def count_crossed_aside(self) -> int:
        """Lines and stubs that stand where lines lead aside."""
        total = 0
        for v, weight in self._aside.items():
            row, at = self.rows[self._rank[v]], self._place[v]
            passed = row[:at] if weight < 0 else row[at + 1 :]
            total += abs(weight) * sum(each >= self._first_dummy for each in passed)
        return total

    def move_lines_outward(self, check_stop: Callable[[], None]) -> None:
        """Move whole long lines to the side that no lines lead aside to, if fewer cross then.

        One vertex at a time that saves nothing: the line would cross those of the box.
        """
        best, fewest = self.copy(), self.count_crossings()
        outer = 1 if sum(self._aside.values()) < 0 else -1
        for line in self._list_long_lines():
            begins = {u for v in line for u in self._up[v]} - set(line)
            for moved in (line, [*line, *begins]):
                check_stop()
                for v in moved:
                    self._put_at_end(v, outer)
                for _ in range(_MAX_TRANSPOSITIONS):
                    if not self.transpose():
                        break
                crossings = self.count_crossings()
                if crossings < fewest:
                    best, fewest = self.copy(), crossings
                self.restore(best)

    def _list_long_lines(self) -> list[list[int]]:
        """The dummies of each long line, with those of its branches, from its begin on."""
        lines: dict[int, list[int]] = {}
        line_of: dict[int, int] = {}
        for v in range(self._first_dummy, self.num_vertices):
            before = [u for u in self._up[v] if u in line_of]
            line_of[v] = line_of[before[0]] if before else v
            lines.setdefault(line_of[v], []).append(v)
        return list(lines.values())

    def _put_at_end(self, v: int, side: int) -> None:
        """Let a vertex stand first or last in its row, but for what is held in an order."""
        rank = self._rank[v]
        others = [u for u in self.rows[rank] if u != v]
        row = [*others, v] if side > 0 else [v, *others]
        (self.rows[rank],) = keep_sequence([row], self._fixed)
        self._changes[rank] += 1
        for index, u in enumerate(self.rows[rank]):
            self._place[u] = index

    def _count_below(self, rank: int) -> int:
        place, total = self._place, 0
        ends: list[float] = []
        for v in self.rows[rank]:
            lower, own = _places(self._down[v], self._down_port[v], place), self._own_port[v]
            if own:  # lines that leave one port do not cross
                lower = [end for _, end in sorted(zip(own, lower, strict=True))]
            else:
                lower.sort()
            for end in lower:
                if not ends or end >= ends[-1]:
                    ends.append(end)
                else:
                    at = bisect_right(ends, end)
                    total += len(ends) - at
                    ends.insert(at, end)
        return total

    def transpose(self) -> int:
        """Swap neighbours where that saves crossings; returns how many it saved."""
        total, changes = 0, self._changes
        for rank in self._wide:
            state = (changes[rank - 1], changes[rank], changes[rank + 1])
            if self._settled_pairs.get(rank) == state:
                continue
            saved = self._swap_pairs(rank)
            if saved:
                changes[rank] += 1
                total += saved
            else:
                self._settled_pairs[rank] = state
        return total

    def exchange_equals(self, *, downward: bool) -> None:
        """Swap neighbours where that costs nothing, each vertex once at most."""
        for rank in self._wide if downward else reversed(self._wide):
            before = self.rows[rank][:]
            self._swap_pairs(rank, equal=True)
            self._changes[rank] += self.rows[rank] != before

    def move_outward(self, pairs: Collection[tuple[int, int]]) -> None:
        """Swap both of each pair to one end of their rows, as far as no more lines cross for it.

        So a line that leads around all between both crosses fewer others. A pair stays where it is
        if it has nothing beside it on one side, or if neither side gets freer.
        """
        done = set[int]()
        for pair in pairs:
            done.update(pair)
            found = [(self._count_beside(pair, side, done), side) for side in (-1, 1)]
            if min(found)[0] == 0:
                continue
            before = {self._rank[v]: self.rows[self._rank[v]][:] for v in pair}
            tried: list[tuple[int, dict[int, list[int]]]] = [(min(found)[0], before)]
            for side in (-1, 1):
                for v in pair:
                    self._move_to_end(v, side, done)
                rows = {rank: self.rows[rank][:] for rank in before}
                tried.append((self._count_beside(pair, side, done), rows))
                self._restore_rows(before.items())
            self._restore_rows(min(tried, key=lambda each: each[0])[1].items())

    def _count_beside(self, pair: Collection[int], side: int, done: Collection[int]) -> int:
        """How much stands beside a pair on one side, but for pairs that are there already."""
        count = 0
        for v in pair:
            row, at = self.rows[self._rank[v]], self._place[v]
            count += sum(each not in done for each in (row[:at] if side < 0 else row[at + 1 :]))
        return count

    def _move_to_end(self, v: int, side: int, done: Collection[int]) -> None:
        row = self.rows[self._rank[v]]
        while 0 <= (at := self._place[v] + side) < len(row):
            other = row[at]
            left, right = (other, v) if side < 0 else (v, other)
            is_held = other in done or (v in self._is_fixed and other in self._is_fixed)
            if is_held or self._gain_of_swap(left, right) < 0:
                break
            self._exchange(left, right)

    def _restore_rows(self, rows: Iterable[tuple[int, list[int]]]) -> None:
        """Put back the vertices of some ranks."""
        for rank, row in rows:
            if self.rows[rank] != row:
                self.rows[rank][:] = row
                self._changes[rank] += 1
                for index, v in enumerate(row):
                    self._place[v] = index

    def exchange_leaning(
        self, wanted: list[float], kept: Collection[tuple[int, int]], held: Collection[int]
    ) -> bool:
        """Swap neighbours that want to be on the other side of each other, if that costs nothing.

        Args:
            wanted: Where each vertex would best be.
            kept: Pairs that keep their order.
            held: Vertices that stay where they are.
        """
        place, fixed, has_any = self._place, self._is_fixed, False
        for _ in range(_NUM_LEANING):
            is_done = True
            for rank in self._wide:
                row = self.rows[rank]
                for index in range(len(row) - 1):
                    left, right = row[index], row[index + 1]
                    if wanted[left] < wanted[right] + _LEAST_LEAN_PX or (left, right) in kept:
                        continue
                    if (left in fixed and right in fixed) or left in held or right in held:
                        continue
                    if self._gain_of_swap(left, right) >= 0:
                        row[index], row[index + 1] = right, left
                        place[right], place[left] = index, index + 1
                        is_done, has_any = False, True
            if is_done:
                break
        for _ in range(_MAX_TRANSPOSITIONS):
            if not self.transpose() + self._part_siblings():
                break
            has_any = True
        return has_any

    def _part_siblings(self) -> int:
        """Undo crossings of two long lines that go on side by side to a box that both meet.

        On each rank nothing is between them, so they can change places on all of them: one by one
        that saves nothing before the last. Returns how many crossings it saved.
        """
        saved = 0
        for near, ports, onward in (
            (self._up, self._up_port, self._up),
            (self._down, self._down_port, self._down),
        ):
            for v, ends in enumerate(near):
                if len(ends) < 2 or ports[v]:
                    continue
                ends = sorted(ends, key=self._place.__getitem__)
                for index in range(len(ends) - 1):
                    pairs = self._walk_beside(ends[index], ends[index + 1], onward)
                    for left, right in pairs:
                        self._exchange(left, right)
                    saved += bool(pairs)
        return saved

    def _walk_beside(self, left: int, right: int, onward: list[list[int]]) -> list[tuple[int, int]]:
        """The pairs of two lines, rank by rank, up to where they cross; none where they do not."""
        place, first, pairs = self._place, self._first_dummy, list[tuple[int, int]]()
        up, down = self._up, self._down
        while min(left, right) >= first and place[left] + 1 == place[right]:
            ways = (up_or_down[each] for each in (left, right) for up_or_down in (up, down))
            if any(len(each) != 1 for each in ways):  # a branch, or the end of a stub
                break
            pairs.append((left, right))
            left, right = onward[left][0], onward[right][0]
            if left != right and place[left] > place[right]:
                return pairs
        return []

    def _exchange(self, left: int, right: int) -> None:
        """Let two vertices of one row change places."""
        place, rank = self._place, self._rank[left]
        row = self.rows[rank]
        row[place[left]], row[place[right]] = right, left
        place[left], place[right] = place[right], place[left]
        self._changes[rank] += 1

    def _swap_pairs(self, rank: int, *, equal: bool = False) -> int:
        row, place, saved = self.rows[rank], self._place, 0
        fixed, moved = self._is_fixed, -1
        # What is around the row stands still meanwhile, so its places are looked up once.
        above = [_places(self._up[v], self._up_port[v], place) for v in row]
        below = [_places(self._down[v], self._down_port[v], place) for v in row]
        for index in range(len(row) - 1):
            left, right = row[index], row[index + 1]
            if fixed and left in fixed and right in fixed:
                continue
            after = index + 1
            gain = _gain(above[index], above[after]) + _gain(below[index], below[after])
            if self._aside:
                gain += self._gain_aside(left, right)
            if gain > 0 or (equal and gain == 0 and index > moved):
                moved = after
                row[index], row[after] = right, left
                place[right], place[left] = index, after
                for each in (above, below):
                    each[index], each[after] = each[after], each[index]
                saved += gain
        return saved


def _places(near: list[int], ports: list[float], place: list[int]) -> list[float]:
    """Where lines meet these neighbours; a box has the places within half a step of its own."""
    if not ports:
        return [place[u] for u in near]
    return [place[u] + at for u, at in zip(near, ports, strict=True)]


def _gain(ours: list[float], theirs: list[float]) -> int:
    """How many crossings between the lines of two neighbours go away if they swap."""
    if len(ours) == 1 == len(theirs):  # most have one line on each side
        return (theirs[0] < ours[0]) - (theirs[0] > ours[0])
    gain = 0
    for at in ours:
        for other in theirs:
            if other < at:
                gain += 1
            elif other > at:
                gain -= 1
    return gain


def keep_sequence(rows: list[list[int]], sequence: tuple[int, ...]) -> list[list[int]]:
    """The ranks with some nodes in a given order, in the places that they have together."""
    if not sequence:
        return rows
    number = {node: at for at, node in enumerate(sequence)}
    kept: list[list[int]] = []
    for row in rows:
        ordered = iter(sorted((v for v in row if v in number), key=number.__getitem__))
        kept.append([next(ordered) if v in number else v for v in row])
    return kept
