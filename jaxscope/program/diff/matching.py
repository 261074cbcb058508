"""Find which node of one graph is which node of another.

Idea: nodes get hashes of their content (operation, types, attributes, origin), then of their
neighbourhood (Weisfeiler–Lehman rounds over operands, users, nesting). Steps, from certain to
plausible: neighbourhoods that are equal and unique on both sides; their neighbours along equal
edges; what remains, by order between known pairs; first with full content, then with less.
`follow_nodes` does the same for a program after a small edit, in the time between two pictures:
nodes are aligned in program order, and what moved is found by its hash. Cost: a few passes over the
columns for each round of hashes (milliseconds at 50,000 nodes); alignment in nearly linear time.
Limits: what is alike on both sides is paired by order.
"""

from __future__ import annotations

import collections
import dataclasses
import enum
import hashlib
import itertools
import re
from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind, Ragged
from jaxscope.model.graph import RESULTS
from jaxscope.program.diff.sequences import IndexPair, align_sequences

# What a node is, as numbers that mean the same on both sides of a comparison.
#
# Two nodes with the same number have the same content, whatever they are called and wherever they
# stand in the file: names, ids and line numbers are not part of it.


Hashes = npt.NDArray[np.uint64]
Int64s = npt.NDArray[np.int64]

NAMING_ATTRIBUTES = frozenset(
    {
        *("shared_by", "shares", "called_by", "calls", "op_name", "root", "cost_note"),
        *("argument_name", RESULTS),
    }
)
"""Attributes that name other nodes or say the same again; a new number in them is no change."""
PLACE_ATTRIBUTES = frozenset({"argument", "result", "parameter_number", "operand", "path"})
"""Attributes that say which argument or result a node is; an argument before it shifts them."""

_SYMBOL_ATTRIBUTES = frozenset({"callee"})
_NUMBER_AT_END = re.compile(r"_\d+$")


@dataclass(frozen=True, eq=False)
class ComparedGraph:
    """One graph of a comparison.

    Attributes:
        graph: The graph.
        lines: Of each source file the lines; empty where no file was kept.
        origins: For each id in an origin column the name that both sides use for that equation;
            ids that are not in it stand for themselves. None in the stage that the ids are of:
            there they are only numbers.
    """

    graph: Graph
    lines: Mapping[str, Sequence[str]]
    origins: Mapping[str, str] | None = None


@dataclass(frozen=True, eq=False)
class Signatures:
    """Numbers of each node of one side, from the most to the least informative.

    Attributes:
        placed: Content, and where it comes from: equations, text of the source line, scope, path.
        exact: Kind, operation, types, attributes.
        loose_placed: Kind, operation, number of results, and where it comes from.
        loose: Kind, operation, number of results.
        typed: Kind and types, whatever the operation.
        types: The types alone.
        attributes: The attributes alone.
        scope: The named scopes alone.
    """

    placed: Hashes
    exact: Hashes
    loose_placed: Hashes
    loose: Hashes
    typed: Hashes
    types: Hashes
    attributes: Hashes
    scope: Hashes


class Codes:
    """Gives equal strings equal numbers, over both sides."""

    def __init__(self) -> None:
        self._codes: dict[str, int] = {}

    def code(self, text: str) -> int:
        """The number of a string."""
        return self._codes.setdefault(text, len(self._codes) + 1)

    def column(self, texts: Sequence[str]) -> Int64s:
        """The numbers of some strings."""
        return np.fromiter((self.code(text) for text in texts), np.int64, len(texts))


def mix_hashes(values: npt.NDArray[np.uint64]) -> Hashes:
    """Spread numbers over 64 bits (the end of splitmix64)."""
    values = values.astype(np.uint64, copy=True)
    values ^= values >> np.uint64(30)
    values *= np.uint64(0xBF58476D1CE4E5B9)
    values ^= values >> np.uint64(27)
    values *= np.uint64(0x94D049BB133111EB)
    values ^= values >> np.uint64(31)
    return values


def combine_hashes(*columns: npt.NDArray[np.generic]) -> Hashes:
    """One number for each row of columns; the order of the columns counts."""
    total = np.full(len(columns[0]), 0x9E3779B97F4A7C15, np.uint64)
    for column in columns:
        total = mix_hashes(total * np.uint64(0xD6E8FEB86659FD93) + column.astype(np.uint64))
    return total


