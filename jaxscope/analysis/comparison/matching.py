"""Find which node of one graph is which node of another, without any map from the reader.

Steps, from certain to plausible: neighbourhoods that look alike and are unique on both sides;
their neighbours, along equal edges; what remains, by order, between what is known. First with full
content (operation, types, attributes), then by origin and operation alone, so that a program at
another size or precision still finds itself.
"""

from __future__ import annotations

import dataclasses
import hashlib
from collections import deque

import numpy as np
import numpy.typing as npt

from jaxscope.analysis.comparison.adjacency import Adjacency
from jaxscope.analysis.comparison.neighbourhoods import Sight, Surroundings
from jaxscope.analysis.comparison.sequences import align
from jaxscope.analysis.comparison.signatures import Codes, Hashes, Side, join, sign
from jaxscope.model import NONE, Graph, Ragged

Int32s = npt.NDArray[np.int32]


@dataclasses.dataclass(frozen=True, slots=True)
class _Look:
    """One way to look for neighbourhoods that are alike.

    Attributes:
        labels: Which signature nodes are seen by.
        sight: Which neighbours count.
        rounds: How far.
        pairs_ties: Whether alike ones pair up by order where both sides have equally many.
    """

    labels: str
    sight: Sight
    rounds: int
    pairs_ties: bool = False


_CERTAIN = (
    _Look("placed", Sight.BOTH, 3),
    _Look("placed", Sight.BOTH, 0),
    _Look("exact", Sight.BOTH, 16, pairs_ties=True),
    _Look("exact", Sight.OPERANDS, 32),
    _Look("exact", Sight.USERS, 32),
    _Look("exact", Sight.BOTH, 3),
    _Look("exact", Sight.BOTH, 1),
)
_PLAUSIBLE = (
    _Look("loose_placed", Sight.BOTH, 4, pairs_ties=True),
    _Look("loose", Sight.BOTH, 12, pairs_ties=True),
    _Look("loose_placed", Sight.BOTH, 1),
    _Look("loose_placed", Sight.BOTH, 0),
    _Look("loose", Sight.BOTH, 2),
)


@dataclasses.dataclass(frozen=True, eq=False)
class Matching:
    """Which node is which.

    Attributes:
        second_of_first: int32, of each node of the first graph its partner in the second, or
            `NONE`.
        first_of_second: The inverse.
    """

    second_of_first: Int32s
    first_of_second: Int32s

    def swapped(self) -> Matching:
        """The same, seen from the other side."""
        return Matching(self.first_of_second, self.second_of_first)


def match(first: Side, second: Side) -> Matching:
    """Match the nodes of two graphs; every node has at most one partner.

    Swapping the sides swaps the answer: the work is always done in the same order of the two.
    """
    if order_key(first.graph) > order_key(second.graph):
        return match(second, first).swapped()
    return _Matcher(first, second, Codes()).run()


def order_key(graph: Graph) -> tuple[int, int, bytes]:
    """Puts two graphs in an order by content alone, so that neither side is special."""
    digest = hashlib.sha256("\n".join(graph.strings).encode("utf-8", "surrogatepass"))
    for columns in (graph.nodes, graph.edges, graph.groups):
        for field in dataclasses.fields(columns):
            column = getattr(columns, field.name)
            digest.update((column.values if isinstance(column, Ragged) else column).tobytes())
    return len(graph.nodes), len(graph.edges), digest.digest()


