"""Put the forward and the backward part of a differentiated program into two boxes.

A drawing sets the two side by side, with the residuals between. JAX says of each operation which
part it belongs to; what has no direction stays outside, unless it lies between two operations of
the same part. Where a program goes forward again after it went backward, as an unrolled training
loop does, there is a pair for each round.
"""

from __future__ import annotations

import dataclasses
import heapq
import itertools
from collections.abc import Iterable, Iterator, Mapping

import numpy as np

from jaxscope.model import NONE, Direction, Graph
from jaxscope.model.graph import distinct
from jaxscope.picture.view.arguments import find_arguments, find_results, part_results
from jaxscope.picture.view.tree import (
    BACKWARD,
    Branch,
    BranchKind,
    Child,
    Draft,
    find_inner_edges,
    nodes_of,
    place_nodes,
    read_all_orders,
    with_children,
)
from jaxscope.program.dataflow import attribute_column

FORWARD_BACKWARD = (BranchKind.FORWARD, BranchKind.BACKWARD)
_MIN_LEAVES = 2
_NEUTRAL, _FORWARD, _BACKWARD, _MIXED = 0, 1, 2, 3
_PART_OF = {int(Direction.FORWARD): _FORWARD, int(Direction.BACKWARD): _BACKWARD}
_NAMES = {_FORWARD: "forward", _BACKWARD: "backward"}
_KINDS = {_FORWARD: BranchKind.FORWARD, _BACKWARD: BranchKind.BACKWARD}


_REMADE = "/rematted_computation/"
"""In the name of what `jax.checkpoint` computes again in the backward part."""


def count_merged_as_forward(graph: Graph) -> Graph:
    """The graph with what XLA merged with what is computed again counted to the forward part.

    Of two instructions that compute the same, XLA may keep the one that bears the name of the
    backward part: the forward part reads it, without any of the backward part in between.
    """
    codes = attribute_column(graph, "op_name")
    named = [n for n in distinct(codes).tolist() if n != NONE and _REMADE in graph.strings[n]]
    if not named:
        return graph
    direction, edges = graph.nodes.direction.copy(), graph.edges
    is_remade = np.isin(codes, named) & (direction == int(Direction.BACKWARD))
    passes = is_remade | (direction == int(Direction.NONE))
    read: dict[int, list[int]] = {}
    leads = passes[edges.source]
    for source, target in zip(
        edges.source[leads].tolist(), edges.target[leads].tolist(), strict=True
    ):
        read.setdefault(target, []).append(source)
    waiting = np.flatnonzero(direction == int(Direction.FORWARD)).tolist()
    reached = set(waiting)
    for node in waiting:  # grows while it is read
        more = set(read.get(node, ())) - reached
        reached |= more
        waiting += more
    merged = np.zeros(len(direction), bool)
    merged[waiting] = is_remade[waiting]
    groups = graph.groups
    is_inside = np.zeros(len(groups) + 1, bool)  # of a fusion or what it calls; at -1 of no group
    for group, owner in enumerate(groups.owner.tolist()):
        is_inside[group] = is_inside[groups.parent[group]] or (owner != NONE and merged[owner])
    merged |= is_remade & is_inside[graph.nodes.group]
    if not merged.any():
        return graph
    direction[merged] = int(Direction.FORWARD)
    return dataclasses.replace(graph, nodes=dataclasses.replace(graph.nodes, direction=direction))


def box_forward_backward(draft: Draft, root: Branch) -> Branch:
    """Box what is forward and what is backward, in every group that holds both side by side."""
    directions = distinct(draft.graph.nodes.direction).tolist()
    return _Pairer(draft).visit(root)[0] if _PART_OF.keys() <= set(directions) else root


class _Pairer:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._direction = draft.graph.nodes.direction.tolist()
        self._apart = (
            find_arguments(draft.graph) | find_results(draft.graph) | draft.flow.roles.keys()
        )

    def visit(self, branch: Branch) -> tuple[Branch, int]:
        """The branch with pairs inside, and what it holds: the union of its children's parts."""
        children: list[Child] = []
        parts: list[int] = []
        for child in branch.children:
            if isinstance(child, Branch):
                child, part = self.visit(child)
                if child.node in self._draft.seeds:
                    part = _NEUTRAL
                elif child.node != NONE:  # a loop or a fusion is of the part that runs it
                    part = _PART_OF.get(self._direction[child.node], part)
            elif child in self._apart or child in self._draft.seeds:
                part = _NEUTRAL
            else:
                part = _PART_OF.get(self._direction[child], _NEUTRAL)
            children.append(child)
            parts.append(part)
        held = 0
        for part in parts:
            held |= part
        branch = with_children(branch, children)
        if branch.kind is not BranchKind.FUSION and {_FORWARD, _BACKWARD} <= set(parts):
            branch = _pair(self._draft, branch, parts)
        return branch, held