def sum_rows(offsets: npt.NDArray[np.generic], values: Hashes) -> Hashes:
    """Sum of each row of a ragged column, modulo 2**64: the order of its values does not count."""
    sums = np.zeros(len(values) + 1, np.uint64)
    np.cumsum(values, dtype=np.uint64, out=sums[1:])
    totals: Hashes = sums[offsets[1:]] - sums[offsets[:-1]]
    return totals


def compute_signatures(side: ComparedGraph, codes: Codes) -> Signatures:
    """Number the nodes of one side; both sides must be given the same `codes`."""
    graph, nodes = side.graph, side.graph.nodes
    texts = codes.column(graph.strings)
    kind, operation = nodes.kind, texts[nodes.operation]
    num_results = nodes.types.lengths()
    types = hash_rows(nodes.types, texts)
    attributes, places = _attributes(graph, codes)
    scope = hash_rows(nodes.scope, texts)
    origins = _origins(side, codes)
    whence = combine_hashes(origins, _source_lines(side, codes), places)
    exact = combine_hashes(kind, operation, types, attributes)
    loose = combine_hashes(kind, operation, num_results)
    return Signatures(
        placed=combine_hashes(exact, whence, scope),
        exact=exact,
        loose_placed=combine_hashes(loose, whence),
        loose=loose,
        typed=combine_hashes(kind, types),
        types=types,
        attributes=attributes,
        scope=scope,
    )


def comparable_attributes(graph: Graph, node: int) -> dict[str, str]:
    """The attributes of a node that a change can show in, as they are compared."""
    return {
        key: _NUMBER_AT_END.sub("", value) if key in _SYMBOL_ATTRIBUTES else value
        for key, value in graph.attributes(node).items()
        if key not in NAMING_ATTRIBUTES | PLACE_ATTRIBUTES
    }


def hash_rows(column: Ragged, texts: Int64s) -> Hashes:
    """One number for each row of strings; their order counts."""
    rows = column.row_numbers()
    position = np.arange(len(column.values)) - column.offsets[rows]
    return sum_rows(column.offsets, combine_hashes(texts[column.values], position))


def _attributes(graph: Graph, codes: Codes) -> tuple[Hashes, Hashes]:
    """Of each node one number for what is compared, and one for the path of an argument."""
    column, strings = graph.nodes.attributes, graph.strings
    keys, values = column.values[0::2], column.values[1::2]
    plain = codes.column(strings)
    ignored = [i for i, s in enumerate(strings) if s in NAMING_ATTRIBUTES | PLACE_ATTRIBUTES]
    value_codes = plain[values]
    symbols = [i for i, s in enumerate(strings) if s in _SYMBOL_ATTRIBUTES]
    for at in np.flatnonzero(np.isin(keys, symbols)).tolist():
        value_codes[at] = codes.code(_NUMBER_AT_END.sub("", strings[values[at]]))
    hashes = combine_hashes(plain[keys], value_codes)
    offsets = column.offsets // 2
    paths = [i for i, s in enumerate(strings) if s == "path"]
    compared = np.where(np.isin(keys, ignored), np.uint64(0), hashes)
    placed = np.where(np.isin(keys, paths), hashes, np.uint64(0))
    return sum_rows(offsets, compared), sum_rows(offsets, placed)


def _origins(side: ComparedGraph, codes: Codes) -> Hashes:
    """The equations that each node comes from, in names that both sides use."""
    column = side.graph.nodes.origins
    if side.origins is None:
        return np.zeros(len(column), np.uint64)
    names = codes.column([side.origins.get(text, text) for text in side.graph.strings])
    return sum_rows(column.offsets, combine_hashes(names[column.values]))


def _source_lines(side: ComparedGraph, codes: Codes) -> Int64s:
    """The text of the line that each node comes from; 0 where it is not known."""
    column, strings = side.graph.nodes.source, side.graph.strings
    found = np.zeros(len(column), np.int64)
    has_source = np.flatnonzero(column.lengths() >= 4)
    files = column.values[column.offsets[has_source]]
    numbers = column.values[column.offsets[has_source] + 1]
    known: dict[tuple[int, int], int] = {}
    for row, file, number in zip(
        has_source.tolist(), files.tolist(), numbers.tolist(), strict=True
    ):
        key = (file, number)
        if key not in known:
            lines = side.lines.get(strings[file], ())
            text = lines[number - 1].strip() if 0 < number <= len(lines) else ""
            known[key] = codes.code(f"line {text}") if text else 0
        found[row] = known[key]
    return found


class NeighbourKinds(enum.Enum):
    """Which neighbours count."""

    BOTH = "both"
    OPERANDS = "operands"
    USERS = "users"


