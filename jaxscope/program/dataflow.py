"""How values flow through nested programs.

A graph does not spell out the edges between a nested program and its surroundings: an input inside
says which operand of its owner it receives, and a root inside says which of the owner's results it
gives. This module finds these boundary edges, which groups several owners share, what feeds what
when boundaries are looked through, a node's neighbourhood, and a path between two nodes.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from jaxscope.late_dataclass import dataclass
from jaxscope.model import NONE, Graph, NodeKind
from jaxscope.model.graph import distinct
from jaxscope.model.said import say, say_count
from jaxscope.model.types import read_count

# Programs that several nodes are the inside of: drawn once, at the first of their owners.


Int32s = npt.NDArray[np.int32]


class ShownGroups(NamedTuple):
    """Nodes whose inside is drawn at another node, in rising order, and the groups that show it.

    A node that shares several programs, such as a branch with several arms, has a row for each.
    """

    node: Int32s
    group: Int32s

    def of(self, node: int) -> list[int]:
        """The groups of one node."""
        found: list[int] = self.group[self.node == node].tolist()
        return found


def find_shown_groups(graph: Graph) -> ShownGroups:
    """The groups that show what is inside of nodes, where they are drawn at other nodes.

    The attribute `shares` names one, `calls` all where an equation has several. A name that no
    group has counts as none.
    """
    known_keys = graph.attribute_keys
    keys = [known_keys[key] for key in ("shares", "calls") if key in known_keys]
    attributes = graph.nodes.attributes
    is_key = np.isin(attributes.values[0::2], np.array(keys, np.int32))
    rows = attributes.row_numbers()[np.flatnonzero(is_key) * 2]
    known = {graph.strings[n]: group for group, n in enumerate(graph.groups.id.tolist())}
    pairs: list[tuple[int, int]] = []
    for node in distinct(rows).tolist():
        told = graph.attributes(node)
        if "shares" in told:
            names = told.get("calls", told["shares"]).split(", ")
            found = (known[name] for name in names if name in known)
            pairs += [(node, each) for each in found if graph.groups.owner[each] != node]
    columns = np.asarray(list(dict.fromkeys(pairs)), np.int32).reshape(-1, 2)
    return ShownGroups(columns[:, 0], columns[:, 1])


class SharedGroups(NamedTuple):
    """Groups that several nodes have as their inside, and from how many places each is called."""

    group: Int32s
    num_calls: Int32s

    def calls_of(self, group: int) -> int:
        """From how many places a group is called, if from several; else 0."""
        return int(self.num_calls[self.group == group].sum())


_shared: weakref.WeakKeyDictionary[Graph, tuple[SharedGroups, str]] = weakref.WeakKeyDictionary()


def find_shared_groups(graph: Graph) -> SharedGroups:
    """Groups that several nodes have as their inside; found once for each graph."""
    return _find_shared(graph)[0]


def describe_shared(graph: Graph) -> str:
    """What the size of a program leaves out: a program that is used in several places counts once.

    Empty where there are none, or where nothing that counts is in them.
    """
    return _find_shared(graph)[1]


def _find_shared(graph: Graph) -> tuple[SharedGroups, str]:
    known = _shared.get(graph)
    if known is None:
        shown = find_shown_groups(graph).group
        groups, counts = np.unique(shown[graph.groups.owner[shown] != NONE], return_counts=True)
        called = _called_by_several(graph)
        found = SharedGroups(
            np.array([*groups, *called], np.int32),
            np.array([*(counts + 1), *called.values()], np.int32),
        )
        known = _shared[graph] = found, _tell_shared(graph, found)
    return known


def _called_by_several(graph: Graph) -> dict[int, int]:
    """Of HLO: the groups that several instructions `call`, and how many do.

    A reduction's function is left out: it is part of what reduces.
    """
    callers = attribute_column(graph, "called_by")
    found: dict[int, int] = {}
    for node in np.flatnonzero(callers != NONE).tolist():
        group = int(graph.nodes.group[node])
        owner = int(graph.groups.owner[group]) if group != NONE else NONE
        if group not in found and owner != NONE and graph.operation(owner) == "call":
            found[group] = graph.strings[callers[node]].count(",") + 1
    return {group: count for group, count in found.items() if count > 1}


def find_counted_once(graph: Graph) -> Int32s:
    """The nodes that count and are inside of what several nodes have as their inside."""
    shared = find_shared_groups(graph)
    return _find_inside(graph, shared) if len(shared.group) else np.zeros(0, np.int32)


def _find_inside(graph: Graph, shared: SharedGroups) -> Int32s:
    from jaxscope.program.size import is_counted  # few programs share any

    is_inside = np.zeros(len(graph.groups) + 1, bool)  # the last entry answers for `NONE`
    is_inside[shared.group] = True
    for group in range(len(graph.groups)):
        is_inside[group] |= is_inside[graph.groups.parent[group]]
    found = np.flatnonzero(is_inside[graph.nodes.group] & is_counted(graph))
    return found.astype(np.int32)


def _tell_shared(graph: Graph, shared: SharedGroups) -> str:
    if not len(shared.group):
        return ""
    from jaxscope.program.size import describe_count

    size = describe_count(graph, len(_find_inside(graph, shared)))
    if len(shared.group) > 1:
        return say(
            "Counted once: {size} inside {count} used in several places.",
            size=size,
            count=say_count(len(shared.group), "function"),
        )
    return say(
        "Counted once: {size} inside {label}, used in {num_calls:,} places.",
        size=size,
        label=graph.group_label(int(shared.group[0])),
        num_calls=int(shared.num_calls[0]),
    )


def first_node_inside(graph: Graph, group: int) -> int:
    """The first node of a group or of what it encloses that does something, or `NONE`."""
    if not 0 <= group < len(graph.groups):
        return NONE
    is_inside = np.zeros(len(graph.groups) + 1, bool)  # the last entry answers for `NONE`
    is_inside[group] = True
    for index in range(group + 1, len(graph.groups)):
        is_inside[index] = is_inside[graph.groups.parent[index]]
    is_program = ~np.isin(graph.nodes.kind, (NodeKind.INPUT, NodeKind.OUTPUT))
    nodes = np.flatnonzero(is_inside[graph.nodes.group] & is_program)
    return int(nodes[0]) if len(nodes) else NONE


Int64s = npt.NDArray[np.int64]

Origin = tuple[int, int]
"""A node and which of its results."""


class Entries(NamedTuple):
    """Inner inputs, in program order: the node, its owner, and the operand that it receives."""

    node: Int64s
    owner: Int64s
    operand: Int64s


class Exits(NamedTuple):
    """What gives results of owners, in program order: the node, its owner, and the result.

    The result is -1 where the node gives all of them.
    """

    node: Int64s
    owner: Int64s
    result: Int64s


@dataclass(frozen=True, slots=True)
class Boundaries:
    """Nodes at the edges of nested programs.

    Attributes:
        entering: Of each inner input, its owner and the operand it receives.
        leaving: Of each result of an owner, the nodes inside that give it.
    """

    entering: dict[int, tuple[int, int]]
    leaving: dict[Origin, list[int]]


def find_boundaries(graph: Graph) -> Boundaries:
    """The nodes at the edges of all nested programs of a graph."""
    entries, exits = list_boundaries(graph)
    nodes, owners, operands = (column.tolist() for column in entries)
    leaving: dict[Origin, list[int]] = {}
    for node, owner, result in zip(*(column.tolist() for column in exits), strict=True):
        leaving.setdefault((owner, result), []).append(node)
    return Boundaries(dict(zip(nodes, zip(owners, operands, strict=True), strict=True)), leaving)


def list_boundaries(graph: Graph) -> tuple[Entries, Exits]:
    """Entries and exits of all groups, as columns."""
    groups, nodes = graph.groups, graph.nodes
    gives_result = np.asarray([not graph.is_condition(n) for n in range(len(groups))], bool)
    operands, results, roots, parameters = (
        attribute_column(graph, key) for key in ("operand", "result", "root", "parameter_number")
    )
    takes = (nodes.kind == NodeKind.INPUT) | (parameters != NONE)
    has_owner = np.append(groups.owner != NONE, False)  # the last entry is of nodes in no group
    is_inside = has_owner[nodes.group]

    inputs = np.flatnonzero(is_inside & takes)
    numbers = _integers(graph, operands[inputs])
    is_known = numbers >= 0
    entering = inputs[is_known]
    mapped, with_inputs = (np.zeros(len(groups), bool) for _ in range(2))
    mapped[nodes.group[entering]] = True
    with_inputs[nodes.group[inputs]] = True

    given = np.flatnonzero(is_inside & ~takes & ((roots != NONE) | (results != NONE)))
    is_root = roots[given] != NONE
    result = np.where(is_root, -1, _integers(graph, results[given]))
    group = nodes.group[given]
    is_given = (is_root | (result >= 0)) & gives_result[group]
    is_given &= mapped[group] | ~with_inputs[group]
    leaving = given[is_given]
    owner = groups.owner.astype(np.int64)
    return (
        Entries(entering, owner[nodes.group[entering]], numbers[is_known]),
        Exits(leaving, owner[nodes.group[leaving]], result[is_given]),
    )


def attribute_column(graph: Graph, key: str) -> npt.NDArray[np.int32]:
    """Of each node the string that is the attribute's value; `NONE` where it has none."""
    column = np.full(len(graph.nodes), NONE, np.int32)
    if key in graph.attribute_keys:
        attributes = graph.nodes.attributes
        at = 2 * np.flatnonzero(attributes.values[0::2] == graph.attribute_keys[key])
        nodes: npt.NDArray[np.integer[Any]]
        if 16 * len(at) < len(attributes.values):  # most keys are of a few nodes
            nodes = np.searchsorted(attributes.offsets, at, "right") - 1
        else:
            nodes = attributes.row_numbers()[at]
        column[nodes] = attributes.values[at + 1]
    return column