def _pair(draft: Draft, branch: Branch, parts: list[int]) -> Branch:
    children = branch.children
    before = find_dependencies(draft, children)
    if before is None:
        return branch
    parts = list(parts)
    rounds = _count_rounds(parts, before)
    _move_seeds(draft, children, parts, before, rounds)
    half_of = _assign(parts, before, rounds)
    members: dict[int, list[int]] = {}
    for at, half in enumerate(half_of):
        if half != NONE:
            members.setdefault(half, []).append(at)
    kept = {
        half
        for half, inside in members.items()
        if _is_worth_it(children, inside) and _is_worth_it(children, members.get(half ^ 1, []))
    }
    if not kept:
        return branch
    boxes = [
        [at] if half not in kept else members[half] if members[half][0] == at else []
        for at, half in enumerate(half_of)
    ]
    orders = read_all_orders(draft.graph)
    ordered = sort_boxes([box for box in boxes if box], before)
    made: list[Child] = []
    for box in ordered:
        half = half_of[box[0]]
        inside = tuple(children[at] for at in box)
        if half in kept and orders:
            inside = _box_orders(f"{branch.id}/order#{half}", inside, orders)
        made.append(_make_part(branch, half, inside) if half in kept else inside[0])
    return dataclasses.replace(branch, children=tuple(_part_results(draft, made)))


def _part_results(draft: Draft, children: list[Child]) -> Iterator[Child]:
    """The children, with gradients among the results in a box of their own."""
    kinds = [child.kind if isinstance(child, Branch) else None for child in children]
    if BranchKind.RESULTS not in kinds:
        yield from children
        return
    places = place_nodes(tuple(children))
    before = find_dependencies(draft, tuple(children)) or [set() for _ in children]

    def is_gradient(node: int) -> bool:
        """Whether it comes out of a backward part, also by way of what stands outside of both."""
        queue = [places[i.source] for i in draft.inputs[node] if i.source in places]
        seen = set(queue)
        for at in queue:  # grows while it is read
            if kinds[at] is BranchKind.BACKWARD:
                return True
            if kinds[at] is not BranchKind.FORWARD:
                queue += before[at] - seen
                seen |= before[at]
        return False

    def is_changed(node: int) -> bool:
        """Whether something outside of the backward part computes it, such as an update."""
        waiting = [node]  # a function that calls itself would keep all of this alive
        while waiting:
            for each in draft.inputs[waiting.pop()]:
                at = places.get(each.source)
                if at is not None and kinds[at] is BranchKind.BACKWARD:
                    continue
                if at is None or not is_copy(each.source):
                    return True
                waiting.append(each.source)
        return False

    def is_copy(node: int) -> bool:
        return children[places[node]] == node and draft.graph.operation(node) == "copy"

    for child in children:
        if isinstance(child, Branch) and child.kind is BranchKind.RESULTS:
            gradients = frozenset(filter(is_gradient, nodes_of(child)))
            changed = frozenset(filter(is_changed, gradients))
            yield from part_results(draft.graph, child, gradients, changed)
        else:
            yield child


def _is_worth_it(children: tuple[Child, ...], inside: list[int]) -> bool:
    leaves = 0
    for at in inside:
        child = children[at]
        leaves += child.num_leaves if isinstance(child, Branch) else 1
    return leaves >= _MIN_LEAVES


def find_dependencies(draft: Draft, children: tuple[Child, ...]) -> list[set[int]] | None:
    """Children that each child uses values of; None where one uses values of a later one."""
    _, giver, taker = find_inner_edges(draft, children)
    if bool(np.any(giver > taker)):
        return None
    before: list[set[int]] = [set() for _ in children]
    is_other = giver < taker
    pairs = distinct(giver[is_other] * len(children) + taker[is_other]).tolist()
    for source, at in (divmod(pair, len(children)) for pair in pairs):
        before[at].add(source)
    return before


def _count_rounds(parts: list[int], before: list[set[int]]) -> list[int]:
    """Twice the number of the round of each child, plus one from its backward part on.

    What holds both parts ends a round: nothing can be beside it.
    """
    rounds: list[int] = []
    for part, sources in zip(parts, before, strict=True):
        latest = max((rounds[source] for source in sources), default=0)
        if part == _FORWARD:
            latest += latest & 1
        elif part == _BACKWARD:
            latest |= 1
        elif part == _MIXED:
            latest = (latest | 1) + 1
        rounds.append(latest)
    return rounds


def _move_seeds(
    draft: Draft,
    children: tuple[Child, ...],
    parts: list[int],
    before: list[set[int]],
    rounds: list[int],
) -> None:
    """Let what a backward part begins with belong to that of its first reader."""
    if not draft.seeds:
        return
    first: dict[int, int] = {}
    for at in range(len(children) - 1, -1, -1):
        child = children[at]
        node = child.node if isinstance(child, Branch) else child
        if node in draft.seeds and first.get(at, 0) & 1:
            parts[at], rounds[at] = _BACKWARD, first[at]
        for source in before[at]:
            first[source] = min(first.get(source, rounds[at]), rounds[at])