class NeighbourhoodHasher:
    """The neighbours of every node of one graph, sorted for summing."""

    def __init__(self, graph: Graph) -> None:
        edges, num_nodes = graph.edges, len(graph.nodes)
        self._num_nodes = num_nodes
        self._slot = combine_hashes(edges.operand, edges.output)
        self._into = _sorted_by(edges.target, num_nodes)
        self._out_of = _sorted_by(edges.source, num_nodes)
        self._source, self._target = edges.source, edges.target
        owner = np.full(num_nodes, NONE, np.int64)
        grouped = graph.nodes.group != NONE
        owner[grouped] = graph.groups.owner[graph.nodes.group[grouped]]
        self._inner = np.flatnonzero(owner != NONE)
        self._owner = owner[self._inner]
        self._inside = _sorted_by(self._owner, num_nodes)

    def look(self, labels: Hashes, rounds: int, sight: NeighbourKinds) -> Hashes:
        """The number of each node's neighbourhood, where nodes are what `labels` says."""
        seen = labels
        for _ in range(rounds):
            parts = [seen]
            if sight is not NeighbourKinds.USERS:
                order, offsets = self._into
                values = combine_hashes(seen[self._source], self._slot)
                parts.append(sum_rows(offsets, values[order]))
            if sight is not NeighbourKinds.OPERANDS:
                order, offsets = self._out_of
                values = combine_hashes(seen[self._target], self._slot)
                parts.append(sum_rows(offsets, values[order]))
            if len(self._inner):
                around = np.zeros(self._num_nodes, np.uint64)
                around[self._inner] = seen[self._owner]
                order, offsets = self._inside
                parts += [around, sum_rows(offsets, combine_hashes(seen[self._inner])[order])]
            seen = combine_hashes(*parts)
        return seen

    def operands(self, codes: Hashes) -> Hashes:
        """Of each node one number for what its operands are, slot by slot."""
        order, offsets = self._into
        return sum_rows(offsets, combine_hashes(codes[self._source], self._slot)[order])


def _sorted_by(keys: npt.NDArray[np.generic], num_rows: int) -> tuple[Int64s, Int64s]:
    """The order that sorts keys, and where the run of each number begins in it."""
    order = np.argsort(keys, kind="stable").astype(np.int64)
    offsets = np.zeros(num_rows + 1, np.int64)
    np.cumsum(np.bincount(keys.astype(np.int64), minlength=num_rows), out=offsets[1:])
    return order, offsets


_MAX_USERS = 64
"""A value with more users says nothing about which is which, and must not cost a square."""


class Adjacency:
    """The neighbours of each node of one graph.

    Attributes:
        operands: For each node triples (operand slot, result of the source, source), by slot.
        users: For each node triples (result, operand slot, user), in program order.
    """

    def __init__(self, graph: Graph) -> None:
        num_nodes = len(graph.nodes)
        self.operands: list[list[tuple[int, int, int]]] = [[] for _ in range(num_nodes)]
        self.users: list[list[tuple[int, int, int]]] = [[] for _ in range(num_nodes)]
        for source, output, target, operand in graph.edges.ends():
            self.operands[target].append((operand, output, source))
            self.users[source].append((output, operand, target))
        for row in self.operands:
            row.sort()
        self._operation = graph.nodes.operation.tolist()
        self._strings = graph.strings
        self._boundaries = _find_boundaries(graph)

    def sole_users(self, node: int) -> dict[tuple[int, int, str], int]:
        """Users of a node that are the only ones of their operation at their slot."""
        found: dict[tuple[int, int, str], int] = {}
        users = self.users[node]
        if len(users) > _MAX_USERS:
            return found
        twice = set()
        for output, operand, user in users:
            key = (output, operand, self._strings[self._operation[user]])
            if key in found:
                twice.add(key)
            found[key] = user
        for key in twice:
            del found[key]
        return found

    def boundary(self, owner: int) -> list[int]:
        """Inputs and outputs of the programs inside a node, in order."""
        return self._boundaries.get(owner, [])


def _find_boundaries(graph: Graph) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    owners = graph.groups.owner.tolist()
    edges_of_programs = (NodeKind.INPUT, NodeKind.OUTPUT)
    for node, (kind, group) in enumerate(
        zip(graph.nodes.kind.tolist(), graph.nodes.group.tolist(), strict=True)
    ):
        if group != NONE and owners[group] != NONE and kind in edges_of_programs:
            found.setdefault(owners[group], []).append(node)
    return found