class _Matcher:
    """The state of one matching."""

    def __init__(self, first: Side, second: Side, codes: Codes) -> None:
        sides = (first, second)
        self._signs = tuple(sign(side, codes) for side in sides)
        self._around = tuple(Surroundings(side.graph) for side in sides)
        self._near = tuple(Adjacency(side.graph) for side in sides)
        self._sizes = tuple(len(side.graph.nodes) for side in sides)
        self._owners = tuple(owners_of(side) for side in sides)
        self._partners = ([NONE] * self._sizes[0], [NONE] * self._sizes[1])
        self._waiting: deque[tuple[int, int]] = deque()

    def run(self) -> Matching:
        """Match from certain to plausible."""
        for look in _CERTAIN:
            self._match_alike(look)
        for labels in ("placed", "exact"):
            self._match_by_order(labels)
        for look in _PLAUSIBLE:
            self._match_alike(look)
        for labels in ("loose_placed", "loose"):
            self._match_by_order(labels)
        self._match_elsewhere()
        self._match_replaced()
        first, second = (np.asarray(partners, np.int32) for partners in self._partners)
        return Matching(first, second)

    # --- labels ---

    def _labels(self, name: str) -> list[Hashes]:
        """What nodes are seen as: those that have a partner as that pair, others by signature."""
        labels = []
        for index in (0, 1):
            own: Hashes = getattr(self._signs[index], name)
            partners = np.asarray(self._partners[index], np.int64)
            known = partners != NONE
            number = np.arange(len(partners)) if index == 0 else partners
            labels.append(np.where(known, join(number + 1, known), own))
        return labels

    # --- steps ---

    def _match_alike(self, look: _Look) -> None:
        """Match free nodes whose neighbourhoods are alike and unique on both sides."""
        labels = self._labels(look.labels)
        seen = [
            around.look(label, look.rounds, look.sight)
            for around, label in zip(self._around, labels, strict=True)
        ]
        free = [self._free(index) for index in (0, 1)]
        keys_a, keys_b = seen[0][free[0]], seen[1][free[1]]
        unique_a, at_a, count_a = np.unique(keys_a, return_index=True, return_counts=True)
        unique_b, at_b, count_b = np.unique(keys_b, return_index=True, return_counts=True)
        shared, in_a, in_b = np.intersect1d(
            unique_a, unique_b, assume_unique=True, return_indices=True
        )
        single = (count_a[in_a] == 1) & (count_b[in_b] == 1)
        firsts, seconds = free[0][at_a[in_a]], free[1][at_b[in_b]]
        order = np.argsort(firsts[single])
        for a, b in zip(
            firsts[single][order].tolist(), seconds[single][order].tolist(), strict=True
        ):
            self._pair(a, b)
        self._spread(look.labels)
        if look.pairs_ties:
            tied = shared[~single & (count_a[in_a] == count_b[in_b])]
            self._pair_ties(seen, tied, look.labels)

    def _pair_ties(self, seen: list[Hashes], tied: Hashes, labels: str) -> None:
        """Pair alike nodes, the last first: from its end a branch is followed to its beginning."""
        waiting: dict[int, list[int]] = {}
        chosen = np.flatnonzero(np.isin(seen[1], tied))
        for b, key in zip(chosen.tolist(), seen[1][chosen].tolist(), strict=True):
            waiting.setdefault(key, []).append(b)
        chosen = np.flatnonzero(np.isin(seen[0], tied))[::-1]
        for a, key in zip(chosen.tolist(), seen[0][chosen].tolist(), strict=True):
            if self._partners[0][a] != NONE:
                continue
            candidates = waiting.get(key, [])
            while candidates and self._partners[1][candidates[-1]] != NONE:
                candidates.pop()
            if candidates:
                self._pair(a, candidates.pop())
                self._spread(labels)

    def _match_by_order(self, labels: str) -> None:
        """Match free nodes that stand in the same order between those that are known.

        Loose labels match within the same group only: `add` alone says little elsewhere.
        """
        keys = self._labels(labels)
        if labels.startswith("loose"):
            keys = self._with_owners(keys)
        for a, b in align(keys[0].tolist(), keys[1].tolist()):
            if self._partners[0][a] == NONE and self._partners[1][b] == NONE:
                self._pair(a, b)
        self._spread(labels)

    def _with_owners(self, keys: list[Hashes]) -> list[Hashes]:
        joined = []
        for index in (0, 1):
            owners = self._owners[index]
            partners = np.asarray([*self._partners[index], NONE], np.int64)
            known = partners != NONE
            number = np.arange(len(partners)) if index == 0 else partners
            # A free owner is like any other free owner; the last row is the program itself.
            names = np.where(known, number + 2, 1)
            names[-1] = 0
            is_pair = known[:-1]
            joined.append(np.where(is_pair, keys[index], join(keys[index], names[owners])))
        return joined

    def _match_elsewhere(self) -> None:
        """Match free nodes with the same content wherever they are: they were moved."""
        waiting: dict[int, deque[int]] = {}
        free = self._free(1)
        for b, key in zip(free.tolist(), self._signs[1].exact[free].tolist(), strict=True):
            waiting.setdefault(key, deque()).append(b)
        free = self._free(0)
        for a, key in zip(free.tolist(), self._signs[0].exact[free].tolist(), strict=True):
            if waiting.get(key):
                self._pair(a, waiting[key].popleft())
        self._waiting.clear()

    def _match_replaced(self) -> None:
        """Match free nodes that do something else between the same operands and users."""
        near_a, near_b = self._near
        typed_a, typed_b = self._signs[0].typed, self._signs[1].typed
        for a in self._free(0).tolist():
            operands = near_a.operands[a]
            if not operands or self._partners[0][a] != NONE:
                continue
            slot, output, source = operands[0]
            partner = self._partners[0][source]
            users = near_b.users[partner] if partner != NONE else []
            alike = [
                b
                for out, operand, b in users
                if (out, operand) == (output, slot)
                and self._partners[1][b] == NONE
                and typed_a[a] == typed_b[b]
                and self._is_between_same(a, b)
            ]
            if len(alike) == 1:
                self._pair(a, alike[0])
        self._waiting.clear()

    def _is_between_same(self, a: int, b: int) -> bool:
        """Whether all operands correspond, and at least one user does."""
        near_a, near_b, partners = self._near[0], self._near[1], self._partners[0]
        mapped = [(slot, out, partners[source]) for slot, out, source in near_a.operands[a]]
        if mapped != near_b.operands[b]:
            return False
        users = {(out, slot, partners[user]) for out, slot, user in near_a.users[a]}
        return not users.isdisjoint(near_b.users[b])

    # --- pairs and their neighbours ---

    def _free(self, index: int) -> npt.NDArray[np.int64]:
        return np.flatnonzero(np.asarray(self._partners[index], np.int64) == NONE)

    def _pair(self, a: int, b: int) -> None:
        self._partners[0][a], self._partners[1][b] = b, a
        self._waiting.append((a, b))

    def _spread(self, name: str) -> None:
        """Match the neighbours of new pairs: equal operands of equal slots, sole users."""
        labels_a, labels_b = (getattr(signs, name) for signs in self._signs)
        is_telling = name == "placed"  # an operand may have changed, the line is still the same
        while self._waiting:
            a, b = self._waiting.popleft()
            for p, q in self._candidates(a, b):
                if (
                    self._partners[0][p] == NONE
                    and self._partners[1][q] == NONE
                    and labels_a[p] == labels_b[q]
                    and (is_telling or not self._contradicts(p, q))
                ):
                    self._pair(p, q)

    def _candidates(self, a: int, b: int) -> list[tuple[int, int]]:
        near_a, near_b = self._near
        places = {(slot, output): q for slot, output, q in near_b.operands[b]}
        found = [
            (p, places[slot, output])
            for slot, output, p in near_a.operands[a]
            if (slot, output) in places
        ]
        users_a, users_b = near_a.sole_users(a), near_b.sole_users(b)
        found += [(p, users_b[key]) for key, p in users_a.items() if key in users_b]
        found += zip(near_a.boundary(a), near_b.boundary(b), strict=False)
        return found

    def _contradicts(self, p: int, q: int) -> bool:
        """Whether some operand that is known says that the two are not the same."""
        theirs = {(slot, output): s for slot, output, s in self._near[1].operands[q]}
        for slot, output, source in self._near[0].operands[p]:
            partner = self._partners[0][source]
            other = theirs.get((slot, output))
            if other is None:
                continue
            if partner != NONE and partner != other:
                return True
            if partner == NONE and self._partners[1][other] != NONE:
                return True
        return False


def owners_of(side: Side) -> npt.NDArray[np.int64]:
    """Of each node the node that it is inside of; the number of nodes for the program itself."""
    graph = side.graph
    owners = np.full(len(graph.nodes), len(graph.nodes), np.int64)
    grouped = graph.nodes.group != NONE
    found = graph.groups.owner[graph.nodes.group[grouped]]
    owners[grouped] = np.where(found == NONE, len(graph.nodes), found)
    return owners