def attribute_texts(graph: Graph, key: str) -> list[tuple[int, str]]:
    """The nodes that have an attribute, in order, each with the attribute's value."""
    column = attribute_column(graph, key)
    nodes = np.flatnonzero(column != NONE)
    texts = map(graph.strings.__getitem__, column[nodes].tolist())
    return list(zip(nodes.tolist(), texts, strict=True))


def _integers(graph: Graph, strings: npt.NDArray[np.int32]) -> Int64s:
    """The numbers that strings spell; -1 for what is none. Each string is read once."""

    @functools.cache
    def read(string: int) -> int:
        number = None if string == NONE else read_count(graph.strings[string])
        return -1 if number is None else number

    return np.fromiter(map(read, strings.tolist()), np.int64, len(strings))


NodePair = tuple[int, int]


def find_boundary_edges(graph: Graph, begin: int, end: int) -> tuple[Int32s, Int32s]:
    """Sources and targets of the edges by which a path between two nodes may cross borders.

    A path that begins or ends at an owner may lead into what it owns. A program that several
    nodes share is left only as it was entered: through those that are not its first owner, one
    gets in only to stay, and out only from inside.
    """
    pairs = dict.fromkeys(_Borders(graph).list_pairs(begin, end))
    found = np.asarray(list(pairs), np.int32).reshape(-1, 2)
    return found[:, 0], found[:, 1]


