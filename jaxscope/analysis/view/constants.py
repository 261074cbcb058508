"""Fold literals and scalar constants into the labels of what uses them."""

from __future__ import annotations

import dataclasses
import re
import struct

from jaxscope.analysis.view.arguments import find_results
from jaxscope.analysis.view.draft import Draft
from jaxscope.analysis.view.operations import CONSTANTS, LOOPS, SPREADERS
from jaxscope.model import NONE, Graph

_LITERAL = re.compile(r"^in\[(\d+)\]$")
_SCALAR = re.compile(r"^[a-z]\w*\[\]$|^tensor<[a-z]\w*>$")
_DENSE = re.compile(r"^dense<(.*?)>(?: : .*)?$", re.DOTALL)
_SPLAT = re.compile(r"^[-+\w.]{1,24}$")
_BITS = re.compile(r"^0x([0-9A-Fa-f]{1,16})$")
_FLOATS = {"f16": (2, ">e"), "bf16": (2, ">f"), "f32": (4, ">f"), "f64": (8, ">d")}
_MAX_VALUE_LENGTH = 24


def show_literals(draft: Draft) -> Draft:
    """Put literal operands of equations, such as `2.0`, into the equations' labels."""
    graph = draft.graph
    keys = {
        number: int(match[1])
        for number, text in enumerate(graph.strings)
        if (match := _LITERAL.match(text))
    }
    if not keys:
        return draft
    notes = {node: list(texts) for node, texts in draft.notes.items()}
    values, rows = graph.nodes.attributes.values.tolist(), graph.nodes.attributes.row_numbers()
    for at, node in enumerate(rows.tolist()):
        if at % 2 == 0 and values[at] in keys:
            literal = graph.strings[values[at + 1]]
            notes.setdefault(node, []).append((keys[values[at]], literal))
    return dataclasses.replace(
        draft, notes={node: tuple(sorted(set(texts))) for node, texts in notes.items()}
    )


def fold_constants(draft: Draft) -> Draft:
    """Fold scalar constants, and casts and broadcasts of them, into their users' labels.

    Constants with more values stay: captured weights are worth seeing. So do constants that are
    themselves a result, and those that enter a loop: only its first round may see them.
    """
    values = _constant_values(draft)
    if not values:
        return draft
    users = draft.users()
    results = find_results(draft.graph)
    starts = _loop_starts(draft, users)
    folded = {
        node
        for node in values
        if users[node] and results.isdisjoint(users[node]) and node not in starts
    }
    # A spreader can only fold if it folds into something: chains are walked from their ends.
    home = list(draft.home)
    notes = {node: list(texts) for node, texts in draft.notes.items()}
    inputs = list(draft.inputs)
    for node, row in enumerate(draft.inputs):
        if node in folded or not any(each.source in folded for each in row):
            continue
        inputs[node] = tuple(each for each in row if each.source not in folded)
        notes.setdefault(node, []).extend(
            (each.operand, values[each.source]) for each in row if each.source in folded
        )
    for node in folded:
        home[node] = _last_user(node, users, folded)
        inputs[node] = ()
    final = tuple(_settle(home, at) for at in home)
    return dataclasses.replace(
        draft,
        inputs=tuple(inputs),
        home=final,
        notes={node: tuple(sorted(set(texts))) for node, texts in notes.items()},
    )


def _loop_starts(draft: Draft, users: list[list[int]]) -> set[int]:
    """Nodes with users inside of a loop that they themselves are outside of."""
    graph = draft.graph
    groups, group_of = graph.groups, graph.nodes.group.tolist()
    owners, parents = groups.owner.tolist(), groups.parent.tolist()
    is_loop = [
        owner != NONE and graph.strings[graph.nodes.operation[owner]] in LOOPS for owner in owners
    ]
    if not any(is_loop):
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
        for node, using in enumerate(users)
        if any(around[group_of[user]] - around[group_of[node]] for user in using)
    }


def _settle(home: list[int], node: int) -> int:
    for _ in range(len(home)):
        if home[node] == node:
            break
        node = home[node]
    return node


def _last_user(node: int, users: list[list[int]], folded: set[int]) -> int:
    seen = {node}
    while node in folded:
        onward = [user for user in users[node] if user not in seen]
        if not onward:
            break
        node = min(onward)
        seen.add(node)
    return node


def _constant_values(draft: Draft) -> dict[int, str]:
    """The text of every node that stands for one scalar value."""
    graph = draft.graph
    strings = graph.strings
    operations = [strings[number] for number in graph.nodes.operation.tolist()]
    values: dict[int, str] = {}
    for node, operation in enumerate(operations):
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
                if ":" not in text or _SCALAR.match(text.rpartition(":")[2]):
                    values[node] = text
    return values


def _scalar_value(graph: Graph, node: int) -> str:
    attributes = graph.attributes(node)
    value = (attributes.get("literal") or attributes.get("value") or "").strip()
    dense = _DENSE.match(value)
    types = graph.row(graph.nodes.types, node)
    if dense:  # of any shape: MLIR writes one value for all elements alike
        value = _spell_bits(dense[1], types[0] if types else "")
        return value if _SPLAT.match(value) else ""
    is_scalar = len(types) == 1 and _SCALAR.match(types[0].partition("{")[0]) is not None
    return value if is_scalar and len(value) <= _MAX_VALUE_LENGTH else ""


def _spell_bits(value: str, type_text: str) -> str:
    """MLIR writes what has no decimal form, infinities above all, as bits: say what they are."""
    bits = _BITS.match(value)
    kind = type_text.partition("[")[0]
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
