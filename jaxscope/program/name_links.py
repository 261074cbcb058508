"""Links between the stages of a program that jaxscope did not trace, from XLA's own metadata.

There are no tags. What tells an equation is the whole name of an operation (its path through
transforms, loops and calls) together with the place in the source: both go along from StableHLO to
the last instruction. Names inside of a function are relative to its calls, as XLA completes them
when it inlines. Where several equations share name and place, as in a loop that Python unrolled,
they do not tell which one it was: such nodes are linked by their line alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from jaxscope.model.graph import NONE, Graph, NodeKind
from jaxscope.model.graph_builder import add_attributes

LINK, LINKED_BY = "link", "linked_by"
"""Attributes of a node: by what it is linked (`name` or `line`), and the names it is linked by."""
BY_NAME, BY_LINE = "name", "line"
SEPARATOR = " ; "
_MAKING = ("/scan", "/empty2")
"""What JAX calls the making of a loop's arrays, beside the loop."""
_MAX_NAMES = 32
_UNKNOWN = -1
_LOWERED = ("stablehlo", "hlo")
"""The stages that show what was lowered, equation by equation, the better one first."""
_HELPERS = frozenset(
    {"constant", "broadcast_in_dim", "broadcast", "reshape", "convert", "iota", "parameter"}
)
"""What the lowering of one equation may need several of."""


def link_by_name(graphs: Mapping[str, Graph]) -> dict[str, Graph]:
    """The graphs with attributes that say by what each node is linked to the other stages.

    Args:
        graphs: Of StableHLO and HLO, by the names of their stages.
    """
    lowered = next((name for name in _LOWERED if name in graphs), "")
    if not lowered:
        return {name: _mark(graph, [()] * len(graph.nodes)) for name, graph in graphs.items()}
    found_keys = {name: find_keys(graph) for name, graph in graphs.items()}
    loops = _find_loops(graphs[lowered], found_keys[lowered])
    keys = {name: _print_keys(of_stage, loops) for name, of_stage in found_keys.items()}
    pieces = _find_pieces(graphs[lowered], keys[lowered], loops)
    found: dict[str, Graph] = {}
    for name, graph in graphs.items():
        if name == lowered:
            names = [_names(row, of_row, pieces) for row, of_row in enumerate(keys[name])]
        else:
            names = _count_off(graph, keys[name], pieces.counts, is_numbered=name in _LOWERED)
        found[name] = _mark(graph, names)
    return found


def _find_loops(graph: Graph, keys: list[tuple[Key, ...]]) -> dict[str, Counter[str]]:
    """The whole names of loops by their places, and how many loops have them."""
    found: dict[str, Counter[str]] = {}
    for row, of_row in enumerate(keys):
        operation = graph.strings[int(graph.nodes.operation[row])]
        if operation.removeprefix("stablehlo.") == "while":
            for name, place in of_row:
                found.setdefault(place, Counter())[name] += 1
    return found


def _print_keys(
    keys: list[tuple[Key, ...]], loops: Mapping[str, Counter[str]]
) -> list[tuple[str, ...]]:
    """Keys as texts; what a loop itself consists of has the loop's.

    Counting its rounds and cutting its arrays is named below the loop and has its place; what runs
    in it has places of its own.
    """
    table: dict[Key, str] = {}
    for name, place in {key for of_row in keys for key in of_row}:
        around = [
            loop
            for loop in (loops.get(place, ()) if place else ())
            if f"{name}/".startswith(f"{loop}/")
            or (_parent(name) == _parent(loop) and name.endswith(_MAKING))
        ]
        table[name, place] = f"{max(around, key=len, default=name)} {place}"
    return [tuple(dict.fromkeys(table[key] for key in of_row)) for of_row in keys]


def _parent(name: str) -> str:
    return name.rpartition("/")[0]