class _Borders:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._owners = graph.groups.owner.tolist()
        self._group_of = graph.nodes.group.tolist()
        self._into: dict[
            int, list[NodePair]
        ] = {}  # of each group its inputs, and for which operand
        self._out: dict[int, list[NodePair]] = {}
        boundaries = find_boundaries(graph)
        for node, (_, operand) in boundaries.entering.items():
            self._into.setdefault(self._group_of[node], []).append((node, operand))
        for (_, result), nodes in boundaries.leaving.items():
            for node in nodes:
                self._out.setdefault(self._group_of[node], []).append((node, result))
        self._add_unmapped()
        self._insides: dict[int, list[int]] = {}  # of each owner its groups
        for group, owner in enumerate(self._owners):
            self._insides.setdefault(owner, []).append(group)
        self._producers: dict[int, list[tuple[int, int, int]]] = {}
        self._users: dict[int, list[NodePair]] = {}
        for source, output, target, operand in graph.edges.ends():
            self._producers.setdefault(target, []).append((source, output, operand))
            self._users.setdefault(source, []).append((target, output))

    def _add_unmapped(self) -> None:
        """Reducers get no operand as it is: any may be what enters."""
        kinds = self._graph.nodes.kind.tolist()
        unmapped = {
            group
            for group, owner in enumerate(self._owners)
            if owner != NONE and group not in self._into and group not in self._out
        }
        for node, group in enumerate(self._group_of):
            if group in unmapped and kinds[node] == NodeKind.INPUT:
                self._into.setdefault(group, []).append((node, NONE))
            elif group in unmapped and kinds[node] == NodeKind.OUTPUT:
                self._out.setdefault(group, []).append((node, NONE))

    def list_pairs(self, begin: int, end: int) -> Iterator[NodePair]:
        for group, owner in enumerate(self._owners):
            if owner != NONE:
                yield from self._enter(group, owner)
                yield from self._leave(group, owner)
            if owner == begin:
                yield from ((begin, node) for node, _ in self._into.get(group, ()))
            if owner == end:
                yield from ((node, end) for node, _ in self._out.get(group, ()))
        around_begin, around_end = self._groups_around(begin), self._groups_around(end)
        shown = find_shown_groups(self._graph)
        for node, group in zip(shown.node.tolist(), shown.group.tolist(), strict=True):
            if group in around_end:
                yield from self._enter(group, node)
                if node == begin:
                    yield from ((begin, inner) for inner, _ in self._into.get(group, ()))
            if group in around_begin:
                yield from self._leave(group, node)
                if node == end:
                    yield from ((inner, end) for inner, _ in self._out.get(group, ()))

    def _enter(self, group: int, owner: int) -> Iterator[NodePair]:
        for node, wanted in self._into.get(group, ()):
            for source, output, operand in self._producers.get(owner, ()):
                if wanted in (NONE, operand):
                    yield source, node
                    for inside in self._insides.get(source, ()):  # out of one and into another
                        yield from (
                            (each, node)
                            for each, result in self._out.get(inside, ())
                            if result in (NONE, output)
                        )

    def _leave(self, group: int, owner: int) -> Iterator[NodePair]:
        for node, wanted in self._out.get(group, ()):
            for user, result in self._users.get(owner, ()):
                if wanted in (NONE, result):
                    yield node, user

    def _groups_around(self, node: int) -> frozenset[int]:
        parents, group = self._graph.groups.parent, self._group_of[node]
        found = set()
        while group != NONE:
            found.add(group)
            group = int(parents[group])
        return frozenset(found)


