"""Simplifications of single nodes: literals and scalar constants into labels, one-operation bodies
into their owner, plumbing (boundaries, tuples) looked through.
"""

from __future__ import annotations

import dataclasses
import re
import struct
from array import array
from collections.abc import Collection, Iterator, Mapping

import numpy as np

from jaxscope.model import NONE, Direction, Graph, NodeKind
from jaxscope.model.graph import distinct
from jaxscope.model.operations import LOOPS, PLUMBING
from jaxscope.model.types import parse_array_type, read_count
from jaxscope.picture.view.arguments import find_results
from jaxscope.picture.view.operations import CONSTANTS, SPREADERS, short_operation
from jaxscope.picture.view.tree import Draft, Input, find_drawn
from jaxscope.program.dataflow import Boundaries, Origin, attribute_column, find_boundaries

_LITERAL = re.compile(r"^in\[(\d+)\]$")
_DENSE = re.compile(r"^dense<(.*?)>(?: : .*)?$", re.DOTALL)
_SPLAT = re.compile(r"^[-+\w.]{1,24}$")
_BITS = re.compile(r"^0x([0-9A-Fa-f]{1,16})$")
_FLOATS = {"f16": (2, ">e"), "bf16": (2, ">f"), "f32": (4, ">f"), "f64": (8, ">d")}
_MAX_VALUE_LENGTH = 24


def show_literals(draft: Draft) -> Draft:
    """Put literal operands of equations, such as `2.0`, into the equations' labels."""
    graph = draft.graph
    values = graph.nodes.attributes.values
    is_key = np.zeros(len(graph.strings), bool)
    is_key[values[::2]] = True
    keys = {
        number: int(match[1])
        for number in np.flatnonzero(is_key).tolist()
        if (match := _LITERAL.match(graph.strings[number]))
    }
    if not keys:
        return draft
    notes = {node: list(texts) for node, texts in draft.notes.items()}
    rows = graph.nodes.attributes.row_numbers()
    places = 2 * np.flatnonzero(np.isin(values[::2], list(keys)))
    columns = (rows[places].tolist(), values[places].tolist(), values[places + 1].tolist())
    for node, key, literal in zip(*columns, strict=True):
        notes.setdefault(node, []).append((keys[key], graph.strings[literal]))
    return dataclasses.replace(
        draft, notes={node: tuple(sorted(set(texts))) for node, texts in notes.items()}
    )


def fold_constants(draft: Draft) -> Draft:
    """Fold scalar constants, and casts and broadcasts of them, into their users' labels.

    Constants with more values stay: captured weights are worth seeing. So do constants that are
    themselves a result, those that enter a loop, as only its first round may see them, and those of
    the forward pass that only the backward pass uses: each part shows what it consists of.
    """
    values = _constant_values(draft)
    if not values:
        return draft
    users = _users_of(draft, values)
    results = find_results(draft.graph)
    starts = _loop_starts(draft, users)
    folded = {
        node
        for node in values
        if users[node] and results.isdisjoint(users[node]) and node not in starts
    }
    folded -= _find_of_other_part(draft.graph, users, folded)
    # A spreader can only fold if it folds into something: chains are walked from their ends.
    home = list(draft.home)
    notes = {node: list(texts) for node, texts in draft.notes.items()}
    inputs: dict[int, tuple[Input, ...]] = {}
    for node in sorted({user for each in folded for user in users[each]} - folded):
        row = draft.inputs[node]
        inputs[node] = tuple(each for each in row if each.source not in folded)
        notes.setdefault(node, []).extend(
            (each.operand, values[each.source]) for each in row if each.source in folded
        )
    for node in folded:
        home[node] = _home_of_folded(draft.graph, node, users)
        inputs[node] = ()
    final = array("i", [at if home[at] == at else find_drawn(home, at) for at in home])
    return dataclasses.replace(
        draft,
        inputs=draft.inputs.with_rows(inputs),
        home=final,
        notes={node: tuple(sorted(set(texts))) for node, texts in notes.items()},
    )


def _find_nodes_of(graph: Graph, operations: Collection[str]) -> Iterator[tuple[int, str]]:
    """Nodes of some operations, in order, each with its operation."""
    for node in graph.nodes_of(operations):
        yield node, graph.operation(node)