def _assign(parts: list[int], before: list[set[int]], rounds: list[int]) -> list[int]:
    """The half that each child belongs to, by its number of `_count_rounds`, or `NONE`.

    A child without direction belongs to a half only if it lies between two of its members: a box
    around them that leaves it out would be before it and after it.
    """
    num = len(parts)
    half_of = [each if part in _NAMES else NONE for each, part in zip(rounds, parts, strict=True)]
    follows = [False] * num
    for at, sources in enumerate(before):
        follows[at] = any(
            rounds[source] == rounds[at] and (half_of[source] != NONE or follows[source])
            for source in sources
        )
    leads = [False] * num
    for at in range(num - 1, -1, -1):
        if half_of[at] == NONE and leads[at] and follows[at]:
            half_of[at] = rounds[at]
        if half_of[at] != NONE or leads[at]:
            for source in before[at]:
                leads[source] = leads[source] or rounds[source] == rounds[at]
    return half_of


def sort_boxes(boxes: list[list[int]], before: list[set[int]]) -> list[list[int]]:
    """The boxes so that each comes after what it uses; else in the order of the program."""
    box_of = {at: number for number, box in enumerate(boxes) for at in box}
    needs = [{box_of[s] for at in box for s in before[at]} - {n} for n, box in enumerate(boxes)]
    users: list[list[int]] = [[] for _ in boxes]
    for number, needed in enumerate(needs):
        for each in needed:
            users[each].append(number)
    missing = [len(needed) for needed in needs]
    ready = [number for number, count in enumerate(missing) if not count]
    ordered: list[list[int]] = []
    while ready:
        number = heapq.heappop(ready)
        ordered.append(boxes[number])
        for user in users[number]:
            missing[user] -= 1
            if not missing[user]:
                heapq.heappush(ready, user)
    return ordered


def _box_orders(
    prefix: str, inside: tuple[Child, ...], orders: Mapping[int, str]
) -> tuple[Child, ...]:
    """Box the runs of a part that belong to one order of differentiation, if there are several.

    Runs of program order: no box closes a cycle.
    """
    told = [_order_of(child, orders) for child in inside]
    if len(set(told) - {""}) < 2:
        return inside
    made: list[Child] = []
    for number, (order, run) in enumerate(itertools.groupby(range(len(inside)), told.__getitem__)):
        members = tuple(inside[at] for at in run)
        if order and _is_worth_it(members, list(range(len(members)))):
            ends = (f" {order}", BACKWARD)
            made.append(_name_part(f"{prefix}.{number}", BranchKind.ORDER, order, ends, members))
        else:
            made += members
    return tuple(made)


def _order_of(child: Child, orders: Mapping[int, str]) -> str:
    """The order that all of a child belongs to, or nothing."""
    if isinstance(child, int):
        return orders.get(child, "")
    if child.node != NONE:
        return orders.get(child.node, "")
    found = {_order_of(each, orders) for each in child.children}
    return found.pop() if len(found) == 1 else ""


def _make_part(branch: Branch, half: int, inside: tuple[Child, ...]) -> Branch:
    part = _BACKWARD if half & 1 else _FORWARD
    name = _NAMES[part]
    number = f"#{half // 2 + 1}" if half > 1 else ""
    return _name_part(f"{branch.id}/{name}{number}", _KINDS[part], name, (BACKWARD,), inside)


def _name_part(
    id: str, kind: BranchKind, name: str, ends: tuple[str, ...], inside: tuple[Child, ...]
) -> Branch:
    """A box of one part; a single group inside becomes it and keeps its name.

    Args:
        ends: What the group's name says of the part, too.
    """
    only = inside[0] if len(inside) == 1 else None
    if isinstance(only, Branch) and only.kind is BranchKind.SCOPE and only.node == NONE:
        label = only.label
        for end in ends:
            label = label.removesuffix(end)
        return dataclasses.replace(only, id=id, kind=kind, label=f"{name} · {label}")
    return Branch(id, kind, name, inside)


def pair_id(part_id: str) -> str:
    """What the ids of the two parts of a pair have in common."""
    head, _, last = part_id.rpartition("/")
    return f"{head}/{last.removeprefix('forward').removeprefix('backward')}"


def counterpart_name(label: str) -> str:
    """What groups of the two parts that belong together have in common: `layer` of both.

    The backward part of a loop runs over its arrays from the other end.
    """
    label = label.partition(BACKWARD)[0].replace(" reversed", "")
    names: Iterable[str] = label.split(" / ")
    stems = ("".join(c for c in name if not c.isdigit()).strip("_ ") for name in names)
    return " / ".join(stem for stem, _ in itertools.groupby(stems) if stem)