def count_boundary_edges(graph: Graph, path: tuple[int, ...]) -> int:
    """How many borders of nested programs a path crosses."""
    groups = graph.nodes.group[list(path)]
    return int((groups[1:] != groups[:-1]).sum())


# What feeds what, for chains: nested programs and what only hands a value on are looked through.
#
# `jax.nn.relu` is a program of its own, and XLA puts most operations into fusions. Whoever looks
# for `dot_general -> add -> max` means the operations that a value meets, not the borders it
# crosses. So a value that enters a nested program goes on from the input inside, and one that
# leaves it goes to the users of the owner's result. Inputs, results and bitcasts are still found by
# themselves.


Bools = npt.NDArray[np.bool_]

_HANDS_ON = ("bitcast",)


class FeedGraph:
    """Which nodes feed which. Vertices are the nodes, and a gate for each result of an owner."""

    def __init__(self, graph: Graph) -> None:
        self._count = len(graph.nodes)
        entries, exits = list_boundaries(graph)
        gates = _Gates(exits, self._count)
        pairs = _pair_over_borders(graph, entries, exits, gates)
        self._begin = np.concatenate([graph.edges.source.astype(np.int64), pairs[0]])
        self._end = np.concatenate([graph.edges.target.astype(np.int64), pairs[1]])
        self._hands_on = _find_handing_on(graph, entries, exits, len(gates.vertex))

    def find_fed(self, nodes: Bools, *, is_far: bool) -> Bools:
        """Nodes that any of `nodes` feeds, directly or, where it is far, over any others."""
        return self._reach(nodes, *self._onward, is_far=is_far)

    def find_feeding(self, nodes: Bools, *, is_far: bool) -> Bools:
        """Nodes that feed any of `nodes`."""
        return self._reach(nodes, *self._backward, is_far=is_far)

    @functools.cached_property
    def _onward(self) -> tuple[Int64s, Int64s]:
        return _sort_edges(self._begin, self._end, len(self._hands_on))

    @functools.cached_property
    def _backward(self) -> tuple[Int64s, Int64s]:
        return _sort_edges(self._end, self._begin, len(self._hands_on))

    def _reach(self, nodes: Bools, ends: Int64s, offsets: Int64s, *, is_far: bool) -> Bools:
        reached = np.zeros(len(self._hands_on), bool)
        front = np.flatnonzero(nodes)
        while len(front):
            counts = offsets[front + 1] - offsets[front]
            first = offsets[front] - np.concatenate([[0], np.cumsum(counts)[:-1]])
            following = ends[np.repeat(first, counts) + np.arange(int(counts.sum()))]
            front = distinct(following[~reached[following]])
            reached[front] = True
            if not is_far:
                front = front[self._hands_on[front]]
        return reached[: self._count]