Int32s = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class _MatchingStep:
    """One way to look for neighbourhoods that are alike.

    Attributes:
        labels: Which signature nodes are seen by.
        sight: Which neighbours count.
        rounds: How far.
        pairs_ties: Whether alike ones pair up by order where both sides have equally many.
    """

    labels: str
    sight: NeighbourKinds
    rounds: int
    pairs_ties: bool = False


_CERTAIN = (
    _MatchingStep("placed", NeighbourKinds.BOTH, 3),
    _MatchingStep("placed", NeighbourKinds.BOTH, 0),
    _MatchingStep("exact", NeighbourKinds.BOTH, 16, pairs_ties=True),
    _MatchingStep("exact", NeighbourKinds.OPERANDS, 32),
    _MatchingStep("exact", NeighbourKinds.USERS, 32),
    _MatchingStep("exact", NeighbourKinds.BOTH, 3),
    _MatchingStep("exact", NeighbourKinds.BOTH, 1),
)
_PLAUSIBLE = (
    _MatchingStep("loose_placed", NeighbourKinds.BOTH, 4, pairs_ties=True),
    _MatchingStep("loose", NeighbourKinds.BOTH, 12, pairs_ties=True),
    _MatchingStep("loose_placed", NeighbourKinds.BOTH, 1),
    _MatchingStep("loose_placed", NeighbourKinds.BOTH, 0),
    _MatchingStep("loose", NeighbourKinds.BOTH, 2),
)


@dataclass(frozen=True, eq=False)
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
        """The same pairs with first and second exchanged."""
        return Matching(self.first_of_second, self.second_of_first)


def match_graphs(first: ComparedGraph, second: ComparedGraph) -> Matching:
    """Match the nodes of two graphs; every node has at most one partner.

    Swapping the sides swaps the answer: the work is always done in the same order of the two.
    """
    if order_key(first.graph) > order_key(second.graph):
        return match_graphs(second, first).swapped()
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

    def __init__(self, first: ComparedGraph, second: ComparedGraph, codes: Codes) -> None:
        sides = (first, second)
        self._signs = tuple(compute_signatures(side, codes) for side in sides)
        self._around = tuple(NeighbourhoodHasher(side.graph) for side in sides)
        self._near = tuple(Adjacency(side.graph) for side in sides)
        self._sizes = tuple(len(side.graph.nodes) for side in sides)
        self._owners = tuple(owners_of(side) for side in sides)
        self._operations = tuple(
            codes.column(side.graph.strings)[side.graph.nodes.operation] for side in sides
        )
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
        self._match_by_inside()
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
            labels.append(np.where(known, combine_hashes(number + 1, known), own))
        return labels

    # --- steps ---

    def _match_alike(self, look: _MatchingStep) -> None:
        """Match free nodes whose neighbourhoods are alike and unique on both sides."""
        free = [self._free(index) for index in (0, 1)]
        if not all(map(len, free)):
            return
        labels = self._labels(look.labels)
        seen = [
            around.look(label, look.rounds, look.sight)
            for around, label in zip(self._around, labels, strict=True)
        ]
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
        for a, b in align_sequences(keys[0].tolist(), keys[1].tolist()):
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
            joined.append(
                np.where(is_pair, keys[index], combine_hashes(keys[index], names[owners]))
            )
        return joined

    def _match_by_inside(self) -> None:
        """Match free nodes of one operation by the pairs inside of their nested programs.

        Two nodes with most such pairs come first. So a loop is found again in a gradient, where
        it returns more results.
        """
        partners = np.asarray(self._partners[0], np.int64)
        inside = np.flatnonzero(partners != NONE)
        owners = self._owners[0][inside].tolist(), self._owners[1][partners[inside]].tolist()
        operations = self._operations
        votes = collections.Counter(
            (a, b)
            for a, b in zip(*owners, strict=True)
            if a < self._sizes[0] and b < self._sizes[1] and operations[0][a] == operations[1][b]
        )
        for (a, b), _ in votes.most_common():
            if self._partners[0][a] == NONE and self._partners[1][b] == NONE:
                self._pair(a, b)
        self._spread("loose")

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


def owners_of(side: ComparedGraph) -> npt.NDArray[np.int64]:
    """Of each node the node that it is inside of; the number of nodes for the program itself."""
    graph = side.graph
    owners = np.full(len(graph.nodes), len(graph.nodes), np.int64)
    grouped = graph.nodes.group != NONE
    found = graph.groups.owner[graph.nodes.group[grouped]]
    owners[grouped] = np.where(found == NONE, len(graph.nodes), found)
    return owners