def _users_of(draft: Draft, values: Collection[int]) -> dict[int, list[int]]:
    """Nodes that use a result of each of some nodes, once per operand."""
    users: dict[int, list[int]] = {node: [] for node in values}
    inputs = draft.inputs
    is_value = np.zeros(len(inputs), np.bool_)
    is_value[list(values)] = True
    used = is_value[inputs.source]
    ends = zip(inputs.source[used].tolist(), inputs.target[used].tolist(), strict=True)
    for source, target in ends:
        users[source].append(target)
    return users


def _loop_starts(draft: Draft, users: Mapping[int, list[int]]) -> set[int]:
    """Nodes with users inside of a loop that they themselves are outside of."""
    graph = draft.graph
    groups, group_of = graph.groups, graph.nodes.group.tolist()
    owners, parents = groups.owner.tolist(), groups.parent.tolist()
    flow = draft.flow
    # Of a loop whose carry is known, only its carry changes; a start is noted there.
    is_loop = [
        owner != NONE
        and owner not in flow.loops
        and graph.strings[graph.nodes.operation[owner]] in LOOPS
        for owner in owners
    ]
    num_values = graph.nodes.types.lengths()
    several = {node for node in flow.roles if num_values[node] > 1}
    if not any(is_loop) and not several:
        return set()
    around: dict[int, frozenset[int]] = {NONE: frozenset()}

    def loops_around(group: int) -> frozenset[int]:
        if group not in around:
            outer = loops_around(parents[group])
            around[group] = outer | {owners[group]} if is_loop[group] else outer
        return around[group]

    for group in range(len(owners)):  # parents come first
        loops_around(group)
    return {
        node
        for node, using in users.items()
        if any(around[group_of[user]] - around[group_of[node]] for user in using)
        or not several.isdisjoint(using)
    }


def _find_of_other_part(graph: Graph, users: Mapping[int, list[int]], folded: set[int]) -> set[int]:
    """Nodes of a part of a gradient, forward or backward, that only the other part uses."""
    directions = graph.nodes.direction.tolist()
    return {
        node
        for node in folded
        if directions[node] != Direction.NONE
        and not {Direction.NONE, directions[node]} & {directions[user] for user in users[node]}
    }


def _home_of_folded(graph: Graph, node: int, users: Mapping[int, list[int]]) -> int:
    """The first user of a constant, of the same part of a gradient where there is one."""
    directions = graph.nodes.direction
    return min(users[node], key=lambda user: (directions[user] != directions[node], user))


def _constant_values(draft: Draft) -> dict[int, str]:
    """The text of every node that stands for one scalar value."""
    graph = draft.graph
    values: dict[int, str] = {}
    for node, operation in _find_nodes_of(graph, CONSTANTS | SPREADERS):
        if not draft.is_shown(node):
            continue
        if operation in CONSTANTS:
            value = _scalar_value(graph, node)
            if value:
                values[node] = value
        elif operation in SPREADERS:
            sources = {each.source for each in draft.inputs[node]}
            noted = draft.notes.get(node, ())
            if len(sources) + len(noted) == 1 and sources <= values.keys():
                text = values[sources.pop()] if sources else noted[0][1]
                if ":" not in text or _is_scalar(text.rpartition(":")[2]):
                    values[node] = text
    return values


def _scalar_value(graph: Graph, node: int) -> str:
    attributes = graph.attributes(node)
    value = (attributes.get("literal") or attributes.get("value") or "").strip()
    dense = _DENSE.match(value)
    types = graph.types(node)
    if dense:  # of any shape: MLIR writes one value for all elements alike
        value = _spell_bits(dense[1], types[0] if types else "")
        return value if _SPLAT.match(value) else ""
    is_scalar = len(types) == 1 and _is_scalar(types[0])
    return value if is_scalar and len(value) <= _MAX_VALUE_LENGTH else ""


def _is_scalar(type_text: str) -> bool:
    array = parse_array_type(type_text)
    return array is not None and not array.shape


def _spell_bits(value: str, type_text: str) -> str:
    """MLIR writes what has no decimal form, infinities above all, as bits: say what they are."""
    bits = _BITS.match(value)
    array = parse_array_type(type_text)
    kind = "" if array is None else array.element
    if bits is None or kind not in _FLOATS:
        return value
    size, code = _FLOATS[kind]
    raw = int(bits[1], 16)
    if raw >= 1 << (8 * size):
        return value
    if kind == "bf16":  # the upper half of an f32
        raw, size = raw << 16, 4
    (number,) = struct.unpack(code, raw.to_bytes(size, "big"))
    return f"{number:g}"


_BOUNDARY_OPERATIONS = frozenset({"parameter", "stablehlo.return", "func.return"})