class _Gates:
    """A vertex for each result of an owner.

    Attributes:
        owner: Of each gate.
        result: Of each gate; -1 stands for all results of the owner.
        vertex: Of each gate; they are numbered after the nodes.
        of_exit: Of each exit the vertex of its gate.
    """

    def __init__(self, exits: Exits, first: int) -> None:
        pairs = np.stack([exits.owner, exits.result], axis=1)
        found, of_exit = np.unique(pairs, axis=0, return_inverse=True)
        self.owner, self.result = found[:, 0], found[:, 1]
        self.vertex = np.arange(first, first + len(found))
        self.of_exit = self.vertex[of_exit.reshape(-1)]


def _pair_over_borders(
    graph: Graph, entries: Entries, exits: Exits, gates: _Gates
) -> tuple[Int64s, Int64s]:
    """Where edges over borders, which the graph does not spell out, begin and end."""
    edges = graph.edges
    begins, ends = [exits.node], [gates.of_exit]
    giver, gate = _match(exits.node, gates.owner)  # what gives a result may be an owner itself
    begins.append(gates.vertex[gate])
    ends.append(gates.of_exit[giver])

    edge, gate = _match(edges.source, gates.owner)
    is_told = (gates.result[gate] < 0) | (gates.result[gate] == edges.output[edge])
    edge, gate = edge[is_told], gate[is_told]
    begins.append(gates.vertex[gate])
    ends.append(edges.target[edge].astype(np.int64))

    vertex = np.concatenate([edges.source.astype(np.int64), gates.vertex[gate]])
    target = np.concatenate([edges.target, edges.target[edge]]).astype(np.int64)
    operand = np.concatenate([edges.operand, edges.operand[edge]]).astype(np.int64)
    most = max(int(operand.max(initial=0)), int(entries.operand.max(initial=0))) + 1
    entered, entry = _match(target * most + operand, entries.owner * most + entries.operand)
    begins.append(vertex[entered])
    ends.append(entries.node[entry])
    return np.concatenate(begins), np.concatenate(ends)


def _match(left: npt.NDArray[np.integer], right: npt.NDArray[np.integer]) -> tuple[Int64s, Int64s]:
    """All pairs of equal keys, as indices into both."""
    order = np.argsort(right, kind="stable")
    first = np.searchsorted(right, left, "left", order)
    counts = np.searchsorted(right, left, "right", order) - first
    which = np.repeat(np.arange(len(left)), counts)
    offsets = np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts)
    return which, order[first[which] + offsets]