@dataclasses.dataclass(frozen=True, slots=True)
class _Pieces:
    """How the operations of a lowered program are spread over equations.

    Attributes:
        counts: Of each name with its place, how many equations have it, as far as is seen.
        number: Which of them an operation is of, by its row and that name.
    """

    counts: dict[str, int]
    number: dict[tuple[int, str], int]


def _names(row: int, keys: tuple[str, ...], pieces: _Pieces) -> tuple[str, ...]:
    return tuple(
        key if pieces.counts[key] == 1 else f"{key} #{pieces.number[row, key]}"
        for key in keys
        if (row, key) in pieces.number
    )


def _find_pieces(
    graph: Graph, keys: list[tuple[str, ...]], loops: Mapping[str, Counter[str]]
) -> _Pieces:
    """Cut the operations of one name and place into equations.

    The lowering of an equation stands in one piece. A second piece, or a second operation of a kind
    that none needs twice, is of another equation; constants and shapes go with what follows them.
    """
    nodes, strings = graph.nodes, graph.strings
    owners = graph.groups.owner.tolist()
    kinds: dict[str, set[str]] = {}
    in_loops = {
        f"{name} {place}": count for place, names in loops.items() for name, count in names.items()
    }
    # Loops of the same name cannot be told apart, so the number of pieces is unknown.
    counts = {key: count if count == 1 else _UNKNOWN for key, count in in_loops.items()}
    helpers: dict[str, list[int]] = {}
    number: dict[tuple[int, str], int] = {}
    last: dict[int, tuple[str, ...]] = {}
    for row, (group, code) in enumerate(
        zip(nodes.group.tolist(), nodes.operation.tolist(), strict=True)
    ):
        if nodes.kind[row] in (NodeKind.INPUT, NodeKind.OUTPUT):
            continue
        around = keys[owners[group]] if group != NONE and owners[group] != NONE else ()
        operation = strings[code].removeprefix("stablehlo.")
        for key in keys[row]:
            if key in in_loops:
                if in_loops[key] == 1:
                    number[row, key] = 0
                continue
            if key in around:  # inside of an operation, as the body of a reduction
                number[row, key] = max(counts.get(key, 1) - 1, 0)
                continue
            is_helper = operation in _HELPERS and operation not in key.rpartition(" ")[0][-40:]
            seen = kinds.setdefault(key, set())
            is_next = key not in last.get(group, ()) and bool(seen)
            if is_next or (not is_helper and operation in seen):
                counts[key] += 1
                seen.clear()
                for helper in () if is_next else helpers.get(key, ()):
                    number[helper, key] = counts[key] - 1
            counts.setdefault(key, 1)
            number[row, key] = counts[key] - 1
            if is_helper:
                helpers.setdefault(key, []).append(row)
            else:
                seen.add(operation)
                helpers[key] = []
        last[group] = keys[row]
    return _Pieces(counts, number)


def _count_off(
    graph: Graph, keys: list[tuple[str, ...]], counts: Mapping[str, int], *, is_numbered: bool
) -> list[tuple[str, ...]]:
    """The names of a later stage, counted where several equations share one.

    Before optimization XLA has numbered the instructions in the order of the program: the first of
    a kind is of the first equation, if there are as many as equations. Else, and after
    optimization, they are not told apart.
    """
    strings, nodes = graph.strings, graph.nodes
    found: list[list[str]] = [[] for _ in keys]
    of_kind: dict[tuple[str, int], list[int]] = {}
    for row, of_row in enumerate(keys):
        for key in of_row:
            if counts.get(key) == 1:
                found[row].append(key)
            elif key in counts:
                of_kind.setdefault((key, int(nodes.operation[row])), []).append(row)
    for (key, code), rows in of_kind.items():
        if is_numbered and len(rows) == counts[key] and strings[code] not in _HELPERS:
            rows.sort(key=lambda row: _suffix(strings[int(nodes.name[row])]))
            for number, row in enumerate(rows):
                found[row].append(f"{key} #{number}")
    return [tuple(row) for row in found]