# Find the nodes of a program again after a small edit, in the time between two pictures.
#
# A comparison matches whatever two programs have in common, however far apart it is. Here the
# second program is the first one after a person changed a line: nodes are lined up in program
# order, as a text is with its next version, and what moved is found by its looks. Numbers of
# equations, names of variables and source lines do not count: a line more renumbers all of them.


_MOST_BETWEEN = 20_000
"""Nodes between the equal beginnings and ends of two programs that are lined up."""


def follow_nodes(old: Graph, new: Graph) -> Int32s:
    """Of each node of a program, its index after an edit; `NONE` where it is gone."""
    codes = Codes()
    (exact_old, loose_old), (exact_new, loose_new) = (_sign(graph, codes) for graph in (old, new))
    found = np.full(len(exact_old), NONE, np.int32)
    for first, second in _line_up(exact_old, exact_new):
        found[first] = second
    _fill_gaps(found, loose_old, loose_new)
    _find_moved(found, exact_old, exact_new)
    return found


class NodeFollower:
    """Follows node ids from one graph of a stage to the next one of it."""

    def __init__(self, old: Graph, new: Graph) -> None:
        self._old, self._new = old, new
        self._found = follow_nodes(old, new)

    def find(self, node_id: str) -> str | None:
        """The id that a node has by now; None if it is gone, or never was."""
        node = self._old.index_by_id.get(node_id)
        found = NONE if node is None else int(self._found[node])
        return None if found == NONE else self._new.id(found)


def _sign(graph: Graph, codes: Codes) -> tuple[Hashes, Hashes]:
    """What a node looks like, and what it does whatever the sizes of its arrays."""
    nodes, texts = graph.nodes, codes.column(graph.strings)
    scope = hash_rows(nodes.scope, texts)
    loose = combine_hashes(nodes.kind, texts[nodes.operation], nodes.direction, scope)
    num_inputs = np.bincount(graph.edges.target, minlength=len(nodes))
    return combine_hashes(loose, hash_rows(nodes.types, texts), num_inputs), loose


def _line_up(old: Hashes, new: Hashes) -> list[IndexPair]:
    """Pairs of places with equal keys, rising on both sides."""
    most = min(len(old), len(new))
    head = _count_equal(old[:most], new[:most])
    most -= head
    tail = _count_equal(old[::-1][:most], new[::-1][:most])
    pairs = [(at, at) for at in range(head)]
    between = old[head : len(old) - tail], new[head : len(new) - tail]
    if sum(map(len, between)) <= _MOST_BETWEEN:
        pairs += [
            (head + a, head + b) for a, b in align_sequences(*(each.tolist() for each in between))
        ]
    pairs += [(len(old) - at, len(new) - at) for at in range(tail, 0, -1)]
    return pairs


def _count_equal(one: Hashes, other: Hashes) -> int:
    """How many rows are equal before the first that are not."""
    differs = np.flatnonzero(one != other)
    return int(differs[0]) if len(differs) else len(one)


def _fill_gaps(found: Int32s, old: Hashes, new: Hashes) -> None:
    """Line up what is between what was found, by what it does alone."""
    known = np.flatnonzero(found != NONE)
    firsts = [-1, *known.tolist(), len(old)]
    seconds = [-1, *found[known].tolist(), len(new)]
    for (a, next_a), (b, next_b) in zip(
        itertools.pairwise(firsts), itertools.pairwise(seconds), strict=True
    ):
        size = (next_a - a - 1) + (next_b - b - 1)
        if next_a - a > 1 and next_b - b > 1 and size <= _MOST_BETWEEN:
            gap = align_sequences(old[a + 1 : next_a].tolist(), new[b + 1 : next_b].tolist())
            for first, second in gap:
                found[a + 1 + first] = b + 1 + second


def _find_moved(found: Int32s, old: Hashes, new: Hashes) -> None:
    """Pair up what is left and looks the same, by its turn."""
    is_left = np.ones(len(new), bool)
    is_left[found[found != NONE]] = False
    turns: dict[int, list[int]] = {}
    for second in np.flatnonzero(is_left)[::-1].tolist():
        turns.setdefault(int(new[second]), []).append(second)
    for first in np.flatnonzero(found == NONE).tolist():
        waiting = turns.get(int(old[first]))
        if waiting:
            found[first] = waiting.pop()