def fold_reducers(draft: Draft) -> Draft:
    """Show `reduce` and its like as one box that names what they combine elements with."""
    graph = draft.graph
    owners = graph.groups.owner.tolist()
    members: dict[int, list[int]] = {}
    inside = np.flatnonzero(graph.nodes.group != NONE)
    for node, group in zip(inside.tolist(), graph.nodes.group[inside].tolist(), strict=True):
        if owners[group] != NONE:
            members.setdefault(group, []).append(node)
    parents = set(graph.groups.parent.tolist())
    crossing = _groups_with_crossing_edges(draft)
    home = list(draft.home)
    folded: list[int] = []
    captions = dict(draft.captions)
    for group, nodes in members.items():
        if group in parents or group in crossing or not draft.flow.roles.keys().isdisjoint(nodes):
            continue
        working = [node for node in nodes if not _is_boundary(draft, node)]
        if len(working) > 1:
            continue
        for node in nodes:
            home[node] = owners[group]
        folded += nodes
        if working:
            operation = graph.operation(working[0])
            captions.setdefault(owners[group], short_operation(operation))
    if not folded:
        return draft
    inputs = draft.inputs.with_rows(dict.fromkeys(folded, ()))
    return dataclasses.replace(draft, home=array("i", home), inputs=inputs, captions=captions)


def _is_boundary(draft: Draft, node: int) -> bool:
    nodes, graph = draft.graph.nodes, draft.graph
    return (
        nodes.kind[node] in (NodeKind.INPUT, NodeKind.OUTPUT)
        or graph.string(nodes.operation, node) in _BOUNDARY_OPERATIONS
        or not draft.is_shown(node)
    )


def _groups_with_crossing_edges(draft: Draft) -> set[int]:
    group = draft.graph.nodes.group
    source, target = group[draft.inputs.source], group[draft.inputs.target]
    is_crossing = source != target
    return set(distinct(source[is_crossing], target[is_crossing]).tolist())


# See through what only passes values on: nested boundaries, tuples and their elements.
#
# A value that enters a nested program does so through an operand of the owner and an input inside;
# here both become one edge from the real producer to the real user. So edges connect operations
# that do something, whatever groups are open.


_MAX_DEPTH = 400


def join_boundaries(draft: Draft) -> Draft:
    """Connect users inside a nested program with producers outside, and the other way round."""
    boundaries = find_boundaries(draft.graph)
    entering = {**boundaries.entering, **draft.flow.references}
    return _Resolver(draft, Boundaries(entering, boundaries.leaving), frozenset()).resolve()


def skip_plumbing(draft: Draft) -> Draft:
    """Lead values through `tuple`, `get-tuple-element` and `bitcast`, element by element.

    Fusions of nothing else keep their last bitcast: their kernel copies, and lines lead through it.
    """
    graph = draft.graph
    plumbing = frozenset(
        node
        for node, _ in _find_nodes_of(graph, PLUMBING)
        if draft.is_shown(node) and draft.inputs[node]
    )
    plumbing -= _find_lone_roots(draft, plumbing) | draft.flow.roles.keys()
    return _Resolver(draft, Boundaries({}, {}), plumbing).resolve() if plumbing else draft


def _find_lone_roots(draft: Draft, plumbing: frozenset[int]) -> frozenset[int]:
    """Roots of the fusions in which nothing would be left to show."""
    graph = draft.graph
    owners, roots = graph.groups.owner.tolist(), attribute_column(graph, "root")
    groups = {node: int(graph.nodes.group[node]) for node in plumbing if roots[node] != NONE}
    if not any(group != NONE for group in groups.values()):
        return frozenset()
    filled = {
        int(group)
        for node, group in enumerate(graph.nodes.group.tolist())
        if draft.is_shown(node) and node not in plumbing
    }
    return frozenset(
        node
        for node, group in groups.items()
        if group != NONE and group not in filled and _is_fusion(graph, owners[group])
    )


def _is_fusion(graph: Graph, node: int) -> bool:
    return node != NONE and graph.strings[graph.nodes.operation[node]] == "fusion"