def _suffix(name: str) -> int:
    """The number at the end of an instruction's name; the first of a name has none."""
    digits = name.rpartition(".")[2]
    return int(digits) if digits.isdigit() and len(digits) < 10 else -1


Key = tuple[str, str]
"""A whole name, and the place in the source; the place is empty where none is known."""


def find_keys(graph: Graph) -> list[tuple[Key, ...]]:
    """The whole names with the place of each node; none where nothing names it."""
    strings, nodes = graph.strings, graph.nodes
    own = [_attribute(graph, row, "op_name") for row in range(len(nodes))]
    places = [_place(graph, row) for row in range(len(nodes))]
    root = _root(graph, own)
    prefixes: list[tuple[str, ...]] = []
    keys: list[tuple[Key, ...]] = [()] * len(nodes)
    by_group: dict[int, list[int]] = {}
    for row, group in enumerate(nodes.group.tolist()):
        by_group.setdefault(group, []).append(row)
    full: list[tuple[str, ...]] = [()] * len(nodes)
    callers = _callers(graph)

    def name_rows(rows: list[int], prefix: tuple[str, ...]) -> None:
        for row in rows:
            if nodes.kind[row] in (NodeKind.INPUT, NodeKind.OUTPUT):
                continue
            names = [part for part in own[row].split(";") if part]
            full[row] = tuple(
                whole
                for part in names
                for whole in ([part] if part.startswith(root) else _joined(prefix, part))
            )[:_MAX_NAMES]
            keys[row] = tuple((name, places[row]) for name in full[row])

    name_rows(by_group.get(NONE, []), ())
    for number, owner in enumerate(graph.groups.owner.tolist()):
        label = strings[int(graph.groups.id[number])]
        owners = [owner, *callers.get(label, ())] if owner != NONE else []
        prefix = tuple(dict.fromkeys(itertools.chain.from_iterable(full[row] for row in owners)))
        prefixes.append(prefix[:_MAX_NAMES])
        name_rows(by_group.get(number, []), prefixes[number])
    return keys


def _joined(prefix: tuple[str, ...], part: str) -> Iterator[str]:
    yield from (f"{name}/{part}" for name in prefix)
    if not prefix:
        yield part


def _root(graph: Graph, own: list[str]) -> str:
    """How whole names begin: with the function that was jitted, as `jit(step)`."""
    groups = graph.nodes.group.tolist()
    firsts = Counter(
        name.split("/", 1)[0] for name, group in zip(own, groups, strict=True) if group == NONE
    )
    named = [(count, first) for first, count in firsts.items() if "(" in first]
    return max(named)[1] if named else "\0"


def _callers(graph: Graph) -> dict[str, list[int]]:
    """The calls of each function of a StableHLO module besides the one that it is shown under."""
    found: dict[str, list[int]] = {}
    for row in range(len(graph.nodes)):
        if callee := _attribute(graph, row, "shares"):
            found.setdefault(callee, []).append(row)
    return found


def _mark(graph: Graph, found: Sequence[tuple[str, ...]]) -> Graph:
    has_source = graph.nodes.source.lengths().tolist()
    added = {
        row: {LINK: BY_NAME, LINKED_BY: SEPARATOR.join(names)} if names else {LINK: BY_LINE}
        for row, names in enumerate(found)
        if names or has_source[row]
    }
    return add_attributes(graph, added)


def _attribute(graph: Graph, row: int, name: str) -> str:
    values = graph.nodes.attributes[row].tolist()
    strings = graph.strings
    return next(
        (strings[values[n + 1]] for n in range(0, len(values), 2) if strings[values[n]] == name), ""
    )


def _place(graph: Graph, row: int) -> str:
    """File, line and column of the innermost frame, as one text."""
    place = graph.nodes.source[row].tolist()[:4]
    return f"{graph.strings[place[0]]}:{place[1]}:{place[2]}" if place else ""