def _find_handing_on(graph: Graph, entries: Entries, exits: Exits, num_gates: int) -> Bools:
    """Vertices that a value passes on its way from one operation to the next."""
    is_passing = np.zeros(len(graph.nodes), np.bool_)
    is_passing[graph.nodes_of(_HANDS_ON)] = True
    is_passing[entries.node] = True
    is_passing[exits.node[graph.nodes.kind[exits.node] == NodeKind.OUTPUT]] = True
    return np.concatenate([is_passing, np.ones(num_gates, bool)])


def _sort_edges(begin: Int64s, end: Int64s, num_vertices: int) -> tuple[Int64s, Int64s]:
    """Ends of edges sorted by where they begin, and where each vertex's edges begin among them."""
    order = np.argsort(begin, kind="stable")
    offsets = np.searchsorted(begin[order], np.arange(num_vertices + 1))
    return end[order], offsets.astype(np.int64)


# What is near a node, and how one node leads to another.


def find_neighbourhood(graph: Graph, nodes: Sequence[int], radius: int) -> Int32s:
    """Nodes at most `radius` edges away from some nodes, in either direction, themselves included.

    Borders of nested programs and of fusions are no steps: what a value meets inside is as near.
    Indices that the graph does not have are ignored.
    """
    count = len(graph.nodes)
    is_near = np.zeros(count, bool)
    is_near[[node for node in nodes if 0 <= node < count]] = True
    feeding = FeedGraph(graph)
    for _ in range(radius):
        before = is_near
        fed = feeding.find_fed(before, is_far=False)
        is_near = before | fed | feeding.find_feeding(before, is_far=False)
        if (before == is_near).all():
            break
    return np.flatnonzero(is_near).astype(np.int32)


def find_path(graph: Graph, begin: int, end: int) -> tuple[int, ...]:
    """A shortest path of values between two nodes, in the order in which values flow.

    It leads into nested programs and out of them, as the values do.
    Where no value of one reaches the other, the path ignores which way values flow, as between
    two users of one value. Empty where nothing connects them.
    """
    count = len(graph.nodes)
    if not (0 <= begin < count and 0 <= end < count):
        return ()
    for first, last in ((begin, end), (end, begin)):
        across = find_boundary_edges(graph, first, last)
        source = np.concatenate([graph.edges.source, across[0]])
        target = np.concatenate([graph.edges.target, across[1]])
        path = _walk(count, source, target, first, last)
        if path:
            return path
    both = np.concatenate([source, target]), np.concatenate([target, source])
    return _walk(count, *both, begin, end)


def _walk(count: int, source: Int32s, target: Int32s, begin: int, end: int) -> tuple[int, ...]:
    """A shortest walk along edges; each node of a front remembers where it came from."""
    order = np.argsort(source, kind="stable")
    ends = target[order].astype(np.int64)
    offsets = np.searchsorted(source[order], np.arange(count + 1))
    came_from = np.full(count, NONE, np.int64)
    came_from[begin] = begin
    front: Int64s = np.array([begin], np.int64)
    while len(front) and came_from[end] == NONE:
        counts = offsets[front + 1] - offsets[front]
        first = offsets[front] - np.concatenate([[0], np.cumsum(counts)[:-1]])
        reached = ends[np.repeat(first, counts) + np.arange(int(counts.sum()))]
        origin = np.repeat(front, counts)
        is_new = came_from[reached] == NONE
        came_from[reached[is_new][::-1]] = origin[is_new][::-1]
        front = distinct(reached[is_new])
    if came_from[end] == NONE:
        return ()
    path = [end]
    while path[-1] != begin:
        path.append(int(came_from[path[-1]]))
    return tuple(reversed(path))


def find_root(graph: Graph) -> int:
    """The instruction that gives the results of an HLO module, or `NONE` in other stages."""
    nodes = graph.nodes
    is_root = (nodes.kind == int(NodeKind.INSTRUCTION)) & (nodes.group == NONE)
    is_root &= attribute_column(graph, "root") != NONE
    return int(np.argmax(is_root)) if is_root.any() else NONE