class _Resolver:
    """Finds the real producers of every operand; one use."""

    def __init__(self, draft: Draft, boundaries: Boundaries, plumbing: frozenset[int]) -> None:
        self._draft = draft
        self._graph = draft.graph
        self._flow = draft.flow
        self._entering = boundaries.entering
        self._leaving = boundaries.leaving
        self._plumbing = plumbing
        self._producers_of: dict[int, dict[int, tuple[int, int]]] = {}
        self._hidden = self._find_hidden()
        self._seen_through = self._hidden.union(node for node, _ in self._leaving)
        self._known: dict[tuple[int, int, tuple[int, ...]], tuple[Origin, ...]] = {}
        self._used: set[tuple[int, int]] = set()
        self._element = _tuple_indices(self._graph, plumbing)
        self._notes = {node: list(notes) for node, notes in draft.notes.items()}

    def _producer(self, node: int, operand: int) -> tuple[int, int] | None:
        """Which result of which node is an operand; few nodes are asked for theirs."""
        known = self._producers_of.get(node)
        if known is None:
            known = {each.operand: (each.source, each.output) for each in self._draft.inputs[node]}
            self._producers_of[node] = known
        return known.get(operand)

    def _find_hidden(self) -> set[int]:
        hidden = set(self._plumbing)
        graph = self._graph
        for node, place in self._entering.items():
            starts_loop = (
                place[0] not in self._flow.loops
                and graph.strings[graph.nodes.operation[place[0]]] in LOOPS
            )
            # A number that a loop starts from is the operand in its first round only.
            is_given = self._producer(*place) is not None
            if is_given or (self._literal(place) and not starts_loop):
                hidden.add(node)
        kinds, output_kind = graph.nodes.kind.tolist(), int(NodeKind.OUTPUT)
        for nodes in self._leaving.values():
            hidden.update(
                node for node in nodes if kinds[node] == output_kind and self._draft.inputs[node]
            )
        hidden.update(self._flow.stand_ins.keys() & self._entering.keys())
        return hidden - self._flow.roles.keys()

    def _find_filled(self) -> set[int]:
        """Owners of nested programs that have something to show inside."""
        groups = self._graph.groups
        is_hidden = np.zeros(len(self._graph.nodes), bool)
        is_hidden[list(self._hidden)] = True
        waiting = distinct(self._graph.nodes.group[~is_hidden]).tolist()
        seen, owners = {NONE}, set[int]()
        while waiting:
            group = waiting.pop()
            if group not in seen:
                seen.add(group)
                owners.add(int(groups.owner[group]))
                waiting.append(int(groups.parent[group]))
        return owners

    def _literal(self, place: tuple[int, int]) -> str:
        return self._graph.attributes(place[0]).get(f"in[{place[1]}]", "")

    def resolve(self) -> Draft:
        draft = self._draft
        owners = {owner for owner, _ in self._entering.values()}
        starts = self._flow.roles.keys() & self._entering.keys()
        rows: dict[int, tuple[Input, ...]] = dict.fromkeys(self._hidden, ())
        is_through = np.zeros(len(draft.inputs), np.bool_)
        is_through[list(self._seen_through)] = True
        behind = distinct(draft.inputs.target[is_through[draft.inputs.source]]).tolist()
        for node in sorted(starts.union(behind)):
            if node in starts:
                rows[node] = self._resolve_start(node)
            elif node not in self._hidden and node not in owners:
                rows[node] = self._resolve_row(node, draft.inputs[node])
        filled = self._find_filled()
        for node in sorted(owners - self._hidden):
            # What only hands its arguments on has nobody inside who could use them.
            is_empty = node not in filled
            inputs = draft.inputs[node]
            kept = [each for each in inputs if is_empty or (node, each.operand) not in self._used]
            rows[node] = self._resolve_row(node, tuple(kept))
        notes = {node: tuple(sorted(set(texts))) for node, texts in self._notes.items()}
        resolved = draft.inputs.with_rows(rows)
        if not self._hidden:
            return dataclasses.replace(draft, inputs=resolved, notes=notes)
        home = list(draft.home)
        for node in self._hidden:
            home[node] = self._home_of(node)
        final = array("i", [n if home[n] == n else _follow(home, n) for n in range(len(home))])
        return dataclasses.replace(draft, inputs=resolved, home=final, notes=notes)

    def _resolve_start(self, node: int) -> tuple[Input, ...]:
        """What a value at the border of a loop or an arm gets from outside."""
        place = self._entering[node]
        self._used.add(self._entering[node])
        producer = self._producer(*place)
        if producer is None:
            if literal := self._literal(place):
                self._notes.setdefault(node, []).append((0, literal))
            return ()
        type_ = next(i.type for i in self._draft.inputs[place[0]] if i.operand == place[1])
        return self._resolve_row(node, (Input(*producer, 0, type_),))

    def _own_type(self, source: int, output: int, else_: int) -> int:
        """The type of one result, of which a tuple or another shape may be made on the way."""
        types: list[int] = self._graph.nodes.types[source].tolist()
        if output >= len(types) or self._graph.strings[types[output]].startswith("("):
            return else_
        return types[output]

    def _resolve_row(self, node: int, inputs: tuple[Input, ...]) -> tuple[Input, ...]:
        if self._seen_through.isdisjoint([each[0] for each in inputs]):
            return inputs
        row: dict[Input, None] = {}
        for each in inputs:
            for source, output in self._sources(each.source, each.output, (), 0):
                if source >= 0:
                    type_ = each.type
                    if each.source in self._plumbing:
                        type_ = self._own_type(source, output, type_)
                    row[Input(source, output, each.operand, type_)] = None
                else:
                    literal = self._literal(self._entering[-1 - source])
                    self._notes.setdefault(node, []).append((each.operand, literal))
        return tuple(row)

    def _sources(
        self, node: int, output: int, path: tuple[int, ...], depth: int
    ) -> tuple[Origin, ...]:
        key = (node, output, path)
        known = self._known.get(key)
        if known is None:
            self._known[key] = ((node, output),)  # ends cycles of malformed graphs
            known = self._find_sources(node, output, path, depth + 1)
            self._known[key] = known
        return known

    def _find_sources(
        self, node: int, output: int, path: tuple[int, ...], depth: int
    ) -> tuple[Origin, ...]:
        itself = ((node, output),)
        if depth > _MAX_DEPTH:
            return itself
        stand_in = self._flow.stand_ins.get(node)
        if stand_in is not None and node in self._hidden:
            self._used.add(self._entering[node])
            return ((stand_in, output),)
        place = self._entering.get(node)
        if place is not None and node in self._hidden:
            self._used.add(self._entering[node])
            producer = self._producer(*place)
            if producer is None:
                return ((-1 - node, 0),)
            return self._sources(*producer, path, depth)
        if node in self._plumbing:
            return self._through_plumbing(node, path, depth)
        inner = self._leaving.get((node, output)) or self._leaving.get((node, -1))
        if inner is None:
            return itself
        found: dict[Origin, None] = {}
        for each in inner:
            if each in self._hidden and each not in self._plumbing:
                inputs = self._draft.inputs[each]
                ends = [self._producer(each, i.operand) or (i.source, i.output) for i in inputs]
            else:
                ends = [(each, output if len(self._graph.nodes.types[each]) > 1 else 0)]
            for end in ends:
                for origin in self._sources(*end, path, depth):
                    inside = origin[0] >= 0 and self._is_inside(origin[0], node)
                    found[origin if inside else (node, output)] = None
        return tuple(found)

    def _through_plumbing(self, node: int, path: tuple[int, ...], depth: int) -> tuple[Origin, ...]:
        inputs = self._draft.inputs[node]
        element = self._element.get(node)
        if element is not None:  # of a branch, each arm gives it
            wanted, rest = list(inputs), (element, *path)
        else:
            wanted = [i for i in inputs if i.operand == path[0]] if path and len(inputs) > 1 else []
            rest = path[1:] if wanted else path
        found: dict[Origin, None] = {}
        for each in wanted or inputs:
            found.update(dict.fromkeys(self._sources(each.source, each.output, rest, depth)))
        return tuple(found)

    def _is_inside(self, node: int, owner: int) -> bool:
        groups = self._graph.groups
        group = int(self._graph.nodes.group[node])
        while group != NONE:
            if groups.owner[group] == owner:
                return True
            group = int(groups.parent[group])
        return False

    def _home_of(self, node: int) -> int:
        if node in self._flow.stand_ins:
            return self._flow.stand_ins[node]
        place = self._entering.get(node)
        if place is not None:
            return place[0]
        if node in self._plumbing:
            sources = self._through_plumbing(node, (), 0)
            return next((source for source, _ in sources if source >= 0), node)
        group = int(self._graph.nodes.group[node])
        return int(self._graph.groups.owner[group])


def _tuple_indices(graph: Graph, plumbing: frozenset[int]) -> dict[int, int]:
    """Which element each `get-tuple-element` takes."""
    indices: dict[int, int] = {}
    for node in plumbing:
        number = read_count(graph.attributes(node).get("tuple_index", ""))
        if number is not None:
            indices[node] = number
    return indices


def _follow(home: list[int], node: int) -> int:
    seen = set()
    while home[node] != node and node not in seen:
        seen.add(node)
        node = home[node]
    return node
